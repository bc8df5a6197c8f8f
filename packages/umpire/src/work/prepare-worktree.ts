// Prepares a new worktree: adds shared files, then runs the set-up command. Changes by that command are recorded separately, since they are
// not the task's work.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RepositoryTemplate } from './worktree-repository.js';
import { hasChanges, listChanges, writeTree } from './worktree-changes.js';
import { rawOf } from './git.js';
import type { RawName } from './git.js';
import type { Inspector } from './inspect-work.js';
import { blockedPathTest } from './path-checks.js';
import { placeSharedFiles } from './shared-files.js';
import type { SharedFiles } from './shared-files.js';
import { runSetup } from './setup-command.js';
import type { SetupCommand } from './setup-command.js';
import type { SessionGit } from './session-git.js';
import type { Worktree } from './worktree.js';

/** Gets the files that a task changed, relative to the project. Returns those whose change must not be committed. */
export type Protect = (task: string, attempt: number, files: readonly string[]) => readonly string[];

/** A session's git with everything that its worktrees need. */
export interface WorkspaceContext {
  readonly sessionGit: SessionGit;
  readonly sharedFiles: SharedFiles;
  readonly setup: SetupCommand | null;
  readonly template: RepositoryTemplate;
  /** Looks at a task's work before it is committed. */
  readonly inspect?: Inspector;
  readonly protect?: Protect;
  /** Gets notes on a task's work for the person. */
  readonly say?: (note: string) => void;
}

/** The project's folder in a worktree, where tasks work. */
export function workdirOf({ repository }: SessionGit, root: string): string {
  return repository.prefix === '' ? root : join(root, repository.prefix);
}

/** True if no file or link is in place of the project's folder or a parent. */
export function hasRoomForProject({ repository }: SessionGit, root: string): boolean {
  return !blockedPathTest(root)(rawOf(join(repository.prefix, '.git')));
}

/** Adds what is missing. The project's folder may be missing in a commit. */
export function addSharedFiles({ sessionGit, sharedFiles }: WorkspaceContext, { root }: Worktree): void {
  if (hasRoomForProject(sessionGit, root)) mkdirSync(workdirOf(sessionGit, root), { recursive: true });
  placeSharedFiles(root, sharedFiles);
}

/**
 * Returns the files that the set-up command made or changed, without ignored ones. `watch`: an index with them, written if there are any.
 */
export async function prepareWorktree(context: WorkspaceContext, worktree: Worktree, watch: string): Promise<readonly RawName[]> {
  const { sharedFiles, setup } = context;
  addSharedFiles(context, worktree);
  if (setup === null) return [];
  await runSetup(setup, workdirOf(context.sessionGit, worktree.root));
  const changes = await listChanges(worktree, worktree.index, sharedFiles);
  if (!hasChanges(changes)) return [];
  await writeTree(worktree, worktree.index, changes, watch);
  return [...changes.tracked, ...changes.added];
}
