// Where a person finds the work of a session, without opening it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { isUmpireError } from '@umpire/core/errors.js';
import { CONFIG, readConfigText } from '../sessions/project.js';
import { isLeft } from '../workspace/cleaning.js';
import { isBroughtOver, isMergedHere } from '../workspace/difference.js';
import { sessionPath } from '../workspace/session-worktree.js';
import { findSite, holderOfName } from '../workspace/site.js';
import { projectOf, worktreeHome } from './places.js';

export interface WorkPlace {
  /** The session's worktree; null where there is none (any more), or the project cannot tell. */
  readonly place: string | null;
  /** Worktrees and branch are gone: there is nothing to show or to bring over. */
  readonly isCleared: boolean;
  /** The checkout holds all of it: `apply` has brought it over, or it was merged. */
  readonly isApplied: boolean;
}

const UNKNOWN: WorkPlace = { place: null, isCleared: false, isApplied: false };

/** Looking on never fails for it. */
export async function workAt(run: RunState | null, session: { readonly name: string; readonly path: string }): Promise<WorkPlace> {
  if (run === null || run.started.workspace === null) return UNKNOWN;
  try {
    const project = projectOf(run.started.project, session.path);
    const { parseSettings } = await import('../sessions/settings.js');
    const { home } = parseSettings(readConfigText(project) ?? '', join(project, CONFIG)).workspace;
    const place = { project, session: run.started.session, home: worktreeHome(project, home), sessionFolder: session.path };
    const site = findSite(place);
    // Of a copy the work is another's.
    if (holderOfName(site) !== null) return UNKNOWN;
    const path = sessionPath({ site });
    const isApplied = (await isBroughtOver(site)) || (run.ended !== null && (await isMergedHere(site)));
    if (existsSync(path)) return { place: path, isCleared: false, isApplied };
    // Of a project that is elsewhere now nobody knows what became of its branches.
    return { place: null, isApplied, isCleared: run.ended !== null && project === run.started.project && !isLeft(place) };
  } catch (error) {
    if (isUmpireError(error) || (error as NodeJS.ErrnoException).code !== undefined) return UNKNOWN;
    throw error;
  }
}
