import { expect, test } from 'vitest';
import { lastSummary } from './runner-summary.js';

const read = (text: string) => {
  const found = lastSummary(text.split('\n').map((line) => line.trim()));
  return found === null ? null : `${found.kind} ${found.failing}`;
};

test.each([
  ['Test Files  1 failed | 11 passed (12)\n     Tests  3 failed | 147 passed (150)\n  Start at  10:00:00\n', 'vitest 3'],
  [' Test Files  1 failed (1)\n      Tests  no tests\n', 'vitest 1'],
  [' Test Files  2 passed (2)\n      Tests  150 passed (150)\n', 'vitest 0'],
  ['Test Suites: 1 failed, 1 total\nTests:       2 failed, 5 passed, 7 total\nSnapshots:   0 total\n', 'jest 2'],
  ['Test Suites: 1 failed, 3 passed, 4 total\nTests:       7 passed, 7 total\n', 'jest 1'],
  ['  8 passing (12ms)\n  1 pending\n  2 failing\n\n  1) adds up\n', 'mocha 2'],
  ['  8 passing (1s)\n', 'mocha 0'],
  ['=== 1 failed, 9 passed in 0.12s ===', 'pytest 1'],
  ['1 failed, 2 passed, 1 warning, 2 errors in 61.20s (0:01:01)', 'pytest 3'],
  ['2 errors in 0.1s', 'pytest 2'],
  ['3 passed in 0.01s', 'pytest 0'],
  ['ℹ tests 3\nℹ fail 1\nℹ todo 0\n', 'node 1'],
  ['# pass 7\n# fail 2\n# todo 0', 'tap 2'],
  ['Ran 3 tests in 0.001s\n\nFAILED (failures=2, errors=1)', 'other 3'],
  ['FAILED (errors=1)', 'other 1'],
  ['test result: FAILED. 10 passed; 4 failed; 0 ignored', 'other 4'],
  ['✖ 6 problems (5 errors, 1 warning)', 'other 5'],
  ['Found 12 errors in 3 files.', 'other 12'],
  ['12 examples, 2 failures', 'other 2'],
  ['[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0', 'other 2'],
  [' 2 fail\n', 'other 2'],
])('counts what a summary says failed: %j', (text, expected) => {
  expect(read(text)).toBe(expected);
});

test.each([
  '  ✔ responds with 500 failing\n',
  '  ✓ 500 failing\n',
  'ok 3 - answers 500 failed requests\n',
  'PASS  src/errors: 12.test.js\n',
  'GET / 500 failing 12ms\n',
  '  describe\n    500 failing\n',
  'server: error 500\n',
  'error TS2304: Cannot find name\n',
  'retried after 3 errors\n',
  'waited 3.5 errors\n',
  'all is well\n',
])('takes no number out of a title or a log: %j', (text) => {
  expect(read(text)).toBeNull();
});
