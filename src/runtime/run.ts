// Runs a session: asks the brain what is pending, does it, records what happened, and again, until nothing is left to do or a
// person is needed. It decides nothing; starting, going on after a crash and after an answer are this same loop.

import { isUmpireError } from '../errors.js';
import { NO_USAGE, type Agent, type Ending, type Workspace } from '../ports.js';
import { pending, type Effect } from '../brain/pending.js';
import { questionOf } from '../brain/question.js';
import type { Breach, Question, TaskFinished } from '../brain/run-messages.js';
import { taskIn, type RunState, type TaskState } from '../brain/run-state.js';
import type { Event } from '../brain/messages.js';
import { assign } from './assignment.js';
import { Turns } from './clock.js';
import { recordRuling } from './court.js';
import type { Ruling } from './court.js';
import type { Desk } from './desk.js';
import { conflictWords, plainEnding, withBreaches, withEvidence } from './ending.js';
import { onAbort } from './hearers.js';
import type { Journal } from './journal-writer.js';
import { showAfterMs, type Neighbours } from './neighbours.js';

export interface RunPorts {
  readonly session: string;
  readonly journal: Journal;
  readonly desk: Desk;
  readonly judge: (task: string) => Ruling;
  /** What a critic that has just ended left behind: kept, by path and hash. Null for others. */
  readonly takeEvidence: (
    task: string,
    role: string,
    measured: ReadonlyMap<string, Uint8Array> | undefined,
  ) => Readonly<Record<string, string | null>> | null;
  readonly agentFor: (role: string) => Agent;
  /** Null where the loop changes no project. */
  readonly workspace: Workspace | null;
  /** What the guard found in the work that a task has just submitted. */
  readonly breachesOf?: (task: string, attempt: number) => readonly Breach[];
  /** Ends processes that tasks left running: called between waves, when none is at work. */
  readonly endStrays: () => void;
  /** Tells a person that one is needed. */
  readonly call: (question: Question) => Promise<string>;
  /** Aborted: children are ended, what happened is recorded, and the run stops. */
  readonly signal: AbortSignal;
  readonly neighbours: Neighbours;
  readonly nowMs: () => number;
  /** Calls back after so many milliseconds, unless cancelled. */
  readonly after: (ms: number, act: () => void) => () => void;
}

type Submitted = NonNullable<Awaited<ReturnType<Workspace['submit']>>>;

const GAVE_UP = 'The agent said that it was stopped, and nobody stopped it.';

export async function runSession(ports: RunPorts): Promise<void> {
  const session = new Running(ports);
  try {
    await session.loop();
  } finally {
    await session.stop();
  }
}

class Running {
  private readonly jobs = new Map<string, Promise<void>>();
  private readonly halt = new AbortController();
  private ended: Event[][] = [];
  private fault: { readonly error: unknown } | null = null;
  private wake: () => void = () => undefined;
  private shownWave = -1;
  private shownRun: unknown = null;
  private shownMs: number;
  private isStale = false;
  private hasReaders = false;
  private cancelTimer: () => void = () => undefined;
  private readonly unhear: () => void;

  constructor(private readonly ports: RunPorts) {
    const { signal } = ports;
    this.shownMs = ports.nowMs();
    if (signal.aborted) this.halt.abort('stopped');
    this.unhear = onAbort(signal, () => this.halt.abort('stopped'));
  }

  private get run(): RunState {
    return this.ports.journal.state.run as RunState;
  }

  async loop(): Promise<void> {
    const { journal } = this.ports;
    const turns = new Turns(this.ports);
    this.watchTime();
    for (;;) {
      const effects = pending(journal.state).filter(({ type }) => this.isAllowed(type));
      const [first] = effects;
      if (first === undefined && this.jobs.size === 0 && this.ended.length === 0) break;
      if (first?.type === 'RunTask') {
        const starts = effects.filter((effect) => effect.type === 'RunTask');
        if (await this.openWave(starts.map(({ task }) => task))) continue;
        await this.startTasks(starts);
      } else if (first !== undefined) {
        if (first.type === 'CallPerson' || first.type === 'EndSession') {
          // What lies in the worktree while nobody is at work there counts as a person's.
          await this.sweep();
          if (this.takeEdits()) continue;
        }
        // Made durable with what follows: nobody outside has heard of it yet.
        for (const effect of effects) await this.perform(effect);
        continue;
      }
      journal.flush();
      if (turns.isDue()) await turns.pass();
      await this.nextEnding();
    }
    await this.sweep();
    await this.show();
  }

  /** While it stops, what is done is put in order and nothing new is begun. Where only the minutes are spent, a person is called. */
  private isAllowed(type: Effect['type']): boolean {
    if (!this.halt.signal.aborted) return true;
    return this.ports.signal.aborted ? type === 'MergeTask' : type !== 'RunTask';
  }

  async stop(): Promise<void> {
    this.cancelTimer();
    this.unhear();
    if (this.jobs.size === 0) return;
    this.halt.abort('stopped');
    await Promise.allSettled(this.jobs.values());
  }

  /** When the minutes are spent, what runs is stopped, to be run again once more are granted. */
  private watchTime(): void {
    const { maxMinutes } = this.run.settings;
    if (maxMinutes === null) return;
    const left = maxMinutes * 60_000 - this.run.activeMs;
    this.cancelTimer = this.ports.after(Math.max(0, Math.ceil(left)) + 1, () => this.halt.abort('the minutes are spent'));
  }

  /** Before the first task of a wave: a person's edits are taken up and the folder is brought up to date. True: something changed. */
  private async openWave(tasks: readonly string[]): Promise<boolean> {
    if (this.shownWave === this.run.wave && this.shownRun === this.ports.journal.state.verdicts) return false;
    const { agentFor } = this.ports;
    if (this.jobs.size === 0) this.ports.endStrays();
    await this.sweep();
    // Edits that were made while nobody ran the session are taken up before its first wave, whoever is at work in it.
    const isFirst = this.shownWave === -1;
    this.shownWave = this.run.wave;
    this.shownRun = this.ports.journal.state.verdicts;
    const isRead = tasks.some((id) => agentFor(taskIn(this.run, id)?.role ?? '').inProcess !== true);
    const isDue = isRead || this.isBehind();
    if (!isDue && !isFirst) return false;
    const changed = this.takeEdits();
    if (changed) await this.show();
    this.isStale = isDue;
    return changed;
  }

  /** What a person changed in tasks.csv: also before it rests or ends, since there may be more to do. True: something changed. */
  private takeEdits(): boolean {
    const edits = this.ports.desk.readEdit();
    this.ports.journal.record(...edits);
    return edits.length > 0;
  }

  private isBehind(): boolean {
    return this.ports.nowMs() >= this.shownMs + showAfterMs(this.ports.neighbours);
  }

  /** Waited for where others are at work, in this session or beside it. Alone, the quickest way is not to wait. */
  private async makeDurable(): Promise<void> {
    const { journal, neighbours } = this.ports;
    if (this.jobs.size > 0 || neighbours.count() > 1) await journal.settle();
    else journal.flush();
  }

  private async show(): Promise<void> {
    const { journal, desk, nowMs } = this.ports;
    await this.makeDurable();
    journal.record(...desk.show());
    // Where it is lost with the power, as what it tells of may be, that is written again.
    journal.flush(false);
    this.shownMs = nowMs();
    this.isStale = false;
  }

  private async perform(effect: Effect): Promise<void> {
    const { journal, call } = this.ports;
    switch (effect.type) {
      case 'RunTask':
        return;
      case 'SkipTask':
        journal.record({ type: 'TaskSkipped', data: { task: effect.task, reason: effect.reason } });
        return;
      case 'MergeTask':
        await this.merge(effect.task);
        return;
      case 'JudgeCritic':
        await this.judge(effect.task);
        return;
      case 'RevertWork':
        await this.revert(effect.verdict, effect.tasks);
        return;
      case 'ApprovePlan':
        journal.record({
          type: 'PersonAnswered',
          data: { key: effect.key, answer: 'approve', reason: '', rounds: 0, costUsd: 0, minutes: 0, tokens: 0, by: '--yes' },
        });
        return;
      case 'CallPerson': {
        await this.show();
        const by = await call(effect.question);
        journal.record({ type: 'PersonCalled', data: { key: effect.question.key, by } });
        return;
      }
      case 'EndSession': {
        const { outcome, unverified, reason } = effect;
        journal.record({ type: 'SessionEnded', data: { outcome, unverified, reason } });
        return;
      }
    }
  }

  /** An agent is called once the journal knows of it, so that no attempt is ever made twice. */
  private async startTasks(starts: readonly { readonly task: string; readonly attempt: number }[]): Promise<void> {
    const { journal, agentFor } = this.ports;
    const called = starts.map(({ task: id, attempt }) => {
      const task = taskIn(this.run, id) as TaskState;
      return { task, attempt, agent: agentFor(task.role) };
    });
    for (const { task, attempt, agent } of called)
      journal.record({ type: 'TaskStarted', data: { task: task.id, attempt, agent: agent.name } });
    // Agents find the folder as it stands, with themselves at work. In a long wave it follows now and then.
    const isRead = called.some(({ agent }) => agent.inProcess !== true);
    if (this.isStale || (isRead && this.isBehind())) await this.show();
    else await this.makeDurable();
    for (const { task, attempt, agent } of called) this.launch(task, attempt, agent);
  }

  private launch(task: TaskState, attempt: number, agent: Agent): void {
    this.jobs.set(task.id, this.follow(task, attempt, agent));
  }

  /** Never rejects: what goes wrong is kept for the loop. */
  private async follow(task: TaskState, attempt: number, agent: Agent): Promise<void> {
    try {
      // Not in one line: which list it goes to is settled when it has ended, not before.
      const events = await this.runTask(task, attempt, agent);
      this.ended.push([...events]);
    } catch (error) {
      this.fault ??= { error };
    }
    this.jobs.delete(task.id);
    this.wake();
  }

  private async runTask(task: TaskState, attempt: number, agent: Agent): Promise<readonly Event[]> {
    const { workspace, desk, session, journal } = this.ports;
    const writes = workspace !== null && this.run.started.writers.includes(task.role);
    if (workspace !== null && !writes) this.hasReaders = true;
    const workdir = workspace === null ? session : writes ? await this.lend(workspace, task, attempt) : await workspace.visit();
    if (workdir === null) return this.conclude(task, attempt, { kind: 'interrupted' });
    const assignment = assign({ state: journal.state, task, attempt, session, workdir, writes, roleText: desk.roleText(task.role) });
    const watch = { signal: this.halt.signal, log: desk.logFor(task.id, attempt) };
    const ending = this.halt.signal.aborted ? ({ kind: 'interrupted' } as const) : await agent.run(assignment, watch);
    const measured = 'measured' in ending ? ending.measured : undefined;
    const evidence = ending.kind === 'interrupted' ? null : this.ports.takeEvidence(task.id, task.role, measured);
    const plain = plainEnding(ending, assignment.outputs);
    const events = writes ? await this.collect(task, attempt, plain, workspace) : this.conclude(task, attempt, plain);
    return evidence === null ? events : events.map((event) => withEvidence(event, evidence, measured !== undefined));
  }

  /** What a writing task did. One that left its worktree in no state to be read has failed; the run goes on. */
  private async collect(task: TaskState, attempt: number, ending: Ending, workspace: Workspace): Promise<readonly Event[]> {
    try {
      const title = task.row['title'] ?? task.id;
      // What a task did before it asks is there when it goes on.
      const kept = ending.kind === 'asked' ? await workspace.keep(task.id, attempt) : null;
      const submitted = ending.kind === 'completed' ? await workspace.submit(task.id, attempt, title) : kept;
      const events = this.conclude(task, attempt, ending, submitted);
      await workspace.giveBack(task.id, attempt);
      return events;
    } catch (error) {
      if (!isUmpireError(error)) throw error;
      const reason = `Its work could not be collected: ${error.message}`;
      return this.conclude(task, attempt, { kind: 'broken', reason, usage: 'usage' in ending ? ending.usage : NO_USAGE });
    }
  }

  /** Null where the run was stopped while the worktree was being set up. */
  private async lend(workspace: Workspace, task: TaskState, attempt: number): Promise<string | null> {
    try {
      return await workspace.lend(task.id, attempt, task.kept);
    } catch (error) {
      if (this.halt.signal.aborted) return null;
      throw error;
    }
  }

  private conclude(task: TaskState, attempt: number, ending: Ending, submitted: Submitted | null = null): readonly Event[] {
    const { id } = task;
    switch (ending.kind) {
      case 'interrupted':
        // Run again at once, it could say so for ever.
        if (!this.halt.signal.aborted) return this.conclude(task, attempt, { kind: 'broken', reason: GAVE_UP, usage: NO_USAGE });
        return [{ type: 'TaskInterrupted', data: { task: id, attempt, why: String(this.halt.signal.reason ?? 'stopped') } }];
      case 'asked':
        return [{ type: 'TaskAsked', data: { task: id, attempt, question: ending.question, usage: ending.usage, ...submitted } }];
      case 'broken': {
        const { reason: error, usage } = ending;
        const data: TaskFinished = { task: id, attempt, status: 'failed', findings: '', error, outputs: this.blank(task), usage };
        return [{ type: 'TaskFinished', data }];
      }
      case 'completed':
      case 'failed': {
        const { kind, findings, error, outputs, usage } = ending;
        const data: TaskFinished = { task: id, attempt, status: kind, findings, error, outputs, usage };
        const told = withBreaches(data, this.ports.breachesOf?.(id, attempt) ?? []);
        if (submitted === null) return [{ type: 'TaskFinished', data: told }];
        return [{ type: 'TaskSubmitted', data: { ...told, commit: submitted.commit, files: submitted.files } }];
      }
    }
  }

  /** What an earlier run of the task handed in is not this one's. */
  private blank({ row }: TaskState): Readonly<Record<string, string>> {
    const { state } = this.ports.journal;
    const outputs = state.frozen.get(this.run.started.loop)?.rules.columns.out ?? [];
    return Object.fromEntries(outputs.filter((name) => (row[name] ?? '') !== '').map((name) => [name, '']));
  }

  /** Waits until a task ends, and records all that have ended by then. */
  private async nextEnding(): Promise<void> {
    if (this.ended.length === 0 && this.fault === null && this.jobs.size > 0) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    const ended = this.ended;
    this.ended = [];
    for (const events of ended) this.ports.journal.record(...events);
    if (this.fault !== null) {
      this.ports.journal.flush();
      throw this.fault.error;
    }
  }

  private async merge(id: string): Promise<void> {
    const { workspace, journal } = this.ports;
    const data = taskIn(this.run, id)?.submitted;
    if (data === undefined || data === null || data.commit === undefined || workspace === null)
      throw new Error(`${id} has nothing to merge.`);
    await this.sweep();
    // What is on the branch must be known: else a crash would have the task done again on top of its own work.
    journal.flush();
    const merged = await workspace.merge(id, data.commit);
    if (merged.ok) {
      journal.record({ type: 'TaskFinished', data: { ...data, usage: NO_USAGE, head: merged.head, files: data.files ?? merged.files } });
      return;
    }
    const error = conflictWords(this.run, id, data.commit, merged.files);
    const { task, attempt, findings, outputs, commit } = data;
    journal.record({ type: 'TaskFinished', data: { task, attempt, findings, outputs, status: 'failed', error, usage: NO_USAGE, commit } });
  }

  private async judge(task: string): Promise<void> {
    const { journal, desk, judge } = this.ports;
    await this.sweep();
    const ruling = judge(task);
    if (ruling.ok) desk.keepBlobs(ruling.blobs);
    recordRuling(journal, task, taskIn(this.run, task)?.attempt ?? 0, ruling);
  }

  private async revert(verdict: number, tasks: readonly string[]): Promise<void> {
    const { workspace, journal } = this.ports;
    // Work that conflicted has a commit too, but it was never merged.
    const merged = tasks.map((id) => taskIn(this.run, id)).filter((task) => task?.status === 'completed');
    const commits = merged.map((task) => task?.commit ?? null).filter((commit) => commit !== null);
    const reverted =
      workspace === null || commits.length === 0
        ? null
        : await workspace.revert(commits.toReversed(), `The cycle of ${tasks.join(', ')} made things worse`);
    const head = reverted?.ok === true ? reverted.head : null;
    journal.record({ type: 'WorkReverted', data: { verdict, tasks, head, files: reverted?.files ?? [], ok: reverted?.ok ?? true } });
  }

  /** What tasks that only read have changed is thrown away, before anything builds on it. */
  private async sweep(): Promise<void> {
    const { workspace, journal } = this.ports;
    if (workspace === null || !this.hasReaders || this.jobs.size > 0 || questionOf(this.run)?.kind === 'edit') return;
    this.hasReaders = false;
    const files = await workspace.sweep();
    if (files.length > 0) journal.record({ type: 'StrayChanges', data: { wave: this.run.wave, files: files.slice(0, 50) } });
  }
}
