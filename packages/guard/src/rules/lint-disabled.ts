// A comment keeps the linter from looking.

import type { Rule } from './rule.js';
import { isInWeakenedTest, suppressed } from './suppressions.js';

export const lintDisabled: Rule = {
  name: 'lint-disabled',
  severity: 'medium',
  message: 'A comment keeps the linter from looking.',
  honest: 'Write it so that the rule holds.',
  levels: 'A note, unless it is in a test that also lost a check.',
  example: {
    cheat: '+ // eslint-disable-next-line jest/expect-expect\n- expect(f()).toBe(1)',
    honest: '+ // eslint-disable-next-line no-console',
  },
  isBreachInTesting: true,
  find: (evidence) => suppressed(evidence, 'lint', (_, found, source) => isInWeakenedTest(evidence, found, source)),
};
