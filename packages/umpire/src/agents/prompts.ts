// What a coding agent is told: the prompt in two parts, and the request for a missing result.

import type { Assignment } from '@umpire/core/ports.js';
import { lineOf } from '../report/safe-text.js';
import { promptFor, resultSchema } from './prompt.js';
import type { TaskFiles } from './prompt.js';

/** `system`: what must hold for the whole conversation. `user`: the task. */
export function promptsFor(assignment: Assignment, files: TaskFiles): { readonly system: string; readonly user: string } {
  return { system: '', user: promptFor(assignment, files) };
}

/** `problem`: why the answer is no result. */
export function askAgainFor(assignment: Assignment, problem: string): string {
  return `Your answer was no valid result. ${lineOf(problem, 400)}

Do no further work. Answer with one JSON object that reports what you did, and nothing else. It must match this schema:

${JSON.stringify(resultSchema(assignment), null, 2)}
`;
}
