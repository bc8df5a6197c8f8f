// The workspace of a session, by the project's settings. Its set-up command carries the id of a run, and goes with it where that is killed.

import { randomUUID } from 'node:crypto';
import { startGuardian } from '../agents/guardian.js';
import type { Inspector } from '../workspace/inspector.js';
import { openWorkspace } from '../workspace/workspace.js';
import type { SessionPlace } from '../workspace/site.js';
import type { GitWorkspace, Opening } from '../workspace/workspace.js';
import type { SessionFolder } from '../sessions/folder.js';
import type { Settings } from '../sessions/default-settings.js';
import { worktreeHome } from './project-folders.js';
import type { Sandbox } from '@umpire/core/ports.js';

export interface WorkspaceChoice {
  readonly project: string;
  readonly folder: SessionFolder;
  readonly session: string;
  readonly config: Settings;
  /** The run that a set-up command belongs to. */
  readonly run: string;
  /** Ends a set-up command that runs. */
  readonly signal: AbortSignal | undefined;
  /** A set-up command is held in this one. */
  readonly sandbox?: Sandbox | null;
  /** The session begins now. */
  readonly isNew?: boolean;
  /** What the journal of one that goes on knows of its commits. */
  readonly recorded?: NonNullable<SessionPlace['recorded']>;
  /** Looks at a task's work before it is committed. */
  readonly inspect?: Inspector | undefined;
  /** Hears what a person must know of a task's work. */
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
    // Not UMPIRE_RUN: a server that it starts for the tests lives on when the run ends in good order.
    env: { UMPIRE_SETUP: run },
    sandbox,
    isNew,
    ...(recorded === undefined ? {} : { recorded }),
    ...stop,
    ...(inspect === undefined ? {} : { inspect }),
    ...(say === undefined ? {} : { say }),
  });
}

/** The id of a run. Its children carry it in their environment. Sixty random bits. */
export function newRunId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 16);
}

interface NewWorkspace {
  readonly workspace: GitWorkspace;
  readonly opening: Opening;
}

/** For a session that begins. Its first run comes later, so a set-up command has a guardian of its own until it is done. */
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
