// Runs a session: asks the brain what is pending, does it, records what happened, and again, until nothing is left to do or a
// person is needed. It decides nothing; starting, going on after a crash and after an answer are this same loop.

import { NO_USAGE, type Agent } from '@umpire/core/ports.js';
import { pendingEffects, type Effect } from '@umpire/core/decider/pending-effects.js';
import { LONGEST_WAIT_MS } from '@umpire/core/decider/retry-delay.js';
import { currentQuestion } from '@umpire/core/decider/question.js';
import { findTask, type RunState, type TaskState } from '@umpire/core/decider/run-state.js';
import type { Event } from '@umpire/core/decider/events.js';
import { Turns } from './clock.js';
import { recordRuling } from './court.js';
import { conflictWords } from './ending.js';
import { onAbort } from './abort-listeners.js';
import { doTask, isWriter } from './job.js';
import { showAfterMs } from './concurrent-sessions.js';
import type { RunPorts } from './run-ports.js';

/** A process that is at work says so at least this often: what it is killed in the middle of has taken no more time than the journal knows. */
const QUIET_MS = 60_000;

type Wait = Extract<Effect, { readonly type: 'AwaitTask' }>;

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
      const effects = pendingEffects(journal.state).filter(({ type }) => this.isAllowed(type));
      const [first] = effects;
      if (first === undefined && this.jobs.size === 0 && this.ended.length === 0) {
        // Who was called and comes back may have added what does not hang on the answer.
        if (this.run.ended === null && !this.halt.signal.aborted && this.takeEdits()) continue;
        break;
      }
      const waits = effects.filter((effect) => effect.type === 'AwaitTask');
      if (first?.type === 'RunTask') {
        const starts = effects.filter((effect) => effect.type === 'RunTask');
        if (await this.openWave(starts.map(({ task }) => task))) continue;
        await this.startTasks(starts);
      } else if (first !== undefined && first.type !== 'AwaitTask') {
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
      await this.nextEnding(waits);
    }
    // Stopped in a pause: no task ends by that.
    if (this.ports.signal.aborted && this.run.ended === null && this.run.waiting.size > 0) this.countTime();
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
    if (this.shownWave === this.run.front && this.shownRun === this.ports.journal.state.verdicts) return false;
    const { agentFor } = this.ports;
    if (this.jobs.size === 0) this.ports.endStrays();
    await this.sweep();
    // Edits that were made while nobody ran the session are taken up before its first wave, whoever is at work in it.
    const isFirst = this.shownWave === -1;
    this.shownWave = this.run.front;
    this.shownRun = this.ports.journal.state.verdicts;
    const isRead = tasks.some((id) => agentFor(findTask(this.run, id)?.role ?? '').inProcess !== true);
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
      case 'AwaitTask':
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
        const tell = this.ports.tellsEnd === true && outcome !== 'aborted' ? ({ tell: true } as const) : {};
        journal.record({ type: 'SessionEnded', data: { outcome, unverified, reason, ...tell } });
        return;
      }
    }
  }

  /** An agent is called once the journal knows of it, so that no attempt is ever made twice. */
  private async startTasks(starts: readonly { readonly task: string; readonly attempt: number }[]): Promise<void> {
    const { journal, agentFor } = this.ports;
    const called = starts.map(({ task: id, attempt }) => {
      const task = findTask(this.run, id) as TaskState;
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
    if (this.ports.workspace !== null && !isWriter(this.run, task)) this.hasReaders = true;
    this.jobs.set(task.id, this.follow(task, attempt, agent));
  }

  /** Never rejects: what goes wrong is kept for the loop. */
  private async follow(task: TaskState, attempt: number, agent: Agent): Promise<void> {
    try {
      // Not in one line: which list it goes to is settled when it has ended, not before.
      const events = await doTask(this.ports, { task, attempt, agent, halt: this.halt.signal });
      this.ended.push([...events]);
    } catch (error) {
      this.fault ??= { error };
    }
    this.jobs.delete(task.id);
    this.wake();
  }

  /** Waits until a task ends or one that was put off is due, and records all that have ended by then. */
  private async nextEnding(waits: readonly Wait[]): Promise<void> {
    if (this.ended.length === 0 && this.fault === null && this.jobs.size + waits.length > 0) await this.nextNews(waits);
    const ended = this.ended;
    this.ended = [];
    for (const events of ended) this.ports.journal.record(...events);
    if (this.fault !== null) {
      this.ports.journal.flush();
      throw this.fault.error;
    }
  }

  private async nextNews(waits: readonly Wait[]): Promise<void> {
    // Nobody is at work, and that may take a while: the folder says so meanwhile.
    if (this.jobs.size === 0) {
      await this.sweep();
      await this.show();
    }
    const { journal, nowMs, after, signal } = this.ports;
    // Stopped meanwhile: who takes the session on waits for what is left.
    if (signal.aborted && this.jobs.size === 0) return;
    const left = (wait: Wait) => wait.untilMs - nowMs();
    // Where the minutes are spent there is nothing to wait for; one that is longer than any tells of a clock that was set back.
    const isSpent = this.halt.signal.aborted && !signal.aborted;
    const isOver = (wait: Wait) => isSpent || left(wait) <= 0 || left(wait) > LONGEST_WAIT_MS;
    let over = waits.filter(isOver);
    if (over.length === 0) {
      const soonest = Math.min(...waits.map(({ untilMs }) => untilMs));
      const undo: (() => void)[] = [];
      let isQuiet = false;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        const wakeAfter = (ms: number, act: () => void) => {
          const cancel = after(ms, () => {
            act();
            resolve();
          });
          undo.push(cancel);
        };
        wakeAfter(QUIET_MS, () => (isQuiet = true));
        if (waits.length === 0) return;
        // Waited out, whatever a clock says that stands still or was set back meanwhile.
        wakeAfter(soonest - nowMs(), () => (over = waits.filter(({ untilMs }) => untilMs === soonest)));
        undo.push(onAbort(this.halt.signal, resolve));
      });
      for (const act of undo) act();
      if (isQuiet) this.countTime();
    }
    for (const { task } of over) journal.record({ type: 'WaitEnded', data: { task } });
  }

  /** The time since the last line counts as spent, also where the next one is another process's. */
  private countTime(): void {
    this.ports.journal.record({ type: 'TimePassed', data: { atWork: this.jobs.size, waiting: this.run.waiting.size } });
  }

  private async merge(id: string): Promise<void> {
    const { workspace, journal } = this.ports;
    const data = findTask(this.run, id)?.submitted;
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
    recordRuling(journal, task, findTask(this.run, task)?.attempt ?? 0, ruling);
  }

  private async revert(verdict: number, tasks: readonly string[]): Promise<void> {
    const { workspace, journal } = this.ports;
    // Work that conflicted has a commit too, but it was never merged.
    const merged = tasks.map((id) => findTask(this.run, id)).filter((task) => task?.status === 'completed');
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
    if (workspace === null || !this.hasReaders || this.jobs.size > 0 || currentQuestion(this.run)?.kind === 'edit') return;
    this.hasReaders = false;
    const files = await workspace.sweep();
    if (files.length > 0) journal.record({ type: 'StrayChanges', data: { wave: this.run.front, files: files.slice(0, 50) } });
  }
}
