// What printed results of test runners have in common: a test's name, its end and what it said stand apart, quiet runs name only what
// failed, and nothing but a summary proves that the run came to its end.

import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import { LineStream, withoutColours } from './line-stream.js';
import type { FormatReader } from './format.js';
import { counted, type ReportBuilder } from './report-builder.js';

const LONGEST_MESSAGE = 4000;

export interface PrintedTest {
  readonly id: string;
  status: TestStatus;
  file: string | null;
  line: number | null;
  durationMs: number | null;
  message: string;
  /** Was its failure described? */
  isTold: boolean;
}

type Places = Partial<Pick<PrintedTest, 'file' | 'line' | 'durationMs'>>;

export class PrintedTests {
  private readonly tests: PrintedTest[] = [];
  private readonly byId = new Map<string, PrintedTest[]>();
  /** How many tests the summaries count; null before the first. */
  private stated: Record<TestStatus, number> | null = null;

  add(id: string, status: TestStatus, places: Places = {}): PrintedTest {
    const test = { id, status, file: null, line: null, durationMs: null, message: '', isTold: false, ...places };
    this.tests.push(test);
    const same = this.byId.get(id);
    if (same === undefined) this.byId.set(id, [test]);
    else same.push(test);
    return test;
  }

  /** A description of how a test ended: of one that was named before, or of one that is named only here. */
  describe(id: string, status: TestStatus): PrintedTest {
    const test = this.byId.get(id)?.find(({ isTold }) => !isTold) ?? this.add(id, status);
    test.isTold = true;
    test.status = status;
    return test;
  }

  count(status: TestStatus): number {
    return this.tests.filter((test) => test.status === status).length;
  }

  countIds(matches: (id: string) => boolean): number {
    return this.tests.filter(({ id }) => matches(id)).length;
  }

  /** Several runs may print one summary each. */
  state(counts: Partial<Record<TestStatus, number>>): void {
    const { passed = 0, failed = 0, errored = 0, skipped = 0 } = this.stated ?? {};
    this.stated = {
      passed: passed + (counts.passed ?? 0),
      failed: failed + (counts.failed ?? 0),
      errored: errored + (counts.errored ?? 0),
      skipped: skipped + (counts.skipped ?? 0),
    };
  }

  /** `namedBy`: how the runner is told to name all tests. */
  settle(report: ReportBuilder, line: number, namedBy: string): void {
    for (const { id, status, file, line: at, durationMs, message } of this.tests) {
      const isBad = status === 'failed' || status === 'errored';
      report.addDistinctTest({ id, status, file, line: at, durationMs, message: isBad ? message.trim() || null : null });
    }
    if (this.stated === null) return report.failCutOff('before the summary of the run', { line });
    const total = Object.values(this.stated).reduce((sum, count) => sum + count);
    if (this.tests.length > total)
      report.fail(
        `the report lists ${counted(this.tests.length, 'test')} but the summaries count ${total}: a run ended without its summary`,
      );
    let unnamed = 0;
    const { passed, failed, errored, skipped } = this.stated;
    // Not every runner tells an error from a failure where it names the test.
    const bad = failed + errored - this.count('errored');
    for (const [status, stated] of [['passed', passed] as const, ['failed', bad] as const, ['skipped', skipped] as const]) {
      const missing = stated - this.count(status);
      if (missing <= 0) continue;
      report.countUnlisted(status, missing);
      unnamed += missing;
    }
    if (unnamed > 0) report.note(`${counted(unnamed, 'test')} ${unnamed === 1 ? 'is' : 'are'} not named; ${namedBy} names all`);
  }
}

/** Adds a line to what a test said. */
export function tellLine(test: PrintedTest, line: string): void {
  if (test.message.length < LONGEST_MESSAGE) test.message += `${line}\n`;
}

/** Reads lines without colours and white space at their end. */
export abstract class PrintedReader implements FormatReader {
  protected readonly tests = new PrintedTests();
  private readonly lines = new LineStream((text) => this.take(withoutColours(text).trimEnd()));

  constructor(protected readonly report: ReportBuilder) {}

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  end(): void {
    this.finish(this.lines.end());
  }

  protected abstract take(line: string): void;

  /** `line`: the last one. */
  protected abstract finish(line: number): void;
}
