// Prepares a new worktree: adds shared files, then runs the set-up command. Changes by that command are recorded separately, since they are
// not the task's work.

import { appendFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RepositoryTemplate } from './worktree-repository.js';
import { hasChanges, listChanges, writeTree } from './worktree-changes.js';
import { diffTrees } from './commits.js';
import { nameOf, rawOf, blockedPathTest } from './git.js';
import type { RawName } from './git.js';
import type { Inspector } from './inspect-work.js';
import { findInstaller } from './installers.js';
import type { Installer } from './installers.js';
import type { InstalledPackages, PackageFolder } from './installed-packages.js';
import { placeSharedFiles } from './shared-files.js';
import type { SharedFiles } from './shared-files.js';
import { readRef, refsOf } from './session-git.js';
import type { SessionGit } from './session-git.js';
import type { Worktree } from './worktree.js';
import { spawn } from 'node:child_process';
import { UmpireError } from '@umpire/core/model/errors.js';
import type { Sandbox } from '@umpire/core/model/ports.js';
import { lineOf } from '../views/safe-text.js';
import { findPersonalProgram, inheritedVariables, personalPath } from '../sessions/environment.js';
import { ENVIRONMENT_NOTE, environmentIn } from '../sessions/python-environment.js';

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

/** Adds what is missing. The project's folder may be missing in a commit. `installed`: folders that the worktree has for itself. */
export function addSharedFiles(
  { sessionGit, sharedFiles, packages }: WorkspaceContext,
  { root }: Worktree,
  installed: readonly string[] = [],
): void {
  if (hasRoomForProject(sessionGit, root)) mkdirSync(workdirOf(sessionGit, root), { recursive: true });
  placeSharedFiles(root, sharedFiles, new Set([...packages.changed, ...installed]));
}

export interface PreparedWorktree {
  /** Files that the set-up command made or changed, without ignored ones. */
  readonly products: readonly RawName[];
  /** Folders of packages that were installed for this worktree alone. */
  readonly installed: readonly string[];
}

/**
 * `watch`: an index with the set-up command's files, written if there are any. `checked`: the commit, where the worktree is for a check and
 * not for an agent.
 */
export async function prepareWorktree(
  context: WorkspaceContext,
  worktree: Worktree,
  watch: string,
  checked: string | null = null,
): Promise<PreparedWorktree> {
  const { sharedFiles, setup, packages, host } = context;
  const isCheck = checked !== null;
  const lacking = listLacking(context, worktree);
  const cached = lacking.filter(({ kind }) => kind === 'cache');
  if (cached.length > 0) throw refusePackages(packages, pathsOf(cached), IN_CACHE);
  // A set-up command installs what the project needs.
  const other = checked === null || setup !== null ? [] : await listOther(context, worktree, checked);
  const jobs = groupByInstaller(worktree.root, [...lacking, ...other], packages.folders);
  addSharedFiles(
    context,
    worktree,
    jobs.flatMap(({ folders }) => pathsOf(folders)),
  );
  const installed: string[] = [];
  for (const job of jobs) {
    const fault = await installPackages(context, worktree, job, isCheck);
    if (fault === null) installed.push(...pathsOf(job.folders));
    else if (job.folders.every((folder) => !lacking.includes(folder)))
      context.say?.(
        `${job.name} is another one in the work, and could not be installed (${fault.replace(/\.$/, '')}). The check uses your own packages.`,
      );
    else if (setup === null) throw refusePackages(packages, pathsOf(lacking), fault);
  }
  addSharedFiles(context, worktree, installed);
  if (setup === null && installed.length === 0) return { products: [], installed };
  if (setup !== null) {
    const folder = workdirOf(context.sessionGit, worktree.root);
    const detail = await runCommand({ ...host, command: setup, isCheck }, folder);
    if (detail !== null) throw new UmpireError('setup-failed', { command: setup, folder, detail });
  }
  const missing = pathsOf(lacking).filter((at) => !existsSync(join(worktree.root, at)));
  if (missing.length > 0) throw refusePackages(packages, missing, 'workspace.setup does not install them');
  const changes = await listChanges(worktree, worktree.index, sharedFiles);
  if (!hasChanges(changes)) return { products: [], installed };
  await writeTree(worktree, worktree.index, changes, watch);
  return { products: [...changes.tracked, ...changes.added], installed };
}

const IN_CACHE = 'they lie in a cache of all your projects, which Umpire leaves alone. Delete the changed folders there and build once';

function pathsOf(folders: readonly PackageFolder[]): string[] {
  return folders.map(({ at }) => at);
}

/** Packages that a worktree cannot share, since the person's were changed. */
function listLacking({ packages }: WorkspaceContext, { root }: Worktree): readonly PackageFolder[] {
  const homeOf = ({ at, kind }: PackageFolder) => (kind === 'ruby' ? dirname(dirname(at)) : dirname(at));
  return packages.folders.filter((folder) => packages.changed.has(folder.at) && existsSync(join(root, homeOf(folder))));
}

/** Packages whose lockfile is another one in this commit than at the base. The person's copy may lack some of them. */
async function listOther({ sessionGit, packages }: WorkspaceContext, { root }: Worktree, commit: string) {
  const base = await readRef(sessionGit, refsOf(sessionGit).base);
  if (base === null || base === commit || packages.folders.length === 0) return [];
  const changed = new Set((await diffTrees(sessionGit, base, commit)).map(({ name }) => nameOf(name)));
  return packages.folders.filter(({ at, kind }) => {
    if (kind === 'cache' || packages.changed.has(at)) return false;
    const installer = findInstaller(root, at, kind);
    return installer !== null && !installer.isManifest && changed.has(installer.lockfile);
  });
}

interface InstallJob {
  /** The lockfile, or the folder where there is none. */
  readonly name: string;
  readonly installer: Installer | null;
  readonly folders: readonly PackageFolder[];
}

/** One lockfile may fill several folders, as in a workspace: they are installed together. */
function groupByInstaller(root: string, wanted: readonly PackageFolder[], all: readonly PackageFolder[]): readonly InstallJob[] {
  const jobs = new Map<string, InstallJob>();
  for (const folder of wanted) {
    const installer = findInstaller(root, folder.at, folder.kind);
    const name = installer?.lockfile ?? folder.at;
    const isSame = ({ at, kind }: PackageFolder) => kind === folder.kind && findInstaller(root, at, kind)?.lockfile === name;
    const folders = folder.kind === 'node' && installer !== null ? all.filter(isSame) : [folder];
    jobs.set(`${name} ${folder.kind === 'node' ? '' : folder.at}`, { name, installer, folders });
  }
  return [...jobs.values()];
}

/** Returns why it was not possible, as the end of a sentence. */
async function installPackages(
  { host }: WorkspaceContext,
  { root }: Worktree,
  { installer, folders }: InstallJob,
  isCheck: boolean,
): Promise<string | null> {
  if (installer === null) return 'no lockfile is there, and workspace.setup does not install them';
  const { program, command, folder, packages } = installer;
  if (findPersonalProgram(program) === null) return `${program} is not installed on this machine`;
  const empty = join(root, EMPTY_CACHE);
  // The manager itself is the person's, whatever a project has in its PATH.
  const env = { ...host.env, PATH: personalPath(), PACKAGES: packages, EMPTY: empty };
  const fault = await runCommand({ ...host, env, command, isCheck }, folder);
  rmSync(empty, { recursive: true, force: true });
  for (const { at, kind, places } of folders) {
    const place = join(root, at);
    if (fault !== null) rmSync(place, { recursive: true, force: true });
    // Else a shell in which the person's environment is active would have programs use that one.
    else if (kind === 'python') appendFileSync(join(place, ENVIRONMENT_NOTE), `umpire-of = ${places[0] ?? ''}\n`);
  }
  return fault === null ? null : `${program} failed: ${fault}`;
}

/** In the worktree, so that packages can be linked from it. */
const EMPTY_CACHE = '.umpire/installing';

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

/** Returns how it failed, as the end of a sentence; null where it succeeded. */
async function runCommand({ command, env: added, signal, sandbox, isCheck }: SetupCommand, folder: string): Promise<string | null> {
  if (signal?.aborted === true) return 'the run was stopped';
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
    if (how === null) return null;
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, OUTPUT_WAIT_MS).unref())]);
    const said = lineOf(tail).trim().slice(-SHOWN_CHARS);
    return said === '' ? how : `${how}; output: ${said}`;
  } finally {
    signal?.removeEventListener('abort', killSetup);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
