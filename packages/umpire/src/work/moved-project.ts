// After a project was moved: moves the worktrees of its sessions to the new project's folder for worktrees, with a person's edits in them.

import { renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { lstatOf } from '../sessions/file-system.js';
import { faultOf, makeFolders } from '../sessions/session-folder.js';
import { readSharedPaths } from './shared-files.js';
import { removeFolder } from './remove-folder.js';
import { findFormerFolder, writeWorkspaceNote } from './session-git.js';
import type { SessionGit } from './session-git.js';
import { dropLink, worktreeOf } from './worktree.js';

/** Can be repeated after a crash: the note with the old path is written last. */
export async function followMovedProject(sessionGit: SessionGit): Promise<void> {
  const former = findFormerFolder(sessionGit);
  if (former === null) return;
  const { folder } = sessionGit;
  try {
    if (former !== folder) {
      makeFolders(dirname(folder));
      renameSync(former, folder);
    }
    // They lead to the old path. New ones are made where they are missing.
    const root = worktreeOf(sessionGit, 'session').root;
    dropLink(root);
    for (const path of readSharedPaths(sessionGit)) {
      const place = join(root, path);
      if (basename(path) === 'node_modules' || lstatOf(place)?.isSymbolicLink() === true) await removeFolder(place);
    }
  } catch (error) {
    if (isUmpireError(error)) throw error;
    throw new UmpireError('write-failed', { path: folder, detail: faultOf(error) });
  }
  writeWorkspaceNote(sessionGit);
}
