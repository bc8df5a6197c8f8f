// Library functions `diff`, `apply` and `clean`.

import { resolve } from 'node:path';
import * as engine from '../../engine/session-work.js';
import { clean as cleanOne } from '../../engine/clean.js';
import type { CleanResult } from '../../engine/clean.js';
import type { Applied } from '../../work/apply.js';
import { APPLY, CLEAN, DIFF, SESSION } from '@umpire/core/model/options.js';
import { checkRequest, checkValue } from './argument-checks.js';

/** The patch of the whole session, or of one round; `chain` is needed if several chains have that round. */
export async function diff(session: string, round?: number, chain?: string): Promise<string> {
  checkValue('diff', 'session', session, SESSION);
  if (round !== undefined) checkValue('diff', 'round', round, DIFF.round);
  if (chain !== undefined) checkValue('diff', 'chain', chain, DIFF.chain);
  return engine.diff(resolve(session), round, chain);
}

export type { ApplyOptions } from '../../engine/session-work.js';

export interface WorkOptions {
  /** Also unapplied work, or a session that has not ended. */
  readonly force?: boolean;
}

/** Copies the result into the person's checkout, uncommitted. Without `withFailingTests`, leaves out files with new tests that fail. */
export async function apply(session: string, options: engine.ApplyOptions = {}): Promise<Applied & { readonly unverified: boolean }> {
  checkValue('apply', 'session', session, SESSION);
  checkRequest('apply', options, APPLY);
  return engine.apply(resolve(session), options);
}

/** Removes the worktrees and branch of a finished session. Keeps them if it has not ended or its work was not applied. */
export async function clean(session: string, options: WorkOptions = {}): Promise<CleanResult> {
  checkValue('clean', 'session', session, SESSION);
  checkRequest('clean', options, CLEAN);
  return cleanOne(resolve(session), options);
}
