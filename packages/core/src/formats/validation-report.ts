// The reader `validation-json`: validation-report.json of the debt loop, with passed, total_regressions, checks and debt scores. An
// unclear check counts as failed, and a check that contradicts itself counts as the worse.

import type { Finding, Scalar } from '../model/vocabulary.js';
import { makeFinding } from './finding.js';
import { dedupe, nestedFindings, findingsUnder, rootsOf } from './findings-json.js';
import { describeValue, firstInAny, firstOf, isObject, nameOf, numberOf, own, parseReport } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { regressionsMeasured } from './regressions-measured.js';
import { LetterPattern } from './characters.js';
import { quote, readable, refuseText, unreadable } from './reader.js';
import type { Reader } from './reader.js';
import { countFindings } from './severity.js';
import { uncheckedIn } from './unverified-checks.js';
import { wordsOf, WordList } from './word-lists.js';

/** Characters not allowed in the name of a value. */
const NOT_IN_KEY = new LetterPattern('[^\\p{L}\\d]{1,40}', 'g');

const EXPECTED = 'a JSON object with passed, total_regressions or checks';

export const readValidation: Reader = (text) => {
  const refused = refuseText(text, EXPECTED);
  if (refused !== null) return refused;
  const json = parseReport(text);
  if (!json.ok) return unreadable(json.problem, json.line);
  if (!isObject(json.value)) return unreadable(`it is ${nameOf(json.value)}; expected ${EXPECTED}`);
  const roots = rootsOf(json.value, ['validation', 'validation_report', 'report', 'results', 'summary']);
  const notes: string[] = [];
  const measured = regressionsMeasured(json.value);
  if (typeof measured === 'string') return unreadable(measured);
  const checks = checksOf(firstInAny(roots, ['checks']), notes);
  if (checks === null && firstInAny(roots, ['passed']) === undefined && firstInAny(roots, ['total_regressions']) === undefined) {
    return unreadable(`it has neither passed nor total_regressions nor checks; expected ${EXPECTED}`);
  }
  const regressions = listed(roots, ['regressions'], notes);
  const details = listed(roots, ['failures', 'details'], notes);
  const others = nestedFindings(json.value, [...regressions, ...details], { fallback: null }).filter(isGrave);
  const values = [
    ...passedOf(roots, notes),
    ...totalOf(roots, regressions.length, otherRegressions(roots, others.length, notes), notes),
    ...scoresOf(roots, notes),
    ...(checks ?? []).flatMap(valuesOfCheck),
  ];
  const failed = (checks ?? [])
    .filter((check) => check.status === 'failed')
    .map(({ name, errors }) => {
      const many = errors === null ? '' : `: ${errors} ${errors === 1 ? 'error' : 'errors'}`;
      // The fingerprint is made of this text, so it is never reworded.
      return makeFinding({
        severity: 'high',
        message: `${name}${wordsOf(name).at(-1) === 'check' ? '' : ' check'} failed${many}`,
        rule: name,
      });
    });
  const findings = dedupe([...failed, ...regressions, ...details, ...others, ...(checks ?? []).flatMap((check) => check.findings)]);
  const items = (checks ?? []).map(({ name, status, errors }) => ({ name, status, errors }));
  const lists = [
    ['checks', items] as const,
    ['regressions_measured', measured] as const,
    ['unverified_checks', uncheckedIn(json.value)] as const,
  ];
  return readable({ values, findings, counts: countFindings(findings), lists, notes });
};

/** By name, or a list of objects with names. Null if there are no checks. */
function checksOf(value: unknown, notes: string[]): readonly ValidationCheck[] | null {
  if (isObject(value)) {
    const names = Object.keys(value).filter((name) => name !== '__proto__');
    return names.map((name) => readCheck(name, value[name], notes));
  }
  if (Array.isArray(value)) {
    return value
      .filter(isObject)
      .map((check, index) => readCheck(String(firstOf(check, ['name', 'check', 'id', 'type']) ?? `check ${index + 1}`), check, notes));
  }
  if (value !== undefined) notes.push(`checks is ${nameOf(value)}; expected an object by name such as {tests: {status: "passed"}}`);
  return null;
}

function passedOf(roots: readonly JsonObject[], notes: string[]): readonly (readonly [string, Scalar])[] {
  const value = firstInAny(roots, ['passed']);
  if (typeof value === 'boolean') return [['passed', value]];
  if (value === undefined) return [];
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (word === 'true' || word === 'false') {
    notes.push(`passed is the string "${word}"; read as ${word}`);
    return [['passed', word === 'true']];
  }
  notes.push(`passed is ${describeValue(value)}; expected true or false; ignored`);
  return [];
}

function totalOf(
  roots: readonly JsonObject[],
  listedCount: number,
  otherCount: number,
  notes: string[],
): readonly (readonly [string, Scalar])[] {
  const values = roots.map((root) => firstOf(root, ['total_regressions', 'totalRegressions'])).filter((value) => value !== undefined);
  const totals: number[] = [];
  for (const value of values) {
    const total = numberOf(value);
    if (total === null || !Number.isSafeInteger(total) || total < 0)
      notes.push(`total_regressions is ${describeValue(value)}; expected a whole number, 0 or more; ignored`);
    else {
      if (typeof value === 'string') notes.push(`total_regressions is the string ${quote(value)}; read as ${total}`);
      totals.push(total);
    }
  }
  const said = totals.length === 0 ? null : totals.reduce((a, b) => Math.max(a, b));
  if (totals.some((total) => total !== said)) notes.push(`total_regressions is given as ${totals.join(' and ')}; using the larger`);
  if (listedCount > 0 && listedCount > (said ?? 0))
    notes.push(`regressions lists ${listedCount}, total_regressions says ${said ?? 'nothing usable'}; counted ${listedCount}`);
  const most = Math.max(said ?? 0, listedCount, otherCount);
  return said === null && most === 0 ? [] : [['total_regressions', most]];
}

/** Signs of regressions apart from their total and list: numbers by name, severe findings, a failed status. */
function otherRegressions(roots: readonly JsonObject[], grave: number, notes: string[]): number {
  let most = grave;
  if (grave > 0) notes.push(`it lists ${grave} Critical or High ${grave === 1 ? 'finding' : 'findings'}; counted as regressions`);
  for (const root of roots) {
    const named = own(root, 'regressions');
    const figures = isObject(named)
      ? Object.values(named).map((value) => (Array.isArray(value) ? value.length : (numberOf(value) ?? 0)))
      : [];
    const sum = figures.filter((figure) => Number.isSafeInteger(figure) && figure > 0).reduce((a, b) => a + b, 0);
    const bare = numberOf(named) ?? 0;
    const counted = Number.isSafeInteger(bare) ? Math.max(sum, bare) : sum;
    if (counted > 0) notes.push(`regressions counts ${counted}; using the larger of this and total_regressions`);
    most = Math.max(most, counted);
    for (const key of ['status', 'verdict', 'result']) {
      const status = own(root, key);
      if (typeof status !== 'string' || !isFailed(status)) continue;
      notes.push(`${key} is ${quote(status)}; counted as a regression`);
      most = Math.max(most, 1);
    }
  }
  return most;
}

function isGrave({ severity }: Finding): boolean {
  return severity === 'critical' || severity === 'high';
}

function scoresOf(roots: readonly JsonObject[], notes: string[]): readonly (readonly [string, Scalar])[] {
  const [before, after] = ['debt_score_before', 'debt_score_after'].map((key) => {
    const value = firstInAny(roots, [key]);
    const score = numberOf(value);
    if (value !== undefined && (score === null || score < 0))
      notes.push(`${key} is ${describeValue(value)}; expected a number, 0 or more; ignored`);
    return score === null || score < 0 ? null : score;
  });
  const values: (readonly [string, Scalar])[] = [];
  if (typeof before === 'number') values.push(['debt_score_before', before]);
  if (typeof after === 'number') values.push(['debt_score_after', after]);
  const percent = typeof before === 'number' && typeof after === 'number' ? Math.round(((before - after) / before) * 1000) / 10 : NaN;
  // `|| 0` turns -0 into 0.
  if (Number.isFinite(percent)) values.push(['improvement', percent || 0]);
  return values;
}

function valuesOfCheck({ name, status, errors }: ValidationCheck): readonly (readonly [string, Scalar])[] {
  const key = name.trim().toLowerCase().replace(NOT_IN_KEY.for(name), '_');
  const values: (readonly [string, Scalar])[] = [[`${key}_status`, status]];
  return errors === null ? values : [...values, [`${key}_errors`, errors]];
}

function listed(roots: readonly JsonObject[], keys: readonly string[], notes: string[]): readonly Finding[] {
  const lists = roots.flatMap((root) => keys.map((key) => [key, own(root, key)] as const)).filter(([, list]) => Array.isArray(list));
  const found = lists.map(([key, list]) => findingsUnder(list, key, { fallback: 'high', classify: () => 'high' }));
  for (const each of found) notes.push(...each.notes);
  return found.flatMap((each) => each.findings);
}

interface ValidationCheck {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'missing';
  /** The number of errors it found, if given. */
  readonly errors: number | null;
  readonly findings: readonly Finding[];
}

const PASSED = new WordList('pass passed passing passes ok success successful green true clean yes \u2705 \u2713');
const FAILED = new WordList(
  'fail failed failing fails failure error errors errored regressed regression regressions red false no broken \u274c',
);
const MISSING = new WordList('missing skipped skip notrun n/a na none unavailable pending notavailable notapplicable');
const ERROR_KEYS = [
  'errors',
  'error_count',
  'errorCount',
  'new_errors',
  'new_failures',
  'newFailures',
  'new_regressions',
  'failed_tests',
  'regressions',
  'failures',
  'failed',
  'count',
];
const LIST_KEYS = ['regressions', 'failures', 'details', 'errors'];

function readCheck(name: string, value: unknown, notes: string[]): ValidationCheck {
  if (isObject(value)) return checkOfObject(name, value, notes);
  if (value === null) return { name, status: 'missing', errors: null, findings: [] };
  if (typeof value === 'boolean') return { name, status: value ? 'passed' : 'failed', errors: null, findings: [] };
  if (typeof value === 'string') return { name, status: statusOf(name, value, notes), errors: null, findings: [] };
  const errors = errorsOf(value);
  notes.push(`the ${name} check is ${nameOf(value)}; ${errors === null ? 'counted as failed' : `read as ${errors} errors`}`);
  return { name, status: errors === 0 ? 'passed' : 'failed', errors, findings: [] };
}

function checkOfObject(name: string, value: JsonObject, notes: string[]): ValidationCheck {
  const said = saidStatus(name, value, notes);
  const errors = errorCount(name, value, notes);
  const findings = LIST_KEYS.filter((key) => Array.isArray(own(value, key))).flatMap((key) => {
    const found = findingsUnder(own(value, key), key, { fallback: 'high', classify: () => 'high' });
    notes.push(...found.notes);
    return found.findings;
  });
  if (said.length === 0 && errors === null) {
    notes.push(`the ${name} check says neither whether it passed nor how many errors it found; counted as failed`);
    return { name, status: 'failed', errors, findings };
  }
  const byErrors = errors === null ? [] : [errors > 0 ? ('failed' as const) : ('passed' as const)];
  const failed = said.includes('failed') || byErrors.includes('failed');
  if (failed && said.includes('passed')) notes.push(`the ${name} check says passed and failed at once; counted as failed`);
  if (failed) return { name, status: 'failed', errors, findings };
  return { name, status: said.includes('missing') ? 'missing' : 'passed', errors, findings };
}

/** Every statement of the check about its outcome. */
function saidStatus(name: string, value: JsonObject, notes: string[]): readonly ValidationCheck['status'][] {
  const words = ['status', 'result', 'outcome', 'state']
    .map((key) => own(value, key))
    .filter((word) => word !== undefined && word !== null && word !== '');
  const flags = ['passed', 'pass', 'ok', 'success'].map((key) => own(value, key)).filter((flag) => typeof flag === 'boolean');
  return [
    ...words.map((word) =>
      typeof word === 'boolean'
        ? word
          ? 'passed'
          : 'failed'
        : statusOf(name, typeof word === 'object' ? nameOf(word) : String(word), notes),
    ),
    ...flags.map((flag) => (flag ? ('passed' as const) : ('failed' as const))),
    ...(own(value, 'failed') === true || (numberOf(firstOf(value, ['exit_code', 'exitCode'])) ?? 0) !== 0 ? ['failed' as const] : []),
  ];
}

/** Whether a word means failure; also used for the whole report. */
function isFailed(word: string): boolean {
  return FAILED.has(word.trim().toLowerCase());
}

function statusOf(name: string, text: string, notes: string[]): ValidationCheck['status'] {
  const word = text.trim().toLowerCase();
  if (PASSED.has(word)) return 'passed';
  if (FAILED.has(word)) return 'failed';
  // "not_run", "Not available"
  if (MISSING.has(word.startsWith('not') && ' _-'.includes(word.charAt(3)) ? `not${word.slice(4)}` : word)) return 'missing';
  notes.push(`the ${name} check has the unknown status ${quote(text)}; counted as failed`);
  return 'failed';
}

/** The largest of its numbers. Invalid numbers are noted. */
function errorCount(name: string, value: JsonObject, notes: string[]): number | null {
  let most: number | null = null;
  for (const key of ERROR_KEYS) {
    const raw = own(value, key);
    if (raw === undefined || raw === null || typeof raw === 'boolean') continue;
    const errors = errorsOf(raw);
    if (errors === null) notes.push(`${key} of the ${name} check is ${describeValue(raw)}; expected a whole number, 0 or more`);
    else most = Math.max(most ?? 0, errors);
  }
  return most;
}

function errorsOf(value: unknown): number | null {
  if (Array.isArray(value)) return value.length;
  const number = numberOf(value);
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null;
}
