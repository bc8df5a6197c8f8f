// Work that must end before new evidence is judged: the critic itself (V1), and the tasks of the chain's last verdict (V4).

import type { Cells, Task } from '@umpire/core/model/vocabulary.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { findCriticToJudge, findParallelCritics, findUnfinishedCritic, normalizeRoles } from '@umpire/core/decider/chains.js';
import type { VerdictDraft } from '@umpire/core/decider/decide-verdict.js';
import { judgedCritics } from '@umpire/core/decider/evolve.js';
import type { PastVerdict } from '@umpire/core/decider/evolve.js';
import { mergeObjects } from '@umpire/core/formats/merge-objects.js';
import { editTasks, parseTasks } from '@umpire/core/formats/tasks-csv.js';
import { oneLine } from '@umpire/core/formats/word-lists.js';
import type { ObservedFolder } from './observe-folder.js';
import type { RoundToRead } from './judge-round.js';
import { TASKS } from './tasks-file.js';

const MOST_ERROR_CHARACTERS = 200;

/** V1: a critic that failed, timed out or crashed approves nothing. */
export function refuseUnfinishedCritic({ loop, tasks, waves, critic }: RoundToRead): void {
  const unfinished = findUnfinishedCritic(findParallelCritics(loop, tasks, waves, critic));
  if (unfinished === null) return;
  const error = oneLine(unfinished.columns['error'] ?? '').slice(0, MOST_ERROR_CHARACTERS);
  throw new UmpireError('critic-unfinished', { task: unfinished.id, why: error === '' ? '' : ` (${error})` }, 'V1');
}

/** V4: tasks of the verdict that are pending or running. The critic's own row counts as ended if it has outputs. */
export function findOpenTasks({ tasks, critic }: RoundToRead, { verdict }: PastVerdict): readonly Task[] {
  const made = new Set(verdict.tasks.map(({ id }) => id));
  const isOpen = ({ id, status }: Task) => made.has(id) && (status === 'pending' || status === 'in_progress');
  return tasks.filter((task) => isOpen(task) && task.id !== critic?.task.id);
}

/** A round after a person declared tasks done elsewhere. */
export interface RoundElsewhere {
  readonly round: RoundToRead;
  readonly elsewhere: Readonly<Record<string, Cells>>;
  /** tasks.csv with these cells. */
  readonly text: string;
}

/** V4: marks the tasks completed. A re-check among them gets the outputs of the row that would have been judged without it. */
export function declareDoneElsewhere({ file, choice, round }: ObservedFolder, open: readonly Task[]): RoundElsewhere {
  const { loop, waves, critic } = round;
  if (file === null) throw new Error('Open tasks are in tasks.csv.');
  const outputs = ['findings', ...loop.columns.out];
  const set = new Map<string, Cells>();
  for (const task of open) {
    const isEmpty = task.role === loop.roles.critic && outputs.every((column) => (task.columns[column] ?? '').trim() === '');
    const copied = isEmpty && critic !== null ? outputs.filter((column) => column in task.columns) : [];
    const cells = copied.map((column) => [column, critic?.task.columns[column] ?? ''] as const);
    set.set(task.id, { status: 'completed', ...Object.fromEntries(cells) });
  }
  const text = editTasks(file, { set, add: [] });
  const tasks = normalizeRoles(loop, parseTasks(text, TASKS).tasks);
  const ids = open.map(({ id }) => id);
  const [were, count] = ids.length === 1 ? ['was', 'it counts'] : ['were', 'they count'];
  const message = `${ids.join(', ')} ${were} not finished in tasks.csv. --round says that the work was done elsewhere, so ${count} as completed.`;
  const anomalies = [...round.anomalies, { rule: 'V4', message }];
  return {
    round: { ...round, tasks, critic: findCriticToJudge(loop, tasks, waves, choice, judgedCritics(round.state, loop.loop)), anomalies },
    elsewhere: Object.fromEntries(set),
    text,
  };
}

/** Adds the tasks done elsewhere to the changes of a verdict. */
export function addElsewhere(draft: VerdictDraft, elsewhere: Readonly<Record<string, Cells>> | undefined): VerdictDraft {
  if (elsewhere === undefined || draft.verdict.status === 'partial') return draft;
  const set: Record<string, Cells> = { ...elsewhere };
  for (const [id, cells] of Object.entries(draft.effects.set)) set[id] = mergeObjects(set[id] ?? {}, cells);
  return { ...draft, effects: { ...draft.effects, set } };
}
