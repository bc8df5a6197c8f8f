// The doors to a session that Umpire runs: start it, take it on again, answer what it waits on. All three end in the same
// loop (runtime/run.ts); what differs is what is recorded before it.

import { join } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { answerEvents } from '@umpire/core/decider/answers.js';
import type { AnswerGiven } from '@umpire/core/decider/answers.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { awaitedQuestion, currentQuestion } from '@umpire/core/decider/question.js';
import type { Question, SessionStarted } from '@umpire/core/decider/events.js';
import { tasksToRetry } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { checkProgram } from '../critics/command-program.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { sameRules } from '@umpire/core/loops/same-rules.js';
import type { Pipeline } from '@umpire/core/loops/pipeline.js';
import { statOf } from '../sessions/entry.js';
import { openFolder } from '../sessions/folder.js';
import { JOURNAL } from '../sessions/journal-file.js';
import { openJournal } from '../sessions/journal-writer.js';
import type { OpenJournal } from '../sessions/journal-writer.js';
import { removeLeftovers } from '../sessions/leftovers.js';
import { acquireLock } from '../sessions/lock.js';
import { resolveLoop } from '../sessions/loop-choice.js';
import type { ChosenLoop } from '../sessions/loop-choice.js';
import { CONFIG, readConfigText } from '../sessions/project.js';
import { DEFAULT_SETTINGS } from '../sessions/default-settings.js';
import type { Settings } from '../sessions/default-settings.js';
import { isNameTaken } from '../workspace/cleaning.js';
import { checkPrograms } from './agent-programs.js';
import { checkAhead, checkWork } from './preflight.js';
import { checkAgents, checkRoles, measuresItself } from './agents.js';
import { begin, planOf } from './beginning.js';
import { BUILT_IN } from './critics.js';
import { goOn } from './run-process.js';
import { refuseUnbegun, wordFor } from './opened.js';
import type { OpenedSession, RunWatch } from './opened.js';
import { pipelineOf } from './pipelines.js';
import { forgetUnbegun, isInGit, makeSessionFolder, projectFor, startedNow, surroundingsOf, worktreeHome } from './places.js';
import { allRoles, checkRoleFlags, rolesOf } from './roles.js';
import { refuseCommand, refuseTarget, takeFlags } from './run-flags.js';
import { checkSandbox } from './sandboxes.js';
import type { RunFlags } from './run-flags.js';
import { strayRoles } from './settings-notes.js';

export interface RunRequest extends RunFlags, RunWatch {
  /** A built-in loop's name, the path of a loop file, or a loop from `defineLoop`. */
  readonly loop: string | Loop;
  /** What is wanted. */
  readonly goal?: string;
  /** The project's folder, as it is; where it is left out, the project that the current folder is or lies in. */
  readonly project?: string;
  /** The session's folder; one of its own in `.umpire/sessions/`, where it is left out. */
  readonly session?: string;
  readonly mode?: string;
  /** The tasks it begins with, in place of the loop's own. */
  readonly pipeline?: Pipeline;
  /** Percent, for loops that have a target. */
  readonly target?: number;
  /** The command that the plain loop runs, and a report that it writes. */
  readonly command?: string;
  readonly report?: string;
}

export interface ResumeRequest extends RunFlags, RunWatch {
  /** The session's folder. */
  readonly session: string;
  /** Tasks that failed, and those skipped for it, are run again. */
  readonly retry?: boolean;
}

export interface ResolveRequest extends RunFlags, RunWatch, Partial<Omit<AnswerGiven, 'by' | 'answer'>> {
  readonly session: string;
  readonly answer: AnswerGiven['answer'];
}

export interface RunReport {
  /** The session's folder. */
  readonly session: string;
  readonly status: 'complete' | 'failed' | 'aborted' | 'awaiting' | 'interrupted';
  readonly unverified: boolean;
  readonly question: Question | null;
  readonly state: SessionState;
}

export async function run(request: RunRequest): Promise<RunReport> {
  const { loop, folder: loopFolder } = await loopOf(request.loop);
  if (request.loop === 'until' && request.command === undefined)
    throw new UmpireError('usage', {
      detail: 'The plain loop needs the command that is to pass: umpire until "COMMAND".',
      command: 'until',
    });
  refuseTarget(request.target, loop);
  refuseCommand(request, loop);
  const project = projectFor(request.project, request.onNote);
  const config = await readSettings(project);
  const given = takeFlags(request, config, null, loop.roles.critic);
  const now = request.now ?? (() => new Date());
  const pipeline = request.pipeline ?? (await pipelineOf(request.loop, loop));
  const plan = await planOf(pipeline, request, project);
  const roles = allRoles(pipeline, loop);
  checkRoleFlags(request.agent ?? [], roles, loop.loop);
  for (const note of await strayRoles(project, config, roles)) request.onNote?.(note);
  const own = request.agents ?? {};
  const started = { project, critic: loop.roles.critic, loop: loop.loop, loopFolder, workspace: null };
  // Said once, here: the session remembers who its critic is.
  const isOwn = plan.judged && measuresItself({ started, settings: given, config, own });
  const settings = isOwn ? { ...given, agents: { ...given.agents, [loop.roles.critic]: BUILT_IN } } : given;
  const checkAll = async () => {
    // What is missing now may come with the set-up.
    if (request.command !== undefined && config.workspace.setup === null) await checkProgram(request.command, project);
    const needed = rolesOf(plan, loop, request.command !== undefined);
    const choice = { started, settings, session: project, config, own, now };
    checkRoles(needed, settings);
    await checkAgents(choice);
    if (settings.sandbox === true) await checkSandbox();
    checkPrograms(needed, choice);
  };
  // A session that has begun remembers its agents; those of a new one are looked at before anything is made.
  const hasBegun = request.session !== undefined && (statOf(join(request.session, JOURNAL))?.size ?? 0) > 0;
  if (!hasBegun) await checkAll();
  const home = worktreeHome(project, config.workspace.home);
  const before = surroundingsOf(request.session);
  const isTaken = (name: string) => isNameTaken(isInGit(project) ? project : null, home, name);
  const session = makeSessionFolder(project, loop.loop, request.goal ?? request.command ?? '', now(), request.session, isTaken);
  const report = inSession(session, request, async (opened) => {
    const known = opened.journal.state.run;
    if (known === null && hasBegun) await checkAll();
    // What it was held to when it began holds until a flag says otherwise.
    const held = known === null ? settings : takeFlags(request, config, known.settings, loop.roles.critic);
    if (known === null) await begin(opened, { request, loop, loopFolder, project, config, settings, pipeline, plan });
    else {
      refuseOther(opened, startedNow(known.started, opened.folder.root) ?? known.started, { ...request, project }, loop);
      if (known.ended === null) await checkWork(opened, runIn(opened), config, known.aborted === null);
      await checkAhead(opened, known, { config, settings: held, agent: request.agent });
      goOnWith(opened, request, known);
    }
    return goOn({ config, by: 'run', settings: held, ...opened });
  });
  return report.catch((error: unknown) => {
    const isTaken = isUmpireError(error) && (error.code === 'session-taken' || error.code === 'project-other');
    forgetUnbegun(session, home, { ...before, asked: request.session !== undefined, isTaken });
    throw error;
  });
}

export async function resume(request: ResumeRequest): Promise<RunReport> {
  refuseUnbegun(request.session);
  return inSession(request.session, request, async (opened) => {
    const state = runIn(opened);
    const config = await readSettings(state.started.project);
    if (state.ended === null || request.retry === true) await checkWork(opened, state, config, state.aborted === null);
    const settings = takeFlags(request, config, state.settings, state.started.critic);
    const question = awaitedQuestion(state);
    const rests = state.aborted !== null || (question !== null && question.kind !== 'edit');
    await checkAhead(opened, state, { config, settings, agent: request.agent, retries: request.retry === true, rests });
    if (request.retry === true) retry(opened, state);
    // What is run again has not ended.
    goOnWith(opened, request, runIn(opened));
    return goOn({ config, by: 'resume', settings, ...opened });
  });
}

export async function resolve(request: ResolveRequest): Promise<RunReport> {
  refuseUnbegun(request.session);
  const { answer, reason = '', rounds = 0, costUsd = 0, minutes = 0, tokens = 0, who } = request;
  return inSession(request.session, request, async (opened) => {
    const before = runIn(opened);
    const config = await readSettings(before.started.project);
    if (before.ended === null) await checkWork(opened, before, config, answer !== 'abort');
    const settings = takeFlags(request, config, before.settings, before.started.critic);
    const events = answerEvents(opened.journal.state, opened.folder.name, {
      answer,
      reason,
      rounds,
      costUsd,
      minutes,
      tokens,
      by: 'resolve',
      ...(who === undefined ? {} : { who }),
    });
    // Whatever has become of its agents, a session can be given up, or approved as it is.
    const rests = answer === 'force-approve' || answer === 'manual-fix';
    if (answer !== 'abort') await checkAhead(opened, before, { config, settings, agent: request.agent, rests });
    opened.journal.record(...events);
    if (request.maxRounds !== undefined) raiseCap(opened, request.maxRounds);
    opened.journal.flush();
    return goOn({ ...opened, config, by: 'resolve', settings: takeFlags(request, config, runIn(opened).settings, before.started.critic) });
  });
}

const LOCK_WAIT_MS = 1000;

async function inSession(path: string, watch: RunWatch, act: (opened: OpenedSession) => Promise<void>): Promise<RunReport> {
  const folder = openFolder(path);
  const lock = await acquireLock(folder, LOCK_WAIT_MS);
  try {
    watch.onOpen?.(folder.root);
    removeLeftovers(folder);
    const now = watch.now ?? (() => new Date());
    const journal: OpenJournal = openJournal(folder, now, (event) => watch.onEvent?.(event, journal.state, folder.root));
    try {
      if (journal.wasTorn)
        watch.onNote?.('The last line of journal.ndjson was cut off by a crash; the session goes on from the line before it.');
      await act({ folder, journal, watch });
      return reportOf(folder.root, journal.state);
    } catch (error) {
      // Whatever could not be done, that is why.
      if ([JOURNAL, 'tasks.csv'].every((file) => statOf(join(folder.root, file)) === undefined) && journal.state.run !== null)
        throw new UmpireError('session-gone', { path: folder.root, session: folder.name });
      throw error;
    } finally {
      journal.close();
    }
  } finally {
    lock.release();
  }
}

function reportOf(session: string, state: SessionState): RunReport {
  const { run: now } = state;
  const question = now === null ? null : awaitedQuestion(now);
  const status = now?.ended?.outcome ?? (question === null ? 'interrupted' : 'awaiting');
  return { session, status, unverified: now?.ended?.unverified ?? false, question, state };
}

function runIn({ journal, folder }: OpenedSession): RunState {
  const { run: now } = journal.state;
  if (now === null) throw new UmpireError(journal.state.observed ? 'not-run' : 'not-begun', { session: folder.name });
  const started = startedNow(now.started, folder.root);
  if (started === null) throw new UmpireError('project-moved', { session: folder.name, path: now.started.project });
  return { ...now, started };
}

/** Who asks for something else is not told how that session ended. */
function refuseOther({ folder }: OpenedSession, started: SessionStarted, request: RunRequest, loop: Loop): void {
  const { project, goal, mode, command, report, target } = request;
  const targets = Object.values(started.frozen?.targets ?? {});
  const differs: readonly (readonly [differs: boolean, detail: string])[] = [
    [started.loop !== loop.loop, `it runs the ${started.loop} loop`],
    [started.project !== project, `its project is ${started.project}`],
    [started.command !== command, `its command is ${JSON.stringify(started.command ?? '')}`],
    [goal !== undefined && started.goal !== goal, `its goal is ${JSON.stringify(started.goal)}`],
    [mode !== undefined && started.mode !== mode, `its mode is ${started.mode}`],
    [report !== undefined && started.report !== report, `its report is ${JSON.stringify(started.report ?? '')}`],
    [target !== undefined && targets.some((held) => held !== target), `its target is ${targets.join(', ')}`],
    [started.frozen !== undefined && !sameRules(started.frozen.rules, loop), `the rules of its loop have changed since`],
  ];
  const detail = differs.find(([is]) => is)?.[1];
  if (detail !== undefined) throw new UmpireError('session-other', { session: folder.name, detail });
}

function goOnWith(opened: OpenedSession, { maxRounds, onNote }: RunFlags & RunWatch, state: RunState): void {
  if (state.ended !== null) onNote?.(endedNote(wordFor(opened), state));
  else if (maxRounds !== undefined) raiseCap(opened, maxRounds);
}

function endedNote(session: string, { ended }: RunState): string {
  const outcome = ended?.outcome ?? 'complete';
  const next =
    outcome === 'failed' ? `run what failed again with: umpire resume ${session} --retry` : `read it with: umpire report ${session}`;
  return `The session has ended as ${outcome}; ${next}`;
}

/** --max-rounds on a session that goes on. One that waits because its rounds are spent is answered by it. */
function raiseCap({ journal, folder }: OpenedSession, to: number): void {
  const { started } = journal.state.run as RunState;
  const from = journal.state.frozen.get(started.loop)?.cap ?? to;
  if (to === from) return;
  const isAsked = currentQuestion(journal.state.run as RunState)?.kind === 'escalation';
  const grant = { answer: 'extend', reason: '', rounds: to - from, costUsd: 0, minutes: 0, tokens: 0, by: '--max-rounds' } as const;
  if (isAsked && to > from) journal.record(...answerEvents(journal.state, folder.name, grant));
  else journal.record({ type: 'CapChanged', data: { loop: started.loop, from, to, by: '--max-rounds' } });
}

function retry({ journal }: OpenedSession, state: RunState): void {
  const again = tasksToRetry(state);
  if (again.length > 0) journal.record({ type: 'TasksReopened', data: { tasks: again, why: 'A person retries what failed.' } });
}

const BUILTIN = new Map<string, ChosenLoop>();

/** A built-in loop is one object for all sessions of a process: what is compiled of it is compiled once. */
export async function loopOf(asked: string | Loop): Promise<ChosenLoop> {
  const known = typeof asked === 'string' ? BUILTIN.get(asked) : undefined;
  if (known !== undefined) return known;
  const chosen = await resolveLoop(asked);
  if (typeof asked === 'string' && chosen.folder === null) BUILTIN.set(asked, chosen);
  return chosen;
}

/** The project's settings, with all that is usual filled in. */
export async function readSettings(project: string): Promise<Settings> {
  const text = readConfigText(project);
  if (text === null) return DEFAULT_SETTINGS;
  const { parseSettings } = await import('../sessions/settings.js');
  return parseSettings(text, join(project, CONFIG));
}
