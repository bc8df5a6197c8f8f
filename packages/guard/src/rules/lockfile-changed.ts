// Locked dependencies changed under the tests.

import { findChangedFiles } from './files.js';
import type { Rule } from './rule.js';

export const lockfileChanged: Rule = {
  name: 'lockfile-changed',
  severity: 'high',
  message: 'Locked dependencies changed under the tests.',
  honest: 'Leave the lockfile; upgrade in a change of its own.',
  levels: 'A note. A breach where only tests may change.',
  example: { cheat: 'Another version of the runner', honest: 'The lockfile of a new dependency' },
  isBreachInTesting: true,
  find: (evidence) => findChangedFiles(evidence, 'lockfile-changed'),
};
