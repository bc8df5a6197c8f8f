// A commit of the project as a folder of its own, outside the project, with the project's installed packages. The person's
// repository is read with an index of its own, so nothing in it is written; packages are linked as worktrees have them. The folder is
// a repository too: tools that leave out what git ignores would else look at other files there than in the project.

import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { askGit, git, gitFault, runGitSync, nameOf, rawNames } from '../work/git.js';
import { linkEnvironment, findOuterEnvironment } from '../work/virtualenv-links.js';
import type { SharedFile } from '../work/virtualenv-links.js';
import { tryRevParse } from './provenance.js';
import { packageKind } from '../work/installers.js';
import { linkOne, placeSharedFiles } from '../work/shared-files.js';
import { OUTER_ENVIRONMENT, PROVISIONS_NOTE, isPythonEnvironment } from '../sessions/python-environment.js';
import { makeScratch } from '../sessions/session-folder.js';

/** A repository and where in it the project lies. */
export interface ProjectRepository {
  readonly gitDir: string;
  /** What all worktrees of it share. */
  readonly common: string;
  /** The top of the checkout, links resolved. */
  readonly top: string;
  /** The project from there; empty where it is the top. */
  readonly prefix: string;
}

/** Null where there is none, or no git. */
export function findProjectRepository(project: string): ProjectRepository | null {
  const asked = ['--path-format=absolute', '--absolute-git-dir', '--git-common-dir', '--show-toplevel'];
  const [gitDir, common, top] = tryRevParse(project, ...asked);
  if (gitDir === undefined || common === undefined || top === undefined) return null;
  const root = realpathSync.native(top);
  return { gitDir, common, top: root, prefix: relative(root, realpathSync.native(project)) };
}

export interface CommitCopy {
  /** Where the project lies in it. */
  readonly project: string;
  readonly remove: () => void;
}

export async function copyCommit(repository: ProjectRepository, commit: string): Promise<CommitCopy> {
  const { gitDir, top, prefix } = repository;
  const scratch = makeScratch('baseline');
  const remove = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  try {
    const root = join(scratch, 'tree');
    mkdirSync(root);
    const gitTarget = { gitDir, workTree: root, index: join(scratch, 'index') };
    await git(gitTarget, ['read-tree', commit]);
    await git(gitTarget, ['checkout-index', '--all', '--force']);
    const installed = foldersOf(top, '');
    await makeRepository(repository, gitTarget, commit, ignoredOf(top, installed));
    // A package of the project that the commit does not have yet needs none.
    const needed = installed.filter((path) => existsSync(join(root, dirname(path))));
    const outer = existsSync(join(root, prefix)) ? outerOf(top, prefix, installed) : [];
    placeSharedFiles(root, { items: [...needed.flatMap((path) => linkOne(top, path, false)), ...outer] });
    writeFileSync(join(scratch, PROVISIONS_NOTE), JSON.stringify([...installed, join(prefix, OUTER_ENVIRONMENT)]));
    linkOuter(top, scratch);
    const project = join(root, prefix);
    mkdirSync(project, { recursive: true });
    return { project, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** One of its own at the commit, that borrows the person's objects and ignores what theirs ignores, `ignored` too. */
async function makeRepository(
  { common }: ProjectRepository,
  gitTarget: { readonly gitDir: string; readonly workTree: string; readonly index: string },
  commit: string,
  ignored: readonly string[],
): Promise<void> {
  const id = await askGit(gitTarget, ['rev-parse', `${commit}^{commit}`]);
  const format = await askGit(gitTarget, ['rev-parse', '--show-object-format']);
  const gitDir = join(gitTarget.workTree, '.git');
  await git({ gitDir, workTree: gitTarget.workTree }, ['init', '-q', '--template=', `--object-format=${format}`]);
  for (const folder of ['objects/info', 'info']) mkdirSync(join(gitDir, folder), { recursive: true });
  writeFileSync(join(gitDir, 'objects', 'info', 'alternates'), `${join(common, 'objects')}\n`);
  for (const name of ['info/exclude', 'shallow']) if (existsSync(join(common, name))) copyFileSync(join(common, name), join(gitDir, name));
  appendFileSync(join(gitDir, 'info', 'exclude'), ignored.map((path) => `\n/${path.replace(/[\\*?[]/g, '\\$&')}\n`).join(''));
  writeFileSync(join(gitDir, 'HEAD'), `${id}\n`);
  renameSync(gitTarget.index, join(gitDir, 'index'));
}

/** Files of the project at a commit, relative to it. */
export function filesAt(project: string, commit: string): readonly string[] {
  return listGitNames(project, ['ls-tree', '-r', '-z', '--name-only', commit]);
}

/** Files of the project now, without those that git ignores. */
export function filesNow(project: string): readonly string[] {
  const listed = listGitNames(project, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  return listed.filter((path) => existsSync(join(project, path)));
}

/** Files that differ from the commit, new and removed ones included. */
export function filesChanged(project: string, commit: string): readonly string[] {
  const tracked = listGitNames(project, ['diff', '-z', '--name-only', '--no-renames', '--relative', '--no-ext-diff', commit, '--', '.']);
  return [...tracked, ...listGitNames(project, ['ls-files', '-z', '--others', '--exclude-standard'])];
}

/** Tracked files of a copy that a tool changed, relative to the project. */
export function filesRewritten(project: string, commit: string, prefix: string): readonly string[] {
  const changed = listGitNames(project, ['diff', '-z', '--name-only', '--no-renames', '--no-relative', '--no-ext-diff', commit]);
  return changed.map((path) => posix.relative(prefix, path));
}

/** How many lines of this file the change removed. */
export function linesRemoved(project: string, commit: string, path: string): number {
  const { code, stdout } = runGitSync(project, ['diff', '--numstat', '--no-renames', '--relative', '--no-ext-diff', commit, '--', path]);
  return code === 0 ? Number(/^\d+\t(\d+)/.exec(stdout.toString('utf8'))?.[1] ?? 0) : 0;
}

export function listGitNames(project: string, args: readonly string[]): readonly string[] {
  const { code, stdout, stderr } = runGitSync(project, args);
  // No list is not an empty one: a check of no files finds nothing.
  if (code !== 0) throw gitFault(args, code, stderr);
  return [...new Set(rawNames(stdout).map(nameOf))];
}

/** Also those that virtualenv has not made. */
const ENVIRONMENTS: ReadonlySet<string> = new Set(['.venv', 'venv']);
const ASIDE: ReadonlySet<string> = new Set(['.git', '.umpire', 'dist', 'build', 'coverage', '.cache']);
const MOST_LEVELS = 6;

/** Folders of installed packages in a checkout, in its packages too. */
function foldersOf(top: string, at: string, level = 0): readonly string[] {
  if (level > MOST_LEVELS) return [];
  return readdirSync(join(top, at), { withFileTypes: true }).flatMap((entry) => {
    const path = at === '' ? entry.name : `${at}/${entry.name}`;
    const kind = packageKind(top, path);
    // A link may lead nowhere.
    if ((kind !== null && kind !== 'other') || ENVIRONMENTS.has(entry.name)) return existsSync(join(top, path)) ? [path] : [];
    return entry.isDirectory() && !ASIDE.has(entry.name) ? foldersOf(top, path, level + 1) : [];
  });
}

/** The environment that is switched on and lies elsewhere; a worktree has its own of it. */
function outerOf(top: string, prefix: string, installed: readonly string[]): readonly SharedFile[] {
  const at = join(prefix, OUTER_ENVIRONMENT);
  const own = installed.map((path) => join(top, path)).filter(isPythonEnvironment);
  const from = isPythonEnvironment(join(top, at)) ? join(top, at) : findOuterEnvironment(top, join(top, prefix), own);
  return from === null ? [] : linkEnvironment(top, from, at);
}

/** Those that git ignores in the checkout as it is now: the commit may be older than the line that says so. */
function ignoredOf(top: string, folders: readonly string[]): readonly string[] {
  if (folders.length === 0) return [];
  const paths = folders.map((path) => `:(literal)${path}`);
  const listed = listGitNames(top, ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory', '--', ...paths]);
  return listed.map((path) => path.replace(/\/$/, ''));
}

/** Packages that Node finds above the checkout are found above the copy. */
function linkOuter(top: string, scratch: string): void {
  for (let folder = dirname(top); ; folder = dirname(folder)) {
    const packages = join(folder, 'node_modules');
    if (existsSync(packages)) return symlinkSync(packages, join(scratch, 'node_modules'));
    if (folder === dirname(folder)) return;
  }
}
