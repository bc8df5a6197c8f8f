// Where a person finds the work of a session, without opening it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunState } from '../brain/run-state.js';
import { isUmpireError } from '../errors.js';
import { CONFIG, readConfigText } from '../runtime/project.js';
import { sessionPath } from '../workspace/session-worktree.js';
import { findSite } from '../workspace/site.js';
import { worktreeHome } from './places.js';

/** The session's worktree; null where there is none (any more), or the project cannot tell. Looking on never fails for it. */
export async function worktreeAt(run: RunState | null, session: { readonly name: string; readonly path: string }): Promise<string | null> {
  if (run === null || run.started.workspace === null) return null;
  const { project } = run.started;
  try {
    const { parseSettings } = await import('../runtime/settings.js');
    const { home } = parseSettings(readConfigText(project) ?? '', join(project, CONFIG)).workspace;
    const place = { project, session: run.started.session, home: worktreeHome(project, home), sessionFolder: session.path };
    const path = sessionPath({ site: findSite(place) });
    return existsSync(path) ? path : null;
  } catch (error) {
    if (isUmpireError(error) || (error as NodeJS.ErrnoException).code !== undefined) return null;
    throw error;
  }
}
