// One process that continues a session: it connects agents, workspace, session files and judge, runs the tasks, and cleans up.

import { describeQuestion } from '@umpire/core/decider/answers.js';
import { currentQuestion } from '@umpire/core/decider/question.js';
import { leavesEvidence } from '@umpire/core/decider/critic-scope.js';
import type { RunSettings, SessionStarted, Event } from '@umpire/core/decider/events.js';
import type { Question } from '@umpire/core/model/questions.js';
import { findTask } from '@umpire/core/decider/run-state.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { openSessionFiles } from '../sessions/session-files.js';
import type { SessionFiles } from '../sessions/session-files.js';
import { takeEvidence, moveEarlierEvidence, judgeInFolder } from '../sessions/critic-evidence.js';
import { findRole, loadRole } from '../sessions/role-texts.js';
import type { RunPorts } from '../sessions/run-ports.js';
import { runSession } from '../sessions/run-session.js';
import type { Settings } from '../sessions/settings.js';
import { blobsIn } from '../sessions/recorded-evidence.js';
import { startGuardian, sweepRun } from '../agents/guardian.js';
import type { Guardian } from '../agents/guardian.js';
import type { Agent, Sandbox, Workspace } from '@umpire/core/model/ports.js';
import { createAgents, measuresItself } from './agents.js';
import { openBaseBeside } from './base-beside.js';
import { protectJudgeFiles } from './judge-files.js';
import { createTaskMaterial } from './task-material.js';
import { callPersonBy } from './notify.js';
import { createRunGuard, failedTestsAt, goalTestsAt, createRunRetrial } from './run-guard.js';
import { sessionNameInShell, viaOf } from './opened-session.js';
import type { OpenedSession } from './opened-session.js';
import { startedAtCurrentPath } from './project-folders.js';
import { openSessionSandbox } from './sandbox.js';
import type { GitWorkspace, OpenedWorkspace } from '../work/workspace.js';
import { newRunId, openWorkspaceFor, recordedCommits } from './open-workspace.js';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { readConversation, writeConversation } from '../agents/program-agent.js';
import { EventStream } from '../agents/event-stream.js';
import { listLogs, logsOf, readLog } from '../sessions/agent-logs.js';
import { enterProcess } from '../sessions/run-ports.js';
import { elapsedMs } from '../sessions/environment.js';

/** A session that this process continues. */
export interface ContinuedSession extends OpenedSession {
  readonly config: Settings;
  /** `run`, `resume` or `resolve`. */
  readonly by: string;
  readonly settings: RunSettings;
  /** On a worker of a fleet: the role texts that the session began with. */
  readonly roles?: ReadonlyMap<string, string>;
}

export async function continueSession(session: ContinuedSession): Promise<void> {
  const { journal } = session;
  session.traceAgents?.(session.config.agents);
  const files = openFiles(session);
  if ((journal.state.run as RunState).ended === null) await runTasks(session, files);
  else {
    // A crash may have come between the end of the session and its report.
    journal.record(...files.show());
    journal.flush();
  }
  await notifyEnd(session);
}

/** A process's part of a session: its agents, worktrees and guardian. */
export interface OpenedRun {
  readonly id: string;
  readonly ports: RunPorts;
  readonly workspace: GitWorkspace | null;
  readonly opening: OpenedWorkspace | null;
  readonly close: () => Promise<void>;
}

async function runTasks(session: ContinuedSession, files: SessionFiles): Promise<void> {
  const { journal, settings, by } = session;
  const { running, head } = journal.state.run as RunState;
  const wasAtWork = [...running];
  const { id, ports, workspace, opening, close } = await openRun(session, files);
  try {
    journal.record({ type: 'RunBegun', data: { run: id, by, settings, head: opening?.head ?? null } });
    journal.record(...(await lostAttempts(session, wasAtWork, workspace)));
    await recordEdit(session, workspace, wasAtWork.length > 0, opening !== null && opening.head !== head ? opening.head : null);
    await runSession(ports);
  } finally {
    await close();
  }
}

/** Connects agents, workspace and files. Records nothing. */
export async function openRun(session: ContinuedSession, files: SessionFiles): Promise<OpenedRun> {
  const { journal, folder, watch, config, settings } = session;
  const { runs, aborted } = journal.state.run as RunState;
  const started = startedIn(session);
  // Attempts of workers are runs that the journal does not name.
  const lastRuns = session.by === 'worker' ? [] : runs.slice(-3);
  for (const earlier of lastRuns) sweepRun(earlier);
  const id = newRunId();
  const own = watch.agents ?? {};
  const isParent = startsProcesses(session, own);
  const isSandboxed = settings.sandbox && isParent;
  const sandbox = isSandboxed ? await openSessionSandbox(started, folder.root, config, { run: id, earlier: lastRuns }) : null;
  const guardian = openGuardian(id, isParent, sandbox);
  const { project } = started;
  const now = watch.now ?? (() => new Date());
  const failedTests = (commit: string) => failedTestsAt(journal.state.run as RunState, blobsIn(folder), commit);
  const retry = createRunRetrial({
    started,
    config,
    guardian,
    now,
    session: folder.root,
    signal: watch.signal ?? NEVER_ABORTED,
    openCheck: (commit) => (workspace as GitWorkspace).check(commit),
  });
  const goalTests = (commit: string) => goalTestsAt(journal.state.run as RunState, blobsIn(folder), commit);
  const runGuard = createRunGuard({
    started,
    config,
    now,
    failedTestsAt: failedTests,
    goalTestsAt: goalTests,
    retry,
    say: (note) => watch.onNote?.(note),
  });
  const inspect = runGuard?.inspect;
  const isPersons = (task: string) =>
    agentFor(findTask(journal.state.run as RunState, task)?.role ?? '', findTask(journal.state.run as RunState, task)?.agent ?? null)
      .isPerson === true;
  const { protect, breachesOf } = protectJudgeFiles({ started, isPersons, say: (note) => watch.onNote?.(note) });
  const workspace =
    started.workspace === null ? null : openWorkspaceFor({ ...workspaceChoice(session), project, run: id, sandbox, inspect, protect });
  const opening = workspace === null ? null : await openSessionWorktree(workspace, session);
  // An aborted session needs no agents, so missing ones are no error.
  const openCheck = workspace === null ? null : (commit: string | null) => workspace.check(commit);
  const keepWork = async (task: string, attempt: number) => (await workspace?.keep(task, attempt))?.commit ?? null;
  const choice = { started, settings, session: folder.root, config, guardian, own, now, openCheck, keepWork };
  const named = aborted === null ? await createAgents(choice) : noAgent;
  const rules = frozenRules(session);
  // Workers of a fleet do not share what is kept.
  const beside =
    openCheck === null || session.by === 'worker'
      ? null
      : openBaseBeside({ started, config, guardian, now, session: folder.root, openCheck });
  const createFor = (role: string, name: string | null) => {
    const own = named(role, name);
    const chosen = role === rules.roles.critic ? own : (beside?.around(own) ?? own);
    const agent = started.judged && role === rules.roles.critic ? chosen : (runGuard?.withRules(chosen) ?? chosen);
    return started.judged && leavesEvidence(rules, role) ? withFreshEvidence(agent, session, rules) : agent;
  };
  // Created once per role and name: every task asks for its agent.
  const known = new Map<string, Agent>();
  const agentFor = (role: string, name: string | null) => {
    const key = `${role}\n${name ?? ''}`;
    const agent = known.get(key) ?? createFor(role, name);
    known.set(key, agent);
    return agent;
  };
  const concurrent = enterProcess();
  const ports: RunPorts = {
    session: folder.root,
    journal,
    files,
    workspace,
    material: createTaskMaterial({ started, config, state: () => journal.state, readBlob: blobsIn(folder), workspace }),
    breachesOf: (task, attempt) => [...breachesOf(task, attempt), ...(runGuard?.breachesOf(task, attempt) ?? [])],
    revertedOf: (task, attempt) => workspace?.revertedOf(task, attempt) ?? null,
    retrialOf: (task, attempt) => runGuard?.retrialOf(task, attempt) ?? null,
    judge: session.roles === undefined ? createJudge(session, rules, isParent) : refuseToJudge,
    takeEvidence: (task, role, measured) => {
      if (!started.judged || !leavesEvidence(rules, role)) return null;
      const { hashes, blobs } = takeEvidence(folder, rules, journal.state.run as RunState, task, measured);
      files.keepBlobs(blobs);
      return hashes;
    },
    agentFor,
    endStrays: () => {
      if (isParent) sweepRun(id);
    },
    call: (question) => callPerson(session, question),
    tellsEnd: config.notifyAtEnd && config.notify !== null,
    signal: watch.signal ?? NEVER_ABORTED,
    concurrent,
    nowMs: () => now().getTime(),
    elapsedMs: watch.elapsedMs ?? elapsedMs,
    after: callAfter,
  };
  const close = async () => {
    concurrent.leave();
    await beside?.close();
    await guardian.close();
    if (isParent) sweepRun(id);
    sandbox?.close();
  };
  return { id, ports, workspace, opening, close };
}

/** An aborted session does not need the work done so far. */
function workspaceChoice({ journal, folder, config, watch }: ContinuedSession) {
  const run = journal.state.run as RunState;
  const recorded = run.aborted === null ? recordedCommits(run) : {};
  return { folder, config, session: run.started.session, signal: watch.signal, say: watch.onNote, ...recorded };
}

/** Opens the worktree and notes where files of an earlier one are kept. */
async function openSessionWorktree(workspace: GitWorkspace, { watch }: ContinuedSession): Promise<OpenedWorkspace> {
  const opening = await workspace.open();
  for (const folder of opening.aside)
    watch.onNote?.(`The session's worktree was created again. Its old files are in ${folder}; copy your edits from there.`);
  return opening;
}

function noAgent(role: string): never {
  throw new Error(`The session was aborted; no agent has the role ${role}.`);
}

function callAfter(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, Math.min(ms, 2 ** 31 - 1));
  return () => clearTimeout(timer);
}

/** Without a signal, the run cannot be stopped. */
const NEVER_ABORTED = new AbortController().signal;

/** The start of the session, with the project's current folder if it was moved. */
function startedIn({ journal, folder }: ContinuedSession): SessionStarted {
  const { started } = journal.state.run as RunState;
  return startedAtCurrentPath(started, folder.root) ?? started;
}

function frozenRules({ journal }: ContinuedSession): Loop {
  const rules = journal.state.frozen.get(journal.state.run?.started.loop ?? '')?.rules;
  if (rules === undefined) throw new Error('A running session has frozen its rules at the start.');
  return rules;
}

export function openFiles(session: ContinuedSession): SessionFiles {
  const { journal, folder, watch } = session;
  const { loop, project, loopFolder } = startedIn(session);
  const texts = new Map<string, string>();
  const roleText = (role: string) => {
    const known = texts.get(role) ?? session.roles?.get(role) ?? findRole(loop, role, project, loopFolder)?.text ?? '';
    texts.set(role, known);
    return known;
  };
  return openSessionFiles({ folder, state: () => journal.state, now: watch.now ?? (() => new Date()), roleText });
}

function refuseToJudge(): never {
  throw new Error('Only conductors judge the sessions of a fleet.');
}

/** `isShared`: other processes write into the folder too. */
function createJudge(session: ContinuedSession, rules: Loop, isShared: boolean): RunPorts['judge'] {
  const { journal, folder } = session;
  const { loop, project, loopFolder } = startedIn(session);
  const role = loadRole(loop, rules.roles.judge, project, loopFolder);
  return judgeInFolder({ folder, state: () => journal.state, rules, role, isShared });
}

/** Moves old evidence away before a critic runs, so that all evidence afterwards is its own. */
function withFreshEvidence(agent: Agent, { folder, journal }: ContinuedSession, rules: Loop): Agent {
  return {
    ...agent,
    run: (assignment, watch) => {
      moveEarlierEvidence(folder, rules, journal.state.run as RunState, assignment.task.id, assignment.attempt);
      return agent.run(assignment, watch);
    },
  };
}

/** Agents of the calling program need no processes. */
function startsProcesses({ journal, settings, config }: ContinuedSession, own: Readonly<Record<string, Agent>>): boolean {
  const { started } = journal.state.run as RunState;
  const isMeasured = started.command !== undefined || (started.judged && measuresItself({ started, settings, config, own }));
  const names = [
    ...Object.values(settings.agents),
    ...Object.values(settings.fallbacks ?? {}).flat(),
    ...(settings.stronger === undefined ? [] : [settings.stronger.agent]),
  ];
  return isMeasured || config.workspace.setup !== null || names.some((name) => own[name]?.inProcess !== true);
}

/** Started before the first child process, so that a kill never leaves a child behind. */
function openGuardian(run: string, isNeeded: boolean, sandbox: Sandbox | null): Guardian {
  let real: Guardian | null = isNeeded ? startGuardian(run, sandbox) : null;
  const started = () => (real ??= startGuardian(run, sandbox));
  return {
    run,
    sandbox,
    watch: (group) => started().watch(group),
    release: (group) => started().release(group),
    close: () => real?.close() ?? Promise.resolve(),
  };
}

/**
 * Commits changes in the session's worktree as a person's edit. If tasks ran there when the last process died, the changes are theirs and
 * are removed. After `resolve manual-fix` the edit is still to come. If the loop does not change the project, `resume` itself confirms
 * the edit, which is in the session folder.
 */
async function recordEdit(session: ContinuedSession, workspace: Workspace | null, wasAtWork: boolean, moved: string | null): Promise<void> {
  const { journal, watch, by } = session;
  const isAwaited = currentQuestion(journal.state.run as RunState)?.kind === 'edit';
  const isDue = isAwaited && by !== 'resolve';
  if (wasAtWork && !isDue && workspace !== null) {
    const files = await workspace.sweep();
    if (files.length > 0)
      journal.record({ type: 'StrayChanges', data: { wave: journal.state.run?.front ?? 0, files: files.slice(0, 50) } });
    if (!isAwaited) return;
  }
  const changesNothing = workspace === null || journal.state.run?.started.writers.length === 0;
  const confirmed = changesNothing && isAwaited && by === 'resume' ? { commit: '', files: [] } : null;
  const taken = workspace === null ? null : await workspace.takeEdit("A person's edit");
  // A crash came after the commit and before the journal recorded it.
  const edit = taken ?? (isDue && moved !== null ? { commit: moved, files: [] } : confirmed);
  if (edit === null) {
    if (!isAwaited) return;
    const where = changesNothing ? 'in the session folder' : `in ${workspace.path}`;
    watch.onNote?.(`Make your edit ${where}, then run: umpire resume ${sessionNameInShell(session)}`);
    return;
  }
  journal.record({ type: 'PersonEdited', data: { commit: edit.commit, files: edit.files, via: viaOf(watch) } });
}

function callPerson(session: ContinuedSession, question: Question): Promise<string> {
  return notifyPerson(session, { UMPIRE_STATUS: 'awaiting', UMPIRE_QUESTION: describeQuestion(question), UMPIRE_REASON: '' });
}

/** Runs the notify command once at the end, also if an earlier process died before it could. An abort needs no notice. */
async function notifyEnd(session: ContinuedSession): Promise<void> {
  const { journal, config, watch } = session;
  const { ended, called } = journal.state.run as RunState;
  if (!config.notifyAtEnd || ended?.tell !== true || called.has('end')) return;
  const by = await notifyPerson(session, { UMPIRE_STATUS: ended.outcome, UMPIRE_QUESTION: '', UMPIRE_REASON: ended.reason });
  if (watch.signal?.aborted === true) return;
  journal.record({ type: 'PersonCalled', data: { key: 'end', by } });
  journal.flush();
}

/** Runs the notify command. Its failure does not stop the session. */
async function notifyPerson(session: ContinuedSession, variables: Readonly<Record<string, string>>): Promise<string> {
  const { folder, config, watch } = session;
  if (config.notify === null) return 'nobody';
  const { project, loop, goal } = startedIn(session);
  const env = {
    ...process.env,
    UMPIRE_SESSION: folder.root,
    UMPIRE_SESSION_NAME: folder.name,
    UMPIRE_LOOP: loop,
    UMPIRE_GOAL: goal,
    ...variables,
  };
  const { by, problems } = await callPersonBy(config.notify, { cwd: project, env, signal: watch.signal });
  const now = variables['UMPIRE_STATUS'] === 'awaiting' ? 'waits for a person' : 'has ended';
  for (const problem of problems) watch.onNote?.(`${problem}. The session ${now}.`);
  return by;
}

/** `tasks`: those that were running. One that printed no events of a coding agent says nothing, and simply runs again. */
export async function lostAttempts(
  { journal, folder }: OpenedSession,
  tasks: readonly string[],
  workspace: Workspace | null,
): Promise<readonly Event[]> {
  const run = journal.state.run as RunState;
  const logs = tasks.length === 0 ? [] : listLogs(folder.root);
  const events: Event[] = [];
  for (const task of tasks.flatMap((id) => findTask(run, id) ?? [])) {
    const log = logsOf(logs, task.id).find(({ attempt }) => attempt === task.attempt);
    const report = log === undefined ? null : reportIn(readLog(folder.root, log));
    if (report === null) continue;
    const { usage } = report;
    // The log is the agent's own text.
    const conversation = readConversation(report.conversation ?? null)?.id;
    const { id, attempt } = task;
    // The folder is known until its worktree is given back.
    const talk = conversation === undefined ? {} : { conversation: conversationText(conversation, task, workspace) };
    const isWriter = run.started.writers.includes(task.role);
    const left = workspace === null || !isWriter || conversation === undefined ? null : await keepFiles(workspace, task);
    events.push({
      type: 'TaskInterrupted',
      data: { task: id, attempt, why: 'Umpire was killed', usage, ...(left === null ? {} : { left }), ...talk },
    });
  }
  return events;
}

/** With the note of the run before, or the folder: an agent that is bound to its folder continues only there. */
function conversationText(id: string, task: TaskState, workspace: Workspace | null): string {
  const before = readConversation(task.conversation?.id ?? null);
  const folder = workspace?.placeOf(task.id, task.attempt) ?? '';
  return writeConversation({ id, note: before?.id === id ? before.note : folder });
}

function reportIn(log: Uint8Array): ReturnType<EventStream['end']> {
  const events = new EventStream();
  events.write(log);
  return events.end();
}

/** Null where there is nothing to keep, or the worktree is gone. */
async function keepFiles(workspace: Workspace, { id, attempt }: TaskState): ReturnType<Workspace['keep']> {
  try {
    const left = await workspace.keep(id, attempt);
    await workspace.giveBack(id, attempt);
    return left === null ? null : { commit: left.commit, files: left.files.slice(0, 50) };
  } catch (error) {
    if (isUmpireError(error)) return null;
    throw error;
  }
}
