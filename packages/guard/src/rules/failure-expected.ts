// The test passes because it fails.

import { isAboutPlatform } from './platform.js';
import { spanOf } from '../findings/finding.js';
import type { Rule } from './rule.js';
import { newMarks } from './test-marks.js';

export const failureExpected: Rule = {
  name: 'failure-expected',
  severity: 'high',
  message: 'The test passes because it fails.',
  honest: 'Mend what fails.',
  levels: 'A note for a test that is new, and where the condition is about the platform.',
  example: { cheat: '+ @pytest.mark.xfail\n  def test_total():', honest: '- @pytest.mark.xfail\n  def test_total():' },
  isBreachInTesting: true,
  find: (evidence) =>
    newMarks(evidence, 'fails').map(({ mark, test, pair }) => ({
      file: test.source.path,
      level: pair === null || isAboutPlatform(mark.condition) ? ('note' as const) : ('breach' as const),
      before: pair === null ? null : spanOf(pair.before.source, pair.before.head),
      after: spanOf(test.source, mark),
      test: test.path,
    })),
};
