// The reader `run-json`: results/run-{layer}.json of the testing loop. Counts that contradict each other are read the
// worse way; a run without a test, or with figures that cannot be, is unreadable and never a pass.

import type { Scalar } from '../model.js';
import { isObject, nameOf, numberOf, own, parseJson, type JsonObject } from './json-text.js';
import { quote, readable, refuseText, unreadable, type Reader } from './reader.js';
import { failuresOf, findingOf } from './run-failure.js';
import { countFindings } from './severity.js';
import { WordList } from './wording.js';

export { classifyFailure } from './failure-class.js';

const EXPECTED = 'a JSON object with pass_rate, coverage, total, passed, failed and failures';

/** Ends the reading: what is wrong, as a sentence. */
class Refusal {
  constructor(readonly problem: string) {}
}

interface Counted {
  readonly total: number | null;
  readonly passed: number | null;
  readonly failed: number | null;
}

export const readRun: Reader = (text) => {
  const refused = refuseText(text, EXPECTED);
  if (refused !== null) return refused;
  const json = parseJson(text);
  if (!json.ok) return unreadable(json.problem, json.line);
  if (!isObject(json.value)) return unreadable(`it is ${nameOf(json.value)}; expected ${EXPECTED}`);
  const run = json.value;
  const notes: string[] = [];
  const failures = failuresOf(own(run, 'failures'), notes);
  const counted = countsOf(run, failures.length, notes);
  if (counted instanceof Refusal) return unreadable(counted.problem);
  const rate = rateOf(run, counted, notes);
  if (rate instanceof Refusal) return unreadable(rate.problem);
  const coverage = coverageOf(own(run, 'coverage'), notes);
  if (coverage instanceof Refusal) return unreadable(coverage.problem);
  const layer = own(run, 'layer');
  const values: (readonly [string, Scalar | null])[] = [
    ['layer', typeof layer === 'string' && layer.trim() !== '' ? layer.trim() : null],
    ['pass_rate', rate],
    ['coverage', coverage],
    ['total', counted.total],
    ['passed', counted.passed],
    ['failed', counted.failed],
  ];
  const findings = failures.map(findingOf);
  return readable({
    values: values.filter((value): value is readonly [string, Scalar] => value[1] !== null),
    findings,
    counts: countFindings(findings),
    lists: [['failures', failures]],
    notes,
  });
};

function countsOf(run: JsonObject, listed: number, notes: string[]): Counted | Refusal {
  const said: (number | null)[] = [];
  for (const key of ['total', 'passed', 'failed']) {
    const value = own(run, key);
    const count = numberOf(value);
    if (value !== undefined && value !== null && (count === null || !Number.isSafeInteger(count) || count < 0)) {
      return new Refusal(`${key} is ${shown(value)}; expected a whole number from 0 on`);
    }
    said.push(count);
  }
  const [statedTotal = null, statedPassed = null, statedFailed = null] = said;
  if (statedTotal === 0) return new Refusal('total is 0: no test was run, so there is nothing to judge');
  if (statedFailed !== null && listed > statedFailed)
    notes.push(`failed is ${statedFailed} but failures lists ${listed}; counted ${listed}`);
  let failed = statedFailed === null ? (listed > 0 ? listed : null) : Math.max(statedFailed, listed);
  let total = statedTotal ?? (statedPassed === null && failed === null ? null : (statedPassed ?? 0) + (failed ?? 0));
  if (total === 0) return new Refusal('it counts no test at all: no test was run, so there is nothing to judge');
  if (total === null) return { total, passed: null, failed };
  if (statedTotal === null) notes.push(`total is missing; taken as ${total}, the sum of passed and failed`);
  if (failed !== null && failed > total) {
    notes.push(`failed is ${failed} but total is ${total}; total counted as ${failed}`);
    total = failed;
  }
  failed ??= statedPassed === null ? null : Math.max(total - statedPassed, 0);
  const most = total - (failed ?? 0);
  if (statedPassed !== null && statedPassed > most)
    notes.push(`passed is ${statedPassed}, failed ${failed ?? 0} and total ${total}, which cannot be; passed counted as ${most}`);
  return { total, failed, passed: failed === null ? null : Math.min(statedPassed ?? most, most) };
}

function rateOf(run: JsonObject, counted: Counted, notes: string[]): number | null | Refusal {
  const stated = statedRate(own(run, 'pass_rate'), notes);
  if (stated instanceof Refusal) return stated;
  const computed = counted.total === null || counted.passed === null ? null : counted.passed / counted.total;
  if (stated === null && computed === null) return new Refusal(`it has neither pass_rate nor passed and total; expected ${EXPECTED}`);
  if (computed === null) {
    notes.push('passed and total are missing; that any test was run rests on pass_rate alone');
    return stated;
  }
  if (stated === null) {
    notes.push(`pass_rate is missing; computed from passed and total as ${rounded(computed)}`);
    return rounded(computed);
  }
  // Agents round: half a percent is no contradiction, but the worse of the two still holds.
  if (Math.abs(stated - computed) > 0.005) notes.push(`pass_rate is ${stated} but passed/total is ${rounded(computed)}; the worse holds`);
  return Math.min(stated, rounded(computed));
}

function statedRate(value: unknown, notes: string[]): number | null | Refusal {
  if (value === undefined || value === null || value === '') return null;
  const percent = typeof value === 'string' && value.trim().endsWith('%') ? numberOf(value.trim().slice(0, -1).trim()) : null;
  const rate = percent === null ? numberOf(value) : percent / 100;
  if (rate === null || rate < 0 || rate > 100) return new Refusal(`pass_rate is ${shown(value)}; expected a number from 0 to 1`);
  if (rate > 1 && percent !== null) return new Refusal(`pass_rate is ${shown(value)}; expected at most 100%`);
  if (rate > 1) {
    notes.push(`pass_rate is ${rate}, above 1; taken as ${rate} percent`);
    return rounded(rate / 100);
  }
  return rate;
}

const UNAVAILABLE = new WordList(
  'unavailable|n/a|na|none|null|unknown|not available|not measured|not collected|not run|no coverage|no coverage tool|missing|-|\u2014',
  '|',
);

/** Null where no coverage was measured. A figure that cannot be is refused: leaving it out would let the pass rate decide alone. */
function coverageOf(value: unknown, notes: string[]): number | null | Refusal {
  if (value === undefined || value === null) return null;
  if (isObject(value)) {
    const inner = ['lines', 'line', 'pct', 'percent', 'percentage', 'total', 'overall', 'statements']
      .map((key) => own(value, key))
      .find((each) => each !== undefined && each !== null);
    if (inner === undefined) return new Refusal('coverage is an object without lines or pct; expected a percentage or null');
    return coverageOf(inner, notes);
  }
  const text = typeof value === 'string' ? value.trim() : '';
  if (typeof value === 'string' && (text === '' || UNAVAILABLE.has((text.endsWith('.') ? text.slice(0, -1) : text).toLowerCase())))
    return null;
  const percent = numberOf(text.endsWith('%') ? text.slice(0, -1).trim() : value);
  if (percent === null || percent < 0 || percent > 100)
    return new Refusal(`coverage is ${shown(value)}; expected a percentage from 0 to 100, or null`);
  if (percent > 0 && percent <= 1 && !text.endsWith('%'))
    notes.push(`coverage is ${percent}, read as ${percent} percent; if a fraction was meant, write ${rounded(percent * 100)}`);
  return percent;
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function shown(value: unknown): string {
  return typeof value === 'object' ? nameOf(value) : quote(String(value));
}
