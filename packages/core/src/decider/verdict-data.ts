// A verdict without its human texts: what `replay` and `decide` compare. A release may reword a reason or a task's description, and that
// changes no decision. Nobody can edit the recorded texts unnoticed: the hash chain of the journal protects them.
//
// Texts of findings are compared. A reader quotes them from the evidence, and their fingerprints are made of them.

import type { TaskRecord, Verdict } from '../model/vocabulary.js';
import type { Effects } from './events.js';

/** Left out: `reason`, `nextStep`, messages of anomalies, `trend.why`, `fates[].finding`, titles and descriptions of tasks. */
export function verdictData(verdict: Verdict): Readonly<Record<string, unknown>> {
  const { reason: _reason, nextStep: _nextStep, anomalies, tasks, trend, fates, ...data } = verdict;
  return {
    ...data,
    anomalies: anomalies.map(({ rule }) => ({ rule })),
    tasks: tasks.map(taskData),
    ...(trend === undefined ? {} : { trend: { kind: trend.kind, stop: trend.stop } }),
    ...(fates === undefined ? {} : { fates: fates.map(({ fate, fingerprint }) => ({ fate, fingerprint })) }),
  };
}

/** Left out: titles and descriptions of tasks, and `acceptance` in the JSON file of a task. */
export function effectsData({ add, set, files }: Effects): unknown {
  return { add: add.map(taskData), set, files: files.map(({ path, text }) => ({ path, content: taskFileData(text) })) };
}

function taskData(task: TaskRecord | Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const { title: _title, description: _description, ...data } = task;
  return data;
}

function taskFileData(text: string): unknown {
  try {
    const { acceptance: _acceptance, ...data } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return data;
  } catch {
    return text;
  }
}
