// Restores parts of a change: on disk in the person's files, or in a tree without a checkout. The index never changes.

import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import type { Correction } from '@umpire/guard/revert/revert-breaches.js';
import { faultOf, makeScratch } from '../sessions/session-folder.js';
import type { ChangedFile, ReadChange } from './read-change.js';
import { removeFrom } from './worktree-changes.js';
import { askGit, git, namesInput, pathIn } from './git.js';
import type { RawName, GitTarget } from './git.js';
import { linkOnPathTest } from './path-checks.js';

/** On disk. Other files stay as they are. */
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
    if ([file.name, file.nameBefore].some(isBeyond)) throw unwritten(path, 'a link is on its path');
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
    throw unwritten(file.path, faultOf(error));
  }
}

function unwritten(path: string, detail: string): UmpireError {
  return new UmpireError('write-failed', { path, detail });
}

/** In a tree: `gitTarget` has its own index with the tree. Returns the new tree. */
export async function restoreInTree(gitTarget: GitTarget, { files }: ReadChange, corrections: readonly Correction[]): Promise<string> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const ids = await blobsOf(
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
async function blobsOf(gitTarget: GitTarget, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
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
