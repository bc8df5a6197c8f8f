// The request for a result that an agent has not given. It is short: the agent still knows its task.

import type { Assignment, Ending } from '@umpire/core/model/ports.js';
import { lineOf } from '../views/safe-text.js';
import { resultSchema } from './prompt.js';

/** `ending`: of the answer without a result. */
export function askAgainFor(assignment: Assignment, ending: Ending | null = null): string {
  const problem = ending?.kind === 'broken' ? ` ${lineOf(ending.reason, 400)}` : '';
  return `Your answer was no valid result.${problem}

Do no further work. Answer with one JSON object that reports what you did, and nothing else. It must match this schema:

${JSON.stringify(resultSchema(assignment), null, 2)}
`;
}
