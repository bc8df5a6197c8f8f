// Short text of events, to describe a failed simulation.

import type { Event } from '@umpire/core/decider/events.js';

/** One event on one line. */
export function shorten(event: Event): string {
  const data = event.data as Readonly<Record<string, unknown>>;
  const { verdict, task, attempt, status, reason, answer, key, question, outcome, tasks, set, add, error } = data;
  if (event.type === 'VerdictGiven') {
    const { chain, round, maxRounds, outcome: word, rule, tasks: made } = verdict as Readonly<Record<string, unknown>>;
    const ids = (made as readonly { readonly id: string }[]).map(({ id }) => id).join(' ');
    return `VerdictGiven ${String(chain)} ${String(round)}/${String(maxRounds)} ${String(word)} ${String(rule)} ${ids}`;
  }
  const words = [
    task === undefined ? '' : `${String(task)}#${String(attempt ?? '')}`,
    status,
    error,
    answer,
    key,
    question,
    outcome,
    reason,
    tasks,
    set,
    add,
  ];
  return `${event.type} ${words.flatMap((word) => (word === undefined || word === '' ? [] : [typeof word === 'string' ? word : JSON.stringify(word)])).join(' ')}`.slice(
    0,
    160,
  );
}
