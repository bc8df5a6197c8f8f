// Is there a program for the person's command? The shell that would run it is asked before anything begins, so that a slip of the
// pen sets no agent to work.

import { spawn } from 'node:child_process';
import { UmpireError } from '@umpire/core/errors.js';
import { inheritedVariables } from '../sessions/environment.js';

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
function isKnown(program: string, folder: string): Promise<boolean> {
  const child = spawn('/bin/sh', ['-c', 'command -v "$1"', 'sh', program], { cwd: folder, stdio: 'ignore', env: inheritedVariables() });
  return new Promise((resolve) => {
    child.on('error', () => resolve(true));
    child.on('exit', (code) => resolve(code === 0 || code === null));
  });
}
