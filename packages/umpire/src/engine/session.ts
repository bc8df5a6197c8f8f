// Starts, resumes and resolves sessions. Each records its own events first, then continues the session in run-process.ts.

import { join } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { omitUndefined } from '@umpire/core/formats/merge-objects.js';
import { answerEvents } from '@umpire/core/decider/answers.js';
import type { AnswerGiven } from '@umpire/core/decider/answers.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { awaitedQuestion, currentQuestion } from '@umpire/core/decider/question.js';
import type { RunsInput } from '@umpire/core/decider/most-runs.js';
import type { ForgeTopic, RunSettings, SessionStarted, Recorded } from '@umpire/core/decider/events.js';
import { ANSWERS } from '@umpire/core/model/questions.js';
import type { Question } from '@umpire/core/model/questions.js';
import { isBuiltinTesting, tasksToRetry } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { requireExitStatus, requireProgram } from '../critics/command-program.js';
import { knownLayers } from '../critics/test-layers.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { sameRules } from '@umpire/core/loops/same-rules.js';
import { keepChains } from '@umpire/core/loops/pipeline.js';
import type { Pipeline } from '@umpire/core/loops/pipeline.js';
import type { Settings } from '../sessions/settings.js';
import { statOf } from '../sessions/file-system.js';
import { openFolder, removeTemporaryFiles } from '../sessions/session-folder.js';
import { JOURNAL, readJournal } from '../sessions/journal-file.js';
import { keyFolder } from '../sessions/journal-key.js';
import { openJournal } from '../sessions/journal-writer.js';
import type { OpenJournal } from '../sessions/journal-writer.js';
import { acquireLock } from '../sessions/lock.js';
import { refuseInsideTask } from '../agents/guardian.js';
import { resolveLoop } from '../sessions/resolve-loop.js';
import type { ChosenLoop } from '../sessions/resolve-loop.js';
import { isNameTaken } from '../work/clean-session.js';
import { checkPrograms, BUILT_IN } from './agent-programs.js';
import { checkAgents, checkRoles, measuresItself } from './agents.js';
import { needsTools } from './critics.js';
import { startSession, planSession, findPipeline } from './start-session.js';
import type { NewSession } from './start-session.js';
import { continueSession } from './run-process.js';
import { forecastSession } from './forecast.js';
import type { Forecast } from './forecast.js';
import { requireStarted, sessionNameInShell, viaOf } from './opened-session.js';
import type { OpenedSession, RunWatch } from './opened-session.js';
import {
  removeUnstarted,
  isInGit,
  makeSessionFolder,
  personalChanges,
  projectFor,
  startedAtCurrentPath,
  stateBefore,
  worktreeHome,
} from './project-folders.js';
import { readSettings } from './project-settings.js';
import { rolesOfLoop, checkRoleFlags, rolesOfPlan, rolesOfRemainingTasks, rolesOfSession } from './roles.js';
import { refuseCommand, refuseTarget, refuseUnknownChains, resolveRunSettings, resolveTargets } from './run-flags.js';
import { checkSandbox } from './sandbox.js';
import type { RunFlags } from './run-flags.js';
import type { Targets } from '@umpire/core/model/options.js';
import { strayRoles } from './settings-notes.js';
import { refuseMisnamedSettings } from '../sessions/project.js';
import { requireOwnSession, requireTrustedLoop } from './trust.js';
import { TELEMETRY_PROVIDERS } from '../agents/known/known-agents.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import { openTelemetry } from '../telemetry/open-telemetry.js';
import { findCommits } from '../work/session-diff.js';
import { recordedWork } from '../work/open-refs.js';
import { findSessionGit, refuseOtherSession } from '../work/session-git.js';
import { recordedCommits } from './open-workspace.js';
import { elapsedMs } from '../sessions/environment.js';

export interface RunParameters extends RunFlags, RunWatch {
  /** A built-in loop's name, the path of a loop file, or a loop from `defineLoop`. */
  readonly loop: string | Loop;
  readonly goal?: string;
  /** The project's folder. Default: the project that contains the current folder. */
  readonly project?: string;
  /** The session's folder. Default: a new one in `.umpire/sessions/`. */
  readonly session?: string;
  readonly mode?: string;
  /** Replaces the loop's own pipeline. */
  readonly pipeline?: Pipeline;
  /** Percent, for loops that have a target: for all chains, or for each chain by its name (`{ L1: 90, L2: 70 }`). */
  readonly target?: Targets;
  /** The command of the `until` loop, and a report that it writes. */
  readonly command?: string;
  readonly report?: string;
  /** Runs any command and takes its exit status as it is. The verdict is then `unverified`. */
  readonly trustExitStatus?: boolean;
  readonly allowTestEdits?: boolean;
  /** The session begins with the person's uncommitted changes too. False: without them, and nobody is asked. */
  readonly includeUncommitted?: boolean;
  /** The issue or pull request that it is about, and the commits that it begins with: those of a pull request. */
  readonly topic?: ForgeTopic;
  readonly commits?: { readonly base: string; readonly head: string };
}

export interface ResumeParameters extends RunFlags, RunWatch {
  /** The session's folder. */
  readonly session: string;
  /** Run failed tasks again, and those skipped because of them. */
  readonly retry?: boolean;
  /** The key of the question that a person was shown. Refused if the session waits for something else by now. */
  readonly question?: string;
}

export interface ResolveParameters extends RunFlags, RunWatch, Partial<Omit<AnswerGiven, 'by' | 'answer' | 'via'>> {
  readonly session: string;
  readonly answer: AnswerGiven['answer'];
  /** The key of the question that a person was shown. Refused if the session waits for something else by now. */
  readonly question?: string;
}

export interface RunResult {
  /** The session's folder. */
  readonly session: string;
  readonly status: 'complete' | 'failed' | 'aborted' | 'awaiting' | 'interrupted';
  readonly unverified: boolean;
  readonly question: Question | null;
  readonly state: SessionState;
}

/** A session that was asked for, before anything of it exists. */
export interface PlannedRequest extends Omit<NewSession, 'request'> {
  readonly roles: ReadonlySet<string>;
  /** Umpire's own critic measures. */
  readonly isOwn: boolean;
  readonly now: () => Date;
}

export async function planRequest(request: RunParameters): Promise<PlannedRequest> {
  const { loop, folder: loopFolder } = await findLoop(request.loop);
  if (request.loop === 'until' && request.command === undefined)
    throw new UmpireError('usage', {
      detail: 'The until loop needs a command: umpire until "COMMAND".',
      command: 'until',
    });
  refuseTarget(request.target, loop);
  refuseCommand(request, loop);
  const project = projectFor(request.project, request.onNote);
  await requireTrustedLoop(request.loop, loop, project, request);
  refuseMisnamedSettings(project);
  const config = await readSettings(project, request, await settingsOfBase(project, request.commits?.base));
  const given = resolveRunSettings(request, config, null, loop.roles.critic);
  const now = request.now ?? (() => new Date());
  const pipeline = request.pipeline ?? (await findPipeline(request.loop, loop));
  const targets = resolveTargets(request.target, loop, config);
  const drafted = await planSession(pipeline, request, project, targets);
  const roles = rolesOfLoop(pipeline, loop);
  checkRoleFlags(request.agent ?? [], roles, loop.loop);
  for (const note of await strayRoles(project, config, roles)) request.onNote?.(note);
  const own = request.agents ?? {};
  const started = { project, critic: loop.roles.critic, loop: loop.loop, loopFolder, workspace: null };
  // Decided once: the session remembers who its critic is.
  const isOwn = drafted.judged && measuresItself({ started, settings: given, config, own });
  const layers = isOwn && isBuiltinTesting(started) ? knownLayers(config.critics.testing) : null;
  const plan = layers === null ? drafted : await planSession(keepChains(pipeline, 'layer', layers), request, project, targets);
  refuseUnknownChains(request.target, loop, plan.rows);
  const settings = isOwn ? { ...given, agents: { [loop.roles.critic]: BUILT_IN, ...given.agents } } : given;
  return { loop, loopFolder, project, config, settings, pipeline, plan, roles, isOwn, now };
}

export interface RunPreview extends Pick<PlannedRequest['plan'], 'mode' | 'why'> {
  readonly loop: string;
  readonly tasks: readonly { readonly id: string; readonly role: string; readonly title: string }[];
  readonly forecast: Forecast;
}

/** What `run` would do. Nothing is made and no agent starts. */
export async function previewRun(request: RunParameters): Promise<RunPreview> {
  const { loop, project, config, settings, plan } = await planRequest(request);
  const forecast = forecastRun(forecastInput(request, { loop, config, plan }), request, settings, config, project);
  const tasks = plan.rows.map(({ id = '', role = '', title = '' }) => ({ id, role, title }));
  return { loop: loop.loop, mode: plan.mode, why: plan.why, tasks, forecast };
}

function forecastInput(
  { maxRounds }: RunParameters,
  { loop, config, plan }: Pick<PlannedRequest, 'loop' | 'config' | 'plan'>,
): Omit<RunsInput, 'isAgents'> {
  return { loop, rows: plan.rows, judged: plan.judged, cap: maxRounds ?? config.maxRounds ?? loop.cap.default };
}

export async function run(request: RunParameters): Promise<RunResult> {
  const { loop, loopFolder, project, config, settings, pipeline, plan, isOwn, now } = await planRequest(request);
  const own = request.agents ?? {};
  const started = { project, critic: loop.roles.critic, loop: loop.loop, loopFolder, workspace: null };
  const checkAgentsAndTools = async () => {
    if (request.command !== undefined && request.trustExitStatus !== true) await requireExitStatus(request.command, project);
    // A set-up command may install the program.
    if (request.command !== undefined && config.workspace.setup === null) await requireProgram(request.command, project);
    const needed = rolesOfPlan(plan, loop, request.command !== undefined);
    const choice = { started, settings, session: project, config, own, now };
    checkRoles(needed, settings);
    await checkAgents(choice);
    if (settings.sandbox) await checkSandbox();
    checkPrograms(needed, choice);
  };
  // A started session remembers its agents. Those of a new session are checked before anything is created.
  const hasStarted = request.session !== undefined && (statOf(join(request.session, JOURNAL))?.size ?? 0) > 0;
  if (!hasStarted) await checkAgentsAndTools();
  if (!hasStarted) await askAboutForecast(forecastInput(request, { loop, config, plan }), request, settings, config, project);
  if (!hasStarted && (isOwn || request.command !== undefined)) {
    const isBlind = await noteTools(loop.loop, project, request);
    // A command is itself the measurement.
    const asks = isBlind && request.command === undefined && needsTools(loop.loop) && !settings.yes;
    if (asks && (await request.onBlind?.()) === false) throw new UmpireError('critic-blind', { loop: loop.loop });
  }
  const includeUncommitted = hasStarted ? request.includeUncommitted : await askAboutUncommitted(request, project);
  const home = worktreeHome(project, config.workspace.home);
  const before = stateBefore(request.session);
  const isTaken = (name: string) => isNameTaken(isInGit(project) ? project : null, home, name);
  const session = makeSessionFolder(project, loop.loop, request.goal ?? request.command ?? '', now(), request.session, isTaken);
  const report = inSession(session, request, async (opened) => {
    const known = opened.journal.state.run;
    if (known === null && hasStarted) await checkAgentsAndTools();
    if (known !== null) refuseInsideTask(CONTINUE);
    // The settings of a started session hold until a flag changes them.
    const current = known === null ? settings : resolveRunSettings(request, config, known.settings, loop.roles.critic);
    const asked = { ...request, ...omitUndefined({ includeUncommitted }) };
    if (known === null) await startSession(opened, { request: asked, loop, loopFolder, project, config, settings, pipeline, plan });
    else {
      refuseDifferentRequest(
        opened,
        startedAtCurrentPath(known.started, opened.folder.root) ?? known.started,
        { ...request, project },
        loop,
      );
      if (known.ended === null) await checkSessionWork(opened, runIn(opened), config, known.aborted === null);
      await checkRunnable(opened, known, { config, settings: current, agent: request.agent });
      applyFlags(opened, request, known);
    }
    return continueSession({ config, by: 'run', settings: current, ...opened });
  });
  return report.catch((error: unknown) => {
    const isTaken = isUmpireError(error) && (error.code === 'session-taken' || error.code === 'project-other');
    removeUnstarted(session, home, { ...before, asked: request.session !== undefined, isTaken });
    throw error;
  });
}

/** Only where a command decides: there, an uncommitted test may be what is asked for. Undefined: nobody was asked. */
export async function askAboutUncommitted(
  { includeUncommitted, command, commits, yes, onUncommitted }: RunParameters,
  project: string,
): Promise<boolean | undefined> {
  if (includeUncommitted !== undefined || command === undefined || commits !== undefined || yes === true || onUncommitted === undefined)
    return includeUncommitted;
  if (!isInGit(project)) return undefined;
  const files = await personalChanges(project);
  return files.length === 0 ? undefined : onUncommitted(files);
}

/** A pull request does not choose the settings that it is reviewed by. */
async function settingsOfBase(project: string, base: string | undefined): Promise<{ readonly source?: string | null }> {
  return base === undefined ? {} : (await import('./critique.js')).settingsAt(project, base);
}

/** Says what the session may need. Above the limit of the settings a person at a terminal must agree, or pass --yes. */
async function askAboutForecast(
  plan: Omit<RunsInput, 'isAgents'>,
  request: RunParameters,
  settings: RunSettings,
  config: Settings,
  project: string,
): Promise<void> {
  if (request.onForecast === undefined) return;
  const forecast = forecastRun(plan, request, settings, config, project);
  if (!(await request.onForecast(forecast))) throw new UmpireError('runs-declined', { runs: forecast.runs, limit: config.askAboveRuns });
}

function forecastRun(
  plan: Omit<RunsInput, 'isAgents'>,
  { command }: RunParameters,
  settings: RunSettings,
  { askAboveRuns }: Settings,
  project: string,
): Forecast {
  const isAgents = (role: string) => command === undefined || role !== plan.loop.roles.critic;
  return forecastSession({ ...plan, isAgents }, project, settings.yes ? Infinity : askAboveRuns);
}

/** It records changes of files as a person's, and its flags change the limits. */
const CONTINUE = 'continue a session';

export async function resume(request: ResumeParameters): Promise<RunResult> {
  refuseInsideTask(CONTINUE);
  requireStarted(request.session);
  return inSession(request.session, request, async (opened) => {
    const state = runIn(opened);
    refuseChangedQuestion(opened, state, request.question);
    const config = await readSettings(state.started.project, request);
    if (state.ended === null || request.retry === true) await checkSessionWork(opened, state, config, state.aborted === null);
    const settings = resolveRunSettings(request, config, state.settings, state.started.critic);
    const question = awaitedQuestion(state);
    const isIdle = state.aborted !== null || (question !== null && question.kind !== 'edit' && question.kind !== 'limit');
    await checkRunnable(opened, state, { config, settings, agent: request.agent, retries: request.retry === true, isIdle });
    if (request.retry === true) {
      const again = tasksToRetry(state);
      if (again.length > 0)
        opened.journal.record({ type: 'TasksReopened', data: { tasks: again, why: 'A person retries the failed tasks.' } });
    }
    // Tasks that run again reopen an ended session.
    applyFlags(opened, request, runIn(opened));
    return continueSession({ config, by: 'resume', settings, ...opened });
  });
}

export async function resolve(request: ResolveParameters): Promise<RunResult> {
  return answering(request, async (opened, config) => {
    const now = runIn(opened);
    const settings = resolveRunSettings(request, config, now.settings, now.started.critic);
    return continueSession({ ...opened, config, by: 'resolve', settings });
  });
}

/** Records the answer and leaves the rest to another process, which resumes the session. */
export async function answerQuestion(request: ResolveParameters): Promise<void> {
  await answering(request, () => Promise.resolve());
}

async function answering(request: ResolveParameters, then: (opened: OpenedSession, config: Settings) => Promise<void>): Promise<RunResult> {
  refuseInsideTask('answer for a person');
  requireStarted(request.session);
  const { answer, reason = '', rounds = 0, costUsd = 0, minutes = 0, tokens = 0, who, goal } = request;
  const { isEnd = false, isWaiver = false, isByHand = false } = ANSWERS[answer];
  return inSession(request.session, request, async (opened) => {
    const before = runIn(opened);
    refuseChangedQuestion(opened, before, request.question);
    const config = await readSettings(before.started.project, request);
    if (before.ended === null) await checkSessionWork(opened, before, config, !isEnd);
    const settings = resolveRunSettings(request, config, before.settings, before.started.critic);
    const events = answerEvents(opened.journal.state, opened.folder.name, {
      answer,
      reason,
      rounds,
      costUsd,
      minutes,
      tokens,
      by: 'resolve',
      via: viaOf(request),
      ...(who === undefined ? {} : { who }),
      ...(goal === undefined ? {} : { goal }),
    });
    // A session can be aborted or approved even if its agents are missing.
    if (!isEnd) await checkRunnable(opened, before, { config, settings, agent: request.agent, isIdle: isWaiver || isByHand });
    opened.journal.record(...events);
    if (request.maxRounds !== undefined) changeCap(opened, request.maxRounds);
    opened.journal.flush();
    return then(opened, config);
  });
}

/** Another process may have answered the question while a person read it. */
function refuseChangedQuestion(opened: OpenedSession, run: RunState, shown: string | undefined): void {
  if (shown !== undefined && currentQuestion(run)?.key !== shown)
    throw new UmpireError('question-changed', { session: sessionNameInShell(opened) });
}

/**
 * Says which tools of the critic work, before the first round. A broken one stops nothing yet: it may not be needed. True: the critic has
 * nothing to measure with.
 */
async function noteTools(loop: string, project: string, { signal, onNote, onBlind, now, command }: RunParameters): Promise<boolean> {
  if (onNote === undefined && onBlind === undefined) return false;
  const { tryCritic } = await import('./critique.js');
  const trial = await tryCritic({ loop, project, ...omitUndefined({ signal, now }) }, command);
  for (const line of trial.lines) onNote?.(line);
  return trial.isBlind;
}

const LOCK_WAIT_MS = 1000;

async function inSession(path: string, watch: RunWatch, act: (opened: OpenedSession) => Promise<void>): Promise<RunResult> {
  const folder = openFolder(path);
  const lock = await acquireLock(folder, LOCK_WAIT_MS);
  const trace = await traceSession(folder, watch.onNote);
  try {
    watch.onOpen?.(folder.root);
    removeTemporaryFiles(folder);
    await requireOwnSession(folder, watch);
    const now = watch.now ?? (() => new Date());
    const journal: OpenJournal = openJournal(folder, { now, elapsedMs: watch.elapsedMs ?? elapsedMs }, (event) => {
      trace.event(event, journal.state);
      watch.onEvent?.(event, journal.state, folder.root);
    });
    try {
      if (journal.wasTorn)
        watch.onNote?.('A crash cut off the last line of journal.ndjson. The session continues from the line before it.');
      if (journal.unsigned === 'no key')
        watch.onNote?.(
          `The journal is not authenticated: Umpire cannot keep a key in ${keyFolder() ?? 'a home folder'}. To continue it later, set UMPIRE_TRUST=1.`,
        );
      await act({ folder, journal, watch, traceAgents: trace.traceAgents });
      return reportOf(folder.root, journal.state);
    } catch (error) {
      // The folder was deleted while the session ran, which caused the error.
      if ([JOURNAL, 'tasks.csv'].every((file) => statOf(join(folder.root, file)) === undefined) && journal.state.run !== null)
        throw new UmpireError('session-gone', { path: folder.root, session: folder.name });
      throw error;
    } finally {
      journal.close();
    }
  } finally {
    lock.release();
    await trace.close();
  }
}

function reportOf(session: string, state: SessionState): RunResult {
  const { run: now } = state;
  const question = now === null ? null : awaitedQuestion(now);
  const status = now?.ended?.outcome ?? (question === null ? 'interrupted' : 'awaiting');
  return { session, status, unverified: now?.ended?.unverified ?? false, question, state };
}

function runIn({ journal, folder }: OpenedSession): RunState {
  const { run: now } = journal.state;
  if (now === null) throw new UmpireError(journal.state.observed ? 'not-run' : 'not-begun', { session: folder.name });
  const started = startedAtCurrentPath(now.started, folder.root);
  if (started === null) throw new UmpireError('project-moved', { session: folder.name, path: now.started.project });
  return { ...now, started };
}

/** Throws if the request asks for something else than the session in this folder. */
function refuseDifferentRequest({ folder }: OpenedSession, started: SessionStarted, request: RunParameters, loop: Loop): void {
  const { project, goal, mode, command, report, target, trustExitStatus, allowTestEdits, includeUncommitted } = request;
  const held = started.frozen?.targets ?? {};
  const hasOtherTarget = ([chain, value]: readonly [string, number]) =>
    target !== undefined && (typeof target === 'number' ? target : (target[chain] ?? value)) !== value;
  const differs: readonly (readonly [differs: boolean, detail: string])[] = [
    [started.loop !== loop.loop, `it runs the ${started.loop} loop`],
    [started.project !== project, `its project is ${started.project}`],
    [started.command !== command, `its command is ${JSON.stringify(started.command ?? '')}`],
    [goal !== undefined && started.goal !== goal, `its goal is ${JSON.stringify(started.goal)}`],
    [mode !== undefined && started.mode !== mode, `its mode is ${started.mode}`],
    [report !== undefined && started.report !== report, `its report is ${JSON.stringify(started.report ?? '')}`],
    [trustExitStatus === true && started.trustsExitStatus !== true, 'it began without --trust-exit-status'],
    [allowTestEdits === true && started.allowsTestEdits !== true, 'it began without --allow-test-edits'],
    [
      includeUncommitted === true && started.workspace?.kind === 'git' && started.workspace.included === undefined,
      'it began without --include-uncommitted',
    ],
    [Object.entries(held).some(hasOtherTarget), `its target is ${Object.values(held).join(', ')}`],
    [started.frozen !== undefined && !sameRules(started.frozen.rules, loop), 'the rules of its loop have changed'],
  ];
  const detail = differs.find(([is]) => is)?.[1];
  if (detail !== undefined) throw new UmpireError('session-other', { session: folder.name, detail });
}

function applyFlags(opened: OpenedSession, { maxRounds, onNote }: RunFlags & RunWatch, state: RunState): void {
  if (state.ended !== null) onNote?.(endedNote(sessionNameInShell(opened), state));
  else if (maxRounds !== undefined) changeCap(opened, maxRounds);
}

function endedNote(session: string, { ended }: RunState): string {
  const outcome = ended?.outcome ?? 'complete';
  const next =
    outcome === 'failed' ? `Run the failed tasks again with: umpire resume ${session} --retry` : `Read it with: umpire report ${session}`;
  return `The session has ended: ${outcome}. ${next}`;
}

/** --max-rounds on a started session. If the session waits because it reached the cap, this answers the question. */
function changeCap({ journal, folder, watch }: OpenedSession, to: number): void {
  const { started } = journal.state.run as RunState;
  const from = journal.state.frozen.get(started.loop)?.cap ?? to;
  if (to === from) return;
  const isAsked = currentQuestion(journal.state.run as RunState)?.kind === 'escalation';
  const granted = { rounds: to - from, costUsd: 0, minutes: 0, tokens: 0 };
  const grant = { answer: 'extend', reason: '', ...granted, by: '--max-rounds', via: viaOf(watch) } as const;
  if (isAsked && to > from) journal.record(...answerEvents(journal.state, folder.name, grant));
  else journal.record({ type: 'CapChanged', data: { loop: started.loop, from, to, by: '--max-rounds' } });
}

const BUILTIN = new Map<string, ChosenLoop>();

/** A built-in loop is one object for all sessions of a process, so that it is compiled once. */
export async function findLoop(asked: string | Loop): Promise<ChosenLoop> {
  const known = typeof asked === 'string' ? BUILTIN.get(asked) : undefined;
  if (known !== undefined) return known;
  const chosen = await resolveLoop(asked);
  if (typeof asked === 'string' && chosen.folder === null) BUILTIN.set(asked, chosen);
  return chosen;
}

interface SessionTelemetry {
  readonly event: (event: Recorded, state: SessionState) => void;
  /** The agents in the project's settings, which name the models. */
  readonly traceAgents: (agents: Settings['agents']) => void;
  readonly close: () => Promise<void>;
}

export async function traceSession(folder: SessionFolder, say: (note: string) => void = () => undefined): Promise<SessionTelemetry> {
  const telemetry = await openTelemetry(process.env, TELEMETRY_PROVIDERS, say);
  let agents: Settings['agents'] = {};
  const past = () => readJournal(folder).events;
  return {
    event: (event, state) => {
      telemetry.event(event, state, { id: folder.root, past, agents });
      if (state.run !== null) telemetry.slots(state.run.running.size, state.run.settings.concurrency);
    },
    traceAgents: (known) => {
      agents = known;
    },
    close: telemetry.close,
  };
}

export interface PreflightOptions {
  readonly config: Settings;
  readonly settings: RunSettings;
  /** The --agent flags. */
  readonly agent: readonly string[] | undefined;
  /** Failed tasks run again. */
  readonly retries?: boolean;
  /** No agent has to work now: the session was aborted, approved, or waits for a person. Only agents named by flags are checked. */
  readonly isIdle?: boolean;
}

export async function checkRunnable({ journal, folder, watch }: OpenedSession, run: RunState, options: PreflightOptions): Promise<void> {
  const { config, settings, agent = [], retries = false, isIdle = false } = options;
  const rules = journal.state.frozen.get(run.started.loop)?.rules;
  // An ended session is only shown again.
  if (rules === undefined || (run.ended !== null && !retries)) return;
  if (isIdle && agent.length === 0) return;
  checkRoleFlags(agent, rolesOfSession(run, rules), run.started.loop);
  const started = startedAtCurrentPath(run.started, folder.root) ?? run.started;
  const now = watch.now ?? (() => new Date());
  const choice = { started, settings, session: folder.root, config, own: watch.agents ?? {}, now };
  await checkAgents(choice);
  if (!isIdle && settings.sandbox) await checkSandbox();
  if (!isIdle) checkPrograms(rolesOfRemainingTasks(run, rules, retries), choice);
}

/**
 * Refuses a copied session folder: it and the original would work on the same branch with different histories. Also requires the work
 * done so far, unless the session is aborted.
 */
export async function checkSessionWork({ folder }: OpenedSession, run: RunState, config: Settings, continues: boolean): Promise<void> {
  const { started } = run;
  if (started.workspace === null) return;
  const { project, session } = started;
  const home = worktreeHome(project, config.workspace.home);
  const sessionGit = findSessionGit({ project, session, home, sessionFolder: folder.root, ...recordedCommits(run) });
  refuseOtherSession(sessionGit);
  if (continues && (await findCommits(sessionGit)) === null) await recordedWork(sessionGit);
}
