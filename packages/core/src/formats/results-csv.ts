// results.csv: the outcome of a session for spreadsheets. Agents write the values, so none may start like a formula. Umpire never reads
// it back; tasks.csv keeps the original values.

import { printRecords } from './csv.js';

/** A header line and one line per row. A missing column is an empty cell. */
export function printResults(columns: readonly string[], rows: readonly Readonly<Record<string, string>>[]): string {
  const records = rows.map((row) => columns.map((name) => (Object.hasOwn(row, name) ? (row[name] ?? '') : '')));
  return printRecords([columns, ...records].map((record) => record.map(disarm)));
}

/** A leading apostrophe makes a spreadsheet treat the rest as text. Plain numbers stay numbers. */
function disarm(value: string): string {
  return isFormula(value) && !/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value) ? `'${value}` : value;
}

/** `=1+1`, `@SUM(A1)` and the like, also after blanks and control characters, and in full-width forms that spreadsheets accept. */
function isFormula(value: string): boolean {
  // Most values start with a letter or digit. The pattern is expensive, so it is built only when needed.
  if (value === '' || /^\w/.test(value)) return false;
  return /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u.test(value);
}
