// Which engine a command uses: the flag, else UMPIRE_ENGINE, else the settings. `none` means this machine.

import { readSettings } from '../../engine/project-settings.js';
import { projectFor } from '../../engine/project-folders.js';
import { isFolder } from '../../sessions/file-system.js';

/** Null: this machine. `session`: as the user named it; the path of a folder means this machine, unless a flag names an engine. */
export async function engineFor(
  { engine: flag, project }: { readonly engine?: string | undefined; readonly project?: string | undefined },
  session?: string,
): Promise<string | null> {
  if (flag === undefined && session !== undefined && isFolderPath(session)) return null;
  const named = flag ?? process.env['UMPIRE_ENGINE'] ?? '';
  if (named !== '') return named === 'none' ? null : named;
  try {
    return (await readSettings(projectFor(project), {})).engine;
  } catch {
    // The command itself will say what is wrong with the project.
    return null;
  }
}

/** A name is no path, even where a folder has it. */
function isFolderPath(word: string): boolean {
  return (word.includes('/') || word === '.' || word === '..') && isFolder(word);
}
