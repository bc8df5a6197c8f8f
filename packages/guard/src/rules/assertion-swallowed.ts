// A check whose failure nobody hears.

import { lossesOf, sightingOf } from './rule.js';
import type { Rule } from './rule.js';

export const assertionSwallowed: Rule = {
  name: 'assertion-swallowed',
  severity: 'high',
  message: 'When the check fails nobody hears of it.',
  honest: 'Let the failure out of the test.',
  example: {
    cheat: 'try:\n    assert f(1) == 2\nexcept AssertionError:\n    pass',
    honest: 'try:\n    assert f(1) == 2\nfinally:\n    close()',
  },
  find: (evidence) =>
    lossesOf(evidence, ({ obstacle }) => obstacle?.kind === 'swallowed').map(({ pair, loss }) => sightingOf(pair, loss, 'breach')),
};
