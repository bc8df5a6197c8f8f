// Prepares a new worktree: adds shared files, then runs the set-up command. Changes by that command are recorded separately, since they are
// not the task's work.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RepositoryTemplate } from './worktree-repository.js';
import { hasChanges, listChanges, writeTree } from './worktree-changes.js';
import { rawOf, blockedPathTest } from './git.js';
import type { RawName } from './git.js';
import type { Inspector } from './inspect-work.js';
import { findInstallers } from './installed-packages.js';
import type { InstalledPackages } from './installed-packages.js';
import { placeSharedFiles } from './shared-files.js';
import type { SharedFiles } from './shared-files.js';
import type { SessionGit } from './session-git.js';
import type { Worktree } from './worktree.js';
import { spawn } from 'node:child_process';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import type { Sandbox } from '@umpire/core/model/ports.js';
import { lineOf } from '../views/safe-text.js';
import { inheritedVariables } from '../sessions/environment.js';
import { environmentIn } from '../sessions/python-environment.js';

/** Gets the files that a task changed, relative to the project. Returns those whose change must not be committed. */
export type Protect = (
  task: string,
  attempt: number,
  files: readonly string[],
) => {
  readonly reverted: readonly string[];
  /** These changes are kept beside the session's branch, for a person. */
  readonly held: readonly string[];
};

export interface WorkspaceContext {
  readonly sessionGit: SessionGit;
  readonly sharedFiles: SharedFiles;
  readonly packages: InstalledPackages;
  readonly setup: string | null;
  readonly host: SetupHost;
  readonly template: RepositoryTemplate;
  /** Looks at a task's work before it is committed. */
  readonly inspect?: Inspector;
  readonly protect?: Protect;
  /** Gets notes on a task's work for the person. */
  readonly say?: (note: string) => void;
}

export function workdirOf({ repository }: SessionGit, root: string): string {
  return repository.prefix === '' ? root : join(root, repository.prefix);
}

/** True if no file or link is in place of the project's folder or a parent. */
export function hasRoomForProject({ repository }: SessionGit, root: string): boolean {
  return !blockedPathTest(root)(rawOf(join(repository.prefix, '.git')));
}

/** Adds what is missing. The project's folder may be missing in a commit. */
export function addSharedFiles({ sessionGit, sharedFiles, packages }: WorkspaceContext, { root }: Worktree): void {
  if (hasRoomForProject(sessionGit, root)) mkdirSync(workdirOf(sessionGit, root), { recursive: true });
  placeSharedFiles(root, sharedFiles, packages.changed);
}

/**
 * Returns the files that the set-up command made or changed, without ignored ones. `watch`: an index with them, written if there are any.
 * `isCheck`: the worktree is for a check, not for an agent.
 */
export async function prepareWorktree(
  context: WorkspaceContext,
  worktree: Worktree,
  watch: string,
  isCheck = false,
): Promise<readonly RawName[]> {
  const { sharedFiles, setup, packages, host } = context;
  addSharedFiles(context, worktree);
  const lacking = lackingPackages(context, worktree);
  if (setup === null && lacking.length === 0) return [];
  await installPackages(context, worktree, lacking, isCheck);
  if (setup !== null) await runCommand({ ...host, command: setup, isCheck }, workdirOf(context.sessionGit, worktree.root));
  const missing = lacking.filter((at) => !existsSync(join(worktree.root, at)));
  if (missing.length > 0) throw refusePackages(packages, missing, 'no lockfile is there, and workspace.setup does not install them');
  const changes = await listChanges(worktree, worktree.index, sharedFiles);
  if (!hasChanges(changes)) return [];
  await writeTree(worktree, worktree.index, changes, watch);
  return [...changes.tracked, ...changes.added];
}

/** Folders of installed packages that a worktree cannot share, since the person's were changed. */
export function lackingPackages({ packages }: WorkspaceContext, { root }: Worktree): readonly string[] {
  return [...packages.changed].filter((at) => existsSync(join(root, dirname(at))));
}

async function installPackages(
  { packages, host }: WorkspaceContext,
  { root }: Worktree,
  paths: readonly string[],
  isCheck: boolean,
): Promise<void> {
  for (const { command, folder } of findInstallers(root, paths)) {
    try {
      await runCommand({ ...host, command, isCheck }, folder);
    } catch (error) {
      if (!isUmpireError(error)) throw error;
      throw refusePackages(packages, paths, error.message);
    }
  }
}

/** The person is told with this error. What they have installed when they resume counts. */
export function refusePackages(packages: InstalledPackages, folders: readonly string[], detail: string): UmpireError {
  packages.forget();
  return new UmpireError('packages-changed', { folders: folders.join(', '), detail: detail.replace(/\.$/, '') });
}

// Runs the project's set-up command in every new worktree. A shell parses it, since it is the person's own text from the settings; it
// contains nothing of a task.

export interface SetupHost {
  /** Added to the person's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | null;
  /** Its sandbox: the command may run code that an agent wrote. */
  readonly sandbox: Sandbox | null;
}

interface SetupCommand extends SetupHost {
  readonly command: string;
  readonly isCheck: boolean;
}

const KEPT_CHARS = 4000;
const SHOWN_CHARS = 600;
const OUTPUT_WAIT_MS = 500;

async function runCommand({ command, env: added, signal, sandbox, isCheck }: SetupCommand, folder: string): Promise<void> {
  if (signal?.aborted === true) throw setupFault(command, folder, 'the run was stopped');
  const around = inheritedVariables();
  const env = { ...around, ...environmentIn(around)(folder), ...added };
  const argv = ['/bin/sh', '-c', command];
  const [program = '', ...args] = sandbox?.around({ argv, workdir: folder, env, isCheck }) ?? argv;
  const child = spawn(program, args, { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env });
  let tail = '';
  const keepTail = (chunk: Buffer): void => {
    tail = (tail + chunk.toString('utf8')).slice(-KEPT_CHARS);
  };
  child.stdout.on('data', keepTail);
  child.stderr.on('data', keepTail);
  const killSetup = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  };
  signal?.addEventListener('abort', killSetup, { once: true });
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  try {
    // Its own exit counts: a background process may hold its output open for ever.
    const how = await new Promise<string | null>((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.on('exit', (code, killed) => resolve(code === 0 ? null : killed === null ? `exit status ${code}` : `killed by ${killed}`));
    });
    if (how === null) return;
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, OUTPUT_WAIT_MS).unref())]);
    const said = lineOf(tail).trim().slice(-SHOWN_CHARS);
    throw setupFault(command, folder, said === '' ? how : `${how}; output: ${said}`);
  } finally {
    signal?.removeEventListener('abort', killSetup);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function setupFault(command: string, folder: string, detail: string): UmpireError {
  return new UmpireError('setup-failed', { command, folder, detail });
}
