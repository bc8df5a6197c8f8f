// The sandbox of a session: which folders its programs may read and write, and which only Umpire may write.

import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import type { Sandbox } from '@umpire/core/model/ports.js';
import type { SessionStarted } from '@umpire/core/decider/events.js';
import { SEALED_FOLDERS, SEALED_NAMES } from '@umpire/core/formats/reserved-files.js';
import { removeCopies } from '../agents/guardian.js';
import { openSandbox } from '../agents/sandbox.js';
import { cacheHome, configHome, homeFolder } from '../sessions/environment.js';
import { faultOf, scratchHome } from '../sessions/session-folder.js';
import type { Settings } from '../sessions/settings.js';
import { keyFolder } from '../sessions/journal-key.js';
import { packageRoot } from '../sessions/package-root.js';
import { ownRepositoryAt } from '../work/worktree-repository.js';
import type { Repository } from '../work/repository.js';
import { findSessionGit } from '../work/session-git.js';
import { worktreeHome } from './project-folders.js';

/** Throws `sandbox-unavailable`. */
export async function checkSandbox(): Promise<void> {
  await openSandbox({ kept: [], write: [], sealed: [] });
}

/** `run` and `earlier`: the ids of this run and of runs that have ended. */
export async function openSessionSandbox(
  started: SessionStarted,
  session: string,
  config: Settings,
  { run, earlier }: { readonly run: string; readonly earlier: readonly string[] },
): Promise<Sandbox> {
  const { project, workspace } = started;
  const copies = join(cacheHome(), 'umpire', 'sandbox');
  // After a power cut, nobody has removed them.
  for (const id of earlier) removeCopies(join(copies, id));
  const home = worktreeHome(project, config.workspace.home);
  const sessionGit = workspace === null ? null : findSessionGit({ project, session: started.session, home, sessionFolder: session });
  const theirs = sessionGit === null ? [] : placesOf(sessionGit.repository);
  // Only existing folders can be sealed.
  for (const name of SEALED_FOLDERS) {
    try {
      mkdirSync(join(session, name), { recursive: true });
    } catch (error) {
      throw new UmpireError('write-failed', { path: name, detail: faultOf(error) });
    }
  }
  return openSandbox({
    kept: [
      ...homes(),
      project,
      ...theirs,
      home,
      ...(sessionGit === null ? [] : [dirname(sessionGit.folder)]),
      join(cacheHome(), 'umpire'),
      installedAt(packageRoot()),
    ],
    write: config.sandboxWrite.flatMap((path) => {
      // Without a home folder, `~/` has no meaning.
      if (!path.startsWith('~/')) return [resolve(project, path)];
      return homeFolder() === '' ? [] : [join(homeFolder(), path.slice(2))];
    }),
    ...(sessionGit === null ? {} : { alongside: (workdir: string) => ownRepositoryAt(sessionGit, workdir) }),
    sealed: [...SEALED_NAMES.map((name) => join(session, name)), join(configHome(), 'umpire')],
    // The key of journals, and the record of what the person trusts.
    hidden: [copies, ...[keyFolder() ?? []].flat()],
    ...(sessionGit === null ? {} : { agents: [session, join(project, '.umpire', 'sessions'), sessionGit.folder] }),
    scratch: scratchHome(),
    copies: join(copies, run),
  });
}

/** Read-only also in a temporary folder, as in some containers; not if it is that folder itself. */
function homes(): readonly string[] {
  return [homeFolder()].filter((home) => home !== '' && home !== tmpdir());
}

function placesOf({ checkout, gitDir }: Repository): readonly string[] {
  return [checkout.workTree, checkout.gitDir, gitDir];
}

/** Protects Umpire and its packages. With `npx` they are in npm's cache, in whose place programs have an empty one. */
export function installedAt(root: string): string {
  return /^.*?\/node_modules(?=\/)/.exec(root)?.[0] ?? root;
}
