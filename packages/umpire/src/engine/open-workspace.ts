// Opens the workspace of a session by the project's settings. The set-up command carries the id of its run, so that it ends if that is killed.

import { randomUUID } from 'node:crypto';
import { startGuardian } from '../agents/guardian.js';
import { openWorkspace } from '../work/workspace.js';
import type { SessionPlace } from '../work/session-git.js';
import type { WorkspaceOptions } from '../work/workspace.js';
import { omitUndefined } from '@umpire/core/formats/merge-objects.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import type { Settings } from '../sessions/settings.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { worktreeHome } from './project-folders.js';

/** What a caller adds to the settings of the project. */
type WorkspaceChoice = Pick<WorkspaceOptions, 'project' | 'session'> & {
  readonly [K in 'signal' | 'inspect' | 'protect' | 'say' | 'sandbox' | 'isNew' | 'recorded' | 'includesUncommitted']?:
    | WorkspaceOptions[K]
    | undefined;
} & {
  readonly folder: SessionFolder;
  readonly config: Settings;
  /** The run that a set-up command belongs to. */
  readonly run: string;
};

export function openWorkspaceFor({ project, session, folder, config, run, ...more }: WorkspaceChoice) {
  const { home, ...prepared } = config.workspace;
  return openWorkspace({
    project,
    session,
    home: worktreeHome(project, home),
    sessionFolder: folder.root,
    ...prepared,
    // Not UMPIRE_RUN: a test server that it starts survives a normal end of the run.
    env: { UMPIRE_SETUP: run },
    ...omitUndefined(more),
  });
}

/** The id of a run, which its child processes carry in their environment. */
export function newRunId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 16);
}

/** For a new session. Its first run comes later, so the set-up command gets a guardian of its own. */
export async function openNewWorkspace(choice: Omit<WorkspaceChoice, 'run' | 'isNew'>) {
  const run = newRunId();
  const workspace = openWorkspaceFor({ ...choice, run, isNew: true });
  if (choice.config.workspace.setup === null) return { workspace, opening: await workspace.open() };
  const guardian = startGuardian(run);
  try {
    return { workspace, opening: await workspace.open() };
  } finally {
    await guardian.close();
  }
}

/** The commits of a session by its journal. */
export function recordedCommits({ started, head }: RunState): Pick<SessionPlace, 'recorded'> {
  const base = started.workspace?.base;
  return base === undefined || head === null ? {} : { recorded: { base, head } };
}
