// The settings of a project, and where its worktrees live by them.

import { join } from 'node:path';
import { DEFAULT_SETTINGS } from '../sessions/default-settings.js';
import type { Settings } from '../sessions/default-settings.js';
import { CONFIG, readConfigText } from '../sessions/project.js';
import { worktreeHome } from './project-folders.js';

/** The project's settings with all defaults filled in. */
export async function readSettings(project: string): Promise<Settings> {
  const text = readConfigText(project);
  if (text === null) return DEFAULT_SETTINGS;
  const { parseSettings } = await import('../sessions/settings.js');
  return parseSettings(text, join(project, CONFIG));
}

/** The folder that holds the worktrees of a project. */
export type WorktreeHomes = (project: string) => Promise<string>;

/** Reads the settings of each project once, for commands that visit many sessions. */
export function worktreeHomes(): WorktreeHomes {
  const homes = new Map<string, string>();
  return async (project) => {
    const home = homes.get(project) ?? worktreeHome(project, (await readSettings(project)).workspace.home);
    homes.set(project, home);
    return home;
  };
}
