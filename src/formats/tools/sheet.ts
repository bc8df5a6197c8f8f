// What every reader of tool reports gathers its facts in. It counts, keeps what is listed within bounds, and says the outcome:
// the one place where a report passes or fails.

import type {
  CheckOutcome,
  Counts,
  Coverage,
  FileCoverage,
  Finding,
  ReportProblem,
  Severity,
  TestResult,
  TestStatus,
  ToolReport,
} from '../../model.js';
import type { FindingParts } from '../finding.js';
import { makeFinding } from '../finding.js';
import { NO_COUNTS } from '../severity.js';
import type { ReadOptions } from './format.js';
import { shareOf } from './share.js';

export const KEPT = 10_000;
const MOST_PROBLEMS = 50;
const MESSAGE_LENGTH = 500;

export interface Where {
  readonly line?: number;
  readonly byte?: number;
}

export interface SheetFinding extends FindingParts {
  /** The tool's own, where it gives one. */
  readonly fingerprint?: string;
}

/** Kinds of facts that a format promises: without any of them the report is an error, never a pass. */
export type Promised = 'tests' | 'coverage' | 'findings';

export class Sheet {
  private readonly keep: number;
  private readonly tests = new Map<string, TestResult>();
  private readonly files = new Map<string, FileCoverage>();
  private readonly findings: Record<Severity, Finding[]> = { critical: [], high: [], medium: [], low: [] };
  private readonly counts = { ...NO_COUNTS };
  private readonly problems: ReportProblem[] = [];
  private unlisted = 0;
  private retries = 0;
  private unreadable = false;
  private saidFailed = false;

  constructor(
    private readonly format: string,
    private readonly promised: Promised,
    options: ReadOptions,
  ) {
    this.keep = options.keep ?? KEPT;
  }

  /** Something odd; the report is still read. */
  note(message: string, where: Where = {}): void {
    if (this.problems.length >= MOST_PROBLEMS) this.unlisted += 1;
    else if (!this.problems.some((each) => each.message === message)) this.problems.push({ message, ...where });
  }

  /** The report cannot be read, or not to its end: the outcome is `error`, whatever was seen before. */
  fail(message: string, where: Where = {}): void {
    this.unreadable = true;
    this.note(message, where);
  }

  /** The report says of itself that the run failed; that holds although nothing in its body shows it. */
  saysFailed(why: string): void {
    this.saidFailed = true;
    this.note(why);
  }

  get isUnreadable(): boolean {
    return this.unreadable;
  }

  /** The same id again is a retry: the last one counts. */
  test(result: TestResult): void {
    if (this.tests.has(result.id)) this.retries += 1;
    this.tests.set(result.id, { ...result, message: result.message === null ? null : result.message.slice(0, MESSAGE_LENGTH) });
  }

  finding(parts: SheetFinding): void {
    this.counts[parts.severity] += 1;
    const list = this.findings[parts.severity];
    if (list.length >= this.keep) return;
    const made = makeFinding({ ...parts, message: parts.message.slice(0, MESSAGE_LENGTH) });
    list.push(parts.fingerprint === undefined || parts.fingerprint === '' ? made : { ...made, fingerprint: parts.fingerprint });
  }

  /** Coverage of one file, whole. A path that comes twice is merged by the reader before it comes here. */
  file(coverage: FileCoverage): void {
    this.files.set(coverage.path, coverage);
  }

  end(): ToolReport {
    const tests = this.countTests();
    const coverage = this.sumCoverage();
    if (this.retries > 0) this.note(`${this.retries} results repeat a test by class and name (retries); the last of each counts`);
    const outcome = this.outcome(tests, coverage);
    if (this.unlisted > 0) this.problems.push({ message: `and ${this.unlisted} more problems` });
    const findings = this.listFindings();
    return {
      format: this.format,
      outcome,
      ...(this.promised === 'tests' || tests.total > 0 ? { tests, results: this.listTests() } : {}),
      ...(this.files.size > 0 ? { coverage, files: [...this.files.values()].slice(0, this.keep) } : {}),
      findings,
      ...(this.promised === 'findings' || findings.length > 0 ? { counts: { ...this.counts } as Counts } : {}),
      problems: this.problems,
    };
  }

  private outcome(tests: { total: number; failed: number; errored: number; skipped: number }, coverage: Coverage): CheckOutcome {
    const hasTests = tests.total > 0;
    const covers = Object.values(coverage).some((share) => share.total > 0);
    if (this.promised === 'tests' && !hasTests) this.fail('there is no test in it; expected at least one');
    else if (hasTests && tests.skipped === tests.total) this.fail(`no test ran: all ${tests.total} are skipped`);
    if (this.promised === 'coverage' && !covers)
      this.fail('there is no coverage data in it; expected at least one line, statement or branch');
    if (this.unreadable) return 'error';
    const grave = this.counts.critical + this.counts.high > 0;
    return tests.failed + tests.errored > 0 || this.saidFailed || grave ? 'fail' : 'pass';
  }

  private countTests() {
    const counts: Record<TestStatus, number> = { passed: 0, failed: 0, errored: 0, skipped: 0 };
    for (const { status } of this.tests.values()) counts[status] += 1;
    return { total: this.tests.size, ...counts };
  }

  private listTests(): readonly TestResult[] {
    const all = [...this.tests.values()];
    if (all.length <= this.keep) return all;
    const bad = all.filter(({ status }) => status === 'failed' || status === 'errored');
    const others = all.filter(({ status }) => status !== 'failed' && status !== 'errored');
    return [...bad, ...others].slice(0, this.keep);
  }

  private listFindings(): readonly Finding[] {
    const { critical, high, medium, low } = this.findings;
    return [...critical, ...high, ...medium, ...low].slice(0, this.keep);
  }

  private sumCoverage(): Coverage {
    const sums: Record<string, { covered: number; total: number }> = {};
    for (const file of this.files.values()) {
      for (const kind of ['lines', 'branches', 'statements', 'functions'] as const) {
        const share = file[kind];
        if (share === undefined) continue;
        const sum = (sums[kind] ??= { covered: 0, total: 0 });
        sum.covered += share.covered;
        sum.total += share.total;
      }
    }
    return Object.fromEntries(Object.entries(sums).map(([kind, sum]) => [kind, shareOf(sum.covered, sum.total)]));
  }
}
