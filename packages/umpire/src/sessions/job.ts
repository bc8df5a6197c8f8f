// One task at work: its folder is lent, its agent is called, what it did is collected, and told as events. Nothing is recorded here.

import { isUmpireError } from '@umpire/core/errors.js';
import { NO_USAGE, type Agent, type Ending, type Usage, type Workspace } from '@umpire/core/ports.js';
import type { Event, UnmergedWork, TaskFinished } from '@umpire/core/decider/events.js';
import { retryDelay } from '@umpire/core/decider/retry-delay.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { assign } from './assignment.js';
import { plainEnding, withBreaches, withEvidence } from './ending.js';
import type { RunPorts } from './run-ports.js';

export interface Job {
  readonly task: TaskState;
  readonly attempt: number;
  readonly agent: Agent;
  /** Aborted: it is to be stopped, for the reason that is given. */
  readonly halt: AbortSignal;
}

type Submitted = NonNullable<Awaited<ReturnType<Workspace['submit']>>>;

const GAVE_UP = 'The agent said that it was stopped, and nobody stopped it.';

export function isWriter({ started }: RunState, { role }: TaskState): boolean {
  return started.writers.includes(role);
}

export async function doTask(ports: RunPorts, job: Job): Promise<readonly Event[]> {
  const { workspace, desk, session, journal } = ports;
  const { task, attempt, agent, halt } = job;
  const writes = workspace !== null && isWriter(journal.state.run as RunState, task);
  const lent = workspace !== null && writes ? await lend(workspace, job) : null;
  if (lent !== null && lent.workdir === null) return conclude(ports, job, { kind: 'interrupted' }, lent.left);
  const workdir = lent?.workdir ?? (workspace === null ? session : await workspace.visit());
  const before = { isBegun: lent?.isBegun === true, fault: lent?.fault ?? null };
  const assignment = assign({ state: journal.state, task, attempt, session, workdir, writes, roleText: desk.roleText(task.role), before });
  const watch = { signal: halt, log: desk.logFor(task.id, attempt) };
  const ending = halt.aborted ? ({ kind: 'interrupted' } as const) : await agent.run(assignment, watch);
  const measured = 'measured' in ending ? ending.measured : undefined;
  const evidence = ending.kind === 'interrupted' ? null : ports.takeEvidence(task.id, task.role, measured);
  const plain = plainEnding(ending, assignment.outputs);
  const events = writes ? await collect(ports, job, plain, { workspace, workdir }) : conclude(ports, job, plain);
  return evidence === null ? events : events.map((event) => withEvidence(event, evidence, measured !== undefined));
}

interface Begun {
  /** Null where the run was stopped while the worktree was being set up. */
  readonly workdir: string | null;
  readonly isBegun: boolean;
  /** What was found of an earlier attempt, and why it could not be taken where it could not. */
  readonly left: Submitted | null;
  readonly fault: string | null;
}

async function lend(workspace: Workspace, { task, attempt, agent, halt }: Job): Promise<Begun> {
  const found = agent.isPerson === true ? await findLeft(workspace, task, attempt) : NOTHING;
  const { left, fault } = found;
  // Who stops the run may have stopped that too.
  if (halt.aborted && fault !== null) return { workdir: null, isBegun: false, left, fault };
  try {
    const kept = left?.commit ?? task.kept;
    const workdir = await workspace.lend(task.id, attempt, kept);
    if (left !== null) await workspace.giveBack(task.id, found.attempt);
    return { workdir, isBegun: kept !== null, left, fault };
  } catch (error) {
    if (halt.aborted) return { workdir: null, isBegun: false, left, fault };
    throw error;
  }
}

interface Found {
  readonly left: Submitted | null;
  readonly attempt: number;
  readonly fault: string | null;
}

const NOTHING: Found = { left: null, attempt: 0, fault: null };

/**
 * What lies in the worktree of the last attempt that has one. After a crash, that is all there is of a person's work; attempts that failed
 * before they had a worktree may have come after it. Where it cannot be taken, it stays where it is.
 */
async function findLeft(workspace: Workspace, { id, reportedAttempt }: TaskState, now: number): Promise<Found> {
  for (let attempt = now - 1; attempt > 0 && (attempt > reportedAttempt || attempt === now - 1); attempt--) {
    try {
      return { left: await workspace.keep(id, attempt), attempt, fault: null };
    } catch (error) {
      if (!isUmpireError(error)) throw error;
      if (error.code !== 'worktree-lost') return { left: null, attempt, fault: `Attempt ${attempt}: ${error.message}` };
    }
  }
  return NOTHING;
}

interface Lent {
  readonly workspace: Workspace;
  readonly workdir: string;
}

/** What a writing task did. One that left its worktree in no state to be read has failed; the run goes on. */
async function collect(ports: RunPorts, job: Job, ending: Ending, { workspace, workdir }: Lent): Promise<readonly Event[]> {
  const { task, attempt } = job;
  try {
    const title = task.row['title'] ?? task.id;
    // What a task did before it asks is there when it goes on. What one did that came to nothing is kept: for people, who go on with theirs.
    const isDone = ending.kind === 'completed';
    const work = isDone ? await workspace.submit(task.id, attempt, title) : await workspace.keep(task.id, attempt);
    const events = conclude(ports, job, ending, work);
    await workspace.giveBack(task.id, attempt);
    return events;
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    const isLost = error.code === 'worktree-lost';
    const rest = isLost ? '' : ` What it left is in ${workdir} until umpire clean.`;
    return conclude(ports, job, withFault(ending, `Its work could not be collected: ${error.message}${rest}`, isLost));
  }
}

/** What came to nothing for another reason keeps that, and what was stopped is run again: where nothing is left, there is no more to say. */
function withFault(ending: Ending, fault: string, isLost: boolean): Ending {
  const { kind } = ending;
  if (kind === 'completed' || kind === 'asked') return { kind: 'broken', reason: fault, usage: ending.usage };
  if (kind === 'interrupted' || isLost) return ending;
  return kind === 'broken' ? { ...ending, reason: `${ending.reason} ${fault}` } : { ...ending, error: `${ending.error} ${fault}` };
}

/** `work`: what it changed. Only what is completed is handed in. */
function conclude(ports: RunPorts, job: Job, ending: Ending, work: Submitted | null = null): readonly Event[] {
  const { attempt, halt } = job;
  const { id } = job.task;
  switch (ending.kind) {
    case 'interrupted':
      // Run again at once, it could say so for ever.
      if (!halt.aborted) return conclude(ports, job, { kind: 'broken', reason: GAVE_UP, usage: ending.usage ?? NO_USAGE }, work);
      return [
        {
          type: 'TaskInterrupted',
          data: { task: id, attempt, why: String(halt.reason ?? 'stopped'), ...spentBy(ending), ...leftOf(work, job) },
        },
      ];
    case 'asked':
      return [{ type: 'TaskAsked', data: { task: id, attempt, question: ending.question, usage: ending.usage, ...work } }];
    case 'broken': {
      const { usage } = ending;
      const waitMs = pauseOf(ports, job, ending);
      const left = leftOf(work, job);
      if (waitMs !== null) return [{ type: 'TaskPostponed', data: { task: id, attempt, why: ending.reason, waitMs, usage, ...left } }];
      const error = withTries(ending, job.task);
      const outputs = blank(ports, job.task);
      return [{ type: 'TaskFinished', data: { task: id, attempt, status: 'failed', findings: '', error, outputs, usage, ...left } }];
    }
    case 'completed':
    case 'failed': {
      const { kind, findings, error, outputs, usage } = ending;
      const data: TaskFinished = { task: id, attempt, status: kind, findings, error, outputs, usage };
      const told = withBreaches(data, ports.breachesOf?.(id, attempt) ?? []);
      if (work === null || kind === 'failed') return [{ type: 'TaskFinished', data: { ...told, ...leftOf(work, job) } }];
      return [{ type: 'TaskSubmitted', data: { ...told, commit: work.commit, files: work.files } }];
    }
  }
}

/** Null where it is not to be tried again by itself. */
function pauseOf({ journal }: RunPorts, { task }: Job, { passing }: Extract<Ending, { kind: 'broken' }>): number | null {
  return passing === undefined ? null : retryDelay(journal.state.run as RunState, task, passing.afterMs);
}

function withTries({ reason, passing }: Extract<Ending, { kind: 'broken' }>, { postponed }: TaskState): string {
  if (passing === undefined || postponed === 0) return reason;
  return `${reason} Umpire tried it again ${postponed === 1 ? 'once' : `${postponed} times`} by itself.`;
}

/** So many files are named. */
const MOST_LEFT = 50;

function leftOf(work: Submitted | null, { agent }: Job): { readonly left?: UnmergedWork } {
  if (work === null) return {};
  return { left: { commit: work.commit, files: work.files.slice(0, MOST_LEFT), ...(agent.isPerson === true ? { goesOn: true } : {}) } };
}

function spentBy({ usage }: Ending): { readonly usage?: Usage } {
  return usage === undefined ? {} : { usage };
}

/** What an earlier run of the task handed in is not this one's. */
function blank({ journal }: RunPorts, { row }: TaskState): Readonly<Record<string, string>> {
  const { run, frozen } = journal.state;
  const outputs = frozen.get(run?.started.loop ?? '')?.rules.columns.out ?? [];
  return Object.fromEntries(outputs.filter((name) => (row[name] ?? '') !== '').map((name) => [name, '']));
}
