// The reader `review-json`: artifacts/review-results.json of the review loop, with review_score, gc_signal, findings.

import type { Scalar } from '../model/vocabulary.js';
import { nestedFindings, findingsOf, reconcile, rootsOf } from './findings-json.js';
import { describeValue, firstInAny, isObject, nameOf, parseReport } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { readable, refuseText, unreadable, type Reader } from './reader.js';
import { parseScore, toTen } from './score-text.js';
import { uncheckedIn } from './unverified-checks.js';

const EXPECTED = 'a JSON object with review_score, gc_signal and findings';

export const readReview: Reader = (text) => {
  const refused = refuseText(text, EXPECTED);
  if (refused !== null) return refused;
  const json = parseReport(text);
  if (!json.ok) return unreadable(json.problem, json.line);
  if (!isObject(json.value)) return unreadable(`it is ${nameOf(json.value)}; expected ${EXPECTED}`);
  const roots = rootsOf(json.value, ['review', 'results', 'result']);
  const notes: string[] = [];
  const values = [...readReviewScore(roots, notes), ...signalOf(roots, notes)];
  const found = findingsOf(roots, { fallback: 'high' });
  const findings = [...found.findings, ...nestedFindings(json.value, found.findings, { fallback: 'high' })];
  const { counts, notes: differences } = reconcile(findings, found.stated);
  const lists = [['unverified_checks', uncheckedIn(json.value)] as const];
  return readable({ values, findings, counts, lists, notes: [...notes, ...found.notes, ...differences] });
};

function readReviewScore(roots: readonly JsonObject[], notes: string[]): readonly (readonly [string, Scalar])[] {
  const value = firstInAny(roots, ['review_score', 'reviewScore']);
  if (value === undefined) return [];
  const score = parseScore(value);
  const ten = score === null ? null : toTen(score);
  if (ten !== null) return [['review_score', ten]];
  const shown = describeValue(value);
  notes.push(`review_score is ${shown}; expected a number from 0 to 10; ignored`);
  return [];
}

function signalOf(roots: readonly JsonObject[], notes: string[]): readonly (readonly [string, Scalar])[] {
  const value = firstInAny(roots, ['gc_signal', 'gcSignal']);
  if (value === undefined) return [];
  if (typeof value === 'string') return [['gc_signal', value.trim().toUpperCase()]];
  notes.push(`gc_signal is ${nameOf(value)}; expected a word such as CONVERGED; ignored`);
  return [];
}
