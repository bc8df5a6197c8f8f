// `umpire decide`: judges a session and prints the verdict.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DECIDE } from '@umpire/core/model/options.js';
import type { Verdict } from '@umpire/core/model/vocabulary.js';
import { decide } from '../../engine/decide.js';
import { elapsedMs } from '../../sessions/clock.js';
import { verdictJson, verdictLines } from '../../views/verdict-page.js';
import { flagKinds, parseArguments, readOptions, refuseExtra, usage } from './flags.js';
import type { FlagKinds } from './flags.js';
import type { CommandOutcome } from './command-outcome.js';
import { showHelp } from './show-help.js';

const EXIT: Readonly<Record<Verdict['outcome'], number>> = { converge: 0, accept: 0, revise: 3, escalate: 4 };

const { loop: _loop, session: _session, ...OPTIONS } = DECIDE;
const FLAGS: FlagKinds = { ...flagKinds(OPTIONS), '--json': 'switch', '--help': 'switch' };

export async function runDecide(args: readonly string[], startedAt = elapsedMs()): Promise<CommandOutcome> {
  const parsed = parseArguments(args, FLAGS, 'decide');
  if (parsed.switches.has('--help')) return showHelp('decide');
  const [loop, session] = parsed.rest;
  if (loop === undefined || session === undefined) throw usage('Missing arguments: umpire decide <loop> <session>.', 'decide');
  refuseExtra(parsed, 2, 'decide');
  const given = readOptions(parsed, OPTIONS, 'decide');
  const { dryRun = false } = given;
  const { verdict, report, repeated, notes } = await decide({
    loop,
    session: folderOf(session),
    startedAt,
    ...given,
  });
  const exit = verdict.status === 'partial' ? 5 : EXIT[verdict.outcome];
  const stdout = parsed.switches.has('--json') ? `${JSON.stringify(verdictJson(verdict))}\n` : report;
  return {
    stdout,
    stderr: [...notes.map((note) => `Note: ${note}\n`), verdictLines(verdict, { repeated, dryRun })].join(''),
    sumsUp: true,
    exit,
  };
}

/** A folder, or the name of a session of this project, as other commands print it. */
function folderOf(session: string): string {
  const named = join('.umpire', 'sessions', session);
  return !session.includes('/') && !existsSync(session) && existsSync(named) ? named : session;
}
