// A test no longer runs.

import { spanOf } from '../findings/finding.js';
import type { Rule } from './rule.js';
import { newMarks } from './test-marks.js';

export const testSkipped: Rule = {
  name: 'test-skipped',
  severity: 'high',
  message: 'A test no longer runs.',
  honest: 'Make the test pass, or say why it cannot.',
  levels: 'A note for a test that is new.',
  example: { cheat: "- it('adds', () => {\n+ it.skip('adds', () => {", honest: "- it.skip('adds', () => {\n+ it('adds', () => {" },
  isBreachInTesting: true,
  find: (evidence) =>
    newMarks(evidence, 'skip')
      .filter(({ mark }) => mark.condition === null)
      .map(({ mark, test, pair }) => ({
        file: test.source.path,
        level: pair === null ? ('note' as const) : ('breach' as const),
        before: pair === null ? null : spanOf(pair.before.source, pair.before.head),
        after: spanOf(test.source, mark),
        test: test.path,
      })),
};
