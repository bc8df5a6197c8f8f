// Changes tasks.csv of a session, as the program that runs the loop does.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editTasks, parseTasks } from '@umpire/core/formats/tasks-csv.js';

type Cells = Readonly<Record<string, string>>;

export function setTask(folder: string, id: string, cells: Cells): void {
  setTasks(folder, new Map([[id, cells]]));
}

function setTasks(folder: string, set: ReadonlyMap<string, Cells>): void {
  const path = join(folder, 'tasks.csv');
  writeFileSync(path, editTasks(parseTasks(readFileSync(path, 'utf8'), path), { set, add: [] }));
}

/** Completes pending tasks: their work is done, and new evidence may be judged. Without ids, those of every verdict in the journal. */
export function endTasks(folder: string, ids: readonly string[] = tasksOfVerdicts(folder)): void {
  const path = join(folder, 'tasks.csv');
  if (!existsSync(path)) return;
  const isOpen = (status: string) => status === 'pending' || status === 'in_progress';
  const open = parseTasks(readFileSync(path, 'utf8'), path).tasks.filter(({ id, status }) => ids.includes(id) && isOpen(status));
  setTasks(folder, new Map(open.map(({ id }) => [id, { status: 'completed' }])));
}

function tasksOfVerdicts(folder: string): readonly string[] {
  const lines = readFileSync(join(folder, 'journal.ndjson'), 'utf8').trim().split('\n');
  return lines.flatMap((line) => {
    const { data } = JSON.parse(line) as { readonly data: { readonly verdict?: { readonly tasks?: readonly { readonly id: string }[] } } };
    return data.verdict?.tasks?.map(({ id }) => id) ?? [];
  });
}
