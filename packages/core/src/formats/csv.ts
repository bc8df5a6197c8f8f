// A lossless RFC 4180 document: the text as it came, plus where every cell of it begins and ends. Printing it gives
// the same text back; an edit replaces the cells it names and leaves every other character alone.
// Finding the cells is csv-scan.ts's work; what the columns mean is left to tasks-csv.ts and results-csv.ts.

import { CR, CsvScanner, LF, QUOTE, refuse, type CsvProblem } from './csv-scan.js';

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
  if (nul === -1) {
    const cells = new CsvScanner(text).scan();
    if (!cells.ok) return cells;
    const { columns, starts, ends, lines } = cells;
    return { ok: true, document: { text, columns, records: lines.length, starts, ends, lines } };
  }
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
export function printRecords(records: Iterable<readonly string[]>): string {
  let text = '';
  for (const record of records) text += `${printRecord(record, { quoteAll: false, width: record.length })}\n`;
  return text;
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
  let text = '';
  for (let column = 0; column < record.length; column++) text += (column === 0 ? '' : ',') + printCell(record[column] as string, style);
  return text;
}

function printCell(value: string, style: Style): string {
  if (value === '' && !style.quoteAll && style.width !== 1) return '';
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
