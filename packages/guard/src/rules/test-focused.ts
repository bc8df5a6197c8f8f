// With a focus on some tests all others stop running.

import { spanOf } from '../findings/finding.js';
import type { Rule } from './rule.js';
import { newMarks } from './test-marks.js';

export const testFocused: Rule = {
  name: 'test-focused',
  severity: 'high',
  message: 'With a focus on some tests all others stop running.',
  honest: 'Take the focus away before the change is done.',
  example: { cheat: "- it('adds', () => {\n+ it.only('adds', () => {", honest: "- it.only('adds', () => {\n+ it('adds', () => {" },
  find: (evidence) =>
    newMarks(evidence, 'only').map(({ mark, test }) => ({
      file: test.source.path,
      level: 'breach' as const,
      before: null,
      after: spanOf(test.source, mark),
      test: test.path,
    })),
};
