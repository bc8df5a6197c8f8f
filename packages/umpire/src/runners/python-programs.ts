// Programs of the Python environment that a project means: its own, the one that is switched on, then whatever is on the PATH. A
// worktree's environment comes before the person's own, as it does for every program that is started there.

import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isFile, namesIn, statOf } from '../sessions/file-system.js';
import { inheritedVariables } from '../sessions/environment.js';
import { environmentIn, isPythonEnvironment, originsOf } from '../sessions/python-environment.js';

export interface PythonProgram {
  /** Absolute. */
  readonly path: string;
  /** Null where no list of packages tells. */
  readonly version: string | null;
  /** The Python of the environment that it lies in; null where it lies in none. */
  readonly python: string | null;
}

const NAMES = ['.venv', 'venv'];
const MOST_LEVELS = 8;

/** `dist`: the package that it comes with. */
export function findPythonProgram(folder: string, name: string, dist = name): PythonProgram | null {
  const { homes, path } = placesFor(folder);
  const bins = [...homes.map((home) => join(home, 'bin')), ...path];
  const place = bins.map((bin) => join(bin, name)).find(isProgram);
  if (place === undefined) return null;
  const home = dirname(dirname(place));
  const python = isPythonEnvironment(home) ? join(home, 'bin', 'python') : null;
  return { path: place, version: versionOf(place, dist), python: python !== null && existsSync(python) ? python : null };
}

/** The Python that programs in a folder of the project run with; the PATH's where there is no environment. */
export function findPython(folder: string, project: string): string {
  const homes = [...ownOf([folder, project]), ...placesFor(folder).homes];
  return homes.map((home) => join(home, 'bin', 'python')).find((path) => existsSync(path)) ?? 'python3';
}

interface ProgramFolders {
  readonly homes: readonly string[];
  readonly path: readonly string[];
}

/** Its own environment, the one that is switched on, those of the folders around it. */
function placesFor(folder: string): ProgramFolders {
  const around = inheritedVariables();
  const { PATH = '', VIRTUAL_ENV = '' } = { ...around, ...environmentIn(around)(folder) };
  const [own = folder, ...above] = foldersUp(folder);
  const homes = [...ownOf([own]), ...(isAbsolute(VIRTUAL_ENV) ? [VIRTUAL_ENV] : []), ...ownOf(above)];
  return { homes, path: PATH.split(delimiter).filter((entry) => isAbsolute(entry)) };
}

function ownOf(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
}

/** The folder and those above it, up to the top of its repository; without one, the folder alone. */
function foldersUp(folder: string): readonly string[] {
  const folders: string[] = [];
  for (let above = folder; folders.length < MOST_LEVELS; above = dirname(above)) {
    folders.push(above);
    if (existsSync(join(above, '.git'))) return folders;
    if (above === dirname(above)) break;
  }
  return [folder];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isFile(path);
  } catch {
    return false;
  }
}

/** As the packages beside it are named: `flake8-7.1.1.dist-info`. */
function versionOf(program: string, dist: string): string | null {
  const plain = dist.toLowerCase().replaceAll('-', '_');
  const homes = [dirname(dirname(program)), dirname(dirname(realpathSync.native(program)))];
  const sites = homes
    .flatMap((home) => [home, ...originsOf(home)])
    .flatMap((home) => {
      // `lib/python3.12/site-packages`; Debian's own is `lib/python3/dist-packages`.
      const library = join(home, 'lib');
      const folders = namesIn(library).filter((name) => /^(?:python|pypy)\d/.test(name));
      return folders.flatMap((name) => ['site-packages', 'dist-packages'].map((site) => join(library, name, site)));
    });
  for (const site of sites)
    for (const name of namesIn(site)) {
      const [, own = '', version] = /^(.+?)-([^-]+)(?:-py[\d.]+)?\.(?:dist|egg)-info$/.exec(name) ?? [];
      if (version !== undefined && own.toLowerCase() === plain) return version;
    }
  return null;
}

/** What tells one program from another of the same name, where no version does. */
export function markOf({ path, version }: PythonProgram): string {
  const stat = version === null ? statOf(path) : undefined;
  return version ?? `${stat?.size ?? '-'} ${stat?.mtimeMs ?? '-'}`;
}
