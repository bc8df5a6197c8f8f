// A check that lets more through than before.

import { lossLevel } from './explained.js';
import { lossesOf, sightingOf } from './rule.js';
import type { Rule } from './rule.js';

export const assertionWeakened: Rule = {
  name: 'assertion-weakened',
  severity: 'high',
  message: 'A check lets more through than before.',
  honest: 'Ask for the same value as before.',
  levels: 'A note where the test asks as much about other values.',
  example: { cheat: '- assert result == [1, 2]\n+ assert result', honest: '- assert result\n+ assert result == [1, 2]' },
  find: (evidence) =>
    lossesOf(evidence, ({ kind }) => kind === 'weakened').flatMap(({ pair, loss }) => {
      const level = lossLevel(evidence, pair, loss);
      return level === null ? [] : [sightingOf(pair, loss, level)];
    }),
};
