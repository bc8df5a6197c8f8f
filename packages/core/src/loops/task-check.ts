// Can the tasks of a revision be made as the loop says? Ids that tasks.csv takes and that differ, columns that are theirs to
// set, files that are nobody else's.

import { RESERVED_NAMES } from '../formats/reserved-files.js';
import { COMMON_COLUMNS } from '../formats/tasks-csv.js';
import type { Loop, TaskTemplate } from './loop.js';
import { checkText, strayHole } from './loop-texts.js';
import type { Complaint } from './loop-texts.js';

/** What every task has from the start: Umpire fills it in. */
export const GIVEN: ReadonlySet<string> = new Set(COMMON_COLUMNS.filter((column) => column !== 'findings' && column !== 'error'));

const TEXT_NAMES = ['mend', 'chain', 'n', 'findings', 'files', 'lowest', 'critic', 'id'];
const ID_NAMES = ['round', 'next', 'mend', 'chain', 'n'];

type Path = readonly (string | number)[];

export function checkTasks(loop: Loop): Complaint[] {
  const revises = loop.table.some((row) => row.then === 'revise');
  const rechecks = loop.tasks.filter((task) => task.recheck === true);
  const out: Complaint[] = [];
  if (revises && rechecks.length !== 1)
    out.push({ path: ['tasks'], problem: 'a loop that revises needs exactly one task with "recheck: true": the critic\'s new run' });
  if (rechecks.length === 1 && loop.tasks.at(-1)?.recheck !== true)
    out.push({ path: ['tasks'], problem: 'the task with "recheck: true" must be the last: it comes after all that it checks' });
  loop.tasks.forEach((task, index) => {
    const path = ['tasks', index];
    if (task.recheck === true && task.role !== loop.roles.critic) {
      out.push({ path: [...path, 'role'], problem: `the recheck is the critic's, so its role must be "${loop.roles.critic}"` });
    }
    if (task.recheck !== true && task.role === loop.roles.critic)
      out.push({
        path: [...path, 'role'],
        problem: `only the recheck is the critic's; done by "${task.role}" this task would be judged as one`,
      });
    for (const key of ['id', 'title', 'description', 'without', 'acceptance'] as const) {
      const value = task[key];
      if (value !== undefined) out.push(...checkText(loop, value, [...path, key], TEXT_NAMES));
    }
    const twin = loop.tasks.findIndex((other) => other.id === task.id);
    if (twin < index) out.push({ path: [...path, 'id'], problem: `"${task.id}" is also the id of task ${twin + 1} of this revision` });
    out.push(...checkId(task, [...path, 'id']), ...checkCells(loop, task, path), ...checkFile(loop, task, [...path, 'file']));
    if (task.recheck === true) out.push(...checkChain(loop, task, path));
    out.push(...checkTurn(loop, task, index));
  });
  return out;
}

/** Whoever judges the work of a revision looks at it once it is done: else what was never seen would be approved. */
function checkTurn({ roles, evidence, tasks }: Loop, task: TaskTemplate, index: number): Complaint[] {
  const isSecond = Object.values(evidence).some((source) => 'file' in source && source.by === task.role);
  if (task.recheck !== true && !isSecond) return [];
  const isEarly = tasks.slice(0, index).some((other) => task.recheck === true || other.role === roles.generator);
  if (task.after === 'previous' || !isEarly) return [];
  return [{ path: ['tasks', index, 'after'], problem: 'it would judge before the tasks above it are done; say "after: previous"' }];
}

/** Else it would be a chain of its own: with other evidence, and rounds that begin anew. */
function checkChain({ chain }: Loop, { copy = [], set = {} }: TaskTemplate, path: Path): Complaint[] {
  if (typeof chain === 'string' || copy.includes(chain.column) || set[chain.column]?.trim() === '{chain}') return [];
  const how = `copy "${chain.column}" from the critic's row, or set it to "{chain}"`;
  return [{ path, problem: `the recheck would not belong to the chain that it checks again: ${how}` }];
}

function checkId({ id, each }: TaskTemplate, path: Path): Complaint[] {
  const out: Complaint[] = [];
  if (each === 'file' && !id.includes('{n}')) out.push({ path, problem: 'one task for each file needs {n} in its id' });
  const odd = strayHole(id, ID_NAMES);
  if (odd !== null) out.push({ path, problem: `{${odd}} cannot be part of an id: an id takes {round}, {next}, {mend}, {chain} and {n}` });
  if (!hasRound(id)) out.push({ path, problem: 'a task id needs {round}, {next} or {mend}, so that each round has its own' });
  if (/[;\r\n]/.test(id))
    out.push({ path, problem: 'an id cannot hold a semicolon or a line break: ids in deps are separated by semicolons' });
  return out;
}

function hasRound(text: string): boolean {
  return /\{(round|next|mend)\}/.test(text);
}

function checkCells(loop: Loop, task: TaskTemplate, path: Path): Complaint[] {
  const out: Complaint[] = [];
  const cells = [
    ...(task.copy ?? []).map((column) => [column, 'copy'] as const),
    ...Object.keys(task.set ?? {}).map((column) => [column, 'set'] as const),
  ];
  for (const [column, key] of cells) {
    const where = key === 'copy' ? [...path, key] : [...path, key, column];
    if (GIVEN.has(column)) out.push({ path: where, problem: `Umpire fills in "${column}" of every task itself; leave it out` });
    if (task.role === loop.roles.critic && loop.columns.out.includes(column))
      out.push({
        path: where,
        problem: `"${column}" is what the critic hands back; a task that has it from the start would count as done`,
      });
  }
  for (const [column, value] of Object.entries(task.set ?? {})) out.push(...checkText(loop, value, [...path, 'set', column], TEXT_NAMES));
  return out;
}

/** A file of its own for each task, and none of those that Umpire keeps. */
function checkFile(loop: Loop, { file, each }: TaskTemplate, path: Path): Complaint[] {
  if (file === undefined) return [];
  const first = file.split('/').find((part) => part !== '' && part !== '.') ?? '';
  if (RESERVED_NAMES.has(first) || first.startsWith('.umpire'))
    return [{ path, problem: `Umpire keeps ${first} itself; write the task somewhere else, as in "tasks/{id}.json"` }];
  const differs = file.includes('{id}') || (hasRound(file) && (each === undefined || file.includes('{n}')));
  if (!differs) return [{ path, problem: 'each task needs a file of its own: put {id} into its name, as in "tasks/{id}.json"' }];
  return checkText(loop, file, path, TEXT_NAMES);
}
