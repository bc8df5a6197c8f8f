// The tests of one report: all are counted, each id once, and as many are kept whole as are listed, those that did not pass
// before others. Memory is bounded however many there are: those beyond the first are known by hash (test-index.ts).

import type { TestCounts, TestResult, TestStatus } from '@umpire/core/model.js';
import { TestIndex } from './test-index.js';
import { detachText, hashText, type TextHash } from '@umpire/core/formats/text-hash.js';

const ID_LENGTH = 1000;
const MESSAGE_LENGTH = 500;

export class TestLedger {
  private readonly tally: Record<TestStatus, number> = { passed: 0, failed: 0, errored: 0, skipped: 0 };
  /** The first ones, in their order. */
  private readonly first = new Map<string, TestResult>();
  /** Of the later ones those that did not pass. One that finds it full is counted and never listed, also where room comes later. */
  private readonly bad = new Map<string, TestResult>();
  private readonly index: TestIndex;
  private readonly hash = { high: 0, low: 0 };
  private hasLater = false;
  /** How many results repeat a test. */
  retries = 0;
  /** Were there more tests than can be told apart? */
  overran = false;

  constructor(
    private readonly keep: number,
    most?: number,
  ) {
    this.index = new TestIndex(most);
  }

  get total(): number {
    return this.tally.passed + this.tally.failed + this.tally.errored + this.tally.skipped;
  }

  /**
   * Counts a test of which nothing would be listed, known by the hash of its id. False: it has to be handed in whole, with the
   * same hash, because it failed, or was there before, or the list has room.
   */
  countUnlisted(key: TextHash, status: TestStatus): boolean {
    if (this.first.size < this.keep || isBad(status) || this.index.find(key) !== null) return false;
    this.countNew(status);
    this.index.put(status);
    this.hasLater = true;
    return true;
  }

  /** `key` is a hash of the id; readers that do not have one at hand leave it out. */
  add(result: TestResult, key = hashText(result.id, this.hash)): void {
    const { status } = result;
    const id = result.id.length > ID_LENGTH ? shortened(result.id) : result.id;
    const known = this.first.get(id) ?? this.bad.get(id);
    const found = this.index.find(key);
    // A hash may, once in a great while, be that of another test. One that failed is never forgotten for it.
    const isAnother = found !== null && known === undefined && isBad(found) && this.bad.size < this.keep;
    const before = known?.status ?? (isAnother ? null : found);
    if (before === null) {
      this.countNew(status);
    } else {
      this.retries += 1;
      this.tally[before] -= 1;
      this.tally[status] += 1;
    }
    if (!isAnother) this.index.put(status);
    this.list(known?.id ?? id, result, before === null);
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

  private countNew(status: TestStatus): void {
    this.tally[status] += 1;
    this.overran ||= this.index.isFull;
  }

  private list(id: string, result: TestResult, isNew: boolean): void {
    if (this.first.has(id) || (isNew && this.first.size < this.keep)) {
      const own = detachText(id);
      this.first.set(own, kept(result, own));
      return;
    }
    this.hasLater = true;
    if (!isBad(result.status)) this.bad.delete(id);
    else if (this.bad.has(id) || this.bad.size < this.keep) {
      const own = detachText(id);
      this.bad.set(own, kept(result, own));
    }
  }
}

function isBad(status: TestStatus): boolean {
  return status === 'failed' || status === 'errored';
}

/** Still one id a test: what is cut off stays in its hash. */
function shortened(id: string): string {
  const { high, low } = hashText(id, { high: 0, low: 0 });
  return `${id.slice(0, ID_LENGTH - 20)} #${high.toString(16)}${low.toString(16).padStart(8, '0')}`;
}

function kept(result: TestResult, id: string): TestResult {
  const { status, file, line, message, durationMs } = result;
  return {
    id,
    status,
    file: file === null ? null : detachText(file),
    line,
    message: message === null ? null : detachText(message.slice(0, MESSAGE_LENGTH)),
    durationMs,
  };
}
