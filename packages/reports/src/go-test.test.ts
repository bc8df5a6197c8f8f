// On output of Go 1.19; what Go 1.24 adds is by the documentation of test2json and `go help test`.

import { expect, it } from 'vitest';
import { readAny, readFixture, tellReport, tellTests } from '../../../test/support/report-text.js';

const RED = [
  'failed example.com/shop > TestSize',
  'failed example.com/shop > TestSize > plain_number: size_test.go:12: Size(5) = 6, want 5',
  'passed example.com/shop > TestSize > negative',
  'skipped example.com/shop > TestLater',
  'passed example.com/shop > TestParallel',
  'passed example.com/shop > TestParallel > a',
  'passed example.com/shop > TestParallel > b',
  'errored example.com/shop/bad: build failed',
  'passed example.com/shop/exit > TestFine',
  'errored example.com/shop/exit: the package failed outside of its tests',
  'passed example.com/shop/sub > TestTwo',
];

it.each(['go-json/red.json', 'go-text/verbose.txt'])('reads each test of %s, also where a test printed no end of line', (path) => {
  expect(tellTests(readFixture(path))).toEqual(RED);
});

it.each(['go-json/timeout.json', 'go-text/timeout.txt'])('counts a test that never ended as an error in %s', (path) => {
  expect(tellTests(readFixture(path))).toEqual([
    'passed example.com/shop/slow > TestQuick',
    'errored example.com/shop/slow > TestSlow: the test began and did not end',
  ]);
  expect(readFixture(path).results?.[1]?.message).toContain('panic: test timed out after 300ms');
});

it('reads a panic, and why a package does not build', () => {
  expect(tellTests(readFixture('go-text/panic.txt'))[1]).toBe(
    'failed example.com/shop/panic > TestPanics: panic: assignment to entry in nil map [recovered]',
  );
  for (const path of ['go-json/red.json', 'go-text/verbose.txt'])
    expect(readFixture(path).results?.find(({ id }) => id === 'example.com/shop/bad')?.message).toBe(
      'build failed\nbad/bad_test.go:5:30: undefined: undefinedThing',
    );
});

const UNNAMED = 'the passed tests of 1 package are not named; go test -v or -json names them';

it.each([
  ['go-text/plain.txt', ['go-text fail 1/2/2/0', UNNAMED]],
  ['go-text/green.txt', ['go-text pass 1/0/0/0', UNNAMED]],
  ['go-text/nothing.txt', ['go-text error 0/0/0/0', 'the report has no tests']],
  ['go-text/skipped.txt', ['go-text error 0/0/0/1', 'no test ran: the only one is skipped']],
])('tells how %s ended', (path, expected) => {
  expect(tellReport(readFixture(path))).toEqual(expected);
});

const event = (action: string, test?: string, output?: string) =>
  JSON.stringify({ Action: action, Package: 'shop', Test: test, Output: output });

it('reads what Go 1.24 says of a build that failed', () => {
  const report = readAny(
    [
      '{"ImportPath":"shop [shop.test]","Action":"build-output","Output":"# shop [shop.test]\\n"}',
      '{"ImportPath":"shop [shop.test]","Action":"build-output","Output":"./a_test.go:5:2: undefined: x\\n"}',
      '{"ImportPath":"shop [shop.test]","Action":"build-fail"}',
      '{"Action":"start","Package":"shop"}',
      '{"Action":"output","Package":"shop","Output":"FAIL\\tshop [build failed]\\n"}',
      '{"Action":"fail","Package":"shop","Elapsed":0,"FailedBuild":"shop [shop.test]"}',
    ].join('\n'),
  );
  expect(tellTests(report)).toEqual(['errored shop: ./a_test.go:5:2: undefined: x']);
});

it('takes the same test again as another one: a pass never hides a failure', () => {
  const once = (end: string) => [event('run', 'TestA'), event(end, 'TestA')];
  const report = readAny([...once('fail'), ...once('pass'), event('fail')].join('\n'));
  expect(tellTests(report)).toEqual(['failed shop > TestA', 'passed shop > TestA (2)']);
});

it('is an error where the report is cut off', () => {
  const cut = 'before shop ended, after 0 tests; it was cut off or is still being written';
  expect(tellReport(readAny([event('run', 'TestA'), event('pass', 'TestA')].join('\n')))).toEqual([
    'go-json error 1/0/1/0',
    `the report ends ${cut}`,
  ]);
  expect(tellReport(readAny('=== RUN   TestA\n--- PASS: TestA (0.00s)\n'))[0]).toBe('go-text error 1/0/0/0');
  expect(tellReport(readAny('=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n'))).toEqual(['go-text pass 1/0/0/0']);
});

it('says that results are cached', () => {
  expect(tellReport(readAny('=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tshop\t(cached)\n'))).toEqual([
    'go-text pass 1/0/0/0',
    'the results of 1 package are cached and were not run again; -count=1 runs all',
  ]);
});
