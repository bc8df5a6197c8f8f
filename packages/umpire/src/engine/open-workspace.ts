// Opens the workspace of a session by the project's settings. The set-up command carries the id of its run, so that it ends if that is killed.

import { randomUUID } from 'node:crypto';
import { startGuardian } from '../agents/guardian.js';
import type { Inspector } from '../work/inspect-work.js';
import type { Protect } from '../work/prepare-worktree.js';
import { openWorkspace } from '../work/workspace.js';
import type { SessionPlace } from '../work/session-git.js';
import type { GitWorkspace, OpenedWorkspace } from '../work/workspace.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import type { Settings } from '../sessions/settings.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { worktreeHome } from './project-folders.js';
import type { Sandbox } from '@umpire/core/model/ports.js';

export interface WorkspaceChoice {
  readonly project: string;
  readonly folder: SessionFolder;
  readonly session: string;
  readonly config: Settings;
  /** The run that a set-up command belongs to. */
  readonly run: string;
  /** Ends the set-up command. */
  readonly signal: AbortSignal | undefined;
  /** The set-up command runs in it. */
  readonly sandbox?: Sandbox | null;
  /** The session starts now. */
  readonly isNew?: boolean;
  /** The commits of a started session by its journal. */
  readonly recorded?: NonNullable<SessionPlace['recorded']>;
  /** Checks a task's work before it is committed. */
  readonly inspect?: Inspector | undefined;
  readonly protect?: Protect;
  /** Called with notes for the person. */
  readonly say?: ((note: string) => void) | undefined;
}

export function openWorkspaceFor({
  project,
  folder,
  session,
  config,
  run,
  signal,
  sandbox = null,
  inspect,
  protect,
  say,
  isNew = false,
  recorded,
}: WorkspaceChoice) {
  const { home, link, copy, setup } = config.workspace;
  const stop = signal === undefined ? {} : { signal };
  return openWorkspace({
    project,
    session,
    home: worktreeHome(project, home),
    sessionFolder: folder.root,
    link,
    copy,
    setup,
    // Not UMPIRE_RUN: a test server that it starts survives a normal end of the run.
    env: { UMPIRE_SETUP: run },
    sandbox,
    isNew,
    ...(recorded === undefined ? {} : { recorded }),
    ...stop,
    ...(inspect === undefined ? {} : { inspect }),
    ...(protect === undefined ? {} : { protect }),
    ...(say === undefined ? {} : { say }),
  });
}

/** The id of a run, which its child processes carry in their environment. */
export function newRunId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 16);
}

interface NewWorkspace {
  readonly workspace: GitWorkspace;
  readonly opening: OpenedWorkspace;
}

/** For a new session. Its first run comes later, so the set-up command gets a guardian of its own. */
export async function openNewWorkspace(choice: Omit<WorkspaceChoice, 'run' | 'isNew'>): Promise<NewWorkspace> {
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
