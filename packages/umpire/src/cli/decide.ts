// `umpire decide`: flags in, a verdict out.

import { HIGHEST_CAP } from '@umpire/core/decider/events.js';
import { MOST_ROUNDS } from '@umpire/core/decider/rounds.js';
import type { Verdict } from '@umpire/core/model.js';
import { decide } from '../commands/decide.js';
import { elapsedMs } from '../sessions/clock.js';
import { verdictJson } from '../report/verdict-json.js';
import { verdictLines } from '../report/verdict-lines.js';
import { readWords, usage, wholeNumber } from './flags.js';
import type { FlagKinds } from './flags.js';
import { HELP } from './help.js';
import type { Outcome } from './outcome.js';

const EXIT: Readonly<Record<Verdict['outcome'], number>> = { converge: 0, accept: 0, revise: 3, escalate: 4 };

const FLAGS: FlagKinds = {
  '--round': 'value',
  '--max-rounds': 'value',
  '--layer': 'value',
  '--deadline-ms': 'value',
  '--strict': 'switch',
  '--dry-run': 'switch',
  '--json': 'switch',
  '--help': 'switch',
};

export async function runDecide(args: readonly string[], startedAt = elapsedMs()): Promise<Outcome> {
  const words = readWords(args, FLAGS, 'decide');
  if (words.switches.has('--help')) return { stdout: HELP.decide, exit: 0 };
  const [loop, session, extra] = words.rest;
  if (loop === undefined || session === undefined) throw usage('It needs a loop and a session folder.', 'decide');
  if (extra !== undefined) throw usage(`"${extra}" is one word too many.`, 'decide');
  const round = wholeNumber(words, '--round', 'decide', [0, MOST_ROUNDS]);
  const maxRounds = wholeNumber(words, '--max-rounds', 'decide', [1, HIGHEST_CAP]);
  const deadlineMs = wholeNumber(words, '--deadline-ms', 'decide', [0, 1e9]);
  const layer = words.values.get('--layer');
  const dryRun = words.switches.has('--dry-run');
  const { verdict, report, repeated, notes } = await decide({
    loop,
    session,
    startedAt,
    dryRun,
    ...(round === undefined ? {} : { round }),
    ...(maxRounds === undefined ? {} : { maxRounds }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(layer === undefined ? {} : { layer }),
    ...(words.switches.has('--strict') ? { strict: true } : {}),
  });
  const exit = verdict.status === 'partial' ? 5 : EXIT[verdict.outcome];
  const stdout = words.switches.has('--json') ? `${JSON.stringify(verdictJson(verdict))}\n` : report;
  return {
    stdout,
    stderr: [...notes.map((note) => `Note: ${note}\n`), verdictLines(verdict, { repeated, dryRun })].join(''),
    sumsUp: true,
    exit,
  };
}
