// What may look at a task's work before it is committed, and have parts of it taken back. Who that is, the engine says.

import type { Correction } from '@umpire/guard/taking-back.js';
import type { ReadChange } from './change-reader.js';
import { readChange } from './change-reader.js';
import type { Seat } from './git.js';
import { restoreInTree } from './restoring.js';

export interface Work {
  readonly task: string;
  readonly attempt: number;
  /** The commit that the task began with. */
  readonly base: string;
  readonly change: ReadChange;
  /** The project's folder in the task's worktree: files that the change does not touch lie there. */
  readonly folder: string;
}

/** Answers with what is to be taken back; none where the work may stay as it is. */
export type Inspector = (work: Work) => Promise<readonly Correction[]>;

export interface Submission extends Omit<Work, 'change'> {
  /** With an index of its own, which holds the tree. */
  readonly seat: Seat;
  readonly prefix: string;
  readonly tree: string;
}

/** The tree that is left once the inspector has seen it. The whole repository counts, also where the project is a folder of it. */
export async function inspectTree(inspect: Inspector, { seat, prefix, tree, ...work }: Submission): Promise<string> {
  const change = await readChange({ seat, prefix, base: work.base, to: tree, whole: true });
  const corrections = await inspect({ ...work, change });
  return corrections.length === 0 ? tree : restoreInTree(seat, change, corrections);
}
