// A test that can leave before its checks.

import { isAboutPlatform } from './platform.js';
import { lossesOf, sightingOf } from './rule.js';
import type { Rule } from './rule.js';

export const earlyReturn: Rule = {
  name: 'early-return',
  severity: 'high',
  message: 'The test can leave before its checks.',
  honest: 'Let every check run; fail where a condition is not met.',
  levels: 'A note under a condition about the platform.',
  example: { cheat: '+ if not result:\n+     return\n  assert result.total == 3', honest: '+ assert result\n  assert result.total == 3' },
  find: (evidence) =>
    lossesOf(evidence, ({ obstacle }) => obstacle?.kind === 'early-return').map(({ pair, loss }) =>
      sightingOf(pair, loss, isAboutPlatform(loss.obstacle?.condition ?? null) ? 'note' : 'breach'),
    ),
};
