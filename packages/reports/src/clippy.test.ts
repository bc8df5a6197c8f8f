// On output of Clippy 0.1.95.

import { expect, it } from 'vitest';
import { readAny, readFixture, tellReport } from '../../../test/support/report-text.js';

it('reads each message once, with its place and rule', () => {
  const { format, outcome, findings, counts } = readFixture('clippy/warn.json');
  expect({ format, outcome, counts }).toEqual({ format: 'clippy', outcome: 'pass', counts: { critical: 0, high: 0, medium: 3, low: 0 } });
  expect(findings.map(({ rule, artifact, line, message }) => [rule, artifact, line, message])).toEqual([
    ['unused_variables', 'src/lib.rs', 2, 'unused variable: `unused`'],
    ['clippy::needless_return', 'src/lib.rs', 3, 'unneeded `return` statement'],
    ['clippy::assertions_on_constants', 'src/lib.rs', 9, 'this assertion is always `true`'],
  ]);
});

it('fails where code does not compile, and passes a build without messages', () => {
  expect(readFixture('clippy/err.json')).toMatchObject({ outcome: 'fail', counts: { high: 1 }, findings: [{ rule: 'E0308', line: 2 }] });
  expect(tellReport(readFixture('clippy/clean.json'))).toEqual(['clippy pass']);
});

it('is an error where the output is cut off, or is of cargo test', () => {
  const artifact = '{"reason":"compiler-artifact","package_id":"p"}\n';
  const done = '{"reason":"build-finished","success":true}\n';
  expect(tellReport(readAny(artifact))[0]).toBe('clippy error');
  expect(tellReport(readAny(`${artifact}{"reason":"build-finished","success":false}\n`))).toEqual(['clippy fail', 'the build failed']);
  // The tests of a large build stand behind what tells the format.
  const far = `${artifact}${' '.repeat(300_000)}\n${done}running 1 test\ntest a ... FAILED\n`;
  expect(tellReport(readAny(far))).toEqual(['clippy error', 'this is output of cargo test; read it with --format cargo']);
  const tests = 'running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n';
  expect(tellReport(readAny(artifact + done + tests))).toEqual(['cargo pass 1/0/0/0']);
});
