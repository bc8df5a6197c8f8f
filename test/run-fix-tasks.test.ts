// What a fix task gets to read after a real regression: each failing test by name, with its place, what it expected and received, and the
// end of the output. Real node:test and pytest.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import type { Files } from './support/git-project.js';
import { cleanUpProjects, makeProject } from './support/run-project.js';

cleanUpProjects();

const NODE: Files = {
  'package.json': '{ "name": "cart", "type": "module", "scripts": { "test": "node --test test/" } }\n',
  'src/cart.js':
    'export const cost = (price, count) => price * count;\nexport const receipt = (items) => ({ items: items.map(([name, price]) => ({ name, cost: cost(price, 1) })) });\n',
  'test/cart.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cost, receipt } from '../src/cart.js';
test('costs', () => assert.equal(cost(2, 3), 6));
test('writes a receipt', () => {
  console.log('printing a receipt');
  assert.deepEqual(receipt([['tea', 2]]), { items: [{ name: 'tea', cost: 2 }] });
});
`,
};
const PYTHON: Files = {
  'pyproject.toml': '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
  'src/cart.py': 'def cost(price, count):\n    return price * count\n',
  'test/test_cart.py': 'from cart import cost\n\n\ndef test_costs():\n    print("counting")\n    assert cost(2, 3) == 6\n',
};
const BREAKS = `sed -i 's/price \\* count/price * count + 1/' src/cart.*`;

/** The prompt of the first fix task of a run whose first change breaks the project. */
async function promptOfFix(loop: 'review' | 'debt' | 'testing', files: Files, breaks = BREAKS): Promise<string> {
  const project = makeProject({ files });
  const reviewed = `mkdir -p "$UMPIRE_SESSION/artifacts"; echo '{"review_score":9,"gc_signal":"CONVERGED","findings":[]}' > "$UMPIRE_SESSION/artifacts/review-results.json"`;
  const agent = project.sh(`case "$id" in
  DEV-001|TDFIX-001|TESTGEN-001) ${breaks};;
  FIX-1-1|TDFIX-fix-1|TESTGEN-fix-L1-1) printf '%s' "$prompt" > "$beside/fix.txt";;
esac
[ "$role" = reviewer ] && { ${reviewed}; }
complete done`);
  const mode = { review: 'sprint', debt: 'targeted', testing: 'targeted' }[loop];
  const { err } = await project.umpire(
    'run',
    loop,
    'make it faster',
    '--mode',
    mode,
    '--max-rounds',
    loop === 'review' ? '2' : '1',
    '--yes',
    ...agent,
  );
  expect(err).toMatch(/New tasks: (?:FIX-1-1|TDFIX-fix-1|TESTGEN-fix-L1-1)/);
  return readFileSync(join(project.beside, 'fix.txt'), 'utf8');
}

it('in review it names the failing tests, and blames the code, not the file of the test', async () => {
  const prompt = await promptOfFix('review', NODE);
  expect(prompt).toContain('Fix these review findings in the code under review and nothing else');
  expect(prompt).toContain('The test "costs" (test/cart.test.js:4) passed at the base and fails now');
  const failures = prompt.slice(prompt.indexOf('## What the last check found'));
  expect(failures).toContain('FAIL test/cart.test.js > costs (test/cart.test.js:4)\n');
  expect(failures).toContain('Expected values to be strictly equal:\n\n7 !== 6');
  expect(failures).toMatch(/\n\+ +cost: 3,\n- +cost: 2,\n/);
  expect(failures).toContain('The end of the output:\n');
  const messages = failures.slice(0, failures.indexOf('The end of the output'));
  expect(messages).not.toMatch(/^\s*at /m);
});

it('in debt, with pytest', SOAK, async () => {
  const prompt = await promptOfFix('debt', PYTHON);
  const failures = prompt.slice(prompt.indexOf('## What the last check found'));
  expect(failures).toContain('FAIL test.test_cart > pytest > test_costs (test/test_cart.py:4)\n');
  expect(failures).toContain('assert 7 == 6');
  expect(failures).toContain('counting');
});

it('in testing, where a new test fails', SOAK, async () => {
  const fails = `printf '%s\\n' "import assert from 'node:assert/strict';" "import { test } from 'node:test';" "import { cost } from '../src/cart.js';" "test('costs more', () => assert.equal(cost(2, 3), 7));" > test/new.test.js`;
  const prompt = await promptOfFix('testing', NODE, fails);
  const failures = prompt.slice(prompt.indexOf('## What the last check found'));
  expect(failures).toContain('FAIL costs more (test/new.test.js:4)\n');
  expect(failures).toContain('6 !== 7');
});

it('names why a file could not be loaded', SOAK, async () => {
  const prompt = await promptOfFix('review', NODE, "sed -i 's/const receipt/const bill/' src/cart.js");
  expect(prompt).toContain("does not provide an export named 'receipt'");
});
