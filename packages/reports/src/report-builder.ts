// Every reader of tool reports adds its tests, findings, files and problems here. ReportBuilder counts, lists a bounded number of
// each, and decides whether the report passes. A test is counted once, by its id.

import { CoverageSums, type LineCoverage } from './coverage.js';
import { type FindingParts, makeFinding } from '@umpire/core/formats/finding.js';
import { isObject, type JsonObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { NO_COUNTS } from '@umpire/core/formats/severity.js';
import { detachText, hashText } from '@umpire/core/formats/text-hash.js';
import {
  type CheckOutcome,
  type Counts,
  type Coverage,
  type FileCoverage,
  type Finding,
  type ReportProblem,
  SEVERITIES,
  type Severity,
  type TestCounts,
  type TestResult,
  type ToolReport,
  type TestStatus,
} from '@umpire/core/model/vocabulary.js';

/** Tests, findings and files that are listed by default. */
const DEFAULT_LISTED = 10_000;
const MOST_PROBLEMS = 50;
const MOST_NAMED = 100_000;
const MESSAGE_LENGTH = 500;
/** With the values that a test expected and received, and the first lines of the stack. */
const TEST_MESSAGE_LENGTH = 1500;
const PLACE_LENGTH = 1000;
/** Uncovered lines that are listed, of all files together. */
const MOST_UNCOVERED = 200_000;
/** A coverage report beyond it is refused. */
const MOST_FILES = 300_000;

export interface ReportedFinding extends FindingParts {
  /** The last line, where the tool says one. */
  readonly endLine?: number | null;
  /** The tool's own, where it gives one. */
  readonly fingerprint?: string;
}

export interface ReportPosition {
  readonly line?: number;
}

/** They would act on a terminal. Ends of lines and tabs are left: titles in the code hold them too. */
const CONTROLS = /(?![\t\r\n])\p{Cc}/gu;

/** What reports of a format contain: without any of it a report is an error, never a pass. */
export type ReportContent = 'tests' | 'coverage' | 'findings';

export class ReportBuilder {
  /** How many tests, findings and files are listed. */
  readonly keep: number;
  /** The project's, with a slash at its end. */
  private readonly folder: string;
  private readonly tests: TestList;
  /** How often each id came of tests that are distinct; of very many, the first. */
  private readonly named = new Map<string, number>();
  private findings: FindingList;
  /** What was said of files so far, by path. */
  private readonly sections = new Map<string, LineCoverage>();
  private readonly files = new Map<string, FileCoverage>();
  private readonly sums = new CoverageSums();
  private readonly problems: ReportProblem[] = [];
  /** Those of them that decide the outcome. */
  private readonly decisive = new Set<string>();
  private readonly commits = new Set<string>();
  private fileCount = 0;
  private uncovered = 0;
  private unlisted = 0;
  private dropped = 0;
  private unreadable = false;
  /** Its end is missing. */
  isCutOff = false;
  private statesFailure = false;

  constructor(
    private readonly format: string,
    private readonly promised: ReportContent,
    { keep, root = '' }: { readonly keep?: number; readonly root?: string },
  ) {
    this.keep = keep ?? DEFAULT_LISTED;
    this.folder = root === '' || root.endsWith('/') ? root : `${root}/`;
    this.tests = new TestList(this.keep);
    this.findings = new FindingList(this.keep);
  }

  /** A problem that does not decide the outcome. */
  note(message: string, where: ReportPosition = {}): void {
    if (this.problems.some((each) => each.message === message)) return;
    if (this.problems.length >= MOST_PROBLEMS) this.unlisted += 1;
    else this.problems.push({ message: detachText(message), ...where });
  }

  /** A record that cannot be read costs that record, not the report. Where no record is left, `failIfNothingIsLeft` makes it an error. */
  drop(message: string, where: ReportPosition = {}): void {
    this.dropped += 1;
    this.note(message, where);
  }

  /** `read`: how many records of findings could be read. Tests and coverage are counted here. */
  failIfNothingIsLeft(read: number): void {
    if (this.dropped > 0 && read === 0)
      this.fail(`no record could be read: ${this.dropped === 1 ? 'the only one is' : 'all are'} malformed`);
  }

  /** The report cannot be read to its end: the outcome is `error`, whatever was read before. */
  fail(message: string, where: ReportPosition = {}): void {
    if (this.decisive.size < MOST_PROBLEMS / 2) this.addDecisive(message, where);
    else this.note(message, where);
    this.unreadable = true;
  }

  /** `ending`: `in the middle of a tag`. */
  failCutOff(ending: string, where: ReportPosition): void {
    this.isCutOff = true;
    this.fail(`the report ends ${ending}, after ${this.progress()}; it was cut off or is still being written`, where);
  }

  /** How many files have coverage so far. */
  get fileTotal(): number {
    return this.sections.size + this.fileCount;
  }

  /** How much was read: `12 tests`. */
  progress(): string {
    if (this.promised === 'tests') return counted(this.testCount, 'test');
    return this.promised === 'findings' ? counted(this.findings.total, 'finding') : counted(this.fileTotal, 'file');
  }

  /** The report states that the run failed, although no test or finding shows it. */
  markFailed(why: string, where: ReportPosition = {}): void {
    // One reason is enough; further ones are notes.
    if (this.statesFailure) this.note(why, where);
    else this.addDecisive(why, where);
    this.statesFailure = true;
  }

  /**
   * The head promises more tests than are listed: the others may have failed, so the report passes nothing. Where it fails anyway, that
   * is worth more than an error.
   */
  failUnlistedTests(message: string): void {
    const { failed, errored } = this.tests.counts();
    if (this.statesFailure || failed + errored > 0) this.note(message);
    else this.fail(message);
  }

  /** Records that could not be read. */
  get droppedCount(): number {
    return this.dropped;
  }

  get isUnreadable(): boolean {
    return this.unreadable;
  }

  /** How many tests were read so far, each once. */
  get testCount(): number {
    return this.tests.total;
  }

  /** The same id again is a retry: the last one counts. */
  addTest(result: TestResult): void {
    this.tests.add({ ...result, id: this.nameTest(result.id) });
  }

  /** A name is the same in every copy of the project. */
  private nameTest(id: string): string {
    const inside = this.folder !== '' && id.includes(this.folder) ? id.replaceAll(this.folder, '') : id;
    return inside.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  }

  /**
   * The same id again is another test, such as a row of a table: a passed one does not replace a failed one. `isRetry`: the report says
   * itself that it repeats the last one.
   */
  addDistinctTest(result: TestResult, isRetry = false): void {
    const times = (this.named.get(result.id) ?? 0) + (isRetry && this.named.has(result.id) ? 0 : 1);
    if (times > 1 || this.named.size < MOST_NAMED) this.named.set(result.id, times);
    this.addTest(times > 1 ? { ...result, id: `${result.id} (${times})` } : result);
  }

  /**
   * Compares a stated total with what is listed. The list counts, unless more failures are stated. More tests than are listed are an
   * error; compare failures first. `what`: `failed tests`.
   */
  compareStated(what: string, stated: number | null, found: number, decides: 'nothing' | 'failures' | 'tests' = 'nothing'): void {
    if (stated === null || stated === found) return;
    const said = `the report states ${stated} ${stated === 1 ? what.replace(/s(?= that |$)/, '') : what} but lists ${found}`;
    if (decides === 'failures' && stated > found) this.markFailed(`${said}; counted as failed`);
    else if (decides === 'tests' && stated > found + this.dropped) this.failUnlistedTests(said);
    else this.note(`${said}; the listed ones count`);
  }

  /** Failures that the report states and does not list; so many of them are tests that it does not list either. */
  countStatedFailures(failures: number, unlistedTests: number): void {
    this.tests.countStatedFailures(failures, unlistedTests);
  }

  /** Tests that the report counts and does not name. */
  countUnlisted(status: TestStatus, tests: number): void {
    this.tests.countUnlisted(status, tests);
  }

  addFinding(parts: ReportedFinding): void {
    this.findings.add(parts.severity, () => parts);
  }

  /** Of very many findings most are only counted: the rest of one is worked out when it is listed. */
  addFindingIfKept(severity: Severity, describe: () => ReportedFinding): void {
    this.findings.add(severity, describe);
  }

  /** The tool starts over: its earlier findings no longer count. */
  forgetFindings(): void {
    this.findings = new FindingList(this.keep);
  }

  /** A commit that the report says it is about. */
  addCommit(id: string): void {
    if (id !== '' && this.commits.size < MOST_PROBLEMS) this.commits.add(id);
  }

  /** What the report says of a file in one place. It must not change any more. */
  addSection(path: string, section: LineCoverage): void {
    section.close();
    const known = this.sections.get(path);
    if (known !== undefined) known.addSection(section);
    else if (this.sections.size < MOST_FILES) this.sections.set(detachText(path), section);
    else this.fail(`the report describes more than ${MOST_FILES} files; split it`);
  }

  /** Coverage of one whole file. The same path again replaces the first. */
  addFile(coverage: FileCoverage): void {
    const before = this.files.get(coverage.path);
    if (before !== undefined) this.sums.add(before, -1);
    this.sums.add(coverage, 1);
    if (before === undefined) this.fileCount += 1;
    if (before === undefined && this.files.size >= this.keep) return;
    const path = detachText(coverage.path);
    const lines = coverage.uncovered.slice(0, Math.max(0, MOST_UNCOVERED - this.uncovered));
    this.uncovered += coverage.uncovered.length - (before?.uncovered.length ?? 0);
    this.files.set(path, { ...coverage, path, uncovered: lines });
  }

  /** Of all files so far. */
  get coverage(): Coverage {
    for (const [path, section] of this.sections) this.addFile({ path, ...section.coverage(), uncovered: section.uncovered() });
    this.sections.clear();
    return this.sums.coverage();
  }

  build(): ToolReport {
    const { coverage } = this;
    const tests = this.tests.counts();
    this.noteBounds();
    const isAllSkipped = !this.unreadable && tests.total > 0 && tests.skipped === tests.total;
    const outcome = this.outcome(tests, coverage);
    if (this.unlisted > 0) this.problems.push({ message: `and ${this.unlisted} more ${this.unlisted === 1 ? 'problem' : 'problems'}` });
    const findings = this.findings.list();
    return {
      format: this.format,
      outcome,
      ...(this.promised === 'tests' || tests.total > 0 ? { tests, results: this.tests.listed() } : {}),
      ...(isAllSkipped ? { isAllSkipped } : {}),
      ...(this.isCutOff ? { isCutOff: true } : {}),
      ...(this.fileCount > 0 ? { coverage, files: [...this.files.values()] } : {}),
      findings,
      ...(this.promised === 'findings' || findings.length > 0 ? { counts: { ...this.findings.counts } } : {}),
      ...(this.commits.size > 0 ? { commits: [...this.commits] } : {}),
      problems: this.problems,
    };
  }

  private noteBounds(): void {
    const { retries, overran } = this.tests;
    if (retries > 0)
      this.note(
        retries === 1
          ? '1 result repeats a test by class and name (a retry); the last one counts'
          : `${retries} results repeat a test by class and name (retries); the last of each counts`,
      );
    if (overran) this.note('the report has too many tests to recognise every retry; some retries were counted as tests');
    if (this.uncovered > MOST_UNCOVERED)
      this.note(`${this.uncovered} lines are not covered; the first ${MOST_UNCOVERED} are listed, all are counted`);
    if (this.fileCount > this.files.size)
      this.note(`the report has ${this.fileCount} files; ${this.files.size} are listed, all are counted`);
  }

  private outcome(tests: TestCounts, coverage: Coverage): CheckOutcome {
    const hasTests = tests.total > 0;
    const covers = Object.values(coverage).some((share) => share.total > 0);
    if (!this.unreadable) {
      if (this.promised === 'tests' && !hasTests) this.fail('the report has no tests');
      else if (hasTests && tests.skipped === tests.total)
        this.fail(`no test ran: ${tests.total === 1 ? 'the only one is' : `all ${tests.total} are`} skipped`);
      if (this.promised === 'coverage' && !covers)
        this.fail('the report has no coverage data; expected at least one line, statement or branch');
    }
    if (this.unreadable) return 'error';
    const { critical, high } = this.findings.counts;
    return tests.failed + tests.errored > 0 || this.statesFailure || critical + high > 0 ? 'fail' : 'pass';
  }

  /** A problem that decides the outcome is always listed; it may replace a note. */
  private addDecisive(message: string, where: ReportPosition): void {
    if (this.problems.some((each) => each.message === message)) return;
    this.decisive.add(message);
    if (this.problems.length >= MOST_PROBLEMS) {
      const last = this.problems.findLastIndex((each) => !this.decisive.has(each.message));
      this.problems.splice(last, 1);
      this.unlisted += 1;
    }
    this.note(message, where);
  }
}

/** The list at this path of a JSON report. Where it is none, the report fails. */
export function requireList(report: ReportBuilder, value: unknown, path: string): readonly unknown[] {
  let held = value;
  for (const key of path.split('.')) held = isObject(held) ? own(held, key) : undefined;
  if (Array.isArray(held)) return held;
  if (!isObject(value)) report.fail(`the report is ${nameOf(value)}; expected an object with "${path}"`);
  else report.fail(held === undefined ? `the list "${path}" is missing` : `"${path}" is ${nameOf(held)}; expected a list`);
  return [];
}

/** Those that are objects; each other one is a malformed record. `what`: `a test`. */
export function keepObjects(report: ReportBuilder, list: readonly unknown[], what: string): readonly JsonObject[] {
  return list.filter((value): value is JsonObject => {
    if (!isObject(value)) report.drop(`${what} is ${nameOf(value)}; expected an object`);
    return isObject(value);
  });
}

/** All findings are counted, the worst are listed. */
class FindingList {
  private readonly tally = { ...NO_COUNTS };
  /** Made into findings at the end. */
  private readonly kept: Record<Severity, ListedFinding[]> = { critical: [], high: [], medium: [], low: [] };
  private size = 0;

  constructor(private readonly keep: number) {}

  get counts(): Counts {
    return this.tally;
  }

  get total(): number {
    return SEVERITIES.reduce((sum, severity) => sum + this.tally[severity], 0);
  }

  add(severity: Severity, describe: () => ReportedFinding): void {
    this.tally[severity] += 1;
    if (this.size >= this.keep && !this.dropMilderThan(severity)) return;
    const parts = describe();
    this.kept[parts.severity].push({
      severity: parts.severity,
      line: parts.line ?? null,
      endLine: parts.endLine ?? null,
      message: copyOf(parts.message, MESSAGE_LENGTH) ?? '',
      artifact: copyOf(parts.artifact, PLACE_LENGTH),
      rule: copyOf(parts.rule, MESSAGE_LENGTH),
      dimension: copyOf(parts.dimension, MESSAGE_LENGTH),
      fingerprint: copyOf(parts.fingerprint, MESSAGE_LENGTH) ?? '',
    });
    this.size += 1;
  }

  list(): readonly Finding[] {
    return SEVERITIES.flatMap((severity) =>
      this.kept[severity].map((parts) => {
        const { fingerprint, ...made } = makeFinding(parts);
        const { endLine } = parts;
        return {
          ...made,
          ...(endLine !== null && made.line !== null && endLine > made.line ? { endLine } : {}),
          fingerprint: parts.fingerprint === '' ? fingerprint : parts.fingerprint,
        };
      }),
    );
  }

  /** Makes room for a worse finding by dropping the last of the mildest. */
  private dropMilderThan(severity: Severity): boolean {
    for (let at = SEVERITIES.length - 1; at > SEVERITIES.indexOf(severity); at -= 1) {
      const milder = SEVERITIES[at] as Severity;
      if (this.kept[milder].pop() === undefined) continue;
      this.size -= 1;
      return true;
    }
    return false;
  }
}

type ListedFinding = FindingParts & { readonly endLine: number | null; readonly fingerprint: string };

function copyOf(text: string | null | undefined, length: number): string | null {
  return text === null || text === undefined ? null : detachText(text.slice(0, length));
}

/** `1 test`, `2 tests` */
export function counted(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}

/** To whole microseconds. */
export function toMilliseconds(seconds: number | null): number | null {
  return seconds === null || !Number.isFinite(seconds) || seconds < 0 ? null : Math.round(seconds * 1e6) / 1000;
}

/** Beyond it tests are counted, and repeats are no longer seen. */
const MOST_TESTS = 2_000_000;
const ID_LENGTH = 1000;

export class TestList {
  private readonly tally: Record<TestStatus, number> = { passed: 0, failed: 0, errored: 0, skipped: 0 };
  /** How each test ended. */
  private readonly statuses = new Map<string, TestStatus>();
  /** The first ones, in their order. */
  private readonly first = new Map<string, TestResult>();
  /** Later tests that failed. One that finds the list full is counted but never listed. */
  private readonly bad = new Map<string, TestResult>();
  private hasLater = false;
  /** How many results repeat a test. */
  retries = 0;
  /** Were there more tests than can be told apart? */
  overran = false;

  constructor(
    private readonly keep: number,
    private readonly most = MOST_TESTS,
  ) {}

  get total(): number {
    return this.tally.passed + this.tally.failed + this.tally.errored + this.tally.skipped;
  }

  /** The others are among those that are listed as passed; nobody knows which. */
  countStatedFailures(failures: number, unlistedTests: number): void {
    this.tally.passed -= Math.min(this.tally.passed, failures - unlistedTests);
    this.tally.failed += failures;
  }

  countUnlisted(status: TestStatus, tests: number): void {
    this.tally[status] += tests;
  }

  add(result: TestResult): void {
    const { status, file } = result;
    const id = result.id.length > ID_LENGTH ? shortenId(result.id) : result.id;
    const known = this.first.get(id) ?? this.bad.get(id);
    // A test of the same name in another file is another test.
    if (known !== undefined && known.file !== null && file !== null && known.file !== file && !id.startsWith(file))
      return this.add({ ...result, id: `${file} > ${result.id}` });
    const before = this.statuses.get(id);
    this.tally[status] += 1;
    if (before !== undefined) {
      this.retries += 1;
      this.tally[before] -= 1;
    }
    if (before !== undefined) this.statuses.set(id, status);
    else if (this.statuses.size < this.most) this.statuses.set(detachText(id), status);
    else this.overran = true;
    const isFirst = this.first.has(id) || (before === undefined && this.first.size < this.keep);
    const isListed = isFirst || (isBad(status) && (this.bad.has(id) || this.bad.size < this.keep));
    this.hasLater ||= !isFirst;
    if (!isFirst && !isBad(status)) this.bad.delete(id);
    if (!isListed) return;
    const { line, message, durationMs } = result;
    (isFirst ? this.first : this.bad).set(id, {
      id: detachText(id),
      status,
      file: file === null ? null : detachText(file),
      line,
      message: message === null ? null : detachText(message.slice(0, TEST_MESSAGE_LENGTH)),
      durationMs,
    });
  }

  counts(): TestCounts {
    return { total: this.total, ...this.tally };
  }

  listed(): readonly TestResult[] {
    const all = [...this.first.values()];
    if (!this.hasLater) return all;
    const failures = [...all.filter(({ status }) => isBad(status)), ...this.bad.values()];
    return [...failures, ...all.filter(({ status }) => !isBad(status))].slice(0, this.keep);
  }
}

function isBad(status: TestStatus): boolean {
  return status === 'failed' || status === 'errored';
}

/** Still one id a test: what is cut off stays in its hash. */
function shortenId(id: string): string {
  const { high, low } = hashText(id, { high: 0, low: 0 });
  return `${id.slice(0, ID_LENGTH - 20)} #${high.toString(16)}${low.toString(16).padStart(8, '0')}`;
}
