// Real projects for tests of the workspace: a git repository (or a plain folder) of given files, a folder for worktrees beside it, and a
// snapshot of everything that Umpire must not change.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { openWorkspace } from '@umpire/umpire/work/workspace.js';
import type { GitWorkspace, WorkspaceOptions } from '@umpire/umpire/work/workspace.js';

export type Files = Readonly<Record<string, string | null>>;

export interface Project {
  readonly root: string;
  readonly options: WorkspaceOptions;
  readonly git: (...args: readonly string[]) => string;
  readonly write: (files: Files) => void;
  readonly commit: (files: Files, message?: string) => string;
  readonly open: (extra?: Partial<WorkspaceOptions>) => Promise<GitWorkspace>;
}

const made: string[] = [];

/** Every test file calls this. Its folders are deleted at its end, even if several files share this module. */
export function cleanUpAfterwards(): void {
  afterAll(removeTemporaryFolders, 120_000);
}

/** For a test that makes many folders: deletes them earlier. */
export function removeTemporaryFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function temporaryFolder(): string {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'umpire-workspace-')));
  made.push(folder);
  return folder;
}

/** Null removes a file. */
export function writeFiles(root: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    if (text === null) rmSync(join(root, path), { recursive: true, force: true });
    else {
      if (statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true) rmdirSync(join(root, path));
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  }
}

export function gitIn(folder: string, ...args: readonly string[]): string {
  return execFileSync(
    'git',
    ['-c', 'user.name=Person', '-c', 'user.email=person@example.com', '-c', 'gc.auto=0', '-c', 'core.fsync=none', ...args],
    {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    },
  );
}

/** A folder without git. */
export function plainProject(files: Files, place = 'project'): Project {
  const folder = temporaryFolder();
  const root = join(folder, place);
  mkdirSync(root, { recursive: true });
  writeFiles(root, files);
  const sessionFolder = join(root, '.umpire', 'sessions', 'review-1');
  writeFiles(sessionFolder, { 'tasks.csv': 'id\n' });
  writeFiles(join(root, '.umpire'), { '.gitignore': '*\n' });
  const options = { project: root, session: 'review-1', home: join(folder, 'worktrees'), sessionFolder, link: [], copy: [], setup: null };
  const git = (...args: readonly string[]): string => gitIn(root, ...args);
  return {
    root,
    options,
    git,
    write: (more) => writeFiles(root, more),
    commit: (more, message = 'work') => {
      writeFiles(root, more);
      git('add', '-A');
      git('commit', '-q', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD').trim();
    },
    open: async (extra = {}) => {
      const workspace = openWorkspace({ ...options, ...extra });
      await workspace.open();
      return workspace;
    },
  };
}

/** What `git init` writes: asked of git once, then written, without its hooks that do nothing. */
let emptyRepository: Files | null = null;

export function initRepository(root: string): void {
  if (emptyRepository === null) {
    const folder = mkdtempSync(join(tmpdir(), 'umpire-empty-'));
    gitIn(folder, 'init', '-q', '-b', 'main', '--template=');
    emptyRepository = Object.fromEntries(['HEAD', 'config'].map((name) => [name, readFileSync(join(folder, '.git', name), 'utf8')]));
    rmSync(folder, { recursive: true });
  }
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info', 'hooks'])
    mkdirSync(join(root, '.git', name), { recursive: true });
  writeFiles(join(root, '.git'), emptyRepository);
}

export function gitProject(files: Files = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' }): Project {
  const project = plainProject(files);
  initRepository(project.root);
  project.git('add', '-A');
  project.git('commit', '-q', '-m', 'first');
  return project;
}

/** One task, from the loan of a worktree to the merge. */
export async function runTask(workspace: GitWorkspace, task: string, files: Files, attempt = 1) {
  writeFiles(await workspace.lend(task, attempt), files);
  const submitted = await workspace.submit(task, attempt, `The work of ${task}`);
  await workspace.giveBack(task, attempt);
  return submitted;
}

/** Every file under a folder with its content, link target and mode. */
export function filesUnder(root: string, leave: (path: string) => boolean = () => false): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = (path: string): void => {
    for (const name of readdirSync(join(root, path)).toSorted()) {
      const inner = path === '' ? name : `${path}/${name}`;
      if (leave(inner)) continue;
      const stat = lstatSync(join(root, inner));
      if (stat.isDirectory()) walk(inner);
      else if (stat.isSymbolicLink()) found[inner] = `-> ${readlinkSync(join(root, inner))}`;
      else
        found[inner] =
          (stat.mode & 0o100) === 0 ? readFileSync(join(root, inner), 'latin1') : `x ${readFileSync(join(root, inner), 'latin1')}`;
    }
  };
  walk('');
  return found;
}

/** Everything that belongs to the person: files, index, HEAD, branches, tags, stash, settings. It must be equal before and after. */
export function ownThings(root: string): Readonly<Record<string, unknown>> {
  const dot = join(root, '.git');
  const hash = (path: string): string | null => (existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : null);
  return {
    files: filesUnder(root, (path) => path === '.git' || path === '.umpire'),
    index: hash(join(dot, 'index')),
    changed: lstatSync(join(dot, 'index'), { throwIfNoEntry: false })?.mtimeMs,
    head: readFileSync(join(dot, 'HEAD'), 'utf8'),
    config: hash(join(dot, 'config')),
    exclude: hash(join(dot, 'info', 'exclude')),
    headLog: hash(join(dot, 'logs', 'HEAD')),
    stash: hash(join(dot, 'logs', 'refs', 'stash')),
    refs: gitIn(root, 'for-each-ref')
      .split('\n')
      .filter((line) => !/refs\/(?:umpire|heads\/umpire)\//.test(line)),
  };
}
