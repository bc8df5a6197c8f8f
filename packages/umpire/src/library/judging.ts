// The doors that judge, prove, read and measure, for programs: what is handed in is looked at first. What is large and not always
// wanted, the guard and the critics, is loaded when it is asked for.

import { resolve } from 'node:path';
import * as deciding from '../commands/decide.js';
import type { DecideRequest, Decision } from '../commands/decide.js';
import type { CritiqueReport, CritiqueRequest as MeasureRequest } from '../commands/critique.js';
import type { GuardRequest as LookRequest, GuardRun } from '../commands/guard.js';
import * as reading from '../commands/read.js';
import type { ReadRequest, ReportsRead } from '../commands/read.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import type { ProjectReplay, Replay } from '../report/replay-page.js';
import * as checking from '../sessions/check.js';
import type { Checked } from '../sessions/check.js';
import * as replaying from '../sessions/replay.js';
import type { ReplayAllRequest, ReplayRequest } from '../sessions/replay.js';
import {
  CALL,
  DATE,
  FLAG,
  FROM_ZERO,
  LOOP,
  NUMBER,
  PATH,
  SIGNAL,
  TEXT,
  TEXTS,
  checkRequest,
  checkValue,
  oneOf,
  wrong,
} from './arguments.js';
import type { Takes } from './arguments.js';
import { loopGiven } from './loops.js';
import { watched } from './watching.js';

const DECIDE: Takes<DecideRequest> = {
  loop: LOOP,
  session: PATH,
  round: NUMBER,
  maxRounds: NUMBER,
  layer: TEXT,
  deadlineMs: FROM_ZERO,
  strict: FLAG,
  dryRun: FLAG,
  startedAt: NUMBER,
  now: DATE,
};

/** Judges the latest result of a loop's critic in a session folder, whoever runs the loop. */
export async function decide(request: DecideRequest): Promise<Decision> {
  checkRequest('decide', request, DECIDE, ['loop', 'session']);
  const session = resolve(request.session);
  return deciding.decide({ ...request, session, loop: await loopGiven(request.loop) });
}

/** Proves a loop's rules, or finds how they fail. `loop`: a built-in loop's name, the path of a loop file, or a loop from `defineLoop`. */
export async function check(loop: string | Loop): Promise<Checked> {
  checkValue('check', 'loop', loop, LOOP);
  return checking.check(await loopGiven(loop));
}

/** Judges every verdict of a session again. Throws where there is no session, or nothing was ever judged in it. */
export async function replay(request: ReplayRequest): Promise<Replay> {
  checkRequest('replay', request, { session: PATH, loop: LOOP }, ['session']);
  return replaying.replay({ ...request, ...(await otherRules(request)) });
}

/** Judges every session of a project again. What is wrong with one never stops the others. */
export async function replayAll(request: ReplayAllRequest = {}): Promise<ProjectReplay> {
  checkRequest('replayAll', request, { project: PATH, loop: LOOP });
  return replaying.replayAll({ ...request, ...(await otherRules(request)) });
}

async function otherRules({ loop }: { readonly loop?: string | Loop }): Promise<{ readonly loop?: string | Loop }> {
  return loop === undefined ? {} : { loop: typeof loop === 'string' ? loop : await loopGiven(loop) };
}

/** Reads reports of tools. One that is missing or unreadable is an outcome; a wrong format or a folder is thrown. */
export async function readReports(request: ReadRequest): Promise<ReportsRead> {
  checkRequest('readReports', request, { reports: TEXTS, format: TEXT, root: PATH, keep: FROM_ZERO }, ['reports']);
  return reading.readReports(request);
}

export type GuardRequest = Omit<LookRequest, 'around' | 'onNote'>;

const GUARD: Takes<GuardRequest> = {
  project: PATH,
  base: TEXT,
  scope: oneOf('testing', 'any'),
  reportBefore: TEXT,
  reportAfter: TEXT,
  staged: FLAG,
  revert: FLAG,
  now: CALL,
};

/** What in a change makes tests lie. `revert` takes it back in the files of the project. */
export async function guard(request: GuardRequest = {}): Promise<GuardRun> {
  checkRequest('guard', request, GUARD);
  if (request.staged === true && request.revert === true)
    throw wrong('guard', 'revert changes files, and staged looks at what git holds of them: it takes one of the two');
  const { guardProject } = await import('../commands/guard.js');
  return guardProject(request);
}

export type CritiqueRequest = MeasureRequest;

const CRITIQUE: Takes<CritiqueRequest> = {
  loop: TEXT,
  project: PATH,
  session: PATH,
  industry: oneOf('standard', 'strict'),
  base: TEXT,
  layer: TEXT,
  signal: SIGNAL,
  now: CALL,
  onOutput: CALL,
  onNote: CALL,
};

/** Measures a project with its own tools and leaves the evidence in a session folder, for `decide`. */
export async function critique(request: CritiqueRequest): Promise<CritiqueReport> {
  checkRequest('critique', request, CRITIQUE, ['loop']);
  const measuring = await import('../commands/critique.js');
  return watched(request, (watch) => measuring.critique({ ...request, ...watch }));
}
