// Finds where every cell of a CSV text begins and ends, in one pass. It leaps from mark to mark with `indexOf`, which the engine
// does many times faster than anybody could look at one character after another. What is done with cells is csv.ts's.

const BOM = 0xfeff;
export const QUOTE = 0x22;
export const LF = 0x0a;
export const CR = 0x0d;
const COMMA = 0x2c;
const SPACE = 0x20;
const TAB = 0x09;

export interface CsvProblem {
  readonly ok: false;
  readonly line: number;
  /** What is wrong, without a full stop. */
  readonly problem: string;
  /** A sentence that says what to do. */
  readonly hint: string;
}

export interface CsvCells {
  readonly ok: true;
  readonly columns: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The 1-based line on which each record starts. */
  readonly lines: Int32Array;
}

export class CsvScanner {
  private at: number;
  private line = 1;
  private columns = 0;
  private readonly records = new Integers();
  private starts = new Int32Array(256);
  private ends = new Int32Array(256);
  private cells = 0;
  /** The next comma and the next line ends from where we are; beyond the text where there is none. Each stretch is searched once. */
  private comma = -1;
  private lf = -1;
  private cr = -1;

  constructor(private readonly text: string) {
    this.at = text.charCodeAt(0) === BOM ? 1 : 0;
  }

  scan(): CsvCells | CsvProblem {
    while (this.skipBlankLines()) {
      const problem = this.scanRecord();
      if (problem !== null) return problem;
    }
    const { columns, starts, ends, cells, records } = this;
    return { ok: true, columns, starts: starts.slice(0, cells), ends: ends.slice(0, cells), lines: records.toArray() };
  }

  /** Goes to the next line that is not blank; false at the end of the text. */
  private skipBlankLines(): boolean {
    for (;;) {
      let at = this.at;
      let code = this.text.charCodeAt(at);
      while (code === SPACE || code === TAB) code = this.text.charCodeAt(++at);
      if (at < this.text.length && code !== LF && code !== CR) return true;
      this.at = at;
      if (!this.passLineEnding()) return false;
    }
  }

  private scanRecord(): CsvProblem | null {
    const { text, line } = this;
    const first = this.cells;
    let at = this.at;
    for (;;) {
      if (this.cells === this.starts.length) this.grow();
      this.starts[this.cells] = at;
      if (text.charCodeAt(at) === QUOTE) {
        const end = this.quotedEnd(at);
        if (typeof end !== 'number') return end;
        at = end;
      } else {
        at = this.plainEnd(at);
      }
      this.ends[this.cells] = at;
      this.cells += 1;
      if (text.charCodeAt(at) !== COMMA) break;
      at += 1;
    }
    this.at = at;
    this.passLineEnding();
    this.records.push(line);
    const cells = this.cells - first;
    if (this.columns === 0) this.columns = cells;
    if (cells === this.columns) return null;
    const found = `this row has ${cells} ${cells === 1 ? 'cell' : 'cells'}, but the header has ${this.columns}`;
    return refuse(
      line,
      found,
      `Give the row ${this.columns} cells. A value that holds a comma needs double quotes around it; an empty one still needs its comma.`,
    );
  }

  private plainEnd(from: number): number {
    if (this.comma < from) this.comma = this.next(',', from);
    if (this.lf < from) this.lf = this.next('\n', from);
    if (this.cr < from) this.cr = this.next('\r', from);
    const ending = this.lf < this.cr ? this.lf : this.cr;
    return this.comma < ending ? this.comma : ending;
  }

  /** Behind the closing quote. Lines that end inside are counted. */
  private quotedEnd(from: number): number | CsvProblem {
    const { text } = this;
    const opened = this.line;
    for (let at = this.next('"', from + 1); at < text.length; at = this.next('"', at + 2)) {
      const next = text.charCodeAt(at + 1);
      if (next === QUOTE) continue;
      this.countLines(from, at);
      if (at + 1 === text.length || next === COMMA || next === LF || next === CR) return at + 1;
      const where = opened === this.line ? '' : ` (the quote opened on line ${opened})`;
      const hint = 'Write a double quote inside a quoted value twice (""), and leave nothing between the closing quote and the next comma.';
      return refuse(this.line, `text follows the closing quote of a cell${where}`, hint);
    }
    return refuse(
      opened,
      'a quote is opened here and never closed',
      'Close the value with a double quote; write a double quote inside it twice ("").',
    );
  }

  private countLines(from: number, to: number): void {
    if (this.lf < from) this.lf = this.next('\n', from);
    for (; this.lf < to; this.lf = this.next('\n', this.lf + 1)) this.line += 1;
    if (this.cr < from) this.cr = this.next('\r', from);
    for (; this.cr < to; this.cr = this.next('\r', this.cr + 1)) if (this.text.charCodeAt(this.cr + 1) !== LF) this.line += 1;
  }

  private next(mark: string, from: number): number {
    const found = this.text.indexOf(mark, from);
    return found < 0 ? this.text.length : found;
  }

  private passLineEnding(): boolean {
    const code = this.text.charCodeAt(this.at);
    if (code !== LF && code !== CR) return false;
    this.at += code === CR && this.text.charCodeAt(this.at + 1) === LF ? 2 : 1;
    this.line += 1;
    return true;
  }

  private grow(): void {
    this.starts = wider(this.starts);
    this.ends = wider(this.ends);
  }
}

/** A growing Int32Array: a plain array of numbers would take twice the room. */
class Integers {
  private values = new Int32Array(256);
  private length = 0;

  push(value: number): void {
    if (this.length === this.values.length) this.values = wider(this.values);
    this.values[this.length++] = value;
  }

  toArray(): Int32Array {
    return this.values.slice(0, this.length);
  }
}

function wider(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const wide = new Int32Array(numbers.length * 2);
  wide.set(numbers);
  return wide;
}

export function refuse(line: number, problem: string, hint: string): CsvProblem {
  return { ok: false, line, problem, hint };
}
