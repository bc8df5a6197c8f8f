// The session folder as a place to read and write: reads never hang or throw raw errors, writes are atomic (the old file
// or the new one, never half) and never leave the folder, whatever links or dots a path holds.

import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { lstatOf, statOf } from './entry.js';

/** Larger evidence is not read into memory. */
export const MAX_BYTES = 256 * 1024 * 1024;

export interface SessionFolder {
  /** The folder itself, with links resolved. */
  readonly root: string;
  readonly name: string;
  /** Folders inside it that were seen to be real and inside, as paths name them (`tasks/`): each is looked at once, until `lookAgain`. */
  readonly seen: Map<string, string>;
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
  return { root, name: basename(root), seen: new Map([['', root]]) };
}

/** Whoever was at work in the session may have put a link in the place of a folder: what was seen of them is seen anew. */
export function lookAgain({ root, seen }: SessionFolder): void {
  seen.clear();
  seen.set('', root);
}

export type FileRead =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly problem: string };

/** Follows links (an agent may have put a report elsewhere), but reads regular files only: a pipe would wait for ever. */
export function readBytes(folder: SessionFolder, path: string): FileRead {
  const file = join(folder.root, path);
  try {
    const stat = statOf(file);
    if (stat === undefined) return { kind: 'missing' };
    if (!stat.isFile()) return { kind: 'unreadable', problem: 'it is not a regular file' };
    if (stat.size > MAX_BYTES)
      return { kind: 'unreadable', problem: `it has ${Math.round(stat.size / 1048576)} MB; at most ${MAX_BYTES / 1048576} MB are read` };
    return { kind: 'bytes', bytes: readFileSync(file) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'unreadable', problem: faultOf(error) };
  }
}

/** The last bytes of a regular file; empty where there is none, or it cannot be read. However large it is, no more is read. */
export function readTail(folder: SessionFolder, path: string, most: number): Buffer {
  const file = join(folder.root, path);
  const none = Buffer.alloc(0);
  try {
    const stat = statOf(file);
    if (stat === undefined || !stat.isFile()) return none;
    const length = Math.min(stat.size, most);
    const fd = openSync(file, constants.O_RDONLY);
    try {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, readSync(fd, bytes, 0, length, stat.size - length));
    } finally {
      closeSync(fd);
    }
  } catch {
    return none;
  }
}

/** Names of the regular files in a folder of the session, or none. */
export function listFiles(folder: SessionFolder, path: string): readonly string[] {
  const place = join(folder.root, path);
  // Most sessions lack most folders, and an error is costly to make. The session's own is there.
  if (path !== '.' && !existsSync(place)) return [];
  try {
    return readdirSync(place, { withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

/** The real place of a path, refused where a link or `..` leads it outside the session. Folders on the way are made, if asked. */
export function placeFor(folder: SessionFolder, path: string, make = true): string {
  const place = nameFor(folder, path, make);
  if (!isLink(place)) return place;
  const target = resolveLink(place);
  refuseOutside(folder, path, target ?? 'nowhere');
  return target ?? place;
}

/** Of Linux, in bytes. Other systems take less, and say so. */
const LONGEST_PATH = 4095;

/** Names in which no system sees a step to another folder. */
const PLAIN_NAME = /^\w[\w.-]*$/;

/** The same, but for a link that the file itself may be. */
function nameFor(folder: SessionFolder, path: string, make: boolean): string {
  const at = path.lastIndexOf('/') + 1;
  const within = path.slice(0, at);
  const name = path.slice(at);
  const isPlain = PLAIN_NAME.test(name);
  const known = isPlain ? folder.seen.get(within) : undefined;
  if (known !== undefined) return known + sep + name;
  const lexical = join(folder.root, path);
  refuseOutside(folder, path, lexical);
  // Before a part of the way is made.
  if (Buffer.byteLength(lexical) > LONGEST_PATH) throw new UmpireError('write-failed', { path, detail: FAULTS['ENAMETOOLONG'] ?? '' });
  const slash = lexical.lastIndexOf(sep);
  const real = realFolder(folder, path, lexical.slice(0, slash), make);
  if (real === null) return lexical;
  if (isPlain) folder.seen.set(within, real);
  return real + lexical.slice(slash);
}

/** Null where there is none, and none is to be made. Each part of the way is looked at, whatever was seen of it before. */
function realFolder(folder: SessionFolder, path: string, lexical: string, make: boolean): string | null {
  refuseOutside(folder, path, lexical);
  if (lexical === folder.root) return lexical;
  const above = realFolder(folder, path, dirname(lexical), make);
  if (above === null) return null;
  const place = join(above, basename(lexical));
  if (guardWrite(path, () => lstatOf(place)) === undefined) {
    if (!make) return null;
    // What is made here, in a real folder, is one.
    if (makeFolder(path, place)) return place;
  }
  const real = guardWrite(path, () => realpathSync.native(place));
  refuseOutside(folder, path, real);
  if (!statSync(real).isDirectory())
    throw new UmpireError('write-failed', { path, detail: `${basename(place)} is a file, and a folder is needed there` });
  return real;
}

/** A folder and all above it. Node's own way to it never ends where a system has a folder and takes none in it, as /proc. */
export function makeFolders(place: string): void {
  try {
    mkdirSync(place);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !existsSync(dirname(place))) {
      makeFolders(dirname(place));
      makeFolders(place);
    } else if (code !== 'EEXIST' || !statSync(place).isDirectory()) throw error;
  }
}

/** False where something came to be there meanwhile. */
function makeFolder(path: string, place: string): boolean {
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

/** A file written beside its place, durable, and ready to be put there in one step. */
export interface Prepared {
  readonly commit: () => void;
  readonly discard: () => void;
}

let counter = 0;

/**
 * Renames are atomic whatever happens. `durable`: the bytes are on the disk before the file is put in place, so that a loss of
 * power leaves the old file or the new one, never an empty one. Without it the file may be lost then; for what can be
 * written again from the journal.
 */
export function prepareWrite(folder: SessionFolder, path: string, data: string | Uint8Array, durable = true): Prepared {
  const place = placeFor(folder, path);
  const parent = dirname(place);
  let temporary: string;
  // A process that was killed may have left one, and had the same number: in a container it often has.
  do temporary = join(parent, `.umpire-tmp-${process.pid}-${++counter}`);
  while (lstatOf(temporary) !== undefined);
  guardWrite(path, () => {
    const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, modeOf(place));
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

export function writeAtomically(folder: SessionFolder, path: string, data: string | Uint8Array, durable = true): void {
  prepareWrite(folder, path, data, durable).commit();
}

/** Where the encoding is named, Node writes a text in one call. */
const FRESH = { flag: 'wx', mode: 0o644, encoding: 'utf8' } as const;

/** Writes a file that is not there yet, in one step; false where it is there. A crash may leave a part of it. */
export function writeFresh(folder: SessionFolder, path: string, data: string | Uint8Array): boolean {
  const place = nameFor(folder, path, true);
  try {
    // Never follows a link: a name that is one is taken.
    writeFileSync(place, data, FRESH);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw new UmpireError('write-failed', { path, detail: faultOf(error) });
    // It may be a link, and lead out of the session.
    placeFor(folder, path);
    return false;
  }
}

/** For what can be written again from the journal: in one step where it is not there yet, else the old file or the new one. */
export function writeProjection(folder: SessionFolder, path: string, data: string | Uint8Array): void {
  if (!writeFresh(folder, path, data)) writeAtomically(folder, path, data, false);
}

/** Removes the entry of this name: of a link, the link, wherever it leads. One that is gone is gone. */
export function removeEntry(folder: SessionFolder, path: string): void {
  const place = nameFor(folder, path, false);
  guardWrite(path, () => rmSync(place, { force: true }));
}

/** The entry itself, be it a folder or a link. */
export function moveEntry(folder: SessionFolder, from: string, to: string): void {
  const place = nameFor(folder, from, false);
  guardWrite(from, () => renameSync(place, nameFor(folder, to, true)));
}

/** Is there anything of this name? */
export function hasEntry({ root }: SessionFolder, path: string): boolean {
  return lstatOf(join(root, path)) !== undefined;
}

/** Appends whole lines in one write. A file whose last line was cut off gets its newline first. */
export function appendLines(folder: SessionFolder, path: string, lines: string, endsWithNewline: boolean, durable = true): void {
  const place = placeFor(folder, path);
  guardWrite(path, () => {
    const fd = openSync(place, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o644);
    try {
      writeFileSync(fd, endsWithNewline ? lines : `\n${lines}`);
      if (durable) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  });
}

function modeOf(place: string): number {
  return (statOf(place)?.mode ?? 0o644) & 0o777;
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
  EFBIG: 'files may not grow so large here (ulimit -f)',
  EMFILE: 'too many files are open (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file, not a folder',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  EIO: 'the disk reports an error',
  ENOENT: 'it, or a folder on its way, is not there',
  ERR_INVALID_ARG_VALUE: 'its name holds a NUL',
};

export function faultOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code === undefined ? undefined : FAULTS[code]) ?? code ?? message;
}
