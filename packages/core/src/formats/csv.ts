// A lossless RFC 4180 document: the text plus the start and end of every cell. Printing returns the same text; an edit replaces only the
// named cells. tasks-csv.ts and results-csv.ts know the columns.

const BOM = 0xfeff;
const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
const COMMA = 0x2c;
const SPACE = 0x20;
const TAB = 0x09;

interface CsvProblem {
  readonly ok: false;
  readonly line: number;
  /** The problem, without a full stop. */
  readonly problem: string;
  /** A sentence that says what to do. */
  readonly hint: string;
}

interface CsvCells {
  readonly ok: true;
  readonly columns: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The 1-based line on which each record starts. */
  readonly lines: Int32Array;
}

class CsvScanner {
  private at: number;
  private line = 1;
  private columns = 0;
  private readonly records = new Integers();
  private starts = new Int32Array(256);
  private ends = new Int32Array(256);
  private cells = 0;
  /** Offsets of the next comma and line endings; past the end if there is none. So each part of the text is searched once. */
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

  /** Skips to the next line that is not blank. False at the end of the text. */
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
    return refuseCsv(
      line,
      found,
      `Give the row ${this.columns} cells. Put double quotes around a value with a comma, and keep the comma of an empty value.`,
    );
  }

  private plainEnd(from: number): number {
    if (this.comma < from) this.comma = this.next(',', from);
    if (this.lf < from) this.lf = this.next('\n', from);
    if (this.cr < from) this.cr = this.next('\r', from);
    const ending = this.lf < this.cr ? this.lf : this.cr;
    return this.comma < ending ? this.comma : ending;
  }

  /** The offset after the closing quote. Counts the lines inside. */
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
      return refuseCsv(this.line, `text follows the closing quote of a cell${where}`, hint);
    }
    return refuseCsv(
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

/** A growing Int32Array: a plain array of numbers would take twice the memory. */
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

function refuseCsv(line: number, problem: string, hint: string): CsvProblem {
  return { ok: false, line, problem, hint };
}

/**
 * Offsets instead of objects, because a file of 100,000 rows has over a million cells. Cell `record * columns + column` is
 * `text.slice(starts[cell], ends[cell])`, quotes included. Record 0 is the header. Lines of only spaces and tabs are blank.
 */
export interface CsvDocument {
  readonly text: string;
  readonly columns: number;
  readonly records: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The 1-based line on which each record starts. */
  readonly lines: Int32Array;
}

type CsvResult = { readonly ok: true; readonly document: CsvDocument } | CsvProblem;

export interface CsvEdit {
  /** New values by cell number (`record * columns + column`). */
  readonly cells?: ReadonlyMap<number, string>;
  /** Columns added at the end: the values of each, one per record, header first. */
  readonly columns?: readonly (readonly string[])[];
  /** Records added at the end, as wide as the document with its new columns. */
  readonly records?: readonly (readonly string[])[];
}

export function parseCsv(text: string): CsvResult {
  const nul = text.indexOf('\0');
  if (nul === -1) {
    const cells = new CsvScanner(text).scan();
    if (!cells.ok) return cells;
    const { columns, starts, ends, lines } = cells;
    return { ok: true, document: { text, columns, records: lines.length, starts, ends, lines } };
  }
  const line = 1 + (text.slice(0, nul).match(/\r\n|\n|\r/g)?.length ?? 0);
  return refuseCsv(line, 'the text contains a NUL byte', 'Save the file as UTF-8, or remove the NUL byte.');
}

/** The value of a cell, without its quotes and with doubled quotes made single. */
export function cellValue(document: CsvDocument, record: number, column: number): string {
  return valueOf(document, record * document.columns + column);
}

function valueOf(document: CsvDocument, cell: number): string {
  const start = document.starts[cell] as number;
  const end = document.ends[cell] as number;
  if (document.text.charCodeAt(start) !== QUOTE) return document.text.slice(start, end);
  const inner = document.text.slice(start + 1, end - 1);
  return inner.includes('"') ? inner.replaceAll('""', '"') : inner;
}

/** The text with the edit applied. Without an edit, exactly the parsed text. */
export function printCsv(document: CsvDocument, edit: CsvEdit = {}): string {
  const { text, columns } = document;
  const style: CsvStyle = {
    quoteAll: document.records > 0 && document.starts.every((start) => document.text.charCodeAt(start) === QUOTE),
    width: columns + (edit.columns?.length ?? 0),
  };
  const pieces: string[] = [];
  let copied = 0;
  for (const { start, end, replacement } of splices(document, edit, style)) {
    pieces.push(text.slice(copied, start), replacement);
    copied = end;
  }
  pieces.push(text.slice(copied));
  appendRecords(document, edit.records ?? [], style, pieces);
  return pieces.join('');
}

/** A new document with LF line endings. Quotes only where needed. */
export function printRecords(records: Iterable<readonly string[]>): string {
  let text = '';
  for (const record of records) text += `${printRecord(record, { quoteAll: false, width: record.length })}\n`;
  return text;
}

interface CsvStyle {
  readonly quoteAll: boolean;
  /** Cells per record. An empty cell alone on its line needs quotes, or the line would be blank. */
  readonly width: number;
}

interface Splice {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** In text order. A new column comes after an edit of the last cell of its record. */
function splices(document: CsvDocument, edit: CsvEdit, style: CsvStyle): readonly Splice[] {
  const { columns, starts, ends } = document;
  const found: Splice[] = [];
  for (const [cell, value] of edit.cells ?? []) {
    const start = starts[cell];
    const end = ends[cell];
    if (start === undefined || end === undefined) throw new Error(`the document has no cell ${cell}`);
    if (value === valueOf(document, cell)) continue;
    const quoteAll = style.quoteAll || document.text.charCodeAt(start) === QUOTE;
    found.push({ start, end, replacement: printCell(value, { ...style, quoteAll }) });
  }
  const added = edit.columns ?? [];
  for (let record = 0; added.length > 0 && record < document.records; record++) {
    const end = ends[(record + 1) * columns - 1] as number;
    const cells = added.map((values) => `,${printCell(values[record] ?? '', style)}`);
    found.push({ start: end, end, replacement: cells.join('') });
  }
  return found.sort((a, b) => a.start - b.start);
}

function appendRecords(document: CsvDocument, records: readonly (readonly string[])[], style: CsvStyle, pieces: string[]): void {
  if (records.length === 0) return;
  const ending = dominantLineEnding(document);
  const closed = document.text.endsWith('\n') || document.text.endsWith('\r');
  if (!closed) pieces.push(ending);
  for (const record of records) {
    if (record.length !== style.width)
      throw new Error(`a record of ${record.length} cells was added to a document of ${style.width} columns`);
    pieces.push(printRecord(record, style), ending);
  }
  // Keeps the file without a final line ending if it had none.
  if (!closed) pieces.pop();
}

function printRecord(record: readonly string[], style: CsvStyle): string {
  let text = '';
  for (let column = 0; column < record.length; column++) text += (column === 0 ? '' : ',') + printCell(record[column] as string, style);
  return text;
}

function printCell(value: string, style: CsvStyle): string {
  if (value === '' && !style.quoteAll && style.width !== 1) return '';
  // A NUL would make the whole file unreadable.
  const safe = value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
  const bare = !style.quoteAll && !(safe === '' && style.width === 1) && !/[",\r\n]|^\s|\s$/.test(safe);
  return bare ? safe : `"${safe.replaceAll('"', '""')}"`;
}

/** The most frequent line ending; LF if there is none. */
function dominantLineEnding(document: CsvDocument): string {
  const counts = new Map([
    ['\n', 0],
    ['\r\n', 0],
    ['\r', 0],
  ]);
  for (let record = 1; record <= document.records; record++) {
    const ending = lineEndingAt(document.text, document.ends[record * document.columns - 1] as number);
    counts.set(ending, (counts.get(ending) ?? 0) + 1);
  }
  counts.delete('');
  return [...counts].reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

function lineEndingAt(text: string, at: number): '\r\n' | '\n' | '\r' | '' {
  const code = text.charCodeAt(at);
  if (code === LF) return '\n';
  if (code !== CR) return '';
  return text.charCodeAt(at + 1) === LF ? '\r\n' : '\r';
}
