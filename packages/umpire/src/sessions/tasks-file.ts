// Reads tasks.csv of a session folder. All callers report the same problems.

import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { decodeExactly } from '@umpire/core/formats/decode-text.js';
import { formulaCells, parseTasks } from '@umpire/core/formats/tasks-csv.js';
import type { TasksFile } from '@umpire/core/formats/tasks-csv.js';
import { readBytes } from './session-folder.js';
import type { SessionFolder } from './session-folder.js';

export const TASKS = 'tasks.csv';

export type TasksRead =
  | { readonly kind: 'file'; readonly file: TasksFile }
  | { readonly kind: 'missing' }
  | { readonly kind: 'problem'; readonly problem: UmpireError };

/** Does not check the dependencies: decider/waves.ts does. */
export function readTasks(folder: SessionFolder): TasksRead {
  const read = readBytes(folder, TASKS);
  if (read.kind === 'missing') return read;
  if (read.kind === 'bytes') return parseTasksBytes(read.bytes);
  return { kind: 'problem', problem: new UmpireError('read-failed', { path: TASKS, detail: read.problem }) };
}

const MOST_NAMED = 5;

/** Names the cells that a spreadsheet would run as formulas; null without any. */
export function describeFormulas(file: TasksFile): string | null {
  const cells = formulaCells(file);
  if (cells.length === 0) return null;
  const named = cells.slice(0, MOST_NAMED).map(({ line, id, column }) => `line ${line} (${id}), column ${column}`);
  const more = cells.length > MOST_NAMED ? `; and ${cells.length - MOST_NAMED} more` : '';
  return `${TASKS} has cells that a spreadsheet would run as formulas: ${named.join('; ')}${more}.`;
}

/** Null if there is none. Throws if it is malformed. */
export function openTasks(folder: SessionFolder): TasksFile | null {
  const read = readTasks(folder);
  if (read.kind === 'problem') throw read.problem;
  return read.kind === 'file' ? read.file : null;
}

export function parseTasksBytes(bytes: Uint8Array): Exclude<TasksRead, { readonly kind: 'missing' }> {
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
