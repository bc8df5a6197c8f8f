// Lets an inspector look at a task's work before it is committed, and reverts the parts that it rejects. The caller provides the inspector.

import type { Correction } from '@umpire/guard/revert/revert-breaches.js';
import type { ReadChange, ChangedFile } from './read-change.js';
import { readChange } from './read-change.js';
import type { GitTarget, RawName } from './git.js';
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { faultOf, makeScratch } from '../sessions/session-folder.js';
import { removeFrom } from './worktree-changes.js';
import { askGit, git, namesInput, pathIn, linkOnPathTest } from './git.js';

export interface Work {
  readonly task: string;
  readonly attempt: number;
  readonly base: string;
  readonly change: ReadChange;
  /** The project's folder in the task's worktree, with the unchanged files. */
  readonly folder: string;
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

// Restores parts of a change: on disk in the person's files, or in a tree without a checkout. The index never changes.

export async function restoreOnDisk(
  gitTarget: GitTarget & { readonly workTree: string },
  base: string,
  { files }: ReadChange,
  corrections: readonly Correction[],
): Promise<void> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const isBeyond = linkOnPathTest(gitTarget.workTree);
  const back: RawName[] = [];
  for (const { path, how, text } of corrections) {
    const file = byPath.get(path);
    if (file === undefined) continue;
    if ([file.name, file.nameBefore].some(isBeyond)) throw unwrittenFault(path, 'a link is on its path');
    if (how === 'hunk') writeText(gitTarget.workTree, file, text ?? '');
    else {
      if (file.old === null || file.name !== file.nameBefore) removeFrom(gitTarget.workTree, file.name);
      if (file.old !== null) back.push(file.nameBefore);
    }
  }
  if (back.length === 0) return;
  const args = ['restore', `--source=${base}`, '--worktree', '--pathspec-from-file=-', '--pathspec-file-nul'];
  await git(gitTarget, args, { input: namesInput(back), env: { GIT_LITERAL_PATHSPECS: '1' } });
}

function writeText(root: string, file: ChangedFile, text: string): void {
  const place = pathIn(root, file.name);
  try {
    // Writes in place to keep the permissions. A link would be followed, so it is refused.
    if (!lstatSync(place).isFile()) throw new Error('not a regular file');
    writeFileSync(place, file.isCrlf ? text.replaceAll('\n', '\r\n') : text);
  } catch (error) {
    throw unwrittenFault(file.path, faultOf(error));
  }
}

function unwrittenFault(path: string, detail: string): UmpireError {
  return new UmpireError('write-failed', { path, detail });
}

/** In a tree: `gitTarget` has its own index with the tree. Returns the new tree. */
export async function restoreInTree(gitTarget: GitTarget, { files }: ReadChange, corrections: readonly Correction[]): Promise<string> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const ids = await storeBlobs(
    gitTarget,
    corrections.flatMap(({ how, text }) => (how === 'hunk' ? [text ?? ''] : [])),
  );
  const lines: string[] = [];
  for (const { path, how, text } of corrections) {
    const file = byPath.get(path);
    if (file === undefined) continue;
    if (how === 'hunk') {
      lines.push(`${file.new?.mode ?? '100644'} ${ids.get(text ?? '') ?? ''}\t${file.name}`);
    } else {
      if (file.old === null || file.name !== file.nameBefore)
        lines.push(`0 ${(file.new ?? file.old)?.id.replaceAll(/./g, '0') ?? ''}\t${file.name}`);
      if (file.old !== null) lines.push(`${file.old.mode} ${file.old.id}\t${file.nameBefore}`);
    }
  }
  await git(gitTarget, ['update-index', '-z', '--index-info'], { input: namesInput(lines) });
  return askGit(gitTarget, ['write-tree']);
}

/** Stores the texts as blobs with one process; returns their ids. */
async function storeBlobs(gitTarget: GitTarget, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (texts.length === 0) return new Map();
  const folder = makeScratch('guard');
  try {
    const paths = texts.map((text, index) => {
      const path = join(folder, String(index));
      writeFileSync(path, text);
      return path;
    });
    const ids = await askGit(gitTarget, ['hash-object', '-w', '--no-filters', '--stdin-paths'], { input: `${paths.join('\n')}\n` });
    const all = ids.split('\n');
    return new Map(texts.map((text, index) => [text, all[index] ?? '']));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
