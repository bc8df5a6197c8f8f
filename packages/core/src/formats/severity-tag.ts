// Finds the severity tag of a sentence: `[HIGH] …`, `**High**: …`, `Critical: …`, `… (Medium)`, `🔴 …`, `… Severity: High`.

import type { Severity } from '../model/vocabulary.js';
import { endMarksLength, hasLetter, isDigit, LetterPattern, letterWords, marksLength } from './characters.js';
import {
  certaintyOf,
  drawnSeverity,
  leadingEmojiSeverity,
  mayNameSeverity,
  parseSeverity,
  parseSeverityField,
  parseSeverityTag,
  worseOf,
} from './severity.js';
import { WordList } from './word-lists.js';

export interface SeverityTag {
  readonly severity: Severity;
  /** `Critical (2)`: the number in the tag. */
  readonly count: number | null;
  readonly rest: string;
}

const MAX_TAG = 60;
/** Separators between the parts of a line, and how far into the line they are searched. */
const PARTINGS = /\s[\u2014\u2013|\u00b7-]\s|\s(?=`)|(?<=`)\s/;
const MAX_PARTED = 400;
const BRACKETS: ReadonlyMap<string, string> = new Map([
  ['[', ']'],
  ['(', ')'],
  ['\u3010', '\u3011'],
  ['\uff08', '\uff09'],
]);
const EMPHASIS: readonly string[] = ['**', '__', '`', '*', '_'];
/** The first character that may be an ornament: the copyright sign. */
const FIRST_ORNAMENT = 0xa9;
/** Words for "severity" before a colon. */
const NAMES =
  'severity|priority|schweregrad|priorität|gravité|sévérité|priorité|severidad|gravedad|prioridad|' +
  '严重性|严重程度|优先级|重要度|深刻度|優先度';
const NAMED = new RegExp(
  `(?:^|[\\s.,;(*_\`\u2014\u2013-])\\(?(?:${NAMES})["'*_\`]{0,2}\\s{0,2}[:=\uff1a]\\s{0,2}["'*_\`]{0,3}([^\\s"'*_\`.,;:()|]{1,20})["'*_\`]{0,3}\\)?`,
);
const DENIALS = new WordList(
  'no none not zero nil nothing without never 0 kein keine keiner keinen ohne aucun aucune sans pas ningún ninguna ninguno sin 无 没有 ' +
    '暂无 なし',
);
const COUNTED = new LetterPattern(
  String.raw`(?<![\d.,:/\p{L}])([1-9]\d{0,3})\s(?:new |open )?([\p{L}]+)(?=\s(?:severity |priority )?(?:issue|finding|problem|violation|concern|defect|bug|risk|challenge|and|und|et|y)|[,;.)]|$)`,
  'g',
);

export function splitTag(text: string): SeverityTag | null {
  if (!mayNameSeverity(text)) return null;
  const body = stripOrnament(text);
  const tag = tagInEmphasis(body) ?? tagInBracket(body, 0) ?? tagByWord(body) ?? tagByName(body) ?? tagInside(body) ?? tagAsPart(body);
  if (tag !== null) return tag;
  const drawn = leadingEmojiSeverity(text);
  return drawn === null ? null : { severity: drawn, count: null, rest: body };
}

/**
 * A7: the worst severity that the line carries as a tag anywhere: bracketed, bold, leading, named, counted, drawn, or alone. Null if it
 * carries none, or denies it.
 */
export function carriedSeverity(line: string): Severity | null {
  if (!mayNameSeverity(line)) return null;
  let worst: Severity | null = null;
  const take = (severity: Severity | null, at: number, end: number): void => {
    if (severity === null || isDenied(line.slice(0, at), line.slice(end))) return;
    worst = worst === null ? severity : worseOf(worst, severity);
  };
  const tag = splitTag(line);
  if (tag !== null && tag.count !== 0) take(tag.severity, 0, line.length - tag.rest.length);
  const named = NAMED.exec(line.toLowerCase().slice(0, MAX_PARTED));
  if (named !== null) take(parseSeverity(named[1]), 0, line.length);
  if (line.length <= MAX_TAG && isTagWord(line, 'emphasis')) take(parseSeverity(line), 0, line.length);
  for (const match of line.matchAll(/\*\*([^*]{1,60})\*\*|\[([^\]]{1,60})\](?!\()/g)) {
    const word = (match[1] ?? match[2] ?? '').replace(/^\d+\s/, '');
    if (isTagWord(word, match[1] === undefined ? 'column' : 'emphasis'))
      take(parseSeverity(word), match.index, match.index + match[0].length);
  }
  for (const match of line.matchAll(COUNTED.for(line)))
    if (isTagWord(match[2] ?? '', 'plain')) take(parseSeverity(match[2]), match.index, match.index + match[0].length);
  for (const match of line.matchAll(/(?<![\w-])[A-Z]{4,12}(?![\w-])/g))
    if (isTagWord(match[0], 'plain')) take(parseSeverity(match[0]), match.index, match.index + match[0].length);
  const drawn = drawnSeverity(line);
  if (drawn !== null && !/^[^\p{L}]*0\b/u.test(line)) take(drawn, 0, line.length);
  return worst;
}

/** "no **High** issues", "**High** issues: none" */
function isDenied(before: string, after: string): boolean {
  const [clause = ''] = before.split(/[,;.]/).slice(-1);
  return DENIALS.hasAny(letterWords(clause.toLowerCase()).slice(-3)) || DENIALS.has(letterWords(after.slice(0, 40).toLowerCase())[0] ?? '');
}

/** Whether a text is a severity word that is certain enough for its place. */
function isTagWord(text: string, place: 'plain' | 'emphasis' | 'column'): boolean {
  if (!hasLetter(text)) return false;
  if (place === 'column') return (parseSeverityField(text) ?? parseSeverityTag(text)) !== null;
  const certainty = parseSeverityTag(text) === null ? null : certaintyOf(text);
  return certainty === 'plain' || certainty === place;
}

/** Removes marks such as an emoji before the first word. */
export function stripOrnament(text: string): string {
  const trimmed = text.trim();
  if (!(trimmed.charCodeAt(0) >= FIRST_ORNAMENT)) return trimmed;
  return trimmed.replace(/^(?:\p{Extended_Pictographic}|[\ufe0f\u200d\s\u2022\u00b7\u2717\u2718]){1,20}/u, '');
}

/** `**High**: …`, `` `HIGH` … ``, `**[HIGH]** …` */
function tagInEmphasis(body: string): SeverityTag | null {
  const mark = EMPHASIS.find((each) => body.startsWith(each));
  if (mark === undefined) return null;
  const end = body.indexOf(mark, mark.length);
  if (end < 0 || end > MAX_TAG) return null;
  const inner = stripOrnament(body.slice(mark.length, end));
  const rest = stripTagEnd(body.slice(end + mark.length));
  const joined = (title: string): string => [title, rest].filter((part) => part !== '').join(': ');
  const tag = tagInBracket(inner, 0) ?? (parseWord(inner, 'emphasis') === null ? (tagByWord(inner, 'emphasis') ?? tagInside(inner)) : null);
  if (tag !== null) return { ...tag, rest: joined(tag.rest) };
  const word = parseWord(inner, 'emphasis');
  return word === null ? null : { ...word, rest };
}

/** A bracket at `at`. `(High)` inside a sentence is a tag only at its end or before a colon or dash. */
function tagInBracket(body: string, at: number): SeverityTag | null {
  const open = body[at] ?? '';
  const close = BRACKETS.get(open);
  if (close === undefined) return null;
  // Cut first: searching the whole text from every bracket would be quadratic.
  const end = body.slice(at, at + MAX_TAG).indexOf(close);
  if (end < 0) return null;
  const after = body.slice(at + end + 1);
  const turn = after.charAt(marksLength(after, '*_`.', 4));
  if (at > 0 && open === '(' && turn !== '' && !':\uff1a\u2014\u2013'.includes(turn)) return null;
  // The text of a link is not a tag.
  if (after.startsWith('(') && open === '[') return null;
  const inner = body.slice(at + 1, at + end);
  const word = parseWord(inner, 'column') ?? parseWord(inner.split(/[|,:;/]/)[0] ?? '', 'column');
  if (word === null) return null;
  const before = body.slice(0, at).trim();
  const rest = stripTagEnd(after);
  const joint = rest !== '' && turn !== '' && ':\u2014\u2013'.includes(turn) ? ': ' : ' ';
  return { ...word, rest: before === '' ? rest : `${before}${joint}${rest}`.trim() };
}

/** `Critical: …`, `HIGH-2 — …`, `CRITICAL-2 smells`, `P0 smells`, `严重：…` */
function tagByWord(body: string, place: 'plain' | 'emphasis' = 'plain'): SeverityTag | null {
  const plain = body.replaceAll('**', '');
  const at = plain.slice(0, MAX_TAG).search(/[:!|\uff1a\u2014\u2013]| - /);
  const word = at < 0 ? null : parseWord(plain.slice(0, at), place);
  if (word !== null) return { ...word, rest: stripTagEnd(plain.slice(at)) };
  const counted = at < 0 ? parseWord(plain.slice(0, MAX_TAG), place) : null;
  if (counted?.count !== undefined && counted.count !== null) return { ...counted, rest: '' };
  const id = /^(?:[A-Za-z]{1,12}[-#]\d{1,3}|P[0-4]|SEV[0-4])(?=\s)/.exec(plain)?.[0];
  const numbered = id === undefined ? null : parseWord(id, 'emphasis');
  return numbered === null ? null : { ...numbered, rest: stripTagEnd(plain.slice(id?.length)) };
}

/** `… *Severity: high*` after the start of the sentence. */
function tagByName(body: string): SeverityTag | null {
  if (body.length > MAX_PARTED) return null;
  const lower = body.toLowerCase();
  const named = lower.length === body.length ? NAMED.exec(lower) : null;
  const word = named === null ? null : parseWord(named[1] ?? '', 'column');
  if (named === null || word === null) return null;
  const before = body.slice(0, named.index).replace(/[\s*_\u2014\u2013|:-]+$/, (end) => (end.includes('**') ? '**' : ''));
  const rest = `${before.trim()} ${stripTagEnd(body.slice(named.index + named[0].length))}`.trim();
  return rest === '' ? null : { ...word, rest };
}

/** `F-001 [HIGH] …`, `… (Medium)` */
function tagInside(body: string): SeverityTag | null {
  for (const match of body.matchAll(/[[(\u3010\uff08]/g)) {
    const tag = match.index === 0 ? null : tagInBracket(body, match.index);
    if (tag !== null) return tag;
  }
  return null;
}

/** `It burns — critical`, `a.css:12 | CRITICAL | burns`: a separate part. In lower case only the worst: "Effort — low" is no tag. */
function tagAsPart(body: string): SeverityTag | null {
  const parts = body
    .slice(0, MAX_PARTED)
    .split(PARTINGS)
    .map((part) => part.trim());
  const at = parts.findIndex((part) => {
    const text = bare(part);
    return part.length <= 24 && isTagWord(text, 'emphasis') && (parseSeverity(text) === 'critical' || text === text.toUpperCase());
  });
  const word = at < 0 ? null : parseWord(bare(parts[at] ?? ''), 'emphasis');
  const rest = parts.filter((part, index) => index !== at && part !== '');
  if (
    word === null ||
    rest.length === 0 ||
    (rest.length === 1 && /^(?:priority|impact|level|risk|effort|confidence)$/i.test(rest[0] ?? ''))
  )
    return null;
  return { ...word, rest: rest.join(' \u2014 ') + body.slice(MAX_PARTED) };
}

function bare(part: string): string {
  const text = stripOrnament(part);
  const inner = text.slice(marksLength(text, '*_`[(', 4));
  return inner.slice(0, inner.length - endMarksLength(inner, '*_`]).', 4));
}

/** The severity in a tag, and its number: `Critical Issues (2)`, `HIGH-1`. */
function parseWord(text: string, place: 'plain' | 'emphasis' | 'column'): Pick<SeverityTag, 'severity' | 'count'> | null {
  const counted = /^(.*?)\s*\(\s?(\d{1,6})(?:\s[a-z]+)?\s?\)$/.exec(text.trim().replace(/:$/, ''));
  let word = counted?.[1] ?? text.trim().replace(/:$/, '');
  // A bare number is no tag: "[2]" is a footnote, not an ESLint error.
  if (!hasLetter(word)) return null;
  if (parseSeverityTag(word) === null && isDigit(word.charCodeAt(word.length - 1))) word = word.replace(/[-#\s]?\d{1,3}$/, '');
  const severity = isTagWord(word, place) ? (parseSeverityField(word) ?? parseSeverityTag(word)) : null;
  return severity === null ? null : { severity, count: counted === null ? null : Number(counted[2]) };
}

function stripTagEnd(text: string): string {
  let rest = EMPHASIS.some((mark) => text.startsWith(mark)) ? text.replace(/^[*_`]{1,3}(?=[\s:\u2014\u2013-]|$)/, '') : text;
  rest = rest.slice(marksLength(rest, ':!|\uff1a\u2014\u2013.-', 20));
  return (rest.startsWith('**') && rest.length > 2 && rest.charAt(2).trim() === '' ? rest.slice(2) : rest).trim();
}
