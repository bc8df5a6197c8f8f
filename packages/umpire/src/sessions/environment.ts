// What Umpire reads from its environment: the home, cache and state folders, and the variables that its child processes inherit.

import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isFile } from './file-system.js';

/** Empty if there is none: in containers HOME may be unset and the user may have no entry. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** The XDG specification says to ignore a relative path. */
function xdgFolder(variable: string, inHome: string, otherwise = ''): string {
  const named = process.env[variable] ?? '';
  if (isAbsolute(named)) return named;
  return homeFolder() === '' ? otherwise : join(homeFolder(), inHome);
}

/** Where programs keep files that can be made again. */
export function cacheHome(): string {
  return xdgFolder('XDG_CACHE_HOME', '.cache', tmpdir());
}

/** Where the person's own settings are. */
export function configHome(): string {
  return xdgFolder('XDG_CONFIG_HOME', '.config');
}

/** Where programs keep what must survive a reboot and is no setting. Empty if there is no such folder. */
export function stateHome(): string {
  return xdgFolder('XDG_STATE_HOME', join('.local', 'state'));
}

/** A git hook or alias sets these to the person's repository. Agents and tools must use the repository of their own folder. */
const REPOSITORY =
  /^GIT_(?:DIR|WORK_TREE|IMPLICIT_WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|QUARANTINE_PATH|GRAFT_FILE|SHALLOW_FILE|NAMESPACE|PREFIX|INTERNAL_SUPER_PREFIX)$/;

export function inheritedVariables(): Readonly<Record<string, string>> {
  const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !REPOSITORY.test(name));
  return Object.fromEntries(kept) as Record<string, string>;
}

/** The system's default without a PATH. */
export const USUAL_PATH = '/bin:/usr/bin';

/** The projects that this process works on, links resolved. */
const projects = new Set<string>();

/** Programs that Umpire itself needs are not taken from this project, nor from the repository around it. */
export function noteProject(folder: string): void {
  projects.add(realPlace(folder));
}

/** The tests of a folder of the PATH, and of a file in it, for the projects that were known then. */
let personal: { readonly key: string; readonly path: string; readonly roots: readonly string[] } | null = null;

/**
 * A5: the folders of the PATH that no project fills. Programs that Umpire itself needs are taken from these alone: npm and npx put a
 * project's own programs first, and a relative folder is wherever one stands.
 */
export function personalPath(): string {
  return readPersonalPath().path;
}

function readPersonalPath() {
  const { PATH = USUAL_PATH } = process.env;
  const key = `${projects.size}\0${process.cwd()}\0${PATH}`;
  if (personal?.key === key) return personal;
  const around = repositoryAround(process.cwd());
  const roots = [...projects].flatMap((project) => [project, repositoryAround(project) ?? project]);
  const own = [...new Set([...roots, ...(around === null ? [] : [around])])].filter((root) => !isAroundHome(root));
  const folders = PATH.split(delimiter).filter((folder) => isAbsolute(folder) && !isInProject(folder, own, '/node_modules/'));
  personal = { key, path: folders.join(delimiter), roots: own };
  return personal;
}

/** As it is named, and where its links lead. */
function isInProject(place: string, roots: readonly string[], part: string | null): boolean {
  return [place, realPlace(place)].some(
    (path) => (part !== null && `${path}/`.includes(part)) || roots.some((root) => `${path}/`.startsWith(`${root}/`)),
  );
}

/** Who keeps the home folder in a repository has all of their own programs in it. */
function isAroundHome(root: string): boolean {
  return root === '/' || [homeFolder(), realPlace(homeFolder())].some((home) => home === root || home.startsWith(`${root}/`));
}

function realPlace(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function repositoryAround(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (folder === dirname(folder)) return null;
  }
}

const found = new Map<string, string>();

/** A program that Umpire itself needs; null where the person has none. A link into a project leads to a program of the project. */
export function findPersonalProgram(name: string): string | null {
  const { key, path, roots } = readPersonalPath();
  const known = found.get(`${name}\0${key}`);
  if (known !== undefined) return known;
  const place = path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((each) => isProgram(each) && !isInProject(each, roots, null));
  if (place !== undefined) found.set(`${name}\0${key}`, place);
  return place ?? null;
}

function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK);
    return isFile(place);
  } catch {
    return false;
  }
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Where Umpire sends something to: https, or plain http on this machine. */
export function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}

/** Monotonic: setting the clock does not change it, and on Linux it stands still while the machine is suspended. */
export function elapsedMs(): number {
  return process.uptime() * 1000;
}
