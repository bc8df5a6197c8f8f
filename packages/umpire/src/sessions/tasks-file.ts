// tasks.csv in a session folder: opened in one way, so that everybody says the same of one that is not right.

import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { decodeExactly } from '@umpire/core/formats/decode-text.js';
import { parseTasks } from '@umpire/core/formats/tasks-csv.js';
import type { TasksFile } from '@umpire/core/formats/tasks-csv.js';
import { readBytes } from './folder.js';
import type { SessionFolder } from './folder.js';

export const TASKS = 'tasks.csv';

export type TasksRead =
  | { readonly kind: 'file'; readonly file: TasksFile }
  | { readonly kind: 'missing' }
  | { readonly kind: 'problem'; readonly problem: UmpireError };

/** Whether its tasks depend on each other as they may is for who needs that: brain/waves.ts. */
export function readTasks(folder: SessionFolder): TasksRead {
  const read = readBytes(folder, TASKS);
  if (read.kind === 'missing') return read;
  if (read.kind === 'bytes') return parseBytes(read.bytes);
  return { kind: 'problem', problem: new UmpireError('read-failed', { path: TASKS, detail: read.problem }) };
}

/** Null where there is none; throws what is wrong with it. */
export function openTasks(folder: SessionFolder): TasksFile | null {
  const read = readTasks(folder);
  if (read.kind === 'problem') throw read.problem;
  return read.kind === 'file' ? read.file : null;
}

export function parseBytes(bytes: Uint8Array): Exclude<TasksRead, { readonly kind: 'missing' }> {
  try {
    const decoded = decodeExactly(bytes);
    if (decoded.ok) return { kind: 'file', file: parseTasks(decoded.text, TASKS) };
    const hint = 'Save the file as UTF-8 and run the same command again.';
    return {
      kind: 'problem',
      problem: new UmpireError('tasks-malformed', { file: TASKS, line: decoded.line, detail: decoded.problem, hint }),
    };
  } catch (error) {
    if (isUmpireError(error)) return { kind: 'problem', problem: error };
    throw error;
  }
}
