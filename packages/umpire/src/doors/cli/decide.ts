// `umpire decide`: judges a session and prints the verdict.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from '@umpire/core/model/vocabulary.js';
import { decide } from '../../engine/decide.js';
import { verdictJson, verdictLines } from '../../views/verdict-page.js';
import type { CommandOutcome } from './output.js';
import type { Given } from './commands.js';
import { elapsedMs } from '../../sessions/environment.js';

const EXIT: Readonly<Record<Verdict['outcome'], number>> = { converge: 0, accept: 0, revise: 3, escalate: 4 };

export async function runDecide({ json = false, session, ...given }: Given<'decide'>, startedAt = elapsedMs()): Promise<CommandOutcome> {
  // A folder, or the name of a session of this project, as other commands print it.
  const named = join('.umpire', 'sessions', session);
  const { verdict, report, repeated, notes } = await decide({
    ...given,
    session: !session.includes('/') && !existsSync(session) && existsSync(named) ? named : session,
    startedAt,
  });
  const exit = verdict.status === 'partial' ? 5 : EXIT[verdict.outcome];
  const stdout = json ? `${JSON.stringify(verdictJson(verdict))}\n` : report;
  return {
    stdout,
    stderr: [...notes.map((note) => `Note: ${note}\n`), verdictLines(verdict, { repeated, dryRun: given.dryRun === true })].join(''),
    sumsUp: true,
    exit,
  };
}
