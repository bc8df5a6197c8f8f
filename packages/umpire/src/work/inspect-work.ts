// Lets an inspector look at a task's work before it is committed, and reverts the parts that it rejects. The caller provides the inspector.

import type { Correction } from '@umpire/guard/revert/revert-breaches.js';
import type { ReadChange } from './read-change.js';
import { readChange } from './read-change.js';
import type { GitTarget } from './git.js';
import { restoreInTree } from './restore-change.js';

export interface Work {
  readonly task: string;
  readonly attempt: number;
  /** The commit that the task began with. */
  readonly base: string;
  readonly change: ReadChange;
  /** The project's folder in the task's worktree, with the unchanged files. */
  readonly folder: string;
  /** Has its own index with the tree. */
  readonly gitTarget: GitTarget;
  readonly prefix: string;
  readonly tree: string;
}

/** Returns the corrections to make; empty where the work may stay. */
export type Inspector = (work: Work) => Promise<readonly Correction[]>;

/** Returns the tree after the inspector's corrections. Includes the whole repository, also where the project is a subfolder. */
export async function inspectTree(inspect: Inspector, work: Omit<Work, 'change'>): Promise<string> {
  const { gitTarget, prefix, tree } = work;
  const change = await readChange({ gitTarget, prefix, base: work.base, to: tree, whole: true });
  const corrections = await inspect({ ...work, change });
  return corrections.length === 0 ? tree : restoreInTree(gitTarget, change, corrections);
}
