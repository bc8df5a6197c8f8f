// Can the person's command decide? Before anything begins: is there a program for it, and does its exit status say whether it passed?
// So a slip of the pen sets no agent to work.

import { spawn } from 'node:child_process';
import { UmpireError } from '@umpire/core/model/errors.js';
import { lookUpProgram } from '../agents/program-lookup.js';
import { shellWord } from '../views/session-question.js';
import { inheritedVariables } from '../sessions/environment.js';
import { readShellCommand } from './shell-command.js';

/** A first word that every shell reads as a name: no path, no quotes, no assignment, no function that is defined here. */
const NAME = /^\s*([A-Za-z_][\w.+-]*)(?=$|[\s&<>])(?!\s*\()/;

/** Another command decides then, or may stand in for it. */
const SEVERAL = /[;|\n]|(?<![&>])&(?![&>])/;

/** The program that a command begins with and cannot pass without, where its text says so plainly. */
export function programOf(command: string): string | null {
  return SEVERAL.test(command) ? null : (NAME.exec(command)?.[1] ?? null);
}

/** Throws where the shell knows no such program, builtin or keyword. */
export async function checkProgram(command: string, folder: string): Promise<void> {
  const program = programOf(command);
  if (program !== null && !(await isKnown(program, folder))) throw new UmpireError('command-unknown', { program });
}

/** A shell that cannot be asked says nothing against the program. */
async function isKnown(program: string, folder: string): Promise<boolean> {
  const status = await exitStatusOf('/bin/sh', ['-c', 'command -v "$1"', 'sh', program], folder);
  return status === 0 || status === null;
}

/** W4: throws where the command passes although what it runs failed. */
export async function checkExitStatus(command: string, folder: string): Promise<void> {
  const { hidden, pipe } = readShellCommand(command);
  if (hidden !== null) throw new UmpireError('command-status', { why: hidden.why, instead: shellWord(hidden.instead), first: '' });
  if (pipe === null || (await shellOf(command, folder)) !== null) return;
  const why = `it has a pipe, and no shell with pipefail was found, so ${pipe.why}`;
  throw new UmpireError('command-status', { why, instead: shellWord(pipe.instead), first: 'Install bash, or leave the pipe out. ' });
}

/**
 * The shell and its flags for the command. With a pipe it is one that fails where any part of the pipe does; null if there is none.
 * Without a pipe it is the system's own.
 */
export async function shellOf(command: string, folder: string): Promise<readonly string[] | null> {
  if (readShellCommand(command).pipe === null) return SYSTEM_SHELL;
  const bash = lookUpProgram({ argv: ['bash'] }, '/');
  // By its full path: the check may have folders of the worktree in its PATH, and an agent writes there.
  for (const shell of [...('place' in bash ? [bash.place] : []), '/bin/sh']) {
    if ((await exitStatusOf(shell, ['-o', 'pipefail', '-c', ':'], folder)) === 0) return [shell, '-o', 'pipefail', '-c'];
  }
  return null;
}

export const SYSTEM_SHELL: readonly string[] = ['/bin/sh', '-c'];

/** Null where it could not be started, or a signal ended it. */
function exitStatusOf(program: string, args: readonly string[], folder: string): Promise<number | null> {
  const child = spawn(program, args, { cwd: folder, stdio: 'ignore', env: inheritedVariables() });
  return new Promise((resolve) => {
    child.on('error', () => resolve(null));
    child.on('exit', (code) => resolve(code));
  });
}
