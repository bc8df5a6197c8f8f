// The changes that a verdict makes to tasks.csv: new rows of a revision, dependents that now wait for the re-check, planned revisions
// released or skipped, and the critic's status. The caller writes them.

import type { Anomaly, Finding, Severity, Task, TaskRecord, Verdict } from '../model/vocabulary.js';
import type { Loop, TaskTemplate } from '../loops/loop.js';
import { fillTemplate, showNumber } from '../loops/template.js';
import type { ValueLookup } from '../loops/template.js';
import { mergeObjects, setOwn } from '../formats/merge-objects.js';
import { joinIds, splitIds } from '../formats/tasks-csv.js';
import { chainInId, isFinished, mendOf, statedWave } from './chains.js';
import type { PlacedTask } from './chains.js';
import { bySeverity, describeTagged, listFindings, pickWorst } from '../formats/finding-text.js';
import type { Effects } from './events.js';
import { addToList } from '../formats/multimap.js';
import { computeWaves } from './waves.js';

export interface PlanInput {
  readonly loop: Loop;
  readonly chain: string;
  readonly round: number;
  readonly tasks: readonly Task[];
  readonly waves: Int32Array;
  readonly critic: PlacedTask | null;
  readonly findings: readonly Finding[];
  /** The dimensions with the lowest score, for revisions without a finding. */
  readonly lowest: string;
  /** Facts and parameters for texts. */
  readonly lookup: ValueLookup;
}

export interface Plan {
  readonly effects: Effects;
  /** The tasks that the verdict creates or releases. */
  readonly tasks: readonly TaskRecord[];
  readonly anomalies: readonly Anomaly[];
}

type NewCells = Record<string, string>;

export const NO_EFFECTS: Effects = { add: [], set: {}, files: [] };

/** For a verdict without a revision. `skipReason`: skip the planned revisions, which are not needed. */
export function planClosing(input: PlanInput, skipReason: string | null): Plan {
  const set = completeCritic(input.critic);
  if (skipReason !== null) skipPlanned(input, skipReason, set);
  return { effects: { ...NO_EFFECTS, set }, tasks: [], anomalies: [] };
}

export function planRevision(input: PlanInput): Plan {
  const set = completeCritic(input.critic);
  const planned = findPlanned(input);
  const made: NewTasks = planned === null ? makeTasks(input) : { rows: [], files: [], anomalies: [] };
  const recheck = planned?.at(-1)?.id ?? made.rows.at(-1)?.['id'] ?? null;
  // Usually nothing is pending when a critic is judged, and computing waves is expensive.
  if (input.tasks.some((task) => task.status === 'pending')) {
    const own = new Set([...(planned ?? []).map((task) => task.id), ...made.rows.map((row) => row['id'] ?? '')]);
    if (recheck !== null && input.critic !== null) {
      repoint(input, input.critic.task.id, recheck, own, set);
      followContext(input, input.critic.task, recheck, own, set);
    }
    refreshWaves(input, made.rows, set);
  }
  return {
    effects: { add: made.rows, set, files: made.files },
    tasks: planned === null ? made.rows.map(recordOfRow) : planned.map((task) => recordOfTask(task, set[task.id])),
    anomalies: made.anomalies,
  };
}

/** The critic's row may still be in progress when its outputs are judged. */
function completeCritic(critic: PlacedTask | null): Record<string, NewCells> {
  return critic === null || isFinished(critic.task) ? {} : { [critic.task.id]: { status: 'completed' } };
}

/** Pending tasks for this revision that exist already: a generator's task and the critic's task after it. */
function findPlanned(input: PlanInput): readonly Task[] | null {
  if (input.loop.planned === undefined) return findExisting(input);
  const { generator, critic } = input.loop.roles;
  const pending = input.tasks
    .map((task, index) => ({ task, wave: input.waves[index] ?? 1 }))
    .filter(({ task }) => task.status === 'pending');
  const rechecks = pending.filter(({ task }) => task.role === critic).toSorted((a, b) => a.wave - b.wave);
  for (const { task: recheck } of rechecks) {
    const generators = pending.filter(({ task }) => task.role === generator && recheck.deps.includes(task.id));
    if (generators.length > 0) return [...generators.map(({ task }) => task), recheck];
  }
  return null;
}

/** Pending tasks with exactly the ids of this round, made by another orchestrator or before the journal was lost. */
function findExisting(input: PlanInput): readonly Task[] | null {
  const plain = input.loop.tasks.filter((template) => template.each === undefined);
  const found = plain.map((template) => {
    const id = idOf(template, input, input.round, 1);
    return input.tasks.find((task) => task.status === 'pending' && task.id === id);
  });
  if (plain.length === 0 || plain.length < input.loop.tasks.length || found.some((task) => task === undefined)) return null;
  return found.filter((task) => task !== undefined);
}

interface NewTasks {
  readonly rows: NewCells[];
  readonly files: { path: string; text: string }[];
  readonly anomalies: Anomaly[];
}

function makeTasks(input: PlanInput): NewTasks {
  const made: NewTasks = { rows: [], files: [], anomalies: [] };
  const taken = new Set<string>();
  for (const task of input.tasks) taken.add(task.id);
  const round = freeRound(input, taken);
  for (const template of input.loop.tasks) {
    const deps =
      template.after === 'critic' ? (input.critic === null ? [] : [input.critic.task.id]) : made.rows.map((row) => row['id'] ?? '');
    const groups = template.each === 'file' ? groupByFile(input, made.anomalies) : [{ file: null, findings: input.findings }];
    let n = 0;
    for (const { file, findings } of groups) {
      do n++;
      while (template.each === 'file' && taken.has(idOf(template, input, round, n)));
      addTask(input, made, template, { deps, round, n, file, findings });
    }
  }
  return made;
}

interface Slot {
  readonly deps: readonly string[];
  readonly round: number;
  readonly n: number;
  readonly file: string | null;
  readonly findings: readonly Finding[];
}

function addTask(input: PlanInput, made: NewTasks, template: TaskTemplate, slot: Slot): void {
  const id = idOf(template, input, slot.round, slot.n);
  const lookup: ValueLookup = (name) => {
    if (name === 'id') return id;
    if (name === 'n') return slot.n;
    if (name === 'files') return slot.file ?? NO_FILE;
    if (name === 'findings') return listFindings(slot.findings);
    return placeholder(name, input, input.round) ?? input.lookup(name);
  };
  const text = slot.findings.length === 0 && template.without !== undefined ? template.without : template.description;
  const row: NewCells = {};
  for (const column of template.copy ?? []) setOwn(row, column, input.critic?.task.columns[column] ?? '');
  for (const [column, value] of Object.entries(template.set ?? {})) setOwn(row, column, fillTemplate(value, lookup));
  row['id'] = id;
  row['title'] = fillTemplate(template.title, lookup);
  row['description'] = fillTemplate(text, lookup);
  row['role'] = template.role;
  row['deps'] = joinIds(slot.deps);
  row['context_from'] = row['deps'];
  row['exec_mode'] = 'csv-wave';
  row['wave'] = String(waveAfter(slot.deps, input, made.rows));
  row['status'] = 'pending';
  // Data, not a text: replay compares it.
  if (template.each === 'file') row['target_files'] = slot.file ?? NO_FILE;
  made.rows.push(row);
  if (template.file !== undefined) {
    const detail = {
      task_id: id,
      type: 'fix',
      iteration: input.round,
      target_files: slot.file === null ? [] : [slot.file],
      // Programs of others expect strings here.
      findings: bySeverity(slot.findings).map(describeTagged),
      details: slot.findings,
      acceptance: fillTemplate(template.acceptance ?? 'Each finding is fixed.', lookup),
    };
    made.files.push({ path: fillTemplate(template.file, lookup), text: `${JSON.stringify(detail, null, 2)}\n` });
  }
}

/** One more than the highest wave of its dependencies, computed or as written in the file. */
function waveAfter(deps: readonly string[], input: PlanInput, made: readonly NewCells[]): number {
  let wave = 0;
  for (const id of deps) {
    const row = made.find((other) => other['id'] === id);
    if (row !== undefined) wave = Math.max(wave, Number(row['wave']));
    // From the end: dependencies are usually recent tasks.
    const index = row === undefined ? input.tasks.findLastIndex((task) => task.id === id) : -1;
    const task = input.tasks[index];
    if (task !== undefined) wave = Math.max(wave, input.waves[index] ?? 1, statedWave(task));
  }
  return wave + 1;
}

function idOf(template: TaskTemplate, input: PlanInput, round: number, n: number): string {
  return fillTemplate(template.id, (name) => {
    if (name === 'chain') return chainInId(input.chain);
    return name === 'n' ? n : placeholder(name, input, round);
  });
}

function placeholder(name: string, input: PlanInput, round: number): unknown {
  switch (name) {
    case 'round':
      return round;
    case 'next':
      return round + 1;
    case 'mend':
      return mendOf(input.chain, round);
    case 'chain':
      return input.chain;
    case 'critic':
      return input.critic?.task.id ?? 'the critic';
    case 'lowest':
      return input.lowest;
    default:
      return undefined;
  }
}

/** The first round number whose ids are all free, because ids must be unique. */
function freeRound(input: PlanInput, taken: ReadonlySet<string>): number {
  let round = input.round;
  while (input.loop.tasks.some((template) => template.each === undefined && taken.has(idOf(template, input, round, 1)))) round++;
  return round;
}

/** The findings that a task of this verdict is about: those of its file, or all if it has none. */
export function findingsOfTask({ findings, tasks }: Pick<Verdict, 'findings' | 'tasks'>, id: string): readonly Finding[] {
  const target = tasks.find((task) => task.id === id)?.['target_files'];
  if (target === undefined) return findings;
  return pickWorst(findings, FIXED).findings.filter(({ artifact }) => (artifact || NO_FILE) === target);
}

/** A fix task for each file covers these. */
const FIXED: readonly Severity[] = ['critical', 'high'];
const NO_FILE = 'the code under review';

function groupByFile(input: PlanInput, anomalies: Anomaly[]): readonly { file: string | null; findings: readonly Finding[] }[] {
  const { findings, fellBack } = pickWorst(input.findings, FIXED);
  const rule = input.loop.table.find((row) => row.then === 'revise')?.id ?? input.loop.loop;
  if (fellBack) {
    const message =
      findings.length === 0
        ? 'The verdict asks for a fix, but there is no finding. One fix task covers the whole review.'
        : `The verdict asks for a fix, but there is no Critical or High finding. The fix tasks cover the most severe ones (${findings[0]?.severity ?? 'none'}).`;
    anomalies.push({ rule, message });
  }
  if (findings.length === 0) return [{ file: null, findings: [] }];
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const file = finding.artifact ?? '';
    addToList(groups, file, finding);
  }
  return [...groups].map(([file, group]) => ({ file: file === '' ? null : file, findings: group }));
}

/** Tasks that depend on the critic now depend on its re-check, so that nothing downstream starts early. */
function repoint(input: PlanInput, critic: string, recheck: string, own: ReadonlySet<string>, set: Record<string, NewCells>): void {
  for (const task of input.tasks) {
    if (task.status !== 'pending' || own.has(task.id) || !task.deps.includes(critic)) continue;
    const deps = [...new Set(task.deps.map((id) => (id === critic ? recheck : id)))];
    change(set, task.id, { deps: joinIds(deps) });
  }
}

/** Pending tasks get the results of the revision as context: the re-check instead of the critic, and the new work after the old. */
function followContext(input: PlanInput, critic: Task, recheck: string, own: ReadonlySet<string>, set: Record<string, NewCells>): void {
  const revised = [...own].filter((id) => id !== recheck);
  const { generator } = input.loop.roles;
  const judged = new Set(input.tasks.filter(({ id, role }) => role === generator && critic.deps.includes(id)).map(({ id }) => id));
  const before = tasksBefore(input.tasks, own);
  for (const { id: task, status, contextFrom } of input.tasks) {
    if (status !== 'pending' || before.has(task) || !contextFrom.includes(critic.id)) continue;
    const lastWork = contextFrom.findLast((id) => judged.has(id));
    const followed = contextFrom.flatMap((id) => (id === critic.id ? [recheck] : id === lastWork ? [id, ...revised] : [id]));
    change(set, task, { context_from: joinIds([...new Set(followed)]) });
  }
}

/** These tasks and all that they wait for: none of them can have the result of the last one as context. */
function tasksBefore(tasks: readonly Task[], ids: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set(ids);
  // A Set also visits what is added meanwhile.
  for (const id of found) for (const dep of tasks.find((task) => task.id === id)?.deps ?? []) found.add(dep);
  return found;
}

function change(set: Record<string, NewCells>, id: string, cells: NewCells): void {
  setOwn(set, id, { ...set[id], ...cells });
}

function skipPlanned(input: PlanInput, reason: string, set: Record<string, NewCells>): void {
  const { generator, critic } = input.loop.roles;
  const skipped = new Map<string, readonly string[]>();
  for (const task of input.tasks) {
    if (task.status !== 'pending' || task.id === input.critic?.task.id || (task.role !== generator && task.role !== critic)) continue;
    skipped.set(task.id, task.deps);
    change(set, task.id, { status: 'skipped', error: reason });
  }
  for (const task of input.tasks) {
    if (task.status !== 'pending' || skipped.has(task.id) || !task.deps.some((id) => skipped.has(id))) continue;
    change(set, task.id, { deps: joinIds(withoutSkipped(task.deps, skipped)) });
  }
  if (input.tasks.some((task) => task.status === 'pending')) refreshWaves(input, [], set);
}

/** Replaces each skipped dependency by its own dependencies, so that the order stays. */
function withoutSkipped(deps: readonly string[], skipped: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const out = new Set<string>();
  const seen = new Set<string>();
  const open = [...deps];
  for (let id = open.shift(); id !== undefined; id = open.shift()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const behind = skipped.get(id);
    if (behind === undefined) out.add(id);
    else open.unshift(...behind);
  }
  return [...out];
}

/** Updates the wave cell of pending tasks that this verdict moved to another wave. */
function refreshWaves(input: PlanInput, rows: readonly NewCells[], set: Record<string, NewCells>): void {
  const waves = wavesAfter(input.tasks, rows, set);
  input.tasks.forEach((task, index) => {
    const wave = waves[index];
    if (
      task.status === 'pending' &&
      set[task.id]?.['status'] === undefined &&
      wave !== input.waves[index] &&
      task.columns['wave'] !== undefined
    ) {
      change(set, task.id, { wave: String(wave) });
    }
  });
}

function recordOfRow(row: NewCells): TaskRecord {
  const parsed = { id: row['id'] ?? '', wave: Number(row['wave']), deps: idsIn(row['deps']), context_from: idsIn(row['context_from']) };
  return mergeObjects(row, parsed);
}

function idsIn(cell = ''): readonly string[] {
  return cell.includes(';') ? cell.split(';').filter((id) => id !== '') : cell === '' ? [] : [cell];
}

function recordOfTask(task: Task, cells: NewCells | undefined): TaskRecord {
  const row = { ...task.columns, ...cells };
  return { ...recordOfRow(row), wave: Number(row['wave'] ?? 0) };
}

const NONE_SCORED = 'no dimension has a score; see the report';

/** The names of the dimensions with the lowest score, for a revision without findings. */
export function lowestDimensions(items: readonly Readonly<Record<string, unknown>>[]): string {
  if (items.length === 0) return NONE_SCORED;
  const scored = items.filter(
    (item): item is { name: string; score: number } => typeof item['name'] === 'string' && typeof item['score'] === 'number',
  );
  const lowest = Math.min(...scored.map((item) => item.score));
  const names = scored.filter((item) => item.score === lowest).map((item) => `${item.name} (${showNumber(item.score)}/10)`);
  return names.length === 0 ? NONE_SCORED : names.join(', ');
}

/**
 * The waves after a verdict that adds `rows` and changes `set`. Changes `set` where it would break the graph. A dependency that closes a
 * cycle is removed: a task that the re-check depends on cannot depend on the re-check. A pending task whose context would no longer
 * come from an earlier wave depends on its source as well.
 */
export function wavesAfter(tasks: readonly Task[], rows: readonly NewCells[], set: Record<string, NewCells>): Int32Array {
  const ids = new Map<string, number>();
  tasks.forEach((task, index) => ids.set(task.id, index));
  rows.forEach((row, index) => ids.set(row['id'] ?? '', tasks.length + index));
  for (let tries = tasks.length + rows.length + 1; ; tries--) {
    const after = computeWaves([
      // The dependencies of most tasks stay the same.
      ...tasks.map((task) => (set[task.id]?.['deps'] === undefined ? task : { id: task.id, deps: depsOf(task, set) })),
      ...rows.map((row) => ({ id: row['id'] ?? '', deps: splitIds(row['deps'] ?? '') })),
    ]);
    if (!after.ok) {
      const changed = after.ids.filter((id) => set[id]?.['deps'] !== undefined);
      if (changed.length === 0) throw new Error(`The plan breaks the task graph at ${after.ids.join(', ')}.`);
      for (const id of changed) unsetDeps(set, id);
    } else if (tries <= 0 || !addContextDeps(tasks, ids, after.waves, set)) {
      return after.waves;
    }
  }
}

/** Adds a dependency where the source of a task's context is no longer in an earlier wave. True: something was changed. */
function addContextDeps(
  tasks: readonly Task[],
  ids: ReadonlyMap<string, number>,
  waves: Int32Array,
  set: Record<string, NewCells>,
): boolean {
  let changed = false;
  tasks.forEach((task, index) => {
    for (const id of contextOf(task, set)) {
      const from = ids.get(id);
      // A skipped task has no context.
      if (from === undefined || (waves[from] as number) < (waves[index] as number) || isSkipped(tasks[from], set)) continue;
      const deps = depsOf(task, set);
      if (task.status === 'pending' && !deps.includes(id)) {
        setOwn(set, task.id, { ...set[task.id], deps: joinIds([...deps, id]) });
        changed = true;
      } else if (set[id]?.['deps'] !== undefined) {
        unsetDeps(set, id);
        changed = true;
      }
    }
  });
  return changed;
}

function contextOf(task: Task, set: Readonly<Record<string, NewCells>>): readonly string[] {
  const cell = set[task.id]?.['context_from'];
  return cell === undefined ? task.contextFrom : splitIds(cell);
}

function isSkipped(task: Task | undefined, set: Readonly<Record<string, NewCells>>): boolean {
  return task !== undefined && (set[task.id]?.['status'] ?? task.status) === 'skipped';
}

function unsetDeps(set: Record<string, NewCells>, id: string): void {
  const { deps: _, ...rest } = set[id] ?? {};
  if (Object.keys(rest).length === 0) delete set[id];
  else setOwn(set, id, rest);
}

function depsOf(task: Task, set: Readonly<Record<string, NewCells>>): readonly string[] {
  const cell = set[task.id]?.['deps'];
  return cell === undefined ? task.deps : splitIds(cell);
}
