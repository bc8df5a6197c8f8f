// All verdicts of a session in the order in which they were given.

import type { SessionState } from '../brain/evolve.js';
import type { Verdict } from '../model.js';

export function verdictsOf({ verdicts }: SessionState): readonly Verdict[] {
  const given = [...verdicts.values()].flat().toSorted((one, other) => one.seq - other.seq);
  return given.map(({ verdict }) => verdict);
}
