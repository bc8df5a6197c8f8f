// Adds untracked files that a task needs to a worktree: dependencies as links, files such as .env as copies. They are never committed.

import { cpSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { listOf, text } from '@umpire/core/model/schema.js';
import { lstatOf, statOf } from '../sessions/file-system.js';
import { faultOf } from '../sessions/session-folder.js';
import { OUTER_ENVIRONMENT, PROVISIONS_NOTE, isPythonEnvironment } from '../sessions/python-environment.js';
import { git, nameOf, rawNames, rawOf, blockedPathTest } from './git.js';
import type { RawName } from './git.js';
import { listCachedPackages, packageKind } from './installers.js';
import type { PackageFolder } from './installed-packages.js';
import { readState, writeStateFile } from './state-file.js';
import type { SharedFile } from './virtualenv-links.js';
import { expandPath, nameTest } from './untracked-files.js';
import {
  findOuterEnvironment,
  linkBundle,
  linkComposer,
  linkEnvironment,
  linkPackages,
  linkPlugNPlay,
  listPlugNPlayPlaces,
} from './virtualenv-links.js';
import type { SessionGit } from './session-git.js';

export interface SharedFiles {
  readonly items: readonly SharedFile[];
  /** Arguments for git to ignore them. */
  readonly ignore: readonly string[];
  /** Is the path, or a parent of it, a shared file? */
  readonly covers: (name: RawName) => boolean;
}

interface PlannedSharedFiles extends SharedFiles {
  /** Folders with installed packages that worktrees share. */
  readonly packages: readonly PackageFolder[];
  /** Entries of `link` and `copy` that match nothing in the project. */
  readonly absent: readonly string[];
}

const PACKAGES = 'node_modules';

/** Searches the untracked files of the person's checkout. `link` comes in addition to node_modules. */
export async function planSharedFiles(
  sessionGit: SessionGit,
  link: readonly string[],
  copy: readonly string[],
): Promise<PlannedSharedFiles> {
  const { checkout, prefix } = sessionGit.repository;
  const root = checkout.workTree;
  const untracked = rawNames(await git(checkout, ['ls-files', '-z', '-o', '--directory', '--full-name'])).map((name) =>
    nameOf(name).replace(/\/$/, ''),
  );
  const findMatching = (patterns: readonly string[]): readonly string[] => {
    const tests = patterns.filter((pattern) => !pattern.includes('/')).map(nameTest);
    const paths = patterns.filter((pattern) => pattern.includes('/')).flatMap((pattern) => expandPath(join(root, prefix), pattern));
    const named = (path: string) => (prefix === '' || path.startsWith(`${prefix}/`)) && tests.some((matches) => matches(basename(path)));
    return [...new Set([...untracked.filter(named), ...paths.map((path) => join(prefix, path))])];
  };
  const packages = findPackages(root, untracked);
  const asked = new Set(findMatching(link));
  const linked = [...new Set([...packages, ...asked])];
  const copied = findMatching(copy).filter((path) => !linked.includes(path));
  const environments = packages.map((path) => join(root, path)).filter(isPythonEnvironment);
  const outer = findOuterEnvironment(root, join(root, prefix), environments);
  const outerAt = join(prefix, OUTER_ENVIRONMENT);
  const items = [
    ...linked.flatMap((path) => linkOne(root, path, asked.has(path))),
    ...copied.map((path): SharedFile => ({ kind: 'copy', at: path, from: join(root, path) })),
    ...(outer === null ? [] : linkEnvironment(root, outer, outerAt)),
  ];
  const all = [...linked, ...copied, ...(outer === null ? [] : [outerAt])];
  writeStateFile(noteOf(sessionGit), all);
  return {
    items,
    packages: [
      ...linked.flatMap((path) => watchedAt(root, path)),
      ...(outer === null ? [] : [{ at: outerAt, kind: 'python' as const, places: [outer] }]),
      ...[...new Set(['', prefix])].flatMap((folder) =>
        listCachedPackages(join(root, folder)).map(({ lockfile, places }) => ({
          at: join(folder, lockfile),
          kind: 'cache' as const,
          places,
        })),
      ),
    ],
    absent: [...link, ...copy].filter((one) => findMatching([one]).length === 0 && !existsSync(join(root, prefix, one))),
    ...ignoreShared(all),
  };
}

/** Installed packages that git does not track. Of `vendor`, the part that Bundler fills. */
export function findPackages(root: string, untracked: readonly string[]): readonly string[] {
  const inside = untracked.flatMap((path) => (basename(path) === 'vendor' ? [path, join(path, 'bundle')] : [path]));
  return inside.filter((path) => !['other', null].includes(packageKind(root, path)));
}

function watchedAt(root: string, at: string): readonly PackageFolder[] {
  const kind = packageKind(root, at);
  if (kind === null) return [];
  return [{ at, kind, places: [join(root, at), ...(kind === 'plug-n-play' ? listPlugNPlayPlaces(root, at) : [])] }];
}

/** `isAsked`: the settings name it as a link. Packages whose place matters get their own folder anyway. */
export function linkOne(root: string, path: string, isAsked: boolean): readonly SharedFile[] {
  const source = join(root, path);
  switch (packageKind(root, path)) {
    case 'node':
      // Also where node_modules is itself a link: through a single link, a clean install would delete the person's packages.
      if (statOf(source)?.isDirectory() === true) return linkPackages(root, path);
      break;
    case 'python':
      if (!isAsked) return linkEnvironment(root, realpathSync.native(source), path);
      break;
    case 'ruby':
      if (!isAsked) return linkBundle(root, path);
      break;
    case 'php':
      return linkComposer(root, path);
    case 'plug-n-play':
      return linkPlugNPlay(root, path);
    case 'cache':
    case 'other':
    case null:
  }
  return [{ kind: 'link', at: path, to: source, inside: null }];
}

/** Shared files are not the task's work, ignored or not; nor are installed packages. */
const IGNORE = ['--exclude-standard', '-x', PACKAGES, '-x', '**/.umpire/sessions/'];

function ignoreShared(paths: readonly string[]): Omit<SharedFiles, 'items'> {
  const given = new Set(paths.map(rawOf));
  return {
    ignore: IGNORE,
    covers: (name) => {
      for (let path = name; path !== '.'; path = dirname(path)) if (given.has(path)) return true;
      return false;
    },
  };
}

function noteOf({ folder }: SessionGit): string {
  return join(folder, PROVISIONS_NOTE);
}

const PATHS = listOf(text);

/** The shared paths of the last run. Empty where the file is damaged: the next run rewrites it. */
export function readSharedPaths(sessionGit: SessionGit): readonly string[] {
  const read = readState(noteOf(sessionGit), PATHS);
  return read.kind === 'note' ? read.note : [];
}

/** Those of the last run, to tell its work from them. It has no items to place. */
export function readSharedFiles(sessionGit: SessionGit): SharedFiles {
  return { items: [], ...ignoreShared(readSharedPaths(sessionGit)) };
}

/** `changed`: folders of the checkout that are not shared any more. */
export function placeSharedFiles(root: string, { items }: Pick<SharedFiles, 'items'>, changed: ReadonlySet<string> = NONE): void {
  const isOut = ({ at }: SharedFile) => [...changed].some((folder) => `${at}/`.startsWith(`${folder}/`));
  placeItems(root, changed.size === 0 ? items : items.filter((item) => !isOut(item)));
}

const NONE: ReadonlySet<string> = new Set();

/** Adds the missing shared files to a worktree. Never follows a link that leads out of it. */
function placeItems(root: string, items: readonly SharedFile[]): void {
  const isBlocked = blockedPathTest(root);
  for (const item of items) {
    if (isBlocked(rawOf(item.at)) && !staysInside(root, item.at)) continue;
    const target = join(root, item.at);
    try {
      if (item.kind === 'folder') {
        if (item.isOld?.(target) === true) rmSync(target, { recursive: true, force: true });
        mkdirSync(target, { recursive: true });
        continue;
      }
      if (lstatOf(target) !== undefined || (item.kind === 'copy' && statOf(item.from) === undefined)) continue;
      mkdirSync(dirname(target), { recursive: true });
      if (item.kind === 'copy') cpSync(item.from, target, { recursive: true, dereference: true, preserveTimestamps: true });
      else if (item.kind === 'text') writeFileSync(target, item.text(root), { mode: item.mode });
      else symlinkSync(item.inside !== null && existsSync(join(root, item.inside)) ? join(root, item.inside) : item.to, target);
    } catch (error) {
      throw new UmpireError('write-failed', { path: target, detail: faultOf(error) });
    }
  }
}

/** Projects have links from one of their folders to another. */
function staysInside(root: string, path: string): boolean {
  let folder = dirname(join(root, path));
  while (lstatOf(folder) === undefined) folder = dirname(folder);
  const isFolder = statOf(folder)?.isDirectory() === true;
  return isFolder && join(realpathSync.native(folder), sep).startsWith(join(realpathSync.native(root), sep));
}
