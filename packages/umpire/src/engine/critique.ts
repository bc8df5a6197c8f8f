// `umpire critique`: runs the built-in critic of a loop. It leaves the evidence in a session folder and fills the critic's row, so that
// `umpire decide` can judge it.

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { UmpireError } from '@umpire/core/model/errors.js';
import { startGuardian } from '../agents/guardian.js';
import { createJob, unmeasured } from '../critics/critic.js';
import { omitUndefined } from '@umpire/core/formats/merge-objects.js';
import type { CriticEnd } from '../critics/critic.js';
import type { TriedTool } from '../critics/try-tools.js';
import { knownLayers } from '../critics/test-layers.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { readProvenance } from '@umpire/core/formats/provenance.js';
import { editTasks, printTasks, tasksColumns } from '@umpire/core/formats/tasks-csv.js';
import type { TasksFile } from '@umpire/core/formats/tasks-csv.js';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { normalizeRoles } from '@umpire/core/decider/chains.js';
import type { Task } from '@umpire/core/model/vocabulary.js';
import { TASKS, openTasks } from '../sessions/tasks-file.js';
import type { CriticSettings } from '../sessions/settings.js';
import { openFolder, placeFor, readBytes, writeAtomically } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import { acquireLock } from '../sessions/lock.js';
import { isFolder } from '../sessions/file-system.js';
import { findBase, readFromTree } from '../work/read-change.js';
import { CONFIG, refuseMisnamedSettings } from '../sessions/project.js';
import type { Event } from '@umpire/core/decider/events.js';
import { filesOfTools } from '../sessions/critic-evidence.js';
import { sha256 } from '../sessions/hash.js';
import { appendEvents, foldJournal } from '../sessions/journal-file.js';
import { readSession } from '../sessions/session-record.js';
import { CRITIC_LOOPS, commandCritic, loadCritic } from './critics.js';
import type { AskedCheck } from './critics.js';
import { makeSessionFolder, projectFor } from './project-folders.js';
import { readSettings } from './project-settings.js';
import type { TrustWatch } from './trust.js';

export interface CritiqueRequest {
  readonly loop: string;
  readonly project?: string;
  readonly session?: string;
  readonly industry?: CriticSettings['design']['industry'];
  /** The commit to compare with. */
  readonly base?: string;
  readonly layer?: string;
  readonly signal?: AbortSignal;
  readonly now?: () => Date;
  /** Called with the output of tools while they run. */
  readonly onOutput?: (chunk: Uint8Array) => void;
  readonly onNote?: (line: string) => void;
}

/** What a trial of the critic's tools came to. */
export interface ToolTrial {
  readonly loop: string;
  readonly tools: readonly TriedTool[];
  /** The same for people. */
  readonly lines: readonly string[];
  /** There are tools, and none of them works. */
  readonly isHopeless: boolean;
  /** No tool works, or there is none. */
  readonly isBlind: boolean;
}

/** Tries every tool that the critic of this loop would use on the project as it is. Writes nothing. */
export async function tryCritic(
  request: Pick<CritiqueRequest, 'loop' | 'project' | 'signal' | 'now' | 'onNote'>,
  command: string | null = null,
): Promise<ToolTrial> {
  const { loop } = request;
  const { toolLines, triesTools, tryTools } = await import('../critics/try-tools.js');
  if (!triesTools(loop) && !CRITIC_LOOPS.includes(loop))
    throw new UmpireError('critic-unknown', { name: loop.slice(0, 40), known: CRITIC_LOOPS.join(', ') });
  const project = projectFor(request.project, request.onNote);
  const config = await readSettings(project);
  const guardian = startGuardian(randomBytes(8).toString('hex'));
  try {
    const job = createJob(config, { project, guardian, timeoutMs: TRIAL_MS, ...omitUndefined({ now: request.now }) }, request.signal);
    const tools = await tryTools(loop, job);
    const isBlind = tools.every(({ outcome }) => outcome !== 'works');
    return { loop, tools, lines: toolLines(loop, tools, job, command), isHopeless: isBlind && tools.length > 0, isBlind };
  } finally {
    await guardian.close();
  }
}

/** For all tools together: whoever starts a run waits for it. */
const TRIAL_MS = 2 * 60 * 1000;

export interface CritiqueReport extends CriticEnd {
  readonly loop: string;
  readonly session: string;
  /** The critic's task. */
  readonly task: string;
}

/** The id of the critic's first task in pipelines. */
const FIRST_TASK: Readonly<Record<string, string>> = {
  testing: 'TESTRUN-001',
  debt: 'TDVAL-001',
  design: 'AUDIT-001',
  review: 'REVIEW-001',
  brainstorm: 'CHALLENGE-001',
};

const LOCK_WAIT_MS = 1000;
const WHOLE_RUN_MS = 6 * 60 * 60 * 1000;

/** `check`: the command of the `until` loop, which no settings name. */
export async function critique(request: CritiqueRequest & TrustWatch & { readonly check?: AskedCheck }): Promise<CritiqueReport> {
  const critic = request.check === undefined ? await loadCritic(request.loop) : await commandCritic(request.check);
  const loop = builtinLoop(request.loop);
  if (critic === null || loop === null)
    throw new UmpireError('critic-unknown', { name: request.loop.slice(0, 40), known: CRITIC_LOOPS.join(', ') });
  const project = projectFor(request.project, request.onNote);
  refuseMisnamedSettings(project);
  const config = await readSettings(project, request, request.base === undefined ? {} : await settingsAt(project, request.base));
  checkLayer(request, config.critics);
  const now = request.now ?? (() => new Date());
  const session = makeSessionFolder(project, request.loop, 'critique', now(), request.session);
  const folder = openFolder(session);
  const lock = await acquireLock(folder, LOCK_WAIT_MS);
  const guardian = startGuardian(randomBytes(8).toString('hex'));
  try {
    const { state } = readSession(session);
    if (state.run !== null && state.run.ended === null) throw new UmpireError('critique-of-run', { session: folder.name });
    const tasks = openTasks(folder);
    const row = findCriticRowOf(loop, tasks, request.layer);
    // If this process is killed, the row says that the critic did not finish.
    keepRows(folder, loop, tasks, row, unmeasured('error', 'umpire critique was interrupted.'));
    // Removes the evidence of an earlier critique. In review and brainstorm, evidence of an agent stays.
    for (const source of Object.values(loop.evidence)) {
      for (const path of 'file' in source && !source.file.some((name) => name.includes('{chain}')) ? source.file : []) {
        const read = readBytes(folder, path);
        const isMeasured = read.kind === 'bytes' && readProvenance(decodeTolerantly(read.bytes)) !== null;
        if (isMeasured || loop.loop === 'debt') rmSync(placeFor(folder, path), { force: true });
      }
    }
    const kept = new Map<string, Uint8Array>();
    const { industry } = request;
    const { design } = config.critics;
    const end = await critic({
      kept,
      project,
      session: folder.root,
      row: { ...row.columns },
      base: request.base ?? null,
      round: null,
      settings: { ...config.critics, design: industry === undefined ? design : { ...design, industry } },
      guard: config.guard,
      guardian,
      watch: { signal: request.signal ?? new AbortController().signal, log: (_, chunk) => request.onOutput?.(chunk) },
      timeoutMs: request.check === undefined ? WHOLE_RUN_MS : config.timeoutMinutes * 60_000,
      now,
      say: (line) => request.onNote?.(line),
      retry: async (...asked) => (await import('../retrial/retrial.js')).retryForCritic(...asked),
      runOldJudge: async (...asked) => (await import('../retrial/retrial.js')).runOldJudge(...asked),
    });
    recordMeasured(folder, request.loop, row.id, kept, now());
    keepRows(folder, loop, tasks, row, end);
    return { ...end, loop: request.loop, session: folder.root, task: row.id };
  } finally {
    await guardian.close();
    lock.release();
  }
}

/** V3: the journal says which files Umpire measured. In a session that Umpire ran nothing is judged anew. */
function recordMeasured(folder: SessionFolder, loop: string, task: string, kept: ReadonlyMap<string, Uint8Array>, now: Date): void {
  const journal = foldJournal(folder);
  const files = Object.fromEntries(filesOfTools(kept).map((path) => [path, sha256(kept.get(path) ?? '')]));
  if (journal.state.run !== null || Object.keys(files).length === 0) return;
  const observed: Event = { type: 'SessionObserved', data: { session: folder.name, tasks: openTasks(folder)?.tasks.length ?? 0 } };
  const measured: Event = { type: 'EvidenceMeasured', data: { loop, task, files } };
  appendEvents(folder, journal, now.toISOString(), journal.state.observed ? [measured] : [observed, measured]);
}

/** A layer must be in the settings or in a task of the session. */
function checkLayer({ loop, layer, session }: CritiqueRequest, { testing }: CriticSettings): void {
  if (loop !== 'testing' || layer === undefined) return;
  const tasks = session !== undefined && isFolder(session) ? (openTasks(openFolder(session))?.tasks ?? []) : [];
  const known = knownLayers(testing);
  if (known.includes(layer) || tasks.some((task) => task.columns['layer'] === layer)) return;
  const detail = `There is no layer "${layer.slice(0, 40)}". Layers: ${known.join(', ')}. Add others under critics.testing.layers.`;
  throw new UmpireError('usage', { detail, command: 'critique' });
}

/** A change, such as a pull request, does not choose the settings that it is judged by. */
export async function settingsAt(project: string, asked: string): Promise<{ readonly source: string | null }> {
  const { repository, base } = findBase(project, asked);
  return { source: await readFromTree({ gitTarget: repository.checkout, prefix: repository.prefix, tree: base }, CONFIG) };
}

interface CriticRow {
  readonly id: string;
  readonly columns: Readonly<Record<string, string>>;
  /** It is in tasks.csv. */
  readonly known: boolean;
}

/** The critic's last task in the file, of this layer if one is given, or a new one. */
function findCriticRowOf(loop: Loop, tasks: TasksFile | null, layer: string | undefined): CriticRow {
  const isCriticOfLayer = (task: Task) => task.role === loop.roles.critic && (layer === undefined || task.columns['layer'] === layer);
  const known = normalizeRoles(loop, tasks?.tasks ?? []).findLast(isCriticOfLayer);
  if (known !== undefined) return { id: known.id, columns: known.columns, known: true };
  const id = freeId(FIRST_TASK[loop.loop] ?? 'CRITIC-001', new Set(tasks?.tasks.map((task) => task.id)));
  const columns = layer === undefined ? { id } : { id, layer };
  return { id, columns, known: false };
}

function freeId(first: string, taken: ReadonlySet<string>): string {
  const stem = first.slice(0, -3);
  for (let number = 1; ; number += 1) {
    const id = stem + String(number).padStart(3, '0');
    if (!taken.has(id)) return id;
  }
}

/** Writes the critic's row, one per layer. The row of a critic that did not finish is `failed`, and `decide` refuses it. */
function keepRows(folder: SessionFolder, loop: Loop, tasks: TasksFile | null, row: CriticRow, end: CriticEnd): void {
  const layers = end.files.flatMap((path) => LAYER_RESULT.exec(path)?.[1] ?? []);
  const blank = Object.fromEntries(loop.columns.out.map((name) => [name, '']));
  const isDone = end.files.length > 0 && !isCutShort(end.outcome);
  const done = { ...blank, findings: end.summary, ...statusCells(isDone, end.summary), ...end.outputs };
  if (row.known && tasks !== null) return writeAtomically(folder, TASKS, editTasks(tasks, { set: new Map([[row.id, done]]), add: [] }));
  const said = { title: `Built-in ${loop.roles.critic}`, description: 'Measure and leave the evidence.', role: loop.roles.critic };
  const first = { ...row.columns, ...said, exec_mode: 'csv-wave', wave: '1', ...done };
  const taken = new Set(tasks?.tasks.map((task) => task.id));
  const added =
    layers.length === 0
      ? [first]
      : layers.map((layer) => ({ ...first, ...readLayerCells(folder, layer, end.summary), layer, id: claimId(row.id, taken) }));
  if (tasks === null) writeAtomically(folder, TASKS, printTasks(tasksColumns(loop.columns.in, loop.columns.out), added));
  else writeAtomically(folder, TASKS, editTasks(tasks, { set: new Map(), add: added }));
}

function statusCells(isDone: boolean, why: string): Readonly<Record<string, string>> {
  return isDone ? { status: 'completed', error: '' } : { status: 'failed', error: why };
}

function isCutShort(outcome: unknown): boolean {
  return outcome === 'error' || outcome === 'timeout';
}

const LAYER_RESULT = /^results\/run-([\w-]+)\.json$/;

/** Returns a free id and marks it as taken. */
function claimId(first: string, taken: Set<string>): string {
  const id = freeId(first, taken);
  taken.add(id);
  return id;
}

/** The status and the output cells of a layer, from its evidence. */
function readLayerCells(folder: SessionFolder, layer: string, summary: string): Readonly<Record<string, string>> {
  const read = readBytes(folder, `results/run-${layer}.json`);
  const json = read.kind === 'bytes' ? parseJson(decodeTolerantly(read.bytes)) : null;
  if (json === null || !json.ok || !isObject(json.value)) return {};
  const { pass_rate: rate, coverage, outcome } = json.value;
  return {
    ...statusCells(!isCutShort(outcome), summary),
    pass_rate: typeof rate === 'number' ? String(rate) : '',
    coverage_achieved: typeof coverage === 'number' ? String(coverage) : '',
  };
}
