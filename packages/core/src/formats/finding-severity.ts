// The severity that an object says of itself, under any of the names and in any of the shapes that agents and tools use:
// a word, a list of words, an object around one, a CVSS score. The worst of what it says holds.

import type { Severity } from '../model.js';
import { firstOf, isObject, numberOf, own, type JsonObject } from './json-text.js';
import { parseSeverity, severityOfScore, unknownSeverityNote, worseOf } from './severity.js';

const SEVERITY_KEYS = ['severity', 'severity_level', 'severityLevel', 'level', 'priority', 'sev', 'criticality'];
/** Names that mean other things as well: taken only where the word is a severity. */
const LOOSE_KEYS = ['impact', 'risk', 'risk_level', 'riskLevel', 'type', 'kind', 'category'];
const SCORE_KEYS = ['security-severity', 'security_severity', 'securitySeverity', 'cvss', 'cvss_score', 'cvssScore', 'baseScore'];
const WORD_KEYS = ['level', 'severity', 'name', 'value', 'label', 'rating'];

export function saidSeverity(value: JsonObject, notes: string[]): Severity | null {
  const word = firstOf(value, SEVERITY_KEYS);
  const score = scoredSeverity(value);
  if (word === undefined) return worst(score, looseSeverity(value));
  const severity = severityOfWord(word);
  if (severity === null && score === null) notes.push(unknownSeverityNote(shown(word)));
  return worst(score, severity ?? (score === null ? 'high' : null));
}

/** The object names a severity that is known: the mark of a finding wherever it lies. */
export function hasSeverity(value: JsonObject): boolean {
  const word = firstOf(value, SEVERITY_KEYS);
  if (word !== undefined && !(typeof word === 'number' && firstOf(value, ['severity']) === undefined) && severityOfWord(word) !== null)
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

function severityOfWord(word: unknown): Severity | null {
  if (Array.isArray(word)) return word.slice(0, 20).map(severityOfWord).reduce(worst, null);
  if (isObject(word)) {
    const inner = firstOf(word, WORD_KEYS);
    return typeof inner === 'object' ? null : severityOfWord(inner);
  }
  // Where a severity is a number, 9 and 10 can only be the top of a scale of ten.
  if (typeof word === 'number' && word >= 9 && word <= 10) return 'critical';
  const known = parseSeverity(word);
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

function shown(word: unknown): string {
  return typeof word === 'object' ? 'an object' : String(word);
}
