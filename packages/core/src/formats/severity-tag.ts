// Finds the severity tag of a sentence: `[HIGH] …`, `**High**: …`, `Critical: …`, `… (Medium)`.

import type { Severity } from '../model/vocabulary.js';
import { endMarksLength, hasLetter, isDigit, marksLength } from './characters.js';
import { isGraveWord, parseSeverity } from './severity.js';
import { leadingWord, lowerCase, WordList } from './word-lists.js';

export interface SeverityTag {
  readonly severity: Severity;
  /** How certain the mark is. A bracket may hold any severity word; bold and plain marks only unmistakable ones. */
  readonly mark: 'bracket' | 'bold' | 'plain';
  /** `Critical (2)`: the number in the tag. */
  readonly count: number | null;
  readonly rest: string;
  /** An unknown word that sounds grave. Counted as High. */
  readonly unknown?: string;
}

const MAX_TAG = 60;

/** "Note:" and "Info:" start ordinary sentences, and so does "Error:" without emphasis. */
const BOLD_WORDS = new WordList(
  'critical crit blocker fatal showstopper catastrophic severe high error major serious medium med warning moderate low minor trivial nit nitpick p0 p1 p2 p3 p4',
);
const PLAIN_WORDS = new WordList('critical crit blocker high major serious medium moderate low minor nit nitpick p0 p1 p2 p3 p4');

/** Separators between the parts of a line, and how far into the line they are searched. */
const PARTINGS: readonly string[] = [' \u2014 ', ' \u2013 ', ' - ', ' | ', ' \u00b7 '];
const MAX_PARTED = 400;
/** Cheap test: in few lines. */
const WORST: readonly string[] = ['crit', 'block', 'fatal', 'p0'];
const CAPITALS: readonly string[] = [
  'HIGH',
  'MAJOR',
  'SERIOUS',
  'ERROR',
  'MED',
  'WARN',
  'MODERATE',
  'LOW',
  'MINOR',
  'TRIVIAL',
  'P1',
  'P2',
  'P3',
  'P4',
];
/** `Impact — critical` is a field of a finding. */
const FIELDS = new WordList('severity priority impact level risk effort confidence');

const BRACKETS: ReadonlyMap<string, string> = new Map([
  ['[', ']'],
  ['(', ')'],
  ['\u3010', '\u3011'],
]);
const EMPHASIS: readonly string[] = ['**', '__', '`', '*', '_'];
/** The first character that may be an ornament: the copyright sign. */
const FIRST_ORNAMENT = 0xa9;

export function splitTag(text: string): SeverityTag | null {
  const body = stripOrnament(text);
  return (
    tagInEmphasis(body) ??
    tagInBracket(body, 0, 'any') ??
    tagByWord(body.replaceAll('**', ''), body.startsWith('**')) ??
    tagInside(body) ??
    tagAsPart(body)
  );
}

/** Removes marks such as an emoji before the first word. */
export function stripOrnament(text: string): string {
  const trimmed = text.trim();
  if (!(trimmed.charCodeAt(0) >= FIRST_ORNAMENT)) return trimmed;
  return trimmed.replace(/^(?:\p{Extended_Pictographic}|[\ufe0f\u200d\s\u2022\u00b7]){1,20}/u, '');
}

/** `**High**: …`, `` `HIGH` … ``, `**[HIGH]** …` */
function tagInEmphasis(body: string): SeverityTag | null {
  const mark = EMPHASIS.find((each) => body.startsWith(each));
  if (mark === undefined) return null;
  const end = body.indexOf(mark, mark.length);
  if (end < 0 || end > MAX_TAG) return null;
  const inner = stripOrnament(body.slice(mark.length, end));
  const rest = restOf(body.slice(end + mark.length));
  const tag = tagInBracket(inner, 0, 'any');
  if (tag !== null) return { ...tag, rest: [tag.rest, rest].filter((part) => part !== '').join(': ') };
  const word = BOLD_WORDS.has(leadingWord(inner)) ? wordOf(inner) : null;
  return word === null ? null : { ...word, mark: 'bold', rest };
}

/** A bracket at `at`. `(High)` inside a sentence is a tag only at its end or before a colon or dash. */
function tagInBracket(body: string, at: number, where: 'any' | 'edge'): SeverityTag | null {
  const open = body[at] ?? '';
  const close = BRACKETS.get(open);
  if (close === undefined) return null;
  // Cut first: searching the whole text from every bracket would be quadratic.
  const end = body.slice(at, at + MAX_TAG).indexOf(close);
  if (end < 0) return null;
  const after = body.slice(at + end + 1);
  if (where === 'edge' && open === '(' && !endsOrTurns(after)) return null;
  // The text of a link is not a tag.
  if (after.startsWith('(') && open === '[') return null;
  const inner = body.slice(at + 1, at + end);
  const word = wordOf(inner) ?? wordOf(firstPart(inner));
  if (word === null) return null;
  const before = body.slice(0, at).trim();
  const rest = restOf(after);
  const joint = rest !== '' && isTurn(after.charAt(marksLength(after, '*_`', 4))) ? ': ' : ' ';
  return { ...word, mark: 'bracket', rest: before === '' ? rest : `${before}${joint}${rest}`.trim() };
}

/** `Critical: …`, `HIGH-2 — …` */
function tagByWord(body: string, bold: boolean): SeverityTag | null {
  if (!(bold ? BOLD_WORDS : PLAIN_WORDS).has(leadingWord(body))) return null;
  const head = body.slice(0, MAX_TAG);
  const at = head.search(/[:|\u2014\u2013]| - /);
  if (at < 0 && body.length > MAX_TAG) return tagByNumberedId(body);
  const word = wordOf(at < 0 ? head : head.slice(0, at));
  if (word === null || (at < 0 && word.count === null)) return tagByNumberedId(body);
  return { ...word, mark: bold ? 'bold' : 'plain', rest: at < 0 ? '' : restOf(body.slice(at)) };
}

/** `CRITICAL-2 smells` */
function tagByNumberedId(body: string): SeverityTag | null {
  const end = body.indexOf(' ');
  const id = body.slice(0, end);
  if (end < 0 || end > MAX_TAG || !isDigit(id.charCodeAt(id.length - 1)) || !(id.includes('-') || id.includes('#'))) return null;
  const word = wordOf(id);
  return word === null ? null : { ...word, mark: 'bracket', rest: restOf(body.slice(end)) };
}

/** `It burns — critical`, `a.css:12 | CRITICAL | burns`: a separate part. In lower case only the worst: "Effort — low" is no tag. */
function tagAsPart(body: string): SeverityTag | null {
  const start = body.slice(0, MAX_PARTED);
  const lower = lowerCase(start);
  if (!WORST.some((stem) => lower.includes(stem)) && !CAPITALS.some((word) => start.includes(word))) return null;
  if (!PARTINGS.some((mark) => start.includes(mark)) && !start.includes(' `')) return null;
  let text = start.replaceAll(' `', ' | `').replaceAll('` ', '` | ');
  for (const mark of PARTINGS) text = text.replaceAll(mark, ' | ');
  const parts = text.split(' | ').map((part) => part.trim());
  const at = parts.findIndex((part) => isLoneWord(part));
  const word = at < 0 ? null : wordOf(bare(parts[at] ?? ''));
  const rest = parts.filter((part, index) => index !== at && part !== '');
  if (word === null || rest.length === 0 || (rest.length === 1 && FIELDS.has(lowerCase(rest[0] ?? '')))) return null;
  return { ...word, mark: 'bracket', rest: rest.join(' \u2014 ') + body.slice(MAX_PARTED) };
}

function isLoneWord(part: string): boolean {
  const word = bare(part);
  if (word === '' || word.length > 20 || !BOLD_WORDS.has(leadingWord(word))) return false;
  const severity = parseSeverity(word);
  return severity !== null && (severity === 'critical' || word === word.toUpperCase());
}

function bare(part: string): string {
  const text = stripOrnament(part);
  const inner = text.slice(marksLength(text, '*_`[(', 4));
  return inner.slice(0, inner.length - endMarksLength(inner, '*_`]).', 4));
}

/** `F-001 [HIGH] …`, `… (Medium)`, `… Severity: high.` */
function tagInside(body: string): SeverityTag | null {
  const named = findNamed(body);
  const word = named === null ? null : wordOf(named[1] ?? '');
  if (named !== null && word !== null) {
    const rest = `${body.slice(0, named.index).trim()} ${restOf(body.slice(named.index + named[0].length))}`.trim();
    return { ...word, mark: 'bracket', rest };
  }
  let square = body.indexOf('[', 1);
  let round = body.indexOf('(', 1);
  while (square >= 0 || round >= 0) {
    const at = round < 0 || (square >= 0 && square < round) ? square : round;
    const tag = tagInBracket(body, at, 'edge');
    if (tag !== null) return tag;
    // Searches only for the bracket just used: searching both each time would be quadratic.
    if (at === square) square = body.indexOf('[', at + 1);
    else round = body.indexOf('(', at + 1);
  }
  return null;
}

/** `Severity: high` after the start of the sentence. */
function findNamed(body: string): RegExpExecArray | null {
  const lower = lowerCase(body);
  if (!lower.includes('severity')) return null;
  const opening = /^severity\s{0,2}[:=]\s{0,2}[*_`]{0,2}([a-z0-9]{2,12})[*_`]{0,2}(?=[.;,]\s|\s[\u2014\u2013-]\s)/.exec(lower);
  if (opening !== null) return opening;
  return /(?<=[\s.,;(\u2014\u2013-])\(?severity\s{0,2}[:=]\s{0,2}[*_`]{0,2}([a-z0-9]{2,12})[*_`]{0,2}\)?/.exec(lower);
}

/** `High` of `[High | Accessibility]`. */
function firstPart(text: string): string {
  let end = text.length;
  for (const mark of '|,:;/') if (text.includes(mark)) end = Math.min(end, text.indexOf(mark));
  return text.slice(0, end);
}

/** The severity in a tag, and its number: `Critical Issues (2)`, `HIGH-1`. */
function wordOf(text: string): Pick<SeverityTag, 'severity' | 'count' | 'unknown'> | null {
  let word = text.trim();
  if (word.endsWith(':')) word = word.slice(0, -1).trim();
  let count: number | null = null;
  const open = word.endsWith(')') ? word.lastIndexOf('(') : -1;
  if (open > 0 && /^\(\s?\d{1,6}\s?\)$/.test(word.slice(open))) {
    count = Number(word.slice(open + 1, -1));
    word = word.slice(0, open);
  }
  // A bare number is no tag: "[2]" is a footnote, not an ESLint error.
  if (!hasLetter(word)) return null;
  const severity = parseSeverity(word) ?? (isDigit(word.charCodeAt(word.length - 1)) ? parseSeverity(withoutNumber(word)) : null);
  if (severity === null && isGraveWord(word)) return { severity: 'high', count, unknown: word };
  return severity === null ? null : { severity, count };
}

/** `HIGH-12` → HIGH */
function withoutNumber(word: string): string {
  let end = word.length;
  while (end > word.length - 3 && isDigit(word.charCodeAt(end - 1))) end -= 1;
  const rest = word.slice(0, end);
  return rest.slice(0, rest.length - endMarksLength(rest, '-#', 2));
}

/** Whether the sentence ends here or continues with a colon or dash. */
function endsOrTurns(after: string): boolean {
  const at = marksLength(after, '*_`.', 4);
  return at === after.length || isTurn(after.charAt(at));
}

/** A colon or a dash. */
function isTurn(char: string): boolean {
  return char === ':' || char === '\u2014' || char === '\u2013';
}

function restOf(text: string): string {
  let rest = EMPHASIS.some((mark) => text.startsWith(mark)) ? text.replace(/^[*_`]{1,3}(?=[\s:\u2014\u2013-]|$)/, '') : text;
  rest = rest.slice(marksLength(rest, ':|\u2014\u2013.-', 20));
  return (rest.startsWith('**') && rest.length > 2 && rest.charAt(2).trim() === '' ? rest.slice(2) : rest).trim();
}
