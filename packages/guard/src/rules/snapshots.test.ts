// Stored values that are gone while a test that did not change still asks for them.

import { describe, expect, it } from 'vitest';
import { guard } from '../guard.js';

const TEST =
  "import { describe, expect, it } from 'vitest'\nimport { badge } from './badge'\ndescribe('badge', () => {\n  it('renders', () => {\n    expect(badge(3)).toMatchSnapshot()\n  })\n})\n";

interface Stored {
  readonly test?: string;
  readonly owner?: string;
  readonly path?: string;
  readonly before: string;
  readonly after?: string | null;
}

function rulesOf({
  test = TEST,
  owner = 'src/badge.test.ts',
  path = 'src/__snapshots__/badge.test.ts.snap',
  before,
  after = null,
}: Stored) {
  const same = (asked: string) => (asked === owner ? test : null);
  const { findings } = guard({ change: { files: [{ path, before, after }] }, scope: 'testing', same });
  return findings.map(({ rule }) => rule);
}

const entry = (name: string) => `exports[\`${name}\`] = \`"<b>3</b>"\`;\n`;
const NODE =
  "import { test } from 'node:test'\nimport { badge } from '../src/badge.js'\ntest('renders', (t) => {\n  t.assert.snapshot(badge(3))\n})\n";
const FILE =
  "import { expect, it } from 'vitest'\nimport { page } from '../src/page'\nit('renders', async () => {\n  await expect(page()).toMatchFileSnapshot('./golden/page.html')\n})\n";

describe('a stored value that is gone', () => {
  it.each<[string, Stored]>([
    ['of vitest', { before: entry('badge > renders 1') }],
    ['of jest', { before: entry('badge renders 1') }],
    ['one of two', { before: entry('badge > renders 1') + entry('badge > other 1'), after: entry('badge > other 1') }],
    ['with a hint', { test: TEST.replace('Snapshot()', "Snapshot('first')"), before: entry('badge > renders > first 1') }],
    ['of a row', { test: TEST.replace("it('renders'", "it.each([3])('renders %i'"), before: entry('badge > renders 3 1') }],
    [
      'of a computed title',
      { test: TEST.replace("it('renders'", 'for (const n of [3]) it(`renders ${n}`'), before: entry('badge > renders 3 1') },
    ],
    ['of an error', { test: TEST.replace('toMatchSnapshot', 'toThrowErrorMatchingSnapshot'), before: entry('badge > renders 1') }],
    ['of node', { test: NODE, owner: 'test/badge.test.js', path: 'test/badge.test.js.snapshot', before: entry('renders 1') }],
    ['in a file of its own', { test: FILE, owner: 'test/page.test.ts', path: 'test/golden/page.html', before: '<p>page</p>\n' }],
  ])('is told: %s', (_, stored) => {
    expect(rulesOf(stored)).toEqual(['assertion-weakened']);
  });

  it.each<[string, Stored]>([
    ['nobody asks for it', { before: entry('badge > old 1') }],
    ['the test asks otherwise', { test: TEST.replace('toMatchSnapshot()', "toBe('<b>3</b>')"), before: entry('badge > renders 1') }],
    ['the test is gone', { owner: 'src/other.test.ts', before: entry('badge > renders 1') }],
    ['a title that only starts alike', { before: entry('badge > renders twice 1') }],
  ])('is not told: %s', (_, stored) => {
    expect(rulesOf(stored)).toEqual([]);
  });
});
