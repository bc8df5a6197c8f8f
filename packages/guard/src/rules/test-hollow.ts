// A new test checks nothing: it runs code, and whatever comes of it is right.

import { spanOf } from '../findings/finding.js';
import type { Rule } from './rule.js';

export const testHollow: Rule = {
  name: 'test-hollow',
  severity: 'high',
  message: 'A new test checks nothing: it runs code, and whatever comes of it is right.',
  honest: 'Check what comes of it; where it must only not fail, let its title say so.',
  levels: 'Looked for where only tests may change, since such tests raise coverage.',
  example: { cheat: "it('formats', () => { format(1) })", honest: "it('does not throw on 1', () => { format(1) })" },
  find: (evidence) => {
    if (evidence.input.newTestsCheck !== true) return [];
    return evidence.pairing.added
      .filter(
        (test) =>
          test.run !== null &&
          evidence.after.claims(test).claims.length === 0 &&
          !evidence.after.walk(test).checks.some(({ relation }) => relation === 'never') &&
          !QUIET.test(test.path.join(' ')),
      )
      .map((test) => ({
        file: test.source.path,
        level: 'breach' as const,
        before: null,
        after: spanOf(test.source, test.head),
        test: test.path,
      }));
  },
};

const QUIET =
  /\b(not|never|without|no)\b.*\b(throw|fail|crash|rais|error|break|hang|warn|complain)|\b(compiles?|renders?|works?|smoke|loads?|imports?|accepts?|allows?|runs?)\b|does_?not|doesn'?t|no_error|smoke/i;
