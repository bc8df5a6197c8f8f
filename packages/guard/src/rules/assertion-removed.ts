// A check that is gone.

import { lossLevel } from './explained.js';
import { lossesOf, sightingOf } from './rule.js';
import type { Rule } from './rule.js';

export const assertionRemoved: Rule = {
  name: 'assertion-removed',
  severity: 'high',
  message: 'A check is gone.',
  honest: 'Keep the check, or one that asks as much.',
  levels:
    'A note where the test asks as much about other values, or the change also changes code that the check names. Nothing where the source no longer has what it asked about.',
  example: {
    cheat: '- expect(cart.total).toBe(30)',
    honest: '- expect(cart.total).toBe(30)\n+ expect(cart).toEqual({ total: 30, items: 2 })',
  },
  find: (evidence) =>
    lossesOf(evidence, ({ kind }) => kind === 'removed').flatMap(({ pair, loss }) => {
      const { isEmptied, vacuous } = evidence.compare(pair);
      const level = lossLevel(evidence, pair, loss);
      return level === null || (isEmptied && vacuous.length === 0) ? [] : [sightingOf(pair, loss, level)];
    }),
};
