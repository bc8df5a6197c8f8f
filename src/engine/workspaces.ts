// The workspace of a session, by the project's settings.

import type { Inspector } from '../workspace/inspector.js';
import { openWorkspace } from '../workspace/workspace.js';
import type { SessionFolder } from '../runtime/folder.js';
import type { Settings } from '../runtime/default-settings.js';
import { worktreeHome } from './places.js';

export interface WorkspaceChoice {
  readonly project: string;
  readonly folder: SessionFolder;
  readonly session: string;
  readonly config: Settings;
  /** Ends a set-up command that runs. */
  readonly signal: AbortSignal | undefined;
  /** The session begins now. */
  readonly isNew?: boolean;
  /** Looks at a task's work before it is committed. */
  readonly inspect?: Inspector | undefined;
}

export function openWorkspaceFor({ project, folder, session, config, signal, inspect, isNew = false }: WorkspaceChoice) {
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
    isNew,
    ...stop,
    ...(inspect === undefined ? {} : { inspect }),
  });
}
