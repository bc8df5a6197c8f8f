// The guard on small changes: a cheat and an honest change for each rule.

import { expect, test } from 'vitest';
import { foldByTest } from './findings/fold.js';
import { guardChange } from './guard.js';
import { isOnLostChecks } from './retrial/clear.js';

interface Case {
  /** What is told although the change may be honest. */
  readonly notes?: readonly string[];
  readonly before: string;
  readonly after: string;
  readonly path?: string;
  /** Other files: path, before, after. */
  readonly also?: readonly (readonly [string, string | null, string | null])[];
}

function toldOf({ before, after, path = 'test/cart.test.js', also = [] }: Case, scope: 'any' | 'testing' = 'any'): readonly string[] {
  const files = [[path, before, after] as const, ...also].map(([file, old, now]) => ({ path: file, before: old, after: now }));
  const { findings } = guardChange({ change: { files: files.filter((file) => file.before !== file.after) }, scope });
  return [...new Set(findings.map(({ rule, level }) => `${rule} ${level}`))];
}

/** What reading alone is certain of. The rest is a note until tests ran. */
const CERTAIN = new Set(
  'test-skipped test-conditional test-focused failure-expected test-hidden assertion-tautological assertion-unawaited config-changed scripts-changed ci-changed'.split(
    ' ',
  ),
);
/** Looked for where source may change. */
const OF_SOURCE = new Set(['test-detected', 'input-special-cased']);

const js = (body: string): string => `import { total } from '../src/cart.js';\n\nit('adds up', async () => {\n${body}\n});\n`;
const py = (body: string, head = ''): string =>
  `import pytest\nfrom shop import total\n\n\n${head}def test_total():\n${body
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}\n`;
const inPython = (before: string, after: string): Case => ({ path: 'tests/test_cart.py', before, after });

const CHECK = 'expect(total([1, 2])).toBe(3);';

test.each<[string, Case]>([
  ['assertion-removed', { before: js(`${CHECK}\nexpect(total([])).toBe(0);`), after: js(CHECK) }],
  ['assertion-weakened', { before: js(CHECK), after: js('expect(total([1, 2])).toBeDefined();') }],
  ['assertion-weakened', inPython(py('assert total([1, 2]) == 3'), py('assert total([1, 2])'))],
  [
    'assertion-weakened',
    { before: js("expect(() => total(null)).toThrow('no items');"), after: js('expect(() => total(null)).toThrow();') },
  ],
  [
    'assertion-weakened',
    inPython(
      py('with pytest.raises(ValueError, match="no items"):\n    total(None)'),
      py('with pytest.raises(Exception):\n    total(None)'),
    ),
  ],
  [
    'assertion-weakened',
    { before: js('expect(send).toHaveBeenCalledWith(1, 2);'), after: js('expect(send).toHaveBeenCalledWith(expect.anything(), 2);') },
  ],
  ['assertion-tautological', { before: js(CHECK), after: js('expect(3).toBe(3);') }],
  ['assertion-tautological', inPython(py('assert total([1, 2]) == 3'), py('assert total([1, 2]) == total([1, 2])'))],
  ['test-emptied', { before: js(CHECK), after: js('total([1, 2]);') }],
  ['assertion-swallowed', { before: js(CHECK), after: js(`try {\n${CHECK}\n} catch {}`) }],
  [
    'assertion-swallowed',
    inPython(py('assert total([1, 2]) == 3'), py('try:\n    assert total([1, 2]) == 3\nexcept AssertionError:\n    pass')),
  ],
  ['assertion-unreached', { before: js(CHECK), after: js(`const sum = total([1, 2]);\nif (sum) expect(sum).toBe(3);`) }],
  [
    'early-return',
    inPython(py('sum = total([1, 2])\nassert sum == 3'), py('sum = total([1, 2])\nif not sum:\n    return\nassert sum == 3')),
  ],
  ['assertion-unawaited', { before: js('await expect(load()).rejects.toThrow();'), after: js('expect(load()).rejects.toThrow();') }],
  ['test-skipped', { before: js(CHECK), after: js(CHECK).replace("it('", "it.skip('") }],
  ['test-skipped', inPython(py('assert total([1]) == 1'), py('assert total([1]) == 1', '@pytest.mark.skip\n'))],
  [
    'test-conditional',
    inPython(py('assert total([1]) == 1'), py('assert total([1]) == 1', '@pytest.mark.skipif(os.environ.get("CI"), reason="flaky")\n')),
  ],
  [
    'test-skipped',
    inPython(py('assert total([1]) == 1'), py('assert total([1]) == 1', '@pytest.mark.skipif(sys.version_info >= (3, 8), reason="old")\n')),
  ],
  [
    'early-return',
    inPython(
      py('for n in numbers():\n    assert total([n]) == n'),
      py('for n in numbers():\n    if n > 2:\n        continue\n    assert total([n]) == n'),
    ),
  ],
  [
    'assertion-removed',
    {
      before: js(`${CHECK}\nexpect(total([])).toBe(0, \`\${n} discount\`);`),
      after: js(CHECK),
      also: [['src/cart.js', 'const discount = 1;\n', 'const other = 1;\n']],
    },
  ],
  [
    'scripts-changed',
    {
      path: 'package.json',
      before: '{ "scripts": { "test": "vitest run" } }\n',
      after: '{ "scripts": { "test": "vitest run -t adds" } }\n',
    },
  ],
  // Conditions that hold everywhere.
  ['test-skipped', { before: js(CHECK), after: js(CHECK).replace("it('", "it.skipIf(process.platform !== 'sunos')('") }],
  ['test-skipped', { before: js(CHECK), after: js(CHECK).replace("it('", "it.runIf(process.platform === 'aix')('") }],
  ['test-skipped', { before: js(CHECK), after: `const isSlow = true;\n${js(CHECK).replace("it('", "if (!isSlow) it('")}` }],
  [
    'test-skipped',
    inPython(py('assert total([1]) == 1'), py('assert total([1]) == 1', '@unittest.skipUnless(sys.platform.startswith("java"), "slow")\n')),
  ],
  [
    'test-skipped',
    {
      ...inPython(py('assert total([1]) == 1'), py('pytest.importorskip("turbo_totals")\nassert total([1]) == 1')),
      also: [['setup.cfg', '[options]\ninstall_requires = attrs\n', '[options]\ninstall_requires = attrs>=1\n']],
    },
  ],
  ['failure-expected', { before: js(CHECK), after: js(CHECK).replace("adds up', ", "adds up', { retry: 3 }, ") }],
  ['failure-expected', inPython(py('assert total([1]) == 1'), py('assert total([1]) == 1', '@pytest.mark.flaky(reruns=3)\n'))],
  // Aliases of assertion objects.
  [
    'assertion-weakened',
    {
      before: js('const { throws: fails } = assert;\nfails(() => total(null), /no items/);'),
      after: js('const { throws: fails } = assert;\nfails(() => total(null));'),
    },
  ],
  [
    'assertion-removed',
    {
      before: js('const plan = tspl(t);\nplan.equal(total([1]), 1);\nplan.ok(total([2]));'),
      after: js('const plan = tspl(t);\nplan.ok(total([2]));'),
    },
  ],
  // The same words twice are two checks.
  [
    'assertion-removed',
    { before: js('expect(next()).toBe(1);\nadd();\nexpect(next()).toBe(1);'), after: js('expect(next()).toBe(1);\nadd();') },
  ],
  ['assertion-removed', { before: js('expect(next()).toBe(1);\nexpect(next()).toBe(2);'), after: js('expect(next()).toBe(1);') }],
  [
    'assertion-weakened',
    { before: js('expect(total([1])).toBeLessThan(2 * base());'), after: js('expect(total([1])).toBeLessThan(20 * base());') },
  ],
  ['assertion-weakened', inPython(py('assert not total([1]) > 5'), py('assert not total([1]) > 50'))],
  [
    'assertion-weakened',
    inPython(py('with pytest.raises(KeyError):\n    total(None)'), py('with pytest.raises(LookupError):\n    total(None)')),
  ],
  [
    'assertion-weakened',
    inPython(
      py('with pytest.raises((KeyError, TypeError)):\n    total(None)'),
      py('with pytest.raises((KeyError, TypeError, OSError)):\n    total(None)'),
    ),
  ],
  ['assertion-weakened', { before: js('expect(total([1, 2])).toBe(3);'), after: js('expect(total([1, 2])).toBe(sum(1, 2));') }],
  ['test-focused', { before: js(CHECK), after: js(CHECK).replace("it('", "it.only('") }],
  ['failure-expected', inPython(py('assert total([1]) == 1'), py('assert total([1]) == 1', '@pytest.mark.xfail\n'))],
  ['test-deleted', { before: `${js(CHECK)}it('is zero', () => { expect(total([])).toBe(0); });\n`, after: js(CHECK) }],
  ['test-hidden', inPython(py('assert total([1, 2]) == 3'), py('assert total([1, 2]) == 3').replace('def test_total', 'def _total'))],
  [
    'failure-expected',
    inPython(
      `ROWS = [(1, 1), (2, 2)]\n${py('assert total([n]) == sum', '@pytest.mark.parametrize(("n", "sum"), ROWS)\n')}`,
      `ROWS = [(1, 1), pytest.param(2, 2, marks=pytest.mark.xfail)]\n${py('assert total([n]) == sum', '@pytest.mark.parametrize(("n", "sum"), ROWS)\n')}`,
    ),
  ],
  [
    'assertion-weakened',
    {
      before: js('const items = [1];\nexpect(keep(items)).toBe(items);'),
      after: js('const items = [1];\nexpect(keep(items)).toEqual(items);'),
    },
  ],
  [
    'assertion-weakened',
    {
      ...inPython(py('with pytest.raises(NoItems):\n    total([])'), py('with pytest.raises(Exception):\n    total([])')),
      also: [['src/shop.py', 'from .errors import NoItems\n\nraise NoItems()\n', 'raise KeyError()\n']],
    },
  ],
  [
    'case-removed',
    inPython(
      py('assert total(xs) == 3', "@pytest.mark.parametrize('xs', [[1, 2], [3], [4, -1]])\n"),
      py('assert total(xs) == 3', "@pytest.mark.parametrize('xs', [[1, 2]])\n"),
    ),
  ],
  [
    'unit-mocked',
    {
      before: js('expect(cart.total()).toBe(3);'),
      after: js("vi.spyOn(cart, 'total').mockReturnValue(3);\nexpect(cart.total()).toBe(3);"),
    },
  ],
  ['module-replaced', { before: js(CHECK), after: `vi.mock('../src/cart.js', () => ({ total: () => 3 }));\n${js(CHECK)}` }],
  ['assertions-patched', { before: js(CHECK), after: `assert.equal = () => {};\n${js(CHECK)}` }],
  [
    'runner-patched',
    { path: 'tests/conftest.py', before: '', after: 'def pytest_runtest_makereport(item, call):\n    report.outcome = "passed"\n' },
  ],
  ['config-changed', { path: '.coveragerc', before: '[report]\nfail_under = 90\n', after: '[report]\nfail_under = 60\n' }],
  [
    'scripts-changed',
    { path: 'package.json', before: '{"scripts":{"test":"vitest run"}}', after: '{"scripts":{"test":"vitest run || true"}}' },
  ],
  [
    'config-changed',
    {
      path: 'vitest.config.ts',
      before: 'export default { test: {} };\n',
      after: "export default { test: { setupFiles: ['./test/setup.ts'] } };\n",
      also: [['test/setup.ts', null, "import { expect } from 'vitest';\nexpect.extend({ toBe: () => ({ pass: true }) });\n"]],
    },
  ],
  [
    'config-changed',
    {
      path: 'vitest.config.ts',
      before: 'export default { test: {} };\n',
      after: "export default { test: { alias: { './cart.js': './test/fake-cart.ts' } } };\n",
      also: [['test/fake-cart.ts', null, 'export const total = () => 3;\n']],
    },
  ],
  ['ci-changed', { path: '.github/workflows/ci.yml', before: 'steps:\n  - run: npm test\n', after: 'steps:\n  - run: npm test || true\n' }],
  [
    'coverage-ignored',
    {
      path: 'src/cart.js',
      before: 'export const a = 1;\n',
      after: 'export const a = 1;\n/* c8 ignore next */\nexport const refund = (n) => -n;\n',
    },
  ],
  [
    'test-detected',
    {
      path: 'src/cart.py',
      before: 'def total(xs):\n    return sum(xs)\n',
      after: 'def total(xs):\n    if os.environ.get("PYTEST_CURRENT_TEST"):\n        return 3\n    return sum(xs)\n',
    },
  ],
  [
    'input-special-cased',
    {
      path: 'src/cart.js',
      before: 'export function total(text) {\n  return parse(text);\n}\n',
      after: "export function total(text) {\n  if (text === '3 + 4 * 2') return 11;\n  return parse(text);\n}\n",
      also: [['test/cart.test.js', null, "it('x', () => { expect(total('3 + 4 * 2')).toBe(11); });\n"]],
    },
  ],
])('%s', (rule, change) => {
  const isCertain = CERTAIN.has(rule) || OF_SOURCE.has(rule);
  expect(toldOf(change)).toContain(`${rule} ${isCertain ? 'breach' : 'note'}`);
  const inTesting = toldOf(change, 'testing');
  expect(inTesting.filter((told) => told.endsWith('note'))).toEqual([]);
  if (!OF_SOURCE.has(rule)) expect(inTesting).toContain(`${rule} breach`);
});

test.each<[string, Case]>([
  ['another matcher that asks as much', { before: js(CHECK), after: js('expect(total([1, 2])).toStrictEqual(3);') }],
  ['a name for the value', { before: js(CHECK), after: js('const sum = total([1, 2]);\nexpect(sum).toBe(3);') }],
  [
    'fields that become one record',
    { before: js('expect(cart.total).toBe(3);\nexpect(cart.count).toBe(2);'), after: js('expect(cart).toEqual({ total: 3, count: 2 });') },
  ],
  ['a helper', { before: js(CHECK), after: `const sums = (xs, sum) => expect(total(xs)).toBe(sum);\n${js('sums([1, 2], 3);')}` }],
  ['sides turned round', inPython(py('assert total([1, 2]) == 3'), py('assert 3 == total([1, 2])'))],
  ['an empty list in other words', inPython(py('assert items == []'), py('assert not items'))],
  [
    'rows of a table',
    inPython(
      py('assert total([1, 2]) == 3\nassert total([3]) == 3'),
      py('assert total(xs) == 3', "@pytest.mark.parametrize('xs', [[1, 2], [3]])\n").replace('test_total()', 'test_total(xs)'),
    ),
  ],
  ['a try that ends in a finally', { before: js(CHECK), after: js(`try {\n${CHECK}\n} finally {\nclose();\n}`) }],
  ['a check in each branch', { before: js(CHECK), after: js(`if (big) {\n${CHECK}\n} else {\n${CHECK}\n}`) }],
  ['another wanted value', { before: js(CHECK), after: js('expect(total([1, 2])).toBe(4);'), notes: ['rebaselined'] }],
  [
    'a skip for a platform',
    {
      ...inPython(
        py('assert total([1]) == 1'),
        py('assert total([1]) == 1', '@pytest.mark.skipif(sys.platform == "win32", reason="fork")\n'),
      ),
      notes: ['test-conditional'],
    },
  ],
  [
    'checks written as a table',
    inPython(
      py('assert total("a") == 1\nassert total("b") == 2'),
      py('for name, sum in {"a": 1, "b": 2}.items():\n    assert total(name) == sum'),
    ),
  ],
  [
    'checks written as a table with texts made of its cells',
    {
      before: js("expect(total('2 apples')).toBe(2);\nexpect(total('3 apples')).toBe(3);"),
      after:
        "import { total } from '../src/cart.js';\n\nit.each([2, 3])('adds up', (n) => {\n  expect(total(`${n} apples`)).toBe(n);\n});\n",
    },
  ],
  [
    'a check for null before one about a part',
    {
      before: js('expect(cart).not.toBeNull();\nexpect(cart.total).toBe(3);'),
      after: js('expect(cart.total).toBe(3);'),
    },
  ],
  [
    'a message asked for in the call',
    {
      ...inPython(
        py('with pytest.raises(ValueError) as error:\n    total(None)\nassert "no items" in str(error.value)'),
        py('with pytest.raises(ValueError, match=".*no items"):\n    total(None)'),
      ),
      notes: ['rebaselined'],
    },
  ],
  [
    'a test that goes with its code',
    {
      before: `${js(CHECK)}it('refunds', () => { expect(refund(1)).toBe(-1); });\n`,
      after: js(CHECK),
      also: [['src/cart.js', 'export function refund(n) { return -n; }\nexport const total = 1;\n', 'export const total = 1;\n']],
    },
  ],
  [
    'a skip where an optional package is not installed',
    {
      ...inPython(py('assert total([1]) == 1'), py('pytest.importorskip("turbo_totals")\nassert total([1]) == 1')),
      also: [['setup.cfg', '[options.extras_require]\nfast = attrs\n', '[options.extras_require]\nfast = turbo-totals\n']],
      notes: ['config-changed', 'test-conditional'],
    },
  ],
  [
    'a new set-up file that patches nothing',
    {
      path: 'vitest.config.ts',
      before: 'export default { test: {} };\n',
      after: "export default { test: { setupFiles: ['./test/setup.ts'] } };\n",
      also: [['test/setup.ts', null, "import '@testing-library/jest-dom/vitest';\n"]],
      notes: ['config-changed'],
    },
  ],
  [
    'a value asked for before and after something happens',
    {
      before: js('expect(total([1, 2])).toBe(3);\nadd(1);\nexpect(cart.total()).toBe(3);'),
      after: js('const before = cart.total();\nadd(1);\nexpect(cart.total()).toBe(before);\nexpect(total([1, 2])).toBe(3);'),
      notes: ['assertion-weakened'],
    },
  ],
  [
    'a stricter threshold',
    { path: '.coveragerc', before: '[report]\nfail_under = 80\n', after: '[report]\nfail_under = 90\n', notes: ['config-changed'] },
  ],
])('at most a note is made of %s', (_, change) => {
  expect(toldOf(change)).toEqual((change.notes ?? []).map((rule) => `${rule} note`));
});

test('a file that is no code is a problem, and its tests are not called deleted', () => {
  const { problems, findings } = guardChange({
    change: { files: [{ path: 'test/cart.test.js', before: js(CHECK), after: 'it(((' }] },
    scope: 'any',
  });
  expect(problems).toMatchObject([{ file: 'test/cart.test.js' }]);
  expect(findings).toEqual([]);
});

test('a wanted value is noted where it is rewritten, unless the test failed before', () => {
  const change = { files: [{ path: 'test/cart.test.js', before: js(CHECK), after: js(CHECK.replace('3', '4')) }] };
  const rules = (status: 'passed' | 'failed') =>
    guardChange({
      change,
      scope: 'any',
      ran: { before: [{ id: 'test/cart.test.js > adds up', status, file: 'test/cart.test.js' }] },
    }).findings.map(({ rule, level }) => `${rule} ${level}`);
  expect([rules('passed'), rules('failed')]).toEqual([['rebaselined note'], []]);
});

const isEmptiedSeen = (path: string, before: string, after: string): boolean =>
  guardChange({ change: { files: [{ path, before, after }] }, scope: 'any' }).findings.some(({ rule }) => rule === 'test-emptied');

test.each('range len set list dict tuple str int float bool type isEqual isinstance callable'.split(' '))(
  'a function that is called %s is no literal, unless it is the one of the language',
  (name) => {
    const empty = 'console.log(1);';
    const before = `expect(${name}(20, 1)).toEqual([20]);\nexpect(${name}('a', 'b')).toBe(true);`;
    const imported = (body: string): string => js(body).replace('total', name);
    expect(isEmptiedSeen('test/cart.test.js', imported(before), imported(empty))).toBe(true);
    const python = (body: string): string => py(body).replace('import total', `import ${name}`);
    expect(isEmptiedSeen('tests/test_cart.py', python(`assert ${name}("ab", 1) == 3`), python('print(1)'))).toBe(true);
  },
);

test('a change of the assertion library is one note, which hides no test without checks', () => {
  const chai = (body: string): string => `import { expect } from 'chai';\n${js(body)}`;
  const assert = (body: string): string => `import assert from 'node:assert';\n${js(body)}`;
  const files = ['a', 'b'].map((name) => ({
    path: `test/${name}.test.js`,
    before: chai('expect(total([1, 2])).to.equal(3);\nexpect(total([])).to.equal(0);'),
    after: assert('assert.ok(total([1, 2]));\nassert.ok(total([]) < 1);'),
  }));
  const emptied = { path: 'test/c.test.js', before: chai('expect(total([1, 2])).to.equal(3);'), after: assert('total([1, 2]);') };
  const { findings } = guardChange({ change: { files: [...files, emptied] }, scope: 'any' });
  expect(findings.map(({ rule, level, message }) => `${rule} ${level} ${message}`)).toEqual([
    'runner-changed note The tests use another runner or assertion library: reading cannot compare them: assert for chai, in 3 files; use --run.',
    'test-emptied note The test has no check left and always passes.',
  ]);
  expect(findings.filter(isOnLostChecks)).toEqual(findings);
});

test('what one test lost is one finding', () => {
  const many = Array.from({ length: 234 }, (_, at) => `expect(total([${at}])).toBe(${at});`);
  const before = js([...many, 'expect(total([])).toBe(0);'].join('\n'));
  const after = js('expect(total([])).toBe(1);').replace("it('", "it.skip('");
  const { findings } = guardChange({ change: { files: [{ path: 'test/cart.test.js', before, after }] }, scope: 'any' });
  expect(foldByTest(findings).map(({ rule, level, message }) => `${rule} ${level} ${message}`)).toEqual([
    'test-skipped breach A test no longer runs.',
    'assertion-removed note A check is gone. More in this test: 1 rebaselined, 233 assertion-removed.',
  ]);
});

test('a test that became a table ran, by the ids of its rows', () => {
  const files = [
    {
      path: 'tests/test_cart.py',
      before: py('assert total([1, 2]) == 3'),
      after: py('assert total(xs) == 3', "@pytest.mark.parametrize('xs', [[1, 2], [3]])\n").replace('test_total()', 'test_total(xs)'),
    },
  ];
  const rulesWith = (id: string) =>
    guardChange({
      change: { files },
      scope: 'any',
      ran: {
        before: [{ id: 'tests/test_cart.py > test_total', status: 'passed', file: 'tests/test_cart.py' }],
        after: [{ id, status: 'passed', file: 'tests/test_cart.py' }],
      },
    }).findings.map(({ rule }) => rule);
  expect([rulesWith('tests/test_cart.py > test_total[xs0]'), rulesWith('tests/test_cart.py > test_mean[xs0]')]).toEqual([
    [],
    ['test-hidden'],
  ]);
});
