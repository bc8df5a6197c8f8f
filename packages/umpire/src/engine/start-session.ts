// Starts a session: chooses the mode and its tasks, opens the workspace, and writes the first line of the journal with the rules, cap and
// targets of the session.

import { chainOfRow, chainsOf } from '@umpire/core/decider/chains.js';
import { NO_TRACES } from '@umpire/core/decider/rounds.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { ForgeTopic, RunSettings, SessionStarted } from '@umpire/core/decider/events.js';
import { checkGraph } from '@umpire/core/decider/waves.js';
import { UmpireError } from '@umpire/core/model/errors.js';
import { parseTasks, printTasks, tasksColumns } from '@umpire/core/formats/tasks-csv.js';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import { rememberedPipeline, buildPipeline } from '@umpire/core/loops/pipeline.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { defaultPipeline } from '@umpire/core/loops/validate-pipeline.js';
import { chooseMode } from '@umpire/core/loops/choose-mode.js';
import type { Pipeline, PipelineInput, PlannedRun } from '@umpire/core/loops/pipeline.js';
import { builtinPipeline } from '@umpire/core/loops/builtin-pipelines.js';
import { projectCommands } from '../critics/project-commands.js';
import type { Settings } from '../sessions/settings.js';
import { omitUndefined } from '@umpire/core/formats/merge-objects.js';
import { sha256 } from '../sessions/hash.js';
import { readTarget } from '../sessions/observe-folder.js';
import type { OpenedSession } from './opened-session.js';
import { changedFiles, isInGit } from './project-folders.js';
import { faultNotes } from './project-faults.js';
import { absentWords, includedWords, INCLUDE_THEM, permissionWords, uncommittedWords } from './settings-notes.js';
import type { Targets } from '@umpire/core/model/options.js';
import { openNewWorkspace } from './open-workspace.js';
import type { IncludedChanges } from '../work/uncommitted.js';
import type { GitWorkspace, OpenedWorkspace } from '../work/workspace.js';

/** The part of a run request that a new session needs. */
export interface StartOptions {
  readonly goal?: string;
  readonly mode?: string;
  readonly agent?: readonly string[];
  readonly target?: Targets;
  readonly command?: string;
  readonly report?: string;
  readonly trustExitStatus?: boolean;
  readonly allowTestEdits?: boolean;
  readonly includeUncommitted?: boolean;
  readonly maxRounds?: number;
  readonly topic?: ForgeTopic;
  readonly commits?: { readonly base: string; readonly head: string };
}

export interface NewSession {
  readonly request: StartOptions;
  readonly loop: Loop;
  readonly loopFolder: string | null;
  readonly project: string;
  readonly config: Settings;
  readonly settings: RunSettings;
  readonly pipeline: Pipeline;
  readonly plan: SessionPlan;
}

export interface SessionPlan extends PlannedRun {
  readonly mode: string;
  readonly why: string;
}

/** Chooses the mode and its first tasks. */
export async function planSession(
  pipeline: Pipeline,
  request: StartOptions,
  project: string,
  targets: PipelineInput['target'],
): Promise<SessionPlan> {
  const chosen = await pickMode(pipeline, request, project);
  const target = targets === undefined ? {} : { target: targets };
  const planned = buildPipeline(pipeline, chosen.mode, { goal: goalText(request), ...target });
  return { mode: chosen.mode, why: chosen.why, ...planned };
}

function goalText({ goal, command }: StartOptions): string {
  return goal ?? (command === undefined ? '' : `Make this command pass: ${command}`);
}

/** Opens a new workspace and writes the first line of the journal. Throws if the folder holds a session that Umpire only judges. */
export async function startSession(opened: OpenedSession, session: NewSession): Promise<void> {
  const { journal, folder, watch } = opened;
  const { request, project, config, settings, pipeline } = session;
  if (journal.state.observed) throw new UmpireError('session-foreign', { session: folder.name });
  const planned = describeStart(session, folder.name, journal.state);
  const made =
    pipeline.writes.length === 0 && !isInGit(project)
      ? null
      : await openNewWorkspace({
          project,
          folder,
          config,
          session: folder.name,
          signal: watch.signal,
          recorded: request.commits,
          includesUncommitted: request.includeUncommitted,
        });
  const opening = made?.opening ?? null;
  if (opening !== null)
    for (const note of uncommittedNotes(request, opening.included?.files ?? [], opening.uncommitted)) watch.onNote?.(note);
  if (opening !== null && opening.absent.length > 0) watch.onNote?.(absentWords(opening.absent));
  // The person who started it elsewhere was told there.
  const faults = made === null || request.commits !== undefined ? [] : await faultNotes(project, config.workspace);
  for (const note of faults) watch.onNote?.(note);
  const commands = () => projectCommands(project, config.critics, request.command ?? null);
  for (const note of permissionWords(settings, config, { writers: pipeline.writes, commands })) watch.onNote?.(note);
  const workspace = made === null ? null : describeWorkspace(made.workspace, made.opening);
  journal.record({ type: 'SessionStarted', data: { ...planned, workspace } });
}

function describeWorkspace({ kind, branch }: GitWorkspace, { base, included }: OpenedWorkspace): SessionStarted['workspace'] {
  return { kind, branch, base, ...(included === null ? {} : { included: recordIncluded(included) }) };
}

const MOST_RECORDED = 50;

export function recordIncluded({ parent, files }: IncludedChanges): { readonly parent: string; readonly files: readonly string[] } {
  return { parent, files: files.slice(0, MOST_RECORDED) };
}

/** Whether the person's uncommitted files are part of the base. `files`: those that are, `others`: those that are not. */
export function uncommittedNotes(
  { command, includeUncommitted }: Pick<StartOptions, 'command' | 'includeUncommitted'>,
  files: readonly string[],
  others: readonly string[],
): readonly string[] {
  if (files.length + others.length === 0) return [];
  if (includeUncommitted === true) return [includedWords(files, others)];
  // False: a person at the terminal has just said so.
  if (includeUncommitted === false) return [];
  return [uncommittedWords(others, ...(command === undefined ? [] : [INCLUDE_THEM]))];
}

/** The first line of a session's journal, still without its workspace. Throws if its tasks are no graph. */
export function describeStart(
  { request, loop, loopFolder, project, config, settings, pipeline, plan }: NewSession,
  name: string,
  state: SessionState,
): SessionStarted {
  const columns = tasksColumns(loop.columns.in, loop.columns.out);
  const { tasks } = parseTasks(printTasks(columns, plan.rows));
  checkGraph(tasks);
  const chains = chainsOf(loop, tasks);
  const targetFor = (chain: string): number => {
    const critic = tasks.find((task) => task.role === loop.roles.critic && chainOfRow(loop, task) === chain);
    const asked = typeof request.target === 'object' ? request.target[chain] : request.target;
    return asked ?? readTarget(loop, chain, state, NO_TRACES, critic ?? null, tasks).value;
  };
  return {
    session: name,
    loop: loop.loop,
    goal: goalText(request),
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
    ...(pipeline.outputs === undefined ? {} : { outputs: pipeline.outputs }),
    settings,
    frozen: {
      hash: hashLoop(loop),
      rules: loop,
      cap: request.maxRounds ?? config.maxRounds ?? loop.cap.default,
      chains,
      targets: loop.target === undefined ? {} : Object.fromEntries(chains.map((chain) => [chain, targetFor(chain)])),
    },
    workspace: null,
    ...omitUndefined({ command: request.command, report: request.report, topic: request.topic }),
    ...(request.trustExitStatus === true ? { trustsExitStatus: true } : {}),
    ...(request.allowTestEdits === true ? { allowsTestEdits: true } : {}),
  };
}

async function pickMode(
  pipeline: Pipeline,
  { mode, goal = '', agent = [] }: StartOptions,
  project: string,
): Promise<{ readonly mode: string; readonly why: string }> {
  if (mode !== undefined) return { mode, why: `${mode}: as requested` };
  const { points, rules } = pipeline.choose;
  const asks = [...points, ...rules].some((test) => test.files !== undefined || test.modules !== undefined);
  const roles = agent.flatMap((flag) => (flag.includes('=') ? [flag.slice(0, flag.indexOf('='))] : []));
  return chooseMode(pipeline, { goal, changedFiles: asks ? changedFiles(project) : null, roles });
}

const HASHES = new WeakMap<Loop, string>();

/** The journal keeps it beside the rules, so that a changed line is noticed. */
function hashLoop(loop: Loop): string {
  const known = HASHES.get(loop);
  if (known !== undefined) return known;
  const hash = sha256(JSON.stringify(loop));
  HASHES.set(loop, hash);
  return hash;
}

export async function findPipeline(named: string | Loop, loop: Loop): Promise<Pipeline> {
  if (typeof named !== 'string') return rememberedPipeline(loop) ?? builtinPipeline(loop.loop) ?? defaultPipeline(loop);
  if (builtinLoop(named) !== null) return builtinPipeline(named) ?? defaultPipeline(loop);
  const { readPipelinesFile } = await import('../sessions/loop-files.js');
  return readPipelinesFile(named);
}
