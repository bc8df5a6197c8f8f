// Creates findings from their parts, or from any object or sentence that an agent wrote. The fingerprint ignores line and other numbers,
// so it survives moved lines. findings-json.ts reads lists of findings.

import type { Finding, Severity } from '../model/vocabulary.js';
import { firstOf, isObject, own, plainKeys, numberOf } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { isNoFinding } from './no-finding.js';
import { parsePath, parseReference } from './file-reference.js';
import { severityName, parseSeverity, parseSeverityField, worseOf, severityOfScore, unknownSeverityNote } from './severity.js';
import { splitTag } from './severity-tag.js';
import { leadingWord, oneLine, WordList } from './word-lists.js';

export { parseReference } from './file-reference.js';

export interface FindingParts {
  readonly severity: Severity;
  readonly message: string;
  readonly artifact?: string | null;
  readonly line?: number | null;
  readonly rule?: string | null;
  readonly dimension?: string | null;
}

export interface FindingContext {
  /** The severity of the group around the finding: `{critical: [...]}`. */
  readonly group?: Severity;
  readonly dimension?: string;
  /** Classifies a finding without a severity by its kind, before the fallback. */
  readonly classify?: (text: string, dimension: string, category: string) => Severity | null;
}

interface ReadFinding {
  /** Null if the value is not a finding: "None", an empty object, a resolved finding. */
  readonly finding: Finding | null;
  readonly notes: readonly string[];
}

/** Keys that agents use for the message. */
export const MESSAGE_KEYS: readonly string[] = [
  'message',
  'description',
  'title',
  'text',
  'issue',
  'finding',
  'summary',
  'challenge',
  'critique',
  'problem',
  'comment',
  'detail',
  'details',
  'body',
  'name',
];
const FILE_KEYS = [
  'file',
  'artifact',
  'path',
  'filePath',
  'file_path',
  'filename',
  'location',
  'target',
  'target_file',
  'files',
  'target_files',
  'module',
  'component',
];
const LINE_KEYS = ['line', 'lineno', 'line_number', 'lineNumber', 'start_line', 'startLine', 'lines'];
const RULE_KEYS = ['rule', 'ruleId', 'rule_id', 'id', 'category', 'type', 'kind'];
/** "F-001" numbers a finding in one report. As a rule id it would make the same finding new in the next report. */
const SERIAL = new WordList('|f|finding|issue|i|r|rev|review|audit|a|bug|c|h|m|l|crit|critical|high|med|medium|low|fix|no|n', '|');
const CLOSED = new WordList('resolved fixed closed done');

export function makeFinding(parts: FindingParts): Finding {
  // The fingerprint is made of the message, so a text that Umpire itself puts there is never reworded.
  const message = oneLine(parts.message) || 'no message was given';
  const path = parts.artifact ?? '';
  const slashed = path.trim().replaceAll('\\', '/');
  const artifact = slashed.startsWith('./') ? slashed.slice(2) : slashed;
  const rule = (parts.rule ?? '').trim();
  const dimension = (parts.dimension ?? '').trim();
  return {
    severity: parts.severity,
    message,
    artifact: artifact === '' ? null : artifact,
    line: artifact === '' ? null : validLine(parts.line),
    ...(rule === '' ? {} : { rule }),
    ...(dimension === '' ? {} : { dimension }),
    fingerprint: fingerprint(`${rule}|${artifact}|`, message),
  };
}

/** A sentence is a finding if it has a severity tag. With `fallback` null, a finding without a severity does not count. */
export function findingFromUnknown(raw: unknown, fallback: 'high' | null, context: FindingContext = {}): ReadFinding {
  const value = isObject(raw) ? plainKeys(raw) : raw;
  if (typeof value === 'string') return fromText(value, fallback, context);
  if (!isObject(value)) return { finding: null, notes: value === null ? [] : [`ignored a finding that is neither a string nor an object`] };
  if (isClosed(value))
    return { finding: null, notes: [`ignored a finding marked as resolved: "${oneLine(textAt(value, MESSAGE_KEYS)).slice(0, 80)}"`] };
  const notes: string[] = [];
  const said = statedSeverity(value, notes);
  const message = textAt(value, MESSAGE_KEYS);
  const place = readPlace(value);
  const rule = readRule(value);
  if (message === '' && said === null && rule === '' && place.artifact === null) {
    return { finding: null, notes: Object.keys(value).length === 0 ? [] : ['ignored a finding without message, severity and file'] };
  }
  if (message !== '' && isNoFinding(message)) return { finding: null, notes: [] };
  const tag = said === null ? splitTag(message) : null;
  const dimension = textAt(value, ['dimension']) || (context.dimension ?? '');
  const headline = tag?.rest || message || rule;
  // The declared topic of a finding. A rule counts only if it is a single word: "document-title" is about accessibility.
  const classed = {
    text: `${headline} ${rule}`,
    dimension,
    category: textAt(value, ['category', 'type', 'kind']) || (leadingWord(rule) === rule.toLowerCase() ? rule : ''),
  };
  const severity = decideSeverity(said ?? tag?.severity ?? null, classed, fallback, context, notes);
  if (severity === null) return { finding: null, notes };
  // `file: null` means that no file has the fault, even where the text names one.
  const inText = own(value, 'file') === null ? { artifact: null, line: null, message: headline } : parseReference(headline);
  const pointed = place.artifact === null || place.artifact === inText.artifact ? inText : { ...place, message: headline };
  return { finding: makeFinding({ severity, ...pointed, line: place.line ?? pointed.line, rule, dimension }), notes };
}

function fromText(text: string, fallback: 'high' | null, context: FindingContext): ReadFinding {
  if (isNoFinding(text)) return { finding: null, notes: [] };
  const tag = splitTag(text);
  const notes: string[] = [];
  const headline = tag === null ? text : tag.rest;
  if (tag !== null && isNoFinding(headline)) return { finding: null, notes: [] };
  const severity = decideSeverity(
    tag?.severity ?? null,
    { text: headline, dimension: context.dimension ?? '', category: '' },
    fallback,
    context,
    notes,
  );
  if (severity === null) return { finding: null, notes };
  return { finding: makeFinding({ severity, ...parseReference(headline), dimension: context.dimension ?? null }), notes };
}

interface FindingTopic {
  readonly text: string;
  readonly dimension: string;
  readonly category: string;
}

/** The severity of a finding: its own, else that of its group (the worse of the two), else by kind, else the fallback. */
function decideSeverity(
  said: Severity | null,
  classed: FindingTopic,
  fallback: 'high' | null,
  context: FindingContext,
  notes: string[],
): Severity | null {
  const { text, dimension, category } = classed;
  const group = context.group ?? null;
  if (said !== null && group !== null && said !== group) {
    const worse = worseOf(said, group);
    notes.push(
      `a finding under ${severityName(group)} says ${severityName(said)}; counted as ${severityName(worse)}: "${oneLine(text).slice(0, 80)}"`,
    );
    return worse;
  }
  const known = said ?? group ?? context.classify?.(text, dimension, category) ?? null;
  if (known !== null || fallback === null) return known;
  notes.push(`a finding has no severity; counted as High: "${oneLine(text).slice(0, 80)}"`);
  return 'high';
}

function readPlace(value: JsonObject): { readonly artifact: string | null; readonly line: number | null } {
  const raw = firstOf(value, FILE_KEYS);
  const first: unknown = Array.isArray(raw) ? raw[0] : raw;
  const line = lineFrom(firstOf(value, LINE_KEYS));
  if (isObject(first)) {
    const inner = textAt(first, FILE_KEYS);
    return { artifact: inner === '' ? null : inner, line: line ?? lineFrom(firstOf(first, LINE_KEYS)) };
  }
  if (typeof first !== 'string' || isNoFinding(first)) return { artifact: null, line };
  const pointed = parsePath(first) ?? parseReference(first);
  return { artifact: pointed.artifact ?? first, line: line ?? pointed.line };
}

/** 12, "12", "12-14", "L12", [12, 14] */
function lineFrom(value: unknown): number | null {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'number') return validLine(first);
  const digits = typeof first === 'string' ? /^\s{0,3}L?(\d{1,9})/.exec(first)?.[1] : undefined;
  return digits === undefined ? null : validLine(Number(digits));
}

function readRule(value: JsonObject): string {
  for (const key of RULE_KEYS) {
    const rule = own(value, key);
    const text = typeof rule === 'string' ? rule.trim() : '';
    if (text === '' || parseSeverity(text) !== null || (key === 'id' && isSerial(text))) continue;
    return text;
  }
  return '';
}

function isSerial(id: string): boolean {
  const number = /[-_#. ]?\d{1,6}$/.exec(id);
  return number !== null && SERIAL.has(id.slice(0, number.index).toLowerCase());
}

function isClosed(value: JsonObject): boolean {
  const status = firstOf(value, ['status', 'state']);
  return (
    (typeof status === 'string' && CLOSED.has(status.trim().toLowerCase())) ||
    own(value, 'resolved') === true ||
    own(value, 'fixed') === true
  );
}

function textAt(value: JsonObject, keys: readonly string[]): string {
  for (const key of keys) {
    const said = own(value, key);
    const text = isObject(said) ? own(said, 'text') : said;
    if (typeof text === 'string' && text.trim() !== '') return text;
  }
  return '';
}

function validLine(line: number | null | undefined): number | null {
  return typeof line === 'number' && Number.isSafeInteger(line) && line >= 1 ? line : null;
}

/**
 * 64-bit FNV-1a over UTF-16 units, in four 16-bit parts, so that every product stays a small integer, which V8 handles fastest. Runs
 * of digits count as one `#`.
 */
function fingerprint(head: string, message: string): string {
  const text = head + message.replace(/\d+/g, '#');
  let [a, b, c, d] = [0x2325, 0x8422, 0x9ce4, 0xcbf2];
  for (let at = 0; at < text.length; at += 1) {
    a ^= text.charCodeAt(at);
    // Times the prime 2^40 + 0x1b3. A part shifted by 40 bits lands two parts and 8 bits higher.
    const first = a * 0x1b3;
    const second = b * 0x1b3 + (first >>> 16);
    const third = c * 0x1b3 + (second >>> 16) + (a << 8);
    const fourth = d * 0x1b3 + (third >>> 16) + (b << 8);
    a = first & 0xffff;
    b = second & 0xffff;
    c = third & 0xffff;
    d = fourth & 0xffff;
  }
  return [d, c, b, a].map((piece) => piece.toString(16).padStart(4, '0')).join('');
}

const SEVERITY_KEYS = ['severity', 'severity_level', 'severityLevel', 'level', 'priority', 'sev', 'criticality'];
/** Keys with other meanings too: used only if the value is a severity. */
const LOOSE_KEYS = ['impact', 'risk', 'risk_level', 'riskLevel', 'type', 'kind', 'category'];
const SCORE_KEYS = ['security-severity', 'security_severity', 'securitySeverity', 'cvss', 'cvss_score', 'cvssScore', 'baseScore'];
const WORD_KEYS = ['level', 'severity', 'name', 'value', 'label', 'rating'];

export function statedSeverity(value: JsonObject, notes: string[]): Severity | null {
  const word = firstOf(value, SEVERITY_KEYS);
  const score = scoredSeverity(value);
  if (word === undefined) return worst(score, looseSeverity(value));
  const severity = readSeverityWord(word);
  if (severity === null && score === null) notes.push(unknownSeverityNote(typeof word === 'object' ? 'an object' : String(word)));
  return worst(score, severity ?? (score === null ? 'high' : null));
}

/** Whether the object names a known severity, which marks it as a finding. */
export function hasSeverity(value: JsonObject): boolean {
  const word = firstOf(value, SEVERITY_KEYS);
  if (word !== undefined && !(typeof word === 'number' && firstOf(value, ['severity']) === undefined) && readSeverityWord(word) !== null)
    return true;
  return scoredSeverity(value) !== null || parseLoose(own(value, 'impact')) !== null;
}

function worst(a: Severity | null, b: Severity | null): Severity | null {
  return a === null || b === null ? (a ?? b) : worseOf(a, b);
}

function looseSeverity(value: JsonObject): Severity | null {
  for (const key of LOOSE_KEYS) {
    const severity = parseLoose(own(value, key));
    if (severity !== null) return severity;
  }
  return null;
}

function parseLoose(word: unknown): Severity | null {
  return typeof word === 'string' ? parseSeverity(word) : null;
}

function readSeverityWord(word: unknown): Severity | null {
  if (Array.isArray(word)) return word.slice(0, 20).map(readSeverityWord).reduce(worst, null);
  if (isObject(word)) {
    const inner = firstOf(word, WORD_KEYS);
    return typeof inner === 'object' ? null : readSeverityWord(inner);
  }
  // As numbers, only 9 and 10 are clear: they are the top of a scale of ten.
  if (typeof word === 'number' && word >= 9 && word <= 10) return 'critical';
  const known = parseSeverityField(word);
  if (known !== null || typeof word !== 'string') return known;
  // "CRITICAL - security": the first word is the severity.
  return parseSeverity(
    word
      .trim()
      .slice(0, 80)
      .split(/[\s:,/(|]/)[0] ?? '',
  );
}

function scoredSeverity(value: JsonObject): Severity | null {
  const properties = own(value, 'properties');
  const said = firstOf(value, SCORE_KEYS) ?? (isObject(properties) ? firstOf(properties, SCORE_KEYS) : undefined);
  const score = numberOf(isObject(said) ? firstOf(said, ['score', 'baseScore', 'base_score', 'value']) : said);
  return score === null ? null : severityOfScore(score);
}
