// Where two versions of a file differ, as runs of lines, and the file with only some of these runs changed.

import { readSource } from '../syntax/read.js';
import { findTests } from '../test-model/find.js';

export interface Hunk {
  /** Lines of the version before, from 0, the end left out. */
  readonly from: number;
  readonly to: number;
  /** The same of the version after. */
  readonly fromAfter: number;
  readonly toAfter: number;
}

/** A part of a hunk that only adds: one test of several, or what stands between them. */
export interface Piece extends Hunk {
  readonly of: Hunk;
  readonly isTest: boolean;
}

/** So many equal lines at the end are looked at with the rest: a brace that ends an added test looks like the one before it. */
const SLACK = 60;

/** More cells than this, and what differs is one hunk: nobody waits for the best one. */
const MOST_CELLS = 4_000_000;

export class Hunks {
  readonly all: readonly Hunk[];
  private readonly before: readonly string[];
  private readonly after: readonly string[];

  constructor(before: string, after: string) {
    this.before = keepLineEnds(before);
    this.after = keepLineEnds(after);
    this.all = differences(this.before, this.after);
  }

  /** The hunks, those that add several tests taken apart. `tests`: where they stand in the version after. */
  pieces(tests: readonly Lines[]): readonly Piece[] {
    return this.all.flatMap((hunk) => {
      const own = hunk.from === hunk.to ? tests.filter(({ from, to }) => from >= hunk.fromAfter && to <= hunk.toAfter) : [];
      if (own.length === 0) return [{ ...hunk, of: hunk, isTest: false }];
      const cuts = [...new Set([hunk.fromAfter, ...own.flatMap(({ from, to }) => [from, to]), hunk.toAfter])];
      const starts = new Set(own.map(({ from }) => from));
      return cuts.slice(1).map((toAfter, at) => {
        const fromAfter = cuts[at] as number;
        return { from: hunk.from, to: hunk.to, fromAfter, toAfter, of: hunk, isTest: starts.has(fromAfter) };
      });
    });
  }

  /** The version before with these hunks changed. */
  apply(wanted: ReadonlySet<Hunk>): string {
    return this.written(this.all.filter((hunk) => wanted.has(hunk)));
  }

  /** The same with hunks or pieces of them, in their order. */
  written(wanted: readonly Hunk[]): string {
    const out: string[] = [];
    let at = 0;
    for (const hunk of wanted) {
      out.push(...this.before.slice(at, hunk.from), ...this.after.slice(hunk.fromAfter, hunk.toAfter));
      at = hunk.to;
    }
    return [...out, ...this.before.slice(at)].join('');
  }
}

/** Each with its end. */
function keepLineEnds(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

function differences(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  let start = 0;
  const shortest = Math.min(before.length, after.length);
  while (start < shortest && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  if (start === before.length && start === after.length) return [];
  end = Math.max(0, end - SLACK);
  const middle = { from: start, to: before.length - end, fromAfter: start, toAfter: after.length - end };
  if ((middle.to - middle.from) * (middle.toAfter - middle.fromAfter) > MOST_CELLS) return [middle];
  return splitMiddle(middle, before, after);
}

/** By the longest common subsequence of the lines in the middle. */
function splitMiddle(middle: Hunk, before: readonly string[], after: readonly string[]): readonly Hunk[] {
  const rows = middle.to - middle.from;
  const columns = middle.toAfter - middle.fromAfter;
  const width = columns + 1;
  const longest = new Uint32Array((rows + 1) * width);
  const readCell = (row: number, column: number): number => longest[row * width + column] ?? 0;
  const isSameLine = (row: number, column: number): boolean => before[middle.from + row] === after[middle.fromAfter + column];
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--)
      longest[row * width + column] = isSameLine(row, column)
        ? readCell(row + 1, column + 1) + 1
        : Math.max(readCell(row + 1, column), readCell(row, column + 1));
  const found: Hunk[] = [];
  let [row, column, fromRow, fromColumn] = [0, 0, 0, 0];
  const closeHunk = (): void => {
    if (row === fromRow && column === fromColumn) return;
    const { from, fromAfter } = middle;
    found.push({ from: from + fromRow, to: from + row, fromAfter: fromAfter + fromColumn, toAfter: fromAfter + column });
  };
  while (row < rows && column < columns) {
    if (isSameLine(row, column)) {
      closeHunk();
      row += 1;
      column += 1;
      [fromRow, fromColumn] = [row, column];
    } else if (readCell(row + 1, column) >= readCell(row, column + 1)) row += 1;
    else column += 1;
  }
  [row, column] = [rows, columns];
  closeHunk();
  return found;
}

/** Lines from 0, the end left out. */
export interface Lines {
  readonly from: number;
  readonly to: number;
}

/** In the order of the file; of tests that share a line or stand in one another the outer ones. Empty where there are none, or no code. */
export function testLines(path: string, text: string): readonly Lines[] {
  const source = readSource(path, text);
  if (source === null || source.problem !== null) return [];
  const countLinesBefore = (offset: number): number => text.slice(0, offset).split('\n').length - 1;
  const found = findTests(source)
    .tests.filter(({ from, to }) => {
      // Nothing else stands on its lines.

      const start = text.lastIndexOf('\n', from - 1) + 1;
      const next = text.indexOf('\n', to);
      const rest = text.slice(to, next < 0 ? text.length : next);
      return text.slice(start, from).trim() === '' && /^[;\s]*$/.test(rest);
    })
    .map(({ from, to }) => ({ from: countLinesBefore(from), to: countLinesBefore(to) + 1 }))
    .toSorted((one, other) => one.from - other.from || other.to - one.to);
  const outer: Lines[] = [];
  for (const lines of found) if (lines.from >= (outer.at(-1)?.to ?? 0)) outer.push(lines);
  return outer;
}
