// Private copies that stand in the sandbox for folders of the home: the state of an agent, and caches. Programs outside later run what is
// in such folders (settings with hooks, packages of npx), so nothing is written back except a login that the agent renewed.

import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
} from 'node:fs';
import { readdirSync, readlinkSync, realpathSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { homeFolder } from '../sessions/environment.js';
import { faultOf } from '../sessions/session-folder.js';
import { removeCopies } from './guardian.js';
import type { AgentState } from './known/known-agent.js';
import { findAgentState } from './known/known-agents.js';

export interface PrivateCopy {
  /** The original, with links resolved. */
  readonly place: string;
  readonly copy: string;
  /** Parts of the original that are shown read-only, since a copy would be too large. */
  readonly shown: readonly string[];
}

export interface PrivateState {
  /** What the program of an agent gets. Made at its first start, shared by all agents of the run. */
  copiesFor(program: string, env: Readonly<Record<string, string>>): readonly PrivateCopy[];
  /** Empty caches and temporary folders for the programs of a check. It ends when the tree of its working folder is removed. */
  copiesForCheck(workdir: string, env: Readonly<Record<string, string>>): readonly PrivateCopy[];
  close(): void;
}

/** Downloads in the cache folder that programs do not fetch again by themselves. All else in it is empty at first. */
const SHOWN_CACHES: readonly string[] = [
  'ms-playwright',
  'puppeteer',
  'Cypress',
  'selenium',
  'huggingface',
  'torch',
  'prisma',
  'node/corepack',
  'pypoetry/virtualenvs',
];

/** Of all copies of a run. */
const MAX_BYTES = 64 * 1024 ** 2;
const MAX_ENTRIES = 10_000;

/** Histories of conversations. Copied while in use, they would be damaged. */
const DATABASE = /\.(?:db|sqlite3?)(?:-(?:wal|shm|journal))?$/;

const MAX_LOGIN_BYTES = 256 * 1024;

/** Resolves links, since a link may lead elsewhere inside the sandbox. Missing paths are left out. */
export function realPlaces(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    try {
      return [realpathSync.native(path)];
    } catch {
      return [];
    }
  });
}

/** `folder`: a new one, which only this user can read. */
export function openPrivateState(folder: string): PrivateState {
  try {
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    throw new UmpireError('write-failed', { path: folder, detail: faultOf(error) });
  }
  const left: Left = { bytes: MAX_BYTES, entries: MAX_ENTRIES };
  const known: Copies = new Map();
  const checks = new Map<string, Copies>();
  const logins: Login[] = [];
  let made = 0;
  const keepCopy = (place: string, make: (copy: string) => readonly string[], among = known): PrivateCopy => {
    const before = among.get(place);
    if (before !== undefined) return before;
    made += 1;
    const copy = join(folder, String(made));
    const kept = { place, copy, shown: make(copy) };
    among.set(place, kept);
    return kept;
  };
  const keepCache = (place: string, among: Copies) =>
    keepCopy(
      place,
      (copy) => {
        mkdirSync(copy);
        return realPlaces(SHOWN_CACHES.map((name) => join(place, name)));
      },
      among,
    );
  const keepState = (place: string, { login, emptied = [] }: AgentState) =>
    keepCopy(place, (copy) => {
      if (login !== undefined) logins.push({ original: join(place, login), copy: join(copy, login), last: null });
      return copyTop(place, copy, [...emptied, ...(login === undefined ? [] : [login])], left);
    });
  return {
    copiesFor: (program, env) => {
      const home = homeIn(env);
      if (home === '') return [];
      const caches = cachesOf(home, env).map((place) => keepCache(place, known));
      const states = findAgentState(program, env, home).flatMap((state) =>
        placesWithin(home, [state.place]).map((place) => keepState(place, state)),
      );
      for (const login of logins) syncLogin(login);
      return [...new Set([...caches, ...states])];
    },
    copiesForCheck: (workdir, env) => {
      for (const [tree, copies] of checks) {
        if (existsSync(tree)) continue;
        for (const { copy } of copies.values()) removeCopies(copy);
        checks.delete(tree);
      }
      const tree = treeAround(workdir);
      const among: Copies = checks.get(tree) ?? new Map();
      checks.set(tree, among);
      const home = homeIn(env);
      const caches = home === '' ? [] : cachesOf(home, env).map((place) => keepCache(place, among));
      const temporary = temporaryFolders().map((place) =>
        keepCopy(
          place,
          (copy) => {
            mkdirSync(copy);
            // The umask does not count here: as in every temporary folder.
            chmodSync(copy, 0o1777);
            return [];
          },
          among,
        ),
      );
      return [...caches, ...temporary];
    },
    close: () => {
      for (const login of logins) syncLogin(login);
      removeCopies(folder);
    },
  };
}

type Copies = Map<string, PrivateCopy>;

/** Programs of all users write there. */
export function temporaryFolders(): readonly string[] {
  return [...new Set(realPlaces(['/tmp', '/var/tmp', tmpdir()]))];
}

function homeIn(env: Readonly<Record<string, string>>): string {
  return isAbsolute(env['HOME'] ?? '') ? (env['HOME'] ?? '') : homeFolder();
}

/** A folder around the home would hide all of it. */
function placesWithin(home: string, paths: readonly string[]): readonly string[] {
  const homes = realPlaces([home]);
  return realPlaces(paths.filter(isAbsolute)).filter(
    (place) => !homes.some((real) => `${real}/`.startsWith(`${place === '/' ? '' : place}/`)),
  );
}

/** A program could not make a missing one in its read-only home, and nothing can be put in its place. */
function cachesOf(home: string, env: Readonly<Record<string, string>>): readonly string[] {
  const caches = [join(home, '.cache'), join(home, '.npm'), env['XDG_CACHE_HOME'] ?? ''];
  for (const place of caches.filter(isAbsolute)) {
    try {
      mkdirSync(place, { mode: 0o700 });
    } catch {
      // It exists, or the home cannot be written outside the sandbox either.
    }
  }
  return placesWithin(home, caches);
}

/** The checkout that a folder lies in. */
function treeAround(workdir: string): string {
  for (let folder = workdir; folder !== dirname(folder); folder = dirname(folder)) if (existsSync(join(folder, '.git'))) return folder;
  return workdir;
}

interface Left {
  bytes: number;
  entries: number;
}

/** Copies a file, or a folder with all parts that are small enough. Returns the large folders, which are shown read-only instead. */
function copyTop(place: string, copy: string, emptied: readonly string[], left: Left): readonly string[] {
  if (statSync(place).isFile()) {
    copyEntry(place, copy, left);
    return [];
  }
  mkdirSync(copy);
  const entries = readdirSync(place, { withFileTypes: true });
  // Settings are files. They come first.
  const sorted = entries.toSorted((one, other) => Number(one.isDirectory()) - Number(other.isDirectory()));
  return sorted.flatMap((entry) => {
    const [from, to] = [join(place, entry.name), join(copy, entry.name)];
    if (!entry.isDirectory()) {
      if (!emptied.includes(entry.name)) copyEntry(from, to, left);
      return [];
    }
    const isSmall = !emptied.includes(entry.name) && fitsBudget(from, { ...left });
    if (isSmall) copyEntry(from, to, left);
    else mkdirSync(to);
    return isSmall || emptied.includes(entry.name) ? [] : [from];
  });
}

/** Subtracts what is at this path from `left`. */
function fitsBudget(path: string, left: Left): boolean {
  const stat = lstatSync(path);
  left.entries -= 1;
  if (stat.isFile()) left.bytes -= stat.size;
  if (left.bytes < 0 || left.entries < 0) return false;
  return !stat.isDirectory() || listEntries(path).every((name) => fitsBudget(join(path, name), left));
}

function listEntries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    return ignoreUnreadable(error) ?? [];
  }
}

/** A link stays a link: its target is what the sandbox has at that path. Sockets and the like, and unreadable files, are left out. */
function copyEntry(from: string, to: string, left: Left): void {
  try {
    const stat = lstatSync(from);
    if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else if (stat.isDirectory()) {
      mkdirSync(to);
      for (const name of listEntries(from)) copyEntry(join(from, name), join(to, name), left);
    } else if (stat.isFile() && !DATABASE.test(from) && stat.size <= left.bytes) {
      copyFileSync(from, to, constants.COPYFILE_FICLONE);
      left.bytes -= stat.size;
    }
    left.entries -= 1;
  } catch (error) {
    ignoreUnreadable(error);
  }
}

/** Gone a moment ago, or not this user's. */
function ignoreUnreadable(error: unknown): undefined {
  if (!['ENOENT', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
}

interface Login {
  readonly original: string;
  readonly copy: string;
  /** Both were the same then. */
  last: Buffer | null;
}

/**
 * A login that somebody else changed goes to the agent; one that the agent renewed goes back. Without this a person would be signed out:
 * a renewed login makes the one before it invalid.
 */
function syncLogin(login: Login): void {
  const [original = null] = realPlaces([login.original]);
  const mine = original === null ? null : readSmallFile(original);
  if (original === null || mine === null) return;
  if (login.last === null || !mine.equals(login.last)) {
    replaceFile(login.copy, mine);
    login.last = mine;
    return;
  }
  const renewed = readSmallFile(login.copy);
  if (renewed === null || renewed.equals(mine) || !isRenewal(mine, renewed)) return;
  replaceFile(original, renewed);
  login.last = renewed;
}

/** The same accounts with other tokens. A new account could name a server whose settings the agent would use later. */
function isRenewal(before: Buffer, after: Buffer): boolean {
  const [old, renewed] = [before, after].map((bytes) => parseJson(bytes.toString('utf8')));
  if (old?.ok !== true || renewed?.ok !== true || !isObject(old.value) || !isObject(renewed.value)) return false;
  const accounts = old.value;
  return Object.entries(renewed.value).every(([key, value]) => Object.hasOwn(accounts, key) || !isObject(value));
}

/** Null for a link, anything else that is no file, and a large file. */
function readSmallFile(path: string): Buffer | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(fd);
    return stat.isFile() && stat.size <= MAX_LOGIN_BYTES ? readFileSync(fd) : null;
  } finally {
    closeSync(fd);
  }
}

/** If it cannot be written, the person signs in again; the run goes on. */
function replaceFile(path: string, bytes: Buffer): void {
  const temporary = `${path}.${randomUUID()}`;
  try {
    const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      fchmodSync(fd, 0o600);
      writeFileSync(fd, bytes);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch {
    rmSync(temporary, { force: true });
  }
}
