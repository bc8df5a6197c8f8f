import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TestResult, ToolReport } from '@umpire/core/model/vocabulary.js';
import type { ReadOptions } from './format.js';
import { openReport } from './open-report.js';
import { junit } from './junit.js';

const fixtures = join(import.meta.dirname, '../../../fixtures/tools/junit');

function read(text: string | Uint8Array, options: ReadOptions = {}): ToolReport {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const reports = [bytes.length + 1, 1, 7].map((piece) => {
    const reader = openReport({ ...options, format: junit });
    for (let at = 0; at < bytes.length; at += piece) reader.write(bytes.slice(at, at + piece));
    return reader.end();
  });
  expect(reports[1]).toEqual(reports[0]);
  expect(reports[2]).toEqual(reports[0]);
  return reports[0] as ToolReport;
}

const fixture = (name: string) => read(readFileSync(join(fixtures, name)), { root: '/project' });
const messages = ({ problems }: ToolReport) => problems.map(({ message }) => message);
const test = (id: string, status: TestResult['status'], more: Partial<TestResult> = {}): TestResult => ({
  id,
  status,
  file: null,
  line: null,
  message: null,
  durationMs: null,
  ...more,
});

describe('what tools write', () => {
  it('node:test, whose suites tell equal names apart', () => {
    const report = fixture('node-test.xml');
    expect(report).toMatchObject({ format: 'junit', outcome: 'fail', findings: [], problems: [] });
    expect(report.tests).toEqual({ total: 5, passed: 2, failed: 2, errored: 0, skipped: 1 });
    expect(report.results).toEqual([
      test("test > price > is the item's own", 'passed', { durationMs: 1.159 }),
      test('test > price > is less with a <discount> & &quot;quotes&quot;', 'failed', {
        message: 'Expected values to be strictly equal:5 !== 4\n    at TestContext.<anonymous> (file:///project/test/price.test.mjs:6:59)',
        durationMs: 10.035,
      }),
      test('test > price > is not known yet', 'skipped', { message: 'no tax', durationMs: 0.246 }),
      test("test > price > of nothing > is the item's own", 'failed', {
        message: 'boom\n    at TestContext.<anonymous> (file:///project/test/price.test.mjs:8:73)',
        durationMs: 10.774,
      }),
      test('test > top level', 'passed', { durationMs: 0.237 }),
    ]);
  });

  it('Vitest', () => {
    const report = fixture('vitest.xml');
    expect(report).toMatchObject({ outcome: 'fail', tests: { total: 6, passed: 2, failed: 2, errored: 0, skipped: 2 }, problems: [] });
    expect(report.results?.slice(0, 2)).toEqual([
      test('broken.test.mjs > broken.test.mjs', 'failed', {
        message: "Cannot find module './not-there.mjs' imported from /project/broken.test.mjs",
        durationMs: 0,
      }),
      test("vprice.test.mjs > price > is the item's own", 'passed', { durationMs: 7.035 }),
    ]);
  });

  it('pytest', () => {
    const report = fixture('pytest.xml');
    expect(report).toMatchObject({ outcome: 'fail', tests: { total: 6, passed: 2, failed: 1, errored: 1, skipped: 2 }, problems: [] });
    expect(report.results?.at(-1)).toEqual(
      test('py.test_price > pytest > test_setup', 'errored', {
        message: 'failed on setup with "RuntimeError: no database"\n    at py/test_price.py:24',
        durationMs: 1,
      }),
    );
  });

  it('surefire: flaky tests passed in the end, reruns that failed did not', () => {
    const report = read(`<testsuite name="shop.PriceTest" tests="3" errors="0" skipped="0" failures="1" time="1,234.5">
      <properties><property name="java.version" value="21"/></properties>
      <testcase name="flaky" classname="shop.PriceTest" time="1,234.5">
        <flakyFailure message="once" type="java.lang.AssertionError"><stackTrace>at a</stackTrace><system-out/></flakyFailure>
        <flakyError message="twice"/>
      </testcase>
      <testcase name="broken" classname="shop.PriceTest" time="0.1">
        <failure type="java.lang.AssertionError"><![CDATA[java.lang.AssertionError: <1> & 2
\tat shop.PriceTest]]></failure>
        <rerunFailure message="again"><stackTrace>at b</stackTrace></rerunFailure>
      </testcase>
      <testcase name="late" classname="shop.PriceTest"><rerunError message="never"/></testcase>
    </testsuite>`);
    expect(report.results).toEqual([
      test('shop.PriceTest > flaky', 'passed', { durationMs: 1_234_500 }),
      test('shop.PriceTest > broken', 'failed', {
        message: 'java.lang.AssertionError: <1> & 2\n\tat shop.PriceTest',
        durationMs: 100,
      }),
      test('shop.PriceTest > late', 'failed', { message: 'never' }),
    ]);
    expect(messages(report)).toEqual(['1 test is flaky: it failed first and passed when run again']);
  });

  it('googletest: what did not run is skipped', () => {
    const report = read(`<testsuites tests="4" failures="0" disabled="1" errors="0" time="0" name="AllTests"><testsuite name="Math">
      <testcase name="Adds" file="math_test.cc" line="7" status="run" result="completed" time="0.002" classname="Math"/>
      <testcase name="DISABLED_Subtracts" status="notrun" result="suppressed" time="0" classname="Math"/>
      <testcase name="Skips" status="run" result="skipped" time="0" classname="Math"/>
      <testcase name="Divides" status="run" result="Failed" classname="Math"/></testsuite></testsuites>`);
    expect(report.results).toEqual([
      test('Math > Adds', 'passed', { file: 'math_test.cc', line: 7, durationMs: 2 }),
      test('Math > DISABLED_Subtracts', 'skipped', { durationMs: 0 }),
      test('Math > Skips', 'skipped', { durationMs: 0 }),
      test('Math > Divides', 'failed'),
    ]);
  });

  it('PHPUnit: files become relative, of tests and of their suites', () => {
    const report = read(
      `<testsuites><testsuite name="Unit"><testsuite name="App\\PriceTest" file="/project/tests/PriceTest.php">
        <testcase name="testA" class="App\\PriceTest" file="/project/tests/PriceTest.php" line="12" assertions="1" time="x"/>
        <testcase name="testB" time="-1" line="0"/>
      </testsuite></testsuite></testsuites>`,
      { root: '/project' },
    );
    expect(report.results).toEqual([
      test('App\\PriceTest > testA', 'passed', { file: 'tests/PriceTest.php', line: 12 }),
      test('tests/PriceTest.php > Unit > App\\PriceTest > testB', 'passed', { file: 'tests/PriceTest.php' }),
    ]);
  });
});

describe('NUnit, converted to JUnit', () => {
  it('counts a failure that only the head of the report states', () => {
    // As a style sheet converts NUnit 2, which marks tests with success="False": the failed test looks like a passed one.
    const report = (head: string) =>
      read(`<testsuites ${head}><testsuite name="Tests.dll"><testsuite name="UnitTests">
        <testcase name="TestPropertyValue" classname="" time="0.146"/><testcase name="TestFailure" classname="" time="0.092"/>
        </testsuite></testsuite></testsuites>`);
    expect(report('tests="2" failures="1" skipped="0"')).toMatchObject({
      outcome: 'fail',
      tests: { total: 2, passed: 1, failed: 1, errored: 0, skipped: 0 },
    });
    expect(report('tests="4" failures="1" skipped="0"')).toMatchObject({ outcome: 'fail', tests: { total: 3, passed: 2, failed: 1 } });
    expect(report('tests="2" failures="7"')).toMatchObject({ outcome: 'fail', tests: { total: 7, passed: 0, failed: 7 } });
  });

  it('counts such a failure once, however many heads state it', () => {
    const report = read(`<testsuites tests="2" failures="1"><testsuite name="A" tests="2" failures="1"><testsuite name="B" failures="1">
      <testcase name="x"/><testcase name="y"/></testsuite></testsuite></testsuites>`);
    expect(report).toMatchObject({ outcome: 'fail', tests: { total: 2, passed: 1, failed: 1 } });
  });

  it('reads how a test ended from its attributes', () => {
    const report = read(`<testsuite name="S"><testcase name="a" executed="True" success="False"/><testcase name="b" executed="False"/>
      <testcase name="c" executed="True" success="True"/><testcase name="d" result="Failure"/><testcase name="e" result="Inconclusive"/>
      <testcase name="f" result="Cancelled"/><testcase name="g" result="NotRunnable"/></testsuite>`);
    expect(report.results?.map(({ id, status }) => `${id}: ${status}`)).toEqual([
      'S > a: failed',
      'S > b: skipped',
      'S > c: passed',
      'S > d: failed',
      'S > e: skipped',
      'S > f: errored',
      'S > g: skipped',
    ]);
  });
});

describe('ids', () => {
  it('tell tests of equal names in different files apart', () => {
    const one = (file: string, inner = '') => `<testcase classname="math adds" name="math adds" file="${file}">${inner}</testcase>`;
    const report =
      read(`<testsuites><testsuite name="math" tests="1" failures="1">${one('src/a.test.js', '<failure message="no"/>')}</testsuite>
      <testsuite name="math" tests="1">${one('src/b.test.js')}</testsuite>
      <testsuite name="math" tests="1" file="src/c.test.js"><testcase classname="math adds" name="math adds"/></testsuite></testsuites>`);
    expect(report).toMatchObject({ outcome: 'fail', tests: { total: 3, passed: 2, failed: 1 }, problems: [] });
    expect(report.results?.map(({ id }) => id)).toEqual([
      'math adds > math adds',
      'src/b.test.js > math adds > math adds',
      'src/c.test.js > math adds > math adds',
    ]);
  });

  it('leave out suites that the class repeats, and paths of one machine', () => {
    const report = read(`<testsuites name="run 17"><testsuite name="shop"><testsuite name="shop.Price">
      <testcase classname="shop.Price" name="a"/><testcase classname="shop.Prices" name="a"/>
      <testcase file="/home/me/a.js" name="b"/><testcase file="C:\\a.js" name="c"/><testcase file="../../a.js" name="d"/>
      </testsuite></testsuite></testsuites>`);
    expect(report.results?.map(({ id, file }) => [id, file])).toEqual([
      ['shop.Price > a', null],
      ['shop.Prices > shop.Price > a', null],
      ['shop > shop.Price > b', 'home/me/a.js'],
      ['a.js > shop > shop.Price > c', 'a.js'],
      ['a.js > shop > shop.Price > d', 'a.js'],
    ]);
  });

  it('tell tests without a name apart', () => {
    const report = read('<testsuite><testcase/><testcase name=" "><failure/></testcase><testcase name=" "/></testsuite>');
    expect(report.results).toEqual([test('(no name, 1)', 'passed'), test('(no name, 2)', 'failed'), test('(no name, 3)', 'passed')]);
    expect(messages(report)).toEqual(['some tests have no name; they are numbered in order']);
  });
});

describe('results', () => {
  it('the same class and name is a retry: the last counts', () => {
    const report = read(`<testsuite tests="3" failures="1"><testcase classname="A" name="x"><failure message="no"/></testcase>
      <testcase classname="A" name="y"/><testcase classname="A" name="x"/></testsuite>`);
    expect(report).toMatchObject({ outcome: 'pass', tests: { total: 2, passed: 2, failed: 0, errored: 0, skipped: 0 } });
    expect(messages(report)).toEqual(['1 result repeats a test by class and name (a retry); the last one counts']);
  });

  it('of several in one case the worst counts, with its own words', () => {
    const report = read(`<testsuite><testcase name="a"><skipped message="s"/><failure message="f"/><error message="e"/></testcase>
      <testcase name="b" status="error"/><testcase name="c"><failure> said in text </failure><skipped/></testcase>
      <testcase name="d"><failure type="Type"/></testcase><testcase name="e"><testcase name="inner"><error/></testcase></testcase></testsuite>`);
    expect(report.results?.map(({ id, status, message }) => [id, status, message])).toEqual([
      ['a', 'errored', 'e'],
      ['b', 'errored', null],
      ['c', 'failed', 'said in text'],
      ['d', 'failed', 'Type'],
      ['e', 'errored', null],
    ]);
  });

  it('lists what failed where not all are listed, and counts all', () => {
    const cases = Array.from({ length: 50 }, (_, index) => {
      const inner = index % 20 === 19 ? '<failure message="no"/>' : '';
      return `<testcase classname="C" name="t${index}" time="1">${inner}</testcase><testcase classname="C" name="t${index % 7}"/>`;
    });
    const report = read(`<testsuite>${cases.join('')}</testsuite>`, { keep: 3 });
    expect(report.tests).toEqual({ total: 50, passed: 48, failed: 2, errored: 0, skipped: 0 });
    expect(report.results).toEqual([
      test('C > t19', 'failed', { message: 'no', durationMs: 1000 }),
      test('C > t39', 'failed', { message: 'no', durationMs: 1000 }),
      test('C > t0', 'passed'),
    ]);
  });
});

describe('heads', () => {
  it('that promise success hide no failure', () => {
    const report = read('<testsuite tests="1" failures="0" errors="0"><testcase name="a"><failure/></testcase></testsuite>');
    expect(report.outcome).toBe('fail');
  });

  it('that tell of more failures than the body shows are believed', () => {
    const report = read(`<testsuites failures="1" tests="9"><testsuite name="S" failures="1" errors="1" tests="2"><testcase name="a"/>
      </testsuite></testsuites>`);
    expect(report.outcome).toBe('fail');
    expect(messages(report)).toEqual([
      'suite "S" states 2 failures or errors but lists 0; counted as failed',
      'the report states 9 tests but lists 1',
    ]);
  });

  it('W4: that promise more tests than are listed approve nothing', () => {
    const report = read('<testsuite name="S" tests="50"><testcase name="a"/></testsuite>');
    expect([report.outcome, messages(report)]).toEqual(['error', ['suite "S" states 50 tests but lists 1']]);
    const outer = read('<testsuites tests="3"><testsuite name="S" tests="1"><testcase name="a"/></testsuite></testsuites>');
    expect([outer.outcome, messages(outer)]).toEqual(['error', ['the report states 3 tests but lists 1']]);
  });

  it.each([
    [
      'pytest counts subtests',
      '<testsuites name="pytest tests"><testsuite name="mine" tests="9"><testcase name="a"/></testsuite></testsuites>',
    ],
    ['pytest before 8 too', '<testsuites><testsuite name="pytest" tests="9"><testcase name="a"/></testsuite></testsuites>'],
    ['Catch2 counts assertions', '<testsuite name="S" tests="9" hostname="tbd"><testcase name="a"/></testsuite>'],
    ['node:test counts suites', '<testsuite name="S" tests="2"><testcase name="a"/><testsuite name="empty" tests="0"/></testsuite>'],
    ['skipped tests are not listed', '<testsuite name="S" tests="3" skipped="1" disabled="1"><testcase name="a"/></testsuite>'],
  ])('that count something else are only noted: %s', (_, text) => {
    expect(read(text)).toMatchObject({
      outcome: 'pass',
      tests: { total: 1 },
      problems: [{ message: expect.stringContaining('but lists 1') as string }],
    });
  });

  it('a failure outside of all tests fails the report', () => {
    const report = read(`<testsuites><testsuite name="S"><testcase name="a"/><error message="no database"/></testsuite>
      <failure/><skipped/></testsuites>`);
    expect([report.outcome, messages(report)]).toEqual([
      'fail',
      ['suite "S" has an error outside of its tests: no database', 'a suite has a failure outside of its tests'],
    ]);
  });
});

describe('what cannot be read', () => {
  it.each([
    ['', 'the report is empty; the tool wrote nothing or has not finished'],
    ['<testsuites/>', 'the report has no tests'],
    ['<testsuite><testcase name="a"><skipped/></testcase></testsuite>', 'no test ran: the only one is skipped'],
  ])('%j is an error', (text, message) => {
    const report = read(text);
    expect([report.outcome, messages(report)]).toEqual(['error', [message]]);
  });

  it('a truncated report says how far it could be read', () => {
    const report = read('<testsuite>\n<testcase name="a"/>\n<testcase name="b"><fail');
    expect(report.outcome).toBe('error');
    expect(report.problems).toEqual([
      {
        message: 'the report ends in the middle of <testcase>, after 1 test; it was cut off or is still being written',
        line: 3,
      },
    ]);
  });

  it('a broken report says where', () => {
    const report = read('<testsuite>\n<testcase name="a"/>\n<testcase name="b"/>\n</testsuites>');
    expect(report.outcome).toBe('error');
    expect(report.problems).toEqual([
      {
        message: 'the report is not valid XML: unexpected close tag (after 2 tests)',
        line: 4,
      },
    ]);
    expect(read('<suites/>').problems).toEqual([
      { message: 'the report is not valid XML: the root element is <suites>; expected <testsuites> or <testsuite>', line: 1 },
    ]);
  });
});

it('is recognised by its root element', () => {
  const head = { text: '', name: '', kind: 'xml', lines: [], root: 'testsuites', keys: new Set<string>(), isArray: false } as const;
  expect([junit.recognises(head), junit.recognises({ ...head, root: 'testsuite' }), junit.recognises({ ...head, root: 'suites' })]).toEqual(
    [true, true, false],
  );
});

describe('equal names', () => {
  const one = (name: string, body: string, more = '') => `<testcase classname="${name}" name="works"${more}>${body}</testcase>`;
  const outcomeOf = (cases: string) => {
    const reader = openReport({ format: junit });
    reader.write(new TextEncoder().encode(`<testsuites><testsuite name="s">${cases}</testsuite></testsuites>`));
    return reader.end().outcome;
  };

  it('lets no test of another file, and none of node:test, speak for one that failed', () => {
    expect(outcomeOf(one('test', '<failure/>') + one('test', ''))).toBe('fail');
    expect(outcomeOf(one('C', '<failure/>', ' file="a.py"') + one('C', '', ' file="b.py"'))).toBe('fail');
  });

  it('takes the same class, name and file for a retry', () => {
    expect(outcomeOf(one('C', '<failure/>', ' file="a.py"') + one('C', '', ' file="a.py"'))).toBe('pass');
    expect(outcomeOf(one('C', '<failure/>') + one('C', ''))).toBe('pass');
  });
});
