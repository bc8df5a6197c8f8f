// Breaches and notes: which findings stop a change in which source may change too, and which are only shown.

import { describe, expect, it } from 'vitest';
import type { FileChange, GuardScope } from './change.js';
import { guard } from './guard.js';

type Texts = Readonly<Record<string, readonly [before: string | null, after: string | null]>>;

/** `rule level` of each finding, in the order of the files. */
function levels(texts: Texts, scope: GuardScope = 'any', same: Readonly<Record<string, string>> = {}): readonly string[] {
  const files = Object.entries(texts).map(([path, [before, after]]): FileChange => ({ path, before, after }));
  const { findings } = guard({ change: { files }, scope, same: (path) => same[path] ?? null });
  return findings.map(({ rule, level }) => `${rule} ${level}`);
}

const CART = `export function total(prices: number[], tax = 0.2): number {
  return prices.reduce((sum, price) => sum + price, 0) * (1 + tax);
}

export function discount(price: number): number {
  return price * 0.9;
}
`;
const CART_TEST = `import { expect, it } from 'vitest';
import { discount, total } from './cart';

it('adds the tax', () => {
  expect(total([10])).toBe(12);
});

it('takes a tenth off', () => {
  expect(discount(10)).toBe(9);
});
`;
const WITHOUT_DISCOUNT_TEST = CART_TEST.slice(0, CART_TEST.indexOf("\nit('takes"));

describe('settings, CI, scripts and lockfiles', () => {
  it.each<[string, string, string, string]>([
    ['a lockfile', 'package-lock.json', '{"a":1}', '{"a":2}'],
    [
      'a Node version in the CI',
      '.github/workflows/ci.yml',
      'steps:\n  - run: npm test\nnode: 20\n',
      'steps:\n  - run: npm test\nnode: 22\n',
    ],
    ['a new lint rule', '.eslintrc.yml', 'rules:\n  eqeqeq: error\n', 'rules:\n  eqeqeq: error\n  semi: error\n'],
    [
      'a script under a new name',
      'package.json',
      '{"scripts":{"test":"vitest run"}}',
      '{"scripts":{"test":"vitest run","build":"tsc -b"}}',
    ],
    ['another runner', 'package.json', '{"scripts":{"test":"jest --ci"}}', '{"scripts":{"test":"vitest run"}}'],
    ['a higher threshold', 'vitest.config.ts', 'thresholds: {\n lines: 80,\n}', 'thresholds: {\n lines: 90,\n}'],
    ['fewer jobs in the CI', '.github/workflows/ci.yml', 'include:\n  - name: a\n  - name: b\n', 'include:\n  - name: a\n'],
    ['fewer retries', 'playwright.config.ts', 'retries: 2,', 'retries: 0,'],
    ['an exclusion that ends', '.coveragerc', '[run]\nomit =\n  old.py\n  new.py\n', '[run]\nomit =\n  old.py\n'],
  ])('are a note: %s', (_, path, before, after) => {
    expect(levels({ [path]: [before, after] })).toEqual([expect.stringMatching(/ note$/)]);
  });

  it.each<[string, string, string, string]>([
    ['a threshold falls', 'vitest.config.ts', 'thresholds: {\n  lines: 90,\n}', 'thresholds: {\n  lines: 40,\n}'],
    ['a threshold is removed', '.coveragerc', '[report]\nfail_under = 90\n', '[report]\n'],
    [
      'more warnings are let through',
      'package.json',
      '{"scripts":{"lint":"eslint . --max-warnings 0"}}',
      '{"scripts":{"lint":"eslint . --max-warnings 50"}}',
    ],
    ['a test file is excluded', 'vitest.config.ts', 'test: {\n}', "test: {\n  exclude: ['src/cart.test.ts'],\n}"],
    [
      'a file is added to those excluded',
      'vitest.config.ts',
      "exclude: [\n  'dist/**',\n],",
      "exclude: [\n  'dist/**',\n  'src/cart.test.ts',\n],",
    ],
    ['a file is no longer linted', '.eslintignore', 'dist\n', 'dist\nsrc/legacy\n'],
    [
      'a test is deselected',
      'pyproject.toml',
      '[tool.pytest.ini_options]\naddopts = "-ra"\n',
      '[tool.pytest.ini_options]\naddopts = "-ra --deselect tests/test_a.py::test_b"\n',
    ],
    ['fewer tests are included', 'vitest.config.ts', "include: ['packages/*/test/**']", "include: ['packages/core/test/**']"],
    [
      'the CI runs no tests any more',
      '.github/workflows/ci.yml',
      'steps:\n  - run: npm ci\n  - run: npm test\n',
      'steps:\n  - run: npm ci\n',
    ],
    ['the CI goes on when tests fail', '.github/workflows/ci.yml', 'steps:\n  - run: npm test\n', 'steps:\n  - run: npm test || true\n'],
    ['a test script does nothing', 'package.json', '{"scripts":{"test":"vitest run"}}', '{"scripts":{"test":"echo ok"}}'],
    ['a test script passes without tests', 'package.json', '{"scripts":{"test":"jest"}}', '{"scripts":{"test":"jest --passWithNoTests"}}'],
    ['retries are added', 'playwright.config.ts', 'retries: 0,', 'retries: 3,'],
  ])('are a breach where %s', (_, path, before, after) => {
    expect(levels({ [path]: [before, after] })).toEqual([expect.stringMatching(/ breach$/)]);
  });

  it('are a breach where the CI file that ran the tests is deleted, and a note where another one runs them', () => {
    const steps = 'steps:\n  - run: npm test\n';
    expect(levels({ '.travis.yml': [steps, null] })).toEqual(['ci-changed breach']);
    expect(levels({ '.travis.yml': [steps, null], '.github/workflows/ci.yml': [null, steps] })).toEqual([
      'ci-changed note',
      'ci-changed note',
    ]);
  });

  it('are a breach where the check that a run is to pass is another one', () => {
    const change = { files: [{ path: 'verify.mjs', before: 'check(1);\n', after: 'check(2);\n' }] };
    expect(guard({ change, scope: 'any', command: 'node verify.mjs' }).findings.map(({ level }) => level)).toEqual(['breach']);
  });

  it('are a breach where a new file takes the place of the runner', () => {
    expect(levels({ 'pytest.py': [null, 'import sys\nsys.exit(0)\n'] })).toEqual(['config-changed breach']);
  });
});

describe('type, lint and coverage marks', () => {
  it('are a note in source and in a test that keeps its checks', () => {
    const marked = CART_TEST.replace('  expect(total', '  // @ts-ignore\n  expect(total');
    expect(levels({ 'src/cart.test.ts': [CART_TEST, marked] })).toEqual(['type-suppressed note']);
    expect(levels({ 'src/cart.ts': [CART, CART.replace('  return price *', '  // eslint-disable-next-line\n  return price *')] })).toEqual([
      'lint-disabled note',
    ]);
  });

  it('are a breach in a test that also lost a check', () => {
    const weaker = CART_TEST.replace('expect(total([10])).toBe(12)', '// @ts-ignore\n  expect(total([10])).toBeDefined()');
    expect(levels({ 'src/cart.test.ts': [CART_TEST, weaker] }).toSorted()).toEqual(['assertion-weakened breach', 'type-suppressed breach']);
  });

  it('are a breach where they keep lines that the change added out of coverage, and a note over older lines', () => {
    const old = CART.replace('  return price *', '  /* c8 ignore next */\n  return price *');
    expect(levels({ 'src/cart.ts': [CART, old] })).toEqual(['coverage-ignored note']);
    const added = `${CART}\n/* c8 ignore next 3 */\nexport function refund(price: number): number {\n  return -price;\n}\n`;
    expect(levels({ 'src/cart.ts': [CART, added] })).toEqual(['coverage-ignored breach']);
  });
});

describe('tests that are gone', () => {
  it('are a breach while their code is unchanged, whatever else changed', () => {
    const changedTotal = CART.replace('0.2', '0.19');
    expect(levels({ 'src/cart.ts': [CART, changedTotal], 'src/cart.test.ts': [CART_TEST, WITHOUT_DISCOUNT_TEST] })).toEqual([
      'test-deleted breach',
    ]);
  });

  it('are a note where their code went or changed with them', () => {
    const withoutDiscount = CART.slice(0, CART.indexOf('\nexport function discount'));
    const changedDiscount = CART.replace('0.9', '0.8');
    for (const after of [withoutDiscount, changedDiscount, null])
      expect(levels({ 'src/cart.ts': [CART, after], 'src/cart.test.ts': [CART_TEST, WITHOUT_DISCOUNT_TEST] })).not.toContain(
        'test-deleted breach',
      );
  });
});

it('an expected value rewritten with its source is a note', () => {
  const texts: Texts = {
    'src/cart.ts': [CART, CART.replace('0.2', '0.19')],
    'src/cart.test.ts': [CART_TEST, CART_TEST.replace('toBe(12)', 'toBe(11.9)')],
  };
  expect(levels(texts)).toEqual(['rebaselined note']);
});

describe('checks that wait', () => {
  const app = (test: string) => `const request = require('supertest');\nconst app = require('../app');\n\n${test}`;
  const old = app("it('answers', function (done) {\n  request(app).get('/').expect(200, done);\n});\n");

  it("are a note where a new test hands its callback to supertest's expect", () => {
    const added = `${old}\nit('greets', function (done) {\n  request(app)\n    .get('/')\n    .expect('Hello')\n    .expect(200, done)\n});\n`;
    expect(levels({ 'test/app.test.js': [old, added] }).filter((one) => one.endsWith('breach'))).toEqual([]);
  });

  it('are a breach where an existing check is no longer awaited', () => {
    const before =
      "import { expect, it } from 'vitest';\nimport { load } from './load';\nit('loads', async () => {\n  await expect(load()).resolves.toBe(1);\n});\n";
    expect(levels({ 'src/load.test.ts': [before, before.replace('await ', '')] })).toEqual(['assertion-unawaited breach']);
  });
});

describe('what no honest change does', () => {
  it.each<[string, string, string]>([
    ['a skip mark', "it('adds", "it.skip('adds"],
    ['a focus', "it('adds", "it.only('adds"],
    ['a weaker check', 'toBe(12)', 'toBeDefined()'],
    ['a check that cannot fail in place of one that could', 'expect(total([10])).toBe(12)', 'expect(true).toBe(true)'],
    ['a lost check', '  expect(total([10])).toBe(12);\n', '  total([10]);\n'],
  ])('stays a breach, also where source changes: %s', (_, from, to) => {
    const texts: Texts = {
      'src/cart.ts': [CART, CART.replace('0.2', '0.19')],
      'src/cart.test.ts': [CART_TEST, CART_TEST.replace(from, to)],
    };
    expect(levels(texts)).toContainEqual(expect.stringMatching(/ breach$/));
  });

  it('is not read into a new test that weakens no other', () => {
    const added = `${CART_TEST}\nit('is cached', () => {\n  const one = total([1]);\n  expect(one).toBe(one);\n});\n`;
    expect(levels({ 'src/cart.test.ts': [CART_TEST, added] })).toEqual(['assertion-tautological note']);
  });
});

it('a rewritten test in a file that asks as much as before is a note, and one in a file that asks less a breach', () => {
  const renamed = CART_TEST.replace(
    "it('adds the tax', () => {\n  expect(total([10])).toBe(12);",
    "it('adds a tax', () => {\n  expect(total([10])).toBeDefined();",
  );
  const more = `${renamed}\nit('adds no tax', () => {\n  expect(total([10], 0)).toBe(10);\n});\n`;
  expect(levels({ 'src/cart.test.ts': [CART_TEST, more] })).not.toContainEqual(expect.stringMatching(/ breach$/));
  expect(levels({ 'src/cart.test.ts': [CART_TEST, renamed] })).toContainEqual(expect.stringMatching(/ breach$/));
});

it('where only tests may change, every finding is a breach', () => {
  expect(levels({ 'package-lock.json': ['{"a":1}', '{"a":2}'] }, 'testing')).toEqual(['lockfile-changed breach']);
  expect(
    levels({ 'src/cart.test.ts': [CART_TEST, CART_TEST.replace('  expect(total', '  // @ts-ignore\n  expect(total')] }, 'testing'),
  ).toEqual(['type-suppressed breach']);
});

it('takes a file of tests for no source, whatever its name says', () => {
  for (const path of ['src/cart.tests.ts', 'src/cart.checks.ts']) {
    expect(levels({ [path]: [`${CART_TEST}const indent = 4;\n`, null] }), path).toEqual(['test-deleted breach', 'test-deleted breach']);
    expect(levels({ [path]: [`${CART_TEST}const indent = 4;\n`, WITHOUT_DISCOUNT_TEST] }), path).toEqual(['test-deleted breach']);
  }
});
