// After a project was moved: the worktrees of its sessions lie where those of the old place do, and name it. They are brought to
// where the new place has its own, with what a person changed there.

import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { lstatOf } from '../sessions/entry.js';
import { faultOf, makeFolders } from '../sessions/folder.js';
import { readProvided } from './provisions.js';
import { removeTree } from './removal.js';
import { readSessionNote, writeSessionNote } from './session-note.js';
import { findFormer, rewriteNote } from './site.js';
import type { Site } from './site.js';
import { followLeases } from './task-worktree.js';
import { dropLink, worktreeOf } from './worktree.js';

/** May be repeated after a crash: the note, which says where the project was, is written last. */
export async function followProject(site: Site): Promise<void> {
  const former = findFormer(site);
  if (former === null) return;
  const { folder, repository } = site;
  try {
    if (former !== folder) {
      makeFolders(dirname(folder));
      renameSync(former, folder);
    }
    followLeases(site);
    const read = readSessionNote(site);
    if (read.kind === 'note') {
      const { note } = read;
      const admin = join(repository.gitDir, 'worktrees', basename(note.admin));
      const { root } = worktreeOf(site, 'session', admin);
      if (existsSync(admin)) writeFileSync(join(admin, 'gitdir'), `${join(root, '.git')}\n`);
      writeSessionNote(site, { ...note, admin });
      await removeLinks(site, root);
    }
  } catch (error) {
    if (isUmpireError(error)) throw error;
    throw new UmpireError('write-failed', { path: folder, detail: faultOf(error) });
  }
  rewriteNote(site);
}

/** They lead to the old place. New ones are placed where they are missing. */
async function removeLinks(site: Site, root: string): Promise<void> {
  dropLink(root);
  for (const path of readProvided(site)) {
    const place = join(root, path);
    if (basename(path) === 'node_modules' || lstatOf(place)?.isSymbolicLink() === true) await removeTree(place);
  }
}
