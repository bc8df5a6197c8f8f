// JUnit XML in all its dialects: pytest, surefire, gradle, jest-junit, Vitest, node:test, googletest, go-junit-report, PHPUnit and
// .NET. Tests are counted by element. The totals in the head of a suite can only make the outcome worse.

import type { Format, ReadOptions, ReportReader } from './format.js';
import { toProjectPath } from './project-path.js';
import { counted, ReportBuilder } from './report-builder.js';
import { attributeName, finishXmlReport, type XmlHandler, XmlStream, XmlTag } from './xml-stream.js';
import { hashText } from '@umpire/core/formats/text-hash.js';
import type { TestResult, TestStatus, ToolReport } from '@umpire/core/model/vocabulary.js';

const NAME = attributeName('name');
const FILE = attributeName('file');
const FILEPATH = attributeName('filepath');
const TESTS = attributeName('tests');
const FAILURES = attributeName('failures');
const ERRORS = attributeName('errors');

const SKIPPED_COUNT = attributeName('skipped');
const DISABLED_COUNT = attributeName('disabled');
const IGNORED_COUNT = attributeName('ignored');
const HOSTNAME = attributeName('hostname');

/** pytest counts subtests as tests and lists none of them. */
const PYTEST_NAMES: ReadonlySet<string> = new Set(['pytest', 'pytest tests']);
/** Catch2 counts assertions. It is known by the host that it never fills in. */
const CATCH2_HOST = 'tbd';

const JOIN = ' > ';

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

/** The suites around a <testcase>: their names, and the totals of their heads compared with their bodies. */
class JunitSuites {
  private readonly stack: JunitSuite[] = [];
  /** Another number, other suites around a test. */
  changes = 0;
  private isOfPytest = false;
  /** Failures that heads state and no element shows, and how many tests these heads state beyond those listed. */
  readonly unlisted = { failures: 0, tests: 0 };

  constructor(private readonly report: ReportBuilder) {}

  /** The name of <testsuites> is the run's, not a suite's: it is no part of an id. */
  open(tag: XmlTag, isNamed: boolean): void {
    this.changes += 1;
    const parent = this.stack.at(-1);
    if (parent !== undefined) parent.suites += 1;
    this.isOfPytest ||= PYTEST_NAMES.has(tag.text(NAME) ?? '');
    this.stack.push({
      name: isNamed ? (tag.text(NAME)?.trim() ?? '') : '',
      file: tag.text(FILE)?.trim() || tag.text(FILEPATH)?.trim() || this.file,
      saidTests: Math.max(0, tag.count32(TESTS)),
      saidFailures: Math.max(0, tag.count32(FAILURES)) + Math.max(0, tag.count32(ERRORS)),
      saidSkipped: [SKIPPED_COUNT, DISABLED_COUNT, IGNORED_COUNT].reduce((sum, name) => sum + Math.max(0, tag.count32(name)), 0),
      countsOthers: this.isOfPytest || tag.text(HOSTNAME) === CATCH2_HOST,
      tests: 0,
      skipped: 0,
      suites: 0,
      failures: 0,
      unlisted: 0,
      unnamed: 0,
    });
  }

  close(): void {
    this.changes += 1;
    const suite = this.stack.pop();
    if (suite === undefined) return;
    const called = suite.name === '' ? 'the report' : `suite "${suite.name.slice(0, 100)}"`;
    const missing = suite.saidFailures - suite.failures;
    if (missing > 0) {
      this.report.markFailed(
        `${called} states ${suite.saidFailures} ${suite.saidFailures === 1 ? 'failure or error' : 'failures or errors'} but lists ${suite.failures}; counted as failed`,
      );
      const added = Math.min(missing, Math.max(0, suite.saidTests - suite.tests - suite.unlisted));
      this.unlisted.failures += missing;
      this.unlisted.tests += added;
      suite.failures += missing;
      suite.unlisted += added;
    } else if (suite.saidTests > suite.tests) {
      const said = `${called} states ${counted(suite.saidTests, 'test')} but lists ${suite.tests}`;
      const unlistedSkips = Math.max(0, suite.saidSkipped - suite.skipped);
      if (suite.countsOthers || suite.saidTests <= suite.tests + suite.suites + unlistedSkips) this.report.note(said);
      else this.report.failUnlistedTests(said);
    }
    const parent = this.stack.at(-1);
    if (parent === undefined) return;
    parent.tests += suite.tests;
    parent.skipped += suite.skipped;
    parent.failures += suite.failures;
    parent.unlisted += suite.unlisted;
  }

  get file(): string {
    return this.stack.at(-1)?.file ?? '';
  }

  /** A test was read. */
  ran(status: TestStatus): void {
    const suite = this.stack.at(-1);
    if (suite === undefined) return;
    suite.tests += 1;
    if (status === 'skipped') suite.skipped += 1;
  }

  /** A failure or error was read, inside of a test or not. */
  failed(): void {
    const suite = this.stack.at(-1);
    if (suite !== undefined) suite.failures += 1;
  }

  failedOutside(what: string, message: string): void {
    const name = this.stack.at(-1)?.name ?? '';
    const called = name === '' ? 'a suite' : `suite "${name.slice(0, 100)}"`;
    this.report.markFailed(`${called} has ${what} outside of its tests${message === '' ? '' : `: ${message.slice(0, 200)}`}`);
  }

  /** Tests without a name are told apart by their order. */
  nextUnnamed(): string {
    const suite = this.stack.at(-1);
    if (suite !== undefined) suite.unnamed += 1;
    this.report.note('some tests have no name; they are numbered in order');
    return `(no name, ${suite?.unnamed ?? 1})`;
  }

  /** The part of an id before the test's name: its class or file, then the suites that do not repeat it. */
  prefix(owner: string): string {
    const names = this.stack.map((suite) => suite.name).filter((name) => name !== '' && !repeats(owner, name));
    const parts = owner === '' ? names : [owner, ...names];
    return parts.map((part) => part + JOIN).join('');
  }
}

/** `math.AddTest` repeats the suites `math.AddTest` and `math`. */
function repeats(owner: string, name: string): boolean {
  return owner.startsWith(name) && !/^[A-Za-z0-9_]/.test(owner.slice(name.length, name.length + 1));
}

type CaseResult = 'failed' | 'errored' | 'skipped' | 'flaky';

const CLASSNAME = attributeName('classname');
const CLASS = attributeName('class');
const LINE = attributeName('line');
const TIME = attributeName('time');
const STATUS = attributeName('status');
const RESULT = attributeName('result');
/** NUnit's, where a converter keeps them: `True` or `False`. */
const SUCCESS = attributeName('success');
const EXECUTED = attributeName('executed');

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

/**
 * One <testcase>: its id, its file and its status. Of several results the worst counts; a flaky test passed in the end.
 * Texts are decoded only for listed cases, so the tag is kept until the results are known.
 */
class JunitCase {
  private readonly tag = new XmlTag();
  private prefix = '';
  private readonly prefixHash = { high: 0, low: 0 };
  /** A name that the report does not give. */
  private given: string | null = null;
  private suiteFile = '';
  private message: string | null = null;
  private lastFile = '';
  private lastPlace: string | null = null;
  /** The class that `prefix` was made for, as it is written; it holds for many cases in a row. */
  private ownerBytes = new Uint8Array(0);
  private ownerSuites = -1;
  /** A hash of the id. */
  readonly key = { high: 0, low: 0 };
  status: TestStatus = 'passed';
  /** node:test calls the class of every test `test`, and has no retries: equal names are other tests. */
  isOfNode = false;
  isFlaky = false;

  constructor(private readonly root: string | undefined) {}

  open(tag: XmlTag, suites: JunitSuites): void {
    this.tag.copy(tag);
    this.suiteFile = suites.file;
    this.takePrefix(suites);
    this.given = null;
    if (!this.tag.hash(NAME, this.prefixHash, this.key)) {
      this.given = suites.nextUnnamed();
      hashText(this.prefix + this.given, this.key);
    }
    this.status = tag.has(STATUS) || tag.has(RESULT) ? worse(saidBy(tag.text(STATUS)), saidBy(tag.text(RESULT))) : 'passed';
    if (tag.has(EXECUTED) && isFalse(tag.text(EXECUTED))) this.status = worse(this.status, 'skipped');
    else if (tag.has(SUCCESS) && isFalse(tag.text(SUCCESS))) this.status = worse(this.status, 'failed');
    this.message = null;
    this.isFlaky = false;
  }

  /** One result of the case. */
  add(result: CaseResult, message: string): void {
    if (result === 'flaky') {
      this.isFlaky = true;
      return;
    }
    if (this.message === null || RANK[result] > RANK[this.status]) this.message = message === '' ? null : message;
    this.status = worse(this.status, result);
  }

  result(): TestResult {
    const { status, message } = this;
    const line = this.tag.count32(LINE);
    return {
      id: this.prefix + (this.given ?? this.tag.text(NAME)?.trim() ?? ''),
      status,
      file: this.placeOf(this.file),
      line: line > 0 ? line : null,
      message,
      durationMs: milliseconds(this.tag.text(TIME)),
    };
  }

  private takePrefix(suites: JunitSuites): void {
    const { tag, ownerBytes } = this;
    const isSame = suites.changes === this.ownerSuites && tag.isSame(CLASSNAME, ownerBytes, ownerBytes.length);
    if (isSame && (ownerBytes.length > 0 || !(tag.has(CLASS) || tag.has(FILE)))) return;
    this.ownerBytes = tag.bytesOf(CLASSNAME);
    const { file } = this;
    const owner = (tag.text(CLASSNAME) ?? tag.text(CLASS) ?? '').trim() || fileOwner(file, this.placeOf(file));
    this.prefix = suites.prefix(owner);
    this.isOfNode = owner === 'test';
    hashText(this.prefix, this.prefixHash);
    // Without a class the owner comes from the case's own file, so it is valid for this case only.
    this.ownerSuites = this.ownerBytes.length > 0 || !(tag.has(CLASS) || tag.has(FILE)) ? suites.changes : -1;
  }

  /** Its file as written; empty where the report names none. */
  get file(): string {
    return this.tag.text(FILE)?.trim() || this.suiteFile;
  }

  /** The same file comes many times in a row. */
  private placeOf(file: string): string | null {
    if (file === '') return null;
    if (file !== this.lastFile) {
      this.lastFile = file;
      this.lastPlace = toProjectPath(file, this.root);
    }
    return this.lastPlace;
  }
}

/** A test without a class is known by its file, unless that is a path of one machine. */
function fileOwner(file: string, place: string | null): string {
  const isOfMachine = file.startsWith('/') || file.includes(':');
  return isOfMachine && place === file.slice(1) ? '' : (place ?? '');
}

function saidBy(word: string | null): TestStatus {
  return word === null ? 'passed' : (WORDS.get(word.trim().toLowerCase()) ?? 'passed');
}

function isFalse(word: string | null): boolean {
  return word?.trim().toLowerCase() === 'false';
}

function worse(a: TestStatus, b: TestStatus): TestStatus {
  return RANK[a] >= RANK[b] ? a : b;
}

/** Seconds, as `1.5` or `1,234.5`. */
function milliseconds(time: string | null): number | null {
  if (time === null || time === '') return null;
  const seconds = Number(time.includes(',') ? time.replaceAll(',', '') : time);
  return seconds >= 0 && Number.isFinite(seconds) ? Math.round(seconds * 1e6) / 1000 : null;
}

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
  private readonly report: ReportBuilder;
  private readonly stream = new XmlStream(this, KINDS, ['testsuites', 'testsuite']);
  private readonly suites: JunitSuites;
  private readonly case: JunitCase;
  /** A case inside of a case is part of it. */
  private inCase = 0;
  /** Elements inside of a result, such as the stack trace of a rerun: they are part of it. */
  private inResult = 0;
  private headline = '';
  private flaky = 0;
  /** Failed tests of node:test, by a hash of their id. */
  private readonly failed = new Set<number>();

  constructor(options: ReadOptions) {
    this.report = new ReportBuilder('junit', 'tests', options);
    this.suites = new JunitSuites(this.report);
    this.case = new JunitCase(options.root);
  }

  write(chunk: Uint8Array): void {
    this.stream.write(chunk);
  }

  end(): ToolReport {
    finishXmlReport(this.stream, this.report, this.report.testCount, 'test', '<testsuites> or <testsuite>');
    const { flaky, suites } = this;
    if (this.report.testCount > 0) this.report.countStatedFailures(suites.unlisted.failures, suites.unlisted.tests);
    if (flaky > 0)
      this.report.note(
        flaky === 1
          ? '1 test is flaky: it failed first and passed when run again'
          : `${flaky} tests are flaky: they failed first and passed when run again`,
      );
    return this.report.build();
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

  /** Of two tests that node:test gives one name in one file, a passed one does not replace a failed one. */
  private rememberFailure(): void {
    const { status, key, isOfNode } = this.case;
    if (!isOfNode) return;
    // As many bits of the hash as a number holds.
    const known = key.low * 0x200000 + (key.high >>> 11);
    if (status === 'failed' || status === 'errored') {
      if (this.failed.size < MOST_FAILED) this.failed.add(known);
    } else if (this.failed.has(known))
      this.report.markFailed('a test failed, and another test of the same class and name passed later; counted as two tests');
  }

  private closeCase(): void {
    this.inCase -= 1;
    if (this.inCase > 0) return;
    const { case: testcase, report } = this;
    if (testcase.isFlaky && testcase.status === 'passed') this.flaky += 1;
    this.suites.ran(testcase.status);
    this.rememberFailure();
    report.addTest(testcase.result());
  }
}

export const junit: Format = {
  id: 'junit',
  title: 'JUnit XML',
  recognises: (head) => head.kind === 'xml' && (head.root === 'testsuites' || head.root === 'testsuite'),
  open: (options) => new JunitReader(options),
};
