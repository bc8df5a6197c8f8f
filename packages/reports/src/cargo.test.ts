// On output of cargo 1.95; JSON lines are by the documentation of libtest.

import { expect, it } from 'vitest';
import { readAny, readFixture, tellReport, tellTests } from '../../../test/support/report-text.js';

it('reads each test of several programs, and doc-tests in the order of their lines', () => {
  expect(tellTests(readFixture('cargo/red.txt')).toSorted()).toEqual([
    'errored tests/leave.rs: the test program ended early: 0 of 1 test ended',
    'failed a_crate > a/src/lib.rs > add (a/src/lib.rs:7): a/src/lib.rs:5:1:',
    'failed a_crate > tests::adds: a/src/lib.rs:24:9:',
    'failed tests/cli.rs > gives: Error: "no"',
    'passed a_crate > a/src/lib.rs > add (2) (a/src/lib.rs:11)',
    'passed a_crate > a/src/lib.rs > doc-test (a/src/lib.rs:1)',
    'passed a_crate > tests::breaks',
    'passed a_crate > tests::works',
    'passed a_crate src/main.rs > works',
    'passed b_crate > tests::works',
    'passed tests/cli.rs > works',
    'skipped a_crate > tests::slow',
  ]);
});

it('keeps what a test expected and received', () => {
  const adds = readFixture('cargo/red.txt').results?.find(({ id }) => id === 'a_crate > tests::adds');
  expect(adds?.message).toBe('a/src/lib.rs:24:9:\nassertion `left == right` failed: sum\n  left: 3\n right: 4');
});

it.each([
  ['green.txt', ['cargo pass 1/0/0/0']],
  ['nocapture.txt', ['cargo fail 2/1/0/1']],
  ['quiet.txt', ['cargo fail 6/3/0/1', '7 tests are not named; cargo test without -q names all']],
  ['skipped.txt', ['cargo error 0/0/0/1', '3 tests were filtered out', 'no test ran: the only one is skipped']],
  ['nothing.txt', ['cargo error 0/0/0/0', '4 tests were filtered out', 'the report has no tests']],
])('tells how %s ended', (path, expected) => {
  expect(tellReport(readFixture(`cargo/${path}`))).toEqual(expected);
});

it('says which code does not compile', () => {
  expect(tellReport(readFixture('cargo/not-compiled.txt'))).toEqual([
    'cargo error 0/0/0/0',
    'cargo could not compile a-crate (lib test): error[E0425]: cannot find function `undefined` in this scope',
    'cargo could not compile a-crate (lib): error[E0425]: cannot find function `undefined` in this scope',
  ]);
});

it('is an error where the output is cut off, and a failure where a program dies and another follows', () => {
  const begun = 'running 2 tests\ntest a ... ok\n';
  expect(tellReport(readAny(begun))[0]).toBe('cargo error 1/0/1/0');
  const other = 'running 1 test\ntest b ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n';
  expect(tellTests(readAny(`${begun}${other}`))).toEqual([
    'passed a',
    'errored cargo test: the test program ended early: 1 of 2 tests ended',
    'passed b',
  ]);
});

it('counts a program without libtest that failed', () => {
  const text = '     Running tests/own.rs (target/debug/deps/own-1a2b3c4d5e6f7a8b)\nerror: test failed, to rerun pass `--test own`\n';
  const green = 'running 1 test\ntest b ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n';
  expect(tellTests(readAny(green + text))).toEqual(['passed b', 'errored tests/own.rs: the test program failed']);
});

it('reads JSON lines of libtest', () => {
  const lines = [
    { type: 'suite', event: 'started', test_count: 3 },
    { type: 'test', event: 'started', name: 'adds' },
    { type: 'test', name: 'adds', event: 'failed', exec_time: 0.5, stdout: "\nthread 'adds' panicked at src/lib.rs:9:5:\nno\n" },
    { type: 'test', name: 'works', event: 'ok' },
    { type: 'test', name: 'slow', event: 'ignored' },
    { type: 'suite', event: 'failed', passed: 1, failed: 1, ignored: 1, measured: 0, filtered_out: 0, exec_time: 0.1 },
  ];
  const report = readAny(lines.map((line) => JSON.stringify(line)).join('\n'));
  expect(tellTests(report)).toEqual(['failed adds: src/lib.rs:9:5:', 'passed works', 'skipped slow']);
});
