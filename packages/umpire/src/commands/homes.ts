// Where the worktrees of projects live, each project's settings read once for one look at many sessions.

import { worktreeHome } from './places.js';
import { readSettings } from './session.js';

export type HomeOf = (project: string) => Promise<string>;

export function homeReader(): HomeOf {
  const homes = new Map<string, string>();
  return async (project) => {
    const home = homes.get(project) ?? worktreeHome(project, (await readSettings(project)).workspace.home);
    homes.set(project, home);
    return home;
  };
}
