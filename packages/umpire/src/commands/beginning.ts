// How a session begins: the mode and its tasks, the workspace, and the first line of its journal with the rules, cap and targets that
// hold from there on.

import { UmpireError } from '@umpire/core/errors.js';
import { chainOfRow, chainsOf } from '@umpire/core/decider/chains.js';
import { NO_TRACES } from '@umpire/core/decider/rounds.js';
import type { RunSettings, SessionStarted } from '@umpire/core/decider/events.js';
import { checkGraph } from '@umpire/core/decider/waves.js';
import { parseTasks, printTasks, tasksColumns } from '@umpire/core/formats/tasks-csv.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { buildPipeline } from '@umpire/core/loops/pipeline.js';
import type { Pipeline, PlannedRun } from '@umpire/core/loops/pipeline.js';
import { chooseMode } from '@umpire/core/loops/choose-mode.js';
import type { Settings } from '../sessions/default-settings.js';
import { sha256 } from '../sessions/hash.js';
import { targetOf } from '../sessions/limits.js';
import type { OpenedSession } from './opened.js';
import { changedFiles, isInGit } from './places.js';
import { absentWords, uncommittedWords } from './settings-notes.js';
import { openNewWorkspace } from './workspaces.js';

/** What was asked for, as far as the beginning needs it. */
export interface Wanted {
  readonly goal?: string;
  readonly mode?: string;
  readonly target?: number;
  readonly command?: string;
  readonly report?: string;
  readonly maxRounds?: number;
}

export interface Beginning {
  readonly request: Wanted;
  readonly loop: Loop;
  readonly loopFolder: string | null;
  readonly project: string;
  readonly config: Settings;
  readonly settings: RunSettings;
  readonly pipeline: Pipeline;
  readonly plan: Planned;
}

export interface Planned extends PlannedRun {
  readonly mode: string;
  readonly why: string;
}

/** The mode, as asked or as chosen, and the tasks it begins with. */
export async function planOf(pipeline: Pipeline, request: Wanted, project: string): Promise<Planned> {
  const chosen = await chosenMode(pipeline, request, project);
  const target = request.target === undefined ? {} : { target: request.target };
  const planned = buildPipeline(pipeline, chosen.mode, { goal: goalOf(request), ...target });
  return { mode: chosen.mode, why: chosen.why, ...planned };
}

/** What was asked for; of the plain loop, that its command passes. */
function goalOf({ goal, command }: Wanted): string {
  return goal ?? (command === undefined ? '' : `Make this command pass: ${command}`);
}

/** A new workspace and the first line of the journal. Throws where the folder holds a session that Umpire only judges. */
export async function begin(opened: OpenedSession, beginning: Beginning): Promise<void> {
  const { journal, folder, watch } = opened;
  const { request, loop, loopFolder, project, config, settings, pipeline, plan } = beginning;
  if (journal.state.observed) throw new UmpireError('session-foreign', { session: folder.name });
  const goal = goalOf(request);
  const columns = tasksColumns(loop.columns.in, loop.columns.out);
  const { tasks } = parseTasks(printTasks(columns, plan.rows));
  checkGraph(tasks);
  const made =
    pipeline.writes.length === 0 && !isInGit(project)
      ? null
      : await openNewWorkspace({ project, folder, config, session: folder.name, signal: watch.signal });
  const opening = made?.opening ?? null;
  if (opening !== null && opening.uncommitted.length > 0) watch.onNote?.(uncommittedWords(opening.uncommitted));
  if (opening !== null && opening.absent.length > 0) watch.onNote?.(absentWords(opening.absent));
  const chains = chainsOf(loop, tasks);
  const targetFor = (chain: string): number => {
    const critic = tasks.find((task) => task.role === loop.roles.critic && chainOfRow(loop, task) === chain);
    return request.target ?? targetOf(loop, chain, journal.state, NO_TRACES, critic ?? null, tasks).value;
  };
  const started: SessionStarted = {
    session: folder.name,
    loop: loop.loop,
    goal,
    project,
    loopFolder,
    mode: plan.mode,
    why: plan.why,
    critic: loop.roles.critic,
    judged: plan.judged,
    columns,
    rows: tasks.map((task) => task.columns),
    gates: plan.gates,
    writers: pipeline.writes,
    settings,
    frozen: {
      hash: hashOf(loop),
      rules: loop,
      cap: request.maxRounds ?? config.maxRounds ?? loop.cap.default,
      chains,
      targets: loop.target === undefined ? {} : Object.fromEntries(chains.map((chain) => [chain, targetFor(chain)])),
    },
    workspace: made === null ? null : { kind: made.workspace.kind, branch: made.workspace.branch, base: made.opening.base },
    ...(request.command === undefined ? {} : { command: request.command }),
    ...(request.report === undefined ? {} : { report: request.report }),
  };
  journal.record({ type: 'SessionStarted', data: started });
}

async function chosenMode(
  pipeline: Pipeline,
  { mode, goal = '' }: Wanted,
  project: string,
): Promise<{ readonly mode: string; readonly why: string }> {
  if (mode !== undefined) return { mode, why: `${mode}: as asked` };
  const { points, rules } = pipeline.choose;
  const asks = [...points, ...rules].some((test) => test.files !== undefined || test.modules !== undefined);
  return chooseMode(pipeline, { goal, changedFiles: asks ? await changedFiles(project) : null });
}

const HASHES = new WeakMap<Loop, string>();

/** The journal keeps it beside the rules, so that a changed line is noticed. */
function hashOf(loop: Loop): string {
  const known = HASHES.get(loop);
  if (known !== undefined) return known;
  const hash = sha256(JSON.stringify(loop));
  HASHES.set(loop, hash);
  return hash;
}
