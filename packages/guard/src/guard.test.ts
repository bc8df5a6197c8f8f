import { describe, expect, it } from 'vitest';
import type { FileChange, GuardInput } from './change.js';
import type { TestResult } from '@umpire/core/model.js';
import { KnownBefore, guard } from './guard.js';

const HEAD = "import { expect, it, vi } from 'vitest';\nimport { total } from './cart.js';\n\n";
const cart = (body: string, title = 'adds') => `${HEAD}it('${title}', async () => {\n  ${body}\n});\n`;

function change(before: string | null, after: string | null, more: readonly FileChange[] = []): GuardInput {
  return { change: { files: [{ path: 'src/cart.test.ts', before, after }, ...more] }, scope: 'testing', same: () => null };
}

const rulesOf = (input: GuardInput) => guard(input).findings.map(({ rule }) => rule);

describe('a finding', () => {
  it('says where, what it was and is, why it is a lie and what would be honest', () => {
    const before = cart('expect(total([1, 2])).toBe(3);');
    const after = cart('expect(total([1, 2])).toBeDefined();');
    const from = before.indexOf('expect(total');
    expect(guard(change(before, after))).toEqual({
      findings: [
        {
          rule: 'assertion-weakened',
          level: 'breach',
          group: 'assertions',
          severity: 'high',
          file: 'src/cart.test.ts',
          line: 5,
          message: 'A check lets more through than before: it asks for less than before.',
          honest: 'Ask for the same value as before.',
          before: { text: 'expect(total([1, 2])).toBe(3)', from, to: from + 29, line: 5 },
          after: { text: 'expect(total([1, 2])).toBeDefined()', from, to: from + 35, line: 5 },
          test: 'adds',
          fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
        },
      ],
      problems: [],
      rewritten: [],
    });
  });

  it('keeps its fingerprint when lines above it move', () => {
    const before = cart('expect(total([1, 2])).toBe(3);');
    const after = cart('expect(total([1, 2])).toBeDefined();');
    const [here] = guard(change(before, after)).findings;
    const [there] = guard(change(`// moved\n${before}`, `// moved\n\n${after}`)).findings;
    expect({ line: there?.line, fingerprint: there?.fingerprint }).toEqual({ line: 7, fingerprint: here?.fingerprint });
  });

  it('is told once a cause: a skipped test has no lost checks', () => {
    const before = cart('expect(total([1])).toBe(1);');
    expect(rulesOf(change(before, before.replace("it('adds'", "it.skip('adds'").replace('toBe(1)', 'toBeTruthy()')))).toEqual([
      'test-skipped',
    ]);
  });
});

describe('the same checks in other words', () => {
  it.each([
    ['another style', 'expect(total([1, 2])).toBe(3);', 'expect(total([1, 2]) === 3).toBe(true);'],
    ['a variable', 'expect(total([1, 2])).toBe(3);', 'const sum = total([1, 2]); expect(sum).toEqual(3);'],
    [
      'the whole instead of parts',
      "const c = total(1); expect(c.a).toBe('x'); expect(c.b).toBe('y');",
      "expect(total(1)).toEqual({ a: 'x', b: 'y' });",
    ],
    [
      'an error looked at',
      "await expect(total(1)).rejects.toThrow('no 1');",
      "const e = await total(1).catch((x) => x); expect(e.message).toBe('no 1');",
    ],
    ['a loop', 'expect(total([1])).toBe(1); expect(total([2])).toBe(2);', 'for (const n of [1, 2]) expect(total([n])).toBe(n);'],
  ])('%s', (_, before, after) => {
    expect(guard(change(cart(before), cart(after))).findings).toEqual([]);
  });

  it('under a new title, in another file', () => {
    const moved = change(cart('expect(total([1, 2])).toBe(3);'), null, [
      { path: 'src/sums.test.ts', before: null, after: cart('expect(total([1, 2])).toBe(3);', 'adds two numbers') },
    ]);
    expect(guard(moved).findings).toEqual([]);
  });
});

describe('what makes tests lie', () => {
  it.each([
    ['assertion-removed', 'expect(total([1])).toBe(1); expect(total([])).toBe(0);', 'expect(total([1])).toBe(1);'],
    ['test-emptied', 'expect(total([1])).toBe(1);', 'total([1]);'],
    ['assertion-tautological', 'expect(total([1])).toBe(1);', 'expect(total([1])).toBe(total([1]));'],
    ['assertion-swallowed', 'expect(total([1])).toBe(1);', 'try { expect(total([1])).toBe(1); } catch {}'],
    ['assertion-unreached', 'expect(total([1])).toBe(1);', 'if (process.env.FULL) expect(total([1])).toBe(1);'],
    ['assertion-unawaited', "await expect(total(1)).rejects.toThrow('no');", "expect(total(1)).rejects.toThrow('no');"],
    ['early-return', 'expect(total([1])).toBe(1);', 'if (process.version) return; expect(total([1])).toBe(1);'],
    [
      'unit-mocked',
      'expect(total([1])).toBe(1);',
      "const cart = { total }; vi.spyOn(cart, 'total').mockReturnValue(1); expect(cart.total([1])).toBe(1);",
    ],
    ['any-used', 'expect(total([1])).toBe(1);', 'expect(total([1] as any)).toBe(1);'],
  ])('%s', (rule, before, after) => {
    expect(rulesOf(change(cart(before), cart(after)))).toContain(rule);
  });

  it('deletes a test, unless another asks all that it asked', () => {
    const two = `${cart('expect(total([1])).toBe(1);', 'one')}it('two', () => {\n  expect(total([2])).toBe(2);\n});\n`;
    expect(rulesOf(change(two, cart('expect(total([1])).toBe(1);', 'one')))).toEqual(['test-deleted']);
    expect(rulesOf(change(two, cart('expect(total([1])).toBe(1); expect(total([2])).toBe(2);', 'both')))).toEqual([]);
  });

  it('rewrites a wanted value together with source: for a person', () => {
    const source: FileChange = { path: 'src/cart.ts', before: 'export const total = () => 1;', after: 'export const total = () => 2;' };
    const rewritten = change(cart('expect(total()).toBe(1);'), cart('expect(total()).toBe(2);'), [source]);
    expect(rulesOf({ ...rewritten, scope: 'any' })).toEqual(['rebaselined']);
    expect(rulesOf(rewritten)).toEqual(['rebaselined', 'source-changed']);
  });
});

describe('what the runner ran', () => {
  const id = 'src/cart.test.ts > adds';
  const result = (status: 'passed' | 'failed') => [{ id, status, file: 'src/cart.test.ts', line: null, message: null, durationMs: null }];

  it('lets a test that failed be corrected', () => {
    const corrected = change(cart('expect(total([0.1, 0.2])).toBe(0.3);'), cart('expect(total([0.1, 0.2])).toBeCloseTo(0.3, 2);'));
    expect(rulesOf(corrected)).toEqual(['assertion-weakened']);
    expect(rulesOf({ ...corrected, ran: { before: result('failed'), after: result('passed') } })).toEqual([]);
  });

  it('knows a test by its runs with parameters', () => {
    const [before, after] = ['== 0.3', '== pytest.approx(0.3, abs=0.01)'].map(
      (check) =>
        `import pytest\nfrom cart import total\n\n@pytest.mark.parametrize("n", NUMBERS)\ndef test_adds(n):\n    assert total(n) ${check}\n`,
    );
    const files = [{ path: 'test_cart.py', before: before ?? '', after: after ?? '' }];
    const ran = (name: string) => ({
      before: [{ ...(result('failed')[0] as TestResult), id: `test_cart.py > ${name}`, file: 'test_cart.py' }],
    });
    const corrected: GuardInput = { change: { files }, scope: 'testing', same: () => null };
    expect(rulesOf(corrected)).toEqual(['assertion-weakened']);
    expect(rulesOf({ ...corrected, ran: ran('test_adds[0.1-0.2]') })).toEqual([]);
    expect(rulesOf({ ...corrected, ran: ran('test_adds_up[0.1-0.2]') })).toEqual(['assertion-weakened']);
  });

  it('finds a test that stopped running though its code is there', () => {
    const same = change(cart('expect(total([1])).toBe(1);'), cart('expect(total([1])).toBe(1); // tidy'));
    expect(rulesOf({ ...same, ran: { before: result('passed'), after: [] } })).toEqual(['test-hidden']);
  });
});

it.each([
  ['Makefile', 'test:\n\tpytest\n', 'test:\n\tpytest || true\n', 'scripts-changed'],
  ['package.json', '{"scripts":{"test":"vitest"}}', '{"scripts":{"test":"true"}}', 'scripts-changed'],
  ['deno.json', '{"tasks":{"test":"deno test"}}', '{"tasks":{"test":"true"}}', 'scripts-changed'],
  ['deno.json', '{"test":{}}', '{"test":{"exclude":["a"]}}', 'config-changed'],
  ['pyproject.toml', '[a]\n[tool.poe.tasks]\ntest = "pytest"\n', '[a]\n[tool.poe.tasks]\ntest = "pytest -x"\n', 'scripts-changed'],
  ['pyproject.toml', '[tool.pytest]\nx = 1\n[tool.pdm.scripts]\n', '[tool.pytest]\nx = 2\n[tool.pdm.scripts]\n', 'config-changed'],
])('what %s runs and how is told apart: %j, then %j', (path, before, after, rule) => {
  expect(rulesOf({ change: { files: [{ path, before, after }] }, scope: 'any' })).toEqual([rule]);
});

it('finds the same in a part of a change whether the version before was read already or not', () => {
  const helper = (check: string) => `import { expect } from 'vitest';\nexport const isThree = (n: number) => expect(n).${check};\n`;
  const test = (check: string) => `${HEAD}import { isThree } from './check.js';\nit('adds', () => {\n  ${check};\n});\n`;
  const files = [
    { path: 'src/cart.test.ts', before: test('isThree(total([1, 2]))'), after: test('isThree(total([2, 1]))') },
    { path: 'src/check.ts', before: helper('toBe(3)'), after: helper('toBeDefined()') },
    { path: 'src/more.test.ts', before: cart('expect(total([1])).toBe(1);'), after: cart('expect(total([1])).toBeTruthy();') },
  ];
  const known = new KnownBefore();
  const whole: GuardInput = { change: { files }, scope: 'any', same: () => null };
  expect(guard(whole, known)).toEqual(guard(whole));
  for (const [index, file] of files.entries()) {
    const others = files.filter((_, at) => at !== index);
    const part: GuardInput = { ...whole, change: { files: others }, same: (path) => (path === file.path ? file.before : null) };
    expect(guard(part, known)).toEqual(guard(part));
  }
});

it('gives a problem, not an exception, for code that cannot be read', () => {
  const deep = `${HEAD}it('x', () => { expect(${'('.repeat(20_000)}1${')'.repeat(20_000)}).toBe(1); });`;
  const broken = guard(
    change(cart('expect(total([1])).toBe(1);'), "it('x', () => { expect(", [{ path: 'src/deep.test.ts', before: null, after: deep }]),
  );
  expect(broken.problems.map(({ file, message }) => [file, message.split(': ')[0]])).toEqual([
    ['src/cart.test.ts', 'Not readable as code'],
    ['src/deep.test.ts', 'Not readable as code'],
  ]);
});
