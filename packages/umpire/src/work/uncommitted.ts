// The person's uncommitted changes: lists them, and records them as the commit that a session begins with. Index, HEAD, branches and stash
// stay as they are.

import { realpathSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { lstatOf } from '../sessions/file-system.js';
import { makeScratch } from '../sessions/session-folder.js';
import { commitTree, diffTrees } from './commits.js';
import { askGit, git, linkOnPathTest, namesInput, pathIn, rawNames } from './git.js';
import type { RawName } from './git.js';
import { listFew, projectNames } from './session-git.js';
import type { SessionGit } from './session-git.js';

type Checkout = Pick<SessionGit, 'repository' | 'place'>;
/** Of a repository with commits. */
type GitCheckout = Checkout & Pick<SessionGit, 'gitTarget'>;

/** The commit that a session begins with where the person's uncommitted changes belong to its base. */
export interface IncludedChanges {
  /** The parent itself where nothing could be included. */
  readonly commit: string;
  /** The person's last commit. */
  readonly parent: string;
  readonly files: readonly string[];
  /** Changes that it does not have, each with the reason in parentheses. */
  readonly leftOut: readonly string[];
}

/** Folders and files that tools create and nobody commits. */
const GENERATED = new Set([
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.tox',
  '.nox',
  '.nyc_output',
  '.DS_Store',
]);

/** A new file that tools make. Git lists a wholly new folder with a slash. */
export function isGeneratedFile(path: string): boolean {
  return path.split('/').some((part) => GENERATED.has(part));
}

/** A larger new file is rarely part of a test, and would be in every worktree and in the repository. */
const LARGEST_NEW_FILE_BYTES = 50 * 1024 ** 2;
const BYTES_PER_MB = 1024 ** 2;

const TITLE = 'Uncommitted changes when the session began';

interface StatusEntry {
  readonly name: RawName;
  /** Two letters of `git status --porcelain`. */
  readonly state: string;
}

/** In a folder without git everything is part of the base. */
export async function uncommittedIn({ repository, place }: Checkout): Promise<readonly string[]> {
  if (repository.kind === 'snapshot') return [];
  const entries = await listStatus({ repository, place }, 'normal');
  return projectNames(
    entries.map(({ name }) => name),
    repository.prefix,
  );
}

async function listStatus({ repository, place }: Checkout, untracked: 'normal' | 'all'): Promise<readonly StatusEntry[]> {
  const own = ['.umpire', relative(realpathSync.native(place.project), resolve(place.sessionFolder))];
  // To find changes inside a submodule, git would run with the submodule's own settings.
  const out = await git(repository.checkout, [
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    `--untracked-files=${untracked}`,
    '--ignore-submodules=dirty',
  ]);
  const entries = rawNames(out).map((entry) => ({ name: entry.slice(3), state: entry.slice(0, 2) }));
  const names = projectNames(
    entries.map(({ name }) => name),
    repository.prefix,
  );
  // Git lists a wholly untracked folder with a slash, without its files.
  const isOwn = (name: string): boolean =>
    own.some((folder) => `${name}/`.startsWith(`${folder}/`) || (name.endsWith('/') && folder.startsWith(name)));
  return entries.filter((_, at) => !isOwn(names[at] ?? ''));
}

/**
 * Makes a commit of the files as they are on disk: changed, deleted and new ones, as `git add --all` would take them. Leaves out submodules
 * and other repositories, what tools generate, and very large new files.
 */
export async function commitUncommitted(sessionGit: GitCheckout): Promise<IncludedChanges> {
  const { repository } = sessionGit;
  const { checkout, prefix } = repository;
  const entries = await listStatus(sessionGit, 'all');
  const named = (names: readonly RawName[]) => projectNames(names, prefix);
  const unmerged = entries.filter(({ state }) => state.includes('U') || state === 'AA' || state === 'DD').map(({ name }) => name);
  if (unmerged.length > 0) throw new UmpireError('uncommitted-unmerged', { files: listFew(named(unmerged)) });
  const leftOut: string[] = [];
  const taken: RawName[] = [];
  for (const entry of entries) {
    const [file = ''] = named([entry.name]);
    const why = refuseFile(checkout.workTree, entry, file);
    if (why === null) taken.push(entry.name);
    else if (!isGeneratedFile(file)) leftOut.push(`${file} (${why})`);
  }
  const parent = await askGit(checkout, ['rev-parse', '--verify', 'HEAD^{commit}']);
  const tree = await treeOfFiles(sessionGit, parent, taken);
  // Git may list a file as changed that a filter makes the same.
  const files = named((await diffTrees(sessionGit, parent, tree)).map(({ name }) => name));
  const commit = files.length === 0 ? parent : await commitTree(sessionGit, tree, [parent], TITLE);
  return { commit, parent, files, leftOut };
}

/** Why a file stays out; null where it is taken. */
function refuseFile(root: string, { name, state }: StatusEntry, file: string): string | null {
  const stat = lstatOf(pathIn(root, name));
  // A tracked file that became a folder is removed; the folder's files are listed themselves.
  if (name.endsWith('/') || (stat?.isDirectory() === true && !state.includes('D'))) return 'a repository of its own';
  const isNew = state.includes('?') || state.includes('A');
  if (isNew && isGeneratedFile(file)) return 'tools make it';
  if (isNew && stat !== undefined && stat.size > LARGEST_NEW_FILE_BYTES) return `new, ${Math.round(stat.size / BYTES_PER_MB)} MB`;
  return null;
}

/** The tree of the commit with these files as they are on disk. */
async function treeOfFiles({ repository }: Checkout, commit: string, names: readonly RawName[]): Promise<string> {
  const { checkout } = repository;
  const folder = makeScratch('uncommitted');
  const target = { ...checkout, index: join(folder, 'index') };
  try {
    await git(target, ['read-tree', commit]);
    const isBeyondLink = linkOnPathTest(checkout.workTree);
    // Git would follow a link, or take a folder for a submodule.
    const isGone = (name: RawName): boolean => {
      const stat = lstatOf(pathIn(checkout.workTree, name));
      return stat === undefined || stat.isDirectory() || isBeyondLink(name);
    };
    const gone = names.filter(isGone);
    const removed = gone.map((name) => `0 ${commit.replaceAll(/./g, '0')}\t${name}`);
    await git(target, ['update-index', '-z', '--index-info'], { input: namesInput(removed) });
    const there = names.filter((name) => !isGone(name));
    await git(target, ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { input: namesInput(there) });
    return await askGit(target, ['write-tree']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
