// Which engine a command uses: the flag, else UMPIRE_ENGINE, else the settings. `none` means this machine.

import { readSettings } from '../../engine/project-settings.js';
import { projectFor } from '../../engine/project-folders.js';
import { isFolder } from '../../sessions/file-system.js';
import type { ParsedArguments } from './flags.js';
import { usage } from './flags.js';

/** Null: this machine. `session`: as the user named it; the path of a folder means this machine, unless a flag names an engine. */
export async function engineFor({ values }: Pick<ParsedArguments, 'values'>, session?: string): Promise<string | null> {
  const flag = values.get('--engine');
  if (flag === undefined && session !== undefined && isFolderPath(session)) return null;
  const named = flag ?? process.env['UMPIRE_ENGINE'] ?? '';
  if (named !== '') return named === 'none' ? null : named;
  try {
    return (await readSettings(projectFor(values.get('--project')), {})).engine;
  } catch {
    // The command itself will say what is wrong with the project.
    return null;
  }
}

/** A name is no path, even where a folder has it. */
function isFolderPath(word: string): boolean {
  return (word.includes('/') || word === '.' || word === '..') && isFolder(word);
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
  return { url: await engineFor({ values }, rest[sessionIndex(rest)]), rest };
}

/** Where the session is in the words of a command that looks; -1: it is not named. */
export function sessionIndex(args: readonly string[]): number {
  return args.findIndex((word, index) => !word.startsWith('-') && !['--project', '--loop', '--chain'].includes(args[index - 1] ?? ''));
}
