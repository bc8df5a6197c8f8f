// A task as the checks of a simulation see it, from the events alone.

import type { TaskFinished } from '../../src/brain/run-messages.js';

/** What is known of a critic's last run. */
type Standing = 'unjudged' | 'approved' | 'revised' | 'escalated' | 'forced';

export interface Seen {
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
  isSpared: boolean;
  standing: Standing;
  /** The re-check that a revision put in its place. */
  recheck: string | null;
  /** How often it left nothing to judge. */
  unjudgeable: number;
  turns: number;
}

export function newSeen(row: Readonly<Record<string, string>>, place: number): Seen {
  return {
    id: (row['id'] ?? '').trim(),
    place,
    cells: { ...row },
    deps: ids(row['deps']),
    status: 'pending',
    attempt: 0,
    isRunning: false,
    submitted: null,
    isSpared: false,
    standing: 'unjudged',
    recheck: null,
    unjudgeable: 0,
    turns: 0,
  };
}

/** It takes what waits for it along. */
export function isFallen(task: Seen): boolean {
  return task.status === 'failed' || (task.status === 'skipped' && !task.isSpared);
}

export function ids(cell: string | undefined): readonly string[] {
  return (cell ?? '')
    .split(';')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}
