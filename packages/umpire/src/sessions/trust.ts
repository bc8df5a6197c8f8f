// Project trust: a project's settings, role texts and loop files start programs, give rights and instruct agents. They count once a person
// has trusted them. The record lies outside the project and holds the hash of each file, under the main folder of the repository, so that
// it holds in all its worktrees. Source files are never part of it.

import { existsSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { stateHome } from './environment.js';
import { isFile, isFolder, namesIn, readRegularFile, realPath } from './file-system.js';
import { sha256 } from './hash.js';
import { CONFIG, readConfigText } from './project.js';
import { faultOf, makeFolders, openFolder, writeAtomically } from './session-folder.js';

export interface TrustFile {
  /** The full path. */
  readonly place: string;
  /** From the top of the repository, with `/`. */
  readonly path: string;
  readonly sha256: string;
  readonly text: string;
}

interface TrustRecord {
  /** A person trusted the project, not only single files. */
  readonly isProject: boolean;
  readonly files: Readonly<Record<string, string>>;
}

const ROLES = join('.umpire', 'roles');

/** Does the person trust this file of the project with this content? Files that belong to no project are the person's own. */
export function isTrusted(path: string, text: string, project: string | null): boolean {
  const owner = ownerOf(path, project);
  if (owner === null || trustsAll()) return true;
  const { main, top } = findRepositoryFolders(owner);
  const name = pathFromTop(top, path);
  if (readRecord(main).files[name] === sha256(text)) return true;
  const expected = expectedHashes();
  if (expected.length === 0) return false;
  const files = filesBeside(path, owner).map((file) => (file.path === name ? { ...file, sha256: sha256(text) } : file));
  return expected.includes(hashFiles(files));
}

/** The text of the project's settings; null if it has none, or one that cannot be read: nobody can have trusted that. */
export function readSettingsText(project: string, say?: (note: string) => void): string | null {
  try {
    return readConfigText(project);
  } catch (error) {
    if (!isUmpireError(error) || trustsAll()) throw error;
    say?.(describeUnreadable(error.message));
    return null;
  }
}

/** What is said of settings that nobody trusted and that are not valid. */
export function describeUnreadable(fault: string): string {
  return `Not trusted and not valid, so not used: ${fault} Correct the settings, then trust them with: umpire trust`;
}

/** Did a person trust the project as a whole, and has nothing changed since? Then Umpire may start the project's programs to look at them. */
export function isProjectTrusted(project: string): boolean {
  if (trustsAll()) return true;
  const files = projectFiles(project);
  if (expectedHashes().includes(hashFiles(files))) return true;
  return readRecord(findRepositoryFolders(project).main).isProject && files.every((file) => isRecorded(file, project));
}

/** The settings and role texts of a project that nobody trusted as they are. */
export function untrustedFiles(project: string): readonly TrustFile[] {
  if (trustsAll()) return [];
  const files = projectFiles(project);
  if (files.length === 0 || expectedHashes().includes(hashFiles(files))) return [];
  return files.filter((file) => !isRecorded(file, project));
}

function isRecorded({ path, sha256: hash }: TrustFile, project: string): boolean {
  return readRecord(findRepositoryFolders(project).main).files[path] === hash;
}

/** The settings and the role texts of a project. */
export function projectFiles(project: string): readonly TrustFile[] {
  const { top } = findRepositoryFolders(project);
  const roles = pathsIn(join(project, ROLES))
    .filter((path) => isFolder(path))
    .flatMap((folder) => textsIn(folder));
  return [join(project, CONFIG), ...roles].flatMap((path) => fileAt(top, path));
}

export interface OwnedFiles {
  /** The project that they belong to. */
  readonly owner: string;
  readonly files: readonly TrustFile[];
}

/** A loop file, and the role texts beside it. Null if the file is not part of a project. */
export function loopFiles(path: string, loop: string, project: string | null): OwnedFiles | null {
  const place = resolve(path);
  const owner = ownerOf(place, project);
  if (owner === null) return null;
  const { top } = findRepositoryFolders(owner);
  return { owner, files: [place, ...textsIn(join(dirname(place), 'roles', loop))].flatMap((file) => fileAt(top, file)) };
}

/** What `UMPIRE_TRUST` must hold for a project and these loops. */
export function expectedTrust(project: string, loops: readonly OwnedFiles[]): string {
  const beside = loops.flatMap(({ files: [file, ...roles] }) => [
    ...(file === undefined ? [] : [[file]]),
    ...(roles.length === 0 ? [] : [roles]),
  ]);
  return [projectFiles(project), ...beside].map(hashFiles).join(',');
}

/** Records that the person trusts these files. `isProject`: the project as a whole. */
export function recordTrust(owner: string, files: readonly TrustFile[], isProject: boolean): void {
  const { main } = findRepositoryFolders(owner);
  const before = readRecord(main);
  const known = { ...before.files, ...Object.fromEntries(files.map((file) => [file.path, file.sha256])) };
  const place = recordPlace(main);
  if (place === null) throw new UmpireError('write-failed', { path: 'the trust record', detail: 'there is no home folder' });
  try {
    makeFolders(dirname(place));
    const text = `${JSON.stringify({ folder: main, isProject: isProject || before.isProject, files: known })}\n`;
    writeAtomically(openFolder(dirname(place)), basename(place), text);
  } catch (error) {
    throw new UmpireError('write-failed', { path: place, detail: faultOf(error) });
  }
}

/** False if nothing was trusted. */
export function revokeTrust(project: string): boolean {
  const place = recordPlace(findRepositoryFolders(project).main);
  if (place === null || !existsSync(place)) return false;
  rmSync(place);
  return true;
}

/** `1`: everything is trusted. For repositories whose every contributor the person trusts. */
export function trustsAll(): boolean {
  return process.env['UMPIRE_TRUST'] === '1';
}

function expectedHashes(): readonly string[] {
  return (process.env['UMPIRE_TRUST'] ?? '').split(',').filter((word) => /^[0-9a-f]{64}$/.test(word));
}

function hashFiles(files: readonly TrustFile[]): string {
  return sha256(
    files
      .map(({ path, sha256: hash }) => `${hash} ${path}\n`)
      .toSorted()
      .join(''),
  );
}

/** The files that share a hash in `UMPIRE_TRUST` with this one. */
function filesBeside(path: string, owner: string): readonly TrustFile[] {
  const { top } = findRepositoryFolders(owner);
  if (path === join(owner, CONFIG) || isBelow(join(owner, ROLES), path)) return projectFiles(owner);
  if (path.endsWith('.md')) return textsIn(dirname(path)).flatMap((file) => fileAt(top, file));
  return fileAt(top, path);
}

/** The project that a file belongs to: the given one, or the repository around the file. */
function ownerOf(path: string, project: string | null): string | null {
  const places = [resolve(path), realPath(resolve(path))];
  if (project !== null && places.some((place) => isBelow(project, place))) return project;
  return topAbove(dirname(resolve(path))) ?? topAbove(dirname(realPath(resolve(path))));
}

interface RepositoryFolders {
  /** The folder that trust is recorded for. */
  readonly main: string;
  readonly top: string;
}

/** Without git, the project itself is both. */
function findRepositoryFolders(project: string): RepositoryFolders {
  const top = topAbove(project);
  return top === null ? { main: project, top: project } : { main: mainFolder(top), top };
}

function topAbove(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/**
 * The main folder of a linked worktree. Its `.git` file could name any repository, so that repository must name the worktree too.
 */
function mainFolder(top: string): string {
  const link = join(top, '.git');
  if (!isFile(link)) return top;
  const [, gitDir] = /^gitdir: (.+)\n?$/.exec(readTextOrNothing(link)) ?? [];
  if (gitDir === undefined) return top;
  const own = resolve(top, gitDir);
  if (basename(dirname(own)) !== 'worktrees') return top;
  const back = readTextOrNothing(join(own, 'gitdir')).trim();
  if (back === '' || realPath(resolve(own, back)) !== realPath(link)) return top;
  const common = dirname(dirname(own));
  return basename(common) === '.git' ? dirname(common) : common;
}

function recordPlace(main: string): string | null {
  const home = stateHome();
  return home === '' ? null : join(home, 'umpire', 'trust', `${sha256(realpathSync.native(main)).slice(0, 32)}.json`);
}

const NOTHING: TrustRecord = { isProject: false, files: {} };

/** A record that cannot be read trusts nothing. */
function readRecord(main: string): TrustRecord {
  const place = recordPlace(main);
  if (place === null || !isFile(place)) return NOTHING;
  try {
    const { isProject, files } = JSON.parse(readTextOrNothing(place)) as { isProject?: unknown; files?: unknown };
    if (typeof files !== 'object' || files === null) return NOTHING;
    const hashes = Object.entries(files).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return { isProject: isProject === true, files: Object.fromEntries(hashes) };
  } catch {
    return NOTHING;
  }
}

function fileAt(top: string, path: string): readonly TrustFile[] {
  if (!isFile(path)) return [];
  const text = readTextOrNothing(path);
  return [{ place: path, path: pathFromTop(top, path), sha256: sha256(text), text }];
}

function pathFromTop(top: string, path: string): string {
  return relative(top, path).split(sep).join('/');
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

function readTextOrNothing(path: string): string {
  try {
    return readRegularFile(path).toString('utf8');
  } catch {
    return '';
  }
}

function textsIn(folder: string): readonly string[] {
  return pathsIn(folder).filter((path) => path.endsWith('.md') && isFile(path));
}

function pathsIn(folder: string): readonly string[] {
  return namesIn(folder).map((name) => join(folder, name));
}
