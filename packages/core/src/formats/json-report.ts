// Reads a critic's report in JSON: scores by dimension, an overall score, a signal, and findings in any shape that findings-json.ts
// knows.

import type { Finding, Severity } from '../model/vocabulary.js';
import { nestedFindings, findingsOf, findingsUnder, reconcile, rootsOf } from './findings-json.js';
import type { FindingsOptions } from './findings-json.js';
import { firstOf, isObject, own } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { quote } from './reader.js';
import { ReportDraft, type DraftResult } from './report-draft.js';
import { parseScore, parseThreshold, type Score } from './score-text.js';
import { worseOf, worstCounts } from './severity.js';

const WRAPPERS = [
  'audit',
  'report',
  'audit_report',
  'auditReport',
  'audit_result',
  'result',
  'results',
  'summary',
  'review',
  'critique',
  'data',
];
const SCORE_KEYS = ['audit_score', 'auditScore', 'overall_score', 'overallScore', 'score', 'total_score', 'final_score', 'overall'];
const SIGNAL_KEYS = ['audit_signal', 'auditSignal', 'signal', 'gc_signal'];
const DIMENSION_KEYS = ['dimensions', 'dimension_scores', 'dimensionScores', 'scores', 'scorecard'];
const NAME_KEYS = ['name', 'dimension', 'title', 'category', 'id', 'key'];

export interface JsonReport extends DraftResult {
  /** The object has a score, a dimension, a list of findings or counts. */
  readonly isReport: boolean;
}

export function readReport(value: unknown, options: FindingsOptions): JsonReport {
  const top: JsonObject = isObject(value) ? value : { findings: Array.isArray(value) ? value : undefined };
  const roots = rootsOf(top, WRAPPERS);
  const draft = new ReportDraft({ classify: options.classify ?? null, fallback: options.fallback });
  takeScore(roots, draft);
  for (const root of roots) {
    const signal = firstOf(root, SIGNAL_KEYS);
    if (typeof signal === 'string') draft.addSignal(signal);
  }
  const dimensions = roots.map((root) => firstOf(root, DIMENSION_KEYS)).find((each) => typeof each === 'object');
  const entries = dimensionsOf(dimensions);
  takeDimensions(entries, draft);
  const settled = draft.finish();
  const found = findingsOf(roots, options);
  const ofDimensions = entries.map((entry) =>
    findingsUnder(firstOf(entry.body, ['issues', 'findings', 'violations']), entry.name, { ...options, dimension: entry.name }),
  );
  const inDimensions = ofDimensions.flatMap((each) => each.findings);
  const main = [...found.findings, ...unlistedFindings(found.findings, inDimensions)];
  const findings = [...main, ...nestedFindings(value, [...main, ...inDimensions], options)];
  const { counts, notes } = reconcile(findings, found.stated);
  const counted = findings.length > 0 || found.stated !== null || found.present || ofDimensions.some((each) => each.present);
  return {
    ...settled,
    findings,
    counts: worstCounts(counts, settled.counts),
    counted,
    notes: [...settled.notes, ...found.notes, ...ofDimensions.flatMap((each) => each.notes), ...notes],
    isReport: counted || settled.score !== null || settled.dimensions.length > 0,
  };
}

/** Most reports repeat the issues of a dimension in `findings`. Only dimensions that are absent or milder there add theirs. */
function unlistedFindings(listed: readonly Finding[], ofDimensions: readonly Finding[]): readonly Finding[] {
  const messages = new Set(listed.map((finding) => finding.message));
  const worst = new Map<string, Severity>();
  for (const { dimension, severity } of listed) {
    const name = dimension?.toLowerCase() ?? '';
    worst.set(name, worseOf(worst.get(name) ?? severity, severity));
  }
  return ofDimensions.filter(({ message, dimension, severity }) => {
    const before = worst.get(dimension?.toLowerCase() ?? '');
    return !messages.has(message) && (before === undefined || (severity === 'critical' && before !== 'critical'));
  });
}

function takeScore(roots: readonly JsonObject[], draft: ReportDraft): void {
  for (const root of roots) {
    const said = firstOf(root, SCORE_KEYS);
    if (said === undefined) continue;
    const score = readScore(said);
    if (score !== null) draft.addScore(outOfHundred(score) ? { value: score.value, outOf: 100 } : score);
    else if (!isObject(said)) draft.addNote(`the score ${quote(String(said))} is not a number; ignored`);
    if (score !== null && outOfHundred(score)) draft.addNote(`the score ${score.value} is above 10; read as ${score.value}/100`);
    return;
  }
}

interface DimensionEntry {
  readonly name: string;
  readonly body: JsonObject;
  readonly score: Score | null;
  /** The raw value of the score. */
  readonly said: unknown;
}

function dimensionsOf(value: unknown): readonly DimensionEntry[] {
  if (Array.isArray(value)) {
    return value
      .filter(isObject)
      .map((body) => ({ name: String(firstOf(body, NAME_KEYS) ?? ''), body, score: readScore(body), said: own(body, 'score') }))
      .filter((entry) => entry.name !== '');
  }
  if (!isObject(value)) return [];
  return Object.entries(value)
    .filter(([name]) => name !== '__proto__')
    .map(([name, body]) => ({
      name,
      body: isObject(body) ? body : {},
      score: readScore(body),
      said: isObject(body) ? own(body, 'score') : body,
    }));
}

function takeDimensions(entries: readonly DimensionEntry[], draft: ReportDraft): void {
  const hundred = entries.some(({ score }) => score !== null && outOfHundred(score));
  if (hundred) draft.addNote('a dimension scores above 10; all scores read as out of 100');
  for (const { name, body, score, said } of entries) {
    if (score === null) {
      if (said !== undefined && said !== null && typeof said !== 'object')
        draft.addNote(`the score of ${quote(name)} is not a number; ignored`);
      continue;
    }
    const outOf = score.outOf ?? (hundred ? 100 : null);
    if (['overall', 'total', 'average'].includes(name.toLowerCase())) {
      draft.addScore({ value: score.value, outOf });
      continue;
    }
    draft.addDimension(
      name,
      { value: score.value, outOf },
      parseThreshold(firstOf(body, ['threshold', 'min_score', 'minimum', 'min']), outOf),
    );
  }
}

/** 5, "5/10", {score: 5, max: 10} */
function readScore(value: unknown): Score | null {
  if (!isObject(value)) return typeof value === 'boolean' ? null : parseScore(value);
  const score = parseScore(firstOf(value, ['score', 'value', 'rating']));
  const max = parseScore(firstOf(value, ['max', 'max_score', 'maxScore', 'out_of', 'outOf']));
  return score === null || score.outOf !== null || max === null ? score : { value: score.value, outOf: max.value };
}

function outOfHundred(score: Score): boolean {
  return score.outOf === null && score.value > 10 && score.value <= 100;
}
