// Who leaves the evidence of a verdict: the critic, or a second one that evidence names by its role (`by`). The word of a second
// critic is for the critics that wait for its task, and for nobody else.

import type { Loop } from '../loops/loop.js';
import { chainOfTask, taskIn } from './run-state.js';
import type { RunState, TaskState } from './run-state.js';

/** Does this role leave evidence that a verdict rests on? */
export function leavesEvidence({ roles, evidence }: Loop, role: string): boolean {
  return role === roles.critic || Object.values(evidence).some((source) => 'file' in source && source.by === role);
}

/** Where a task leaves its evidence, in the session folder. */
export function evidencePaths(loop: Loop, run: RunState, task: TaskState): readonly string[] {
  return chainsOf(loop, run, task).flatMap((chain) => pathsOf(loop, task.role, chain));
}

/** By path, what second critics had left for this critic when they ended: `null` where one left nothing, or was not asked before. */
export function opinionsFor(loop: Loop, run: RunState, critic: TaskState): TaskState['found'] {
  const found: Record<string, string | null> = {};
  const awaited = awaitedBy(loop, run, critic);
  const roles = new Set(Object.values(loop.evidence).flatMap((source) => ('file' in source ? (source.by ?? []) : [])));
  for (const role of roles) {
    const last = awaited.findLast((task) => task.role === role);
    for (const path of pathsOf(loop, role, chainOfTask(loop, critic))) found[path] = last?.found[path] ?? null;
  }
  return found;
}

function pathsOf(loop: Loop, role: string, chain: string): readonly string[] {
  const own = Object.values(loop.evidence).flatMap((source) =>
    'file' in source && (source.by ?? loop.roles.critic) === role ? source.file : [],
  );
  return own.map((path) => path.replaceAll('{chain}', chain));
}

/** A second critic's own row need not tell the chain: those who wait for it do. */
function chainsOf(loop: Loop, run: RunState, task: TaskState): readonly string[] {
  if (task.role === loop.roles.critic) return [chainOfTask(loop, task)];
  const critics = run.tasks.filter(({ role }) => role === loop.roles.critic);
  const waiting = critics.filter((critic) => awaitedBy(loop, run, critic).includes(task));
  return [...new Set(waiting.map((critic) => chainOfTask(loop, critic)))];
}

/** What a critic waits for, itself or through others, in the order of the waves. What an earlier critic judged is behind that one. */
function awaitedBy(loop: Loop, run: RunState, critic: TaskState): readonly TaskState[] {
  const seen = new Set<TaskState>();
  const waiting = [...critic.deps];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const task = taskIn(run, id);
    if (task === undefined || seen.has(task) || task.role === loop.roles.critic) continue;
    seen.add(task);
    waiting.push(...task.deps);
  }
  return [...seen].toSorted((a, b) => a.wave - b.wave);
}
