// Which work a round of a chain judged. A task belongs to the first critics that wait for it, itself or through others; what
// took work back belongs to the chain that asked for it; anything else, such as a person's edit, to the verdict that comes next. And
// what each chain is told of the work since it was judged last, whatever verdicts of others came in between.

import type { Loop } from '../loops/loop.js';
import { chainOfTask, isOver, taskIn } from './run-state.js';
import type { RunState } from './run-state.js';

/** Where the branch stood at one verdict. */
type Mark = RunState['marks'][number];

export interface RoundWork {
  readonly chain: string;
  /** The head at the chain's verdict of the round before, and at the last one of this round; null: where the session began. */
  readonly from: string | null;
  readonly to: string | null;
}

/** Every chain in which the round was judged. A round may be judged more than once: again after more rounds, or a person's edit. */
export function roundsOf({ marks }: Pick<RunState, 'marks'>, round: number): readonly RoundWork[] {
  const chains = new Set(marks.filter((mark) => mark.round === round).map((mark) => mark.chain));
  return [...chains].map((chain) => {
    const own = marks.filter((mark) => mark.chain === chain);
    const before = own.findLast((mark) => mark.round < round);
    return { chain, from: before?.head ?? null, to: own.findLast((mark) => mark.round === round)?.head ?? null };
  });
}

/** One step of the branch: its commit, and the commits that it merged. */
export interface Step {
  readonly commit: string;
  readonly merged: readonly string[];
}

/** Says of each step whether it is the chain's. `steps`: all of the branch from where the session began, the oldest first. */
export function stepsOfChain(run: RunState, rules: Loop, chain: string, steps: readonly Step[]): readonly boolean[] {
  const owners = ownersByCommit(run, rules);
  const at = new Map(steps.map(({ commit }, index) => [commit, index]));
  const placed = run.marks.map((mark: Mark) => ({ chain: mark.chain, index: at.get(mark.head ?? '') ?? -1 }));
  return steps.map(({ commit, merged }, index) => {
    const chains = [commit, ...merged].map((id) => owners.get(id)).find((found) => found !== undefined);
    return chains?.has(chain) ?? placed.find((mark) => mark.index >= index)?.chain === chain;
  });
}

function ownersByCommit(run: RunState, rules: Loop): ReadonlyMap<string, ReadonlySet<string>> {
  const owners = new Map<string, Set<string>>();
  /** By task: the wave of the critics that it belongs to. */
  const owned = new Map<string, number>();
  const critics = run.tasks.filter((task) => task.role === run.started.critic).toSorted((a, b) => a.wave - b.wave);
  for (const critic of critics) {
    const chain = chainOfTask(rules, critic);
    const seen = new Set<string>();
    const waiting = [...critic.deps];
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const task = taskIn(run, id);
      if (task === undefined || seen.has(id) || task.role === run.started.critic) continue;
      if ((owned.get(id) ?? critic.wave) < critic.wave) continue;
      seen.add(id);
      owned.set(id, critic.wave);
      waiting.push(...task.deps);
      if (task.commit !== null) owners.set(task.commit, (owners.get(task.commit) ?? new Set()).add(chain));
    }
  }
  for (const { seq, chain } of run.marks) {
    const commit = run.reverted.get(seq)?.commit ?? null;
    if (commit !== null) owners.set(commit, new Set([chain]));
  }
  return owners;
}

/** Files that were changed since this chain was judged last, by whomever. */
export function touchedSince({ touched, marks }: Pick<RunState, 'touched' | 'marks'>, chain: string): readonly string[] {
  const last = marks.findLastIndex((mark) => mark.chain === chain);
  return [...touched].flatMap(([file, verdicts]) => (verdicts > last ? [file] : []));
}

/** What the guard took back that this critic's verdict is to tell of: of the work it waits for, and of work that no other will look at. */
export function breachesBefore(run: RunState, critic: string | null): RunState['breaches'] {
  return run.breaches.filter(({ task }) => critic === null || isBefore(run, task, critic) || !isAwaited(run, task, critic, Infinity));
}

/** Is there another critic, still to be judged, of this one's wave at the latest, that waits for the task? */
export function isAwaited(run: RunState, task: string, critic: string | null, latest = taskIn(run, critic ?? '')?.wave ?? 0): boolean {
  return run.tasks.some(
    ({ id, role, status, wave }) =>
      id !== critic &&
      role === run.started.critic &&
      wave <= latest &&
      (!isOver(status) || run.unjudged.has(id)) &&
      isBefore(run, task, id),
  );
}

/** Does the critic wait for this task, itself or through others that are no critics? */
function isBefore(run: RunState, task: string, critic: string): boolean {
  const seen = new Set<string>();
  const waiting = [...(taskIn(run, critic)?.deps ?? [])];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id === task) return true;
    const before = taskIn(run, id);
    if (before === undefined || seen.has(id) || before.role === run.started.critic) continue;
    seen.add(id);
    waiting.push(...before.deps);
  }
  return false;
}
