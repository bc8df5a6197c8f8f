// Reads a table of a report by its column names: findings, scores by dimension, or counts by severity. Tables that
// are none of these (a history, a legend) give nothing.

import type { Severity } from '../model.js';
import { plainText, type Block } from './markdown-blocks.js';
import { isNoFinding } from './no-finding.js';
import type { Draft } from './report-draft.js';
import { parseScore, parseThreshold, type Score } from './score-text.js';
import { parseSeverity, unknownSeverityNote } from './severity.js';

export interface TableContext {
  readonly severity: Severity | null;
  readonly dimension: string;
  readonly aside: boolean;
  /** Rows without a severity are findings all the same: the heading above says so. */
  readonly findings: boolean;
}

type Table = Extract<Block, { kind: 'table' }>;

/** Where each column stands; -1 where the table has none such. */
type Columns = Record<Column, number>;

type Column = 'severity' | 'message' | 'place' | 'line' | 'dimension' | 'score' | 'outOf' | 'threshold' | 'rule' | 'status' | 'count';

/** In this order: the first pattern that a name fits. */
const COLUMNS: readonly (readonly [Column, RegExp])[] = [
  ['severity', /^(?:severity|sev|level|priority|severity level)$/],
  ['count', /^(?:counts?|number|total|qty|#|found|open|remaining|after|current count|now|issues found)$/],
  ['threshold', /^(?:threshold|minimum|min|required|target|pass mark|pass threshold|min score|minimum score)$/],
  ['outOf', /^(?:max|max score|maximum|out of)$/],
  ['score', /^(?:score|rating|grade|points|current score|new score|score ?\(.{1,20}\)|score ?\/ ?\d+)$/],
  ['dimension', /^(?:dimension|category|area|aspect|criterion|check)$/],
  ['line', /^(?:lines?|ln|line number|line no\.?)$/],
  [
    'place',
    /^(?:location|file|files|artifact|path|where|component|target|module|reference|source|file:line|file path|artifact:line|element|idea)$/,
  ],
  [
    'message',
    /^(?:issues?|findings?|descriptions?|problems?|messages?|titles?|violations?|concerns?|observations?|summary|what|challenges?|critiques?|details?|defect|bug)$/,
  ],
  ['rule', /^(?:rule|rule id|wcag|guideline|code|standard)$/],
  ['status', /^(?:status|state|resolved\??|fixed\??)$/],
];
/** Of the message columns, those that can only hold findings: "Description" also stands in an inventory. */
const FINDING_COLUMN = /^(?:issues?|findings?|problems?|violations?|concerns?|defects?|bugs?|challenges?|critiques?)$/;
const HISTORY = /^(?:iterations?|rounds?|audit|audit id|run|date|version|attempt|sprint|wave)$/;
const DONE = /^(?:✅|✓|✔|☑)?\s?(?:resolved|fixed|closed|done|yes)\b|^(?:✅|✔|✓)/i;
const OVERALL = /^(?:overall|total|average|weighted|final|sum|mean)\b/i;

/** False where the table is none that is known here. */
export function takeTable(table: Table, context: TableContext, draft: Draft): boolean {
  const columns = columnsOf(table.header);
  if (isHistory(table, columns) || isLegend(table, columns)) return true;
  if (columns.severity >= 0 && columns.count >= 0 && columns.message < 0) return takeCounts(table, columns, draft);
  if (columns.score >= 0 && columns.severity < 0) return takeScores(table, columns, context, draft);
  if (table.header.length === 0 && takeBareScores(table, draft)) return true;
  const wanted =
    columns.severity >= 0 ||
    context.severity !== null ||
    context.findings ||
    table.header.some((cell) => FINDING_COLUMN.test(normal(cell)));
  if (!wanted || (table.header.length === 0 && context.severity === null)) return false;
  if (columns.severity < 0) columns.severity = severityColumn(table);
  for (const row of table.rows) takeFinding(row.cells, columns, context, draft);
  return true;
}

/** A column under another name ("Impact") whose every cell is a severity. */
function severityColumn(table: Table): number {
  if (table.rows.length === 0) return -1;
  return table.header.findIndex((_, index) =>
    table.rows.every(({ cells }) => /\p{L}/u.test(cellAt(cells, index)) && parseSeverity(cellAt(cells, index)) !== null),
  );
}

function columnsOf(header: readonly string[]): Columns {
  const meanings = header.map((cell) => COLUMNS.find(([, pattern]) => pattern.test(normal(cell)))?.[0]);
  const entries = COLUMNS.map(([column]) => [column, meanings.indexOf(column)] as const);
  return Object.fromEntries(entries) as Columns;
}

function normal(cell: string): string {
  return plainText(cell)
    .replaceAll('`', '')
    .replace(/\s{1,20}/g, ' ')
    .trim()
    .toLowerCase()
    .slice(0, 60);
}

function cellAt(cells: readonly string[], index: number): string {
  return plainText(cells[index] ?? '');
}

function takeFinding(cells: readonly string[], columns: Columns, context: TableContext, draft: Draft): void {
  const word = cellAt(cells, columns.severity);
  const text = cellAt(cells, columns.message) || restOf(cells, columns);
  if (isNoFinding(text) && (word === '' || isNoFinding(word) || parseSeverity(word) !== null)) {
    if (text !== '') draft.sayNone(context.severity);
    return;
  }
  if (DONE.test(cellAt(cells, columns.status))) return draft.skipClosed();
  const line = /\d{1,7}/.exec(cellAt(cells, columns.line))?.[0];
  draft.claim({
    text,
    severity: severityOf(word, draft) ?? context.severity,
    place: cellAt(cells, columns.place),
    line: line === undefined ? null : Number(line),
    dimension: cellAt(cells, columns.dimension) || context.dimension,
    rule: cellAt(cells, columns.rule),
    aside: context.aside,
  });
}

function severityOf(word: string, draft: Draft): Severity | null {
  if (word === '' || isNoFinding(word)) return null;
  const severity = parseSeverity(word);
  if (severity === null) draft.note(unknownSeverityNote(word));
  return severity ?? 'high';
}

/** Where no column is named for it, the finding is the longest cell of those without a meaning of their own. */
function restOf(cells: readonly string[], columns: Columns): string {
  const taken = new Set(Object.values(columns));
  const free = cells.filter((_, index) => !taken.has(index)).map((cell) => plainText(cell));
  return free.reduce((longest, cell) => (cell.length > longest.length ? cell : longest), '');
}

function takeScores(table: Table, columns: Columns, context: TableContext, draft: Draft): true {
  const header = cellAt(table.header, columns.score);
  const scored = table.rows.map((row) => ({ row, said: scoreOf(cellAt(row.cells, columns.score), header) }));
  const hundred = scored.some(({ said }) => said !== null && said.outOf === null && said.value > 10 && said.value <= 100);
  for (const { row, said } of scored) {
    const name = cellAt(row.cells, Math.max(columns.dimension, 0)).replace(/\s{0,3}\([^()]{0,40}\)$/, '');
    if (said === null || !/\p{L}/u.test(name)) continue;
    const outOf = parseScore(cellAt(row.cells, columns.outOf))?.value ?? said.outOf ?? (hundred ? 100 : null);
    const score: Score = { value: said.value, outOf };
    if (OVERALL.test(name)) {
      draft.score(score);
      continue;
    }
    draft.dimension(name, score, parseThreshold(cellAt(row.cells, columns.threshold), outOf));
    const issue = cellAt(row.cells, columns.message);
    if (/\p{L}/u.test(issue) && !isNoFinding(issue)) draft.claim({ text: issue, severity: null, dimension: name, aside: context.aside });
  }
  return true;
}

function scoreOf(cell: string, header: string): Score | null {
  const score = parseScore(
    cell
      .replaceAll('*', '')
      .replace(/^[^\d.-]{1,6}/, '')
      .replace(/[^\d%/.]{1,20}$/u, ''),
  );
  const top = /(?:\/|out of|0\s?[-–]\s?)\s?(\d{1,3})\b/i.exec(header)?.[1];
  if (score === null || score.outOf !== null || top === undefined) return score;
  return { value: score.value, outOf: Number(top) };
}

/** `| Accessibility | 5/10 |` without any header. */
function takeBareScores(table: Table, draft: Draft): boolean {
  let taken = false;
  for (const { cells } of table.rows) {
    const name = cellAt(cells, 0);
    const score = scoreOf(cellAt(cells, 1), '');
    if (score === null || score.outOf === null || cellAt(cells, 1).includes('%') || !/\p{L}/u.test(name)) continue;
    taken = true;
    if (OVERALL.test(name)) draft.score(score);
    else draft.dimension(name, score);
  }
  return taken;
}

function takeCounts(table: Table, columns: Columns, draft: Draft): true {
  for (const { cells } of table.rows) {
    const word = cellAt(cells, columns.severity);
    const severity = /\p{L}/u.test(word) ? parseSeverity(word) : null;
    const digits = /^\d{1,6}(?=\D|$)(?![./%])/.exec(cellAt(cells, columns.count))?.[0];
    if (severity !== null && digits !== undefined) draft.state(severity, Number(digits));
  }
  return true;
}

/** Scores of earlier rounds are not this report's. A list of findings may well begin with the round they were found in. */
function isHistory(table: Table, columns: Columns): boolean {
  return HISTORY.test(normal(cellAt(table.header, 0))) && columns.severity < 0 && (columns.score >= 0 || columns.message < 0);
}

/** Severity beside its meaning: an explanation, not a list of findings. */
function isLegend(table: Table, columns: Columns): boolean {
  return (
    columns.severity >= 0 &&
    columns.message < 0 &&
    table.header.some((cell) => /^(?:meaning|definition|criteria|gc impact|explanation)s?$/.test(normal(cell)))
  );
}
