// Library functions that judge, prove, read and measure. Each checks its arguments. The guard and the critics are large and loaded late.

import { resolve } from 'node:path';
import * as deciding from '../../engine/decide.js';
import type { DecideRequest, Decision } from '../../engine/decide.js';
import type { CritiqueReport, CritiqueRequest } from '../../engine/critique.js';
import type { GuardParameters, GuardRun } from '../../engine/guard.js';
import * as reading from '../../engine/read.js';
import type { ReadRequest, ReportsRead } from '../../engine/read.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import type { ProjectReplay, Replay } from '../../views/replay-page.js';
import * as checking from '../../sessions/check-loop.js';
import type { Checked } from '../../sessions/check-loop.js';
import * as replaying from '../../sessions/replay.js';
import type { ReplayAllRequest, ReplayRequest } from '../../sessions/replay.js';
import { CHECK, CRITIQUE, DECIDE, GUARD, READ, REPLAY, needed, number } from '@umpire/core/model/options.js';
import { CALL, DATE, SIGNAL, argumentError, checkRequest, checkValue, validateLoop } from './argument-checks.js';
import { withCallbacks } from './callbacks.js';

const AMOUNT = number(0, Infinity, 'N', '');

/** Judges the latest result of a loop's critic in a session folder. */
export async function decide(request: DecideRequest): Promise<Decision> {
  checkRequest('decide', request, { ...DECIDE, startedAt: AMOUNT, now: DATE });
  const session = resolve(request.session);
  return deciding.decide({ ...request, session, loop: await validateLoop(request.loop) });
}

/** Proves a loop's rules or finds a counterexample. `loop`: a built-in loop's name, the path of a loop file, or a loop from `defineLoop`. */
export async function check(loop: string | Loop): Promise<Checked> {
  checkValue('check', 'loop', loop, CHECK.loop);
  return checking.check(await validateLoop(loop));
}

/** Judges every verdict of a session again. Throws if there is no session or no verdict. */
export async function replay(request: ReplayRequest): Promise<Replay> {
  checkRequest('replay', request, { session: needed(REPLAY.session), loop: REPLAY.loop });
  return replaying.replay({ ...request, ...(await otherRules(request)) });
}

/** Judges every session of a project again. An unreadable session does not stop the others. */
export async function replayAll(request: ReplayAllRequest = {}): Promise<ProjectReplay> {
  checkRequest('replayAll', request, { project: REPLAY.project, loop: REPLAY.loop });
  return replaying.replayAll({ ...request, ...(await otherRules(request)) });
}

async function otherRules({ loop }: { readonly loop?: string | Loop }): Promise<{ readonly loop?: string | Loop }> {
  return loop === undefined ? {} : { loop: typeof loop === 'string' ? loop : await validateLoop(loop) };
}

/** Reads reports of tools. A missing or unreadable report is an outcome; an unknown format or a folder throws. */
export async function readReports(request: ReadRequest): Promise<ReportsRead> {
  checkRequest('readReports', request, { ...READ, keep: AMOUNT });
  return reading.readReports(request);
}

export type GuardRequest = Omit<GuardParameters, 'isOthers' | 'onNote' | 'retrial'>;

/** Finds skipped, weakened or deleted tests in a change. `revert` reverts them in the project's files. */
export async function guard(request: GuardRequest = {}): Promise<GuardRun> {
  checkRequest('guard', request, { ...GUARD, now: CALL });
  if (request.staged === true && request.revert === true)
    throw argumentError('guard', 'use revert or staged, not both: revert changes files on disk, staged reads staged files');
  const { guardProject } = await import('../../engine/guard.js');
  return guardProject(request);
}

/** Measures a project with its own tools and leaves the evidence in a session folder for `decide`. */
export async function critique(request: CritiqueRequest): Promise<CritiqueReport> {
  checkRequest('critique', request, { ...CRITIQUE, signal: SIGNAL, now: CALL, onOutput: CALL, onNote: CALL });
  const measuring = await import('../../engine/critique.js');
  return withCallbacks(request, (watch) => measuring.critique({ ...request, ...watch }));
}
