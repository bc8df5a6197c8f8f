// Linters that write JSON: one record each, over one reader. A record names the list of findings and the fields of a finding; where a
// tool differs (extra lists, a proof that files were checked), its record says so. ESLint lists files, not findings: see eslint.ts.

import { isObject, type JsonObject, own } from '@umpire/core/formats/json-text.js';
import { countIn, endLineIn, lineIn, listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import { parseSeverity, unknownSeverityNote } from '@umpire/core/formats/severity.js';
import type { Severity } from '@umpire/core/model/vocabulary.js';
import type { CheckedFiles, Head, JsonFormat } from './format.js';
import { toProjectPath } from './project-path.js';
import { counted, keepObjects, type ReportBuilder } from './report-builder.js';

interface JsonLinter {
  readonly id: string;
  readonly title: string;
  recognises(head: Head): boolean;
  /** Where the findings are: the key of a list, or empty where the report itself is the list. Pylint writes both. */
  readonly lists: readonly string[];
  /** What the tool calls a finding. */
  readonly noun: string;
  readonly dimension?: string;
  readonly fields: {
    path(finding: JsonObject): string;
    lines(finding: JsonObject): { readonly line: number | null; readonly endLine?: number | null };
    rule(finding: JsonObject): string;
    message(finding: JsonObject): string;
    severity(finding: JsonObject): SeverityField;
  };
  /** The members that a finding lacks, where it is none at all. */
  readonly missing?: (finding: JsonObject) => string | null;
  /** Called with every finding before it is added. */
  readonly inspect?: (finding: JsonObject, run: JsonLintRun) => void;
  /** All findings have been added. */
  readonly finish?: (run: JsonLintRun) => void;
}

interface SeverityField {
  /** As the tool writes it. */
  readonly word: string;
  /** Null for an unknown word: it counts as High and is noted. */
  readonly severity: Severity | null;
}

class JsonLintRun {
  /** Those that could be read. */
  found = 0;
  private readonly counts: Record<Severity, number> = { critical: 0, high: 0, medium: 0, low: 0 };

  constructor(
    readonly report: ReportBuilder,
    /** The whole report. */
    readonly value: unknown,
    private readonly root: string | undefined,
    readonly checkedFiles: CheckedFiles | undefined,
  ) {}

  addAll(list: readonly unknown[], { fields, noun, dimension, missing, inspect }: JsonLinter): void {
    const { report } = this;
    for (const finding of keepObjects(report, list, `a ${noun}`)) {
      const lacking = missing?.(finding) ?? null;
      if (lacking !== null) {
        report.drop(`entry ${list.indexOf(finding) + 1} has no ${lacking}; expected a ${noun}`);
        continue;
      }
      this.found += 1;
      inspect?.(finding, this);
      const { word, severity } = fields.severity(finding);
      if (severity === null) report.note(unknownSeverityNote(word || 'none'));
      this.counts[severity ?? 'high'] += 1;
      report.addFinding({
        severity: severity ?? 'high',
        message: fields.message(finding),
        artifact: this.pathOf(fields.path(finding)),
        ...fields.lines(finding),
        rule: fields.rule(finding),
        ...(dimension === undefined ? {} : { dimension }),
      });
    }
  }

  pathOf(path: string): string | null {
    return path === '' ? null : toProjectPath(path, this.root);
  }

  /** A count that the report states, at its top or in this object there; null where it states none. */
  readTotal(key: string, inside = ''): number | null {
    return countIn(inside === '' ? this.value : objectIn(this.value, inside), key);
  }

  /** Zero checked files prove nothing. */
  requireFiles(files: number | null, key: string): void {
    if (files !== null) this.checkedFiles?.count(files);
    if (files === 0) this.report.fail(`no file was checked: "${key}" is 0`);
  }

  compareTotals(errors: number | null, warnings: number | null): void {
    const { report, counts } = this;
    report.compareStated('errors', errors, counts.critical + counts.high, 'failures');
    report.compareStated('warnings', warnings, counts.medium);
  }
}

function jsonLinter(linter: JsonLinter): JsonFormat {
  const { id, title, lists, noun } = linter;
  const key = lists.find((list) => list !== '') ?? '';
  const expected = lists.includes('') ? `a list of ${noun}s` : `an object with "${key}"`;
  return {
    id,
    title,
    recognises: (head) => linter.recognises(head),
    content: 'findings',
    read: (value, report, { root, checkedFiles }) => {
      const list = isObject(value) ? own(value, key) : lists.includes('') ? value : undefined;
      if (!Array.isArray(list)) return report.fail(`the report has no list of ${noun}s; expected ${expected}`);
      const run = new JsonLintRun(report, value, root, checkedFiles);
      run.addAll(list, linter);
      linter.finish?.(run);
      report.failIfNothingIsLeft(run.found);
    },
  };
}

/** A severity by a word of the finding. `own` are words that only this tool uses. */
function severityIn(key: string, own: ReadonlyMap<string, Severity> = new Map()): (finding: JsonObject) => SeverityField {
  return (finding) => {
    const word = textIn(finding, key);
    return { word, severity: own.get(word.toLowerCase()) ?? parseSeverity(word) };
  };
}

export const oxlint = jsonLinter({
  id: 'oxlint',
  title: 'oxlint JSON',
  recognises: ({ isArray, keys, text }) =>
    !isArray &&
    keys.has('diagnostics') &&
    (keys.has('number_of_files') || keys.has('number_of_rules') || (text.includes('"labels"') && text.includes('"filename"'))),
  lists: ['diagnostics'],
  noun: 'diagnostic',
  fields: {
    path: (finding) => textIn(finding, 'filename'),
    lines: (finding) => ({ line: lineIn(objectIn(listIn(finding, 'labels')[0], 'span'), 'line') }),
    rule: (finding) => textIn(finding, 'code'),
    message: (finding) => textIn(finding, 'message'),
    severity: severityIn('severity', new Map([['advice', 'low']])),
  },
  finish: (run) => run.requireFiles(run.readTotal('number_of_files'), 'number_of_files'),
});

/** Biome 1 gives places as spans of bytes into a source, Biome 2 as lines. */
export const biome = jsonLinter({
  id: 'biome',
  title: 'Biome JSON',
  recognises: ({ isArray, keys, text }) =>
    !isArray &&
    keys.has('diagnostics') &&
    !keys.has('number_of_files') &&
    (keys.has('command') || keys.has('summary') || text.includes('"category"')),
  lists: ['diagnostics'],
  noun: 'diagnostic',
  fields: {
    path: (finding) => {
      const location = objectIn(finding, 'location');
      return textIn(location, 'path') || textIn(objectIn(location, 'path'), 'file');
    },
    lines: biomeLines,
    rule: (finding) => textIn(finding, 'category'),
    // A text, or pieces of one with their styles.
    message: (finding) =>
      textIn(finding, 'description') ||
      textIn(finding, 'message') ||
      listIn(finding, 'message')
        .map((piece) => (isObject(piece) && typeof own(piece, 'content') === 'string' ? String(own(piece, 'content')) : ''))
        .join(''),
    severity: severityIn('severity', new Map([['hint', 'low']])),
  },
  finish: (run) => {
    const readSummaryTotal = (key: string): number | null => run.readTotal(key, 'summary');
    const [changed, unchanged] = [readSummaryTotal('changed'), readSummaryTotal('unchanged')];
    if (changed !== null && unchanged !== null) run.checkedFiles?.count(changed + unchanged);
    if (changed === 0 && unchanged === 0 && run.found === 0) run.report.fail('no file was checked: "changed" and "unchanged" are 0');
    run.compareTotals(readSummaryTotal('errors'), readSummaryTotal('warnings'));
    const unlisted = readSummaryTotal('diagnosticsNotPrinted') ?? 0;
    if (unlisted > 0) run.report.note(`Biome left out ${counted(unlisted, 'diagnostic')}; run it with --max-diagnostics=none`);
  },
});

function biomeLines(finding: JsonObject): { readonly line: number | null; readonly endLine: number | null } {
  const location = objectIn(finding, 'location');
  const line = lineIn(objectIn(location, 'start'), 'line');
  if (line !== null) return { line, endLine: endLineIn(objectIn(location, 'end'), 'line', 'column') };
  const [span, source] = [own(location, 'span'), own(location, 'sourceCode')];
  const [start, end]: readonly unknown[] = Array.isArray(span) ? span : [];
  if (!isOffset(start) || typeof source !== 'string') return { line: null, endLine: null };
  // Spans count bytes of UTF-8 and end behind their last byte; the end of a line belongs to the line.
  const bytes = new TextEncoder().encode(source);
  const lineEnds = (from: number, to: number): number => bytes.subarray(from, to).filter((byte) => byte === 0x0a).length;
  const first = 1 + lineEnds(0, start);
  return { line: first, endLine: isOffset(end) && end > start ? first + lineEnds(start, end - 1) : null };
}

function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Ruff has no severities: every violation makes it exit with 1. An empty list does not prove that a file was checked. */
export const ruff = jsonLinter({
  id: 'ruff',
  title: 'Ruff JSON',
  recognises: ({ isArray, keys }) => isArray && keys.has('filename') && keys.has('location') && keys.has('code'),
  lists: [''],
  noun: 'violation',
  missing: (finding) => (typeof own(finding, 'message') === 'string' ? null : '"message"'),
  fields: {
    path: (finding) => textIn(finding, 'filename'),
    // Lines of a notebook are counted from the start of a cell.
    lines: (finding) =>
      typeof own(finding, 'cell') === 'number'
        ? { line: null }
        : { line: lineIn(objectIn(finding, 'location'), 'row'), endLine: endLineIn(objectIn(finding, 'end_location'), 'row', 'column') },
    rule: ruffRule,
    message: (finding) => textIn(finding, 'message'),
    severity: (finding) => ({ word: '', severity: pythonCodeSeverity(ruffRule(finding)) }),
  },
  finish: ({ found, report }) => {
    if (found === 0) report.fail('the list is empty, which does not prove that a file was checked');
  },
});

/** A violation without a code belongs to no rule: the file cannot be parsed. */
function ruffRule(finding: JsonObject): string {
  return textIn(finding, 'code') || 'invalid-syntax';
}

/** Flake8 and Ruff name rules by codes such as `F401` and `W291`, and give no severity. Only the letter W means a warning. */
export function pythonCodeSeverity(code: string): Severity {
  return /^W\d/.test(code) ? 'medium' : 'high';
}

const PYLINT_SEVERITIES: ReadonlyMap<string, Severity> = new Map([
  ['error', 'high'],
  ['fatal', 'high'],
  ['warning', 'medium'],
  ['convention', 'low'],
  ['refactor', 'low'],
  ['info', 'low'],
]);

/** Messages about Pylint's settings: nobody knows what the missing plugin would have found. */
const PYLINT_SETTINGS: ReadonlySet<string> = new Set(['bad-plugin-value', 'config-parse-error']);

/** Both JSON reporters: a list of messages (`json`), or an object that also counts the checked modules (`json2`). */
export const pylint = jsonLinter({
  id: 'pylint',
  title: 'Pylint JSON',
  // An empty list is Pylint's where its name says so, or the caller.
  recognises: ({ isArray, keys, text, name }) =>
    isArray
      ? (keys.has('message-id') && keys.has('symbol')) || (text.trim() === '[]' && name.includes('pylint'))
      : keys.has('messages') && keys.has('statistics') && text.includes('"modulesLinted"'),
  lists: ['', 'messages'],
  noun: 'message',
  missing: (finding) => (textIn(finding, 'type') === '' && textIn(finding, 'symbol') === '' ? '"type" and no "symbol"' : null),
  inspect: (finding, run) => {
    const symbol = textIn(finding, 'symbol');
    if (textIn(finding, 'type') !== 'fatal' && !PYLINT_SETTINGS.has(symbol)) return;
    const place = run.pathOf(textIn(finding, 'path')) ?? symbol;
    run.report.fail(`Pylint could not check everything: ${textIn(finding, 'message')} (${place})`);
  },
  fields: {
    path: (finding) => textIn(finding, 'path'),
    lines: (finding) => ({ line: lineIn(finding, 'line'), endLine: endLineIn(finding) }),
    rule: (finding) => textIn(finding, 'symbol') || textIn(finding, 'message-id') || textIn(finding, 'messageId'),
    message: (finding) => textIn(finding, 'message'),
    severity: (finding) => {
      const word = textIn(finding, 'type');
      return { word, severity: PYLINT_SEVERITIES.get(word) ?? null };
    },
  },
  finish: (run) => {
    const modules = run.readTotal('modulesLinted', 'statistics');
    // A file that cannot be parsed is no module, but it has a message.
    if (modules !== null && modules + run.found > 0) run.checkedFiles?.count(Math.max(1, modules));
    else if (modules === 0) run.requireFiles(modules, 'modulesLinted');
    else if (run.found === 0 && !Array.isArray(run.value)) run.report.fail('no message and no "modulesLinted"');
  },
});

/** Also basedpyright. Its ranges count lines from 0. */
export const pyright = jsonLinter({
  id: 'pyright',
  title: 'Pyright JSON',
  recognises: ({ isArray, keys }) => !isArray && keys.has('generalDiagnostics'),
  lists: ['generalDiagnostics'],
  noun: 'diagnostic',
  fields: {
    path: (finding) => textIn(finding, 'file'),
    lines: (finding) => {
      const range = objectIn(finding, 'range');
      const end = objectIn(range, 'end');
      const last = lineFrom0(end);
      // An end before the first character of a line is the line above.
      const endLine = last !== null && last > 1 && countIn(end, 'character') === 0 ? last - 1 : last;
      return { line: lineFrom0(objectIn(range, 'start')), endLine };
    },
    rule: (finding) => textIn(finding, 'rule'),
    message: (finding) => textIn(finding, 'message'),
    severity: severityIn('severity'),
  },
  finish: (run) => {
    run.requireFiles(run.readTotal('filesAnalyzed', 'summary'), 'filesAnalyzed');
    run.compareTotals(run.readTotal('errorCount', 'summary'), run.readTotal('warningCount', 'summary'));
  },
});

function lineFrom0(position: JsonObject): number | null {
  const line = countIn(position, 'line');
  return line === null ? null : line + 1;
}

/** Bandit exits with 0 although it could not parse a file: such a file is a High finding. `metrics` names the checked files. */
export const bandit = jsonLinter({
  id: 'bandit',
  title: 'Bandit JSON',
  recognises: ({ isArray, keys }) =>
    !isArray && keys.has('results') && keys.has('metrics') && keys.has('errors') && keys.has('generated_at'),
  lists: ['results'],
  noun: 'issue',
  dimension: 'security',
  fields: {
    path: (finding) => textIn(finding, 'filename'),
    lines: (finding) => {
      const last = listIn(finding, 'line_range').at(-1);
      return { line: lineIn(finding, 'line_number'), endLine: typeof last === 'number' && Number.isSafeInteger(last) ? last : null };
    },
    rule: (finding) => textIn(finding, 'test_id'),
    message: (finding) => textIn(finding, 'issue_text'),
    severity: severityIn('issue_severity'),
  },
  finish: (run) => {
    const { report, value } = run;
    for (const error of listIn(value, 'errors')) {
      run.found += 1;
      const message = `Bandit could not check this file: ${textIn(error, 'reason') || 'it gives no reason'}`;
      const artifact = run.pathOf(textIn(error, 'filename'));
      report.addFinding({ severity: 'high', message, artifact, rule: 'unread', dimension: 'security' });
    }
    const metrics = isObject(value) ? own(value, 'metrics') : undefined;
    if (!isObject(metrics)) return;
    const paths = Object.keys(metrics)
      .filter((key) => key !== '_totals')
      .map((key) => run.pathOf(key))
      .filter((path) => path !== null);
    for (const path of paths) run.checkedFiles?.add(path);
    if (paths.length > 0 || run.found > 0) return;
    run.checkedFiles?.count(0);
    report.fail('no file was checked: "metrics" names none');
  },
});
