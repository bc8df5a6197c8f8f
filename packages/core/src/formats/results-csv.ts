// results.csv: the outcome of a session for people who open it in a spreadsheet. Agents write these values, so none of
// them may begin the way a formula does. Written, never read back: tasks.csv keeps the values as they are.

import { printRecords } from './csv.js';

/** A header line and one line per row. A column that a row lacks is an empty cell. */
export function printResults(columns: readonly string[], rows: readonly Readonly<Record<string, string>>[]): string {
  const records = rows.map((row) => columns.map((name) => (Object.hasOwn(row, name) ? (row[name] ?? '') : '')));
  return printRecords([columns, ...records].map((record) => record.map(disarm)));
}

/** A leading apostrophe tells a spreadsheet to take the rest as text. Plain numbers stay numbers. */
function disarm(value: string): string {
  return isFormula(value) && !/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value) ? `'${value}` : value;
}

/** `=1+1`, `@SUM(A1)` and the like, also behind blanks and control characters, and in the full-width forms that spreadsheets fold. */
function isFormula(value: string): boolean {
  // Most values begin with a letter or a digit. The pattern is dear: it is made only where it is needed.
  if (value === '' || /^\w/.test(value)) return false;
  return /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u.test(value);
}
