// One outcome of several. The order is the same wherever reports, layers or checks are put together.

import type { CheckOutcome } from '../model.js';

/** From worst to best: what was not measured says less than what was seen to fail. */
const WORST_FIRST: readonly CheckOutcome[] = ['error', 'missing', 'timeout', 'fail', 'pass'];

/** Nothing at all is missing. */
export function worstOutcome(outcomes: readonly CheckOutcome[]): CheckOutcome {
  return WORST_FIRST.find((outcome) => outcomes.includes(outcome)) ?? 'missing';
}

/**
 * The same of checks that a project need not have: debt is measured with the tools that are there, so one that is not takes nothing from
 * what the others saw. Missing only where all are.
 */
export function worstMeasured(outcomes: readonly CheckOutcome[]): CheckOutcome {
  return worstOutcome(outcomes.filter((outcome) => outcome !== 'missing'));
}
