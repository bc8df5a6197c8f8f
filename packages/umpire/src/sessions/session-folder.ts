// Reads and writes files of a session folder. Reads never hang or throw raw errors. Writes are atomic (the old file or the new
// one, never half) and never leave the folder, whatever links or dots a path contains.

import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { lstatOf, openRegularFile, readRegularFile, statOf } from './file-system.js';
import { tmpdir } from 'node:os';

/** Larger evidence is not read into memory. */
export const MAX_BYTES = 256 * 1024 * 1024;

export interface SessionFolder {
  /** The folder itself, with links resolved. */
  readonly root: string;
  readonly name: string;
  /** Subfolders that were checked to be inside, by path (`tasks/`). Each is checked once, until `forgetCheckedFolders`. */
  readonly checked: Map<string, string>;
}

export function openFolder(path: string): SessionFolder {
  let root: string;
  try {
    root = realpathSync.native(path);
    if (!statSync(root).isDirectory()) throw new UmpireError('session-missing', { path });
  } catch (error) {
    if (isUmpireError(error)) throw error;
    throw new UmpireError('session-missing', { path });
  }
  return { root, name: basename(root), checked: new Map([['', root]]) };
}

/** A task may have replaced a folder by a link, so folders are checked again. */
export function forgetCheckedFolders({ root, checked }: SessionFolder): void {
  checked.clear();
  checked.set('', root);
}

export type FileRead =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly problem: string };

/** Follows links (an agent may keep a report elsewhere), but reads only regular files: a pipe would block forever. */
export function readBytes(folder: SessionFolder, path: string): FileRead {
  const file = join(folder.root, path);
  try {
    const stat = statOf(file);
    if (stat === undefined) return { kind: 'missing' };
    if (!stat.isFile()) return { kind: 'unreadable', problem: 'it is not a regular file' };
    if (stat.size > MAX_BYTES)
      return { kind: 'unreadable', problem: `it has ${Math.round(stat.size / 1048576)} MB, and the limit is ${MAX_BYTES / 1048576} MB` };
    return { kind: 'bytes', bytes: readRegularFile(file) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'unreadable', problem: faultOf(error) };
  }
}

/** The last bytes of a regular file, however large it is; empty if it cannot be read. */
export function readTail(folder: SessionFolder, path: string, most: number): Buffer {
  const size = statOf(join(folder.root, path))?.size ?? 0;
  return readPart(folder, path, Math.max(0, size - most), most);
}

/** At most `most` bytes of a regular file from a position on; empty if it cannot be read. */
export function readPart(folder: SessionFolder, path: string, from: number, most: number): Buffer {
  const file = join(folder.root, path);
  const none = Buffer.alloc(0);
  try {
    const stat = statOf(file);
    if (stat === undefined || !stat.isFile() || stat.size <= from) return none;
    const fd = openRegularFile(file, constants.O_RDONLY);
    try {
      const bytes = Buffer.alloc(Math.min(stat.size - from, most));
      return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from));
    } finally {
      closeSync(fd);
    }
  } catch {
    return none;
  }
}

/** Names of the regular files in a subfolder; none if it does not exist. */
export function listFiles(folder: SessionFolder, path: string): readonly string[] {
  const place = join(folder.root, path);
  // Most sessions lack most folders, and throwing an error is slow. The session folder itself exists.
  if (path !== '.' && !existsSync(place)) return [];
  try {
    return readdirSync(place, { withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

/** Resolves a path and refuses one that a link or `..` leads out of the session. Creates its folders unless `make` is false. */
export function placeFor(folder: SessionFolder, path: string, make = true): string {
  const place = nameFor(folder, path, make);
  if (!isLink(place)) return place;
  const target = resolveLink(place);
  refuseOutside(folder, path, target ?? 'nowhere');
  return target ?? place;
}

/** The limit of Linux. Other systems allow less and report it themselves. */
const MAX_PATH_BYTES = 4095;

/** Names that cannot lead to another folder on any system. */
const PLAIN_NAME = /^\w[\w.-]*$/;

/** Like `placeFor`, but does not follow the file itself if it is a link. */
function nameFor(folder: SessionFolder, path: string, make: boolean): string {
  const at = path.lastIndexOf('/') + 1;
  const within = path.slice(0, at);
  const name = path.slice(at);
  const isPlain = PLAIN_NAME.test(name);
  const known = isPlain ? folder.checked.get(within) : undefined;
  if (known !== undefined) return known + sep + name;
  const lexical = join(folder.root, path);
  refuseOutside(folder, path, lexical);
  // Checked before any folder is created.
  if (Buffer.byteLength(lexical) > MAX_PATH_BYTES) throw new UmpireError('write-failed', { path, detail: FAULTS['ENAMETOOLONG'] ?? '' });
  const slash = lexical.lastIndexOf(sep);
  const real = realFolder(folder, path, lexical.slice(0, slash), make);
  if (real === null) return lexical;
  if (isPlain) folder.checked.set(within, real);
  return real + lexical.slice(slash);
}

/** Null if there is none and none is created. Checks every part of the path. */
function realFolder(folder: SessionFolder, path: string, lexical: string, make: boolean): string | null {
  refuseOutside(folder, path, lexical);
  if (lexical === folder.root) return lexical;
  const above = realFolder(folder, path, dirname(lexical), make);
  if (above === null) return null;
  const place = join(above, basename(lexical));
  if (guardWrite(path, () => lstatOf(place)) === undefined) {
    if (!make) return null;
    // A folder created inside a real folder is real.
    if (makeOneFolder(path, place)) return place;
  }
  const real = guardWrite(path, () => realpathSync.native(place));
  refuseOutside(folder, path, real);
  if (!statSync(real).isDirectory()) throw new UmpireError('write-failed', { path, detail: `${basename(place)} is a file, not a folder` });
  return real;
}

/**
 * A power loss drops the name of a new or renamed file, whatever of its bytes was synced, until its folder is synced too. Some network
 * file systems refuse that.
 */
export function syncFolder(place: string): void {
  const fd = openSync(place, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    closeSync(fd);
  }
}

/** Puts files and their names on disk: call it before the journal names them. */
export function syncFiles(folder: SessionFolder, paths: readonly string[]): void {
  for (const path of paths) {
    const place = placeFor(folder, path, false);
    guardWrite(path, () => {
      const fd = openRegularFile(place, constants.O_RDONLY);
      try {
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
    });
  }
  syncNames(folder, paths);
}

/** Puts the names of files on disk, and those of the folders around them: of many files at once it costs less. */
function syncNames(folder: SessionFolder, paths: readonly string[]): void {
  const folders = new Set<string>();
  for (const path of paths)
    for (let at = dirname(placeFor(folder, path, false)); at.startsWith(folder.root); at = dirname(at)) folders.add(at);
  for (const place of folders) guardWrite(place, () => syncFolder(place));
}

/** Writes files, each as a whole, that a power loss leaves. */
export function writeDurably(folder: SessionFolder, files: readonly { readonly path: string; readonly text: string }[]): void {
  for (const { path, text } of files) prepareWrite(folder, path, text).commit();
  syncNames(
    folder,
    files.map(({ path }) => path),
  );
}

/** Creates a folder and its parents, which a power loss leaves. Node's recursive mkdir never returns in folders such as /proc, which accept no entries. */
export function makeFolders(place: string, mode = 0o777): void {
  try {
    mkdirSync(place, mode);
    syncFolder(dirname(place));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !existsSync(dirname(place))) {
      makeFolders(dirname(place), mode);
      makeFolders(place, mode);
    } else if (code !== 'EEXIST' || !statSync(place).isDirectory()) throw error;
  }
}

/** False if something exists there by now. */
function makeOneFolder(path: string, place: string): boolean {
  try {
    mkdirSync(place);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new UmpireError('write-failed', { path, detail: faultOf(error) });
  }
}

function isLink(place: string): boolean {
  try {
    return lstatOf(place)?.isSymbolicLink() ?? false;
  } catch {
    return false;
  }
}

function resolveLink(place: string): string | null {
  try {
    return realpathSync.native(place);
  } catch {
    return null;
  }
}

function refuseOutside(folder: SessionFolder, path: string, target: string): void {
  const { root } = folder;
  const isInside = target.startsWith(root) && (target.length === root.length || target[root.length] === sep || root.endsWith(sep));
  if (!isInside) throw new UmpireError('outside-session', { path, target, verb: 'write' });
}

/** A file written under a temporary name, ready to be renamed. */
export interface PreparedWrite {
  readonly commit: () => void;
  readonly discard: () => void;
}

let counter = 0;

/**
 * `durable`: the bytes are on disk before the rename: a power loss leaves the old file or the new one, never an empty one.
 * Files that can be written again from the journal do not need it.
 */
export function prepareWrite(folder: SessionFolder, path: string, data: string | Uint8Array, durable = true): PreparedWrite {
  const place = placeFor(folder, path);
  const parent = dirname(place);
  let temporary: string;
  // A killed process may have left a file with the same pid: in containers pids repeat.
  do temporary = join(parent, `.umpire-tmp-${process.pid}-${++counter}`);
  while (lstatOf(temporary) !== undefined);
  guardWrite(path, () => {
    const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, (statOf(place)?.mode ?? 0o644) & 0o777);
    try {
      writeFileSync(fd, data);
      if (durable) fsyncSync(fd);
    } catch (error) {
      unlinkSync(temporary);
      throw error;
    } finally {
      closeSync(fd);
    }
  });
  return {
    commit: () => guardWrite(path, () => renameSync(temporary, place)),
    discard: () => unlinkSync(temporary),
  };
}

/**
 * A rename would replace a read-only file, and would fail on a folder or an immutable file only after the journal was written. So the file
 * is opened for writing first. Permissions do not stop root, but somebody who made the file or its folder read-only meant it.
 */
export function checkReplaceable(folder: SessionFolder, path: string): void {
  const place = placeFor(folder, path);
  guardWrite(path, () => {
    if (statOf(place) !== undefined) closeSync(openRegularFile(place, constants.O_WRONLY));
  });
  const isReadOnly = (at: string) => ((statOf(at)?.mode ?? WRITE_BITS) & WRITE_BITS) === 0;
  if (isReadOnly(place)) throw new UmpireError('write-failed', { path, detail: 'the file is read-only' });
  if (isReadOnly(dirname(place))) throw new UmpireError('write-failed', { path, detail: 'its folder is read-only' });
}

const WRITE_BITS = 0o222;

export function writeAtomically(folder: SessionFolder, path: string, data: string | Uint8Array, durable = true): void {
  prepareWrite(folder, path, data, durable).commit();
  if (durable) syncNames(folder, [path]);
}

/** With an encoding, Node writes a text in one call. */
const FRESH = { flag: 'wx', mode: 0o644, encoding: 'utf8' } as const;

/** Writes a new file in one step; false if it exists. A crash may leave a part of it. */
export function writeFresh(folder: SessionFolder, path: string, data: string | Uint8Array): boolean {
  const place = nameFor(folder, path, true);
  try {
    // `wx` never follows a link.
    writeFileSync(place, data, FRESH);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw new UmpireError('write-failed', { path, detail: faultOf(error) });
    // Throws if it is a link that leads out of the session.
    placeFor(folder, path);
    return false;
  }
}

/** For files that can be written again from the journal: a new file in one step, an existing one by rename. */
export function writeProjection(folder: SessionFolder, path: string, data: string | Uint8Array): void {
  if (!writeFresh(folder, path, data)) writeAtomically(folder, path, data, false);
}

/** Removes an entry if it exists. Of a link, removes the link, not its target. */
export function removeEntry(folder: SessionFolder, path: string): void {
  const place = nameFor(folder, path, false);
  guardWrite(path, () => rmSync(place, { force: true }));
}

/** Moves the entry itself, also a folder or a link. */
export function moveEntry(folder: SessionFolder, from: string, to: string): void {
  const place = nameFor(folder, from, false);
  guardWrite(from, () => renameSync(place, nameFor(folder, to, true)));
}

export function hasEntry({ root }: SessionFolder, path: string): boolean {
  return lstatOf(join(root, path)) !== undefined;
}

/** Appends whole lines in one write. If the last line lacks its newline, that comes first. */
export function appendLines(folder: SessionFolder, path: string, lines: string, endsWithNewline: boolean, durable = true): void {
  const place = placeFor(folder, path);
  guardWrite(path, () => {
    const isNew = durable && lstatOf(place) === undefined;
    const fd = openRegularFile(place, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o644);
    try {
      writeFileSync(fd, endsWithNewline ? lines : `\n${lines}`);
      if (durable) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    if (isNew) syncFolder(dirname(place));
  });
}

/** Appends bytes that can be lost. */
export function appendBytes(folder: SessionFolder, path: string, bytes: Uint8Array): void {
  const place = placeFor(folder, path);
  guardWrite(path, () => {
    const fd = openRegularFile(place, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o666);
    try {
      for (let from = 0; from < bytes.length;) from += writeSync(fd, bytes, from);
    } finally {
      closeSync(fd);
    }
  });
}

function guardWrite<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (isUmpireError(error)) throw error;
    throw new UmpireError('write-failed', { path, detail: faultOf(error) });
  }
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file size limit is exceeded (ulimit -f)',
  EMFILE: 'too many files are open (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file, not a folder',
  ELOOP: 'its links form a circle',
  ENAMETOOLONG: 'its name is too long',
  EIO: 'the disk reports an error',
  ENOENT: 'it or one of its folders does not exist',
  ERR_INVALID_ARG_VALUE: 'its name contains a NUL character',
};

export function faultOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code === undefined ? undefined : FAULTS[code]) ?? code ?? message;
}

/** As `prepareWrite` names them, with the pid of the writer. */
const TEMPORARY_NAME = /^\.umpire-tmp-(\d{1,10})-\d{1,15}$/;

/** Folders in which files are written by rename. */
const WRITTEN_FOLDERS = ['.', 'tasks', 'verdicts', 'blobs', 'artifacts', 'results', 'validation', 'interactive'];

/** No write takes this long, also not on another machine, whose pids mean nothing here. */
const STALE_MS = 60_000;

/** Removes temporary files of killed processes. Call it under the lock. A file that cannot be removed does no harm. */
export function removeTemporaryFiles(folder: SessionFolder, nowMs = Date.now()): void {
  for (const within of WRITTEN_FOLDERS) {
    for (const name of listEntries(join(folder.root, within))) {
      const pid = TEMPORARY_NAME.exec(name)?.[1];
      if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue;
      const place = join(folder.root, within, name);
      try {
        const stat = lstatOf(place);
        if (stat?.isFile() === true && nowMs - stat.mtimeMs > STALE_MS) unlinkSync(place);
      } catch {
        // It may be gone, or we may not remove it.
      }
    }
  }
}

function listEntries(place: string): readonly string[] {
  try {
    // A link may lead to a foreign folder.
    return lstatOf(place)?.isDirectory() === true ? readdirSync(place) : [];
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** By temporary folder. */
const scratchHomes = new Map<string, string>();

/** This process's own folder for temporary files, with links resolved. The sandbox hides it from agents. */
export function scratchHome(): string {
  const place = tmpdir();
  try {
    const known = scratchHomes.get(place);
    if (known !== undefined) {
      // Systems clean their temporary folders.
      mkdirSync(known, { recursive: true, mode: 0o700 });
      return known;
    }
    const home = realpathSync.native(mkdtempSync(join(place, 'umpire-')));
    if (scratchHomes.size === 0)
      process.once('exit', () => {
        for (const made of scratchHomes.values()) rmSync(made, { recursive: true, force: true });
      });
    scratchHomes.set(place, home);
    return home;
  } catch (error) {
    throw new UmpireError('write-failed', { path: `the folder for temporary files (TMPDIR=${place})`, detail: faultOf(error) });
  }
}

/** Returns its path with links resolved. The caller removes it. */
export function makeScratch(name: string): string {
  const home = scratchHome();
  try {
    return mkdtempSync(join(home, `umpire-${name}-`));
  } catch (error) {
    throw new UmpireError('write-failed', { path: home, detail: faultOf(error) });
  }
}
