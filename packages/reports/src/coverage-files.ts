// The files of one coverage report. Every section about a file is packed into a few bytes per 32 lines, and the sections of a file
// are merged at the end, so a gigabyte of coverage needs little memory. All readers of coverage by line use this.

import { coverageOf, doubled, LineCoverage, NumberUnpacker, NumberPacker } from './line-coverage.js';
import type { ReportBuilder } from './report-builder.js';
import { detachText, hashText } from '@umpire/core/formats/text-hash.js';

const BLOCK = 1 << 20;
const FIRST_BLOCK = 1 << 14;
/** Where repeats fill more than this, they are merged before the end. */
const MOST_REPEATS = 8 * BLOCK;
/** A report beyond either limit is refused. */
const MOST_FILES = 2_000_000;
const MOST_BYTES = 96 * BLOCK;

/** A section is what the report says of a file in one place: `open`, the lines, `close`. */
export class CoverageFiles {
  private readonly lines = new LineCoverage();
  private readonly writer = new NumberPacker();
  private readonly hash = { high: 0, low: 0 };
  private readonly paths: string[] = [];
  /** By file: its hash, and the last of its sections. */
  private highs = new Int32Array(64);
  private lows = new Int32Array(64);
  private lastSections = new Int32Array(64);
  private slots = new Int32Array(256).fill(-1);
  /** By file: the counts of its only section, and the uncovered lines of listed files. */
  private counts = new Int32Array(8 * 64);
  private readonly uncovered: number[][] = [];
  private count = 0;
  private current = -1;
  private store = new SectionStore();
  private isOverfull = false;
  private isMerged = false;

  constructor(
    private readonly report: ReportBuilder,
    private readonly mostBytes = MOST_BYTES,
  ) {}

  get size(): number {
    return this.count;
  }

  /** Begins a section on this file. The object is the same every time, and empty. */
  open(path: string): LineCoverage {
    this.close();
    this.lines.reset();
    this.current = this.fileOf(path);
    return this.lines;
  }

  /** Ends the section. */
  close(): void {
    if (this.current < 0) return;
    this.writer.reset();
    this.lines.pack(this.writer);
    const earlier = this.lastSections[this.current] as number;
    if (earlier < 0 && !this.isMerged) this.remember(this.current);
    this.lines.reset();
    this.lastSections[this.current] = this.store.add(this.writer.written(), earlier);
    this.current = -1;
    if (this.store.repeats > MOST_REPEATS) this.mergeRepeats();
    this.isOverfull ||= this.store.bytes > this.mostBytes;
  }

  /** Hands every file to the report. */
  end(): void {
    this.close();
    if (this.isOverfull) this.report.fail('the report describes too many files to merge; split it');
    for (let file = 0; file < this.count; file += 1) {
      if (this.isMerged || !this.store.isOnly(this.lastSections[file] as number)) {
        this.gather(file);
        this.remember(file);
      }
      const path = this.paths[file];
      const coverage = coverageOf(this.counts, file * 8);
      if (path === undefined) this.report.addUnlistedFile(coverage);
      else this.report.addFile({ path, ...coverage, uncovered: this.uncovered[file] ?? [] });
    }
    this.lines.reset();
  }

  /** Stores the counts of the current lines for this file. */
  private remember(file: number): void {
    this.lines.counts(this.counts, file * 8);
    if (file < this.report.keep) this.uncovered[file] = this.lines.uncovered();
  }

  /** All sections of a file together. */
  private gather(file: number): void {
    this.lines.reset();
    this.store.each(this.lastSections[file] as number, (section) => this.lines.load(section));
  }

  private mergeRepeats(): void {
    const merged = new SectionStore();
    for (let file = 0; file < this.count; file += 1) {
      this.gather(file);
      this.writer.reset();
      this.lines.pack(this.writer);
      this.lastSections[file] = merged.add(this.writer.written(), -1);
    }
    // Rebuilt for every file at the end: keeping the lists up to date would cost many megabytes.
    this.isMerged = true;
    this.uncovered.length = 0;
    this.lines.reset();
    this.store = merged;
  }

  private fileOf(path: string): number {
    const { high, low } = hashText(path, this.hash);
    let slot = low & (this.slots.length - 1);
    for (let file = this.slots[slot] as number; file >= 0; file = this.slots[slot] as number) {
      if (this.highs[file] === (high | 0) && this.lows[file] === (low | 0)) return file;
      slot = (slot + 1) & (this.slots.length - 1);
    }
    if (this.count >= MOST_FILES) {
      this.isOverfull = true;
      return -1;
    }
    return this.newFile(path, slot);
  }

  private newFile(path: string, slot: number): number {
    const file = this.count;
    if (file === this.highs.length) {
      this.highs = doubled(this.highs);
      this.lows = doubled(this.lows);
      this.lastSections = doubled(this.lastSections);
      this.counts = doubled(this.counts);
    }
    this.highs[file] = this.hash.high;
    this.lows[file] = this.hash.low;
    this.lastSections[file] = -1;
    this.slots[slot] = file;
    this.count += 1;
    if (file < this.report.keep) this.paths.push(detachText(path));
    if (this.count * 2 > this.slots.length) this.growSlots();
    return file;
  }

  private growSlots(): void {
    this.slots = new Int32Array(this.slots.length * 2).fill(-1);
    for (let file = 0; file < this.count; file += 1) {
      let slot = (this.lows[file] as number) & (this.slots.length - 1);
      while ((this.slots[slot] as number) >= 0) slot = (slot + 1) & (this.slots.length - 1);
      this.slots[slot] = file;
    }
  }
}

/** Packed sections in large blocks, each with the number of the section that the same file had before. */
class SectionStore {
  private blocks: Uint8Array[] = [];
  private used = BLOCK;
  private blockOf = new Int32Array(64);
  private startOf = new Int32Array(64);
  private earlier = new Int32Array(64);
  private count = 0;
  /** Bytes of all sections, and of those that repeat a file. */
  bytes = 0;
  repeats = 0;

  add(section: Uint8Array, earlier: number): number {
    let block = this.blocks.at(-1);
    if (block === undefined || this.used + section.length > block.length) {
      // Most reports need no more than the first, small one.
      block = new Uint8Array(Math.max(block === undefined ? FIRST_BLOCK : BLOCK, section.length));
      this.blocks.push(block);
      this.used = 0;
    }
    if (this.count === this.blockOf.length) {
      this.blockOf = doubled(this.blockOf);
      this.startOf = doubled(this.startOf);
      this.earlier = doubled(this.earlier);
    }
    block.set(section, this.used);
    this.blockOf[this.count] = this.blocks.length - 1;
    this.startOf[this.count] = this.used;
    this.earlier[this.count] = earlier;
    this.used += section.length;
    const weight = section.length + 12;
    this.bytes += weight;
    if (earlier >= 0) this.repeats += weight;
    this.count += 1;
    return this.count - 1;
  }

  /** Has the file no section but this one? */
  isOnly(section: number): boolean {
    return this.earlier[section] === -1;
  }

  /** A file's sections, the last one first. */
  each(last: number, take: (section: NumberUnpacker) => void): void {
    for (let section = last; section >= 0; section = this.earlier[section] as number) {
      take(new NumberUnpacker(this.blocks[this.blockOf[section] as number] as Uint8Array, this.startOf[section]));
    }
  }
}
