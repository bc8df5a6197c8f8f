// The installed packages that worktrees share with the person's checkout: whether somebody changed them since before the session's first task.
// A change of content, size or owner, a new link and a move all set the time of change of a file, which no program can set back; what was
// removed or added shows in the names. installers.ts knows which folders hold packages, and how they are installed anew.

import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listOf, number, object, text, word } from '@umpire/core/model/schema.js';
import type { Infer } from '@umpire/core/model/schema.js';
import { lstatOf, statOf } from '../sessions/file-system.js';
import { sha256 } from '../sessions/hash.js';
import { PACKAGE_KINDS } from './installers.js';
import type { SessionGit } from './session-git.js';
import { readState, stateFileOf, writeStateFile } from './state-file.js';

const PACKAGES = 'node_modules';

/** In node_modules, other names with a dot are caches and generated files, such as `.vite` and `.prisma`. */
const OWN_DOT_NAMES: ReadonlySet<string> = new Set(['.bin', '.pnpm', '.store', '.bun', '.deno']);

/** `at`: the path in a worktree. `places`: where the person has it, and what it leads to. `names`: a hash of the names in it. */
const FOLDER = object({ at: text, kind: word(...PACKAGE_KINDS), places: listOf(text), names: text });
/** `since`: milliseconds, by the clock of the file system. */
const RECORD = object({ since: number, folders: listOf(FOLDER) });
type PackagesRecord = Infer<typeof RECORD>;

export type PackageFolder = Omit<Infer<typeof FOLDER>, 'names'>;

export interface InstalledPackages {
  /** All that are watched. */
  readonly folders: readonly PackageFolder[];
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
    for (const folder of record.folders) {
      const { at, names } = folder;
      if (changed.has(at)) continue;
      const now = readPackages(folder, record.since);
      // Agents and checks get their turn between two folders.
      await new Promise((resolve) => setImmediate(resolve));
      if (now.newer.length === 0 && now.names === names) continue;
      changed.add(at);
      found.push(...(now.newer.length === 0 ? [`${at} (files were removed)`] : now.newer));
    }
    return found;
  };
  if (!begunHere.has(file)) await look();
  return { folders: record.folders, look, changed, sinceMs: record.since, forget: () => writeStateFile(file, {}) };
}

function makeRecord(file: string, shared: readonly PackageFolder[]): PackagesRecord {
  writeStateFile(file, {});
  begunHere.add(file);
  const since = statSync(file).ctimeMs;
  const folders = shared.flatMap(({ at, kind, places }) => {
    const real = places.flatMap((place) => (statOf(place) === undefined ? [] : [realpathSync.native(place)]));
    return real.length === 0 ? [] : [{ at, kind, places: real, names: readPackages({ at, kind, places: real }, null).names }];
  });
  writeStateFile(file, { since, folders });
  return { since, folders };
}

/**
 * `newer`: files that changed after this time; none where it is null, which is quicker. Caches and generated files do not count. Some
 * managers keep the packages elsewhere, behind links: these are read too, unlike links to sources.
 */
function readPackages(
  { at, kind, places }: PackageFolder,
  sinceMs: number | null,
): { readonly names: string; readonly newer: readonly string[] } {
  const newer: string[] = [];
  const lines: string[] = [];
  const isNewer = (path: string) => sinceMs !== null && (lstatOf(path)?.ctimeMs ?? 0) > sinceMs;
  const waiting = places.map((place, index) => ({ place, shown: index === 0 && kind !== 'cache' ? at : place }));
  const known = new Set(places);
  const readBelow = (folder: string, shown: string, isModules: boolean): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const { name } = entry;
      const isAside = isModules ? name.startsWith('.') && !OWN_DOT_NAMES.has(name) : name === '__pycache__' || name.endsWith('.pyc');
      if (isAside) continue;
      const inner = `${folder}/${name}`;
      lines.push(`${shown}/${name}`);
      if (entry.isDirectory()) readBelow(inner, `${shown}/${name}`, name === PACKAGES);
      else if (isNewer(inner)) newer.push(`${shown}/${name}`);
      if (!entry.isSymbolicLink()) continue;
      const target = packageBehind(inner);
      if (target === null || [...known].some((place) => `${target}/`.startsWith(`${place}/`))) continue;
      known.add(target);
      waiting.push({ place: target, shown: target });
    }
  };
  for (const { place, shown } of waiting) {
    const stat = statOf(place);
    lines.push(stat === undefined ? `${shown} is gone` : shown);
    if (stat?.isDirectory() === true) readBelow(place, shown, basename(place) === PACKAGES);
    else if (stat !== undefined && isNewer(place)) newer.push(shown);
  }
  return { names: sha256(lines.toSorted().join('\n')), newer };
}

/** The folder of an installed package that a link leads to; null for sources and everything else. */
function packageBehind(link: string): string | null {
  try {
    const target = realpathSync.native(link);
    return target.includes(`/${PACKAGES}/`) && statSync(target).isDirectory() ? target : null;
  } catch {
    return null;
  }
}

/** Watches what was installed in a worktree. `look`: the files that changed. */
export function watchPackages(root: string, paths: readonly string[], stamp: string): { readonly look: () => readonly string[] } {
  writeStateFile(stamp, {});
  const sinceMs = statSync(stamp).ctimeMs;
  const readAt = (at: string, since: number | null) =>
    readPackages({ at, kind: 'other', places: [realpathSync.native(join(root, at))] }, since);
  const before = new Map(paths.map((at) => [at, readAt(at, null).names]));
  return {
    look: () =>
      paths.flatMap((at) => {
        if (statOf(join(root, at)) === undefined) return [at];
        const now = readAt(at, sinceMs);
        return now.names === before.get(at) ? now.newer : [at];
      }),
  };
}
