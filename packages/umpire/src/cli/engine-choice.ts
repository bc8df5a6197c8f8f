// Which engine a command uses: the flag, else UMPIRE_ENGINE, else the settings. `none` means this machine.

import { readSettings } from '../commands/project-settings.js';
import { projectFor } from '../commands/project-folders.js';
import type { ParsedArguments } from './flags.js';
import { usage } from './flags.js';

/** Null: this machine. */
export async function engineFor({ values }: Pick<ParsedArguments, 'values'>): Promise<string | null> {
  const named = values.get('--engine') ?? process.env['UMPIRE_ENGINE'] ?? '';
  if (named !== '') return named === 'none' ? null : named;
  try {
    return (await readSettings(projectFor(values.get('--project')), {})).engine;
  } catch {
    // The command itself will say what is wrong with the project.
    return null;
  }
}

/** For a command that looks: its engine, and its words without `--engine URL`. */
export async function takeEngine(
  args: readonly string[],
  command: string,
): Promise<{ readonly url: string | null; readonly rest: readonly string[] }> {
  const values = new Map<string, string>();
  let rest = args;
  for (const flag of ['--engine', '--project']) {
    const at = rest.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
    if (at < 0) continue;
    const word = rest[at] ?? '';
    const isJoined = word.includes('=');
    const value = isJoined ? word.slice(flag.length + 1) : rest[at + 1];
    if (value === undefined || value === '' || (!isJoined && value.startsWith('--'))) throw usage(`${flag} needs a value.`, command);
    values.set(flag, value);
    if (flag === '--engine') rest = rest.toSpliced(at, isJoined ? 1 : 2);
  }
  return { url: await engineFor({ values }), rest };
}
