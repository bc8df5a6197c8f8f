// Tests can no longer be read as code, so nobody can say what they check.

import { isUnread } from '../evidence.js';
import { differing } from '../project/differing.js';
import type { Rule } from './rule.js';

export const testUnread: Rule = {
  name: 'test-unread',
  severity: 'high',
  message: 'Tests can no longer be read as code, so nobody can say what they check.',
  honest: 'Keep them valid code in UTF-8, in a file of their own that is no link and smaller than 2 MB.',
  example: { cheat: 'A test file that is a link, or no code any more.', honest: 'A test file that can be read.' },
  find: (evidence) => {
    if (evidence.input.mustBeRead !== true) return [];
    return evidence.files
      .filter((file) => (file.before?.tests.length ?? 0) > 0 && (isUnread(file) || file.change.unread !== undefined))
      .map(({ change }) => ({ file: change.path, level: 'breach' as const, ...differing(change) }));
  },
};
