// The project around a folder or a session: the nearest folder above that is one, its settings, and role texts of its own.
// Nothing is taken from the session folder itself: agents write there.

import { existsSync, readFileSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RoleRef } from '@umpire/core/model.js';
import { UmpireError } from '@umpire/core/errors.js';
import { lstatOf, statOf } from './entry.js';
import { homeFolder } from './environment.js';
import { faultOf } from './folder.js';
import { sha256 } from './hash.js';
import { packageRoot } from './package-root.js';

export const CONFIG = 'umpire.config.yaml';

/** The same by the other usual ending. It is not read, and never passed over. */
const MISNAMED = 'umpire.config.yml';

/** The project that a session or a folder of sessions lies in: the nearest folder with settings, sessions or a repository. */
export function findProject(sessionRoot: string): string | null {
  for (let folder = dirname(sessionRoot); ; folder = dirname(folder)) {
    if ([CONFIG, '.umpire', '.git'].some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/**
 * The project that whoever starts work in a folder means: the nearest one, from this upwards, that has settings. Not above the top of a
 * repository, nor the home folder or one that everybody may write in, such as /tmp, nor above them, nor on another file system: a file that
 * happens to lie there makes no project of all that is below. Null where there is none.
 */
export function projectAbove(start: string): string | null {
  const device = entryAt(start)?.dev;
  const home = homeFolder() === '' ? undefined : entryAt(homeFolder());
  for (let folder = start; ; folder = dirname(folder)) {
    if (folder !== start && isBoundary(entryAt(folder), device, home)) return null;
    if ([CONFIG, MISNAMED].some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder) || existsSync(join(folder, '.git'))) return null;
  }
}

/** Everybody may write there, and only the owner of a file may remove it. */
const OPEN_TO_ALL = 0o1002;

function isBoundary(entry: Stats | undefined, device: number | undefined, home: Stats | undefined): boolean {
  if (entry === undefined || entry.dev !== device) return true;
  return (entry.mode & OPEN_TO_ALL) === OPEN_TO_ALL || (entry.ino === home?.ino && entry.dev === home.dev);
}

function entryAt(place: string): Stats | undefined {
  try {
    return statOf(place);
  } catch {
    return undefined;
  }
}

/** The file that a folder has for its settings, also by the other ending; null where it has none. */
export function configAt(folder: string): string | null {
  return [CONFIG, MISNAMED].map((name) => join(folder, name)).find((place) => lstatOf(place) !== undefined) ?? null;
}

/** The text of the project's settings, where it has any. */
export function readConfigText(project: string | null): string | null {
  if (project === null) return null;
  const text = readThere(join(project, CONFIG));
  if (text === null && statOf(join(project, MISNAMED)) !== undefined)
    throw new UmpireError('config-invalid', { file: MISNAMED, line: '', detail: `settings are read from ${CONFIG}; give it that name` });
  return text;
}

function readThere(place: string): string | null {
  try {
    // Most projects have none, and an error is costly to make.
    return statOf(place) === undefined ? null : readFileSync(place, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new UmpireError('read-failed', { path: CONFIG, detail: faultOf(error) });
  }
}

/** A role definition with its text. */
export interface Role {
  readonly ref: RoleRef;
  readonly text: string;
}

/** A verdict is never given without its role definition. */
export function loadRole(loop: string, role: string, project: string | null, loopFolder: string | null): RoleRef {
  const found = findRole(loop, role, project, loopFolder);
  if (found !== null) return found.ref;
  throw new UmpireError('role-missing', { role: `${loop}/${role}`, detail: 'neither the project nor the package has it' });
}

/** The role definition: the project's own, else the one beside the loop file, else the one that ships. */
export function findRole(loop: string, role: string, project: string | null, loopFolder: string | null): Role | null {
  const own = readRole(project, `.umpire/roles/${loop}/${role}.md`, `${loop}/${role}`);
  return own ?? readRole(loopFolder, `roles/${loop}/${role}.md`, `${loop}/${role}`) ?? shippedRole(loop, role);
}

const SHIPPED = new Map<string, Role>();

/** The package does not change while the process runs, and its sessions may be many: each text is read once. */
function shippedRole(loop: string, role: string): Role | null {
  const name = `${loop}/${role}`;
  const known = SHIPPED.get(name);
  if (known !== undefined) return known;
  const found = readRole(packageRoot(), `roles/${name}.md`, name) ?? readRole(packageRoot(), `roles/${role}.md`, name);
  if (found !== null) SHIPPED.set(name, found);
  return found;
}

function readRole(folder: string | null, path: string, name: string): Role | null {
  if (folder === null || !existsSync(join(folder, path))) return null;
  try {
    const bytes = readFileSync(join(folder, path));
    return { ref: { path, sha256: sha256(bytes) }, text: bytes.toString('utf8') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new UmpireError('role-missing', { role: name, detail: `${path}: ${faultOf(error)}` });
  }
}
