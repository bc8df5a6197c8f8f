// What of an agent's ending is recorded: cells of its own columns, numbers that are numbers, text that fits. An agent may be
// any program, or part of the caller's; what it hands in changes nothing about the task but its result.

import type { Event, Breach, TaskFinished } from '@umpire/core/decider/events.js';
import { findTask } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { mergeObjects } from '@umpire/core/formats/merge-objects.js';
import type { Ending, Usage } from '@umpire/core/ports.js';

/** As the formats say. */
export const MAX_FINDINGS = 500;
export const MAX_CELL = 2000;

/** `columns`: the loop's output columns. */
export function plainEnding(ending: Ending, columns: readonly string[]): Ending {
  switch (ending.kind) {
    case 'interrupted':
      return ending.usage === undefined ? ending : { kind: ending.kind, usage: plainUsage(ending.usage) };
    case 'asked':
      return { ...ending, question: plainText(ending.question, MAX_CELL), usage: plainUsage(ending.usage) };
    case 'broken':
      return {
        kind: ending.kind,
        reason: plainText(ending.reason, MAX_CELL),
        usage: plainUsage(ending.usage),
        ...(ending.passing === undefined ? {} : { passing: { afterMs: amount(ending.passing.afterMs ?? 0) || null } }),
      };
    case 'completed':
    case 'failed': {
      const given = columns.filter((name) => Object.hasOwn(ending.outputs, name));
      return {
        kind: ending.kind,
        findings: plainText(ending.findings, MAX_FINDINGS),
        error: plainText(ending.error, MAX_CELL),
        outputs: Object.fromEntries(given.map((name) => [name, plainText(ending.outputs[name], MAX_CELL)])),
        usage: plainUsage(ending.usage),
      };
    }
  }
}

/** Half a character would be another one once it has been through a file. */
function plainText(text: string | undefined, most: number): string {
  return (text ?? '').slice(0, most).replace(/\p{Cs}/gu, '\ufffd');
}

function plainUsage({ tokens, costUsd }: Usage): Usage {
  return { tokens: amount(tokens), costUsd: amount(costUsd) };
}

function amount(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

/** What a critic left, told with its end; one that also changed files tells it when it submits. */
export function withEvidence(event: Event, evidence: NonNullable<TaskFinished['evidence']>, isMeasured: boolean): Event {
  const more = isMeasured ? { evidence, measured: true } : { evidence };
  if (event.type === 'TaskFinished') return { type: 'TaskFinished', data: mergeObjects(event.data, more) };
  return event.type === 'TaskSubmitted' ? { type: 'TaskSubmitted', data: mergeObjects(event.data, more) } : event;
}

const MOST_NAMED = 4;

/** What the guard found, told before what the agent says: who goes on with the work reads it first. */
export function withBreaches(data: TaskFinished, breaches: readonly Breach[]): TaskFinished {
  if (breaches.length === 0) return data;
  const taken = named(breaches.filter((breach) => breach.taken !== null));
  const left = named(breaches.filter((breach) => breach.taken === null));
  const words = [
    ...(taken === '' ? [] : [`Umpire took back what its guard forbids: ${taken}.`]),
    ...(left === '' ? [] : [taken === '' ? `Umpire found what its guard forbids: ${left}.` : `It left for a person: ${left}.`]),
    data.findings,
  ];
  return { ...data, findings: plainText(words.join(' ').trim(), MAX_FINDINGS), breaches };
}

function named(breaches: readonly Breach[]): string {
  const more = breaches.length - MOST_NAMED;
  const words = breaches.slice(0, MOST_NAMED).map(({ rule, file, line }) => `${rule} at ${file}:${line}`);
  return `${words.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Both sides of a merge that came to nothing, for people. */
export function conflictWords(run: RunState, id: string, commit: string, files: readonly string[]): string {
  return `Its changes to ${files.slice(0, 8).join(', ')} conflict with ${otherSide(run, id, files)}; they are kept as commit ${commit.slice(0, 12)}.`;
}

/** Who changed these files in the same wave before it. */
function otherSide(run: RunState, id: string, files: readonly string[]): string {
  const wanted = new Set(files);
  const wave = findTask(run, id)?.wave;
  const others = run.tasks.filter((task) => task.id !== id && task.wave === wave && task.files.some((file) => wanted.has(file)));
  return others.length === 0 ? 'what was merged before it' : `those of ${others.map((task) => task.id).join(', ')}, merged before it`;
}
