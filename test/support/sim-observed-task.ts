// A task as the checks of a simulation see it, from the events alone.

import { chainOfId } from '@umpire/core/decider/chains.js';
import type { TaskFinished } from '@umpire/core/decider/events.js';
import type { Loop } from '@umpire/core/loops/loop.js';

/** What is known of a critic's last run. */
type ChainProgress = 'unjudged' | 'approved' | 'revised' | 'escalated' | 'forced';

export interface ObservedTask {
  readonly id: string;
  /** Its place in the file. */
  readonly place: number;
  /** What was said of it, its results left out. */
  readonly cells: Record<string, string>;
  deps: readonly string[];
  status: 'pending' | 'completed' | 'failed' | 'skipped';
  attempt: number;
  isRunning: boolean;
  submitted: TaskFinished | null;
  /** Skipped by a verdict or a person: what waits for it goes on. */
  isSkippedByVerdict: boolean;
  standing: ChainProgress;
  /** The re-check that a revision put in its place. */
  recheck: string | null;
  /** How often it left nothing to judge. */
  unjudgeable: number;
  turns: number;
}

export function observeTask(row: Readonly<Record<string, string>>, place: number): ObservedTask {
  return {
    id: (row['id'] ?? '').trim(),
    place,
    cells: { ...row },
    deps: ids(row['deps']),
    status: 'pending',
    attempt: 0,
    isRunning: false,
    submitted: null,
    isSkippedByVerdict: false,
    standing: 'unjudged',
    recheck: null,
    unjudgeable: 0,
    turns: 0,
  };
}

/** It was started, and has not ended: what it did may not be merged yet. */
export function isAtWork(task: ObservedTask): boolean {
  return task.isRunning || task.submitted !== null;
}

/** What a task asked that is skipped is of use to nobody. */
export function dropQuestion(questions: Map<string, string | null>, { id }: ObservedTask): void {
  for (const [key, about] of questions) if (key.startsWith('question:') && about === id) questions.delete(key);
}

/** It takes what waits for it along. */
export function skipsDependents(task: ObservedTask): boolean {
  return task.status === 'failed' || (task.status === 'skipped' && !task.isSkippedByVerdict);
}

export function ids(cell: string | undefined): readonly string[] {
  return (cell ?? '')
    .split(';')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

/** The chain of verdicts that it belongs to. */
export function chainOf({ chain }: Loop, { id, cells }: ObservedTask): string {
  if (chain === 'session') return chain;
  return chain === 'id' ? chainOfId(id).chain : cells[chain.column]?.trim() || '1';
}

/** Does it wait for such a task, or is it told of one, or does what it builds on? */
export function buildsOn(
  tasks: ReadonlyMap<string, ObservedTask>,
  task: ObservedTask,
  isSuch: (task: ObservedTask) => boolean,
  seen: Set<string> = new Set(),
): boolean {
  if (isSuch(task)) return true;
  if (seen.has(task.id)) return false;
  seen.add(task.id);
  return [...task.deps, ...ids(task.cells['context_from'])].some((id) => {
    const other = tasks.get(id);
    return other !== undefined && buildsOn(tasks, other, isSuch, seen);
  });
}

/** Does it wait for the other, itself or by way of others? */
export function waitsFor(tasks: ReadonlyMap<string, ObservedTask>, id: string, other: string, seen: Set<string> = new Set()): boolean {
  if (id === other) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  return (tasks.get(id)?.deps ?? []).some((dep) => waitsFor(tasks, dep, other, seen));
}
