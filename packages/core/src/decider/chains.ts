// Finds the critic's row in tasks.csv, and the chain that it belongs to.

import type { Task } from '../model/vocabulary.js';
import type { Loop } from '../loops/loop.js';

export interface PlacedTask {
  readonly task: Task;
  readonly wave: number;
}

export function isFinished({ status }: Task): boolean {
  return status === 'completed' || status === 'failed';
}

function carriesOutputs(task: Task, loop: Loop): boolean {
  return task.status !== 'skipped' && loop.columns.out.some((column) => (task.columns[column] ?? '').trim() !== '');
}

/** The tasks with the loop's spelling of its roles: the file may write them with capitals. */
export function normalizeRoles(loop: Loop, tasks: readonly Task[]): readonly Task[] {
  const { critic, generator } = loop.roles;
  const own = new Map([generator, critic].map((role) => [role.toLowerCase(), role]));
  const spelled = (task: Task): string =>
    task.role === critic || task.role === generator ? task.role : (own.get(task.role.toLowerCase()) ?? task.role);
  return tasks.some((task) => spelled(task) !== task.role) ? tasks.map((task) => ({ ...task, role: spelled(task) })) : tasks;
}

/**
 * The critic's latest row that is finished or has outputs, in `chain` if the caller chose one. The highest wave is the latest; at equal
 * waves the `wave` column decides, then the later line.
 */
export function findCriticRow(loop: Loop, tasks: readonly Task[], waves: Int32Array, chain: string | null): PlacedTask | null {
  const column = typeof loop.chain === 'object' ? loop.chain.column : null;
  const isOther = (task: Task) => chain !== null && column !== null && (task.columns[column] ?? '').trim() !== chain;
  let best: PlacedTask | null = null;
  for (const placed of judgeableCritics(loop, tasks, waves))
    if (!isOther(placed.task) && (best === null || isLater(placed, best))) best = placed;
  return best;
}

function judgeableCritics(loop: Loop, tasks: readonly Task[], waves: Int32Array): readonly PlacedTask[] {
  return tasks.flatMap((task, index) => {
    if (task.role !== loop.roles.critic || (!isFinished(task) && !carriesOutputs(task, loop))) return [];
    return [{ task, wave: waves[index] ?? 1 }];
  });
}

function isLater({ task, wave }: PlacedTask, other: PlacedTask): boolean {
  return wave > other.wave || (wave === other.wave && statedWave(task) >= statedWave(other.task));
}

/**
 * A14: the latest critic of each chain that no verdict has judged, in the order of the rows: those of the last wave, and earlier ones on
 * which no work has begun to build. `judged`: ids of critics.
 */
export function findUnjudgedCritics(
  loop: Loop,
  tasks: readonly Task[],
  waves: Int32Array,
  judged: ReadonlySet<string>,
): readonly PlacedTask[] {
  const latest = new Map<string, PlacedTask>();
  const placed = judgeableCritics(loop, tasks, waves);
  for (const one of placed) {
    const chain = chainOfRow(loop, one.task);
    const before = latest.get(chain);
    if (before === undefined || isLater(one, before)) latest.set(chain, one);
  }
  const lastWave = Math.max(0, ...[...latest.values()].map(({ wave }) => wave));
  const passed = new Set(tasks.flatMap((task) => (task.status === 'in_progress' || isFinished(task) ? task.deps : [])));
  const open = new Set(
    [...latest.values()].filter(({ task, wave }) => !judged.has(task.id) && (wave === lastWave || !passed.has(task.id))),
  );
  return placed.filter((one) => open.has(one));
}

/** The first critic without a verdict; if all have one, the latest. In `chain` if the caller chose one. */
export function findCriticToJudge(
  loop: Loop,
  tasks: readonly Task[],
  waves: Int32Array,
  chain: string | null,
  judged: ReadonlySet<string>,
): PlacedTask | null {
  const [first] = chain === null ? findUnjudgedCritics(loop, tasks, waves, judged) : [];
  return first ?? findCriticRow(loop, tasks, waves, chain);
}

/** The critic's finished rows of the same wave and chain, because several critics may run in parallel. The latest comes last. */
export function findParallelCritics(loop: Loop, tasks: readonly Task[], waves: Int32Array, critic: PlacedTask | null): readonly Task[] {
  if (critic === null) return [];
  const chain = chainOfRow(loop, critic.task);
  const others = tasks.filter(
    (task, index) =>
      task !== critic.task &&
      task.role === loop.roles.critic &&
      waves[index] === critic.wave &&
      statedWave(task) === statedWave(critic.task) &&
      (isFinished(task) || carriesOutputs(task, loop)) &&
      chainOfRow(loop, task) === chain,
  );
  return [...others, critic.task];
}

/** The last finished row of other roles in the critic's chain. Null if there is none, or work was done between it and the critic. */
export function findRowBeside(
  loop: Loop,
  tasks: readonly Task[],
  waves: Int32Array,
  critic: PlacedTask | null,
  roles: readonly string[],
): Task | null {
  if (critic === null) return null;
  const chain = chainOfRow(loop, critic.task);
  const waveOf = (task: Task): number => waves[tasks.indexOf(task)] ?? 0;
  const own = tasks.filter((task) => isFinished(task) && waveOf(task) <= critic.wave && chainOfRow(loop, task) === chain);
  const last = own
    .filter((task) => roles.includes(task.role))
    .toSorted((a, b) => waveOf(a) - waveOf(b))
    .at(-1);
  if (last === undefined) return null;
  const isStale = own.some((task) => task.role === loop.roles.generator && waveOf(task) > waveOf(last));
  return isStale ? null : last;
}

/** A row may be completed by name and say in its `error` how it ended. */
const CUT_SHORT = /\b(?:timed[ -]?out|time-?out|crashed|was killed|did not finish)\b/i;

/** V1: the first of the critics to judge that failed, timed out or crashed. Such a critic approves nothing. */
export function findUnfinishedCritic(critics: readonly Task[]): Task | null {
  return critics.find((task) => task.status === 'failed' || CUT_SHORT.test(task.columns['error'] ?? '')) ?? null;
}

export function statedWave(task: Task): number {
  const wave = Number(task.columns['wave']);
  return Number.isInteger(wave) && wave > 0 ? wave : 0;
}

const FAMILY = /^(.*?)-(\d{1,6})$/;
const RECHECK = /^(.*?)-re-(\d{1,6})(?:-(\d{1,6}))?$/;

/** `AUDIT-002` → chain AUDIT-002, round 1; `AUDIT-re-001` → AUDIT-001, round 2; `AUDIT-re-002-1` → AUDIT-002, round 2. */
export function chainOfId(id: string): { readonly chain: string; readonly round: number | null } {
  const again = RECHECK.exec(id);
  if (again !== null) {
    const [, family = '', first = '', second] = again;
    if (second === undefined) return { chain: `${family}-001`, round: Number(first) + 1 };
    return { chain: `${family}-${first}`, round: Number(second) + 1 };
  }
  return { chain: id, round: FAMILY.test(id) ? 1 : null };
}

/** The chain of a critic's row, if the caller does not choose one. */
export function chainOfRow(loop: Loop, row: Task | null): string {
  if (loop.chain === 'session') return 'session';
  if (loop.chain === 'id') return row === null ? 'none' : chainOfId(row.id).chain;
  return chainOfCell(row?.columns[loop.chain.column]);
}

/** An empty cell means chain 1. */
export function chainOfCell(cell: string | undefined): string {
  const value = (cell ?? '').trim();
  return value === '' ? '1' : value;
}

/** Every chain that has a critic's row. */
export function chainsOf(loop: Loop, tasks: readonly Task[]): readonly string[] {
  const critics = tasks.filter((task) => task.role === loop.roles.critic);
  return [...new Set(critics.map((task) => chainOfRow(loop, task)))];
}

/** The value of `{mend}` in a task id: the round that the task fixes (`001`), after the number of a later chain (`002-1`). */
export function mendOf(chain: string, round: number): string {
  const number = Number(/(\d+)$/.exec(chain)?.[1] ?? 1);
  return number <= 1 ? String(round).padStart(3, '0') : `${String(number).padStart(3, '0')}-${round}`;
}

/** Replaces characters that an id cannot contain. */
export function chainInId(chain: string): string {
  return chain.replace(/[;\r\n]+/g, '-');
}
