// Settings of tests, coverage, lint or types changed.

import { findChangedFiles } from './files.js';
import type { Rule } from './rule.js';

export const configChanged: Rule = {
  name: 'config-changed',
  severity: 'high',
  message: 'Settings of tests, coverage, lint or types changed.',
  honest: 'Leave the settings; make the tests pass under them.',
  levels:
    'A breach where a threshold falls, files are excluded, a check is removed or can no longer fail, or retries are added; else a note.',
  example: { cheat: 'fail_under = 60 for fail_under = 90', honest: 'A new alias in vitest.config.ts' },
  isBreachInTesting: true,
  find: (evidence) => findChangedFiles(evidence, 'config-changed'),
};
