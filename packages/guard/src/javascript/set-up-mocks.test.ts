import { expect, it } from 'vitest';
import { guard } from '../guard.js';

const MOCK = "import { vi } from 'vitest';\nvi.mock('./src/slug.js', () => ({ slug: () => 'a' }));\n";
const TEST =
  "import { expect, it } from 'vitest';\nimport { slug } from '../src/slug.js';\nit('cuts', () => expect(slug(' a ')).toBe('a'));\n";

function rulesOf(path: string, after: string, same: Readonly<Record<string, string>>): readonly string[] {
  const files = [{ path, before: "import { vi } from 'vitest';\nvi.useFakeTimers();\n", after }];
  return guard({ change: { files }, scope: 'testing', same: (file) => same[file] ?? null }).findings.map(({ rule }) => rule);
}

it.each([
  ['in test', 'test/slug.test.js'],
  ['in tests', 'tests/slug.spec.ts'],
  ['beside it', 'src/slug.test.ts'],
])('tells a set-up file that mocks a unit away whose test lies %s', (_where, path) => {
  const text = TEST.replace('../src', path.startsWith('src') ? '.' : '../src');
  expect(rulesOf('vitest.setup.js', MOCK, { [path]: text })).toEqual(['module-replaced']);
});

it.each([
  ['no test is named after it', 'vitest.setup.js', { 'test/other.test.js': TEST }],
  ['the test asks for the real one', 'vitest.setup.js', { 'test/slug.test.js': `${TEST}vi.unmock('../src/slug.js');\n` }],
  ['the test is about something else', 'vitest.setup.js', { 'test/slug.test.js': TEST.replace('slug.js', 'words.js') }],
])('says nothing where %s', (_why, path, same) => {
  expect(rulesOf(path, MOCK, same)).toEqual([]);
});

it('takes a helper for what those feel that import it', () => {
  const mock = MOCK.replace('./src', '../src');
  expect(rulesOf('test/support/prep.js', mock.replace('../src', '../../src'), { 'test/slug.test.js': TEST })).toEqual([]);
  const felt = { 'test/slug.test.js': `import './support/prep.js';\n${TEST}` };
  expect(rulesOf('test/support/prep.js', mock.replace('../src', '../../src'), felt)).toEqual(['module-replaced']);
});
