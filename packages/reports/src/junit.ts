// JUnit XML in all its dialects: pytest, surefire, gradle, jest-junit, Vitest, node:test, googletest, go-junit-report, PHPUnit and
// .NET. Tests are counted by element. The totals in the head of a suite can only make the outcome worse.

import { detachText } from '@umpire/core/formats/text-hash.js';
import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import type { Format, ReadOptions } from './format.js';
import { toProjectPath } from './project-path.js';
import { counted, type ReportBuilder, toMilliseconds } from './report-builder.js';
import { readCount, readXml, type XmlAttributes, type XmlHandler } from './xml.js';

/** pytest counts subtests as tests and lists none of them. */
const PYTEST_NAMES: ReadonlySet<string> = new Set(['pytest', 'pytest tests']);
/** Catch2 counts assertions. It is known by the host that it never fills in. */
const CATCH2_HOST = 'tbd';
const MOST_FAILED = 50_000;

type CaseResult = 'failed' | 'errored' | 'skipped' | 'flaky';

/** A rerun that failed: the test never passed. */
const RESULTS: ReadonlyMap<string, CaseResult> = new Map([
  ['failure', 'failed'],
  ['error', 'errored'],
  ['skipped', 'skipped'],
  ['disabled', 'skipped'],
  ['ignored', 'skipped'],
  ['flakyFailure', 'flaky'],
  ['flakyError', 'flaky'],
  ['rerunFailure', 'failed'],
  ['rerunError', 'failed'],
]);

/** Words in `status` and `result`; any other says nothing. */
const WORDS: ReadonlyMap<string, TestStatus> = new Map([
  ['notrun', 'skipped'],
  ['disabled', 'skipped'],
  ['skipped', 'skipped'],
  ['skip', 'skipped'],
  ['ignored', 'skipped'],
  ['suppressed', 'skipped'],
  ['pending', 'skipped'],
  ['failed', 'failed'],
  ['fail', 'failed'],
  ['failure', 'failed'],
  ['error', 'errored'],
  ['errored', 'errored'],
  ['inconclusive', 'skipped'],
  ['cancelled', 'errored'],
  ['notrunnable', 'skipped'],
  ['timeout', 'errored'],
]);

const RANK: Readonly<Record<TestStatus, number>> = { passed: 0, skipped: 1, failed: 2, errored: 3 };

interface JunitSuite {
  readonly name: string;
  readonly file: string;
  /** As its head says; 0 where it says nothing. */
  readonly saidTests: number;
  readonly saidFailures: number;
  readonly saidSkipped: number;
  /** Its head counts something else than tests. */
  readonly countsOthers: boolean;
  tests: number;
  skipped: number;
  /** Suites in it: node:test counts them as its tests. */
  suites: number;
  failures: number;
  /** Tests that no element shows, of failures that a head states. */
  unlisted: number;
  unnamed: number;
}

/** A <testcase>. Of several results the worst counts; a flaky test passed in the end. */
interface JunitCase {
  readonly id: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly durationMs: number | null;
  /** node:test calls the class of every test `test`, and has no retries: equal names are other tests. */
  readonly isOfNode: boolean;
  /** CTest did not run it, and says why. */
  readonly isNotRun: boolean;
  /** What it printed, for a failure without a message. */
  output: string;
  status: TestStatus;
  message: string | null;
  isFlaky: boolean;
}

class JunitHandler implements XmlHandler {
  private readonly suites: JunitSuite[] = [];
  private case: JunitCase | null = null;
  /** A case inside of a case is part of it, as are elements inside of a result, such as the stack trace of a rerun. */
  private casesOpen = 0;
  private resultsOpen = 0;
  private headline = '';
  private hasMessage = false;
  private flaky = 0;
  private isOfPytest = false;
  /** Failures that heads state and no element shows, and how many tests these heads state beyond those listed. */
  private unlistedFailures = 0;
  private unlistedTests = 0;
  /** Failed tests of node:test. */
  private readonly failed = new Set<string>();
  /** The start of the ids in these suites, for a class that comes many times in a row. */
  private prefix: { readonly owner: string; readonly text: string } | null = null;
  private place: { readonly file: string; readonly path: string | null } = { file: '', path: null };

  constructor(
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  open(name: string, attributes: XmlAttributes): boolean {
    if (name === 'testcase') {
      this.casesOpen += 1;
      if (this.casesOpen === 1) this.openCase(attributes);
    } else if (name === 'testsuite' || name === 'testsuites') {
      if (this.casesOpen === 0) this.openSuite(attributes, name === 'testsuite');
    } else if (RESULTS.has(name)) {
      this.resultsOpen += 1;
      if (this.resultsOpen > 1) return false;
      const message = attributes['message']?.trim() ?? '';
      this.headline = message || (attributes['type']?.trim() ?? '');
      this.hasMessage = message !== '';
      return RESULTS.get(name) !== 'skipped';
    }
    return name === 'system-out' && this.case !== null && this.case.status === 'failed' && this.case.message === null;
  }

  close(name: string, text: string): void {
    if (name === 'testcase') {
      this.casesOpen -= 1;
      if (this.casesOpen === 0 && this.case !== null) this.closeCase(this.case);
    } else if (name === 'testsuite' || name === 'testsuites') {
      if (this.casesOpen === 0) this.closeSuite();
    } else if (RESULTS.has(name)) {
      this.resultsOpen -= 1;
      if (this.resultsOpen === 0) this.addResult(name, this.hasMessage ? `${this.headline}${stackIn(text)}` : text.trim() || this.headline);
    } else if (name === 'system-out' && this.case !== null) this.case.output = text.trim();
  }

  end(): void {
    const { flaky, report } = this;
    if (report.testCount > 0) report.countStatedFailures(this.unlistedFailures, this.unlistedTests);
    if (flaky === 1) report.note('1 test is flaky: it failed first and passed when run again');
    else if (flaky > 1) report.note(`${flaky} tests are flaky: they failed first and passed when run again`);
  }

  /** The name of <testsuites> is the run's, not a suite's: it is no part of an id. */
  private openSuite(attributes: XmlAttributes, isNamed: boolean): void {
    const stated = (...names: readonly string[]): number => names.reduce((sum, each) => sum + Math.max(0, readCount(attributes, each)), 0);
    const parent = this.suites.at(-1);
    if (parent !== undefined) parent.suites += 1;
    this.prefix = null;
    const { name = '', file = '', filepath = '', hostname } = attributes;
    this.isOfPytest ||= PYTEST_NAMES.has(name);
    this.suites.push({
      name: isNamed ? name.trim() : '',
      file: file.trim() || filepath.trim() || (parent?.file ?? ''),
      saidTests: stated('tests'),
      saidFailures: stated('failures', 'errors'),
      saidSkipped: stated('skipped', 'disabled', 'ignored'),
      countsOthers: this.isOfPytest || hostname === CATCH2_HOST,
      tests: 0,
      skipped: 0,
      suites: 0,
      failures: 0,
      unlisted: 0,
      unnamed: 0,
    });
  }

  private closeSuite(): void {
    const suite = this.suites.pop();
    this.prefix = null;
    if (suite === undefined) return;
    const { report } = this;
    const called = suite.name === '' ? 'the report' : `suite "${suite.name.slice(0, 100)}"`;
    const missing = suite.saidFailures - suite.failures;
    if (missing > 0) {
      const failures = suite.saidFailures === 1 ? 'failure or error' : 'failures or errors';
      report.markFailed(`${called} states ${suite.saidFailures} ${failures} but lists ${suite.failures}; counted as failed`);
      const added = Math.min(missing, Math.max(0, suite.saidTests - suite.tests - suite.unlisted));
      this.unlistedFailures += missing;
      this.unlistedTests += added;
      suite.failures += missing;
      suite.unlisted += added;
    } else if (suite.saidTests > suite.tests) {
      const said = `${called} states ${counted(suite.saidTests, 'test')} but lists ${suite.tests}`;
      const unlistedSkips = Math.max(0, suite.saidSkipped - suite.skipped);
      if (suite.countsOthers || suite.saidTests <= suite.tests + suite.suites + unlistedSkips) report.note(said);
      else report.failUnlistedTests(said);
    }
    const parent = this.suites.at(-1);
    if (parent === undefined) return;
    parent.tests += suite.tests;
    parent.skipped += suite.skipped;
    parent.failures += suite.failures;
    parent.unlisted += suite.unlisted;
  }

  private openCase(attributes: XmlAttributes): void {
    const suite = this.suites.at(-1);
    let file = attributes['file']?.trim() || (suite?.file ?? '');
    let name = attributes['name']?.trim() ?? '';
    // PHPUnit's class is whole; its suites are the class again, a data provider, or what the settings call a set of folders.
    const ofPhpunit = attributes['class']?.trim() ?? '';
    const written = ofPhpunit || (attributes['classname']?.trim() ?? '');
    // Deno names the file as the class.
    const isFile = file === '' && /^\.\/\S+\.\w{1,4}$/.test(written);
    if (isFile) file = written;
    if (file !== this.place.file) this.place = { file, path: file === '' ? null : toProjectPath(file, this.options.root) };
    const { path } = this.place;
    // A test without a class is known by its file, unless that is a path of one machine.
    const isOfMachine = (file.startsWith('/') || file.includes(':')) && path === file.slice(1);
    const owner = isFile || written === '' ? (isOfMachine ? '' : (path ?? '')) : written;
    // CTest has no classes, and its one suite is named by the machine.
    const isOfCtest = owner !== '' && owner === name && this.suites.length === 1;
    if (isOfCtest) this.prefix = { owner: detachText(owner), text: '' };
    else if (this.prefix?.owner !== owner) {
      const outer = ofPhpunit === '' ? this.suites.map((each) => each.name) : [];
      const names = outer.filter((each) => each !== '' && each !== written && !repeatsName(owner, each));
      this.prefix = { owner: detachText(owner), text: (owner === '' ? names : [owner, ...names]).map((part) => `${part} > `).join('') };
    }
    if (name === '') {
      // Told apart by their order.
      if (suite !== undefined) suite.unnamed += 1;
      this.report.note('some tests have no name; they are numbered in order');
      name = `(no name, ${suite?.unnamed ?? 1})`;
    }
    // NUnit's, where a converter keeps them: `True` or `False`.
    const isFalse = (word: string | undefined): boolean => word?.trim().toLowerCase() === 'false';
    const { status, result, executed, success } = attributes;
    const words = [status, result].map((word) => WORDS.get(word?.trim().toLowerCase() ?? '') ?? 'passed');
    if (isFalse(executed)) words.push('skipped');
    else if (isFalse(success)) words.push('failed');
    const line = readCount(attributes, 'line');
    // Seconds, as `1.5` or `1,234.5`.
    const seconds = Number(attributes['time']?.replaceAll(',', '') || 'none');
    this.case = {
      id: this.prefix.text + name,
      file: path,
      line: line > 0 ? line : null,
      durationMs: toMilliseconds(seconds),
      isOfNode: owner === 'test',
      isNotRun: isOfCtest && status === 'notrun',
      output: '',
      status: words.reduce((worst, word) => (RANK[word] > RANK[worst] ? word : worst)),
      message: null,
      isFlaky: false,
    };
  }

  private addResult(name: string, message: string): void {
    const result = RESULTS.get(name) ?? 'flaky';
    const isFailure = name === 'failure' || name === 'error';
    const suite = this.suites.at(-1);
    if (isFailure && suite !== undefined) suite.failures += 1;
    const { case: test } = this;
    if (test === null) {
      const called = suite === undefined || suite.name === '' ? 'a suite' : `suite "${suite.name.slice(0, 100)}"`;
      const what = name === 'error' ? 'an error' : 'a failure';
      if (isFailure)
        this.report.markFailed(`${called} has ${what} outside of its tests${message === '' ? '' : `: ${message.slice(0, 200)}`}`);
    } else if (result === 'flaky') test.isFlaky = true;
    else if (test.isNotRun && !message.startsWith('SKIP_')) [test.status, test.message] = ['errored', message || 'not run'];
    else {
      if (test.message === null || RANK[result] > RANK[test.status]) test.message = message === '' ? null : message;
      if (RANK[result] > RANK[test.status]) test.status = result;
    }
  }

  private closeCase(test: JunitCase): void {
    const { id, file, line, message, durationMs, status } = test;
    this.case = null;
    if (test.isFlaky && status === 'passed') this.flaky += 1;
    const suite = this.suites.at(-1);
    if (suite !== undefined) {
      suite.tests += 1;
      if (status === 'skipped') suite.skipped += 1;
    }
    // Of two tests that node:test gives one name in one file, a passed one does not replace a failed one.
    if (test.isOfNode && (status === 'failed' || status === 'errored')) {
      if (this.failed.size < MOST_FAILED) this.failed.add(detachText(id));
    } else if (test.isOfNode && this.failed.has(id))
      this.report.markFailed('a test failed, and another test of the same class and name passed later; counted as two tests');
    this.report.addTest({ id, status, file, line, message: message ?? (status === 'failed' ? test.output || null : null), durationMs });
  }
}

const MOST_FRAMES = 5;

/** Where it was thrown, below a message that does not say it: the innermost places, as lines of a stack. */
function stackIn(text: string): string {
  const frames = text.split('\n').flatMap((line) => /^\s*(at \S.{0,300}\.\w{1,5}:\d.{0,20})$/.exec(line)?.[1] ?? []);
  // Python begins with the test and ends where it was thrown.
  const places = text.split('\n').flatMap((line) => /^([\w./@+-]+\.\w{1,5}:\d{1,7}): ?(?:\w|$)/.exec(line)?.[1] ?? []);
  const innermost = frames.length > 0 ? frames : places.toReversed().map((place) => `at ${place}`);
  return innermost
    .slice(0, MOST_FRAMES)
    .map((frame) => `\n    ${frame}`)
    .join('');
}

/** `math.AddTest` repeats the suites `math.AddTest` and `math`. */
function repeatsName(owner: string, name: string): boolean {
  return owner.startsWith(name) && !/^[A-Za-z0-9_]/.test(owner.slice(name.length, name.length + 1));
}

export const junit: Format = {
  id: 'junit',
  title: 'JUnit XML',
  content: 'tests',
  recognises: ({ kind, root }) => kind === 'xml' && (root === 'testsuites' || root === 'testsuite'),
  open: (report, options) => readXml(report, ['testsuites', 'testsuite'], new JunitHandler(report, options)),
};
