// A check that the test does not wait for.

import { lossesOf, sightingOf } from './rule.js';
import type { Rule } from './rule.js';

export const assertionUnawaited: Rule = {
  name: 'assertion-unawaited',
  severity: 'high',
  message: 'The test ends before the check does.',
  honest: 'Await the check, or return it.',
  example: {
    cheat: '- await expect(load()).rejects.toThrow()\n+ expect(load()).rejects.toThrow()',
    honest: '- await expect(load()).rejects.toThrow()\n+ return expect(load()).rejects.toThrow()',
  },
  find: (evidence) =>
    lossesOf(evidence, ({ obstacle }) => obstacle?.kind === 'unawaited').map(({ pair, loss }) => sightingOf(pair, loss, 'breach')),
};
