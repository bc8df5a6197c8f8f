// Reads single lines of a report: `Key: value`, `Accessibility: 5/10`, `Critical: 2`. What a line means for the
// report is decided by the walk in report-markdown.ts.

import type { Severity } from '../model.js';
import { plainText } from './markdown-blocks.js';
import { findScore, parseScore, type Score } from './score-text.js';
import { parseSeveritySummary } from './severity.js';
import { splitTag, stripOrnament } from './severity-tag.js';

export interface KeyValue {
  /** Lower case, words joined by `_`. */
  readonly key: string;
  /** As it is written. */
  readonly name: string;
  readonly value: string;
}

/** `**Audit Score:** 7/10` → audit_score. Null where the line is a sentence. */
export function splitKey(text: string): KeyValue | null {
  const at = text.indexOf(':');
  if (at < 1 || at > 120) return null;
  const plain = stripOrnament(plainText(text)).replaceAll('`', '');
  const colon = plain.indexOf(':');
  if (colon < 1 || colon > 40 || !/^\s|^$/.test(plain.slice(colon + 1, colon + 2))) return null;
  const name = plain
    .slice(0, colon)
    .replace(/\([^()]{0,40}\)/g, '')
    .trim();
  const words = name.split(/[\s_-]{1,5}/);
  if (words.length > 5 || !/^[\p{L}][\p{L}\d\s_-]*$/u.test(name)) return null;
  return { key: words.join('_').toLowerCase(), name, value: plain.slice(colon + 1).trim() };
}

/** Names of fields below a finding: they tell more of it and are no findings themselves. */
const LABELS: ReadonlySet<string> = new Set(
  `severity location locations file files line lines artifact artifacts where component target path reference references dimension category rule rule_id wcag
  criterion standard fix suggested_fix recommended_fix recommendation suggestion impact evidence expected actual current observed found status description details
  detail issue problem finding title why reason rationale effort owner priority level confidence id note notes example remediation solution steps proof user_impact
  required ratio element code snippet context source affected affects threshold weight what how result results`.split(/\s+/),
);

export function isLabel(text: string): boolean {
  const pair = splitKey(text);
  return pair !== null && LABELS.has(pair.key);
}

const NOT_A_DIMENSION =
  /\b(?:iterations?|rounds?|attempts?|steps?|phases?|waves?|cycles?|pass(?:ed|ing)?|checked|audited|reviewed|covered|coverage|tests?|files|components|pages|criteria|checks|issues|findings|previous|prior|last|before|baseline|target|threshold|minimum|maximum|required|date|version|page|task)\b/i;
const COUNTED_THINGS =
  /^\s{0,3}\(?(?:components?|states?|tokens?|tests?|files|pages|checks|criteria|screens|buttons|items|issues|variants|elements|icons|colou?rs|cases|passed|iterations)\b/i;
const OVERALL =
  /^(?:(?:the|audit|overall|total|final|aggregate|weighted|average|design|review|critique)[\s_]{1,3}){0,3}(?:score|rating|grade|total|average|overall)$|^overall\b|^(?:design |ui )?(?:audit|review|critique|report|verdict)(?: result| report)?$/i;
const STALE = /\b(?:previous|prior|last|before|baseline|target|threshold|minimum|maximum|required|max|min|pass)\b/i;

const LEADING_NUMBER = /^(\d{1,3}(?:\.\d{1,4})?(?:\s{0,3}\/\s{0,3}\d{1,3})?)(?=$|[\s(,;—–]|\.$)(?!\s{0,3}%)/;

const THRESHOLD = /\bthreshold\W{0,5}(\d{1,3}(?:\.\d{1,4})?)/i;

export interface ScoreLine {
  /** Null where the score is that of the whole report, or of the section it stands in. */
  readonly name: string | null;
  /** "Overall score", not just "Score". */
  readonly overall: boolean;
  readonly score: Score;
  readonly threshold: Score | null;
}

/** The scores in a line: `Accessibility: 5/10`, or several: `Scores: Consistency 7/10, Accessibility 4/10`. */
export function scoreLines(text: string, listed: boolean): readonly ScoreLine[] {
  if (!/\d/.test(text)) return [];
  const parts = text.slice(0, 500).split(/[,;|·]/);
  if (parts.length > 1 && parts.every((part) => findScore(part) !== null)) {
    const [first = '', ...others] = parts;
    const lines = [first.replace(/^[\s*]{0,5}(?:dimension )?(?:scores?|ratings?|dimensions?)\**:\**\s/i, ''), ...others].map((part) =>
      scoreLine(part, listed),
    );
    if (lines.every((line) => line !== null)) return lines;
  }
  const line = scoreLine(text, listed);
  return line === null ? [] : [line];
}

/**
 * `Accessibility: 5/10`, `Accessibility (25%) — 5/10`, `Score: 7`, `Overall rating 8/10`. A bare number counts after
 * the word "score", and after any name where `listed` says that scores are listed here. Percentages do not: they are weights.
 */
export function scoreLine(text: string, listed: boolean): ScoreLine | null {
  if (!/\d/.test(text)) return null;
  const plain = stripOrnament(plainText(text)).replaceAll('`', '').slice(0, 300);
  const arrow = Math.max(plain.lastIndexOf('→'), plain.lastIndexOf('->'));
  const pair = splitKey(plain);
  const first = findScore(plain);
  const found = first !== null && arrow > 0 ? findScore(plain.slice(arrow)) : first;
  const firstAt = first?.start ?? -1;
  const whole = cleanName(firstAt >= 0 ? plain.slice(0, firstAt) : (pair?.name ?? ''));
  if (whole === '' || whole.length > 40 || whole.split(' ').length > 6 || whole.includes(':') || STALE.test(whole)) return null;
  const overall = OVERALL.test(whole);
  const name = overall ? null : whole.replace(/ (?:score|rating)$/i, '');
  if (name !== null && NOT_A_DIMENSION.test(name)) return null;
  const line = { name, overall: overall && !/^(?:score|rating|grade)$/i.test(whole), threshold: parseScore(THRESHOLD.exec(plain)?.[1]) };
  if (found !== null) {
    const after = (arrow > 0 ? plain.slice(arrow) : plain).slice(found.end);
    return COUNTED_THINGS.test(after) ? null : { ...line, score: found.score };
  }
  if (pair === null || !(name === null ? /\b(?:score|rating|grade)$/i.test(whole) : listed)) return null;
  const number = LEADING_NUMBER.exec(pair.value)?.[1];
  const score = number === undefined ? null : parseScore(number);
  return score === null || (score.outOf === null && score.value > 10) ? null : { ...line, score };
}

/** `Critical: 2`, `**High Issues**: 0`, `CRITICAL:1 HIGH:2`, `- Medium (3)`: how many, not what. */
export function countLine(text: string): readonly (readonly [Severity, number])[] | null {
  const plain = plainText(text);
  const tag = splitTag(plain);
  if (tag !== null && tag.mark !== 'bracket') {
    if (tag.count !== null) return [[tag.severity, tag.count]];
    const arrow = /^\d{1,6}\s{0,2}(?:→|->)\s{0,2}(\d{1,6})$/.exec(tag.rest)?.[1];
    const digits =
      arrow ??
      /^(\d{1,6})(?:\s(?:issues?|findings?|found|total|open|remaining|unresolved))?[.!]?(?:\s{1,3}\(.{0,120}\))?(?:\s{1,3}[^\p{L}\d]{1,4})?$/iu.exec(
        tag.rest,
      )?.[1];
    if (digits !== undefined) return [[tag.severity, Number(digits)]];
  }
  return tallyLine(plain);
}

const TALLY_WORDS =
  /^(?:critical|high|medium|low|blockers?|major|minor|severity|summary|total|totals|issues?|findings?|found|and|no|none|zero|counts?|breakdown|by)$/i;

/** A line that is nothing but a tally of at least two severities. */
function tallyLine(plain: string): readonly (readonly [Severity, number])[] | null {
  if (plain.length > 160) return null;
  const words = plain.match(/\p{L}{1,40}/gu) ?? [];
  if (words.length < 2 || !words.every((word) => TALLY_WORDS.test(word)) || !/\d/.test(plain)) return null;
  const named = (['critical', 'high', 'medium', 'low'] as const).filter((severity) =>
    words.some((word) => word.toLowerCase() === severity),
  );
  const summary = named.length < 2 ? null : parseSeveritySummary(plain);
  return summary === null ? null : named.map((severity) => [severity, summary.counts[severity]] as const);
}

function cleanName(text: string): string {
  let name = text.replace(/\([^()]{0,40}\)?/g, ' ').replace(/\[[^[\]]{0,40}\]?/g, ' ');
  name = name.replace(/^\s{0,3}\d{1,3}[.)]\s{1,3}/, '').replace(/[\s:—–|=_*-]{1,20}$/, '');
  return /\p{L}/u.test(name) ? name.trim().split(/\s+/).join(' ') : '';
}
