// A comment keeps the type checker from looking.

import type { Rule } from './rule.js';
import { isInWeakenedTest, suppressed } from './suppressions.js';

export const typeSuppressed: Rule = {
  name: 'type-suppressed',
  severity: 'medium',
  message: 'A comment keeps the type checker from looking.',
  honest: 'Give the value the type it has.',
  levels: 'A note, unless it is in a test that also lost a check.',
  example: {
    cheat: '+ // @ts-expect-error\n- expect(total("1")).toBe(1)',
    honest: '+ // @ts-expect-error\n+ expect(() => total("1")).toThrow()',
  },
  isBreachInTesting: true,
  find: (evidence) => suppressed(evidence, 'type', (_, found, source) => isInWeakenedTest(evidence, found, source)),
};
