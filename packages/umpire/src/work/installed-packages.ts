// The installed packages that worktrees share with the person's checkout: whether somebody changed them since before the session's first task,
// and how a worktree gets them without the checkout. A change of content, size or owner, a new link and a move all set the time of change
// of a file, which no program can set back; what was removed or added shows in the names.

import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { listOf, number, object, text } from '@umpire/core/model/schema.js';
import type { Infer } from '@umpire/core/model/schema.js';
import { isPythonEnvironment } from '../sessions/python-environment.js';
import { isFile, lstatOf, statOf } from '../sessions/file-system.js';
import { sha256 } from '../sessions/hash.js';
import type { SessionGit } from './session-git.js';
import { readState, stateFileOf, writeStateFile } from './state-file.js';

const PACKAGES = 'node_modules';

/** The command that installs exactly what a lockfile says. */
const INSTALLERS: readonly (readonly [lockfile: string, command: string])[] = [
  ['package-lock.json', 'npm ci --no-audit --no-fund'],
  ['npm-shrinkwrap.json', 'npm ci --no-audit --no-fund'],
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
  ['yarn.lock', 'yarn install --frozen-lockfile'],
  ['bun.lock', 'bun install --frozen-lockfile'],
];

/** Folders of installed packages, also where the settings link them. Other linked folders, such as build output, are work in common. */
const PACKAGE_FOLDERS: ReadonlySet<string> = new Set([PACKAGES, 'vendor', 'deps']);

export function holdsPackages(root: string, path: string): boolean {
  return PACKAGE_FOLDERS.has(basename(path)) || isPythonEnvironment(join(root, path));
}

/** In node_modules, other names with a dot are caches and generated files, such as `.vite` and `.prisma`. */
const OWN_DOT_NAMES: ReadonlySet<string> = new Set(['.bin', '.pnpm', '.store']);

/** `names`: a hash of the names in it. */
const FOLDER = object({ at: text, place: text, names: text });
/** `since`: milliseconds, by the clock of the file system. */
const RECORD = object({ since: number, folders: listOf(FOLDER) });
type PackagesRecord = Infer<typeof RECORD>;

export interface PackageFolder {
  /** Its path in a worktree. */
  readonly at: string;
  /** Where the person has it. */
  readonly place: string;
}

export interface InstalledPackages {
  /** Looks at all of them. Returns the files that changed since and were not known before, by their paths in a worktree. */
  readonly look: () => Promise<readonly string[]>;
  /** Paths that worktrees must no longer share. */
  readonly changed: ReadonlySet<string>;
  /** When the record was made. */
  readonly sinceMs: number;
  /** The next run trusts what the person has installed by then. */
  readonly forget: () => void;
}

/** Records of sessions that began in this process. */
const begunHere = new Set<string>();

/** The first call of a session makes the record; a resumed one holds the folders against it. */
export async function openInstalledPackages({ folder }: SessionGit, shared: readonly PackageFolder[]): Promise<InstalledPackages> {
  const file = stateFileOf(folder, 'packages');
  const read = readState(file, RECORD);
  const record = read.kind === 'note' ? read.note : makeRecord(file, shared);
  const changed = new Set<string>();
  const look = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const { at, place, names } of record.folders) {
      if (changed.has(at)) continue;
      const now = readPackages(place, record.since);
      // Agents and checks get their turn between two folders.
      await new Promise((resolve) => setImmediate(resolve));
      if (now.newer.length === 0 && now.names === names) continue;
      changed.add(at);
      found.push(...(now.newer.length === 0 ? [`${at} (files were removed)`] : now.newer.map((name) => `${at}/${name}`)));
    }
    return found;
  };
  if (!begunHere.has(file)) await look();
  return { look, changed, sinceMs: record.since, forget: () => writeStateFile(file, {}) };
}

function makeRecord(file: string, shared: readonly PackageFolder[]): PackagesRecord {
  writeStateFile(file, {});
  begunHere.add(file);
  const since = statSync(file).ctimeMs;
  const folders = shared.flatMap(({ at, place }) => {
    if (statOf(place)?.isDirectory() !== true) return [];
    const real = realpathSync.native(place);
    return [{ at, place: real, names: readPackages(real, null).names }];
  });
  writeStateFile(file, { since, folders });
  return { since, folders };
}

/** `newer`: files that changed after this time; none where it is null, which is quicker. Caches and generated files do not count. */
function readPackages(place: string, sinceMs: number | null): { readonly names: string; readonly newer: readonly string[] } {
  const newer: string[] = [];
  const lines: string[] = [];
  const readBelow = (path: string, isModules: boolean): void => {
    for (const entry of readdirSync(join(place, path), { withFileTypes: true })) {
      const { name } = entry;
      const isAside = isModules ? name.startsWith('.') && !OWN_DOT_NAMES.has(name) : name === '__pycache__' || name.endsWith('.pyc');
      if (isAside) continue;
      const inner = path === '' ? name : `${path}/${name}`;
      lines.push(inner);
      if (entry.isDirectory()) readBelow(inner, name === PACKAGES);
      else if (sinceMs !== null && (lstatOf(join(place, inner))?.ctimeMs ?? 0) > sinceMs) newer.push(inner);
    }
  };
  readBelow('', basename(place) === PACKAGES);
  return { names: sha256(lines.toSorted().join('\n')), newer };
}

export interface Installer {
  readonly folder: string;
  readonly command: string;
}

/** The commands that install these folders anew, each by the nearest lockfile in the worktree. */
export function findInstallers(root: string, paths: readonly string[]): readonly Installer[] {
  const found = paths.flatMap((at) => (basename(at) === PACKAGES ? (findInstaller(root, dirname(at)) ?? []) : []));
  return [...new Map(found.map((installer) => [installer.folder, installer])).values()];
}

function findInstaller(root: string, path: string): Installer | null {
  const folder = join(root, path);
  const command = INSTALLERS.find(([lockfile]) => isFile(join(folder, lockfile)))?.[1];
  if (command !== undefined) return { folder, command };
  return path === '.' ? null : findInstaller(root, dirname(path));
}

/** Watches what was installed in a worktree. `look`: the files that changed. */
export function watchPackages(root: string, paths: readonly string[], stamp: string): { readonly look: () => readonly string[] } {
  writeStateFile(stamp, {});
  const sinceMs = statSync(stamp).ctimeMs;
  const placeOf = (at: string) => realpathSync.native(join(root, at));
  const before = new Map(paths.map((at) => [at, readPackages(placeOf(at), null).names]));
  return {
    look: () =>
      paths.flatMap((at) => {
        const place = join(root, at);
        if (statOf(place)?.isDirectory() !== true) return [at];
        const now = readPackages(placeOf(at), sinceMs);
        return now.names === before.get(at) ? now.newer.map((name) => `${at}/${name}`) : [at];
      }),
  };
}
