// Runs one attempt of a task: borrows a worktree, calls the agent, collects its work and returns the result as events. An agent may
// be any program, so its result is checked and cut to what the formats allow. Nothing is recorded here.

import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { NO_USAGE, type Agent, type Ending, type Usage, type Workspace } from '@umpire/core/model/ports.js';
import type { Event, UnmergedWork, TaskFinished, Breach } from '@umpire/core/decider/events.js';
import { agentOfTask } from '@umpire/core/decider/agent-choice.js';
import { countCutOff, goesOnAfter } from '@umpire/core/decider/cut-off.js';
import { retryDelay } from '@umpire/core/decider/retry-delay.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { assign, NO_MATERIAL } from './assignment.js';
import { isDiskFull } from './file-system.js';
import { filesOfTools } from './critic-evidence.js';
import type { RunPorts } from './run-ports.js';
import { breachSentences } from '../views/breach-words.js';
import { changesCode, findTask } from '@umpire/core/decider/run-state.js';
import { mergeObjects } from '@umpire/core/formats/merge-objects.js';

export interface StartedAttempt {
  readonly task: TaskState;
  readonly attempt: number;
  readonly agent: Agent;
  /** The agent's conversation that it continues. */
  readonly conversation: string | null;
}

export interface TaskAttempt extends StartedAttempt {
  /** When aborted, the agent is stopped; its reason is recorded. */
  readonly stop: AbortSignal;
}

type SubmittedWork = NonNullable<Awaited<ReturnType<Workspace['keep']>>>;

const GAVE_UP = 'The agent reported that it was stopped, but nobody stopped it.';

export function isWriter({ started }: RunState, { role }: TaskState): boolean {
  return started.writers.includes(role);
}

export async function runTask(ports: RunPorts, job: TaskAttempt): Promise<readonly Event[]> {
  const { workspace, files, session, journal } = ports;
  const { task, attempt, agent, conversation, stop } = job;
  const writes = workspace !== null && isWriter(journal.state.run as RunState, task);
  const lent = workspace !== null && writes ? await borrowWorktree(workspace, job) : null;
  if (lent !== null && lent.workdir === null) return endEvents(ports, job, { kind: 'interrupted' }, lent.left);
  const workdir = lent?.workdir ?? (workspace === null ? session : await workspace.visit());
  const before = { isBegun: lent?.isBegun === true, fault: lent?.fault ?? null };
  const material = agent.inProcess === true ? NO_MATERIAL : ((await ports.material?.(task)) ?? NO_MATERIAL);
  const roleText = files.roleText(task.role);
  const assignment = assign({ state: journal.state, task, attempt, session, workdir, writes, roleText, before, conversation, material });
  const watch = { signal: stop, log: files.logFor(task.id, attempt) };
  const ending = stop.aborted ? ({ kind: 'interrupted' } as const) : await agent.run(assignment, watch);
  if (ending.kind === 'broken' || ending.kind === 'failed') refuseFullDisk(job, [workdir, session]);
  const measured = 'measured' in ending ? ending.measured : undefined;
  const evidence = ending.kind === 'interrupted' ? null : ports.takeEvidence(task.id, task.role, measured);
  const plain = sanitizeEnding(ending, assignment.outputs);
  const events = writes ? await collect(ports, job, plain, { workspace, workdir }) : endEvents(ports, job, plain);
  return evidence === null
    ? events
    : events.map((event) => {
        // Adds a critic's evidence to the event that ends it.
        const more = { evidence, ...measurementOf(ending) };
        if (event.type === 'TaskFinished') return { type: 'TaskFinished', data: mergeObjects(event.data, more) };
        return event.type === 'TaskSubmitted' ? { type: 'TaskSubmitted', data: mergeObjects(event.data, more) } : event;
      });
}

interface BorrowedWorktree {
  /** Null if the run was stopped while the worktree was being set up. */
  readonly workdir: string | null;
  readonly isBegun: boolean;
  /** Work of an earlier attempt, and why it could not be reused. */
  readonly left: SubmittedWork | null;
  readonly fault: string | null;
}

async function borrowWorktree(workspace: Workspace, { task, attempt, agent, stop }: TaskAttempt): Promise<BorrowedWorktree> {
  const found = agent.isPerson === true ? await findLeftoverWork(workspace, task, attempt) : NO_LEFTOVER;
  const { left, fault } = found;
  // Stopping the run may have caused the fault.
  if (stop.aborted && fault !== null) return { workdir: null, isBegun: false, left, fault };
  try {
    const kept = left?.commit ?? task.kept?.commit ?? null;
    const workdir = await workspace.lend(task.id, attempt, kept, task.seat);
    if (left !== null) await workspace.giveBack(task.id, found.attempt);
    return { workdir, isBegun: kept !== null, left, fault };
  } catch (error) {
    if (stop.aborted) return { workdir: null, isBegun: false, left, fault };
    throw error;
  }
}

interface LeftoverWork {
  readonly left: SubmittedWork | null;
  readonly attempt: number;
  readonly fault: string | null;
}

const NO_LEFTOVER: LeftoverWork = { left: null, attempt: 0, fault: null };

/**
 * Looks in the worktree of the last attempt that has one: after a crash it holds a person's only copy of their work. Later attempts may have
 * failed before they got a worktree. Work that cannot be read stays where it is.
 */
async function findLeftoverWork(workspace: Workspace, { id, reportedAttempt }: TaskState, now: number): Promise<LeftoverWork> {
  for (let attempt = now - 1; attempt > 0 && (attempt > reportedAttempt || attempt === now - 1); attempt--) {
    try {
      return { left: await workspace.keep(id, attempt), attempt, fault: null };
    } catch (error) {
      if (!isUmpireError(error)) throw error;
      if (error.code !== 'worktree-lost') return { left: null, attempt, fault: `Attempt ${attempt}: ${error.message}` };
    }
  }
  return NO_LEFTOVER;
}

interface TaskPlace {
  readonly workspace: Workspace;
  readonly workdir: string;
}

/** Collects the work of a writing task. If its worktree cannot be read, the task fails and the run continues. */
async function collect(ports: RunPorts, job: TaskAttempt, ending: Ending, { workspace, workdir }: TaskPlace): Promise<readonly Event[]> {
  const { task, attempt } = job;
  try {
    const title = task.row['title'] ?? task.id;
    // Unfinished work is kept: a task that asks continues from it, and people continue theirs.
    const isDone = ending.kind === 'completed';
    const work = isDone ? await workspace.submit(task.id, attempt, title) : await workspace.keep(task.id, attempt);
    const events = endEvents(ports, job, ending, work);
    await workspace.giveBack(task.id, attempt);
    const { started } = ports.journal.state.run as RunState;
    return work === null && changesCode(started)
      ? events.map((event) =>
          event.type === 'TaskFinished' ? { type: 'TaskFinished', data: mergeObjects(event.data, { unchanged: true as const }) } : event,
        )
      : events;
  } catch (error) {
    refuseFullDisk(job, [workdir]);
    // A quota or a file size limit does not show in the free space.
    if (!isUmpireError(error) || FULL.test(error.message)) throw error;
    // The inspection of the work was stopped with the run: the task runs again.
    if (error.code === 'retrial-stopped' && job.stop.aborted) return endEvents(ports, job, { kind: 'interrupted', ...usagePart(ending) });
    const isLost = error.code === 'worktree-lost';
    const rest = isLost ? '' : ` Its files stay in ${workdir} until you run umpire clean.`;
    const faulty = withFault(ending, `Its work could not be collected: ${error.message}${rest}`, isLost);
    return endEvents(ports, job, faulty).map(withoutWork);
  }
}

/** An agent that continues its conversation believes in its edits there: where they are gone, the next attempt begins anew and is told so. */
function withoutWork(event: Event): Event {
  if (event.type !== 'TaskInterrupted' && event.type !== 'TaskLimited' && event.type !== 'TaskPostponed') return event;
  const { conversation: _, ...data } = event.data;
  return { type: event.type, data: { ...data, lost: true } } as Event;
}

/** As the system and Umpire's own errors say it. */
const FULL = /No space left on device|disk is full|quota (?:exceeded|is used up)|File too large|file size limit/i;

/** A full disk is not the task's failure: the run stops, and the task runs again when it is resumed. */
function refuseFullDisk({ task }: TaskAttempt, folders: readonly string[]): void {
  const full = folders.find(isDiskFull);
  if (full !== undefined) throw new UmpireError('disk-full', { path: full, task: task.id });
}

/** A failed task keeps its own reason, and a stopped one runs again. If the worktree is gone, there is nothing to add. */
function withFault(ending: Ending, fault: string, isLost: boolean): Ending {
  const { kind } = ending;
  if (kind === 'completed' || kind === 'asked' || kind === 'blocked') return { kind: 'broken', reason: fault, usage: ending.usage };
  if (kind === 'interrupted' || isLost) return ending;
  return kind === 'broken' ? { ...ending, reason: `${ending.reason} ${fault}` } : { ...ending, error: `${ending.error} ${fault}` };
}

/** `work`: the changed files. Only completed work is submitted. */
function endEvents(ports: RunPorts, job: TaskAttempt, ending: Ending, work: SubmittedWork | null = null): readonly Event[] {
  const { attempt, stop } = job;
  const { id } = job.task;
  const talk = ending.conversation === undefined ? {} : { conversation: ending.conversation };
  switch (ending.kind) {
    case 'interrupted':
      // If it ran again at once, it could repeat this forever.
      if (!stop.aborted) return endEvents(ports, job, { kind: 'broken', reason: GAVE_UP, usage: ending.usage ?? NO_USAGE }, work);
      return [
        {
          type: 'TaskInterrupted',
          data: { task: id, attempt, why: String(stop.reason ?? 'stopped'), ...usagePart(ending), ...leftOf(work, job), ...talk },
        },
      ];
    case 'asked':
      return [{ type: 'TaskAsked', data: { task: id, attempt, question: ending.question, usage: ending.usage, ...work, ...talk } }];
    case 'blocked':
      return [{ type: 'TaskBlocked', data: { task: id, attempt, reason: ending.reason, usage: ending.usage, ...work, ...talk } }];
    case 'broken': {
      const { usage } = ending;
      // How long to wait before the next try; null if there is none.
      const { journal } = ports;
      const { task } = job;
      const { passing } = ending;

      const waitMs = passing === undefined ? null : retryDelay(journal.state.run as RunState, task, passing.afterMs);
      const left = { ...leftOf(work, job), ...talk };
      if (ending.limit !== undefined) {
        // A built-in critic may have called the agent.
        const agent = agentOfTask(ports.journal.state.run as RunState, job.task) ?? job.agent.name;
        const { resetsAtMs } = ending.limit;
        const resetsAt = resetsAtMs === null ? null : new Date(resetsAtMs).toISOString();
        return [{ type: 'TaskLimited', data: { task: id, attempt, agent, why: ending.reason, resetsAt, usage, ...left } }];
      }
      if (ending.cutOff === true && isCutOffWork(ports, job)) {
        const { left: unfinished } = left;
        if (goesOnAfter(countCutOff(task, unfinished)))
          return [{ type: 'TaskInterrupted', data: { task: id, attempt, why: ending.reason, usage, ...left, cutOff: true } }];
      }
      if (waitMs !== null) return [{ type: 'TaskPostponed', data: { task: id, attempt, why: ending.reason, waitMs, usage, ...left } }];
      const error = withRetryCount(ending, job.task);
      const outputs = emptyOutputs(ports, job.task);
      return [{ type: 'TaskFinished', data: { task: id, attempt, status: 'failed', findings: '', error, outputs, usage, ...left } }];
    }
    case 'completed':
    case 'failed': {
      const { kind, findings, error, outputs, usage } = ending;
      const data: TaskFinished = { task: id, attempt, status: kind, findings, error, outputs, usage, ...talk };
      const retrial = ports.retrialOf?.(id, attempt) ?? null;
      const reverted = ports.revertedOf?.(id, attempt) ?? null;
      const inspected = { ...(retrial === null ? {} : { retrial }), ...(reverted === null ? {} : { reverted }) };
      const result = withBreaches({ ...data, ...inspected }, ports.breachesOf?.(id, attempt) ?? []);
      if (work === null || kind === 'failed') return [{ type: 'TaskFinished', data: { ...result, ...leftOf(work, job) } }];
      return [{ type: 'TaskSubmitted', data: { ...result, commit: work.commit, files: work.files } }];
    }
  }
}

/** Critics have their own second attempt, and without a worktree there is no work that could go on. */
function isCutOffWork({ workspace, journal }: RunPorts, { task }: TaskAttempt): boolean {
  const run = journal.state.run as RunState;
  return workspace !== null && isWriter(run, task) && task.role !== run.started.critic;
}

function withRetryCount({ reason, passing }: Extract<Ending, { kind: 'broken' }>, { postponed }: TaskState): string {
  if (passing === undefined || postponed === 0) return reason;
  return `${reason} Umpire retried it ${postponed === 1 ? 'once' : `${postponed} times`}.`;
}

const MAX_LISTED_FILES = 50;

function leftOf(work: SubmittedWork | null, { agent }: TaskAttempt): { readonly left?: UnmergedWork } {
  if (work === null) return {};
  return {
    left: {
      commit: work.commit,
      files: work.files.slice(0, MAX_LISTED_FILES),
      ...(work.tree === undefined ? {} : { tree: work.tree }),
      ...(agent.isPerson === true ? { goesOn: true } : {}),
    },
  };
}

function usagePart({ usage }: Ending): { readonly usage?: Usage } {
  return usage === undefined ? {} : { usage };
}

/** Clears the outputs of an earlier attempt. */
function emptyOutputs({ journal }: RunPorts, { row }: TaskState): Readonly<Record<string, string>> {
  const { run, frozen } = journal.state;
  const outputs = frozen.get(run?.started.loop ?? '')?.rules.columns.out ?? [];
  return Object.fromEntries(outputs.filter((name) => (row[name] ?? '') !== '').map((name) => [name, '']));
}

/** Lengths from the formats of results and tasks.csv. */
export const MAX_FINDINGS = 500;
export const MAX_CELL = 2000;

/** `columns`: the loop's output columns. Other outputs are dropped. */
export function sanitizeEnding(ending: Ending, columns: readonly string[]): Ending {
  const { conversation } = ending;
  // What begins with a dash could become a flag of the agent's program.
  const isId = conversation !== undefined && /^[A-Za-z0-9]\P{Cc}{0,999}$/u.test(conversation);
  return { ...sanitizeKind(ending, columns), ...(isId ? { conversation } : {}) };
}

function sanitizeKind(ending: Ending, columns: readonly string[]): Ending {
  switch (ending.kind) {
    case 'interrupted':
      return ending.usage === undefined ? { kind: ending.kind } : { kind: ending.kind, usage: sanitizeUsage(ending.usage) };
    case 'asked':
      return { kind: ending.kind, question: sanitizeText(ending.question, MAX_CELL), usage: sanitizeUsage(ending.usage) };
    case 'blocked':
      return { kind: ending.kind, reason: sanitizeText(ending.reason, MAX_CELL), usage: sanitizeUsage(ending.usage) };
    case 'broken':
      return {
        kind: ending.kind,
        reason: sanitizeText(ending.reason, MAX_CELL),
        usage: sanitizeUsage(ending.usage),
        ...(ending.cutOff === true ? { cutOff: true as const } : {}),
        ...(ending.passing === undefined ? {} : { passing: { afterMs: positiveOrZero(ending.passing.afterMs ?? 0) || null } }),
        ...(ending.limit === undefined ? {} : { limit: { resetsAtMs: timeOrNull(ending.limit.resetsAtMs) } }),
      };
    case 'completed':
    case 'failed': {
      const given = columns.filter((name) => Object.hasOwn(ending.outputs, name));
      return {
        kind: ending.kind,
        findings: sanitizeText(ending.findings, MAX_FINDINGS),
        error: sanitizeText(ending.error, MAX_CELL),
        outputs: Object.fromEntries(given.map((name) => [name, sanitizeText(ending.outputs[name], MAX_CELL)])),
        usage: sanitizeUsage(ending.usage),
      };
    }
  }
}

/** A lone surrogate would become another character once written to a file. */
function sanitizeText(text: string | undefined, most: number): string {
  return (text ?? '').slice(0, most).replace(/\p{Cs}/gu, '\ufffd');
}

function sanitizeUsage({ tokens, costUsd, unknown = [] }: Usage): Usage {
  return { tokens: positiveOrZero(tokens), costUsd: positiveOrZero(costUsd), ...(unknown.length === 0 ? {} : { unknown }) };
}

/** The year 2100 and later is no reset of a plan, and far enough no date. */
const LAST_TIME_MS = 4_102_444_800_000;

function timeOrNull(ms: number | null): number | null {
  return ms !== null && ms > 0 && ms < LAST_TIME_MS ? ms : null;
}

function positiveOrZero(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

type CriticFields = Pick<TaskFinished, 'evidence' | 'measured' | 'measuredFiles' | 'damage' | 'unmeasured'>;

function measurementOf(ending: Ending): CriticFields {
  if (ending.kind !== 'completed' && ending.kind !== 'failed') return {};
  const { measured, damage, unmeasured } = ending;
  if (unmeasured !== undefined) return { unmeasured: sanitizeText(unmeasured, MAX_FINDINGS) };
  if (measured === undefined) return {};
  return { measured: true, measuredFiles: filesOfTools(measured), ...(damage === undefined ? {} : { damage }) };
}

/** Puts the guard's findings before the agent's own: whoever continues the work reads them first. */
export function withBreaches(data: TaskFinished, breaches: readonly Breach[]): TaskFinished {
  if (breaches.length === 0) return data;
  const words = [breachSentences(breaches), data.findings];
  return { ...data, findings: sanitizeText(words.join(' ').trim(), MAX_FINDINGS), breaches };
}

/** Explains a merge conflict. */
export function describeConflict(run: RunState, id: string, commit: string, files: readonly string[]): string {
  return `Its changes to ${files.slice(0, 8).join(', ')} conflict with ${otherSide(run, id, files)}. They are kept as commit ${commit.slice(0, 12)}.`;
}

/** The tasks of the same wave that changed these files first. */
function otherSide(run: RunState, id: string, files: readonly string[]): string {
  const wanted = new Set(files);
  const wave = findTask(run, id)?.wave;
  const others = run.tasks.filter((task) => task.id !== id && task.wave === wave && task.files.some((file) => wanted.has(file)));
  return others.length === 0 ? 'earlier merged work' : `the merged work of ${others.map((task) => task.id).join(', ')}`;
}
