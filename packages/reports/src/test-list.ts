// The tests of one report. All are counted, each id once; a bounded number is listed, failures first.

import { detachText, hashText } from '@umpire/core/formats/text-hash.js';
import type { TestCounts, TestResult, TestStatus } from '@umpire/core/model/vocabulary.js';

/** Beyond it tests are counted, and repeats are no longer seen. */
const MOST_TESTS = 2_000_000;
const ID_LENGTH = 1000;
const MESSAGE_LENGTH = 500;

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
      message: message === null ? null : detachText(message.slice(0, MESSAGE_LENGTH)),
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
