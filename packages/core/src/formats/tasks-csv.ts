// tasks.csv: parses rows into tasks and writes them back. Rejects rows that are invalid by themselves; decider/waves.ts checks
// dependencies between tasks. Edits change only the cells they name.

import { UmpireError } from '../model/errors.js';
import { EXEC_MODES, TASK_STATUSES } from '../model/vocabulary.js';
import type { Task } from '../model/vocabulary.js';
import { cellValue, parseCsv, printCsv, printRecords } from './csv.js';
import type { CsvDocument } from './csv.js';
import { setOwn } from './merge-objects.js';

export interface TasksFile {
  /** The trimmed names of the header, in file order. */
  readonly columns: readonly string[];
  readonly tasks: readonly Task[];
  readonly document: CsvDocument;
}

/** A row to write: values by column name. A missing column is an empty cell. */
export type TaskRow = Readonly<Record<string, string>>;

export interface TasksEdit {
  /** New cells of existing tasks, by task id. */
  readonly set?: ReadonlyMap<string, TaskRow>;
  /** Tasks added at the end of the file. */
  readonly add?: readonly TaskRow[];
}

const HEAD = ['id', 'title', 'description', 'role'] as const;
const MIDDLE = ['deps', 'context_from', 'exec_mode', 'wave', 'status', 'findings'] as const;

export const COMMON_COLUMNS: readonly string[] = [...HEAD, ...MIDDLE, 'error'];

/** Every task needs these columns, so an edit adds them to a file that lacks them. */
const ESSENTIAL_COLUMNS: readonly string[] = ['id', 'description', 'role', 'deps', 'status'];

/** The columns of a new file: the common ones with those of the loop between them. */
export function tasksColumns(inColumns: readonly string[], outColumns: readonly string[]): readonly string[] {
  return [...HEAD, ...inColumns, ...MIDDLE, ...outColumns, 'error'];
}

export function joinIds(ids: readonly string[]): string {
  return ids.join(';');
}

/** A value of the file for an error message: quoted, shortened and without control characters. */
export function showValue(value: string): string {
  const short = JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  return short.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Throws `tasks-malformed` with the line and a hint. */
export function parseTasks(text: string, file = 'tasks.csv'): TasksFile {
  const result = parseCsv(text);
  if (!result.ok) throw malformed(file, result.line, result.problem, result.hint);
  const { document } = result;
  if (document.records === 0) {
    throw malformed(file, 1, 'the file is empty', `Give it a header line, such as: ${COMMON_COLUMNS.join(',')}`);
  }
  const columns = readHeader(document, file);
  const lineOfId = new Map<string, number>();
  const tasks: Task[] = [];
  for (let record = 1; record < document.records; record++) {
    const task = readTask(document, columns, record, file);
    const first = lineOfId.get(task.id);
    if (first !== undefined) {
      const detail = `the id ${showValue(task.id)} is already used on line ${first}`;
      throw malformed(file, task.line, detail, `Change the id on line ${first} or on line ${task.line}.`);
    }
    lineOfId.set(task.id, task.line);
    tasks.push(task);
  }
  return { columns, tasks, document };
}

/** What a spreadsheet runs as a formula, unless it is a number or a mark for nothing. */
const FORMULA = /^[=+@\t\r]|^-/;
const HARMLESS = /^(?:[+-]?\d[\d.,]*%?|-+)$/;

/** Cells that a spreadsheet would run. Umpire leaves them as they are: the file is its owner's. */
export function formulaCells({ tasks }: TasksFile): readonly { readonly line: number; readonly id: string; readonly column: string }[] {
  return tasks.flatMap(({ id, line, columns }) =>
    Object.entries(columns).flatMap(([column, cell]) => (FORMULA.test(cell) && !HARMLESS.test(cell) ? [{ line, id, column }] : [])),
  );
}

/** The new text of the file. Drops columns that the file lacks, except essential ones, which are added. */
export function editTasks(file: TasksFile, edit: TasksEdit): string {
  const set = edit.set ?? new Map<string, TaskRow>();
  const add = edit.add ?? [];
  assertIds(new Set(file.tasks.map((task) => task.id)), set, add);
  const indexOf = indexColumns(file.columns);
  const missing = missingColumns(indexOf, [...set.values(), ...add]);
  const added = missing.map((name) => [name, ...file.tasks.map((task) => valueIn(set.get(task.id) ?? {}, name))]);
  const cells = new Map<number, string>();
  for (const [index, task] of file.tasks.entries()) {
    for (const [name, value] of Object.entries(set.get(task.id) ?? {})) {
      const column = indexOf.get(name);
      if (column !== undefined && name !== 'id') cells.set((index + 1) * file.document.columns + column, value);
    }
  }
  const wide = [...file.columns, ...missing];
  return printCsv(file.document, { cells, columns: added, records: add.map((row) => wide.map((name) => valueIn(row, name))) });
}

/** The text of a new file. */
export function printTasks(columns: readonly string[], rows: readonly TaskRow[]): string {
  return printCells(columns, rows, valueIn);
}

/** Same as printTasks, for anything with cells: rows need not be built first. */
export function printCells<T>(columns: readonly string[], rows: readonly T[], cell: (row: T, name: string) => string): string {
  return printRecords(recordsOf(columns, rows, cell));
}

function* recordsOf<T>(
  columns: readonly string[],
  rows: readonly T[],
  cell: (row: T, name: string) => string,
): Iterable<readonly string[]> {
  yield columns;
  for (const row of rows) yield columns.map((name) => cell(row, name));
}

function readHeader(document: CsvDocument, file: string): readonly string[] {
  const line = document.lines[0] as number;
  const columns = Array.from({ length: document.columns }, (_, column) => cellValue(document, 0, column).trim());
  const seen = new Set<string>();
  for (const name of columns) {
    // Spreadsheets leave columns without a name. Nothing looks them up, so they may repeat.
    if (name !== '' && seen.has(name)) {
      throw malformed(file, line, `the header names the column ${showValue(name)} twice`, 'Rename or remove one of the two columns.');
    }
    seen.add(name);
  }
  for (const name of ['id', 'description']) {
    if (seen.has(name)) continue;
    const sign = columns.length === 1 ? otherSeparator(columns[0] ?? '') : null;
    if (sign !== null)
      throw malformed(
        file,
        line,
        `its columns are separated by ${sign}`,
        'Save it as CSV with commas. Some spreadsheets use other separators.',
      );
    const hint = `The first line must name the columns in lower case. Add the column ${name}, or write a header such as: ${COMMON_COLUMNS.join(',')}`;
    throw malformed(file, line, `the header has no column ${showValue(name)}`, hint);
  }
  return columns;
}

/** The separator of a header without commas. Null if this is not such a header. */
function otherSeparator(header: string): string | null {
  const signs = [
    { sign: ';', words: 'semicolons' },
    { sign: '\t', words: 'tabs' },
    { sign: '|', words: 'bars' },
  ];
  const isHeader = (names: readonly string[]): boolean => ['id', 'description'].every((name) => names.some((one) => one.trim() === name));
  return signs.find(({ sign }) => isHeader(header.split(sign)))?.words ?? null;
}

function readTask(document: CsvDocument, columns: readonly string[], record: number, file: string): Task {
  const line = document.lines[record] as number;
  const cells = readCells(document, columns, record);
  const id = trimmed(cells['id']);
  if (id === '') throw malformed(file, line, 'the task has no id', 'Give the task a unique id, or remove the line.');
  if (/[;\r\n]/.test(id))
    throw malformed(
      file,
      line,
      `the id ${showValue(id)} contains a semicolon or a line break`,
      'Give the task an id without them: ids in deps are separated by semicolons.',
    );
  const description = cells['description'] ?? '';
  if (description.trim() === '') {
    throw malformed(file, line, `the task ${showValue(id)} has an empty description`, 'Describe what the task should do.');
  }
  return {
    id,
    role: trimmed(cells['role']),
    description,
    deps: splitIds(cells['deps']),
    contextFrom: splitIds(cells['context_from']),
    execMode: oneOf(EXEC_MODES, 'csv-wave', 'exec_mode', cells['exec_mode'], id, file, line),
    status: oneOf(TASK_STATUSES, 'pending', 'status', cells['status'], id, file, line),
    columns: cells,
    line,
  };
}

function readCells(document: CsvDocument, columns: readonly string[], record: number): TaskRow {
  const cells: Record<string, string> = {};
  for (let column = 0; column < columns.length; column++) {
    const name = columns[column] as string;
    if (name !== '') setOwn(cells, name, cellValue(document, record, column));
  }
  return cells;
}

function oneOf<T extends string>(
  known: readonly T[],
  blank: T,
  column: string,
  cell: string | undefined,
  id: string,
  file: string,
  line: number,
): T {
  const value = trimmed(cell);
  if (value === '') return blank;
  const found = known.find((word) => word === value);
  if (found !== undefined) return found;
  const detail = `the task ${showValue(id)} has the unknown ${column} ${showValue(value)}`;
  throw malformed(file, line, detail, `Use one of ${known.join(', ')}, or leave the cell empty for ${blank}.`);
}

/** The ids in a cell such as `deps`. */
export function splitIds(cell: string | undefined): readonly string[] {
  if (cell === undefined || cell === '') return [];
  // Most cells name one task.
  if (!cell.includes(';')) return cell.trim() === '' ? [] : [cell.trim()];
  return cell
    .split(';')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

function trimmed(cell: string | undefined): string {
  return cell === undefined ? '' : cell.trim();
}

/** Callers know the file they edit, so an unknown id is a bug and not a user error. */
function assertIds(known: ReadonlySet<string>, set: ReadonlyMap<string, TaskRow>, add: readonly TaskRow[]): void {
  for (const [id, row] of set) {
    if (!known.has(id)) throw new Error(`there is no task ${showValue(id)} to edit`);
    if (Object.hasOwn(row, 'id') && row['id'] !== id) throw new Error(`the id of task ${showValue(id)} cannot be edited`);
  }
  const ids = new Set(known);
  for (const row of add) {
    const id = valueIn(row, 'id').trim();
    if (id === '' || ids.has(id)) throw new Error(`a task with the id ${showValue(id)} cannot be added: ids are unique and not empty`);
    ids.add(id);
  }
}

function indexColumns(columns: readonly string[]): ReadonlyMap<string, number> {
  const indexOf = new Map(columns.map((name, index) => [name, index]));
  indexOf.delete('');
  return indexOf;
}

function missingColumns(indexOf: ReadonlyMap<string, number>, rows: readonly TaskRow[]): readonly string[] {
  return ESSENTIAL_COLUMNS.filter((name) => !indexOf.has(name) && rows.some((row) => valueIn(row, name) !== ''));
}

/** Own properties only: a column may be named `constructor`. */
function valueIn(row: TaskRow, name: string): string {
  return Object.hasOwn(row, name) ? (row[name] ?? '') : '';
}

function malformed(file: string, line: number, detail: string, hint: string): UmpireError {
  return new UmpireError('tasks-malformed', { file, line, detail, hint });
}
