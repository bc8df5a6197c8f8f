// Millions of tests by id, six bytes each: 54 bits of the id's hash and how the test ended. Which tests are listed, and what a
// retry means, is the sheet's business.

import type { TestStatus } from '@umpire/core/model.js';
import type { TextHash } from '@umpire/core/formats/text-hash.js';

const STATUSES: readonly TestStatus[] = ['passed', 'failed', 'errored', 'skipped'];
const CODES: Readonly<Record<TestStatus, number>> = { passed: 0, failed: 1, errored: 2, skipped: 3 };

/** Fills the tables below to the brim at 50 MB; beyond it tests are counted, and repeats are no longer seen. */
export const MOST_TESTS = 6_500_000;
const SEGMENTS = 256;
const FIRST_SLOTS = 64;
const FULL = 0.85;

/** `marks` has 30 bits of the hash and the status, `more` another 16. A mark of 0 is an empty slot. */
interface Segment {
  marks: Uint32Array;
  more: Uint16Array;
  used: number;
}

/** Open addressing in many small tables, so that growing one never needs twice the room of all. */
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
