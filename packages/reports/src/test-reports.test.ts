// Reports of test runners whose formats have no file of their own here: names, files, skipped and todo tests must come out right, and no
// name may hold a path or a time of one run. Recorded with CTest 3.25, Bats 1.8, Bun, Deno, AVA and Playwright 1.65.

import { expect, it } from 'vitest';
import { readAny, readFixture, tellReport, tellTests } from '../../../test/support/report-text.js';

it('reads CTest’s JUnit: no class, the output as message, and a test that could not run is no skipped one', () => {
  const report = readFixture('junit/ctest.xml');
  expect(tellTests(report)).toEqual([
    'passed adds',
    'failed splits in two: got 3 want 4',
    'skipped later: SKIP_RETURN_CODE=77',
    'skipped off',
    'failed slow',
    'failed crashes',
    'errored unbuilt: Unable to find executable',
  ]);
});

it('reads Deno’s JUnit, which names the file as the class', () => {
  expect(tellTests(readFixture('junit/deno.xml')).slice(0, 2)).toEqual([
    'failed test/price.test.js > adds prices (test/price.test.js:4): Uncaught AssertionError: Expected values to be strictly equal:  -5 !== 5',
    'passed test/price.test.js > takes a discount (test/price.test.js:8)',
  ]);
});

it.each([
  ['junit/bats.xml', ['failed price.bats > adds prices: (in test file tests/price.bats, line 4)', 'passed price.bats > takes a discount']],
  [
    'junit/bun.xml',
    [
      'passed shipping > test/shipping.test.js > is free above fifty (test/shipping.test.js:5)',
      'passed shipping > test/shipping.test.js > costs five below (test/shipping.test.js:9)',
    ],
  ],
  ['tap/bats.tap', ['failed adds prices: (in test file tests/price.bats, line 4)', 'passed takes a discount']],
  ['tap/tape.tap', ['failed adds prices (test/price.test.js:5): should be strictly equal', 'passed takes a discount']],
  ['tap/ava.tap', ['skipped price › rounds to cents', 'passed shipping › is free above fifty']],
  [
    'tap/deno.tap',
    [
      'failed test/price.test.js > adds prices (test/price.test.js:4): AssertionError: Expected values to be strictly equal:',
      'passed test/price.test.js > takes a discount (test/price.test.js)',
    ],
  ],
])('names the tests of %s', (path, expected) => {
  expect(tellTests(readFixture(path)).slice(0, 2)).toEqual(expected);
});

it('writes out control characters of names, and keeps ends of lines', () => {
  const title = 'red \u001b[31m \u0007\u007f\nnext';
  const report = readAny(
    JSON.stringify({ testResults: [{ name: '/project/a.test.js', assertionResults: [{ title, status: 'passed' }] }] }),
    { root: '/project' },
  );
  expect(report.results?.[0]?.id).toBe('a.test.js > red \\u001b[31m \\u0007\\u007f\nnext');
});

it('takes the comments of tape as tests, and says what was expected', () => {
  const report = readFixture('tap/tape.tap');
  expect(tellReport(report)).toEqual(['tap fail 4/1/0/0']);
  expect(report.results?.[0]?.message).toBe('should be strictly equal\nexpected: |-\n  5\nactual: |-\n  -5');
  expect(readFixture('tap/ava.tap').results?.find(({ status }) => status === 'failed')?.message).toContain('- -5\n    + 5');
});

it('takes the folder of the project out of names', () => {
  expect(tellTests(readFixture('tap/ava-unloaded.tap'))[0]).toContain(
    "Cannot find module 'src/gone.js' imported from test/shipping.test.js",
  );
});

it('reads Playwright’s JSON with files from the project on', () => {
  expect(tellTests(readFixture('playwright/red.json'))).toEqual([
    'failed test/price.test.js > adds prices (test/price.test.js:4): Error: expect(received).toBe(expected) // Object.is equality',
    'passed test/price.test.js > takes a discount (test/price.test.js:8)',
    'passed test/price.test.js > refuses a negative price (test/price.test.js:12)',
    'skipped test/price.test.js > rounds to cents (test/price.test.js:16)',
    'passed test/shipping.test.js > shipping > is free above fifty (test/shipping.test.js:5)',
    'passed test/shipping.test.js > shipping > costs five below (test/shipping.test.js:9)',
  ]);
});

it.each([
  ['green.json', ['playwright pass 5/0/0/1']],
  ['unloaded.json', ['playwright fail 0/0/1/0']],
  ['nothing.json', ['playwright fail 0/0/1/0']],
])('tells how Playwright’s %s ended', (path, expected) => {
  expect(tellReport(readFixture(`playwright/${path}`))).toEqual(expected);
});

it('tells tests of Playwright apart by project, and counts retries and timeouts', () => {
  const test = (projectName: string, status: string, ...results: readonly string[]) => ({
    projectName,
    status,
    results: results.map((each) => ({ status: each, errors: [{ message: `\u001b[31m${each}\u001b[39m` }] })),
  });
  const spec = {
    title: 'opens',
    file: 'a.spec.ts',
    line: 3,
    tests: [test('chromium', 'flaky', 'failed', 'passed'), test('firefox', 'unexpected', 'timedOut')],
  };
  const suites = [{ title: 'a.spec.ts', file: 'a.spec.ts', specs: [spec] }];
  const report = readAny(
    JSON.stringify({ config: { rootDir: '/elsewhere' }, suites, errors: [], stats: { expected: 0, flaky: 1, unexpected: 1, skipped: 0 } }),
  );
  expect(tellTests(report)).toEqual([
    'passed a.spec.ts > opens [chromium] (a.spec.ts:3)',
    'errored a.spec.ts > opens [firefox] (a.spec.ts:3): timedOut',
  ]);
  expect(tellReport(report)).toEqual(['playwright fail 1/0/1/0', '1 test passed only on a retry']);
});

/** By the reports of xUnit and MSTest in public repositories. */
const TRX = `<?xml version="1.0" encoding="utf-8"?>
<TestRun id="1" name="run" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">
  <Results>
    <UnitTestResult executionId="e1" testId="t1" testName="Shop.Tests.CartTests.Counts" duration="00:00:00.0012345" outcome="Passed" />
    <UnitTestResult executionId="e2" testId="t2" testName="Removes" duration="00:01:00.5000000" outcome="Failed">
      <Output><StdOut>noise</StdOut><ErrorInfo><Message>Assert.Equal() Failure
Expected: 3</Message><StackTrace>at Shop.Tests</StackTrace></ErrorInfo></Output>
    </UnitTestResult>
    <UnitTestResult executionId="e3" testId="t3" testName="Later" outcome="NotExecuted" />
    <UnitTestResult executionId="e4" testId="t4" testName="Rows" outcome="Failed">
      <InnerResults>
        <UnitTestResult executionId="e5" testId="t4" testName="Rows (1)" outcome="Passed" />
        <UnitTestResult executionId="e6" testId="t4" testName="Rows (2)" outcome="Timeout" />
      </InnerResults>
    </UnitTestResult>
  </Results>
  <TestDefinitions>
    <UnitTest name="n1" id="t1"><TestMethod className="Shop.Tests.CartTests" name="Counts" /></UnitTest>
    <UnitTest name="n2" id="t2"><TestMethod className="Shop.Tests.CartTests, Shop.Tests, Version=1.0.0.0" name="Removes" /></UnitTest>
    <UnitTest name="n3" id="t3"><TestMethod className="Shop.Tests.CartTests" name="Later" /></UnitTest>
    <UnitTest name="n4" id="t4"><TestMethod className="Shop.Tests.CartTests" name="Rows" /></UnitTest>
  </TestDefinitions>
  <ResultSummary outcome="Failed"><Counters total="4" executed="3" passed="1" failed="2" error="0" /></ResultSummary>
</TestRun>`;

it('reads TRX: the class of each test, and rows of data as tests', () => {
  const report = readAny(TRX);
  expect(tellTests(report)).toEqual([
    'passed Shop.Tests.CartTests > Counts',
    'failed Shop.Tests.CartTests > Removes: Assert.Equal() Failure',
    'skipped Shop.Tests.CartTests > Later',
    'passed Shop.Tests.CartTests > Rows (1)',
    'errored Shop.Tests.CartTests > Rows (2)',
  ]);
  expect(report.results?.[1]?.durationMs).toBe(60_500);
});

it('believes no TRX that counts more failures than it lists, or whose run was aborted', () => {
  const green = '<UnitTestResult testId="t" testName="A" outcome="Passed" />';
  const run = (summary: string) => readAny(`<TestRun><Results>${green}</Results>${summary}</TestRun>`);
  expect(run('<ResultSummary outcome="Failed"><Counters failed="1" error="0"/></ResultSummary>').outcome).toBe('fail');
  expect(run('<ResultSummary outcome="Aborted"><Counters failed="0"/></ResultSummary>').outcome).toBe('fail');
  expect(run('<ResultSummary outcome="Completed"><Counters failed="0"/></ResultSummary>').outcome).toBe('pass');
  expect(readAny(TRX.slice(0, TRX.indexOf('<TestDefinitions>'))).outcome).toBe('error');
});
