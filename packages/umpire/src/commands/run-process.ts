// One process takes a session on: it wires agents, workspace, desk and court to the loop that runs it, and cleans up after.

import { describeQuestion } from '@umpire/core/decider/answers.js';
import { currentQuestion } from '@umpire/core/decider/question.js';
import { breachesBefore, leavesEvidence } from '@umpire/core/decider/critic-scope.js';
import type { Question, RunSettings, SessionStarted } from '@umpire/core/decider/events.js';
import { findTask } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { Anomaly } from '@umpire/core/model.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { NO_BOARD, readBoard, unreadLines } from '../sessions/board.js';
import { judgeCritic } from '../sessions/court.js';
import type { Ruling } from '../sessions/court.js';
import { openDesk } from '../sessions/session-files.js';
import type { Desk } from '../sessions/session-files.js';
import { placeOfCritic, takeEvidence } from '../sessions/critic-evidence.js';
import { putAside } from '../sessions/earlier-evidence.js';
import { enterProcess } from '../sessions/concurrent-sessions.js';
import { folderPlace } from '../sessions/place.js';
import { findRole, loadRole } from '../sessions/project.js';
import { runSession } from '../sessions/run.js';
import type { Settings } from '../sessions/default-settings.js';
import { blobsIn } from '../sessions/recorded-place.js';
import { findTraces } from '../sessions/traces.js';
import { startGuardian, sweepRun } from '../agents/guardian.js';
import type { Guardian } from '../agents/guardian.js';
import type { Agent, Sandbox, Workspace } from '@umpire/core/ports.js';
import { agentsFor, measuresItself } from './agents.js';
import { recordedIn } from './preflight.js';
import { runCall } from './call.js';
import { guardingFor } from './guarding.js';
import { failedAt } from './measured-failures.js';
import { wordFor } from './opened.js';
import type { OpenedSession } from './opened.js';
import { startedNow } from './places.js';
import { sandboxFor } from './sandboxes.js';
import type { GitWorkspace, Opening } from '../workspace/workspace.js';
import { newRun, openWorkspaceFor } from './workspaces.js';

export interface Leg extends OpenedSession {
  readonly config: Settings;
  /** `run`, `resume` or `resolve`. */
  readonly by: string;
  readonly settings: RunSettings;
}

export async function goOn(leg: Leg): Promise<void> {
  const { journal } = leg;
  const desk = deskOf(leg);
  if ((journal.state.run as RunState).ended === null) await runOn(leg, desk);
  else {
    // A crash may have come between the end and what people read of it.
    journal.record(...desk.show());
    journal.flush();
  }
  await tellOfEnd(leg);
}

async function runOn(leg: Leg, desk: Desk): Promise<void> {
  const { journal, folder, watch, config, settings, by } = leg;
  const { runs, running, head, aborted } = journal.state.run as RunState;
  const started = startedIn(leg);
  const wasAtWork = running.size > 0;
  for (const earlier of runs.slice(-3)) sweepRun(earlier);
  const id = newRun();
  const own = watch.agents ?? {};
  const isParent = hasChildren(leg, own);
  const sandbox = settings.sandbox === true && isParent ? await sandboxFor(started, folder.root, config) : null;
  const guardian = guardianOf(id, isParent, sandbox);
  const { project } = started;
  const now = watch.now ?? (() => new Date());
  const failures = (commit: string) => failedAt(journal.state.run as RunState, blobsIn(folder), commit);
  const guarding = guardingFor({ started, config, now, failedAt: failures, say: (note) => watch.onNote?.(note) });
  const inspect = guarding?.inspect;
  const workspace = started.workspace === null ? null : openWorkspaceFor({ ...placeOf(leg), project, run: id, sandbox, inspect });
  const opening = workspace === null ? null : await opened(workspace, leg);
  // What a person gives up needs nobody any more, whatever has become of its agents.
  const named = aborted === null ? await agentsFor({ started, settings, session: folder.root, config, guardian, own, now }) : nobody;
  journal.record({ type: 'RunBegun', data: { run: id, by, settings, head: opening?.head ?? null } });
  const rules = rulesOf(leg);
  const dressed = (role: string) => {
    const agent = started.judged && role === rules.roles.critic ? named(role) : (guarding?.warned(named(role)) ?? named(role));
    return started.judged && leavesEvidence(rules, role) ? freshly(agent, leg, rules) : agent;
  };
  // Each once: one is asked for with every task.
  const known = new Map<string, Agent>();
  const agentFor = (role: string) => {
    const agent = known.get(role) ?? dressed(role);
    known.set(role, agent);
    return agent;
  };
  const neighbours = enterProcess();
  try {
    await takeEdit(leg, workspace, wasAtWork, opening !== null && opening.head !== head ? opening.head : null);
    await runSession({
      session: folder.root,
      journal,
      desk,
      workspace,
      ...(guarding === null ? {} : { breachesOf: guarding.breachesOf }),
      judge: judgeIn(leg, rules, isParent),
      takeEvidence: (task, role, measured) => {
        if (!started.judged || !leavesEvidence(rules, role)) return null;
        const { found, blobs } = takeEvidence(folder, rules, journal.state.run as RunState, task, measured);
        desk.keepBlobs(blobs);
        return found;
      },
      agentFor,
      endStrays: () => {
        if (isParent) sweepRun(id);
      },
      call: (question) => callPerson(leg, question),
      tellsEnd: config.notifyAtEnd && config.notify !== null,
      signal: watch.signal ?? NEVER,
      neighbours,
      nowMs: () => now().getTime(),
      after: callAfter,
    });
  } finally {
    neighbours.leave();
    await guardian.close();
    if (isParent) sweepRun(id);
  }
}

/** What a person gives up needs nothing of what was made so far. */
function placeOf({ journal, folder, config, watch }: Leg) {
  const run = journal.state.run as RunState;
  const recorded = run.aborted === null ? recordedIn(run) : {};
  return { folder, config, session: run.started.session, signal: watch.signal, say: watch.onNote, ...recorded };
}

/** Whoever's edit had to be put beside is told where it lies. */
async function opened(workspace: GitWorkspace, { watch }: Leg): Promise<Opening> {
  const opening = await workspace.open();
  for (const folder of opening.aside)
    watch.onNote?.(`The session's worktree was made anew; the files that lay in it are kept in ${folder}. Take what is yours from there.`);
  return opening;
}

function nobody(role: string): never {
  throw new Error(`Nobody does the role ${role} in a session that was given up.`);
}

function callAfter(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, Math.min(ms, 2 ** 31 - 1));
  return () => clearTimeout(timer);
}

/** Who hands in no signal stops nothing. */
const NEVER = new AbortController().signal;

/** Where the project was moved since, it goes on there. */
function startedIn({ journal, folder }: Leg): SessionStarted {
  const { started } = journal.state.run as RunState;
  return startedNow(started, folder.root) ?? started;
}

function rulesOf({ journal }: Leg): Loop {
  const rules = journal.state.frozen.get(journal.state.run?.started.loop ?? '')?.rules;
  if (rules === undefined) throw new Error('A session that runs has frozen its rules when it began.');
  return rules;
}

function deskOf(leg: Leg): Desk {
  const { journal, folder, watch } = leg;
  const { loop, project, loopFolder } = startedIn(leg);
  const texts = new Map<string, string>();
  const roleText = (role: string) => {
    const known = texts.get(role) ?? findRole(loop, role, project, loopFolder)?.text ?? '';
    texts.set(role, known);
    return known;
  };
  return openDesk({ folder, state: () => journal.state, now: watch.now ?? (() => new Date()), roleText });
}

/**
 * The court of this session: its role is loaded first, its evidence lies in the session folder. `isShared`: processes write there too, so
 * that the board is looked through for lines that cannot be read, whether the loop reads it or not.
 */
function judgeIn(leg: Leg, rules: Loop, isShared: boolean): (task: string) => Ruling {
  const { journal, folder } = leg;
  const { loop, project, loopFolder } = startedIn(leg);
  const asked = Object.values(rules.evidence).flatMap((source) => ('discoveries' in source ? [source.discoveries] : []));
  const types = new Set(['gc_decision', ...asked]);
  const traces = findTraces(folder, readBoard(folder, types, () => false).scan.entries, loop, journal.state);
  const role = loadRole(loop, rules.roles.judge, project, loopFolder);
  return (task) => {
    const board = asked.length === 0 && !isShared ? NO_BOARD : readBoard(folder, types, () => false);
    const place = placeOfCritic(
      folder,
      journal.state,
      task,
      folderPlace(folder, board, () => false),
    );
    const anomalies = [...oddities(journal.state.run as RunState, task), ...unreadLines(board)];
    return judgeCritic({ state: journal.state, task, place, role, traces, anomalies });
  };
}

/** A critic that failed may have left evidence all the same; that it failed is said. So is what the guard took back before it ran. */
function oddities(run: RunState, id: string): readonly Anomaly[] {
  const task = findTask(run, id);
  const failed = `The task of the critic, ${id}, failed (${task?.row['error'] || 'no reason given'}); what it left is judged all the same.`;
  return [...(task?.status === 'failed' ? [{ rule: 'E6', message: failed }] : []), ...breachWords(breachesBefore(run, id))];
}

const MOST_BREACHES = 10;

function breachWords(breaches: RunState['breaches']): readonly Anomaly[] {
  const more = breaches.length - MOST_BREACHES;
  const words = breaches.slice(0, MOST_BREACHES).map(({ task, breach: { rule, file, line, message, taken } }) => {
    return `Of the work of ${task}, ${rule} at ${file}:${line} was taken back (by ${taken ?? 'nobody'}): ${message}`;
  });
  const rest = more > 0 ? [`And ${more} more of what the guard forbids was taken back.`] : [];
  return [...words, ...rest].map((message) => ({ rule: 'guard', message }));
}

/** A critic that is judged finds nothing where it leaves its evidence: what lies there afterwards is its own. */
function freshly(agent: Agent, { folder, journal }: Leg, rules: Loop): Agent {
  return {
    ...agent,
    run: (assignment, watch) => {
      putAside(folder, rules, journal.state.run as RunState, assignment.task.id, assignment.attempt);
      return agent.run(assignment, watch);
    },
  };
}

/** Are processes started? Agents of the calling program need none. */
function hasChildren({ journal, settings, config }: Leg, own: Readonly<Record<string, Agent>>): boolean {
  const { started } = journal.state.run as RunState;
  const isMeasured = started.command !== undefined || (started.judged && measuresItself({ started, settings, config, own }));
  const names = Object.values(settings.agents);
  return isMeasured || config.workspace.setup !== null || names.some((name) => own[name]?.inProcess !== true);
}

/** There before the first child, so that no kill finds a child without it. */
function guardianOf(run: string, isNeeded: boolean, sandbox: Sandbox | null): Guardian {
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
 * What is changed in the session's worktree is a person's edit, and is taken up: unless tasks were at work there when the last process
 * died, then it is theirs and goes. Who says only now that they will mend has not done so yet. Where the loop changes no project the
 * person's word is the edit: what they mend is in the session folder.
 */
async function takeEdit(leg: Leg, workspace: Workspace | null, wasAtWork: boolean, moved: string | null): Promise<void> {
  const { journal, watch, by } = leg;
  const isAwaited = currentQuestion(journal.state.run as RunState)?.kind === 'edit';
  const isDue = isAwaited && by !== 'resolve';
  if (wasAtWork && !isDue && workspace !== null) {
    const files = await workspace.sweep();
    if (files.length > 0)
      journal.record({ type: 'StrayChanges', data: { wave: journal.state.run?.front ?? 0, files: files.slice(0, 50) } });
    if (!isAwaited) return;
  }
  const changesNothing = workspace === null || journal.state.run?.started.writers.length === 0;
  const word = changesNothing && isAwaited && by === 'resume' ? { commit: '', files: [] } : null;
  const taken = workspace === null ? null : await workspace.takeEdit("A person's edit");
  // Committed, and a crash came before the journal knew of it.
  const edit = taken ?? (isDue && moved !== null ? { commit: moved, files: [] } : word);
  if (edit === null) {
    if (!isAwaited) return;
    const where = changesNothing ? 'in the session folder' : `in ${workspace.path}`;
    watch.onNote?.(`Make your edit ${where}, then run: umpire resume ${wordFor(leg)}`);
    return;
  }
  journal.record({ type: 'PersonEdited', data: { commit: edit.commit, files: edit.files } });
}

function callPerson(leg: Leg, question: Question): Promise<string> {
  return tellPerson(leg, { UMPIRE_STATUS: 'awaiting', UMPIRE_QUESTION: describeQuestion(question), UMPIRE_REASON: '' });
}

/** Who wants to hear of it is told what came of a night: once, also where a process died before it could. Who gave the session up knows. */
async function tellOfEnd(leg: Leg): Promise<void> {
  const { journal, config, watch } = leg;
  const { ended, called } = journal.state.run as RunState;
  if (!config.notifyAtEnd || ended?.tell !== true || called.has('end')) return;
  const by = await tellPerson(leg, { UMPIRE_STATUS: ended.outcome, UMPIRE_QUESTION: '', UMPIRE_REASON: ended.reason });
  if (watch.signal?.aborted === true) return;
  journal.record({ type: 'PersonCalled', data: { key: 'end', by } });
  journal.flush();
}

/** Runs the command that calls a person. That it fails stops nothing. */
async function tellPerson(leg: Leg, told: Readonly<Record<string, string>>): Promise<string> {
  const { folder, config, watch } = leg;
  if (config.notify === null) return 'nobody';
  const { project, loop, goal } = startedIn(leg);
  const env = {
    ...process.env,
    UMPIRE_SESSION: folder.root,
    UMPIRE_SESSION_NAME: folder.name,
    UMPIRE_LOOP: loop,
    UMPIRE_GOAL: goal,
    ...told,
  };
  const { program, problem } = await runCall(config.notify, { cwd: project, env, signal: watch.signal });
  if (problem !== null)
    watch.onNote?.(
      `The command that calls a person (${program}) failed: ${problem}. The session ${told['UMPIRE_STATUS'] === 'awaiting' ? 'waits' : 'has ended'} all the same.`,
    );
  return program;
}
