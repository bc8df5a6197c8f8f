// A verdict as the object that scripts read: the fields of the contract first, in its order.

import type { Verdict } from '@umpire/core/model.js';

const FIELDS = [
  'loop',
  'decision',
  'outcome',
  'status',
  'rule',
  'reason',
  'round',
  'maxRounds',
  'unverified',
  'counts',
  'findings',
  'anomalies',
  'tasks',
  'evidence',
  'role',
  'nextStep',
  'chain',
  'waivers',
  'trend',
  'worse',
  'fates',
] as const satisfies readonly (keyof Verdict)[];

export function verdictJson(verdict: Verdict): Readonly<Record<string, unknown>> {
  return Object.fromEntries(FIELDS.filter((field) => verdict[field] !== undefined).map((field) => [field, verdict[field]]));
}
