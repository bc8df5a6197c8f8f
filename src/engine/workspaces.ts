// The workspace of a session, by the project's settings.

import type { Inspector } from '../workspace/inspector.js';
import { openWorkspace } from '../workspace/workspace.js';
import type { SessionFolder } from '../runtime/folder.js';
import type { Settings } from '../runtime/default-settings.js';
import { worktreeHome } from './places.js';
import type { Sandbox } from '../ports.js';

export interface WorkspaceChoice {
  readonly project: string;
  readonly folder: SessionFolder;
  readonly session: string;
  readonly config: Settings;
  /** Ends a set-up command that runs. */
  readonly signal: AbortSignal | undefined;
  /** A set-up command is held in this one. */
  readonly sandbox?: Sandbox | null;
  /** The session begins now. */
  readonly isNew?: boolean;
  /** Looks at a task's work before it is committed. */
  readonly inspect?: Inspector | undefined;
}

export function openWorkspaceFor({ project, folder, session, config, signal, sandbox = null, inspect, isNew = false }: WorkspaceChoice) {
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
    sandbox,
    isNew,
    ...stop,
    ...(inspect === undefined ? {} : { inspect }),
  });
}
