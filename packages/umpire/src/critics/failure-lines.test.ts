import { expect, it } from 'vitest';
import { compareFailures, failedPackages, lastWhole, tellingLines } from './failure-lines.js';

const ESC = String.fromCharCode(27);

const TAP = `TAP version 13
# Subtest: adds two numbers
not ok 1 - adds two numbers
  ---
  failureType: 'testCodeFailure'
  error: '2 == 3'
  code: 'ERR_ASSERTION'
  stack: |-
    TestContext.<anonymous> (/p/a.test.js:2:37)
  ...
# Subtest: throws an Error: of its own
ok 2 - throws an Error: of its own
1..2
# pass 1
# fail 1
# cancelled 0
# skipped 0
# todo 0
`;

it.each([
  ['TAP', TAP, ['not ok 1 - adds two numbers', "error: '2 == 3'"]],
  [
    'node:test for people, in colours',
    `${ESC}[32m✔ fails with Error: x${ESC}[39m\nℹ fail 1\n${ESC}[31m✖ adds (1ms)${ESC}[39m\n  AssertionError [ERR_ASSERTION]: 2 == 3\n    at x (a.js:1:1)\n`,
    ['✖ adds (1ms)', 'AssertionError [ERR_ASSERTION]: 2 == 3'],
  ],
  [
    'Vitest',
    ' ❯ a.test.ts (1 test | 1 failed)\n FAIL  a.test.ts > finds 0 errors\nAssertionError: expected 2 to be 3\n Tests  1 failed (1)\n Errors  0 errors\n',
    ['FAIL  a.test.ts > finds 0 errors', 'AssertionError: expected 2 to be 3'],
  ],
  [
    'pytest',
    '    def test_a():\n>       assert 1 == 2\nE       assert 1 == 2\nFAILED test_a.py::test_a - assert 1 == 2\n1 failed in 0.01s\n',
    ['FAILED test_a.py::test_a - assert 1 == 2'],
  ],
  ['tsc', "a.ts(1,7): error TS2322: Type 'string' is not assignable.\nFound 1 error.\n", [expect.stringContaining('error TS2322')]],
  [
    'cargo',
    'error[E0425]: cannot find value `x`\n --> src/main.rs:2:5\nerror: could not compile\n',
    ['error[E0425]: cannot find value `x`', 'error: could not compile'],
  ],
  [
    'eslint',
    "/p/a.js\n  1:1  error  'x' is not defined  no-undef\n\n✖ 1 problem (1 error, 0 warnings)\n",
    ["1:1  error  'x' is not defined  no-undef", '✖ 1 problem (1 error, 0 warnings)'],
  ],
  ['go', '--- FAIL: TestX (0.00s)\n    a_test.go:5: want 3\nFAIL\nok  other 0.1s\n', ['--- FAIL: TestX (0.00s)', 'FAIL']],
  ['the script itself, and not what npm says of it', 'FAIL a\nnpm error code 1\nnpm error path /p\n', ['FAIL a']],
  ['npm, where nothing else is said', 'npm error Missing script: "tset"\nnpm error\n', ['npm error Missing script: "tset"']],
] as const)('tells what failed: %s', (_, output, lines) => {
  expect(tellingLines(output, true)).toMatchObject({ lines, isFailure: true });
});

it('gives the last lines where none tells, and of a command that passed', () => {
  const output = 'one\ntwo\n\nthree\nfour\nfive\n---\nsix\n';
  expect(tellingLines(output, true)).toMatchObject({ lines: ['two', 'three', 'four', 'five', 'six'], isFailure: false });
  expect(tellingLines('Error: expected by a test\ndone\n', false)).toMatchObject({
    lines: ['Error: expected by a test', 'done'],
    isFailure: false,
  });
  expect(tellingLines('', true)).toMatchObject({ lines: [], isFailure: false });
});

it('gives whole lines only', () => {
  const long = `FAIL ${'x'.repeat(150)}`;
  expect(tellingLines(`${long}1\n${long}2\n`, true).lines).toEqual([`${long}1`]);
  expect(tellingLines(`first ${'x'.repeat(150)}\nsecond ${'y'.repeat(150)}\n`, true).lines).toEqual([`second ${'y'.repeat(150)}`]);
  expect(tellingLines(`FAIL ${'x'.repeat(500)}`, true).lines).toEqual([`FAIL ${'x'.repeat(192)}...`]);
  expect(lastWhole('one\ntwo\nthree', 8)).toBe('three');
  expect(lastWhole('one\ntwo', 100)).toBe('one\ntwo');
  expect(lastWhole('e\ntwo', 100, true)).toBe('two');
});

const MOCHA = `
  res.sendFile error: not found
    ✔ responds with 500 failing
    ✔ FAILED requests throw an Error: 12 errors

  FAIL suite
    1) breaks too
    inner
      2) breaks here


  2 passing (18ms)
  2 failing

  1) FAIL suite
       breaks too:
     TypeError: x is not a function
      at Context.<anonymous> (a.test.js:3:133)

  2) FAIL suite
       inner
         breaks here:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

1 !== 2

      + expected - actual
      at Context.<anonymous> (a.test.js:3:81)
`;

it('Mocha: names what failed by its own list, never a suite or a test that passed', () => {
  const { lines, failing, excerpt } = tellingLines(MOCHA, true);
  expect({ lines, failing }).toEqual({
    failing: 2,
    lines: [
      '1) FAIL suite breaks too:',
      'TypeError: x is not a function',
      '2) FAIL suite inner breaks here:',
      'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
    ],
  });
  expect(excerpt?.split('\n')[0]).toBe('  1) FAIL suite');
});

it('Mocha: where all tests passed, what follows them failed', () => {
  const passed = `${MOCHA.slice(0, MOCHA.indexOf('  2 failing'))}\nERROR: Coverage for lines (61%) does not meet threshold (90%)\n`;
  expect(tellingLines(passed, true)).toMatchObject({
    lines: ['ERROR: Coverage for lines (61%) does not meet threshold (90%)'],
    isFailure: true,
    failing: null,
  });
});

it.each([
  [
    'pytest, from the header of the first failure',
    '=== FAILURES ===\n____ test_a ____\n\n    def test_a():\n>       assert 1 == 2\nE       assert 1 == 2\n\na.py:2: AssertionError\n=== short test summary info ===\nFAILED a.py::test_a - assert 1 == 2\n=== 1 failed, 500 passed in 0.01s ===\n',
    1,
    '____ test_a ____',
  ],
  [
    'Jest, from the first ●',
    'PASS  errors.test.js\n  ✓ 12 failed (1 ms)\nFAIL ./a.test.js\n  ✕ adds (2 ms)\n\n  ● adds\n\n    expect(received).toBe(expected)\n\n      at a.test.js:1:1\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 1 passed, 2 total\n',
    1,
    '  ● adds',
  ],
  [
    'Vitest, from the first FAIL',
    ' ✓ b.test.ts > FAIL 500 errors\n ❯ a.test.ts (1 test | 1 failed)\n\n FAIL  a.test.ts > adds\nAssertionError: expected 2 to be 3\n ❯ a.test.ts:1:1\n\n Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 1 passed (2)\n',
    1,
    ' FAIL  a.test.ts > adds',
  ],
  [
    'node:test, from the list of failing tests',
    '✔ answers 500 failing (1ms)\n✖ adds (1ms)\nℹ tests 2\nℹ fail 1\n\n✖ failing tests:\n\ntest at a.test.js:1:1\n✖ adds (1ms)\n  AssertionError [ERR_ASSERTION]: 2 == 3\n      at x (a.js:1:1)\n',
    1,
    '✖ adds (1ms)',
  ],
  [
    'a compiler, from its first error',
    'building\na.ts(1,7): error TS2322: no.\n  detail\nFound 1 error.\n',
    1,
    'a.ts(1,7): error TS2322: no.',
  ],
])('the excerpt of a failure starts at its first line: %s', (_, output, failing, first) => {
  const told = tellingLines(output, true);
  expect([told.failing, told.excerpt?.split('\n')[0]]).toEqual([failing, first]);
  expect(told.excerpt?.length).toBeGreaterThan(first.length + 1);
});

it('the excerpt of a long failure keeps its start', () => {
  const frames = Array.from({ length: 500 }, (_, at) => `    at frame ${at} (a.js:${at}:1)`).join('\n');
  const { excerpt } = tellingLines(`noise\nTypeError: no\n${frames}\n`, true);
  expect([excerpt?.startsWith('TypeError: no\n    at frame 0 '), excerpt?.endsWith('\n')]).toEqual([true, true]);
  expect(excerpt?.length).toBeLessThanOrEqual(4000);
});

it('leaves out what npm prints around a script', () => {
  const output = 'npm warn config x\n> test\nthe sum is 17\nnpm notice\nnpm notice New minor version of npm available! 11.1.0 -> 11.2.0\n';
  expect(tellingLines(output, true).lines).toEqual(['> test', 'the sum is 17']);
  expect(tellingLines('npm notice only this\n', true).lines).toEqual(['npm notice only this']);
});

// The lines of npm, go and cargo are of real runs; the others are as public logs have them.
it.each([
  ['npm error Lifecycle script `test` failed with error:\nnpm error code 1\nnpm error workspace @shop/b@1.0.0\n', ' in @shop/b'],
  ['npm ERR! workspace a@1.0.0\nnpm ERR! workspace b@2.0.0-rc.1\nnpm ERR! workspace a@1.0.0\n', ' in a, b'],
  [' ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  @shop/b@1.0.0 test: `vitest run`\nExit status 1\n', ' in @shop/b'],
  ['ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  @shop/app/db@ build: `npx build`\nspawn ENOENT\n', ' in @shop/app/db'],
  ['api:test: npm ERR! Error: command failed \napi:test: npm ERR!   in workspace: api@0.0.0 \n', ' in api'],
  ['@shop/b#test: command (/home/a/packages/b) /usr/bin/npm run test exited (1)\n', ' in @shop/b'],
  ["lerna ERR! npm run test exited 1 in 'b'\n", ' in b'],
  ['error: test failed, to rerun pass `-p b --lib`\n', ' in b'],
  [
    'ok  \texample.com/m/a\t0.2s\nFAIL\texample.com/m/b\t0.1s\nFAIL\texample.com/m/c [build failed]\nFAIL\n',
    ' in example.com/m/b, example.com/m/c',
  ],
  [
    '[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project b: There are',
    ' in b',
  ],
  ["Execution failed for task ':lib:b:test'.\n", ' in lib:b'],
  ['FAIL src/a.test.ts\nnpm error code 1\n', ''],
])('names the packages whose command failed: %s', (output, expected) => {
  expect(failedPackages(output)).toBe(expected);
});

const ASSERTION = 'cc buffer.c test.c -o test\nassertion error: test.c:118: 3 == 4\n';

it.each([
  ['same', `${ASSERTION}make: *** [Makefile:4: test] Error 1\n`, ASSERTION.replace('118', '121')],
  ['similar', ASSERTION, `${ASSERTION}ok\n`],
  [null, ASSERTION, 'cc buffer.c test.c -o test\nok\n'],
  [null, 'error: no such user (wanted)\nerror: 3 is not 4\n', 'error: no such user (wanted)\nok\n'],
  [null, 'three tests\n', 'three tests\n'],
  [null, '', ''],
] as const)('sees whether a command that passes prints the same failure: %s', (expected, failed, passed) => {
  expect(compareFailures(failed, passed)).toBe(expected);
});
