// What a worktree lacks and a task needs: dependencies as links, files such as .env as copies. None of it is ever committed; the
// set-up command is left to setup-command.ts.

import { cpSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { listOf, text } from '@umpire/core/formats/shape.js';
import { lstatOf, statOf } from '../sessions/entry.js';
import { faultOf } from '../sessions/folder.js';
import { OUTER_ENVIRONMENT, PROVISIONS_NOTE, isPythonEnvironment } from '../sessions/python-environment.js';
import { git, nameOf, rawNames, rawOf } from './git.js';
import type { RawName } from './git.js';
import { blockTest } from './on-the-way.js';
import { readNoteFile, writeNoteFile } from './note-file.js';
import { linkPackages } from './package-links.js';
import type { Provision } from './package-links.js';
import { expandPath, nameTest } from './patterns.js';
import { linkEnvironment, outerEnvironment } from './python-links.js';
import type { Site } from './site.js';

export interface Provisions {
  readonly items: readonly Provision[];
  /** Arguments for git to leave them out. */
  readonly ignore: readonly string[];
  /** Is it, or does it lie in, something that was provided? */
  readonly covers: (name: RawName) => boolean;
}

interface PlannedProvisions extends Provisions {
  /** Entries of `link` and `copy` that nothing in the project fits. */
  readonly absent: readonly string[];
}

const PACKAGES = 'node_modules';

/** Looks through what git does not track in the person's checkout. `link` is in addition to node_modules. */
export async function planProvisions(site: Site, link: readonly string[], copy: readonly string[]): Promise<PlannedProvisions> {
  const { checkout, prefix } = site.repository;
  const root = checkout.workTree;
  const untracked = rawNames(await git(checkout, ['ls-files', '-z', '-o', '--directory', '--full-name'])).map((name) =>
    nameOf(name).replace(/\/$/, ''),
  );
  const inProject = (path: string): boolean => prefix === '' || path.startsWith(`${prefix}/`);
  const byName = (patterns: readonly string[]): readonly string[] => {
    const tests = patterns.filter((pattern) => !pattern.includes('/')).map(nameTest);
    return untracked.filter((path) => inProject(path) && tests.some((matches) => matches(basename(path))));
  };
  const byPath = (patterns: readonly string[]): readonly string[] =>
    patterns
      .filter((pattern) => pattern.includes('/'))
      .flatMap((pattern) => expandPath(join(root, prefix), pattern).map((path) => join(prefix, path)));
  const packages = untracked.filter((path) => basename(path) === PACKAGES || isPythonEnvironment(join(root, path)));
  const asked = new Set([...byName(link), ...byPath(link)]);
  const linked = [...new Set([...packages, ...asked])];
  const copied = [...new Set([...byName(copy), ...byPath(copy)])].filter((path) => !linked.includes(path));
  const environments = packages.filter((path) => basename(path) !== PACKAGES).map((path) => join(root, path));
  const outer = outerEnvironment(root, join(root, prefix), environments);
  const outerAt = join(prefix, OUTER_ENVIRONMENT);
  const items = [
    ...linked.flatMap((path) => linkOne(root, path, asked.has(path))),
    ...copied.map((path): Provision => ({ kind: 'copy', at: path, from: join(root, path) })),
    ...(outer === null ? [] : linkEnvironment(root, outer, outerAt)),
  ];
  const all = [...linked, ...copied, ...(outer === null ? [] : [outerAt])];
  writeNoteFile(noteOf(site), all);
  const fits = (one: string): boolean => byName([one]).length + byPath([one]).length > 0 || existsSync(join(root, prefix, one));
  return { items, absent: [...link, ...copy].filter((one) => !fits(one)), ...leaveOut(all) };
}

/** `isAsked`: the settings name it as a link. Packages of Node get their own folder all the same. */
function linkOne(root: string, path: string, isAsked: boolean): readonly Provision[] {
  const source = join(root, path);
  // Also where the folder is itself a link: by one link for all, a task that installs anew would clear away the person's own.
  if (statOf(source)?.isDirectory() === true && basename(path) === PACKAGES) return linkPackages(root, path);
  if (!isAsked && isPythonEnvironment(source)) return linkEnvironment(root, realpathSync.native(source), path);
  return [{ kind: 'link', at: path, to: source, inside: null }];
}

/** Ignored by git's own rules or not, what was provided is not the task's work; nor is what a task installs. */
const IGNORE = ['--exclude-standard', '-x', PACKAGES, '-x', '**/.umpire/sessions/'];

function leaveOut(paths: readonly string[]): Omit<Provisions, 'items'> {
  const given = new Set(paths.map(rawOf));
  const covers = (name: RawName): boolean => {
    for (let path = name; path !== '.'; path = dirname(path)) if (given.has(path)) return true;
    return false;
  };
  return { ignore: IGNORE, covers };
}

/** The file that says what was provided. */
function noteOf({ folder }: Site): string {
  return join(folder, PROVISIONS_NOTE);
}

const PATHS = listOf(text);

/** What the last run provided. Nothing is known of it where the file is damaged: the next run writes it anew. */
export function readProvided(site: Site): readonly string[] {
  const read = readNoteFile(noteOf(site), PATHS);
  return read.kind === 'note' ? read.note : [];
}

/** Those that the last run planned, for telling its work from them. Nothing can be placed by it. */
export function knownProvisions(site: Site): Provisions {
  return { items: [], ...leaveOut(readProvided(site)) };
}

/** Puts the provisions into a worktree, where it does not have them. Never through a link that leads out of it. */
export function place(root: string, { items }: Provisions): void {
  const isBlocked = blockTest(root);
  for (const item of items) {
    if (isBlocked(rawOf(item.at)) && !staysInside(root, item.at)) continue;
    const target = join(root, item.at);
    try {
      if (item.kind === 'folder') placeFolder(target, item.isOld?.(target) === true);
      else if (lstatOf(target) !== undefined) continue;
      else if (item.kind === 'copy') placeCopy(item.from, target);
      else if (item.kind === 'text') placeText(item.text(root), target, item.mode);
      else placeLink(item.inside !== null && existsSync(join(root, item.inside)) ? join(root, item.inside) : item.to, target);
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

function placeFolder(target: string, isOld: boolean): void {
  if (isOld) rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
}

function placeCopy(from: string, target: string): void {
  if (statOf(from) === undefined) return;
  mkdirSync(dirname(target), { recursive: true });
  cpSync(from, target, { recursive: true, dereference: true, preserveTimestamps: true });
}

function placeText(text: string, target: string, mode: number): void {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text, { mode });
}

function placeLink(to: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(to, target);
}
