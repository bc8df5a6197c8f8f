// A worker of a fleet: takes offers, runs each attempt with the agents and worktrees of a local run, and hands in how it ended. It decides
// nothing and moves no branch: its commits go to refs of their own.

import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentOfTask } from '@umpire/core/decider/agent-choice.js';
import type { Event, FleetSession } from '@umpire/core/decider/events.js';
import { findTask } from '@umpire/core/decider/run-state.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import type { Agent, Ending } from '@umpire/core/model/ports.js';
import { CAUSE_ADVICE } from '../agents/failure-cause.js';
import { openFiles, openRun } from './run-process.js';
import type { ContinuedSession } from './run-process.js';
import { readSettings } from './project-settings.js';
import { onAbort } from '../sessions/abort-listeners.js';
import { BOARD } from '../sessions/board.js';
import type { Settings } from '../sessions/settings.js';
import { statOf } from '../sessions/file-system.js';
import { sha256 } from '../sessions/hash.js';
import { journalOf } from '../sessions/journal-file.js';
import { keepJournal } from '../sessions/journal-writer.js';
import { runTask } from '../sessions/run-task.js';
import { safeName } from '../sessions/safe-name.js';
import { makeFolders, readBytes } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import { openMirror, prepareClone, pushAttempt } from '../work/remote-repository.js';
import { BEAT_MS, LEASE_MS, pauseUntil } from './engine.js';
import type { BlobStore, TaskLease, LeaseToken, WorkerDoor } from './engine.js';
import type { Telemetry } from '../telemetry/export-telemetry.js';
import type { HandedIn } from './messages.js';
import { collectChanges, markFolder, writeReplica } from './replica.js';
import { remoteLabel } from './queue.js';

export interface WorkerOptions {
  readonly door: WorkerDoor;
  readonly name: string;
  readonly labels: readonly string[];
  readonly slots: number;
  /** The remotes that it serves, with its own credentials. */
  readonly remotes: readonly string[];
  /** The folder for mirrors and working folders. Several workers and conductors may share it. */
  readonly home: string;
  /** The first abort lets running attempts go back to the engine. */
  readonly signal: AbortSignal;
  readonly say: (note: string) => void;
  readonly telemetry?: Pick<Telemetry, 'leaseLost' | 'slots'>;
  readonly beatMs?: number;
  readonly leaseMs?: number;
  readonly pollMs?: number;
}

/** How long one question for an offer waits, and so how long an idle worker takes to stop. */
const POLL_MS = 5_000;
const PAUSE_MS = 2_000;
/** A worker that is stopped waits no longer for a conductor to take its results. */
const STOP_MS = 5_000;
/** The longest rest after attempts that failed by this machine's fault. The first is a twelfth of a lease. */
const MOST_REST_MS = 300_000;

/** Until it is stopped or drained. */
export async function work(options: WorkerOptions): Promise<void> {
  const { door, name, slots, signal, say, remotes, telemetry, beatMs = BEAT_MS, leaseMs = LEASE_MS, pollMs = POLL_MS } = options;
  const labels = [...options.labels, ...remotes.map(remoteLabel)];
  const held = new Map<LeaseToken, AbortController>();
  const drained = new AbortController();
  let beatAt = performance.now();
  let isReached = true;
  let isBeating = false;
  const miss = (why: string): void => {
    if (isReached) say(`The engine cannot be reached (${why}). Trying again.`);
    isReached = false;
    if (performance.now() - beatAt < leaseMs) return;
    // Nobody would take the result any more.
    for (const stop of held.values()) stop.abort('the engine could not be reached until the lease expired');
  };
  const beat = async (): Promise<void> => {
    try {
      const { lost, draining } = await door.beat(name, [...held.keys()]);
      beatAt = performance.now();
      if (!isReached) say('The engine answers again.');
      isReached = true;
      for (const token of lost) {
        if (held.has(token)) telemetry?.leaseLost();
        held.get(token)?.abort('the lease was lost');
      }
      if (draining && !drained.signal.aborted) {
        say('Draining: no new task starts here.');
        drained.abort();
      }
    } catch (error) {
      miss(describeFailure(error));
    }
  };
  const timer = setInterval(() => {
    // A door may try for minutes to reach the engine.
    if (isBeating) return miss('no answer');
    isBeating = true;
    void beat().finally(() => (isBeating = false));
  }, beatMs);
  const over = AbortSignal.any([signal, drained.signal]);
  /** In a row: attempts that failed by this machine's fault. */
  let faults = 0;
  const serveSlot = async (slot: number): Promise<void> => {
    while (!over.aborted) {
      const lease = await door.poll({ name, labels, slots }, pollMs).catch(async (error: unknown) => {
        miss(describeFailure(error));
        await pauseUntil(over, PAUSE_MS);
        return null;
      });
      if (lease === null) continue;
      const stop = new AbortController();
      const onStop = () => stop.abort('stopped');
      signal.addEventListener('abort', onStop);
      held.set(lease.token, stop);
      telemetry?.slots(held.size, slots);
      try {
        faults = (await runLease(options, lease, slot, stop.signal)) ? 0 : faults + 1;
      } finally {
        signal.removeEventListener('abort', onStop);
        held.delete(lease.token);
        telemetry?.slots(held.size, slots);
      }
      // Another worker may do better.
      if (faults > 0) await pauseUntil(over, Math.min((leaseMs / 12) * 2 ** (faults - 1), MOST_REST_MS));
    }
  };
  try {
    await beat();
    await Promise.all(Array.from({ length: slots }, (_, slot) => serveSlot(slot)));
  } finally {
    clearInterval(timer);
  }
}

/** False: its own git, disk, network or program failed, not the task. */
async function runLease(options: WorkerOptions, lease: TaskLease, slot: number, stop: AbortSignal): Promise<boolean> {
  const { door, say } = options;
  const { session, task, attempt, token } = lease;
  const title = `${session} ${task} attempt ${attempt}`;
  say(`${title} started.`);
  const startedAt = performance.now();
  let result: HandedIn;
  try {
    // It was claimed while this worker was stopping.
    result = options.signal.aborted ? unbegun(lease) : await runAttempt(options, lease, slot, stop);
  } catch (error) {
    say(`${title} given back: ${describeFailure(error)}`);
    await door.giveBack(token, describeFailure(error)).catch(() => undefined);
    return stop.aborted;
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  if (stop.aborted && stop.reason !== 'stopped') {
    say(`${title} dropped after ${seconds} s: ${String(stop.reason)}. Nothing was handed in.`);
    return true;
  }
  const taken = await handIn(options, lease, result, stop);
  const ends = {
    taken: `${title} handed in after ${seconds} s.`,
    lost: `${title}: the lease was lost, so its result was not taken.`,
    left: `${title} handed in. No conductor has taken it yet.`,
  };
  say(ends[taken]);
  return true;
}

function unbegun({ task, attempt }: TaskLease): HandedIn {
  const ended: Event = { type: 'TaskInterrupted', data: { task, attempt, why: 'its worker was stopped' } };
  return { events: [ended], folder: { files: {}, board: null } };
}

/** A connection that breaks off for a moment loses no work: the token makes repeating harmless. */
async function handIn(
  { door, say, signal, leaseMs = LEASE_MS }: WorkerOptions,
  { token }: TaskLease,
  result: HandedIn,
  stop: AbortSignal,
): Promise<'taken' | 'lost' | 'left'> {
  const since = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let forget = (): void => undefined;
  const left = new Promise<'left'>((resolve) => {
    const leaveSoon = () => (timer = setTimeout(() => resolve('left'), STOP_MS));
    if (signal.aborted) leaveSoon();
    else forget = onAbort(signal, leaveSoon);
  });
  const handInUntilTaken = async (): Promise<'taken' | 'lost'> => {
    for (;;) {
      try {
        return (await door.handIn(token, result)) === null ? 'lost' : 'taken';
      } catch (error) {
        if (performance.now() - since > leaseMs || (stop.aborted && stop.reason !== 'stopped')) {
          say(`A result could not be handed in: ${describeFailure(error)}`);
          return 'lost';
        }
        await pauseUntil(signal, PAUSE_MS);
      }
    }
  };
  try {
    return await Promise.race([handInUntilTaken(), left]);
  } finally {
    forget();
    clearTimeout(timer);
  }
}

async function runAttempt(options: WorkerOptions, lease: TaskLease, slot: number, stop: AbortSignal): Promise<HandedIn> {
  const { door, home, name, say } = options;
  const { session, task: id, attempt, token } = lease;
  removeOldFolders(join(home, 'work'));
  const blobs = door.blobs(token);
  const lines = await door.lines(token, 0);
  const { state, head, lines: length } = journalOf(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  const run = state.run as RunState;
  const { fleet, workspace } = run.started;
  const task = findTask(run, id);
  if (fleet === undefined || task === undefined || task.attempt !== attempt || !run.running.has(id))
    throw new UmpireError('engine-message', { detail: `the journal of ${session} does not have ${id} attempt ${attempt} at work` });
  // Another engine may have a session of the same name.
  const own = `${safeName(session)}-${sha256(lines[0] ?? '').slice(0, 8)}`;
  // A worker of the same name may still be at work: one that ends, or a twin by mistake.
  const place = join(home, 'work', `${safeName(name)}-${process.pid}`, own, String(slot));
  makeFolders(place);
  writeFileSync(join(dirname(place), USED), '');
  const folder = await writeReplica(join(place, 'session', safeName(session)), state, lines, blobs);
  const clone = join(place, 'project');
  const project = join(clone, fleet.folder);
  const remote = findOwnRemote(options, fleet);
  if (workspace === null) makeFolders(project);
  else {
    const mirror = await openMirror({ remote, home: join(home, 'mirrors'), say });
    if (task.kept !== null) await mirror.fetch([task.kept.commit], session);
    await prepareClone(mirror, {
      folder: clone,
      session,
      branch: workspace.branch,
      base: workspace.base,
      head: run.head ?? workspace.base,
    });
  }
  const here = { ...state, run: { ...run, started: { ...run.started, project } } };
  const memory = keepJournal(
    { state: here, lines: length, head },
    {
      append: () => undefined,
      sync: () => Promise.resolve(),
      now: () => new Date(),
      elapsedMs: () => performance.now(),
      tell: () => undefined,
      hash: sha256,
      key: null,
    },
  );
  const journal = Object.assign(memory, { wasTorn: false, unsigned: null, close: () => undefined });
  const continued: ContinuedSession = {
    folder,
    journal,
    watch: { signal: stop, onNote: say },
    config: await frozenSettings(fleet, blobs, project, join(place, 'worktrees')),
    by: 'worker',
    settings: run.settings,
    roles: await roleTexts(fleet, blobs),
  };
  const files = openFiles(continued);
  files.show();
  const before = markFolder(folder);
  const boardBytes = statOf(join(folder.root, BOARD))?.size ?? 0;
  const { ports, close } = await openRun(continued, files);
  let event: Event;
  try {
    const agent = refusingSignIn(ports.agentFor(task.role, agentOfTask(run, task)));
    const [ended] = await runTask(ports, {
      task: findTask(journal.state.run as RunState, id) as TaskState,
      attempt,
      agent,
      conversation: null,
      stop,
    });
    event = ended as Event;
  } finally {
    await close();
  }
  const commit = findLeftCommit(event);
  if (commit !== null) await pushAttempt(clone, remote, { session, task: id, attempt, commit });
  await putEvidence(folder, event, blobs);
  const changes = await collectChanges(folder, before, boardBytes, blobs);
  if (changes.skipped.length > 0) say(`Too large to hand in: ${changes.skipped.slice(0, 5).join(', ')}`);
  return { events: [event], folder: changes.folder };
}

/** By the worker's own spelling, with its own credentials: the session's may have another user's name in it. */
function findOwnRemote({ remotes }: WorkerOptions, { remote }: FleetSession): string {
  const own = remotes.find((one) => remoteLabel(one) === remoteLabel(remote));
  if (own === undefined && remote !== '')
    throw new UmpireError('engine-message', { detail: 'this worker does not serve the remote of the session' });
  return own ?? '';
}

/** The settings with which the session began. Agents of the same name in the worker's own settings count instead. */
async function frozenSettings({ settings }: FleetSession, blobs: BlobStore, project: string, worktrees: string): Promise<Settings> {
  const frozen = JSON.parse(await readBlobText(settings, blobs)) as Settings;
  const own = await readSettings(project, { onNote: () => undefined });
  return { ...frozen, agents: { ...frozen.agents, ...own.agents }, workspace: { ...frozen.workspace, home: worktrees }, notify: null };
}

async function roleTexts({ roles }: FleetSession, blobs: BlobStore): Promise<ReadonlyMap<string, string>> {
  const texts = await Promise.all(
    Object.entries(roles).map(async ([role, { sha256: hash }]) => [role, await readBlobText(hash, blobs)] as const),
  );
  return new Map(texts);
}

async function readBlobText(hash: string, blobs: BlobStore): Promise<string> {
  const bytes = await blobs.get(hash);
  if (bytes === null || sha256(Buffer.from(bytes)) !== hash)
    throw new UmpireError('read-failed', { path: `blobs/${hash}`, detail: 'the engine does not have it' });
  return Buffer.from(bytes).toString('utf8');
}

/** An agent that is not signed in on this machine may be signed in on another. */
function refusingSignIn(agent: Agent): Agent {
  return {
    ...agent,
    run: async (assignment, watch): Promise<Ending> => {
      const ending = await agent.run(assignment, watch);
      if (ending.kind !== 'broken' || !ending.reason.includes(CAUSE_ADVICE['sign-in'])) return ending;
      throw new UmpireError('worker-sign-in', { agent: agent.name, detail: ending.reason.slice(0, 300) });
    },
  };
}

/** The commit that an attempt leaves, finished or not. */
function findLeftCommit({ type, data }: Event): string | null {
  if (type === 'TaskSubmitted' || type === 'TaskAsked' || type === 'TaskBlocked') return data.commit ?? null;
  return 'left' in data ? (data.left?.commit ?? null) : null;
}

async function putEvidence(folder: SessionFolder, { type, data }: Event, blobs: BlobStore): Promise<void> {
  if (type !== 'TaskFinished' && type !== 'TaskSubmitted') return;
  for (const hash of new Set(Object.values(data.evidence ?? {}))) {
    if (hash === null || hash === '') continue;
    const read = readBytes(folder, `blobs/${hash}`);
    if (read.kind === 'bytes') await blobs.put(read.bytes);
  }
}

const KEPT_MS = 86_400_000;
/** Written whenever an attempt of the session begins. */
const USED = 'used';

/** Working folders, by worker and session, in which no attempt began for a day. */
function removeOldFolders(work: string): void {
  const entries = (folder: string) => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []);
  for (const place of entries(work).flatMap(entries))
    if (Date.now() - ((statOf(join(place, USED)) ?? statOf(place))?.mtimeMs ?? 0) > KEPT_MS)
      rmSync(place, { recursive: true, force: true });
}

function describeFailure(error: unknown): string {
  if (isUmpireError(error)) return error.message;
  return error instanceof Error ? error.message.slice(0, 300) : String(error);
}
