// What Python's unittest prints, also for Django: each test with `-v`, else only those that failed; failures are described at the end.

import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import type { Format, ReadOptions } from './format.js';
import { PrintedReader, type PrintedTest, tellLine } from './printed-tests.js';
import { toProjectPath } from './project-path.js';
import type { ReportBuilder } from './report-builder.js';

/** `test_adds (tests.test_money.MoneyTest.test_adds)`; before Python 3.11 without the name at the end. Behind it may stand a subtest. */
const TEST = /^ {0,2}([^\s(]+) \(([\w.]+)\)(?: [[(].*[\])])?(?: \.\.\.(?: (.*))?)?$/;
const END = /^(?:(ok|FAIL|ERROR|expected failure|unexpected success)|skipped\b.*)$/;
const ENDS: ReadonlyMap<string, TestStatus> = new Map([
  ['ok', 'passed'],
  ['FAIL', 'failed'],
  ['ERROR', 'errored'],
  ['expected failure', 'skipped'],
  ['unexpected success', 'failed'],
]);
const DESCRIBED = /^(FAIL|ERROR|UNEXPECTED SUCCESS): (.+)$/;
const RAN = /^Ran (\d{1,9}) tests? in \d+\.\d+s$/;
const RESULT = /^(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/;
/** They are no tests, and the count of tests leaves them out. */
const FIXTURES: ReadonlySet<string> = new Set(['setUpClass', 'tearDownClass', 'setUpModule', 'tearDownModule']);

class UnittestReader extends PrintedReader {
  /** A test that began, and whose end is on a later line. */
  private begun: string | null = null;
  /** The test whose failure is being described. */
  private described: PrintedTest | null = null;
  private place = '';
  private ran: number | null = null;

  constructor(
    report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {
    super(report);
  }

  protected take(line: string): void {
    const described = DESCRIBED.exec(line);
    const known = described === null ? null : nameTest(described[2] ?? '');
    const ran = RAN.exec(line)?.[1];
    if (known !== null) this.describe(known.id, described?.[1] === 'ERROR' ? 'errored' : 'failed');
    else if (ran !== undefined) {
      this.ran = Number(ran);
      this.described = null;
    } else if (this.ran !== null) this.takeResult(line);
    else if (this.described !== null) this.takeTraceback(this.described, line);
    else this.takeTest(line);
  }

  private takeTest(line: string): void {
    const test = nameTest(line);
    // A subtest that was skipped says nothing of its test.
    if (test !== null && line.startsWith('  '))
      return /^(?:FAIL|ERROR)$/.test(test.said ?? '') ? this.endBegun(test.said ?? '') : undefined;
    // The first line of a description may stand below the name.
    const said = test === null ? line.replace(/^.* \.\.\. /, '') : (test.said ?? '');
    if (test !== null) {
      if (this.begun !== test.id) this.abandon();
      this.begun = test.id;
    }
    if (this.begun !== null && END.test(said)) this.endBegun(said);
  }

  /** A test with several subtests that failed ends once. */
  private endBegun(said: string): void {
    if (this.begun !== null) this.tests.add(this.begun, ENDS.get(END.exec(said)?.[1] ?? '') ?? 'skipped');
    this.begun = null;
  }

  private describe(id: string, status: TestStatus): void {
    const last = this.described;
    this.place = '';
    if (last?.id !== id) this.described = this.tests.describe(id, status);
    else if (status === 'errored') last.status = status;
  }

  /** The place where it was thrown, and what was thrown. */
  private takeTraceback(test: PrintedTest, line: string): void {
    const [, path = '', at = ''] = /^ {2}File "(.+)", line (\d+)/.exec(line) ?? [];
    if (path !== '') this.place = `${toProjectPath(path, this.options.root) ?? path}:${at}: `;
    if (line === '' || /^(?: {2}|={70}$|-{70}$|Traceback \()/.test(line)) return;
    tellLine(test, `${this.place}${line}`);
    this.place = '';
  }

  private takeResult(line: string): void {
    const result = RESULT.exec(line);
    if (result === null || this.ran === null) return;
    const counts = new Map([...(result[1] ?? '').matchAll(/([a-z][a-z ]*)=(\d{1,9})/g)].map(([, key = '', count]) => [key, Number(count)]));
    const count = (key: string): number => counts.get(key) ?? 0;
    const skipped = count('skipped') + count('expected failures');
    // A test may fail in several subtests, and each is counted.
    const failed = Math.max(this.tests.count('failed'), Math.min(1, count('failures')), count('unexpected successes'));
    const errored = Math.max(this.tests.count('errored'), Math.min(1, count('errors')));
    const listed = failed + errored - this.tests.countIds((id) => FIXTURES.has(id.split(' > ').at(-1) ?? ''));
    this.tests.state({ passed: Math.max(0, this.ran - listed - skipped), failed, errored, skipped });
    this.ran = null;
  }

  private abandon(): void {
    if (this.begun !== null) tellLine(this.tests.add(this.begun, 'errored'), 'the test began and did not end');
    this.begun = null;
  }

  protected finish(line: number): void {
    this.abandon();
    this.tests.settle(this.report, line, 'python -m unittest -v');
  }
}

function nameTest(line: string): { readonly id: string; readonly said: string | undefined } | null {
  const [, name = '', path = '', said] = TEST.exec(line) ?? [];
  if (name === '') return null;
  const owner = path.endsWith(`.${name}`) ? path.slice(0, -name.length - 1) : path;
  return { id: `${owner} > ${name}`, said };
}

export const unittest: Format = {
  id: 'unittest',
  title: 'unittest output',
  content: 'tests',
  recognises: ({ kind, lines }) => kind === 'text' && lines.some((line) => RAN.test(line) || /^test\w* \([\w.]+\)(?: \.\.\.|$)/.test(line)),
  open: (report, options) => new UnittestReader(report, options),
};
