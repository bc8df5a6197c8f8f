// The state of a task as the checks of a simulation derive it from the events.

import { chainOfId } from '@umpire/core/decider/chains.js';
import type { TaskFinished } from '@umpire/core/decider/events.js';
import type { Loop } from '@umpire/core/loops/loop.js';

/** The state of a critic's last run. */
type ChainProgress = 'unjudged' | 'approved' | 'revised' | 'escalated' | 'forced';

export interface ObservedTask {
  readonly id: string;
  /** Its index in tasks.csv. */
  readonly place: number;
  /** Its cells without the results. */
  readonly cells: Record<string, string>;
  deps: readonly string[];
  status: 'pending' | 'completed' | 'failed' | 'skipped';
  attempt: number;
  isRunning: boolean;
  submitted: TaskFinished | null;
  /** Skipped by a verdict: its dependents continue. */
  isSkippedByVerdict: boolean;
  /** Skipped because a person agreed that it is blocked: its dependents continue. */
  isAgreed: boolean;
  standing: ChainProgress;
  /** The re-check that replaces it after a revision. */
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
    isAgreed: false,
    standing: 'unjudged',
    recheck: null,
    unjudgeable: 0,
    turns: 0,
  };
}

/** Started and not ended, or its work is not merged yet. */
export function isAtWork(task: ObservedTask): boolean {
  return task.isRunning || task.submitted !== null;
}

/** A skipped task needs no answer. */
export function dropQuestion(questions: Map<string, string | null>, { id }: ObservedTask): void {
  for (const [key, about] of questions) if (/^(?:question|blocked):/.test(key) && about === id) questions.delete(key);
}

/** Whether the dependents of a task are skipped with it. */
export function skipsDependents(task: ObservedTask): boolean {
  return task.status === 'failed' || (task.status === 'skipped' && !task.isSkippedByVerdict && !task.isAgreed);
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

/** Whether a task depends on such a task or reads its results, directly or through others. */
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

/** Whether a task waits for the other, directly or through others. */
export function waitsFor(tasks: ReadonlyMap<string, ObservedTask>, id: string, other: string, seen: Set<string> = new Set()): boolean {
  if (id === other) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  return (tasks.get(id)?.deps ?? []).some((dep) => waitsFor(tasks, dep, other, seen));
}
