// JUnit XML in all its dialects: pytest, surefire, gradle, jest-junit, Vitest, node:test, googletest, go-junit-report, PHPUnit and
// .NET. Tests are counted by element; what a suite says of itself in its head can only make matters worse. What one case comes
// to is in junit-case.ts, where it stands in junit-suites.ts.

import type { ToolReport } from '@umpire/core/model.js';
import type { Format, ReadOptions, ReportReader } from './format.js';
import { JunitCase, type CaseResult } from './junit-case.js';
import { JunitSuites } from './junit-suites.js';
import { Sheet } from './sheet.js';
import { hashText } from '@umpire/core/formats/text-hash.js';
import { endXml } from './xml-report.js';
import { XmlStream, type XmlHandler } from './xml-stream.js';
import { attributeName, type XmlTag } from './xml-tag.js';

const SUITES = 1;
const SUITE = 2;
const CASE = 3;
const FAILURE = 4;
const ERROR = 5;
const SKIPPED = 6;
const FLAKY = 7;
const RERUN = 8;

const KINDS: Readonly<Record<string, number>> = {
  testsuites: SUITES,
  testsuite: SUITE,
  testcase: CASE,
  failure: FAILURE,
  error: ERROR,
  skipped: SKIPPED,
  disabled: SKIPPED,
  ignored: SKIPPED,
  flakyFailure: FLAKY,
  flakyError: FLAKY,
  rerunFailure: RERUN,
  rerunError: RERUN,
};

/** A rerun that failed: the test never passed. */
const RESULTS: Readonly<Record<number, CaseResult>> = {
  [FAILURE]: 'failed',
  [RERUN]: 'failed',
  [ERROR]: 'errored',
  [SKIPPED]: 'skipped',
  [FLAKY]: 'flaky',
};

const MESSAGE = attributeName('message');
const TYPE = attributeName('type');
/** As much of a failure as is shown, with room for entities. */
const WANTED_TEXT = 1500;
const MOST_FAILED = 50_000;

class JunitReader implements ReportReader, XmlHandler {
  private readonly sheet: Sheet;
  private readonly stream = new XmlStream(this, KINDS, ['testsuites', 'testsuite']);
  private readonly suites: JunitSuites;
  private readonly case: JunitCase;
  /** A case inside of a case is part of it. */
  private inCase = 0;
  /** Elements inside of a result, such as the stack trace of a rerun: they are part of it. */
  private inResult = 0;
  private headline = '';
  private flaky = 0;
  /** Tests that failed, with a hash of their file: one of another file that passed does not speak for them. */
  private readonly failed = new Map<number, number>();
  private readonly place = { high: 0, low: 0 };
  /** Half of their hash: almost every test that passed is told by that alone. */
  private readonly failedLows = new Set<number>();

  constructor(options: ReadOptions) {
    this.sheet = new Sheet('junit', 'tests', options);
    this.suites = new JunitSuites(this.sheet);
    this.case = new JunitCase(options.root);
  }

  write(chunk: Uint8Array): void {
    this.stream.write(chunk);
  }

  end(): ToolReport {
    endXml(this.stream, this.sheet, this.sheet.testCount, 'test', '<testsuites> or <testsuite>');
    const { flaky } = this;
    if (flaky > 0)
      this.sheet.note(
        flaky === 1
          ? '1 test is flaky: it failed first and passed when run again'
          : `${flaky} tests are flaky: they failed first and passed when run again`,
      );
    return this.sheet.end();
  }

  open(kind: number, tag: XmlTag): number {
    if (kind >= FAILURE) return this.openResult(kind, tag);
    if (kind === CASE) {
      this.inCase += 1;
      if (this.inCase === 1) this.case.open(tag, this.suites);
    } else if (kind !== 0 && this.inCase === 0) {
      this.suites.open(tag, kind === SUITE);
    }
    return 0;
  }

  close(kind: number, text: string): void {
    if (kind >= FAILURE) this.closeResult(kind, text);
    else if (kind === CASE) this.closeCase();
    else if (kind !== 0 && this.inCase === 0) this.suites.close();
  }

  private openResult(kind: number, tag: XmlTag): number {
    this.inResult += 1;
    if (this.inResult > 1) return 0;
    this.headline = tag.text(MESSAGE)?.trim() || '';
    if (this.headline !== '') return 0;
    this.headline = tag.text(TYPE)?.trim() || '';
    return kind === SKIPPED ? 0 : WANTED_TEXT;
  }

  private closeResult(kind: number, text: string): void {
    this.inResult -= 1;
    if (this.inResult > 0) return;
    const message = text.trim() || this.headline;
    if (kind === FAILURE || kind === ERROR) this.suites.failed();
    if (this.inCase > 0) this.case.add(RESULTS[kind] ?? 'flaky', message);
    else if (kind === FAILURE || kind === ERROR) this.suites.failedOutside(kind === ERROR ? 'an error' : 'a failure', message);
  }

  private rememberFailure(): void {
    const { status, key, isOfNode, file } = this.case;
    const isBad = status === 'failed' || status === 'errored';
    if (!isBad && !this.failedLows.has(key.low | 0)) return;
    // As many bits of the hash as a number holds.
    const known = key.low * 0x200000 + (key.high >>> 11);
    const place = hashText(file, this.place).low | 0;
    if (isBad && this.failed.size < MOST_FAILED) {
      this.failed.set(known, place);
      this.failedLows.add(key.low | 0);
    }
    const other = isBad ? undefined : this.failed.get(known);
    if (other !== undefined && (isOfNode || other !== place))
      this.sheet.saysFailed('a test failed, and another of its class and name passed later; they are two tests, and one failed');
  }

  private closeCase(): void {
    this.inCase -= 1;
    if (this.inCase > 0) return;
    const { case: testcase, sheet } = this;
    if (testcase.isFlaky && testcase.status === 'passed') this.flaky += 1;
    this.suites.ran();
    this.rememberFailure();
    if (!sheet.countUnlisted(testcase.key, testcase.status)) sheet.test(testcase.result(), testcase.key);
  }
}

export const junit: Format = {
  id: 'junit',
  title: 'JUnit XML',
  recognises: (head) => head.kind === 'xml' && (head.root === 'testsuites' || head.root === 'testsuite'),
  open: (options) => new JunitReader(options),
};
