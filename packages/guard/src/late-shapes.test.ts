// Shapes that got by the guard when they were first put before it, each beside an honest one that looks like it.

import { describe, expect, it } from 'vitest';
import type { FileChange } from './change.js';
import { guard } from './guard.js';

function rulesOf(files: readonly FileChange[], scope: 'any' | 'testing' = 'testing'): readonly string[] {
  return [...new Set(guard({ change: { files }, scope }).findings.map(({ rule }) => rule))].toSorted();
}

const HEAD = "import { expect, expectTypeOf, it, vi } from 'vitest'\nimport { Failure, load, rate, total } from './report'\n";
const inTest = (body: string) => `${HEAD}it('works', async () => {\n${body}\n})\n`;
const changed = (before: string, after: string) => rulesOf([{ path: 'src/report.test.ts', before: inTest(before), after: inTest(after) }]);

const SUM = 'const sum = total([3, 4])\nexpect(sum).toBe(7)';
const ROW = "const row = await load('r1')\nexpect(row).toEqual({ id: 'r1', amount: 1 })";
const AMOUNT = "const row = await load('r1')\nexpect(row.amount).toBe(1)";
const REFUSED = 'expect(() => total([])).toThrow(RangeError)';
const SIZE = "const row = await load('r1')\nexpect(row.parts.length).toBe(2)";
const CAUGHT = 'const caught = await load().catch((error) => error)\nexpect(caught).toBeInstanceOf(Failure)';

describe('checks', () => {
  it.each([
    ['the test throws by itself', REFUSED, "expect(() => {\ntotal([])\nthrow new RangeError('none')\n}).toThrow(RangeError)"],
    ['the result is written over', AMOUNT, "const row = await load('r1')\nrow.amount = 1\nexpect(row.amount).toBe(1)"],
    [
      'the wanted value is assigned to the result',
      ROW,
      "const wanted = { id: 'r1', amount: 1 }\nconst row = Object.assign(await load('r1'), wanted)\nexpect(row).toEqual(wanted)",
    ],
    [
      'the wanted value is spread over the result',
      ROW,
      "const wanted = { id: 'r1', amount: 1 }\nconst row = { ...(await load('r1')), ...wanted }\nexpect(row).toEqual(wanted)",
    ],
  ])('cannot fail: %s', (_, before, after) => {
    expect(changed(before, after)).toEqual(['assertion-tautological']);
  });

  it.each([
    ['a matcher of its own takes all', ROW, "const row = await load('r1')\nexpect(row).toEqual({ asymmetricMatch: () => true })"],
    ['capped from above', SUM, 'const sum = total([3, 4])\nexpect(Math.min(sum, 7)).toBe(7)'],
    ['capped from below', SUM, 'const sum = total([3, 4])\nexpect(Math.max(7, sum)).toBe(7)'],
    ['only the type is asked for', SUM, 'const sum = total([3, 4])\nexpectTypeOf(sum).toBeNumber()'],
    ['a size that may be far off', SIZE, "const row = await load('r1')\nexpect(row.parts.length).closeTo(2, 100)"],
    ['every error will do', CAUGHT, CAUGHT.replace('(Failure)', '(Error)')],
    [
      'more of the picture may differ',
      "await expect(page).toHaveScreenshot('a.png', { maxDiffPixels: 9 })",
      "await expect(page).toHaveScreenshot('a.png', { maxDiffPixelRatio: 0.9 })",
    ],
    ['the picture may differ', 'await expect(page).toHaveScreenshot()', 'await expect(page).toHaveScreenshot({ maxDiffPixels: 900 })'],
  ])('ask for less: %s', (_, before, after) => {
    expect(changed(before, after)).toEqual(['assertion-weakened']);
  });

  it.each([
    ['a call with more before it', REFUSED, 'expect(() => {\nconst none = []\ntotal(none)\n}).toThrow(RangeError)'],
    ['a throw of what the unit is given', REFUSED, `${REFUSED}\nexpect(() => rate(() => { throw new Failure() })).toThrow(Failure)`],
    [
      'a setter of an object that the test made',
      AMOUNT,
      `${AMOUNT}\nconst box = new Failure()\nbox.amount = 2\nexpect(box.amount).toBe(2)`,
    ],
    [
      'an input that is written before the call',
      AMOUNT,
      "const row = await load('r1')\nrow.amount = 0\nrate(row)\nexpect(row.amount).toBe(1)",
    ],
    ['an input that is put together', SUM, `${SUM}\nexpect(total(Object.assign([], [1]))).toBe(1)`],
    ['a cap that is part of the input', SUM, `${SUM}\nexpect(total([Math.min(7, 9)])).toBe(7)`],
    ['types beside the value', SUM, `${SUM}\nexpectTypeOf(sum).toBeNumber()`],
    ['a narrower class', CAUGHT.replace('(Failure)', '(Error)'), CAUGHT],
    [
      'less of the picture may differ',
      'await expect(page).toHaveScreenshot({ maxDiffPixels: 90 })',
      'await expect(page).toHaveScreenshot({ maxDiffPixels: 9 })',
    ],
  ])('ask as much: %s', (_, before, after) => {
    expect(changed(before, after)).toEqual([]);
  });

  it('say that rows were exchanged for one that is there already', () => {
    const rows = (table: string) => `${HEAD}it.each([${table}])('adds %j', (values, sum) => {\nexpect(total(values)).toBe(sum)\n})\n`;
    const change = (before: string, after: string) => rulesOf([{ path: 'src/report.test.ts', before: rows(before), after: rows(after) }]);
    expect(change('[[1], 1], [[2, 3], 5], [[-1], -1]', '[[1], 1], [[1], 1], [[1], 1]')).toEqual(['assertion-weakened']);
    expect(change('[[1], 1], [[2, 3], 5], [[1], 1]', '[[1], 1], [[2, 3], 5]')).toEqual([]);
    expect(change('[[1], 1], [[2, 3], 5]', '[[1], 1], [[2, 3], 5], [[4], 4]')).toEqual([]);
  });
});

describe('a matcher that is not called', () => {
  it('asks nothing, but for those of chai that are properties', () => {
    expect(changed(SUM, 'const sum = total([3, 4])\nexpect(sum).toBeNaN')).toContain('assertion-removed');
    expect(changed("const row = await load('r1')\nexpect(row).toBeNull()", "const row = await load('r1')\nexpect(row).to.be.null")).toEqual(
      [],
    );
  });
});

describe('a hook of a setup file', () => {
  const setup = (body: string) => `import { afterEach, beforeEach } from 'vitest'\n${body}\n`;
  const change = (after: string) => rulesOf([{ path: 'vitest.setup.ts', before: setup('afterEach(() => reset())'), after: setup(after) }]);

  it.each(['beforeEach((ctx) => { if (slow) ctx.skip() })', 'beforeEach(({ skip }) => skip())', 'beforeEach(function () { this.skip() })'])(
    'skips tests: %s',
    (after) => {
      expect(change(after)).toEqual(['config-changed']);
    },
  );

  it.each(['beforeEach((ctx) => { ctx.page.skip = 1 })', 'beforeEach(() => { rows.skip(1) })'])('skips none: %s', (after) => {
    expect(change(after)).toEqual([]);
  });
});

describe('toPass', () => {
  const CHECK = "const row = await load('r1')\nexpect(row.amount).toBe(1)";
  const tried = (head: string) => `${head} expect(async () => {\n${CHECK}\n}).toPass()`;

  it('runs its checks for those who wait for it', () => {
    expect(changed(CHECK, tried('await'))).toEqual([]);
    expect(changed(CHECK, tried(''))).toEqual(['assertion-unawaited']);
  });
});

describe('a test that is a generator', () => {
  const test = (from: string, star: string) =>
    `import { expect, it } from '${from}'\nimport { total } from './report'\nit('works', function${star} () {\nexpect(total([1])).toBe(1)\n})\n`;
  const starred = (from: string) => rulesOf([{ path: 'src/report.test.ts', before: test(from, ''), after: test(from, '*') }]);

  it('runs in Jest and nowhere else', () => {
    expect(starred('vitest')).toEqual(['assertion-unreached']);
    expect(starred('@jest/globals')).toEqual([]);
  });
});

describe('a module that is mocked by its import', () => {
  const mocked = (path: string, body = '({ total: () => 7 })') =>
    changed(SUM, `${SUM}\n})\nvi.mock(import('${path}'), () => ${body})\nit('more', () => {\nexpect(total([1])).toBe(1)`);

  it('is the unit, or another', () => {
    expect(mocked('./report')).toEqual(['module-replaced']);
    expect(mocked('./clock')).toEqual([]);
  });
});

describe('targets of Nx and Angular', () => {
  const project = (targets: object) => JSON.stringify({ name: 'billing', targets });
  const test = { executor: '@nx/vite:test' };
  const change = (before: string, after: string, path = 'libs/billing/project.json') => rulesOf([{ path, before, after }], 'any');

  it('are scripts where they test or check, and settings of nobody else', () => {
    expect(change(project({ test }), project({ test: { command: 'true' } }))).toEqual(['scripts-changed']);
    expect(change(project({ test, build: {} }), project({ test, build: { watch: true } }))).toEqual([]);
    const angular = (lint: string) => JSON.stringify({ projects: { shop: { architect: { lint: { builder: lint } } } } });
    expect(change(angular('eslint'), angular('none'), 'angular.json')).toEqual(['scripts-changed']);
    expect(change('{"test":1}', '{"test":2}', 'data/project.json')).toEqual([]);
  });
});

describe('Python', () => {
  const HYPOTHESIS = 'from hypothesis import given, settings\nfrom hypothesis import strategies as st\nfrom shop.codec import turned\n\n\n';
  const property = (decorators: string) => `${HYPOTHESIS}${decorators}\ndef test_turns(text):\n    assert turned(turned(text)) == text\n`;
  const tried = (before: string, after: string) =>
    rulesOf([{ path: 'tests/test_codec.py', before: property(before), after: property(after) }]);

  it.each([
    '@given(st.just("a"))',
    '@given(st.sampled_from(["a"]))',
    '@given(st.text(max_size=0))',
    '@settings(phases=[])\n@given(st.text())',
  ])('a property is tried on one example: %s', (after) => {
    expect(tried('@given(st.text())', after)).toEqual(['assertion-weakened']);
  });

  it.each(['@given(st.text(max_size=9))', '@given(st.sampled_from(["a", "b"]))', '@settings(deadline=None)\n@given(st.text())'])(
    'a property is tried on many: %s',
    (after) => {
      expect(tried('@given(st.text())', after)).toEqual([]);
    },
  );

  const report = (lines: string) =>
    `from shop.report import Report, summary, tidy\n\n\ndef test_summary():\n    result = summary([1, 5, 3])\n${lines}\n`;
  const WHOLE = '    assert result == {"count": 3, "total": 9}';
  const TOTAL = '    assert result["total"] == 9';
  const WANTED = '    wanted = {"count": 3, "total": 9}\n';
  const asked = (before: string, after: string) =>
    rulesOf([{ path: 'tests/test_report.py', before: report(before), after: report(after) }]);

  it.each([
    ['an entry is written', TOTAL, `    result["total"] = 9\n${TOTAL}`],
    ['all are updated', WHOLE, `${WANTED}    result.update(wanted)\n    assert result == wanted`],
    ['they lie over it', WHOLE, `${WANTED}    assert {**result, **wanted} == wanted`],
    ['they are joined to it', WHOLE, `${WANTED}    assert result | wanted == wanted`],
  ])('the result is what the test made of it: %s', (_, before, after) => {
    expect(asked(before, after)).toEqual(['assertion-tautological']);
  });

  it.each([
    ['an entry that another call reads', TOTAL, `    result["total"] = 0\n    tidy(result)\n${TOTAL}`],
    ['a setter', TOTAL, `${TOTAL}\n    made = Report()\n    made.total = 4\n    assert made.total == 4`],
    ['flags that are joined', TOTAL, `${TOTAL}\n    assert result["flags"] | 4 == 6`],
  ])('the code has its say: %s', (_, before, after) => {
    expect(asked(before, after)).toEqual([]);
  });

  it('a fixture forgets what has failed', () => {
    const fixture = (line: string) => `import pytest\n\n\n@pytest.fixture(autouse=True)\ndef watch(request):\n    yield\n    ${line}\n`;
    const change = (line: string) =>
      rulesOf([{ path: 'tests/conftest.py', before: fixture('request.session.seen = 1'), after: fixture(line) }]);
    expect(change('request.session.testsfailed = 0')).toEqual(['config-changed']);
    expect(change('request.session.seen = 2')).toEqual([]);
  });

  it('pyrefly is told to look away', () => {
    const text = (mark: string) => `from shop.codec import turned\n\n\ndef test_turns():\n    assert turned("ab") == "ba"${mark}\n`;
    expect(rulesOf([{ path: 'tests/test_codec.py', before: text(''), after: text('  # pyrefly: ignore[bad-argument]') }])).toEqual([
      'type-suppressed',
    ]);
  });
});

describe('runners and assertions that have no name', () => {
  const both = (before: string, after: string) => rulesOf([{ path: 'src/report.test.js', before: `${before}\n`, after: `${after}\n` }]);

  it.each([
    ['a part of the module', "require('node:test').test('works', () => require('node:assert').equal(load(1), 2))"],
    ['the module itself', "require('node:test')('works', () => require('node:assert')(load(1) === 2))"],
    ['vitest', "require('vitest').it('works', () => require('vitest').expect(load(1)).toBe(2))"],
    ['imported where it is used', "(await import('node:test')).test('works', () => require('node:assert').equal(load(1), 2))"],
  ])('are tests: %s', (_, before) => {
    const call = /^(require\('node:test'\))\('/;
    const skipped = call.test(before) ? before.replace(call, "$1.skip('") : before.replace(/\.(test|it)\('/, ".$1.skip('");
    expect(both(before, skipped)).toEqual(['test-skipped']);
    expect(both(before, "require('node:test')")).toEqual(['test-deleted']);
    expect(both(before, before.replace('works', 'works well'))).toEqual([]);
  });

  it('may not ask for less', () => {
    const equal = "require('node:test').test('works', () => require('node:assert').equal(load(1), 2))";
    expect(both(equal, equal.replace('equal(load(1), 2)', 'ok(load(1))'))).toEqual(['assertion-weakened']);
    expect(both(equal, equal.replace("require('node:assert').equal(load(1), 2)", 'load(1)'))).toEqual([
      'assertion-removed',
      'test-emptied',
    ]);
  });
});
