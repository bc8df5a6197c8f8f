// Library functions `diff`, `apply` and `clean`.

import { resolve } from 'node:path';
import * as engine from '../commands/session-work.js';
import { clean as cleanOne } from '../commands/clean.js';
import type { CleanResult } from '../commands/clean.js';
import type { Applied } from '../workspace/apply.js';
import { FLAG, NUMBER, PATH, TEXT, checkRequest, checkValue } from './argument-checks.js';

/** The patch of the whole session, or of one round; `chain` is needed if several chains have that round. */
export async function diff(session: string, round?: number, chain?: string): Promise<string> {
  checkValue('diff', 'session', session, PATH);
  if (round !== undefined) checkValue('diff', 'round', round, NUMBER);
  if (chain !== undefined) checkValue('diff', 'chain', chain, TEXT);
  return engine.diff(resolve(session), round, chain);
}

export interface WorkOptions {
  /** `apply`: also an incomplete session. `clean`: also unapplied work or a session that has not ended. */
  readonly force?: boolean;
}

/** Copies the result into the person's checkout, uncommitted. */
export async function apply(session: string, options: WorkOptions = {}): Promise<Applied & { readonly unverified: boolean }> {
  return engine.apply(...checked('apply', session, options));
}

/** Removes the worktrees and branch of a finished session. Keeps them if it has not ended or its work was not applied. */
export async function clean(session: string, options: WorkOptions = {}): Promise<CleanResult> {
  return cleanOne(...checked('clean', session, options));
}

function checked(call: string, session: string, options: WorkOptions): [session: string, options: WorkOptions] {
  checkValue(call, 'session', session, PATH);
  checkRequest(call, options, { force: FLAG });
  return [resolve(session), options];
}
