// A test without any check left.

import { isVanished } from './explained.js';
import { touchedPairs } from './rule.js';
import { spanOf } from '../findings/finding.js';
import type { Rule } from './rule.js';

export const testEmptied: Rule = {
  name: 'test-emptied',
  severity: 'high',
  message: 'The test has no check left and always passes.',
  honest: 'Keep its checks.',
  example: {
    cheat: "it('adds', () => {\n- expect(add(1, 2)).toBe(3)\n+ add(1, 2)\n})",
    honest: "it('adds', () => {\n- expect(add(1, 2)).toBe(3)\n+ expectSum(1, 2, 3)\n})",
  },
  find: (evidence) =>
    touchedPairs(evidence).flatMap((pair) => {
      const { isEmptied, losses } = evidence.compare(pair);
      const [first] = losses;
      if (!isEmptied || first === undefined || losses.every((loss) => isVanished(evidence, loss))) return [];
      return [
        {
          file: pair.after.source.path,
          level: 'breach' as const,
          before: spanOf(first.before.source, first.before),
          after: spanOf(pair.after.source, pair.after.head),
          test: pair.after.path,
        },
      ];
    }),
};
