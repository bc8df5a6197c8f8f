// What of the machine a run needs: git, and the sandbox where one is wanted. Nothing is changed.

import { ERRORS } from '@umpire/core/error-catalogue.js';
import { isUmpireError } from '@umpire/core/errors.js';
import { tellOf } from '../report/checkup-page.js';
import type { Check } from '../report/checkup-page.js';
import { lookAround } from '../workspace/git.js';
import { checkSandbox } from './sandboxes.js';

const tell = tellOf('machine');

/** `isHeld`: the settings turn the sandbox on. */
export async function checkMachine(folder: string, isHeld: boolean): Promise<readonly Check[]> {
  return [checkGit(folder), await sandboxCheck(isHeld)];
}

const LEAST = [2, 30] as const;

function checkGit(folder: string): Check {
  const { hint } = ERRORS['git-missing'];
  try {
    const { code, stdout, stderr } = lookAround(folder, ['--version']);
    const [, version = '', major = '', minor = ''] = /((\d+)\.(\d+)\S*)/.exec(stdout.toString('utf8')) ?? [];
    if (code !== 0 || version === '')
      return tell('git', 'fault', `git does not say its version: ${stderr.trim() || `it ended with status ${code}`}`, hint);
    const isOld = Number(major) < LEAST[0] || (Number(major) === LEAST[0] && Number(minor) < LEAST[1]);
    return isOld ? tell('git', 'fault', `${version} is older than ${LEAST.join('.')}`, hint) : tell('git', 'ok', version);
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return tell('git', 'fault', error.message, error.hint);
  }
}

async function sandboxCheck(isHeld: boolean): Promise<Check> {
  try {
    await checkSandbox();
    return tell('sandbox', 'ok', isHeld ? 'on, by the settings' : 'at hand for --sandbox');
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return tell('sandbox', isHeld ? 'fault' : 'note', error.message, isHeld ? error.hint : `Needed for --sandbox alone. ${error.hint}`);
  }
}
