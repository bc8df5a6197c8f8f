import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAny, readAs } from '../../../test/support/report-text.js';
import { tap } from './tap.js';

const NODE = readFileSync(join(import.meta.dirname, '../../../fixtures/tools/tap/node-test.tap'), 'utf8');

const read = (text: string, step?: number) => readAs(tap, text, { root: '/project' }, step);
const ids = (text: string) => (read(text).results ?? []).map(({ id, status }) => `${id}: ${status}`);

describe('TAP of node:test', () => {
  it('has its subtests, directives, places and messages, whatever the pieces', () => {
    const whole = readAny(NODE, { root: '/project' });
    expect({ ...whole, results: whole.results?.map(({ durationMs, ...rest }) => ({ ...rest, isTimed: durationMs !== null })) }).toEqual({
      format: 'tap',
      outcome: 'fail',
      tests: { total: 11, passed: 4, failed: 3, errored: 1, skipped: 3 },
      results: [
        { id: 'math > adds', status: 'passed', file: null, line: null, message: null, isTimed: true },
        { id: 'math > subtracts', status: 'failed', file: 'a.test.mjs', line: 5, message: '2 == 1', isTimed: true },
        { id: 'math > divides', status: 'skipped', file: null, line: null, message: null, isTimed: true },
        { id: 'math > powers', status: 'skipped', file: null, line: null, message: null, isTimed: true },
        { id: 'math > fails as todo', status: 'skipped', file: 'a.test.mjs', line: 8, message: null, isTimed: true },
        { id: 'parent > child # one', status: 'passed', file: null, line: null, message: null, isTimed: true },
        { id: 'parent > child two', status: 'failed', file: 'a.test.mjs', line: 12, message: 'boom\nsecond line', isTimed: true },
        { id: 'parent', status: 'failed', file: 'a.test.mjs', line: 10, message: '1 subtest failed', isTimed: true },
        { id: 'hangs', status: 'errored', file: 'a.test.mjs', line: 14, message: 'test timed out after 20ms', isTimed: true },
        { id: 'adds', status: 'passed', file: null, line: null, message: null, isTimed: true },
        { id: 'adds (2)', status: 'passed', file: null, line: null, message: null, isTimed: true },
      ],
      findings: [],
      problems: [],
    });
    for (const step of [1, 13]) expect(read(NODE, step)).toEqual(whole);
  });

  it('says how far a cut-off report was read', () => {
    expect(read(NODE.slice(0, NODE.indexOf('# Subtest: hangs')))).toMatchObject({
      outcome: 'error',
      tests: { total: 8 },
      problems: [
        {
          message: 'the report ends without a plan (1..N), after 8 tests; it was cut off or is still being written',
          line: 105,
        },
      ],
    });
    expect(read(NODE.slice(0, NODE.indexOf("code: 'ERR_ASSERTION'")))).toMatchObject({
      outcome: 'error',
      problems: [
        { message: expect.stringContaining('the report ends in the middle of a YAML block, after 2 tests') },
        { message: expect.stringContaining('plan') },
      ],
    });
  });

  it('counts a suite that fails of itself', () => {
    const suite = "TAP version 13\n    ok 1 - a\n    1..1\nnot ok 1 - s\n  ---\n  type: 'suite'\n  error: 'before hook'\n  ...\n1..1\n";
    expect(ids(suite)).toEqual(['a: passed', 's: failed']);
  });
});

describe('TAP of others', () => {
  it('takes plans first or last, bare points, and blocks in braces', () => {
    expect(ids('1..2\nok\nnot ok 2\n')).toEqual(['test 1: passed', 'test 2: failed']);
    const braces =
      'TAP version 14\nok 1 - test/a.js # time=5.25ms {\n    ok 1 - one # time=1ms\n    not ok 2 - two # TODO\n    1..2\n}\n\n1..1\n';
    expect(read(braces)).toMatchObject({
      outcome: 'pass',
      results: [
        { id: 'test/a.js', status: 'passed', durationMs: 5.25 },
        { id: 'test/a.js > one', status: 'passed', durationMs: 1 },
        { id: 'test/a.js > two', status: 'skipped' },
      ],
      problems: [],
    });
  });

  it('knows directives from names', () => {
    expect(ids('1..4\nok 1 - a # SKIP no net\nnot ok 2 - b # skipped\nok 3 - issue #12 works\nnot ok 4 - c \\# SKIP\n')).toEqual([
      'a: skipped',
      'b: skipped',
      'issue #12 works: passed',
      'c # SKIP: failed',
    ]);
  });

  it('finds the place and message as tape and the specification write them', () => {
    const tape =
      'TAP version 13\nnot ok 1 should be equal\n  ---\n    operator: equal\n    at: Test.<anonymous> (/project/t/x.js:10:5)\n  ...\n1..1\n';
    expect(read(tape).results).toMatchObject([{ id: 'should be equal', file: 't/x.js', line: 10 }]);
    const spec = '1..1\nnot ok 1 - x\n  ---\n  message: "say \\"a\\""\n  at:\n    file: lib/y.t\n    line: 7\n  ...\n';
    expect(read(spec).results).toMatchObject([{ file: 'lib/y.t', line: 7, message: 'say "a"' }]);
  });

  it('holds the run to its plan', () => {
    expect(read('1..3\nok 1\nok 2\n')).toMatchObject({
      outcome: 'error',
      problems: [{ message: '3 tests were planned, but the report has 2: the run ended early, or the report was cut off', line: 4 }],
    });
    expect(read('1..1\nok 1\nok 2\n')).toMatchObject({
      outcome: 'fail',
      problems: [{ message: '1 test was planned, but the report has 2' }],
    });
    expect(read('# Subtest: s\n    ok 1 - a\n    1..2\nok 1 - s\n1..1\n')).toMatchObject({
      outcome: 'error',
      problems: [{ message: expect.stringContaining('2 tests were planned in "s"'), line: 4 }],
    });
    expect(read('1..1\n1..1\nok 1\n')).toMatchObject({
      outcome: 'error',
      problems: [{ message: 'a plan (1..N) is given twice', line: 2 }],
    });
    expect(read('1..0 # SKIP no database\nTAP version 13\n')).toMatchObject({ outcome: 'error', tests: { total: 0 } });
  });

  it('takes no test from outside of the plan, wherever the plan stands', () => {
    const problems = [{ message: 'test 7 is outside of the plan 1..3, which TAP treats as a failure', line: 4 }];
    expect(read('1..3\nok 1\nok 2\nok 7\n')).toMatchObject({ outcome: 'error', tests: { total: 3 }, problems });
    expect(read('ok 2\nok 1\n\nok 7\n1..3\n')).toMatchObject({ outcome: 'error', problems });
    expect(read('1..3\nok 3\nok\nok 2\n')).toMatchObject({ outcome: 'pass', problems: [] });
    expect(read('# Subtest: s\n    ok 4 - a\n    1..1\nok 1 - s\n1..1\n')).toMatchObject({
      outcome: 'error',
      problems: [{ message: 'test 4 in "s" is outside of the plan 1..1, which TAP treats as a failure', line: 2 }],
    });
  });

  it('lets other lines pass, unless the report asks to be strict', () => {
    const rest = '1..1\nhello\n#\n# hi\nok 1\n';
    expect(read(`TAP version 14\n${rest}`)).toMatchObject({ outcome: 'pass', problems: [] });
    expect(read(`TAP version 14\npragma +strict\n${rest}`)).toMatchObject({
      outcome: 'error',
      problems: [{ message: '"hello" is not TAP, and "pragma +strict" forbids other lines', line: 4 }],
    });
    expect(read(`pragma +strict\npragma -strict\n${rest}`)).toMatchObject({ outcome: 'pass', problems: [] });
    const block = 'ok 1 - a {\n    pragma -strict\n    hi\n    ok 1\n    1..1\n}\n';
    expect(read(`pragma +strict\n1..1\n${block}`)).toMatchObject({ outcome: 'pass', problems: [] });
    expect(read(`pragma +strict\n1..1\n${block.replace('pragma -strict', 'pragma +other')}`)).toMatchObject({ outcome: 'error' });
  });

  it('fails where the run bailed out, or its summary says so', () => {
    expect(read('1..3\nok 1\nBail out! no disk\n')).toMatchObject({
      outcome: 'fail',
      tests: { total: 1 },
      problems: [{ message: 'the run bailed out: no disk' }],
    });
    expect(read('1..1\nok 1\n# tests 1\n# fail 1\n')).toMatchObject({
      outcome: 'fail',
      problems: [{ message: 'the summary states 1 failed test, but none is listed' }],
    });
    expect(read('1..1\nok 1\n# tests 2\n')).toMatchObject({
      outcome: 'pass',
      problems: [{ message: 'the summary states 2 tests but 1 is listed; the listed ones count' }],
    });
  });

  it('is found behind what a script printed, and is bounded', () => {
    expect(readAny('> shop@1.0.0 test\n> tap\n\nTAP version 14\n1..1\nok 1 - a\n')).toMatchObject({ format: 'tap', outcome: 'pass' });
    const deep = Array.from({ length: 80 }, (_, at) => `${'    '.repeat(at)}ok 1 - a`).join('\n');
    expect(read(`1..1\n${deep}\n`)).toMatchObject({
      outcome: 'error',
      problems: expect.arrayContaining([{ message: 'subtests are nested more than 64 levels deep', line: 67, byte: expect.any(Number) }]),
    });
    expect(read('1..1\nnot ok 1 - x\n  ---\n  error: |-\n    a\nok 2\n').problems).toContainEqual({
      message: 'a YAML block is not closed by "..."',
      line: 6,
    });
  });

  it('names a test file by its place in the project', () => {
    expect(ids('1..1\nok 1 - /project/test/a.test.js\n')).toEqual(['test/a.test.js: passed']);
  });
});
