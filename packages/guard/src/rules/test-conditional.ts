// The test only runs under a condition.

import { isAboutPlatform } from './platform.js';
import { spanOf } from '../findings/finding.js';
import type { Rule } from './rule.js';
import { newMarks } from './test-marks.js';

export const testConditional: Rule = {
  name: 'test-conditional',
  severity: 'high',
  message: 'The test only runs under a condition.',
  honest: 'Let it run everywhere it ran before.',
  levels: 'A note for a test that is new, and where the condition is about the platform, a version or what is installed.',
  example: {
    cheat: '+ @pytest.mark.skipif(os.environ.get("CI"), reason="flaky")',
    honest: '+ @pytest.mark.skipif(sys.platform == "win32", reason="needs fork")',
  },
  isBreachInTesting: true,
  find: (evidence) =>
    newMarks(evidence, 'skip')
      .filter(({ mark }) => mark.condition !== null)
      .map(({ mark, test, pair }) => ({
        file: test.source.path,
        level: pair === null || isAboutPlatform(mark.condition) ? ('note' as const) : ('breach' as const),
        before: pair === null ? null : spanOf(pair.before.source, pair.before.head),
        after: spanOf(test.source, mark),
        test: test.path,
      })),
};
