// Combines several outcomes into one, in the same order for reports, layers and checks.

import type { CheckOutcome } from '../model/vocabulary.js';

/** From worst to best. An unmeasured check says less than a failed one. */
const WORST_FIRST: readonly CheckOutcome[] = ['error', 'missing', 'timeout', 'fail', 'pass'];

/** `missing` if there are none. */
export function worstOutcome(outcomes: readonly CheckOutcome[]): CheckOutcome {
  return WORST_FIRST.find((outcome) => outcomes.includes(outcome)) ?? 'missing';
}

/** The same for optional checks: a missing tool does not lower the outcome of the others. `missing` only if all are missing. */
export function worstMeasured(outcomes: readonly CheckOutcome[]): CheckOutcome {
  return worstOutcome(outcomes.filter((outcome) => outcome !== 'missing'));
}
