// The files in `agents/` of the session through which a program gets its task and returns its result. Programs that run at the same
// time have different files. They are cleared before each use, so that no program gets another's result.

import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import type { Assignment } from '@umpire/core/model/ports.js';
import { lstatOf } from '../sessions/file-system.js';
import { faultOf } from '../sessions/session-folder.js';
import { MAX_RESULT_BYTES } from './last-json-object.js';
import { taskFileOf } from './prompt.js';
import type { TaskFiles } from './prompt.js';

const FOLDER = 'agents';

export interface ClaimedTaskFiles extends TaskFiles {
  /** Writes a further file for the program, such as `schema.json`, and returns its path. */
  readonly write: (name: string, text: string) => string;
  /** Removes the result, before the program is asked for another. */
  readonly clear: () => void;
  /** Call this after the program has ended and its result was read. */
  readonly release: () => void;
}

/** The pairs in use, by path without the extension. */
const taken = new Set<string>();

/** Reuses files where that is safe: creating them would be the most expensive part of running a short program. */
export function claimTaskFiles(assignment: Assignment): ClaimedTaskFiles {
  const folder = join(assignment.session, FOLDER);
  let number = 1;
  while (taken.has(join(folder, String(number)))) number += 1;
  const stem = join(folder, String(number));
  const taskFile = `${stem}.task.json`;
  const resultFile = `${stem}.result.json`;
  const writeTaskFile = (name: string, text: string): string => {
    const path = `${stem}.${name}`;
    try {
      // An agent may have put a link there, and Umpire would write tasks outside the session.
      if (lstatOf(folder)?.isSymbolicLink() === true) clear(folder);
      writeTask(path, Buffer.from(text), folder);
      return path;
    } catch (error) {
      throw new UmpireError('write-failed', { path, detail: faultOf(error) });
    }
  };
  writeTaskFile('task.json', `${JSON.stringify(taskFileOf(assignment))}\n`);
  const clearResult = () => {
    try {
      clear(resultFile);
    } catch (error) {
      throw new UmpireError('write-failed', { path: resultFile, detail: faultOf(error) });
    }
  };
  clearResult();
  taken.add(stem);
  return { taskFile, resultFile, write: writeTaskFile, clear: clearResult, release: () => void taken.delete(stem) };
}

export interface ResultFile {
  readonly file: Uint8Array | null;
  readonly fault?: string;
}

/** Reads a regular file of at most 1 MB. Pipes and links are not followed: they could block for ever or lead anywhere. */
export function readResultFile(path: string): ResultFile {
  try {
    const stat = lstatOf(path);
    if (stat === undefined) return { file: null };
    if (!stat.isFile()) return { file: null, fault: 'not a regular file' };
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      // Bounded: a process left behind may go on writing for ever.
      const bytes = Buffer.alloc(Math.min(MAX_RESULT_BYTES + 1, fstatSync(fd).size + 1));
      let length = 0;
      for (let read = 1; read > 0 && length < bytes.length; length += read)
        read = readSync(fd, bytes, length, bytes.length - length, length);
      const file = bytes.subarray(0, length);
      return file.length > MAX_RESULT_BYTES ? { file: null, fault: 'larger than 1 MB' } : { file };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return { file: null, fault: faultOf(error) };
  }
}

/** Overwrites the old file if it is Umpire's own; an agent may have put a link there that leads out of the session. */
function writeTask(path: string, bytes: Uint8Array, folder: string): void {
  const stat = lstatOf(path);
  if (stat === undefined) mkdirSync(folder, { recursive: true });
  else if (!stat.isFile() || stat.nlink !== 1) clear(path);
  else {
    const fd = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile() || stat.nlink !== 1) throw new Error('another process replaced the file');
      if (writeSync(fd, bytes, 0, bytes.length, 0) < bytes.length) throw new Error('the file was not written completely');
      if (stat.size > bytes.length) ftruncateSync(fd, bytes.length);
    } finally {
      closeSync(fd);
    }
    return;
  }
  writeFileSync(path, bytes, { flag: 'wx' });
}

function clear(path: string): void {
  if (lstatOf(path) !== undefined) rmSync(path, { recursive: true, force: true });
}
