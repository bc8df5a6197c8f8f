// Reads a table of a report by its column names: findings, scores by dimension, or counts by severity. Tables that
// are none of these (a history, a legend) give nothing.

import type { Severity } from '../model.js';
import { plainText, type Block } from './markdown-blocks.js';
import { isNoFinding } from './no-finding.js';
import type { Draft } from './report-draft.js';
import { parseScore, type Score } from './score-text.js';
import { parseSeverity, unknownSeverityNote } from './severity.js';

export interface TableContext {
  readonly severity: Severity | null;
  readonly dimension: string;
  readonly aside: boolean;
  /** Rows without a severity are findings all the same: the heading above says so. */
  readonly findings: boolean;
}

type Table = Extract<Block, { kind: 'table' }>;

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
  ['place', /^(?:location|file|files|artifact|path|where|component|target|module|reference|source|file:line|file path|artifact:line|element|idea)$/],
  ['message', /^(?:issues?|findings?|descriptions?|problems?|messages?|titles?|violations?|concerns?|observations?|summary|what|challenges?|critiques?|details?|defect|bug)$/],
  ['rule', /^(?:rule|rule id|wcag|guideline|code|standard)$/],
  ['status', /^(?:status|state|resolved\??|fixed\??)$/],
];
/** Of the message columns, those that can only hold findings: "Description" also stands in an inventory. */
const FINDING_COLUMN = /^(?:issues?|findings?|problems?|violations?|concerns?|defects?|bugs?|challenges?|critiques?)$/;
const HISTORY = /^(?:iterations?|rounds?|audit|audit id|run|date|version|attempt|sprint|wave)$/;
const DONE = /^(?:✅|✓|✔|☑)?\s?(?:resolved|fixed|closed|done|verified|yes)\b|^(?:✅|✔|✓)/i;
const OVERALL = /^(?:overall|total|average|weighted|final|sum|mean)\b/i;

/** False where the table is none that is known here. */
export function takeTable(table: Table, context: TableContext, draft: Draft): boolean {
  const columns = columnsOf(table.header);
  if (HISTORY.test(normal(table.header[0] ?? '')) || isLegend(table, columns)) return true;
  if (columns.has('severity') && columns.has('count') && !columns.has('message')) return takeCounts(table, columns, draft);
  if (columns.has('score') && !columns.has('severity')) return takeScores(table, columns, context, draft);
  if (table.header.length === 0 && takeBareScores(table, draft)) return true;
  const wanted = columns.has('severity') || context.severity !== null || context.findings || table.header.some((cell) => FINDING_COLUMN.test(normal(cell)));
  if (!wanted || (table.header.length === 0 && context.severity === null)) return false;
  const guessed = columns.has('severity') ? null : severityColumn(table);
  if (guessed !== null) columns.set('severity', guessed);
  for (const row of table.rows) takeFinding(row.cells, columns, context, draft);
  return true;
}

/** A column under another name ("Impact") whose every cell is a severity. */
function severityColumn(table: Table): number | null {
  const at = table.header.findIndex((_, index) =>
    table.rows.every(({ cells }) => /\p{L}/u.test(cells[index] ?? '') && parseSeverity(plainText(cells[index] ?? '')) !== null),
  );
  return at < 0 || table.rows.length === 0 ? null : at;
}

function columnsOf(header: readonly string[]): Map<Column, number> {
  const columns = new Map<Column, number>();
  header.forEach((cell, index) => {
    const name = normal(cell);
    const column = COLUMNS.find(([, pattern]) => pattern.test(name))?.[0];
    if (column !== undefined && !columns.has(column)) columns.set(column, index);
  });
  return columns;
}

function normal(cell: string): string {
  return plainText(cell).replaceAll('`', '').replace(/\s{1,20}/g, ' ').trim().toLowerCase().slice(0, 60);
}

function cellAt(cells: readonly string[], columns: ReadonlyMap<Column, number>, column: Column): string {
  const index = columns.get(column);
  return index === undefined ? '' : plainText(cells[index] ?? '').trim();
}

function takeFinding(cells: readonly string[], columns: ReadonlyMap<Column, number>, context: TableContext, draft: Draft): void {
  const word = cellAt(cells, columns, 'severity');
  const text = cellAt(cells, columns, 'message') || restOf(cells, columns);
  if (isNoFinding(text) && (word === '' || isNoFinding(word) || parseSeverity(word) !== null)) {
    if (text !== '') draft.sayNone(context.severity);
    return;
  }
  if (DONE.test(cellAt(cells, columns, 'status'))) return draft.skipClosed();
  const line = /\d{1,7}/.exec(cellAt(cells, columns, 'line'))?.[0];
  draft.claim({
    text,
    severity: severityOf(word, draft) ?? context.severity,
    place: cellAt(cells, columns, 'place'),
    line: line === undefined ? null : Number(line),
    dimension: cellAt(cells, columns, 'dimension') || context.dimension,
    rule: cellAt(cells, columns, 'rule'),
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
function restOf(cells: readonly string[], columns: ReadonlyMap<Column, number>): string {
  const taken = new Set(columns.values());
  const free = cells.filter((_, index) => !taken.has(index)).map((cell) => plainText(cell));
  return free.reduce((longest, cell) => (cell.length > longest.length ? cell : longest), '');
}

function takeScores(table: Table, columns: ReadonlyMap<Column, number>, context: TableContext, draft: Draft): true {
  const nameAt = columns.get('dimension') ?? 0;
  const scores = table.rows.map((row) => scoreOf(cellAt(row.cells, columns, 'score'), table.header[columns.get('score') ?? 0] ?? ''));
  const hundred = scores.some((score) => score !== null && score.outOf === null && score.value > 10 && score.value <= 100);
  table.rows.forEach((row, index) => {
    const name = plainText(row.cells[nameAt] ?? '').replace(/\s{0,3}\([^()]{0,40}\)$/, '');
    const said = scores[index] ?? null;
    if (said === null || !/\p{L}/u.test(name)) return;
    const outOf = parseScore(cellAt(row.cells, columns, 'outOf'))?.value ?? said.outOf ?? (hundred ? 100 : null);
    const score: Score = { value: said.value, outOf };
    if (OVERALL.test(name)) return draft.score(score);
    const threshold = parseScore(cellAt(row.cells, columns, 'threshold').replace(/^[\s>=≥]{1,5}/, ''));
    draft.dimension(name, score, threshold === null ? null : { value: threshold.value, outOf: threshold.outOf ?? outOf });
    const issue = cellAt(row.cells, columns, 'message');
    if (/\p{L}/u.test(issue) && !isNoFinding(issue)) draft.claim({ text: issue, severity: null, dimension: name, aside: context.aside });
  });
  return true;
}

function scoreOf(cell: string, header: string): Score | null {
  const score = parseScore(cell.replaceAll('*', '').replace(/^[^\d]{1,6}/, '').replace(/[^\d%/.]{1,20}$/u, ''));
  const top = /(?:\/|out of|0\s?[-–]\s?)\s?(\d{1,3})\b/i.exec(header)?.[1];
  if (score === null || score.outOf !== null || top === undefined) return score;
  return { value: score.value, outOf: Number(top) };
}

/** `| Accessibility | 5/10 |` without any header. */
function takeBareScores(table: Table, draft: Draft): boolean {
  let taken = false;
  for (const { cells } of table.rows) {
    const score = scoreOf(plainText(cells[1] ?? ''), '');
    const name = plainText(cells[0] ?? '');
    if (score === null || score.outOf === null || (cells[1] ?? '').includes('%') || !/\p{L}/u.test(name)) continue;
    taken = true;
    if (OVERALL.test(name)) draft.score(score);
    else draft.dimension(name, score);
  }
  return taken;
}

function takeCounts(table: Table, columns: ReadonlyMap<Column, number>, draft: Draft): true {
  for (const { cells } of table.rows) {
    const word = cellAt(cells, columns, 'severity');
    const severity = /\p{L}/u.test(word) ? parseSeverity(word) : null;
    const digits = /^\d{1,6}(?=\D|$)(?![./%])/.exec(cellAt(cells, columns, 'count'))?.[0];
    if (severity !== null && digits !== undefined) draft.state(severity, Number(digits));
  }
  return true;
}

/** Severity beside its meaning: an explanation, not a list of findings. */
function isLegend(table: Table, columns: ReadonlyMap<Column, number>): boolean {
  return columns.has('severity') && !columns.has('message') && table.header.some((cell) => /^(?:meaning|definition|criteria|gc impact|explanation)s?$/.test(normal(cell)));
}
