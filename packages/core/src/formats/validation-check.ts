// One check of a validation report: tests, types, lint, quality. Understands the many ways to say that it passed,
// failed or was not run, and takes the worse where a check contradicts itself.

import type { Finding } from '../model.js';
import { findingsUnder } from './findings-json.js';
import { firstOf, isObject, nameOf, numberOf, own, type JsonObject } from './json-text.js';
import { quote } from './reader.js';
import { WordList } from './wording.js';

export interface Check {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'missing';
  /** How many errors it found, where it says so. */
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

export function checkOf(name: string, value: unknown, notes: string[]): Check {
  if (isObject(value)) return checkOfObject(name, value, notes);
  if (value === null) return { name, status: 'missing', errors: null, findings: [] };
  if (typeof value === 'boolean') return { name, status: value ? 'passed' : 'failed', errors: null, findings: [] };
  if (typeof value === 'string') return { name, status: statusOf(name, value, notes), errors: null, findings: [] };
  const errors = errorsOf(value);
  notes.push(`the ${name} check is ${nameOf(value)}; ${errors === null ? 'counted as failed' : `taken as ${errors} errors`}`);
  return { name, status: errors === 0 ? 'passed' : 'failed', errors, findings: [] };
}

function checkOfObject(name: string, value: JsonObject, notes: string[]): Check {
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

/** Everything that the check says of its own outcome. */
function saidStatus(name: string, value: JsonObject, notes: string[]): readonly Check['status'][] {
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

/** A word for failure, as a whole report may use it too. */
export function isFailed(word: string): boolean {
  return FAILED.has(word.trim().toLowerCase());
}

function statusOf(name: string, text: string, notes: string[]): Check['status'] {
  const word = text.trim().toLowerCase();
  if (PASSED.has(word)) return 'passed';
  if (FAILED.has(word)) return 'failed';
  // "not_run", "Not available"
  if (MISSING.has(word.startsWith('not') && ' _-'.includes(word.charAt(3)) ? `not${word.slice(4)}` : word)) return 'missing';
  notes.push(`the ${name} check has status ${quote(text)}, which is not known; counted as failed`);
  return 'failed';
}

/** The largest of its figures; a figure that is none is noted. */
function errorCount(name: string, value: JsonObject, notes: string[]): number | null {
  let most: number | null = null;
  for (const key of ERROR_KEYS) {
    const raw = own(value, key);
    if (raw === undefined || raw === null || typeof raw === 'boolean') continue;
    const errors = errorsOf(raw);
    if (errors === null)
      notes.push(
        `${key} of the ${name} check is ${typeof raw === 'object' ? nameOf(raw) : quote(String(raw))}; expected a whole number from 0 on`,
      );
    else most = Math.max(most ?? 0, errors);
  }
  return most;
}

function errorsOf(value: unknown): number | null {
  if (Array.isArray(value)) return value.length;
  const number = numberOf(value);
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null;
}
