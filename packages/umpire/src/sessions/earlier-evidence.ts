// Before a critic runs, what lies where it will leave its evidence is put aside: that is an earlier run's, or somebody else's, and
// says nothing of this one. The same before a second critic, whose evidence is named by its role. Nothing is deleted; `earlier/`
// holds it by the run that it was put aside for.

import { renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { chainOfTask, findTask } from '@umpire/core/decider/run-state.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { evidencePaths } from '@umpire/core/decider/critic-scope.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { lstatOf } from './entry.js';
import { faultOf, placeFor } from './folder.js';
import type { SessionFolder } from './folder.js';
import { safeName } from './safe-name.js';

const EARLIER = 'earlier';

export function putAside(folder: SessionFolder, loop: Loop, run: RunState, id: string, attempt: number): void {
  const critic = findTask(run, id);
  if (critic === undefined) return;
  // Critics of one chain that run side by side share their evidence.
  const isShared = (other: TaskState) => chainOfTask(loop, other) === chainOfTask(loop, critic);
  if (critic.role === loop.roles.critic && [...run.unjudged].some((other) => other !== id && isShared(findTask(run, other) ?? critic)))
    return;
  for (const path of evidencePaths(loop, run, critic)) move(folder, path, `${EARLIER}/${safeName(id)}-${attempt}`);
}

/** Nearly always, and to find that out is all that is done then. */
function isMissing(place: string): boolean {
  try {
    return lstatOf(place) === undefined;
  } catch {
    return false;
  }
}

/** The entry itself, be it a link: what it leads to is not touched. */
function move(folder: SessionFolder, path: string, to: string): void {
  if (isMissing(join(folder.root, path))) return;
  let parent: string;
  try {
    parent = dirname(placeFor(folder, `${dirname(path)}/.umpire-place`, false));
  } catch (error) {
    // It leads out of the session: there is nothing of ours.
    if (isUmpireError(error)) return;
    throw error;
  }
  const place = join(parent, basename(path));
  if (lstatOf(place) === undefined) return;
  try {
    renameSync(place, placeFor(folder, `${to}/${path}`));
  } catch (error) {
    if (isUmpireError(error)) throw error;
    throw new UmpireError('write-failed', { path, detail: faultOf(error) });
  }
}
