// Before an agent stops: its change is looked at by the guard. It is sent back once for what makes tests lie; when it stops with that
// all the same, the person is told. Nobody is sent back without end.

import type { GuardScope } from '@umpire/guard/change.js';
import { guardPage } from '../report/guard-page.js';
import { count } from '../report/words.js';
import { guardProject } from './guard.js';
import type { GuardRun } from './guard.js';
import { baseOf, readSession, rememberTold } from './hook-session.js';

export interface StopRequest {
  readonly project: string;
  /** The agent's own session; null where it does not say so. */
  readonly session: string | null;
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

export async function answerStop({ project, session, base: asked, scope = 'any', isAgain }: StopRequest): Promise<StopAnswer> {
  const begun = session === null || asked !== undefined ? null : readSession(project, session);
  const start = begun === null ? null : baseOf(project, begun);
  const base = asked ?? start;
  const run = await guardProject({ project, scope, ...(base === null ? {} : { base }) });
  const prints = run.findings.map(({ fingerprint }) => fingerprint);
  // One that was mended and came back is told again.
  const told = begun === null || start === null ? [] : begun.told.filter((one) => prints.includes(one));
  const isNew = prints.some((one) => !told.includes(one));
  if (session !== null && begun !== null && start !== null) rememberTold(project, session, begun, isAgain ? prints : told);
  if (isNew && !isAgain) return { refusal: refusalFor(run, start !== null), note: null };
  const notes = notesOf(run, isNew);
  const look = `umpire guard ${base === null ? '' : `--base ${run.against} `}--scope ${scope}`;
  return { refusal: null, note: notes.length === 0 ? null : `Umpire: ${notes.join('; ')}. See ${look}.` };
}

function refusalFor(run: GuardRun, isSinceStart: boolean): string {
  const page = guardPage(run, { columns: 80, color: false });
  const shown = page.length <= MOST_TEXT ? page : `${page.slice(0, MOST_TEXT)}\n…\n`;
  const what = isSinceStart ? 'what changed since this session began, commits included, makes tests lie' : 'this change makes tests lie';
  return `Umpire: ${what}. Mend it before you stop: make the code right, not the tests weaker. Where a test really has to go, say which and why, and leave it to the person to allow it.\n\n${shown}`;
}

function notesOf({ findings, newAllowances, isBlind }: GuardRun, isNew: boolean): readonly string[] {
  return [
    ...(isNew ? [`the agent stops with ${breaches(findings.length)} in its change`] : []),
    ...(newAllowances.length > 0 ? [`the change brings ${count(newAllowances.length, 'allowance')} of its own for the guard`] : []),
    ...(isBlind ? ['tests in the change could not be read'] : []),
  ];
}

function breaches(number: number): string {
  return number === 1 ? '1 breach' : `${number} breaches`;
}
