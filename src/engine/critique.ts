// `umpire critique`: the critic of a loop, run alone. It measures the project, leaves the loop's evidence in a session folder and
// fills the critic's row, so that `umpire decide` can judge it. A session that Umpire runs has its critic run by itself.

import { randomBytes } from 'node:crypto';
import { UmpireError } from '../errors.js';
import { startGuardian } from '../agents/guardian.js';
import type { CriticEnd } from '../critics/critic.js';
import { decodeExactly } from '../formats/decode.js';
import { editTasks, parseTasks, printTasks, tasksColumns } from '../formats/tasks-csv.js';
import type { TasksFile } from '../formats/tasks-csv.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import type { Task } from '../model.js';
import { TASKS } from '../runtime/commit.js';
import type { CriticSettings } from '../runtime/default-settings.js';
import { openFolder, readBytes, writeAtomically } from '../runtime/folder.js';
import type { SessionFolder } from '../runtime/folder.js';
import { acquireLock } from '../runtime/lock.js';

import { readSession } from '../runtime/session-record.js';
import { CRITIC_LOOPS, loadCritic } from './critics.js';
import { makeSessionFolder, openProject } from './places.js';
import { readSettings } from './session.js';

export interface CritiqueRequest {
  readonly loop: string;
  readonly project?: string;
  readonly session?: string;
  readonly industry?: CriticSettings['design']['industry'];
  /** The commit that a change or a regression is measured against. */
  readonly base?: string;
  readonly layer?: string;
  readonly signal?: AbortSignal;
  readonly now?: () => Date;
  /** What tools print, while they run. */
  readonly onOutput?: (chunk: Uint8Array) => void;
  readonly onNote?: (line: string) => void;
}

export interface CritiqueReport extends CriticEnd {
  readonly loop: string;
  readonly session: string;
  /** The critic's task. */
  readonly task: string;
}

/** The critic's first task, as pipelines call it. */
const FIRST_TASK: Readonly<Record<string, string>> = {
  testing: 'TESTRUN-001',
  debt: 'TDVAL-001',
  design: 'AUDIT-001',
  review: 'REVIEW-001',
  brainstorm: 'CHALLENGE-001',
};

const LOCK_WAIT_MS = 1000;
const WHOLE_RUN_MS = 6 * 60 * 60 * 1000;

export async function critique(request: CritiqueRequest): Promise<CritiqueReport> {
  const critic = await loadCritic(request.loop);
  const loop = builtinLoop(request.loop);
  if (critic === null || loop === null)
    throw new UmpireError('critic-unknown', { name: request.loop.slice(0, 40), known: CRITIC_LOOPS.join(', ') });
  const project = openProject(request.project ?? '.');
  const config = await readSettings(project);
  const now = request.now ?? (() => new Date());
  const session = makeSessionFolder(project, request.loop, 'critique', now(), request.session);
  const folder = openFolder(session);
  const lock = acquireLock(folder, LOCK_WAIT_MS);
  const guardian = startGuardian(randomBytes(8).toString('hex'));
  try {
    const { state } = readSession(session);
    if (state.run !== null && state.run.ended === null) throw new UmpireError('critique-of-run', { session: folder.name });
    const tasks = tasksIn(folder);
    const row = rowOf(loop, tasks, request.layer);
    const end = await critic({
      project,
      session: folder.root,
      row: { ...row.columns },
      base: request.base ?? null,
      round: null,
      settings: withIndustry(config.critics, request.industry),
      guardian,
      watch: { signal: request.signal ?? new AbortController().signal, log: (_, chunk) => request.onOutput?.(chunk) },
      timeoutMs: WHOLE_RUN_MS,
      now,
      say: (line) => request.onNote?.(line),
    });
    if (end.files.length > 0) keepRow(folder, loop, tasks, row, end);
    return { ...end, loop: request.loop, session: folder.root, task: row.id };
  } finally {
    await guardian.close();
    lock.release();
  }
}

function withIndustry(settings: CriticSettings, industry: CritiqueRequest['industry']): CriticSettings {
  return industry === undefined ? settings : { ...settings, design: { ...settings.design, industry } };
}

function tasksIn(folder: SessionFolder): TasksFile | null {
  const read = readBytes(folder, TASKS);
  if (read.kind === 'missing') return null;
  if (read.kind === 'unreadable') throw new UmpireError('read-failed', { path: TASKS, detail: read.problem });
  const text = decodeExactly(read.bytes);
  if (!text.ok) throw new UmpireError('read-failed', { path: TASKS, detail: text.problem });
  return parseTasks(text.text);
}

interface CriticRow {
  readonly id: string;
  readonly columns: Readonly<Record<string, string>>;
  /** Is it in tasks.csv? */
  readonly known: boolean;
}

/** The critic's last task that stands in the file, of the layer that is asked for; else a first one. */
function rowOf(loop: Loop, tasks: TasksFile | null, layer: string | undefined): CriticRow {
  const isAsked = (task: Task) => task.role === loop.roles.critic && (layer === undefined || task.columns['layer'] === layer);
  const known = tasks?.tasks.findLast(isAsked);
  if (known !== undefined) return { id: known.id, columns: known.columns, known: true };
  const id = freeId(FIRST_TASK[loop.loop] ?? 'CRITIC-001', new Set(tasks?.tasks.map((task) => task.id)));
  const columns = loop.loop === 'testing' ? { id, layer: layer ?? 'L1' } : { id };
  return { id, columns, known: false };
}

function freeId(first: string, taken: ReadonlySet<string>): string {
  const stem = first.slice(0, -3);
  for (let number = 1; ; number += 1) {
    const id = stem + String(number).padStart(3, '0');
    if (!taken.has(id)) return id;
  }
}

/** The row as the critic leaves it: completed, with its outputs. */
function keepRow(folder: SessionFolder, loop: Loop, tasks: TasksFile | null, row: CriticRow, { outputs, summary }: CriticEnd): void {
  const done = { status: 'completed', findings: summary, error: '', ...outputs };
  const title = `Umpire's own ${loop.roles.critic}`;
  const added = {
    ...row.columns,
    title,
    description: 'Measure and leave the evidence.',
    role: loop.roles.critic,
    exec_mode: 'csv-wave',
    wave: '1',
    ...done,
  };
  const columns = tasksColumns(loop.columns.in, loop.columns.out);
  if (tasks === null) writeAtomically(folder, TASKS, printTasks(columns, [added]));
  else if (row.known) writeAtomically(folder, TASKS, editTasks(tasks, { set: new Map([[row.id, done]]), add: [] }));
  else writeAtomically(folder, TASKS, editTasks(tasks, { set: new Map(), add: [added] }));
}
