// The reader `audit`: a design audit report in Markdown or JSON, as agents really write it. `readReportText` is shared with the readers
// `critique` and `markdown`.

import type { FindingsOptions } from './findings-json.js';
import { parseReport } from './json-text.js';
import { replaceLookalikes } from './characters.js';
import { readable, refuseText, unreadable } from './reader.js';
import type { ReaderInput, Reader } from './reader.js';
import { ReportDraft } from './report-draft.js';
import type { Dimension, DraftResult } from './report-draft.js';
import { readReport } from './json-report.js';
import { sarifFailure } from './sarif.js';
import { readCriticReport } from './critic-report.js';
import type { JsonFence } from './critic-report.js';
import { SEVERITIES } from '../model/vocabulary.js';
import type { Counts, ReadResult, Scalar, Severity } from '../model/vocabulary.js';
import { worstCounts } from './severity.js';
import { WordList, wordsOf } from './word-lists.js';

type ReportResult = { readonly ok: true; readonly report: DraftResult } | { readonly ok: false; readonly result: ReadResult };

const EXPECTED = 'a report with findings, scores by dimension, or a statement that there are no findings';

export const AUDIT_OPTIONS: FindingsOptions = { fallback: 'high', classify: severityOfKind };

export const readAudit: Reader = (text, about) => {
  const read = readReportText(text, about, AUDIT_OPTIONS);
  if (!read.ok) return read.result;
  const { report } = read;
  if (!report.counted && report.score === null && report.dimensions.length === 0) {
    return unreadable(
      'it holds no finding, no score, no dimension and no statement that there are no findings, so it is not an audit report',
    );
  }
  return readable({
    values: valuesOf(report),
    findings: report.findings,
    counts: report.counts,
    lists: [['dimensions', report.dimensions]],
    unread: report.unread,
    notes: report.notes,
  });
};

export function valuesOf(report: DraftResult): readonly (readonly [string, Scalar])[] {
  const values: (readonly [string, Scalar])[] = [];
  if (report.score !== null) values.push(['score', report.score]);
  if (report.signal !== null) values.push(['signal', report.signal]);
  return values;
}

/** Reads a report in Markdown or JSON. It may hold nothing: the caller decides what that means. */
export function readReportText(text: string, about: ReaderInput, options: FindingsOptions): ReportResult {
  const refused = refuseText(text, EXPECTED);
  if (refused !== null) return { ok: false, result: refused };
  if (!isJson(text, about)) return readMarkdown(text, options);
  const json = parseReport(text);
  if (!json.ok) return { ok: false, result: unreadable(json.problem, json.line) };
  const failure = sarifFailure(json.value);
  if (failure !== null) return { ok: false, result: unreadable(failure) };
  return { ok: true, report: readReport(json.value, options) };
}

/** Markdown may also start with a bracket: `[CRITICAL] …`. A fence at the start of a .json file is Markdown around JSON. */
function isJson(text: string, about: ReaderInput): boolean {
  const start = text.trimStart();
  if (start.startsWith('{') || (start.startsWith('[') && /^\[\s{0,200}[{"\]]/.test(start))) return true;
  return about.path.toLowerCase().endsWith('.json') && !start.startsWith('```');
}

function readMarkdown(text: string, options: FindingsOptions): ReportResult {
  const draft = new ReportDraft({ classify: options.classify ?? null, fallback: options.fallback });
  const fences = readCriticReport(replaceLookalikes(text), draft);
  let report = draft.finish();
  let broken: { readonly problem: string; readonly line: number } | null = null;
  for (const fence of fences) {
    const json = parseReport(fence.text, fence.line);
    if (!json.ok && json.repeated === true && looksLikeReport(fence)) return { ok: false, result: unreadable(json.problem, json.line) };
    if (json.ok) {
      const inner = readReport(json.value, options);
      if (inner.isReport) report = merge(report, inner);
    } else if (looksLikeReport(fence)) {
      broken ??= { line: json.line, problem: `its JSON block is invalid: ${json.problem}` };
    }
  }
  if (broken === null) return { ok: true, report };
  if (report.counted || report.score !== null || report.dimensions.length > 0) {
    return { ok: true, report: { ...report, notes: [...report.notes, broken.problem] } };
  }
  return { ok: false, result: unreadable(broken.problem, broken.line) };
}

function looksLikeReport(fence: JsonFence): boolean {
  return /"(?:findings|dimensions|severity|audit_score|audit_signal|issues)"/.test(fence.text);
}

/** Combines Markdown with the JSON block in it: the worse counts, the findings of the worse one, and facts that only one of them states. */
function merge(markdown: DraftResult, json: DraftResult): DraftResult {
  const both = markdown.findings.length > 0 && json.findings.length > 0;
  const differ = both && SEVERITIES.some((severity) => markdown.counts[severity] !== json.counts[severity]);
  return {
    findings: isWorse(markdown.counts, json.counts) ? markdown.findings : json.findings,
    counts: worstCounts(markdown.counts, json.counts),
    counted: markdown.counted || json.counted,
    dimensions: lowestOf([...json.dimensions, ...markdown.dimensions]),
    score: markdown.score === null || json.score === null ? (markdown.score ?? json.score) : Math.min(markdown.score, json.score),
    signal: json.signal ?? markdown.signal,
    unread: [...markdown.unread, ...json.unread],
    notes: [
      ...markdown.notes,
      ...json.notes,
      ...(differ ? ['the text and the JSON block in it count findings differently; using the larger counts'] : []),
    ],
  };
}

function lowestOf(dimensions: readonly Dimension[]): readonly Dimension[] {
  const byName = new Map<string, Dimension>();
  for (const dimension of dimensions) {
    const before = byName.get(dimension.name.toLowerCase());
    if (before === undefined || dimension.score < before.score) byName.set(dimension.name.toLowerCase(), dimension);
  }
  return [...byName.values()];
}

function isWorse(a: Counts, b: Counts): boolean {
  for (const severity of SEVERITIES) if (a[severity] !== b[severity]) return a[severity] > b[severity];
  return false;
}

const ACCESSIBILITY = new WordList('a11y wcag contrast aria');
const INCONSISTENCY = new WordList('differ differs');
const STATE = new WordList('state states hover focus disabled active loading error empty pressed selected');
const MISSING = new WordList('missing lack lacks lacking undefined without absent incomplete no not never');
const NAMING = new WordList('name names named naming');
const DOCUMENTATION = new WordList('doc docs description descriptions typo typos spelling');
const STYLE = new WordList('style styling stylistic nit nits nitpick nitpicks polish');

/**
 * The severity of a finding by its kind; null if no kind matches. A declared category decides before the words. The dimension only
 * decides for accessibility, because the text is the better evidence.
 */
export function severityOfKind(text: string, dimension: string, category = ''): Severity | null {
  const about = new Sentence(text.slice(0, 2000));
  const area = new Sentence(dimension);
  const declared = new Sentence(category).severity();
  if (declared !== null) return declared;
  if (about.isCritical() || area.isCritical()) return 'critical';
  return about.lesser() ?? area.lesser();
}

class Sentence {
  private readonly text: string;
  private readonly words: readonly string[];

  constructor(text: string) {
    this.text = text.toLowerCase();
    this.words = wordsOf(text);
  }

  severity(): Severity | null {
    return this.isCritical() ? 'critical' : this.lesser();
  }

  isCritical(): boolean {
    return this.isAccessibility() || this.isTokenFormat();
  }

  lesser(): Severity | null {
    if (this.isInconsistency() || this.isMissingState()) return 'high';
    if (this.isNaming() || this.isDocumentation()) return 'medium';
    return this.isStyle() ? 'low' : null;
  }

  private isAccessibility(): boolean {
    const { text } = this;
    if (text.includes('accessib') || text.includes('keyboard') || ACCESSIBILITY.hasAny(this.words)) return true;
    if (text.includes('screen') && /screen.?reader/.test(text)) return true;
    if (text.includes('focus') && /focus.(?:ring|indicator|visible|order|trap|outline)/.test(text)) return true;
    return text.includes('alt') && /\balt.text\b/.test(text);
  }

  private isTokenFormat(): boolean {
    const { text } = this;
    if (this.words.includes('dtcg') || (text.includes('$') && /\$(?:type|value)\b/.test(text))) return true;
    if (!text.includes('token')) return false;
    if (/token.?format|(?:invalid|malformed|broken|unresolved|unparsable).{0,20}\btoken/.test(text)) return true;
    return /\btokens?\b.{0,40}(?:invalid|malformed|unresolved|not valid|unparsable)/.test(text);
  }

  private isInconsistency(): boolean {
    const { text } = this;
    if (text.includes('inconsisten') || text.includes('consistency') || text.includes('mismatch')) return true;
    return INCONSISTENCY.hasAny(this.words) || this.startsAny('conflict');
  }

  private isMissingState(): boolean {
    if (STATE.hasAny(this.words) && MISSING.hasAny(this.words)) return true;
    return this.text.includes('missing') && /missing.state/.test(this.text);
  }

  private isNaming(): boolean {
    const { text } = this;
    if (NAMING.hasAny(this.words) || this.startsAny('rename') || text.includes('kebab')) return true;
    return text.includes('camel') && /camel.?case/.test(text);
  }

  private isDocumentation(): boolean {
    return this.text.includes('document') || DOCUMENTATION.hasAny(this.words);
  }

  private isStyle(): boolean {
    return STYLE.hasAny(this.words) || this.text.includes('cosmetic') || this.text.includes('preference');
  }

  private startsAny(start: string): boolean {
    return this.words.some((word) => word.startsWith(start));
  }
}
