// `regressions_measured` in the evidence of a critic: how many tests passed at the base and fail now, as Umpire measured it.

import type { Finding, Item } from '../model/vocabulary.js';
import { nameOf, own } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { quote } from './reader.js';

const MOST = 1_000_000;

const REGRESSION: Item = { name: 'a test that passed at the base and fails now' };

/** One item for each; none if it was not measured. A text says why the value proves nothing: a wrong count must not look like none. */
export function regressionsMeasured(evidence: JsonObject): readonly Item[] | string {
  const value = own(evidence, 'regressions_measured') ?? 0;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST)
    return Array.from({ length: value }, () => REGRESSION);
  const shown = typeof value === 'object' ? nameOf(value) : quote(String(value));
  return `regressions_measured is ${shown}; expected a whole number from 0 to ${MOST}`;
}

/** The rule of a finding about a test that passed at the base and fails now, by Umpire's own runs. */
export const TEST_REGRESSION = 'test-regression';

/** Such a finding is never waived, not by a person's dismissal either. */
export function isMeasuredRegression({ rule }: Pick<Finding, 'rule'>): boolean {
  return rule === TEST_REGRESSION;
}
