// Parses single lines of a report: `Key: value`, `Accessibility: 5/10`, `Critical: 2`.

import { SEVERITIES, type Severity } from '../model/vocabulary.js';
import { endMarksLength, hasDigit, hasLetter, isDigit, LetterPattern } from './characters.js';
import { quote } from './reader.js';
import { findScore, parseScore, type Score } from './score-text.js';
import { NUMBERS, parseSeverity, parseSeveritySummary, spellEmoji } from './severity.js';
import { splitTag, stripOrnament } from './severity-tag.js';
import { leadingWord, WordList, wordsOf } from './word-lists.js';

/** Link texts that stand for their target. */
const POINTING = /^(?:here|lines? \d[\d \u2013-]*|L\d+)$/i;
/** `a.ts:7`, `a.ts#L7-L9` */
const LINE_AT_END = /(?::|#L)\d{1,7}(?:[-:]L?\d{1,7})?$/;

/** Removes bold marks and replaces links by their text. A file and line that only the link names are added. */
export function plainText(text: string): string {
  const unlinked = text.includes('](') ? text.replace(/\[([^[\]]*)\]\(([^()\s]*)\)/g, unlink) : text;
  return (unlinked.includes('**') ? unlinked.replaceAll('**', '') : unlinked).trim();
}

function unlink(_: string, text: string, target: string): string {
  const path = target.replace(LINE_AT_END, '');
  if (path === target || !/[./]/.test(path) || /^[a-z][a-z+-]*:/i.test(path)) return text;
  // Any other link text may be a severity or a signal, so it stays.
  const named = text.replaceAll(/[`*]/g, '').trim();
  const isAbout = POINTING.test(named) || (named !== '' && `/${path}`.endsWith(`/${named}`));
  return isAbout ? `${text} (${target})` : text;
}

export interface KeyValue {
  /** Lower case, words joined by `_`. */
  readonly key: string;
  /** As written. */
  readonly name: string;
  readonly value: string;
}

/** Marks allowed between the colon of a key and the space after it. */
const KEY_ENDS = '*`';
const NAME = new LetterPattern(String.raw`^[\p{L}][\p{L}\d\s_-]*$`);

/** `**Audit Score:** 7/10` → audit_score. Null if the line is a sentence. */
export function splitKey(text: string): KeyValue | null {
  const at = text.indexOf(':');
  if (at < 1 || at > 120) return null;
  // Most colons are inside something: a time, a ratio, a path.
  if (!KEY_ENDS.includes(text.charAt(at + 1)) && text.charAt(at + 1).trim() !== '' && !text.includes('](')) return null;
  const plain = stripOrnament(plainText(text)).replaceAll('`', '');
  const colon = plain.indexOf(':');
  if (colon < 1 || colon > 40 || plain.charAt(colon + 1).trim() !== '') return null;
  const head = plain.slice(0, colon);
  const name = (head.includes('(') ? head.replace(/\([^()]{0,40}\)/g, '') : head).trim();
  if (!NAME.for(name).test(name)) return null;
  const isOneWord = leadingWord(name).length === name.length && !name.includes('_');
  const words = isOneWord ? [name] : name.split(/[\s_-]{1,5}/);
  if (words.length > 5) return null;
  return { key: words.join('_').toLowerCase(), name, value: plain.slice(colon + 1).trim() };
}

/** Fields of a finding. They describe it and are not findings themselves. */
const LABELS = new WordList(
  'severity location locations file files line lines artifact artifacts where component target path reference references dimension category ' +
    'rule rule_id wcag criterion standard fix suggested_fix recommended_fix recommendation suggestion impact evidence expected actual current ' +
    'observed found status description details detail issue problem finding title why reason rationale effort owner priority level confidence ' +
    'id note notes example remediation solution steps proof user_impact required ratio element code snippet context source affected affects ' +
    'threshold weight what how result results',
);

export function isLabel(text: string): boolean {
  const pair = splitKey(text);
  return pair !== null && LABELS.has(pair.key);
}

const NOT_A_DIMENSION = new WordList(
  'iteration iterations round rounds attempt attempts step steps phase phases wave waves cycle cycles pass passed passing checked audited ' +
    'reviewed covered coverage test tests files components pages criteria checks issues findings previous prior last before baseline target ' +
    'threshold minimum maximum required date version page task',
);
const COUNTED_THINGS = new WordList(
  'component components state states token tokens test tests files pages checks criteria screens buttons items issues variants elements icons ' +
    'colors colours cases passed iterations',
);
const STALE = new WordList('previous prior last before baseline target threshold minimum maximum required max min pass');
/** Words allowed before one of SCORE_NAMES: "the overall design score". */
const QUALIFIERS = new WordList('the audit overall total final aggregate weighted average design review critique');
const SCORE_NAMES = new WordList('score rating grade total average overall');
const PLAIN_SCORES = new WordList('score rating grade');
const REPORTS = new WordList('audit review critique report verdict');

export interface ScoreLine {
  /** Null if the score is that of the whole report or of its section. */
  readonly name: string | null;
  /** "Overall score", not just "Score". */
  readonly overall: boolean;
  readonly score: Score;
  readonly threshold: Score | null;
}

/** The scores in a line: `Accessibility: 5/10`, or `Scores: Consistency 7/10, Accessibility 4/10`. */
export function scoreLines(text: string, listed: boolean): readonly ScoreLine[] {
  if (!hasDigit(text)) return [];
  const start = text.slice(0, 500);
  const parts = findScore(start) === null ? [] : start.split(/[,;|\u00b7]/);
  if (parts.length > 1 && parts.every((part) => findScore(part) !== null)) {
    const [first = '', ...others] = parts;
    const label = /^[\s*]{0,5}(?:dimension )?(?:scores?|ratings?|dimensions?)\**:\**\s/.exec(first.toLowerCase())?.[0] ?? '';
    const lines = [first.slice(label.length), ...others].map((part) => scoreLine(part, listed));
    if (lines.every((line) => line !== null)) return lines;
  }
  const line = scoreLine(text, listed);
  return line === null ? [] : [line];
}

/**
 * `Accessibility: 5/10`, `Accessibility (25%) — 5/10`, `Score: 7`, `Overall rating 8/10`. A bare number counts after the word "score",
 * and after any name if `listed` (the section lists scores). Percentages are weights, not scores.
 */
export function scoreLine(text: string, listed: boolean): ScoreLine | null {
  if (!hasDigit(text)) return null;
  const plain = stripOrnament(plainText(text)).replaceAll('`', '').slice(0, 300);
  const pair = splitKey(plain);
  const first = findScore(plain);
  if (pair === null && first === null) return null;
  const whole = cleanName(first === null ? (pair?.name ?? '') : plain.slice(0, first.start));
  if (whole === '' || whole.length > 40 || whole.split(' ').length > 6 || whole.includes(':') || STALE.hasAny(wordsOf(whole))) return null;
  const name = isOverallName(whole.toLowerCase()) ? null : withoutScore(whole);
  if (name !== null && NOT_A_DIMENSION.hasAny(wordsOf(name))) return null;
  const line = { name, overall: name === null && !PLAIN_SCORES.has(whole.toLowerCase()), threshold: thresholdIn(plain) };
  const arrow = Math.max(plain.lastIndexOf('\u2192'), plain.lastIndexOf('->'), 0);
  const found = first === null ? null : findScore(plain.slice(arrow));
  if (found !== null) return countsThings(plain.slice(arrow + found.end)) ? null : { ...line, score: found.score };
  if (pair === null || !(name === null ? PLAIN_SCORES.has(wordsOf(whole).at(-1) ?? '') : listed)) return null;
  const number = /^(\d{1,3}(?:[.,]\d{1,20})?(?:\s{0,3}\/\s{0,3}\d{1,3})?)(?=$|[\s(,;\u2014\u2013]|\.$)(?!\s{0,3}%)/.exec(pair.value)?.[1];
  const score = number === undefined ? null : parseScore(number);
  return score === null || (score.outOf === null && score.value > 10) ? null : { ...line, score };
}

/** "score", "overall design score", "overall quality", "ui audit report" */
function isOverallName(name: string): boolean {
  if (leadingWord(name) === 'overall') return true;
  const words = name
    .replaceAll('_', ' ')
    .split(' ')
    .filter((word) => word !== '');
  if (words.length <= 4 && SCORE_NAMES.has(words.at(-1) ?? '') && words.slice(0, -1).every((word) => QUALIFIERS.has(word))) return true;
  const [report = '', ending, ...others] = name.split(' ').slice(name.startsWith('design ') || name.startsWith('ui ') ? 1 : 0);
  return REPORTS.has(report) && others.length === 0 && (ending === undefined || ending === 'result' || ending === 'report');
}

function withoutScore(name: string): string {
  const lower = name.toLowerCase();
  const ending = [' score', ' rating'].find((each) => lower.endsWith(each)) ?? '';
  return name.slice(0, name.length - ending.length);
}

function thresholdIn(text: string): Score | null {
  const lower = text.toLowerCase();
  return lower.includes('threshold') ? parseScore(/\bthreshold\W{0,5}(\d{1,3}(?:[.,]\d{1,20})?)/.exec(lower)?.[1]) : null;
}

/** "8/10 components" is not a score. */
function countsThings(after: string): boolean {
  const rest = after.trimStart();
  return COUNTED_THINGS.has(leadingWord(rest.startsWith('(') ? rest.slice(1) : rest));
}

/** `Critical: 2`, `**High Issues**: 0`, `CRITICAL:1 HIGH:2 and more`, `- Medium (3)`: a count, not a finding. */
export function countLine(text: string): readonly (readonly [Severity, number])[] | null {
  const plain = plainText(text.replaceAll('\uff1a', ': ').replaceAll(/[\uff0c\u3001\uff1b]/g, ', '));
  const tag = splitTag(plain);
  if (tag !== null && tag.count !== null) return [[tag.severity, tag.count]];
  const count = tag === null ? null : countOf(tag.rest);
  if (tag !== null && count !== null) return [[tag.severity, count]];
  return leadingCounts(plain) ?? tallyLine(plain) ?? tallyLine(plain.replaceAll(/\s?\([^()]{1,200}\)/g, ''));
}

const LEADING_COUNT = /^[\s,;|*]{0,4}([^\s\d:=*]{1,20})\*{0,2}\s?[:=]\*{0,2}\s?(\d{1,6})(?![\d%/]|\.\d)/;

/** At least two pairs of severity and number at the start, or `LOW:0.`. What follows them is a remark. */
function leadingCounts(plain: string): readonly (readonly [Severity, number])[] | null {
  const counts: (readonly [Severity, number])[] = [];
  let rest = plain;
  for (let pair = LEADING_COUNT.exec(rest); pair !== null; pair = LEADING_COUNT.exec(rest)) {
    const severity = parseSeverity(pair[1]);
    if (severity === null) break;
    counts.push([severity, Number(pair[2])]);
    rest = rest.slice(pair[0].length);
  }
  const [first] = counts;
  return counts.length > 1 || (first?.[1] === 0 && /^[.;,]/.test(rest)) ? counts : null;
}

const COUNT = new LetterPattern(
  String.raw`^(\d{1,6})(?:\s(?:issues?|findings?|found|total|open|remaining|unresolved))?[.!]?(?:\s{1,3}\(.{0,120}\))?(?:\s{1,3}[^\p{L}\d]{1,8})?$`,
);

/** `2`, `2 issues (one new)`, `3 → 2`. Null if the text says more than a number. */
function countOf(text: string): number | null {
  const lower = text.toLowerCase();
  if (NUMBERS.includes(lower)) return NUMBERS.indexOf(lower);
  if (!isDigit(text.charCodeAt(0))) return null;
  const digits = /^\d{1,6}\s{0,2}(?:\u2192|->)\s{0,2}(\d{1,6})$/.exec(lower)?.[1] ?? COUNT.for(lower).exec(lower)?.[1];
  return digits === undefined ? null : Number(digits);
}

const WORDS = new LetterPattern('[\\p{L}]{1,40}', 'g');
const TALLY_WORDS = new WordList(
  'critical high medium low blocker blockers major minor severity summary total totals issue issues finding findings found and no none zero ' +
    'count counts breakdown by',
);

/** A line that only counts at least two severities. */
function tallyLine(plain: string): readonly (readonly [Severity, number])[] | null {
  if (plain.length > 160 || !hasDigit(plain)) return null;
  const lower = spellEmoji(plain).toLowerCase();
  const mentioned = SEVERITIES.filter((severity) => lower.includes(severity));
  if (mentioned.length < 2) return null;
  const words: readonly string[] = lower.match(WORDS.for(lower)) ?? [];
  if (!words.every((word) => TALLY_WORDS.has(word))) return null;
  const named = mentioned.filter((severity) => words.includes(severity));
  const summary = named.length < 2 ? null : parseSeveritySummary(plain);
  return summary === null ? null : named.map((severity) => [severity, summary.counts[severity]] as const);
}

function cleanName(text: string): string {
  let name = text.includes('(') ? text.replace(/\([^()]{0,40}\)?/g, ' ') : text;
  if (name.includes('[')) name = name.replace(/\[[^[\]]{0,40}\]?/g, ' ');
  if (isDigit(name.trimStart().charCodeAt(0))) name = name.replace(/^\s{0,3}\d{1,3}[.)]\s{1,3}/, '');
  name = name.slice(0, name.length - endMarksLength(name, ':\u2014\u2013|=_*-', 20));
  return hasLetter(name) ? name.trim().replace(/\s+/g, ' ') : '';
}

/** A7, for the verdict's anomalies. */
export function unreadNote(lines: readonly string[]): readonly string[] {
  const [first] = lines;
  if (first === undefined) return [];
  const count = lines.length === 1 ? '1 line of the report was' : `${lines.length} lines of the report were`;
  return [`${count} not read: ${quote(first, 120)}. Write each finding as "- [HIGH] text (file:line)", and none as "None"`];
}
