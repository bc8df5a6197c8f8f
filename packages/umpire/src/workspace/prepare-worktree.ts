// Makes a new worktree ready for work: provisions, then the set-up command. What that command made is not the task's doing, so it
// is told apart from what comes later.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentModel } from './agent-repository.js';
import { hasChanges, listChanges, writeTree } from './changes.js';
import { rawOf } from './git.js';
import type { RawName } from './git.js';
import type { Inspector } from './inspector.js';
import { blockTest } from './on-the-way.js';
import { place } from './provisions.js';
import type { Provisions } from './provisions.js';
import { runSetup } from './setup-command.js';
import type { SetupCommand } from './setup-command.js';
import type { Site } from './site.js';
import type { Worktree } from './worktree.js';

/** A session's site with what its worktrees get. */
export interface Bay {
  readonly site: Site;
  readonly provisions: Provisions;
  readonly setup: SetupCommand | null;
  readonly model: AgentModel;
  /** Looks at a task's work before it is committed. */
  readonly inspect?: Inspector;
  /** Hears what a person must know of a task's work. */
  readonly say?: (note: string) => void;
}

/** The project's folder in a worktree: where tasks work. */
export function workdirOf({ repository }: Site, root: string): string {
  return repository.prefix === '' ? root : join(root, repository.prefix);
}

/** Can the project lie there, with no file and no link in the place of its folder or of one above it? */
export function isRoomFor({ repository }: Site, root: string): boolean {
  return !blockTest(root)(rawOf(join(repository.prefix, '.git')));
}

/** What is there stays; what is missing is put there. The project's own folder may be missing in a commit. */
export function provide({ site, provisions }: Bay, { root }: Worktree): void {
  if (isRoomFor(site, root)) mkdirSync(workdirOf(site, root), { recursive: true });
  place(root, provisions);
}

/** Answers with the files that set-up made or changed, ignored ones left out. `watch`: an index that holds them too, written if there are any. */
export async function furnish(bay: Bay, worktree: Worktree, watch: string): Promise<readonly RawName[]> {
  const { provisions, setup } = bay;
  provide(bay, worktree);
  if (setup === null) return [];
  await runSetup(setup, workdirOf(bay.site, worktree.root));
  const changes = await listChanges(worktree, worktree.index, provisions);
  if (!hasChanges(changes)) return [];
  await writeTree(worktree, worktree.index, changes, watch);
  return [...changes.tracked, ...changes.added];
}
