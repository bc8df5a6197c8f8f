// What `cargo nextest run` prints: a line a test that ended, its output below it, and a summary. A retry is the same test again; those that the
// end of the run lists once more are no others.

import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import { COMPILE_FAILURE, findFailure } from './cargo.js';
import type { Format } from './format.js';
import { PrintedReader, type PrintedTest, tellLine } from './printed-tests.js';
import { counted, toMilliseconds } from './report-builder.js';

const STARTING = /^\s*Starting (\d{1,9}) tests? across \d{1,9} binar(?:y|ies)\b/;
/** `4/5 tests run: 3 passed (1 slow, 1 flaky), 1 failed, 1 exec failed, 1 timed out, 2 skipped` */
const SUMMARY = /^\s*Summary \[[^\]]{1,20}\] (\d{1,9})(?:\/(\d{1,9}))? tests? run: (.+)$/;
/** `  TRY 2 FAIL [   0.004s] (3/5) shop::cli help`, in a stress run with `[1]` before the counter; of one left out the time is blank. */
const TEST =
  /^( {0,8}[A-Z][A-Z0-9 +/-]{2,11}) \[(?: *(\d{1,9}(?:\.\d{1,9})?)s| {9})\] (?:\[(\d{1,9})(?:\/\d{1,9})?\] )?(?:\([ \d/─-]{1,40}\) )?(\S+) (\S.*)$/;
const RETRY = /^TRY \d{1,9} (.+)$/;
/** Also of older versions: `--- TRY 1 STDERR:        shop tests::adds ---` */
const HEADING = /^(?: {2}std(?:out|err) ─{3}|(?:---|─{4}) (?:TRY \d{1,9} )?STD(?:OUT|ERR): .*)$/;
/** What stands between tests, and ends the output of one. */
const BETWEEN =
  /^(?: {0,11}(?:Cancell?ing|Killing|SLOW|TERMINATING|TRY \d{1,9} (?:SLOW|TRMNTG|DELAY|START)|SETUP|START|\d\/\d RETRY)\b|─{12}$|-{12}$)/;
/** cargo-nextest has cargo build the test programs. */
const BUILD = /^error: command `.*cargo.* test --no-run .*` exited with code \d+$/;
/** Of the test program, which runs one test alone. */
const HARNESS = /^\s*(?:running 1 test|test .* \.\.\. FAILED|failures:|test result: .*|note: run with `RUST_BACKTRACE.*)?$/;

const PASSED: ReadonlySet<string> = new Set(['PASS', 'LEAK', 'TIMEOUT-PASS', 'TMPASS', 'SLOW', 'SLOW + LEAK', 'SLOW+TMPASS']);
const FAILED: ReadonlySet<string> = new Set(['FAIL', 'FAIL + LEAK', 'FL+LK', 'LEAK-FAIL', 'LKFAIL']);
/** Right-aligned: the output of tests is indented by more. */
const WORDS_WIDTH = 12;
const LONGEST_ERROR = 300;
/** All are held until the summary: 700 bytes each. */
const MOST_TESTS = 300_000;

class NextestReader extends PrintedReader {
  /** Of the run at work, by id; null before the first and behind its summary. */
  private run: Map<string, PrintedTest> | null = null;
  /** Whose output is being read. */
  private printed: PrintedTest | null = null;
  private readonly failing = new Set<PrintedTest>();
  private named = 0;
  private isBroken = false;
  private firstError = '';
  private notRun = 0;
  private flaky = 0;
  private unnamed = 0;

  protected take(line: string): void {
    const summary = SUMMARY.exec(line);
    const broken = COMPILE_FAILURE.exec(line);
    if (STARTING.test(line)) {
      this.run = new Map();
      this.printed = null;
    } else if (summary !== null) this.takeSummary(Number(summary[1]), Number(summary[2] ?? summary[1]), summary[3] ?? '');
    else if (this.takeTest(line)) return;
    else if (broken !== null) {
      const [, name = '', target = ''] = broken;
      this.isBroken = true;
      this.report.fail(`cargo could not compile ${name}${target}${this.firstError === '' ? '' : `: ${this.firstError}`}`);
    } else if (BUILD.test(line)) {
      if (!this.isBroken) this.report.fail('cargo could not build the test programs');
      this.isBroken = true;
    } else if (/^ +- test configured to fail if flaky$/.test(line) && this.printed !== null) {
      this.printed.status = 'failed';
      this.printed.message = 'It failed first and passed when run again; the settings let such a test fail.';
    } else if (/^error(?:\[E\d+\])?: /.test(line) && this.printed === null) this.firstError ||= line.slice(0, LONGEST_ERROR);
    else if (BETWEEN.test(line)) this.printed = null;
    else if (this.printed !== null && !HEADING.test(line) && !HARNESS.test(line)) tellLine(this.printed, line.replace(/^ {4}/, ''));
  }

  private takeTest(line: string): boolean {
    const [, head = '', seconds, stress, binary = '', name = ''] = TEST.exec(line) ?? [];
    const words = head.trimStart();
    const status = readStatus(words);
    if (status === null || head.length > WORDS_WIDTH) return false;
    const id = `${binary} > ${name}${stress === undefined ? '' : ` (iteration ${stress})`}`;
    // At the end of the run its failures are listed once more, maybe with their output.
    if (this.run === null) {
      this.printed = null;
      return true;
    }
    const durationMs = seconds === undefined ? null : toMilliseconds(Number(seconds));
    if (this.named >= MOST_TESTS) {
      this.report.fail(`the run names more than ${MOST_TESTS} tests; run it in parts`);
      return true;
    }
    const known = this.run.get(id);
    if (known === undefined) this.named += 1;
    const test = known ?? this.tests.add(id, status);
    if (status === 'passed' && words.startsWith('TRY ')) this.flaky += 1;
    if (status === 'failed' || status === 'errored') this.failing.add(test);
    Object.assign(test, { status, durationMs, message: status === 'errored' ? `${words.replace(/^TRY \d+ /, '')}\n` : '' });
    this.run.set(id, test);
    this.printed = test;
    return true;
  }

  private takeSummary(ran: number, planned: number, counts: string): void {
    this.printed = null;
    const count = (what: string): number => Number(new RegExp(`(\\d{1,9}) ${what}\\b`).exec(counts)?.[1] ?? 0);
    const bad = { failed: count('failed'), errored: count('exec failed') + count('timed out') };
    const named = [...(this.run?.values() ?? [])].filter(({ status }) => status === 'skipped').length;
    // Without the status level "skip", those left out are not named: by a filter or by #[ignore], nobody can say.
    this.unnamed += Math.max(0, count('skipped') - named);
    this.tests.state({ passed: count('passed'), ...bad, skipped: named });
    this.notRun += planned - ran;
    this.run = null;
  }

  protected finish(line: number): void {
    const { report } = this;
    if (this.isBroken) return;
    for (const test of this.failing) test.message = findFailure(test.message) ?? '';
    this.tests.settle(report, line, 'NEXTEST_STATUS_LEVEL=skip');
    // A report without tests says so by itself.
    if (this.unnamed > 0 && report.testCount === 0) report.fail(`no test ran: ${counted(this.unnamed, 'test')} left out`);
    else if (this.unnamed > 0) report.note(`${counted(this.unnamed, 'test')} ${this.unnamed === 1 ? 'was' : 'were'} left out, unnamed`);
    if (this.flaky > 0)
      report.note(`${counted(this.flaky, 'test')} ${this.flaky === 1 ? 'is' : 'are'} flaky: failed first and passed when run again`);
    const notRun = `${counted(this.notRun, 'test')} did not run: the run was cancelled`;
    if (this.notRun > 0) report.failUnlistedTests(notRun);
  }
}

/** Null: the line says no end of a test. A signal is `SIGSEGV`, behind a retry `SEGV`. */
function readStatus(words: string): TestStatus | null {
  const word = RETRY.exec(words)?.[1] ?? words;
  if (PASSED.has(word) || /^FLAKY \d/.test(word)) return 'passed';
  if (FAILED.has(word) || /^FLKY-FL \d/.test(word)) return 'failed';
  if (word === 'SKIP') return 'skipped';
  const isSignal = word !== words || /^(?:SIG[A-Z]+|ABORT(?: SIG \d+)?|TIMEOUT|XFAIL)$/.test(word);
  return isSignal && !/^(?:SLOW|TRMNTG|DELAY|START)$/.test(word) ? 'errored' : null;
}

export const nextest: Format = {
  id: 'nextest',
  title: 'cargo nextest output',
  content: 'tests',
  recognises: ({ lines }) => lines.some((line) => STARTING.test(line) || SUMMARY.test(line) || BUILD.test(line)),
  open: (report) => new NextestReader(report),
};
