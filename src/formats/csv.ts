// A lossless RFC 4180 document: the text as it came, plus where every cell of it begins and ends. Printing it gives
// the same text back; an edit replaces the cells it names and leaves every other character alone.
// What the columns mean is left to tasks-csv.ts and results-csv.ts.

const BOM = 0xfeff;
const QUOTE = 0x22;
const COMMA = 0x2c;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;

/**
 * Offsets, not objects: a file of 100,000 rows has over a million cells. Cell `record * columns + column` is
 * `text.slice(starts[cell], ends[cell])`, quotes included. Record 0 is the header. Byte order mark, line endings,
 * quoting and blank lines are remembered by the text itself. A line of nothing but spaces and tabs is blank.
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

interface CsvProblem {
  readonly ok: false;
  readonly line: number;
  /** What is wrong, without a full stop. */
  readonly problem: string;
  /** A sentence that says what to do. */
  readonly hint: string;
}

export type CsvResult = { readonly ok: true; readonly document: CsvDocument } | CsvProblem;

export interface CsvEdit {
  /** New values by cell number (`record * columns + column`). */
  readonly cells?: ReadonlyMap<number, string>;
  /** Columns put behind the last one: for each its values, one per record, the header's first. */
  readonly columns?: readonly (readonly string[])[];
  /** Records put at the end, each as wide as the document and its new columns. */
  readonly records?: readonly (readonly string[])[];
}

export function parseCsv(text: string): CsvResult {
  const nul = text.indexOf('\0');
  if (nul === -1) return new Scanner(text).scan();
  const line = 1 + (text.slice(0, nul).match(/\r\n|\n|\r/g)?.length ?? 0);
  return refuse(line, 'a NUL byte stands in the text', 'Remove the NUL byte, or save the file as UTF-8: UTF-16 text is full of them.');
}

/** The value of a cell: what its quotes enclose, with doubled quotes made single. */
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

/** The text of the document with the edit made; without an edit, exactly the text that was parsed. */
export function printCsv(document: CsvDocument, edit: CsvEdit = {}): string {
  const { text, columns } = document;
  const style: Style = { quoteAll: everyCellQuoted(document), width: columns + (edit.columns?.length ?? 0) };
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

/** A new document, LF line endings, quotes only where they are needed. */
export function printRecords(records: readonly (readonly string[])[]): string {
  return records.map((record) => `${printRecord(record, { quoteAll: false, width: record.length })}\n`).join('');
}

class Scanner {
  private at: number;
  private line = 1;
  private columns = 0;
  private readonly starts = new Integers();
  private readonly ends = new Integers();
  private readonly lines = new Integers();

  constructor(private readonly text: string) {
    this.at = text.charCodeAt(0) === BOM ? 1 : 0;
  }

  scan(): CsvResult {
    while (this.skipBlankLines()) {
      const problem = this.scanRecord();
      if (problem !== null) return problem;
    }
    const { text, columns } = this;
    const lines = this.lines.toArray();
    return {
      ok: true,
      document: { text, columns, records: lines.length, starts: this.starts.toArray(), ends: this.ends.toArray(), lines },
    };
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
    const line = this.line;
    let cells = 0;
    for (;;) {
      this.starts.push(this.at);
      if (this.text.charCodeAt(this.at) === QUOTE) {
        const problem = this.passQuoted();
        if (problem !== null) return problem;
      } else {
        this.passPlain();
      }
      this.ends.push(this.at);
      cells++;
      if (this.text.charCodeAt(this.at) !== COMMA) break;
      this.at++;
    }
    this.passLineEnding();
    this.lines.push(line);
    if (this.columns === 0) this.columns = cells;
    if (cells === this.columns) return null;
    const found = `this row has ${cells} ${cells === 1 ? 'cell' : 'cells'}, but the header has ${this.columns}`;
    return refuse(
      line,
      found,
      `Give the row ${this.columns} cells. A value that holds a comma needs double quotes around it; an empty one still needs its comma.`,
    );
  }

  private passPlain(): void {
    const { text } = this;
    const { length } = text;
    let at = this.at;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code <= COMMA && (code === COMMA || code === LF || code === CR)) break;
    }
    this.at = at;
  }

  private passQuoted(): CsvProblem | null {
    const { text } = this;
    const { length } = text;
    const opened = this.line;
    for (let at = this.at + 1; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code > QUOTE) continue;
      if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) this.line++;
      if (code !== QUOTE) continue;
      const next = text.charCodeAt(at + 1);
      if (next === QUOTE) {
        at++;
      } else if (at + 1 === length || next === COMMA || next === LF || next === CR) {
        this.at = at + 1;
        return null;
      } else {
        const where = opened === this.line ? '' : ` (the quote opened on line ${opened})`;
        const hint =
          'Write a double quote inside a quoted value twice (""), and leave nothing between the closing quote and the next comma.';
        return refuse(this.line, `text follows the closing quote of a cell${where}`, hint);
      }
    }
    return refuse(
      opened,
      'a quote is opened here and never closed',
      'Close the value with a double quote; write a double quote inside it twice ("").',
    );
  }

  private passLineEnding(): boolean {
    const ending = lineEndingAt(this.text, this.at);
    this.at += ending.length;
    if (ending !== '') this.line++;
    return ending !== '';
  }
}

/** A growing Int32Array: a plain array of numbers would take twice the room. */
class Integers {
  private values = new Int32Array(256);
  private length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const wider = new Int32Array(this.length * 2);
      wider.set(this.values);
      this.values = wider;
    }
    this.values[this.length++] = value;
  }

  toArray(): Int32Array {
    return this.values.slice(0, this.length);
  }
}

interface Style {
  readonly quoteAll: boolean;
  /** Cells per record: the only cell of a line may not be left bare when empty, or the line would be blank. */
  readonly width: number;
}

interface Splice {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** In the order of the text. A new column goes behind an edit of the last cell of its record. */
function splices(document: CsvDocument, edit: CsvEdit, style: Style): readonly Splice[] {
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

function appendRecords(document: CsvDocument, records: readonly (readonly string[])[], style: Style, pieces: string[]): void {
  if (records.length === 0) return;
  const ending = dominantLineEnding(document);
  const closed = document.text.endsWith('\n') || document.text.endsWith('\r');
  if (!closed) pieces.push(ending);
  for (const record of records) {
    if (record.length !== style.width)
      throw new Error(`a record of ${record.length} cells was added to a document of ${style.width} columns`);
    pieces.push(printRecord(record, style), ending);
  }
  // A file that did not end in a line ending still does not.
  if (!closed) pieces.pop();
}

function printRecord(record: readonly string[], style: Style): string {
  return record.map((value) => printCell(value, style)).join(',');
}

function printCell(value: string, style: Style): string {
  // NUL has no place in a CSV file; a value that brings one must not make the whole file unreadable.
  const safe = value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
  const bare = !style.quoteAll && !(safe === '' && style.width === 1) && !/[",\r\n]|^\s|\s$/.test(safe);
  return bare ? safe : `"${safe.replaceAll('"', '""')}"`;
}

function everyCellQuoted(document: CsvDocument): boolean {
  return document.records > 0 && document.starts.every((start) => document.text.charCodeAt(start) === QUOTE);
}

/** The one that most records end in; LF where there is none. */
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

function refuse(line: number, problem: string, hint: string): CsvProblem {
  return { ok: false, line, problem, hint };
}
