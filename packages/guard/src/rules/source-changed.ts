// Source changed in a change that may only touch tests.

import { findChangedFiles } from './files.js';
import type { Rule } from './rule.js';

export const sourceChanged: Rule = {
  name: 'source-changed',
  severity: 'high',
  message: 'Source changed in a change that may only touch tests.',
  honest: 'Leave source as it is; report what the tests show.',
  levels: 'Looked for where only tests may change.',
  example: { cheat: 'A source file is edited while tests are to be written.', honest: 'Only tests are edited.' },
  isBreachInTesting: true,
  find: (evidence) => findChangedFiles(evidence, 'source-changed'),
};
