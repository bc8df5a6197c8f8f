// Puts parts of a change back: on disk, in the person's own files, or in a tree that no checkout has. The index is never changed.

import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import type { Correction } from '@umpire/guard/taking-back.js';
import { faultOf } from '../sessions/folder.js';
import { makeScratch } from '../sessions/scratch.js';
import type { ChangedFile, ReadChange } from './change-reader.js';
import { removeFrom } from './changes.js';
import { askGit, git, namesInput, pathIn } from './git.js';
import type { RawName, Seat } from './git.js';
import { linkTest } from './on-the-way.js';

/** On disk. Files that are not named stay as they are. */
export async function restoreOnDisk(
  seat: Seat & { readonly workTree: string },
  base: string,
  { files }: ReadChange,
  corrections: readonly Correction[],
): Promise<void> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const isBeyond = linkTest(seat.workTree);
  const back: RawName[] = [];
  for (const { path, how, text } of corrections) {
    const file = byPath.get(path);
    if (file === undefined) continue;
    if ([file.name, file.nameBefore].some(isBeyond)) throw unwritten(path, 'a link leads there');
    if (how === 'hunk') writeText(seat.workTree, file, text ?? '');
    else {
      if (file.old === null || file.name !== file.nameBefore) removeFrom(seat.workTree, file.name);
      if (file.old !== null) back.push(file.nameBefore);
    }
  }
  if (back.length === 0) return;
  const args = ['restore', `--source=${base}`, '--worktree', '--pathspec-from-file=-', '--pathspec-file-nul'];
  await git(seat, args, { input: namesInput(back), env: { GIT_LITERAL_PATHSPECS: '1' } });
}

function writeText(root: string, file: ChangedFile, text: string): void {
  const place = pathIn(root, file.name);
  try {
    // Its rights stay: it is written in place. A link would be written through.
    if (!lstatSync(place).isFile()) throw new Error('it is no file');
    writeFileSync(place, file.isCrlf ? text.replaceAll('\n', '\r\n') : text);
  } catch (error) {
    throw unwritten(file.path, faultOf(error));
  }
}

function unwritten(path: string, detail: string): UmpireError {
  return new UmpireError('write-failed', { path, detail });
}

/** In a tree: `seat` has an index of its own that holds it. Answers with the new tree. */
export async function restoreInTree(seat: Seat, { files }: ReadChange, corrections: readonly Correction[]): Promise<string> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const ids = await blobsOf(
    seat,
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
  await git(seat, ['update-index', '-z', '--index-info'], { input: namesInput(lines) });
  return askGit(seat, ['write-tree']);
}

/** The texts as objects of the repository, by one process: the id of each. */
async function blobsOf(seat: Seat, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (texts.length === 0) return new Map();
  const folder = makeScratch('guard');
  try {
    const paths = texts.map((text, index) => {
      const path = join(folder, String(index));
      writeFileSync(path, text);
      return path;
    });
    const ids = await askGit(seat, ['hash-object', '-w', '--no-filters', '--stdin-paths'], { input: `${paths.join('\n')}\n` });
    const all = ids.split('\n');
    return new Map(texts.map((text, index) => [text, all[index] ?? '']));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
