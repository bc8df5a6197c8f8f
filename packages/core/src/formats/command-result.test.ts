// The reader `command-result`. Whole samples are in fixtures/readers.

import { describe, expect, test } from 'vitest';
import { HIGHEST_EXIT, readCommandResult } from './command-result.js';

const read = (result: object) => readCommandResult(JSON.stringify(result), { path: 'results/until.json' });

function valuesOf(result: object): unknown {
  const answer = read({ command: 'x', exit_status: 1, ...result });
  return answer.ok ? answer.reading.values : answer.unreadable.problem;
}

describe('how the command ended', () => {
  test('an exit status of 32 bits', () => expect(valuesOf({ exit_status: HIGHEST_EXIT })).toMatchObject({ exit_status: HIGHEST_EXIT }));
  test('a timeout without a signal', () =>
    expect(valuesOf({ exit_status: null, timed_out: true })).toEqual({ command: 'x', timed_out: true, report_unwritten: false }));
  test('a requested report that was not written', () =>
    expect(valuesOf({ report_problem: 'It is not there.' })).toMatchObject({ report_unwritten: true }));

  test.each<[object, RegExp]>([
    [{ exit_status: -1 }, /^exit_status is "-1"; expected a whole number/],
    [{ exit_status: 0.5 }, /^exit_status is "0\.5"/],
    [{ exit_status: HIGHEST_EXIT + 1 }, /^exit_status is "4294967296"/],
    [{ exit_status: false }, /^exit_status is "false"/],
    [{ exit_status: [0] }, /^exit_status is a list/],
    [{ exit_status: null }, /neither exit_status nor signal/],
    [{ exit_status: null, timed_out: false }, /neither exit_status nor signal/],
    [{ signal: '' }, /^signal is ""; expected a string such as "SIGKILL"/],
    [{ signal: 9 }, /^signal is "9"/],
    [{ timed_out: 'false' }, /^timed_out is "false"; expected true or false/],
    [{ timed_out: 0 }, /^timed_out is "0"/],
    [{ command: 3 }, /^command is "3"; expected a string/],
    [{ duration_ms: -1 }, /^duration_ms is "-1"/],
    [{ output_tail: ['x'] }, /^output_tail is a list/],
    [{ head: {} }, /^head is an object/],
    [{ report_problem: true }, /^report_problem is "true"; expected a string/],
  ])('%j is no evidence', (result, expected) => expect(valuesOf(result)).toMatch(expected));

  test('a repeated key is no evidence', () => {
    const answer = readCommandResult('{"exit_status":1,"exit_status":0}', { path: 'x' });
    expect(answer).toMatchObject({ ok: false, unreadable: { problem: expect.stringContaining('appears twice') as string } });
  });
});

describe('the output', () => {
  const linesOf = (tail: string) => {
    const answer = read({ exit_status: 0, output_tail: tail });
    return answer.ok ? answer.reading.lists['output']?.map((item) => item['text']) : null;
  };

  test('keeps the last twenty lines with content', () => {
    const lines = linesOf(Array.from({ length: 50 }, (_, at) => `line ${at}\r\n\n`).join(''));
    expect([lines?.length, lines?.[0], lines?.at(-1)]).toEqual([20, 'line 30', 'line 49']);
  });

  test('removes colours and control characters and shortens long lines', () => {
    expect(linesOf('\u001b[1;31mred\u001b[0m\u0007 \u202etxt.exe\n')).toEqual(['red   txt.exe']);
    expect(linesOf('x'.repeat(500))).toEqual([`${'x'.repeat(200)}...`]);
  });
});

describe('the failures of the command', () => {
  test('the count that Umpire read from the whole output holds, whatever the last lines say', () =>
    expect(valuesOf({ failing: 7, output_tail: '\u2714 responds with 500 failing' })).toMatchObject({ failing: 7 }));

  test('the lines that are shown begin with the first line of the first failure', () => {
    const answer = read({ exit_status: 1, excerpt: '1) adds\n   Error: no\n', output_tail: '  at b.js\n  at c.js\n' });
    expect(answer.ok ? answer.reading.lists['output'] : null).toEqual([{ text: '1) adds' }, { text: 'Error: no' }]);
  });
});

describe('the count of failures that the command prints', () => {
  test.each([
    ['Test Files  1 failed | 11 passed (12)\n     Tests  3 failed | 147 passed (150)\n', 3],
    ['Tests:       2 failed, 5 passed, 7 total\nSnapshots:   0 total\n', 2],
    ['  8 passing (12ms)\n  2 failing\n\n  1) adds up\n', 2],
    ['=== 1 failed, 9 passed in 0.12s ===', 1],
    ['FAILED (failures=2, errors=1)', 3],
    ['test result: FAILED. 10 passed; 4 failed; 0 ignored', 4],
    ['\u2716 6 problems (5 errors, 1 warning)', 5],
    ['Found 12 errors in 3 files.', 12],
    ['# pass 7\n# fail 2\n# todo 0', 2],
    ['     Tests  150 passed (150)\n', undefined],
    ['  \u2714 responds with 500 failing\n\n  9 passing (12ms)\n', undefined],
    ['\u2714 responds with 500 failing\nServer said: error 404\n', undefined],
    ['all is well', undefined],
    ['error TS2304: Cannot find name', undefined],
    ['waited 3.5 errors', undefined],
  ])('%j: %s', (tail, failing) => {
    const answer = read({ exit_status: 1, output_tail: tail });
    expect(answer.ok ? answer.reading.values['failing'] : null).toBe(failing);
  });
});

describe('V2 tests that passed at the base and fail now', () => {
  test.each([
    [undefined, 0],
    [null, 0],
    [0, 0],
    [3, 3],
  ])('regressions_measured %j: counted as %i', (measured, counted) => {
    const answer = read({ exit_status: 0, regressions_measured: measured });
    expect(answer.ok ? answer.reading.lists['regressions_measured']?.length : null).toBe(counted);
  });

  test.each([-1, 0.5, '2', [], 1e9])('regressions_measured %j is no count, so the result proves nothing', (measured) => {
    const answer = read({ exit_status: 0, regressions_measured: measured });
    expect(answer.ok ? null : answer.unreadable.problem).toMatch(/^regressions_measured is .*; expected a whole number from 0 to 1000000$/);
  });
});
