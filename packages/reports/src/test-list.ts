// The tests of one report. All are counted, each id once; a bounded number is listed, failures first. Tests beyond the listed
// ones are known only by a hash of their id, so memory stays bounded.

import { detachText, hashText, type TextHash } from '@umpire/core/formats/text-hash.js';
import type { TestCounts, TestResult, TestStatus } from '@umpire/core/model/vocabulary.js';

const STATUSES: readonly TestStatus[] = ['passed', 'failed', 'errored', 'skipped'];
const CODES: Readonly<Record<TestStatus, number>> = { passed: 0, failed: 1, errored: 2, skipped: 3 };

/** Fills the tables below to the brim at 50 MB; beyond it tests are counted, and repeats are no longer seen. */
const MOST_TESTS = 6_500_000;
const SEGMENTS = 256;
const FIRST_SLOTS = 64;
const FULL = 0.85;

/** `marks` has 30 bits of the hash and the status, `more` another 16. A mark of 0 is an empty slot. */
interface Segment {
  marks: Uint32Array;
  more: Uint16Array;
  used: number;
}

/**
 * Millions of tests by id, six bytes each: 54 bits of the id's hash and the status. Open addressing in many small tables, so that growing one never needs twice the room of all. */
export class TestIndex {
  private readonly segments: (Segment | undefined)[] = Array.from({ length: SEGMENTS });
  private segment = emptySegment(1);
  private slot = 0;
  private mark = 0;
  private rest = 0;
  private size = 0;

  constructor(private readonly most = MOST_TESTS) {}

  get isFull(): boolean {
    return this.size >= this.most;
  }

  /** How the test of this hash ended, as far as it is known; null where it is new. `put` then speaks of the same test. */
  find({ high, low }: TextHash): TestStatus | null {
    this.segment = this.segments[high & (SEGMENTS - 1)] ??= emptySegment(FIRST_SLOTS);
    this.mark = markOf(low);
    this.rest = high >>> 16;
    this.slot = freeSlot(this.segment, this.mark, this.rest);
    const found = this.segment.marks[this.slot] as number;
    return found === 0 ? null : (STATUSES[found & 3] as TestStatus);
  }

  /** Records how the test that was last looked for ended. */
  put(status: TestStatus): void {
    const { segment, slot } = this;
    const isNew = segment.marks[slot] === 0;
    if (isNew && this.isFull) return;
    segment.marks[slot] = this.mark | CODES[status];
    if (!isNew) return;
    segment.more[slot] = this.rest;
    segment.used += 1;
    this.size += 1;
    if (segment.used > segment.marks.length * FULL) grow(segment);
  }
}

/** The status bits are free, and the mark is not 0. */
function markOf(low: number): number {
  return ((low & ~3) | (low < 4 ? 4 : 0)) >>> 0;
}

function emptySegment(slots: number): Segment {
  return { marks: new Uint32Array(slots), more: new Uint16Array(slots), used: 0 };
}

/** Where such a test is, or would go. */
function freeSlot({ marks, more }: Segment, mark: number, rest: number): number {
  const last = marks.length - 1;
  let slot = (mark >>> 2) & last;
  for (let found = marks[slot]; found !== 0; found = marks[slot]) {
    if (((found as number) & ~3) >>> 0 === mark && more[slot] === rest) break;
    slot = (slot + 1) & last;
  }
  return slot;
}

function grow(segment: Segment): void {
  const { marks, more } = segment;
  segment.marks = new Uint32Array(marks.length * 2);
  segment.more = new Uint16Array(marks.length * 2);
  for (let at = 0; at < marks.length; at += 1) {
    const mark = marks[at] as number;
    if (mark === 0) continue;
    const slot = freeSlot(segment, (mark & ~3) >>> 0, more[at] as number);
    segment.marks[slot] = mark;
    segment.more[slot] = more[at] as number;
  }
}

const ID_LENGTH = 1000;
const MESSAGE_LENGTH = 500;

export class TestList {
  private readonly tally: Record<TestStatus, number> = { passed: 0, failed: 0, errored: 0, skipped: 0 };
  /** The first ones, in their order. */
  private readonly first = new Map<string, TestResult>();
  /** Later tests that failed. One that finds the list full is counted but never listed. */
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
   * Counts a test that would not be listed, by the hash of its id. False: call `add` with the same hash, because the test failed,
   * came before, or the list has room.
   */
  countUnlisted(key: TextHash, status: TestStatus): boolean {
    if (this.first.size < this.keep || isBad(status) || this.index.find(key) !== null) return false;
    this.countNew(status);
    this.index.put(status);
    this.hasLater = true;
    return true;
  }

  /** The others are among those that are listed as passed; nobody knows which. */
  countStatedFailures(failures: number, unlistedTests: number): void {
    this.tally.passed -= Math.min(this.tally.passed, failures - unlistedTests);
    this.tally.failed += failures;
  }

  /** `key` is a hash of the id; readers that do not have one at hand leave it out. */
  add(result: TestResult, key = hashText(result.id, this.hash)): void {
    const { status } = result;
    const id = result.id.length > ID_LENGTH ? shortened(result.id) : result.id;
    const known = this.first.get(id) ?? this.bad.get(id);
    // A test of the same name in another file is another test.
    if (known !== undefined && known.file !== null && result.file !== null && known.file !== result.file && !id.startsWith(result.file))
      return this.add({ ...result, id: `${result.file} > ${result.id}` });
    const found = this.index.find(key);
    // Two tests may share a hash, very rarely. A failed test is never dropped for that.
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
