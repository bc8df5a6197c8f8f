// Which work and which evidence a critic's verdict covers. A task belongs to the first critics that depend on it, directly or through
// other tasks. A revert belongs to the chain that asked for it, and any other commit to the next verdict.

import type { Loop } from '../loops/loop.js';
import { chainOfTask, findTask, isOver } from './run-state.js';
import type { RunState, TaskState } from './run-state.js';

export interface RoundWork {
  readonly chain: string;
  /** The head at the chain's verdict of the previous round, and at its last verdict of this round. Null: the start of the session. */
  readonly from: string | null;
  readonly to: string | null;
}

/** Every chain that was judged in this round. More granted rounds or a person's edit can judge a round more than once. */
export function workOfRound({ marks }: Pick<RunState, 'marks'>, round: number): readonly RoundWork[] {
  const chains = new Set(marks.filter((mark) => mark.round === round).map((mark) => mark.chain));
  return [...chains].map((chain) => {
    const own = marks.filter((mark) => mark.chain === chain);
    const before = own.findLast((mark) => mark.round < round);
    return { chain, from: before?.head ?? null, to: own.findLast((mark) => mark.round === round)?.head ?? null };
  });
}

/** One commit of the session's branch, and the commits that it merged. */
export interface BranchCommit {
  readonly commit: string;
  readonly merged: readonly string[];
}

/** For each commit, whether it belongs to the chain. `commits`: the whole branch of the session, the oldest first. */
export function commitsOfChain(run: RunState, rules: Loop, chain: string, commits: readonly BranchCommit[]): readonly boolean[] {
  const chainsByCommit = findChainsByCommit(run, rules);
  const indexOf = new Map(commits.map(({ commit }, index) => [commit, index]));
  const verdicts = run.marks.map((mark) => ({ chain: mark.chain, index: indexOf.get(mark.head ?? '') ?? -1 }));
  return commits.map(({ commit, merged }, index) => {
    const chains = [commit, ...merged].map((id) => chainsByCommit.get(id)).find((found) => found !== undefined);
    return chains?.has(chain) ?? verdicts.find((verdict) => verdict.index >= index)?.chain === chain;
  });
}

function findChainsByCommit(run: RunState, rules: Loop): ReadonlyMap<string, ReadonlySet<string>> {
  const chains = new Map<string, Set<string>>();
  /** By task: the wave of the first critics that depend on it. */
  const firstWave = new Map<string, number>();
  const critics = run.tasks.filter((task) => task.role === run.started.critic).toSorted((a, b) => a.wave - b.wave);
  for (const critic of critics) {
    const chain = chainOfTask(rules, critic);
    for (const task of tasksBefore(run, critic, ({ id }) => (firstWave.get(id) ?? critic.wave) >= critic.wave)) {
      firstWave.set(task.id, critic.wave);
      if (task.commit !== null) chains.set(task.commit, (chains.get(task.commit) ?? new Set()).add(chain));
    }
  }
  for (const { seq, chain } of run.marks) {
    const commit = run.reverted.get(seq)?.commit ?? null;
    if (commit !== null) chains.set(commit, new Set([chain]));
  }
  for (const critic of run.tasks)
    for (const { head } of critic.reverts) if (head !== null) chains.set(head, new Set([chainOfTask(rules, critic)]));
  return chains;
}

/** Files that anybody changed since this chain was judged last. */
export function filesChangedSince({ touched, marks }: Pick<RunState, 'touched' | 'marks'>, chain: string): readonly string[] {
  const last = marks.findLastIndex((mark) => mark.chain === chain);
  return [...touched].flatMap(([file, verdicts]) => (verdicts > last ? [file] : []));
}

/** Changes reverted by the guard that this critic's verdict reports: in the work it depends on, and in work that no other critic will see. */
export function breachesBefore(run: RunState, critic: string | null): RunState['breaches'] {
  return run.breaches.filter(({ task }) => critic === null || dependsOn(run, critic, task) || !isAwaited(run, task, critic, Infinity));
}

/** Whether another critic, not judged yet and in this one's wave at the latest, depends on the task. */
export function isAwaited(run: RunState, task: string, critic: string | null, latest = findTask(run, critic ?? '')?.wave ?? 0): boolean {
  return run.tasks.some(
    ({ id, role, status, wave }) =>
      id !== critic &&
      role === run.started.critic &&
      wave <= latest &&
      (!isOver(status) || run.unjudged.has(id)) &&
      dependsOn(run, id, task),
  );
}

function dependsOn(run: RunState, critic: string, task: string): boolean {
  const found = findTask(run, critic);
  if (found === undefined) return false;
  return found.deps.includes(task) || tasksBefore(run, found).some(({ deps }) => deps.includes(task));
}

/** Whether this role leaves evidence: the critic, or a second critic that a source names with `by`. */
export function leavesEvidence({ roles, evidence }: Loop, role: string): boolean {
  return role === roles.critic || Object.values(evidence).some((source) => 'file' in source && source.by === role);
}

/** Paths in the session folder where the task leaves its evidence. */
export function evidencePaths(loop: Loop, run: RunState, task: TaskState): readonly string[] {
  return chainsJudgedWith(loop, run, task).flatMap((chain) => pathsOf(loop, task.role, chain));
}

/** By path: the evidence that second critics left for this critic. `null`: it left nothing, or did not run before this critic. */
export function secondCriticEvidence(loop: Loop, run: RunState, critic: TaskState): TaskState['found'] {
  const found: Record<string, string | null> = {};
  const before = tasksBefore(run, critic).toSorted((a, b) => a.wave - b.wave);
  const roles = new Set(Object.values(loop.evidence).flatMap((source) => ('file' in source ? (source.by ?? []) : [])));
  for (const role of roles) {
    const last = before.findLast((task) => task.role === role);
    for (const path of pathsOf(loop, role, chainOfTask(loop, critic)))
      found[path] = last?.status === 'completed' ? (last.found[path] ?? null) : null;
  }
  return found;
}

function pathsOf(loop: Loop, role: string, chain: string): readonly string[] {
  const own = Object.values(loop.evidence).flatMap((source) =>
    'file' in source && (source.by ?? loop.roles.critic) === role ? source.file : [],
  );
  return own.map((path) => path.replaceAll('{chain}', chain));
}

/** The row of a second critic need not name the chain: the critics that depend on it do. */
function chainsJudgedWith(loop: Loop, run: RunState, task: TaskState): readonly string[] {
  if (task.role === loop.roles.critic) return [chainOfTask(loop, task)];
  const critics = run.tasks.filter(({ role }) => role === loop.roles.critic);
  const waiting = critics.filter((critic) => tasksBefore(run, critic).includes(task));
  return [...new Set(waiting.map((critic) => chainOfTask(loop, critic)))];
}

/** The tasks that a critic depends on, directly or through others. Stops at earlier critics and at tasks that are not `wanted`. */
export function tasksBefore(run: RunState, critic: TaskState, wanted: (task: TaskState) => boolean = () => true): readonly TaskState[] {
  const seen = new Set<TaskState>();
  const waiting = [...critic.deps];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const task = findTask(run, id);
    if (task === undefined || seen.has(task) || task.role === run.started.critic || !wanted(task)) continue;
    seen.add(task);
    waiting.push(...task.deps);
  }
  return [...seen];
}
