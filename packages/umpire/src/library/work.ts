// What a session made, for programs: `diff`, `apply` and `clean`, with what is handed in looked at first.

import { resolve } from 'node:path';
import * as engine from '../commands/session-work.js';
import { clean as cleanOne } from '../commands/clean.js';
import type { CleanResult } from '../commands/clean.js';
import type { Applied } from '../workspace/apply.js';
import { FLAG, NUMBER, PATH, TEXT, checkRequest, checkValue } from './arguments.js';

/** The patch of the whole session, or of what a round judged; `chain` says of which, where several have the round. */
export async function diff(session: string, round?: number, chain?: string): Promise<string> {
  checkValue('diff', 'session', session, PATH);
  if (round !== undefined) checkValue('diff', 'round', round, NUMBER);
  if (chain !== undefined) checkValue('diff', 'chain', chain, TEXT);
  return engine.diff(resolve(session), round, chain);
}

export interface WorkOptions {
  /** `apply`: also what is not complete. `clean`: also what was not applied, or has not ended. */
  readonly force?: boolean;
}

/** Brings the result over into the person's checkout, as changes that are not committed. */
export async function apply(session: string, options: WorkOptions = {}): Promise<Applied & { readonly unverified: boolean }> {
  return engine.apply(...given('apply', session, options));
}

/** Removes what a finished session left beside its folder. One that has not ended, or whose work was not applied, stays. */
export async function clean(session: string, options: WorkOptions = {}): Promise<CleanResult> {
  return cleanOne(...given('clean', session, options));
}

function given(door: string, session: string, options: WorkOptions): [session: string, options: WorkOptions] {
  checkValue(door, 'session', session, PATH);
  checkRequest(door, options, { force: FLAG });
  return [resolve(session), options];
}
