// Python virtual environments: recognizes them, and finds the one for a program in a folder. The shell of a person activates the
// environment of the checkout; a worktree has its own copy (workspace/python-links.ts), which names its origin.

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative, sep } from 'node:path';
import { isFile } from './file-system.js';

/** The file that marks a virtual environment. */
export const ENVIRONMENT_NOTE = 'pyvenv.cfg';

/** Where a worktree has its copy of an environment outside the checkout. */
export const OUTER_ENVIRONMENT = '.umpire/venv';

export function isPythonEnvironment(folder: string): boolean {
  return isFile(join(folder, ENVIRONMENT_NOTE));
}

type Variables = Readonly<Record<string, string>>;

const MAX_LEVELS = 8;

/**
 * The variables that a program in a folder needs: an active environment is replaced by the folder's own copy. Without an active one, the
 * folder's copy comes first on the PATH. Active environments are looked up once, since many programs start.
 */
export function environmentIn(variables: Variables): (folder: string) => Variables {
  const active = activeIn(variables);
  return (folder) => {
    const { PATH = '', VIRTUAL_ENV } = variables;
    const owned = [...active].map(
      ([place, real]) =>
        [
          place,
          findAbove(folder, [...endsOf(real), OUTER_ENVIRONMENT], (own) => originsOf(own).includes(real) && isProvided(own)),
        ] as const,
    );
    const moved = new Map(owned.filter((pair): pair is readonly [string, string] => pair[1] !== null));
    if (moved.size === 0) {
      const own =
        active.size > 0 ? null : findAbove(folder, [OUTER_ENVIRONMENT], (place) => originsOf(place).length > 0 && isProvided(place));
      return own === null ? {} : { PATH: [join(own, 'bin'), PATH].join(delimiter), VIRTUAL_ENV: own };
    }
    const own = VIRTUAL_ENV === undefined ? undefined : moved.get(VIRTUAL_ENV);
    const entries = PATH.split(delimiter).map((entry) => {
      const place = basename(entry) === 'bin' ? moved.get(dirname(entry)) : undefined;
      return place === undefined ? entry : join(place, 'bin');
    });
    return { PATH: entries.join(delimiter), ...(own === undefined ? {} : { VIRTUAL_ENV: own }) };
  };
}

/** The environments on the PATH or in VIRTUAL_ENV, with their real paths. */
function activeIn({ PATH = '', VIRTUAL_ENV }: Variables): ReadonlyMap<string, string> {
  const bins = PATH.split(delimiter).filter((entry) => basename(entry) === 'bin');
  const places = new Set([...bins.map((entry) => dirname(entry)), ...(VIRTUAL_ENV === undefined ? [] : [VIRTUAL_ENV])]);
  return new Map([...places].filter(isPythonEnvironment).map((place) => [place, realpathSync.native(place)]));
}

/** `env`, `api/env`, `packages/api/env`: possible paths in its repository, whose root is not known here. */
function endsOf(place: string): readonly string[] {
  const parts = place.split(sep).slice(-MAX_LEVELS);
  return parts.map((_, index) => parts.slice(parts.length - 1 - index).join(sep));
}

/** The file beside a worktree that lists what Umpire put into it. */
export const PROVISIONS_NOTE = 'provisions.json';

/** Did Umpire create it? A task may submit a folder that looks like one, and its programs would run in every check. */
function isProvided(place: string): boolean {
  let root = dirname(place);
  while (!existsSync(join(root, '.git')) && root !== dirname(root)) root = dirname(root);
  try {
    const given: unknown = JSON.parse(readFileSync(join(dirname(root), PROVISIONS_NOTE), 'utf8'));
    return Array.isArray(given) && given.includes(relative(root, place));
  } catch {
    return false;
  }
}

/** The first fitting folder of one of these names, here or above. */
function findAbove(folder: string, names: readonly string[], fits: (place: string) => boolean): string | null {
  let above = folder;
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const found = names.map((name) => join(above, name)).find(fits);
    if (found !== undefined) return found;
    above = dirname(above);
  }
  return null;
}

/** The environments that it is a copy of, the first one first; empty for a person's own. */
export function originsOf(place: string): readonly string[] {
  if (!isPythonEnvironment(place)) return [];
  const note = readFileSync(join(place, ENVIRONMENT_NOTE), 'utf8');
  return [...note.matchAll(/^umpire-of = (.+)$/gm)].map(([, origin = '']) => origin);
}
