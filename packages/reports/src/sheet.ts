// What every reader of tool reports gathers its facts in. It counts, keeps what is listed within bounds, and says the outcome:
// the one place where a report passes or fails. Tests are kept by test-ledger.ts, findings by finding-ledger.ts.

import type {
  CheckOutcome,
  Coverage,
  FileCoverage,
  ReportProblem,
  TestCounts,
  TestResult,
  TestStatus,
  ToolReport,
} from '@umpire/core/model.js';
import { FindingLedger, type SheetFinding } from './finding-ledger.js';
import type { ReadOptions } from './format.js';
import { CoverageSums } from './share.js';
import { TestLedger } from './test-ledger.js';
import { detachText, type TextHash } from '@umpire/core/formats/text-hash.js';

export type { SheetFinding } from './finding-ledger.js';

export const KEPT = 10_000;
const MOST_PROBLEMS = 50;
/** Uncovered lines that are listed, of all files together. */
const MOST_UNCOVERED = 200_000;

export interface Where {
  readonly line?: number;
  readonly byte?: number;
}

/** Kinds of facts that a format promises: without any of them the report is an error, never a pass. */
export type Promised = 'tests' | 'coverage' | 'findings';

export class Sheet {
  /** How many tests, findings and files are listed. */
  readonly keep: number;
  private readonly tests: TestLedger;
  private readonly findings: FindingLedger;
  private readonly files = new Map<string, FileCoverage>();
  private readonly sums = new CoverageSums();
  private readonly problems: ReportProblem[] = [];
  /** Those of them that decide the outcome. */
  private readonly grave = new Set<string>();
  private fileCount = 0;
  private uncovered = 0;
  private unlisted = 0;
  private unreadable = false;
  private saidFailed = false;

  constructor(
    private readonly format: string,
    private readonly promised: Promised,
    options: ReadOptions,
  ) {
    this.keep = options.keep ?? KEPT;
    this.tests = new TestLedger(this.keep);
    this.findings = new FindingLedger(this.keep);
  }

  /** Something odd; the report is still read. */
  note(message: string, where: Where = {}): void {
    if (this.problems.some((each) => each.message === message)) return;
    if (this.problems.length >= MOST_PROBLEMS) this.unlisted += 1;
    else this.problems.push({ message: detachText(message), ...where });
  }

  /** The report cannot be read, or not to its end: the outcome is `error`, whatever was seen before. */
  fail(message: string, where: Where = {}): void {
    if (this.grave.size < MOST_PROBLEMS / 2) this.gravely(message, where);
    else this.note(message, where);
    this.unreadable = true;
  }

  /** The report says of itself that the run failed; that holds although nothing in its body shows it. */
  saysFailed(why: string, where: Where = {}): void {
    // One reason is enough; further ones are notes.
    if (this.saidFailed) this.note(why, where);
    else this.gravely(why, where);
    this.saidFailed = true;
  }

  get isUnreadable(): boolean {
    return this.unreadable;
  }

  /** How many tests were read so far, each once. */
  get testCount(): number {
    return this.tests.total;
  }

  /** The same id again is a retry: the last one counts. */
  test(result: TestResult, key?: TextHash): void {
    this.tests.add(result, key);
  }

  /** Counts a test without its words where none would be listed: see TestLedger. False: `test` must be told, with the same key. */
  countUnlisted(key: TextHash, status: TestStatus): boolean {
    return this.tests.countUnlisted(key, status);
  }

  finding(parts: SheetFinding): void {
    this.findings.add(parts);
  }

  /** Coverage of one file, whole. A path that comes twice replaces the first: coverage-files.ts merges before it comes here. */
  file(coverage: FileCoverage): void {
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
    return this.sums.coverage();
  }

  /** Coverage of a file that is not listed: it counts, and nobody will ask for its lines. */
  unlistedFile(coverage: Coverage): void {
    this.fileCount += 1;
    this.sums.add(coverage, 1);
  }

  end(): ToolReport {
    const tests = this.tests.counts();
    const { coverage } = this;
    this.noteBounds();
    const outcome = this.outcome(tests, coverage);
    if (this.unlisted > 0) this.problems.push({ message: `and ${this.unlisted} more ${this.unlisted === 1 ? 'problem' : 'problems'}` });
    const findings = this.findings.list();
    return {
      format: this.format,
      outcome,
      ...(this.promised === 'tests' || tests.total > 0 ? { tests, results: this.tests.listed() } : {}),
      ...(this.fileCount > 0 ? { coverage, files: [...this.files.values()] } : {}),
      findings,
      ...(this.promised === 'findings' || findings.length > 0 ? { counts: { ...this.findings.counts } } : {}),
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
    if (overran) this.note('so many tests are in it that repeats among the last of them were counted as tests of their own');
    if (this.uncovered > MOST_UNCOVERED)
      this.note(`${this.uncovered} lines are not covered; the first ${MOST_UNCOVERED} are listed, all are counted`);
    if (this.fileCount > this.files.size) this.note(`${this.fileCount} files are in it; ${this.files.size} are listed, all are counted`);
  }

  private outcome(tests: TestCounts, coverage: Coverage): CheckOutcome {
    const hasTests = tests.total > 0;
    const covers = Object.values(coverage).some((share) => share.total > 0);
    if (!this.unreadable) {
      if (this.promised === 'tests' && !hasTests) this.fail('there is no test in it; expected at least one');
      else if (hasTests && tests.skipped === tests.total)
        this.fail(`no test ran: ${tests.total === 1 ? 'the only one is' : `all ${tests.total} are`} skipped`);
      if (this.promised === 'coverage' && !covers)
        this.fail('there is no coverage data in it; expected at least one line, statement or branch');
    }
    if (this.unreadable) return 'error';
    const { critical, high } = this.findings.counts;
    return tests.failed + tests.errored > 0 || this.saidFailed || critical + high > 0 ? 'fail' : 'pass';
  }

  /** What decides the outcome is listed, however many notes came before it. */
  private gravely(message: string, where: Where): void {
    if (this.problems.some((each) => each.message === message)) return;
    this.grave.add(message);
    if (this.problems.length >= MOST_PROBLEMS) {
      const last = this.problems.findLastIndex((each) => !this.grave.has(each.message));
      this.problems.splice(last, 1);
      this.unlisted += 1;
    }
    this.note(message, where);
  }
}
