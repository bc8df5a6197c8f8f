// Before an agent stops: its change is looked at by the guard. It is sent back once for what makes tests lie; when it stops with that
// all the same, the person is told. Nobody is sent back without end.

import type { GuardScope } from '../guard/change.js';
import { guardPage } from '../report/guard-page.js';
import { count } from '../report/words.js';
import { guardProject } from './guard.js';

export interface StopRequest {
  readonly project: string;
  readonly base?: string;
  readonly scope?: GuardScope;
  /** It was sent back once already. */
  readonly isAgain: boolean;
}

export interface StopAnswer {
  /** For the agent: why it may not stop yet. */
  readonly refusal: string | null;
  /** For the person. */
  readonly note: string | null;
}

const MOST_TEXT = 9000;

export async function answerStop({ project, base, scope = 'any', isAgain }: StopRequest): Promise<StopAnswer> {
  const run = await guardProject({ project, scope, ...(base === undefined ? {} : { base }) });
  const { findings, newAllowances, isBlind } = run;
  if (findings.length > 0 && !isAgain) {
    const page = guardPage(run, { columns: 80, color: false });
    const shown = page.length <= MOST_TEXT ? page : `${page.slice(0, MOST_TEXT)}\n…\n`;
    return {
      refusal: `Umpire: this change makes tests lie. Mend it before you stop: make the code right, not the tests weaker. Where a test really has to go, say which and why, and leave it to the person to allow it.\n\n${shown}`,
      note: null,
    };
  }
  const notes = [
    ...(findings.length > 0 ? [`the agent stops with ${breaches(findings.length)} in its change`] : []),
    ...(newAllowances.length > 0 ? [`the change brings ${count(newAllowances.length, 'allowance')} of its own for the guard`] : []),
    ...(isBlind ? ['tests in the change could not be read'] : []),
  ];
  return { refusal: null, note: notes.length === 0 ? null : `Umpire: ${notes.join('; ')}. See umpire guard --scope ${scope}.` };
}

function breaches(number: number): string {
  return number === 1 ? '1 breach' : `${number} breaches`;
}
