// Severity words, emoji and counts: "blocker", "[HIGH]" or "P2" as one of four severities, and totals such as `CRITICAL:1 HIGH:2`.
// severity-tag.ts finds tags in sentences.

import { SEVERITIES } from '../model/vocabulary.js';
import type { Counts, Finding, Severity } from '../model/vocabulary.js';
import { isObject, numberOf, parseJson } from './json-text.js';
import { hasDigit, isDigit, isForeign, LetterPattern, letterWords, hasLetter, replaceLookalikes } from './characters.js';
import { WordList, wordsOf } from './word-lists.js';
import { quote } from './reader.js';

/** Severity words in English, German, French, Spanish, Chinese and Japanese. */
const WORDS: Readonly<Record<Severity, string>> = {
  critical:
    'critical criticals crit blocker blockers blocking fatal p0 sev0 sev1 ' +
    'kritisch kritische kritischer kritisches blockierend bloquant bloquante bloquants crítico crítica ' +
    'críticos críticas critico critica bloqueante ' +
    '严重 致命 致命的 阻断 阻塞 紧急 緊急 クリティカル',
  high:
    'high highs error errors major serious important p1 sev2 hoch hohe hoher hohes wichtig wichtige schwer schwerwiegend dringend ' +
    'élevé élevée élevés élevées elevé haut haute majeur majeure majeurs majeures grave graves alto alta altos altas mayor ' +
    'importante importantes 高 高い 重要 重大 主要',
  medium:
    'medium mediums med warning warnings warn moderate p2 sev3 mittel mittlere mittlerer mäßig moyen moyenne moyens modéré ' +
    'modérée medio moderado moderada 中 中等 一般 警告 中程度',
  low:
    'low lows minor info informational information note notes trivial nit nits nitpick nitpicks p3 p4 sev4 niedrig niedrige gering geringe ' +
    'leicht hinweis faible faibles mineur mineure mineurs bajo baja menor menores leve 低 低い 轻微 軽微 次要 提示',
};

/** By word: its severity, or null for a filler. Built on first use. */
let known: ReadonlyMap<string, Severity | null> | null = null;

function lookUpWord(word: string): Severity | null | undefined {
  known ??= new Map([
    ...FILLERS.split(' ').map((each) => [each, null] as const),
    ...SEVERITIES.flatMap((severity) => WORDS[severity].split(' ').map((each) => [each, severity] as const)),
  ]);
  return known.get(word);
}

/** Words that are severities only where nothing else can stand: in brackets, in a severity column, after "Severity:". */
const COLUMN_WORDS = new WordList('info informational information note notes hinweis 提示');
/** Words that open ordinary sentences too ("Error: \u2026"): without emphasis they are no tag. */
const EMPHASIZED_WORDS = new WordList(
  'error errors warning warnings warn important importante importantes dringend grave graves schwer leicht leve alto alta haut haute ' +
    'mayor menor medio 中 一般 主要',
);

/** Circles and squares, also written as totals ("\ud83d\udd34 3"), and signs. */
const CIRCLES: readonly (readonly [string, Severity])[] = [
  ['\u{1f534}', 'critical'],
  ['\u{1f6a8}', 'critical'],
  ['\u26d4', 'critical'],
  ['\u{1f6d1}', 'critical'],
  ['\u{1f7e5}', 'critical'],
  ['\u{1f7e0}', 'high'],
  ['\u{1f7e7}', 'high'],
  ['\u{1f7e1}', 'medium'],
  ['\u{1f7e8}', 'medium'],
  ['\u{1f7e2}', 'low'],
  ['\u{1f535}', 'low'],
];
const MARKS: readonly (readonly [string, Severity])[] = [
  ...CIRCLES,
  ['\u274c', 'high'],
  ['\u2757', 'high'],
  ['\u{1f6ab}', 'high'],
  ['\u2717', 'high'],
  ['\u2718', 'high'],
];

/** The first character that may start such an emoji. */
const FIRST_MARK = 0x2000;

/** The severity of the emoji at the start of a text, also inside bold. */
export function leadingEmojiSeverity(text: string): Severity | null {
  const start = text.trimStart();
  const body = start.startsWith('**') ? start.slice(2) : start;
  if (!(body.charCodeAt(0) >= FIRST_MARK)) return null;
  return MARKS.find(([mark]) => body.startsWith(mark))?.[1] ?? null;
}

/** The severity of the worst circle anywhere in a text. Green and blue ones mostly praise. */
export function drawnSeverity(text: string): Severity | null {
  if (!text.includes('\ud83d') && !text.includes('\u26d4')) return null;
  return CIRCLES.find(([mark, severity]) => severity !== 'low' && text.includes(mark))?.[1] ?? null;
}

/** Replaces circles by severity words, for totals written as a coloured circle with a number. */
export function spellEmoji(text: string): string {
  if (!text.includes('\ud83d') && !text.includes('\u26d4')) return text;
  let spelled = text;
  for (const [mark, severity] of CIRCLES) spelled = spelled.replaceAll(mark, ` ${severity} `);
  return spelled.replaceAll('\ufe0f', '');
}

/** Words beside a severity that change nothing. Not "level": "high-level" is no severity. */
const FILLERS =
  'severity sev priority risk impact issue issues finding findings problem problems violation violations concern concerns item items found total open number of and or the ' +
  'bug bugs defect defects flaw flaws vulnerability vulnerabilities fehler defekt risiko risiken erreur erreurs défaut défauts risque riesgo ' +
  'und schweregrad priorität befund befunde probleme mängel et gravité sévérité priorité constat constats ' +
  'problème problèmes gravedad severidad prioridad problema problemas hallazgo hallazgos';
/** The same in Chinese and Japanese, where no space parts the words. */
const FILLERS_WITHOUT_SPACES =
  /\u4e25\u91cd(?:\u7a0b\u5ea6|\u6027)|\u4f18\u5148\u7ea7|\u512a\u5148\u5ea6|\u91cd\u8981\u5ea6|\u6df1\u523b\u5ea6|\u7ea7\u522b|\u7b49\u7ea7|\u95ee\u9898|\u554f\u984c|\u6307\u6458|\u4e8b\u9879|\u9519\u8bef|\u7f3a\u9677|\u30a8\u30e9\u30fc|\u30d0\u30b0|\u7ea7|\u30ec\u30d9\u30eb|\u306a/g;

/** ESLint: 2 is an error, 1 a warning. 0 means that the rule is off, so it is no severity. */
const ESLINT: ReadonlyMap<number, Severity> = new Map([
  [2, 'high'],
  [1, 'medium'],
]);

/** Counts stated by a report. Severities that it does not mention are absent, not 0. */
export type StatedCounts = Partial<Counts>;

export const NO_COUNTS: Counts = { critical: 0, high: 0, medium: 0, low: 0 };

/**
 * The severity that a word names, or null: the caller decides what an unknown word counts. Marks around it do not matter
 * (`**High**:`, `[HIGH]`). Of several ("Medium/Low") the worst counts.
 */
export function parseSeverity(word: unknown): Severity | null {
  if (typeof word === 'number') return ESLINT.get(word) ?? null;
  if (typeof word !== 'string' || word.length > 80) return null;
  const plain = severityOfWords(word);
  if (plain !== null || !isForeign(word)) return plain;
  const respelled = replaceLookalikes(word);
  return respelled === word ? null : severityOfWords(respelled);
}

/** As parseSeverity, where a word can only be a severity: French "critique" and Spanish "media" are ordinary English words elsewhere. */
export function parseSeverityField(word: unknown): Severity | null {
  const said = typeof word === 'string' ? word.replace(/\bcritiques?\b/i, 'critical').replace(/\bmedia\b/i, 'medium') : word;
  return parseSeverity(said);
}

/** Not severities, so that in a severity field they are unknown. As a tag they always mean something grave. */
const GRAVE = /\b(?:showstoppers?|catastrophic|severe|urgent)\b/i;

/** "Erreur critique": beside a French noun it is the adjective. */
const FRENCH_CRITICAL = /(?<=\b(?:erreur|probl\u00e8me|d\u00e9faut|risque|faille)s? )critiques?/i;

/** As parseSeverity, for a tag or a heading. */
export function parseSeverityTag(word: string): Severity | null {
  const said = GRAVE.test(word) ? word.replace(GRAVE, 'high') : word;
  return parseSeverity(FRENCH_CRITICAL.test(said) ? said.replace(FRENCH_CRITICAL, 'critical') : said);
}

function severityOfWords(word: string): Severity | null {
  const drawn = leadingEmojiSeverity(word);
  const lower = word
    .toLowerCase()
    .replaceAll('sev-', 'sev')
    .replace(/\bmust[ -]fix\b/, drawn === null ? 'high' : '');
  const tokens = letterWords(/[\u3040-\u9fff]/.test(lower) ? lower.replace(FILLERS_WITHOUT_SPACES, ' ') : lower);
  if (tokens.length === 0) return drawn;
  let worst: Severity | null = null;
  for (const token of tokens) {
    const severity = lookUpWord(token);
    if (severity === undefined) return ESLINT.get(Number(word)) ?? null;
    if (severity !== null) worst = worst === null ? severity : worseOf(worst, severity);
  }
  return worst ?? drawn;
}

/** The `security-severity` of SARIF (a CVSS score). 0 means none: then the level of the result decides. */
export function severityOfScore(score: number): Severity | null {
  if (!(score > 0 && score <= 10)) return null;
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  return score >= 4 ? 'medium' : 'low';
}

/** Cheap test: whether a text may hold a severity word or sign at all. */
export function mayNameSeverity(text: string): boolean {
  if (isForeign(text) || /must[ -]fix/i.test(text) || MARKS.some(([mark]) => text.includes(mark))) return true;
  const words = text.toLowerCase().match(/[a-z]+\d?/g) ?? [];
  return words.some(
    (word) =>
      word === 'sev' ||
      word.startsWith('critique') ||
      word === 'media' ||
      GRAVE.test(word) ||
      (lookUpWord(word) ?? lookUpWord(word.replace(/\d$/, '')) ?? null) !== null,
  );
}

/** How much certainty a severity word needs: `column` the most, then `emphasis`; `plain` words are a tag wherever they lead. */
export function certaintyOf(word: string): 'plain' | 'emphasis' | 'column' {
  const words = letterWords(word.toLowerCase());
  if (words.every((each) => COLUMN_WORDS.has(each) || lookUpWord(each) === null)) return 'column';
  return words.every((each) => EMPHASIZED_WORDS.has(each)) ? 'emphasis' : 'plain';
}

export function worseOf(a: Severity, b: Severity): Severity {
  return SEVERITIES.indexOf(a) <= SEVERITIES.indexOf(b) ? a : b;
}

export function countFindings(findings: readonly Pick<Finding, 'severity'>[]): Counts {
  const counts = { ...NO_COUNTS };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
}

/** The larger count of each severity. */
export function worstCounts(a: Counts, b: Counts): Counts {
  return {
    critical: Math.max(a.critical, b.critical),
    high: Math.max(a.high, b.high),
    medium: Math.max(a.medium, b.medium),
    low: Math.max(a.low, b.low),
  };
}

/** The larger count of each severity that either mentions. */
export function worstStated(a: StatedCounts | null, b: StatedCounts): StatedCounts {
  const said = SEVERITIES.filter((severity) => a?.[severity] !== undefined || b[severity] !== undefined);
  return Object.fromEntries(said.map((severity) => [severity, Math.max(a?.[severity] ?? 0, b[severity] ?? 0)]));
}

/** For people: `Critical`. */
export function severityName(severity: Severity): string {
  return severity.charAt(0).toUpperCase() + severity.slice(1);
}

export function unknownSeverityNote(word: string): string {
  return `unknown severity "${word.trim().slice(0, 60)}"; counted as High`;
}

export interface SeveritySummary {
  readonly counts: Counts;
  /** Only the severities that were mentioned. */
  readonly said: StatedCounts;
  readonly notes: readonly string[];
}

/**
 * The counts in a text (`CRITICAL:1 HIGH:2`, `2 high, 1 critical`, a JSON object). Severities that are not mentioned count 0. Null if
 * there is no count. Negative numbers and fractions are not counts.
 */
export function parseSeveritySummary(text: string): SeveritySummary | null {
  const trimmed = text.trim();
  const json = trimmed.startsWith('{') ? parseJson(trimmed) : null;
  if (json?.ok) return countsOfObject(json.value);
  // Cheap test: most texts have no counts.
  if (!hasDigit(trimmed) && !NONE.hasAny(letterWords(trimmed.toLowerCase()))) return null;
  const tally = new Tally();
  for (const piece of splitPieces(trimmed)) tallyPiece(piece, tally);
  return tally.finish();
}

function splitPieces(text: string): readonly string[] {
  // `Total: 3 (Critical: 1, High: 2)`: the number before the bracket is not a severity's.
  let pieces = spellEmoji(text).replace(/\((?=[A-Za-z])/g, ',');
  for (const mark of [';', '|', '\n', '/', '. ']) pieces = pieces.replaceAll(mark, ',');
  return pieces.split(',');
}

/** The counts in an object with severities as keys: `{critical: 1, high_count: 2}`. */
export function countsOfObject(value: unknown): SeveritySummary | null {
  if (!isObject(value)) return null;
  const tally = new Tally();
  for (const [key, entry] of Object.entries(value)) {
    const severity = parseSeverity(withoutCount(key));
    if (severity !== null && entry !== null && typeof entry !== 'object') tally.add(severity, numberOf(entry) ?? NaN, String(entry));
  }
  return tally.finish();
}

/** `high_count`, `high total` → high */
function withoutCount(key: string): string {
  const lower = key.toLowerCase();
  if (!lower.endsWith('count') && !lower.endsWith('total')) return key;
  const rest = key.slice(0, -'count'.length);
  const last = rest.slice(-1);
  return last === '_' || last === '-' || last.trim() === '' ? rest.slice(0, -1) : rest;
}

/** Numbers after words (`HIGH:2`) or before them (`2 high`). Whichever comes first in the part decides. */
function tallyPiece(piece: string, tally: Tally): void {
  let word: Severity | null = null;
  let number: string | null = null;
  let wordsFirst: boolean | null = null;
  for (const token of piece.match(TALLY_TOKEN.for(piece)) ?? []) {
    const isNumber = isDigit(token.charCodeAt(0)) || token.startsWith('-') || token.startsWith('+') || NONE.has(token.toLowerCase());
    const severity = isNumber ? null : parseSeverity(token);
    if (!isNumber && severity === null) continue;
    wordsFirst ??= severity !== null;
    if (severity === null) number = token;
    else word = severity;
    // The kind that comes first replaces an unpaired one; the other kind completes the pair.
    if (wordsFirst === (severity !== null)) continue;
    if (word !== null && number !== null) tally.add(word, NONE.has(number.toLowerCase()) ? 0 : Number(number), number);
    word = null;
    number = null;
  }
}

const NONE = new WordList('no none zero nil');

/** A number that is not part of a longer word or number ("2x" counts too), or a word. A minus after a letter is a dash. */
const TALLY_TOKEN = new LetterPattern(
  String.raw`(?<![\p{L}\d.])[-+]?\d{1,20}(?:\.\d{1,20})?%?(?!\.?\d|(?!x\b)[\p{L}])|[\p{L}]{1,40}\d?`,
  'g',
);

class Tally {
  private readonly counts = new Map<Severity, number>();
  private readonly notes: string[] = [];

  add(severity: Severity, count: number, text: string): void {
    const name = severityName(severity);
    if (!Number.isSafeInteger(count) || count < 0) {
      this.notes.push(`"${text.slice(0, 40)}" is not a count of ${name} findings; ignored`);
      return;
    }
    const before = this.counts.get(severity);
    if (before !== undefined && before !== count) this.notes.push(`${name} is counted twice, as ${before} and ${count}; using the larger`);
    this.counts.set(severity, Math.max(before ?? 0, count));
  }

  finish(): SeveritySummary | null {
    if (this.counts.size === 0) return null;
    const said: StatedCounts = Object.fromEntries(this.counts);
    return { counts: { ...NO_COUNTS, ...said }, said, notes: this.notes };
  }
}

export const NUMBERS: readonly string[] = 'zero one two three four five six seven eight nine ten'.split(' ');
const LETTERS: ReadonlyMap<string, Severity> = new Map([
  ['c', 'critical'],
  ['h', 'high'],
  ['m', 'medium'],
  ['l', 'low'],
]);
const DENIALS = new WordList('no none zero nil nothing without not never');
/** Longer texts are sentences: only their counts are read, not every severity word. */
const MOST_WORDS = 14;

export function parseSeverityCell(text: string): SeveritySummary | null {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) {
    const json = parseJson(trimmed);
    if (json.ok && isObject(json.value)) return countsOfObject(json.value);
  }
  const spelled = normalizeCounts(replaceLookalikes(trimmed));
  const summary = parseSeveritySummary(spelled);
  const named = wordsOf(spelled).length > MOST_WORDS * 2 ? [] : unclearSeverities(spelled, summary);
  if (named.length === 0) return summary;
  const said = { ...summary?.said };
  for (const severity of named) said[severity] = Math.max(said[severity] ?? 0, 1);
  const notes = named.map(
    (severity) => `unclear number of ${severityName(severity)} findings in ${quote(text)}; counted ${said[severity]}`,
  );
  return { counts: { ...NO_COUNTS, ...said }, said, notes: [...(summary?.notes ?? []), ...notes] };
}

/** Rewrites number words, `x1`, `C:1` and emoji in the usual form of totals. */
function normalizeCounts(text: string): string {
  return spellEmoji(text)
    .slice(0, 2000)
    .replaceAll('\u2192', ':')
    .replace(/n\/a/gi, 'none')
    .replace(/:\s{0,3}[-\u2013\u2014](?=\s|,|;|$)/g, ': 0')
    .replace(/\b[xX](?=\d)/g, '')
    .replace(/\b([CHMLchml])(?=\s{0,2}[:=]?\s{0,2}\d)/g, (letter) => LETTERS.get(letter.toLowerCase()) ?? letter)
    .replace(/\b(critical|high|medium|low)(?=\d)/gi, '$1 ')
    .replace(/\b[a-z]{3,5}\b/gi, (word) => (NUMBERS.includes(word.toLowerCase()) ? String(NUMBERS.indexOf(word.toLowerCase())) : word));
}

/** Severities that are named but neither counted nor denied, and those with a bound (`>0`) as count. */
function unclearSeverities(text: string, summary: SeveritySummary | null): readonly Severity[] {
  const lower = text.toLowerCase();
  const words = wordsOf(lower);
  const denied = DENIALS.hasAny(words);
  return SEVERITIES.filter((severity) => {
    const at = words.findIndex((word) => hasLetter(word) && parseSeverity(word) === severity);
    if (at < 0) return false;
    const said = summary?.said[severity];
    // Only Critical needs no number: "HIGH:x" is left out.
    if (said === undefined) return severity === 'critical' && !denied;
    return said === 0 && isBound(lower, severity);
  });
}

/** `critical: >0`, `critical:<5` */
function isBound(lower: string, severity: Severity): boolean {
  const start = lower.indexOf(severity);
  const after = start < 0 ? '' : lower.slice(start + severity.length, start + severity.length + 6);
  return after.includes('>') || after.includes('<') || after.includes('~') || after.includes('\u2265');
}
