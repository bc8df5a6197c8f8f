// Tests that can no longer be read as code: nobody can say what became of their checks. Told in runs, where it is taken back; whoever
// asks the guard by hand is told of the file as a problem.

import type { Evidence } from '../evidence.js';
import type { Sighting } from '../finding.js';
import { differing } from './files.js';

/** Comes last: of some files only a walk through them shows that they are too deep for one. */
export function unreadRule({ input, files }: Evidence): readonly Sighting[] {
  if (input.mustBeRead !== true) return [];
  return files.flatMap((file): readonly Sighting[] => {
    const { change, role, before, after } = file;
    const fault = after?.problem ?? null;
    if (fault === null || (role !== 'test' && role !== 'support')) return [];
    // A new test that is no valid code fails, and is for the next round to mend. It is otherwise with what a runner can read and the guard not.
    const counts = before === null ? role === 'support' || change.unread !== undefined : before.problem === null;
    return counts ? [{ rule: 'test-unread', file: change.path, ...differing(file), why: change.unread ?? fault }] : [];
  });
}
