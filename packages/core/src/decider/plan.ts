// What a verdict does to the tasks: the rows a revision adds, dependents that now wait for the re-check, planned
// revisions released or skipped, and the critic's own status set right. Pure: it says what to change, others write it.

import type { Anomaly, Finding, Task, TaskRecord } from '../model.js';
import type { Loop, TaskTemplate } from '../loops/loop.js';
import { fillTemplate, showNumber } from '../loops/template.js';
import type { Lookup } from '../loops/template.js';
import { mergeObjects, setOwn } from '../formats/merge-objects.js';
import { joinIds } from '../formats/tasks-csv.js';
import { chainInId, isFinished, mendOf, statedWave } from './chains.js';
import type { Placed } from './chains.js';
import { listFindings, pickWorst } from '../formats/finding-text.js';
import type { Effects } from './messages.js';
import { settleWaves } from './rewiring.js';
import { addToList } from '../formats/multimap.js';

export interface PlanInput {
  readonly loop: Loop;
  readonly chain: string;
  readonly round: number;
  readonly tasks: readonly Task[];
  readonly waves: Int32Array;
  readonly critic: Placed | null;
  readonly findings: readonly Finding[];
  /** Dimensions that scored lowest, for revisions without a finding. */
  readonly lowest: string;
  /** Facts and parameters, for texts. */
  readonly lookup: Lookup;
}

export interface Plan {
  readonly effects: Effects;
  /** The tasks that the verdict creates or releases. */
  readonly tasks: readonly TaskRecord[];
  readonly anomalies: readonly Anomaly[];
}

type Cells = Record<string, string>;

export const NO_EFFECTS: Effects = { add: [], set: {}, files: [] };

/** A verdict that closes: sets the critic's status right, and skips revisions that were planned and are not needed. */
export function planClosing(input: PlanInput, skipReason: string | null): Plan {
  const set = rightStatus(input.critic);
  if (skipReason !== null) skipPlanned(input, skipReason, set);
  return { effects: { ...NO_EFFECTS, set }, tasks: [], anomalies: [] };
}

export function planRevision(input: PlanInput): Plan {
  const set = rightStatus(input.critic);
  const planned = findPlanned(input);
  const made: Made = planned === null ? makeTasks(input) : { rows: [], files: [], anomalies: [] };
  const recheck = planned?.at(-1)?.id ?? made.rows.at(-1)?.['id'] ?? null;
  // Most often nothing waits when a critic is judged, and a graph is costly to order.
  if (input.tasks.some((task) => task.status === 'pending')) {
    const own = new Set([...(planned ?? []).map((task) => task.id), ...made.rows.map((row) => row['id'] ?? '')]);
    if (recheck !== null && input.critic !== null) repoint(input, input.critic.task.id, recheck, own, set);
    refreshWaves(input, made.rows, set);
  }
  return {
    effects: { add: made.rows, set, files: made.files },
    tasks: planned === null ? made.rows.map(recordOfRow) : planned.map((task) => recordOfTask(task, set[task.id])),
    anomalies: made.anomalies,
  };
}

function rightStatus(critic: Placed | null): Record<string, Cells> {
  return critic === null || isFinished(critic.task) ? {} : { [critic.task.id]: { status: 'completed' } };
}

/** A pair that was planned beforehand and still waits: a generator's task and the critic's after it. */
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

/** The very tasks of this round, there already and still pending: made by an orchestrator of its own, or by a lost journal. */
function findExisting(input: PlanInput): readonly Task[] | null {
  const plain = input.loop.tasks.filter((template) => template.each === undefined);
  const found = plain.map((template) => {
    const id = idOf(template, input, input.round, 1);
    return input.tasks.find((task) => task.status === 'pending' && task.id === id);
  });
  if (plain.length === 0 || plain.length < input.loop.tasks.length || found.some((task) => task === undefined)) return null;
  return found.filter((task) => task !== undefined);
}

interface Made {
  readonly rows: Cells[];
  readonly files: { path: string; text: string }[];
  readonly anomalies: Anomaly[];
}

function makeTasks(input: PlanInput): Made {
  const made: Made = { rows: [], files: [], anomalies: [] };
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

function addTask(input: PlanInput, made: Made, template: TaskTemplate, slot: Slot): void {
  const id = idOf(template, input, slot.round, slot.n);
  const lookup: Lookup = (name) => {
    if (name === 'id') return id;
    if (name === 'n') return slot.n;
    if (name === 'files') return slot.file ?? 'the code under review';
    if (name === 'findings') return listFindings(slot.findings);
    return placeholder(name, input, input.round) ?? input.lookup(name);
  };
  const text = slot.findings.length === 0 && template.without !== undefined ? template.without : template.description;
  const row: Cells = {};
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
  if (template.each === 'file') row['target_files'] = slot.file ?? 'the code under review';
  made.rows.push(row);
  if (template.file !== undefined) {
    const detail = {
      task_id: id,
      type: 'fix',
      iteration: input.round,
      target_files: slot.file === null ? [] : [slot.file],
      findings: slot.findings,
      acceptance: fillTemplate(template.acceptance ?? 'Each finding is mended.', lookup),
    };
    made.files.push({ path: fillTemplate(template.file, lookup), text: `${JSON.stringify(detail, null, 2)}\n` });
  }
}

/** One more than the latest of what it waits for, by dependencies or by the file's own numbers where they are higher. */
function waveAfter(deps: readonly string[], input: PlanInput, made: readonly Cells[]): number {
  let wave = 0;
  for (const id of deps) {
    const row = made.find((other) => other['id'] === id);
    if (row !== undefined) wave = Math.max(wave, Number(row['wave']));
    // What was made last is waited for most.
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

/** The first round number whose ids are all free: an id is never given twice. */
function freeRound(input: PlanInput, taken: ReadonlySet<string>): number {
  let round = input.round;
  while (input.loop.tasks.some((template) => template.each === undefined && taken.has(idOf(template, input, round, 1)))) round++;
  return round;
}

function groupByFile(input: PlanInput, anomalies: Anomaly[]): readonly { file: string | null; findings: readonly Finding[] }[] {
  const { findings, fellBack } = pickWorst(input.findings, ['critical', 'high']);
  const rule = input.loop.table.find((row) => row.then === 'revise')?.id ?? input.loop.loop;
  if (fellBack) {
    const message =
      findings.length === 0
        ? 'A fix is asked for without a single finding; one fix task covers the whole review.'
        : `A fix is asked for without a Critical or High finding; the fix tasks take the most severe there are (${findings[0]?.severity ?? 'none'}).`;
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

/** What waited for the critic's task waits for its re-check, so that nothing downstream starts early. */
function repoint(input: PlanInput, critic: string, recheck: string, own: ReadonlySet<string>, set: Record<string, Cells>): void {
  for (const task of input.tasks) {
    if (task.status !== 'pending' || own.has(task.id) || !task.deps.includes(critic)) continue;
    const deps = [...new Set(task.deps.map((id) => (id === critic ? recheck : id)))];
    change(set, task.id, { deps: joinIds(deps) });
  }
}

function change(set: Record<string, Cells>, id: string, cells: Cells): void {
  setOwn(set, id, { ...set[id], ...cells });
}

function skipPlanned(input: PlanInput, reason: string, set: Record<string, Cells>): void {
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

/** A skipped dependency is taken out; what it waited for itself takes its place, so that the order stays. */
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

/** Waves follow from dependencies: where this verdict moved a pending task to another wave, its cell says so. */
function refreshWaves(input: PlanInput, rows: readonly Cells[], set: Record<string, Cells>): void {
  const waves = settleWaves(input.tasks, rows, set);
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

function recordOfRow(row: Cells): TaskRecord {
  const told = { id: row['id'] ?? '', wave: Number(row['wave']), deps: idsIn(row['deps']), context_from: idsIn(row['context_from']) };
  return mergeObjects(row, told);
}

function idsIn(cell = ''): readonly string[] {
  return cell.includes(';') ? cell.split(';').filter((id) => id !== '') : cell === '' ? [] : [cell];
}

function recordOfTask(task: Task, cells: Cells | undefined): TaskRecord {
  const row = { ...task.columns, ...cells };
  return { ...recordOfRow(row), wave: Number(row['wave'] ?? 0) };
}

const NONE_SCORED = 'none was scored; see the report';

/** The dimensions with the lowest score, by name, for a revision without findings. */
export function lowestDimensions(items: readonly Readonly<Record<string, unknown>>[]): string {
  if (items.length === 0) return NONE_SCORED;
  const scored = items.filter(
    (item): item is { name: string; score: number } => typeof item['name'] === 'string' && typeof item['score'] === 'number',
  );
  const lowest = Math.min(...scored.map((item) => item.score));
  const names = scored.filter((item) => item.score === lowest).map((item) => `${item.name} (${showNumber(item.score)}/10)`);
  return names.length === 0 ? NONE_SCORED : names.join(', ');
}
