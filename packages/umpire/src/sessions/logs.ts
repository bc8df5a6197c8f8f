// What agents printed, as a session keeps it: `logs/<task>-<attempt>.txt`, one file for each run of a task.

import { join } from 'node:path';
import { lstatOf } from './entry.js';
import { listFiles, openFolder, readTail } from './folder.js';
import { formerName, safeName } from './safe-name.js';

const LOGS = 'logs';

/** More of one file is not read; its end is what counts. */
const MOST_BYTES = 64 * 1024 * 1024;

export interface LogFile {
  /** As the file is called, without its ending: `DEV-001-1`. */
  readonly name: string;
  /** The task's id, as far as a file's name can hold it. */
  readonly task: string;
  readonly attempt: number;
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  readonly changedMs: number;
}

/** By time, the latest last. */
export function listLogs(session: string): readonly LogFile[] {
  const folder = openFolder(session);
  return listFiles(folder, LOGS)
    .flatMap((file) => {
      const [, task, attempt] = /^(.+)-(\d{1,9})\.txt$/.exec(file) ?? [];
      const path = join(folder.root, LOGS, file);
      // A link is not Umpire's, and may lead anywhere.
      const stat = lstatOf(path);
      if (task === undefined || stat === undefined || !stat.isFile()) return [];
      return [{ name: `${task}-${attempt ?? ''}`, task, attempt: Number(attempt), path, bytes: stat.size, changedMs: stat.mtimeMs }];
    })
    .toSorted((a, b) => a.changedMs - b.changedMs || a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** The runs of a task, the first first; of one run, where the word names that. */
export function logsOf(logs: readonly LogFile[], word: string): readonly LogFile[] {
  const called = (wanted: string) => logs.filter(({ task }) => task === wanted);
  const byName = () => logs.filter(({ name }) => name === word);
  // A session of an earlier version has the former name: asked last, since it may be another task's now.
  const found = [called(safeName(word)), byName(), called(formerName(word))].find((some) => some.length > 0) ?? [];
  return found.toSorted((a, b) => a.attempt - b.attempt);
}

/** Its last bytes: all of it, unless it is very long. */
export function readLog(session: string, { name }: LogFile, most = MOST_BYTES): Buffer {
  return readTail(openFolder(session), `${LOGS}/${name}.txt`, most);
}
