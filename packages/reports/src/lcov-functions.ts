// The functions of one file of a tracefile, known by a hash of their name: FN declares one, FNDA says how often it was called. Names
// repeat within a file (two constructors), and the nth of the one record is the nth of the other.

import { doubled } from './branch-table.js';
import type { LineCoverage } from './line-set.js';

const FIRST_SLOTS = 256;
const MOST_FUNCTIONS = 1_000_000;

export class LcovFunctions {
  /** By slot: the name's hash, how often it was declared and called. Slots in use are listed. */
  private hashes = new Int32Array(FIRST_SLOTS);
  private declared = new Int32Array(FIRST_SLOTS);
  private called = new Int32Array(FIRST_SLOTS);
  private used = new Int32Array(FIRST_SLOTS);
  private size = 0;

  declare(hash: number): void {
    const slot = this.slotOf(hash);
    this.declared[slot] = (this.declared[slot] as number) + 1;
  }

  call(hash: number, isCovered: boolean, lines: LineCoverage): void {
    const slot = this.slotOf(hash);
    const nth = this.called[slot] as number;
    this.called[slot] = nth + 1;
    lines.functionBy(keyOf(hash, nth), isCovered);
  }

  /** Those that were declared and never displayId of again were not called. Then all are forgotten. */
  close(lines: LineCoverage): void {
    for (let at = 0; at < this.size; at += 1) {
      const slot = this.used[at] as number;
      for (let nth = this.called[slot] as number; nth < (this.declared[slot] as number); nth += 1)
        lines.functionBy(keyOf(this.hashes[slot] as number, nth), false);
      this.declared[slot] = 0;
      this.called[slot] = 0;
    }
    this.size = 0;
  }

  private slotOf(hash: number): number {
    const mask = this.hashes.length - 1;
    let slot = (hash ^ (hash >>> 16)) & mask;
    while (this.isUsed(slot) && this.hashes[slot] !== hash) slot = (slot + 1) & mask;
    if (this.isUsed(slot) || this.size >= MOST_FUNCTIONS) return slot;
    if (this.size * 2 >= this.hashes.length) {
      this.grow();
      return this.slotOf(hash);
    }
    this.hashes[slot] = hash;
    this.used[this.size] = slot;
    this.size += 1;
    return slot;
  }

  private isUsed(slot: number): boolean {
    return this.declared[slot] !== 0 || this.called[slot] !== 0;
  }

  private grow(): void {
    const { hashes, declared, called, used, size } = this;
    this.hashes = new Int32Array(hashes.length * 2);
    this.declared = new Int32Array(hashes.length * 2);
    this.called = new Int32Array(hashes.length * 2);
    this.used = doubled(used);
    this.size = 0;
    for (let at = 0; at < size; at += 1) {
      const old = used[at] as number;
      const slot = this.slotOf(hashes[old] as number);
      this.declared[slot] = declared[old] as number;
      this.called[slot] = called[old] as number;
    }
  }
}

/** Of the nth function of that name in the file. */
function keyOf(hash: number, nth: number): number {
  return nth === 0 ? hash : Math.imul(hash ^ Math.imul(nth, 0x9e3779b1), 0x85ebca6b);
}
