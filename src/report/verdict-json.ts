// A verdict as the object that scripts read: the fields of the contract first, in its order.

import type { Verdict } from '../model.js';

export function verdictJson(verdict: Verdict): Record<string, unknown> {
  const {
    loop,
    decision,
    outcome,
    status,
    rule,
    reason,
    round,
    maxRounds,
    unverified,
    counts,
    findings,
    anomalies,
    tasks,
    evidence,
    role,
    nextStep,
    chain,
    waivers,
  } = verdict;
  return {
    loop,
    decision,
    outcome,
    status,
    rule,
    reason,
    round,
    maxRounds,
    unverified,
    counts,
    findings,
    anomalies,
    tasks,
    evidence,
    role,
    nextStep,
    chain,
    waivers,
  };
}
