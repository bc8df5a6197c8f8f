// Reads a table of a report by its column names: findings, scores by dimension, or counts by severity. Other tables (a history, a
// legend) are ignored.

import type { Severity } from '../model/vocabulary.js';
import { hasDigit, hasLetter, isDigit } from './characters.js';
import type { MarkdownBlock } from './markdown-blocks.js';
import { isNoFinding } from './no-finding.js';
import { quote } from './reader.js';
import { plainText } from './report-lines.js';
import type { ReportDraft } from './report-draft.js';
import { parseScore, parseThreshold, type Score } from './score-text.js';
import { certaintyOf, parseSeverity, parseSeverityField, unknownSeverityNote } from './severity.js';
import { leadingWord, WordList } from './word-lists.js';

export interface TableContext {
  readonly severity: Severity | null;
  readonly dimension: string;
  readonly aside: boolean;
  /** Rows without a severity are findings too, because the heading says so. */
  readonly findings: boolean;
}

type Table = Extract<MarkdownBlock, { kind: 'table' }>;

/** The index of each column; -1 if the table lacks it. */
type Columns = Record<Column, number>;

type Column = 'severity' | 'message' | 'place' | 'line' | 'dimension' | 'score' | 'outOf' | 'threshold' | 'rule' | 'status' | 'count';

/** Column names in English, German, French, Spanish, Chinese and Japanese. The first match counts. */
const COLUMNS: readonly (readonly [Column, WordList])[] = [
  [
    'severity',
    new WordList(
      'severity|sev|level|priority|prio|severity level|schweregrad|schwere|stufe|priorität|gravité|sévérité|priorité|gravedad|severidad|' +
        'prioridad|严重性|严重程度|级别|等级|优先级|重要度|深刻度|優先度',
      '|',
    ),
  ],
  [
    'count',
    new WordList(
      'count|counts|number|total|qty|#|found|open|remaining|after|current count|now|issues found|anzahl|nombre|cantidad|数量|件数',
      '|',
    ),
  ],
  ['threshold', new WordList('threshold|minimum|min|required|target|pass mark|pass threshold|min score|minimum score', '|')],
  ['outOf', new WordList('max|max score|maximum|out of', '|')],
  ['score', new WordList('score|rating|grade|points|current score|new score|punkte|分数|得分|评分|スコア', '|')],
  ['dimension', new WordList('dimension|category|area|aspect|criterion|check|维度', '|')],
  ['line', new WordList('line|lines|ln|line number|line no|line no.|zeile|ligne|línea|行', '|')],
  [
    'place',
    new WordList(
      'location|file|files|artifact|path|where|component|target|module|reference|source|file:line|file path|artifact:line|element|idea|' +
        'datei|ort|stelle|fichier|emplacement|archivo|ubicación|文件|位置|ファイル|場所|箇所',
      '|',
    ),
  ],
  [
    'message',
    new WordList(
      'issue|issues|finding|findings|description|descriptions|problem|problems|message|messages|title|titles|violation|violations|concern|' +
        'concerns|observation|observations|summary|what|challenge|challenges|critique|critiques|detail|details|defect|bug|' +
        'befund|befunde|beschreibung|mangel|constat|problème|description|hallazgo|problema|descripción|' +
        '问题|描述|发现|問題|指摘|内容|説明',
      '|',
    ),
  ],
  ['rule', new WordList('rule|rule id|wcag|guideline|code|standard|regel', '|')],
  ['status', new WordList('status|state|resolved|resolved?|fixed|fixed?', '|')],
];
/** Message columns that hold only findings. "Description" may also be in an inventory. */
const FINDING_COLUMN = new WordList(
  'issue issues finding findings problem problems violation violations concern concerns defect defects bug bugs challenge challenges critique ' +
    'critiques befund befunde mangel constat problème hallazgo problema 问题 問題 指摘',
);
/** Columns of the same words that say something else. */
const UNRELATED = new WordList('effort confidence complexity weight likelihood aufwand');
const HISTORY = new WordList('iteration|iterations|round|rounds|audit|audit id|run|date|version|attempt|sprint|wave', '|');
const LEGEND = new WordList(
  'meaning|meanings|definition|definitions|criteria|gc impact|gc impacts|explanation|explanations|bedeutung|signification|significado|含义|意味',
  '|',
);
const DONE_MARKS = ['\u2705', '\u2714', '\u2713'];
const DONE = new WordList('resolved fixed closed done yes');
const OVERALL = new WordList('overall total average weighted final sum mean');

/** False if the table is unknown. */
export function takeTable(table: Table, context: TableContext, draft: ReportDraft): boolean {
  const columns = columnsOf(table.header);
  if (isHistory(table, columns) || isLegend(table, columns)) return true;
  if (columns.severity >= 0 && columns.count >= 0 && columns.message < 0) return takeCounts(table, columns, draft);
  if (columns.severity < 0 && takeSeverityColumns(table, columns, context, draft)) return true;
  if (columns.score >= 0 && columns.severity < 0) return takeScores(table, columns, context, draft);
  if (table.header.length === 0 && takeBareScores(table, draft)) return true;
  const wanted =
    columns.severity >= 0 || context.severity !== null || context.findings || table.header.some((cell) => FINDING_COLUMN.has(normal(cell)));
  // `| Critical | 2 |` without a header counts.
  if (table.header.length === 0 && table.rows.every((cells) => cells.length === 2 && isDigit(cellAt(cells, 1).charCodeAt(0)))) return false;
  if (columns.severity < 0) columns.severity = severityColumn(table);
  if ((!wanted && columns.severity < 0) || (table.header.length === 0 && context.severity === null && columns.severity < 0)) return false;
  for (const cells of table.rows) takeFinding(cells, columns, context, draft);
  return true;
}

/** A column with another name ("Impact") that holds only severities. */
function severityColumn(table: Table): number {
  if (table.rows.length === 0) return -1;
  return (table.rows[0] ?? []).findIndex(
    (_, index) =>
      !UNRELATED.has(normal(cellAt(table.header, index))) &&
      table.rows.every((cells) => !isDigit(cellAt(cells, index).charCodeAt(0)) && parseSeverityField(cellAt(cells, index)) !== null),
  );
}

function columnsOf(header: readonly string[]): Columns {
  const meanings = header.map((cell) => {
    const name = normal(cell);
    const known = COLUMNS.find(([, names]) => names.has(name))?.[0];
    // "Score (0-10)", "Score / 10"
    return known ?? (name.startsWith('score') && /^score ?(?:\(.{1,20}\)|\/ ?\d+)$/.test(name) ? 'score' : undefined);
  });
  const entries = COLUMNS.map(([column]) => [column, meanings.indexOf(column)] as const);
  return Object.fromEntries(entries) as Columns;
}

function normal(cell: string): string {
  return plainText(cell).replaceAll('`', '').replace(/\s+/g, ' ').trim().toLowerCase().slice(0, 60);
}

function cellAt(cells: readonly string[], index: number): string {
  return plainText(cells[index] ?? '');
}

function takeFinding(cells: readonly string[], columns: Columns, context: TableContext, draft: ReportDraft): void {
  const word = cellAt(cells, columns.severity);
  const named = cells.filter((cell, index) => index !== columns.severity && hasLetter(cell)).map(plainText);
  const text = cellAt(cells, columns.message) || findLongestCell(cells, columns) || (columns.message < 0 ? named.join(' | ') : '');
  if (isNoFinding(text) && (word === '' || isNoFinding(word) || parseSeverity(word) !== null)) {
    if (text !== '') draft.stateNone(context.severity);
    return;
  }
  if (isDone(cellAt(cells, columns.status))) return draft.skipResolved();
  const line = columns.line < 0 ? undefined : /\d{1,7}/.exec(cellAt(cells, columns.line))?.[0];
  draft.addFinding({
    text,
    severity: severityOf(word, draft) ?? context.severity,
    place: cellAt(cells, columns.place),
    line: line === undefined ? null : Number(line),
    dimension: cellAt(cells, columns.dimension) || context.dimension,
    rule: cellAt(cells, columns.rule),
    aside: context.aside,
  });
}

function severityOf(word: string, draft: ReportDraft): Severity | null {
  const severity = word === '' ? null : parseSeverityField(word);
  if (severity === null && (word === '' || isNoFinding(word))) return null;
  if (severity === null) draft.addNote(unknownSeverityNote(word));
  return severity ?? 'high';
}

/** Without a message column, the finding is the longest cell that has no other meaning. */
function findLongestCell(cells: readonly string[], columns: Columns): string {
  const taken = new Set(Object.values(columns));
  const free = cells.filter((_, index) => !taken.has(index)).map((cell) => plainText(cell));
  return free.reduce((longest, cell) => (cell.length > longest.length ? cell : longest), '');
}

function takeScores(table: Table, columns: Columns, context: TableContext, draft: ReportDraft): true {
  const header = cellAt(table.header, columns.score);
  const scored = table.rows.map((cells) => ({ cells, said: parseScoreCell(cellAt(cells, columns.score), header) }));
  const hundred = scored.some(({ said }) => said !== null && said.outOf === null && said.value > 10 && said.value <= 100);
  for (const { cells, said } of scored) {
    const name = withoutRemark(cellAt(cells, Math.max(columns.dimension, 0)));
    if (!hasLetter(name)) continue;
    const grave = cells.some((cell) => ['critical', 'high'].includes(parseSeverityField(plainText(cell)) ?? ''));
    if (grave) draft.leave(cells.map((cell) => (parseSeverityField(plainText(cell)) === null ? cell : `[${plainText(cell)}]`)).join(' | '));
    if (said === null) {
      const cell = plainText(cellAt(cells, columns.score));
      if (!isNoFinding(cell)) draft.addNote(`the score ${quote(cell)} of ${quote(name)} cannot be read as a number; ignored`);
      continue;
    }
    const outOf = parseScore(cellAt(cells, columns.outOf))?.value ?? said.outOf ?? (hundred ? 100 : null);
    const score: Score = { value: said.value, outOf };
    if (OVERALL.has(leadingWord(name))) {
      draft.addScore(score);
      continue;
    }
    draft.addDimension(name, score, parseThreshold(cellAt(cells, columns.threshold), outOf));
    const issue = cellAt(cells, columns.message);
    if (hasLetter(issue) && !isNoFinding(issue)) draft.addFinding({ text: issue, severity: null, dimension: name, aside: context.aside });
  }
  return true;
}

/** `Accessibility (25%)` → Accessibility */
function withoutRemark(name: string): string {
  return name.endsWith(')') ? name.replace(/\s{0,3}\([^()]{0,40}\)$/, '') : name;
}

function isDone(status: string): boolean {
  if (DONE_MARKS.some((mark) => status.startsWith(mark))) return true;
  const text = status.startsWith('\u2611') ? status.slice(1).trimStart() : status;
  return DONE.has(leadingWord(text));
}

function parseScoreCell(cell: string, header: string): Score | null {
  const score = hasDigit(cell) ? parseScore(withoutMarks(cell.replaceAll('*', ''))) : null;
  const top = hasDigit(header) ? /(?:\/|out of|0\s?[-\u2013]\s?)\s?(\d{1,3})\b/.exec(header.toLowerCase())?.[1] : undefined;
  if (score === null || score.outOf !== null || top === undefined) return score;
  return { value: score.value, outOf: Number(top) };
}

/** `🟢 8/10 (good)` → 8/10 */
function withoutMarks(text: string): string {
  const start = isDigit(text.charCodeAt(0)) ? text : text.replace(/^[^\d.-]{1,6}/, '');
  return isDigit(start.charCodeAt(start.length - 1)) ? start : start.replace(/[^\d%/.]{1,20}$/u, '');
}

/** `| Accessibility | 5/10 |` without any header. */
function takeBareScores(table: Table, draft: ReportDraft): boolean {
  let taken = false;
  for (const cells of table.rows) {
    const name = cellAt(cells, 0);
    const score = parseScoreCell(cellAt(cells, 1), '');
    if (score === null || score.outOf === null || cellAt(cells, 1).includes('%') || !hasLetter(name)) continue;
    taken = true;
    if (OVERALL.has(leadingWord(name))) draft.addScore(score);
    else draft.addDimension(name, score);
  }
  return taken;
}

/** One column per severity, with numbers, ticks or the findings themselves: `| Critical | High |` over `| 2 | 0 |`. */
function takeSeverityColumns(table: Table, columns: Columns, context: TableContext, draft: ReportDraft): boolean {
  const named = table.header.map((cell) => (certaintyOf(cell) === 'column' ? null : parseSeverity(normal(cell))));
  if (!named.includes('critical') && named.filter((severity) => severity !== null).length < 2) return false;
  for (const cells of table.rows) {
    const label = cellAt(
      cells,
      columns.message < 0 ? named.findIndex((severity, at) => severity === null && hasLetter(cellAt(cells, at))) : columns.message,
    );
    for (const [at, severity] of named.entries()) {
      const cell = cellAt(cells, at).replaceAll('*', '');
      const digits = /^\d{1,6}$/.exec(cell)?.[0];
      if (severity === null || (digits === undefined && (cell === '' || (isNoFinding(cell) && !TICKS.has(cell.replaceAll('\ufe0f', ''))))))
        continue;
      if (digits !== undefined) draft.stateCount(severity, Number(digits));
      else if (cell.length > 3 || !isNoFinding(label))
        draft.addFinding({
          text: cell.length > 3 ? cell : label,
          severity,
          place: cellAt(cells, columns.place),
          dimension: context.dimension,
          aside: context.aside,
        });
    }
  }
  return true;
}

const TICKS = new WordList('\u2713 \u2714 \u2705 \u2717 \u2718 \u274c \u25cf \u2022');

function takeCounts(table: Table, columns: Columns, draft: ReportDraft): true {
  for (const cells of table.rows) {
    const word = cellAt(cells, columns.severity);
    const severity = isDigit(word.charCodeAt(0)) ? null : parseSeverityField(word);
    const digits = /^\d{1,6}(?=\D|$)(?![./%])/.exec(cellAt(cells, columns.count))?.[0];
    if (severity !== null && digits !== undefined) draft.stateCount(severity, Number(digits));
  }
  return true;
}

/** Scores of earlier rounds do not count. But a list of findings may start with the round they were found in. */
function isHistory(table: Table, columns: Columns): boolean {
  return HISTORY.has(normal(cellAt(table.header, 0))) && columns.severity < 0 && (columns.score >= 0 || columns.message < 0);
}

/** Severities with their meanings: an explanation, not a list of findings. */
function isLegend(table: Table, columns: Columns): boolean {
  return columns.severity >= 0 && columns.message < 0 && table.header.some((cell) => LEGEND.has(normal(cell)));
}
