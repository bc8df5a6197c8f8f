// The output of agents: `logs/<task>-<attempt>.txt`, one file for each attempt of a task.

import { join } from 'node:path';
import { lstatOf } from './file-system.js';
import { listFiles, openFolder, readPart, readTail } from './session-folder.js';
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

/** The part of a log that was written after the first `from` bytes, at most `most` of it. */
export function readLogPart(session: string, { name }: Pick<LogFile, 'name'>, from: number, most: number): Buffer {
  return readPart(openFolder(session), `${LOGS}/${name}.txt`, from, most);
}
