// The output of agents: `logs/<task>-<attempt>.txt`, one file for each attempt of a task.

import { join } from 'node:path';
import { lstatOf, statOf } from './file-system.js';
import { appendBytes, forgetCheckedFolders, listFiles, openFolder, readPart, readTail, writeAtomically } from './session-folder.js';
import type { SessionFolder } from './session-folder.js';
import { safeName } from './safe-name.js';

const LOGS = 'logs';

/** Of a longer file only the end is read. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;

export interface LogFile {
  /** The file name without its extension: `DEV-001-1`. */
  readonly name: string;
  /** The task's id, as a safe file name. */
  readonly task: string;
  readonly attempt: number;
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  readonly changedMs: number;
}

/** The log of one attempt, as commands name it. */
export function logName(task: string, attempt: number): string {
  return `${safeName(task)}-${attempt}`;
}

/** By time, the latest last. */
export function listLogs(session: string): readonly LogFile[] {
  const folder = openFolder(session);
  return listFiles(folder, LOGS)
    .flatMap((file) => {
      const [, task, attempt] = /^(.+)-(\d{1,9})\.txt$/.exec(file) ?? [];
      const path = join(folder.root, LOGS, file);
      // Umpire creates no links here, and a link may lead anywhere.
      const stat = lstatOf(path);
      if (task === undefined || stat === undefined || !stat.isFile()) return [];
      return [{ name: `${task}-${attempt ?? ''}`, task, attempt: Number(attempt), path, bytes: stat.size, changedMs: stat.mtimeMs }];
    })
    .toSorted((a, b) => a.changedMs - b.changedMs || a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** The logs of a task by attempt, or the one log that the word names. */
export function logsOf(logs: readonly LogFile[], word: string): readonly LogFile[] {
  const own = logs.filter(({ task }) => task === safeName(word));
  const found = own.length > 0 ? own : logs.filter(({ name }) => name === word);
  return found.toSorted((a, b) => a.attempt - b.attempt);
}

export function readLog(session: string, { name }: LogFile, most = MAX_LOG_BYTES): Buffer {
  return readTail(openFolder(session), `${LOGS}/${name}.txt`, most);
}

/** The part of a log that was written after the first `from` bytes, at most `most` of it, and where the next part begins. */
export function readLogPart(
  session: string,
  { name }: Pick<LogFile, 'name'>,
  from: number,
  most: number,
): { readonly bytes: Buffer; readonly next: number } {
  const folder = openFolder(session);
  const path = `${LOGS}/${name}.txt`;
  // A long log was shortened meanwhile.
  const start = Math.min(from, statOf(join(folder.root, path))?.size ?? 0);
  const bytes = readPart(folder, path, start, most);
  return { bytes, next: start + bytes.length };
}

/** A log never has more than this: then its middle is left out, and it goes on. */
const LONGEST_LOG_BYTES = 24 * 1024 * 1024;
const KEPT_BYTES = 8 * 1024 * 1024;

/** Appends to the log of an attempt. */
export class AgentLog {
  private readonly path: string;
  private size: number | null = null;

  constructor(
    private readonly folder: SessionFolder,
    task: string,
    attempt: number,
  ) {
    this.path = `${LOGS}/${logName(task, attempt)}.txt`;
  }

  add(chunk: Uint8Array): void {
    const { folder, path } = this;
    if (this.size === null) forgetCheckedFolders(folder);
    this.size ??= statOf(join(folder.root, path))?.size ?? 0;
    for (let from = 0; from < chunk.length; from += KEPT_BYTES) {
      const piece = chunk.subarray(from, from + KEPT_BYTES);
      appendBytes(folder, path, piece);
      this.size += piece.length;
      if (this.size > LONGEST_LOG_BYTES) this.shorten(this.size);
    }
  }

  private shorten(size: number): void {
    const { folder, path } = this;
    const start = readPart(folder, path, 0, KEPT_BYTES);
    const end = readTail(folder, path, KEPT_BYTES);
    const between = `\n[${size - start.length - end.length} bytes omitted]\n`;
    const kept = Buffer.concat([start, Buffer.from(between), end]);
    writeAtomically(folder, path, kept, false);
    this.size = kept.length;
  }
}
