// A check that holds whatever the code does.

import { print } from '../syntax/print.js';
import { touchedPairs } from './rule.js';
import { spanOf } from '../findings/finding.js';
import type { Rule } from './rule.js';

export const assertionTautological: Rule = {
  name: 'assertion-tautological',
  severity: 'high',
  message: 'The check holds whatever the code does.',
  honest: 'Compare with a value that does not come from the test itself.',
  levels: 'A breach in a test that lost a check; else a note.',
  example: {
    cheat: '- expect(add(1, 2)).toBe(3)\n+ expect(3).toBe(3)',
    honest: '- expect(add(1, 2)).toBe(3)\n+ expect(add(1, 2)).toEqual(3)',
  },
  find: (evidence) =>
    touchedPairs(evidence).flatMap((pair) => {
      const { losses, vacuous, lost, gained, uncovered } = evidence.compare(pair);
      const old = new Set(evidence.before.claims(pair.before).vacuous.map(({ subject }) => print(subject)));
      const fresh = vacuous.filter(({ subject }) => !old.has(print(subject)));
      const lostCheck = losses.find(({ kind }) => kind !== 'obstructed');
      return fresh.map((check) => ({
        file: pair.after.source.path,
        level: uncovered > 0 && gained <= lost ? ('breach' as const) : ('note' as const),
        before: lostCheck === undefined ? null : spanOf(lostCheck.before.source, lostCheck.before),
        after: spanOf(check.source, check),
        test: pair.after.path,
      }));
    }),
};
