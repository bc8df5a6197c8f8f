// Runs a session on this machine: lets the conductor do what is pending, starts the tasks that are left, records how they end, and repeats
// until nothing is left or a person is needed. Starting, resuming after a crash and continuing after an answer are the same loop.

import type { Effect } from '@umpire/core/decider/pending-effects.js';
import { agentOfTask } from '@umpire/core/decider/agent-choice.js';
import { findTask, type RunState, type TaskState } from '@umpire/core/decider/run-state.js';
import type { Event } from '@umpire/core/decider/events.js';
import { Conductor } from './conduct.js';
import { runTask, isWriter } from './run-task.js';
import type { StartedAttempt } from './run-task.js';
import { onAbort } from './abort-listeners.js';
import type { RunPorts } from './run-ports.js';
import { showAfterMs } from './run-ports.js';

/** A running session writes a journal line at least this often, so that a kill loses at most this much of the spent time. */
const HEARTBEAT_MS = 60_000;
/** Timers and signals get their turn this often in a run that otherwise never waits. */
const MAX_MS_WITHOUT_BREAK = 100;

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
  private readonly running = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private ended: Event[][] = [];
  private fault: { readonly error: unknown } | null = null;
  private wake: () => void = () => undefined;
  private shownWave = -1;
  private shownRun: unknown = null;
  private shownMs: number;
  private readonly dues = new Map<string, { readonly untilMs: number; readonly dueMs: number }>();
  private isStale = false;
  private cancelTimer: () => void = () => undefined;
  private readonly removeAbortListener: () => void;
  private readonly conductor: Conductor;

  constructor(private readonly ports: RunPorts) {
    const { signal } = ports;
    this.conductor = new Conductor({ ...ports, makeDurable: () => this.makeDurable(), atWork: () => this.running.size });
    this.shownMs = ports.elapsedMs();
    if (signal.aborted) this.stopping.abort('stopped');
    this.removeAbortListener = onAbort(signal, () => this.stopping.abort('stopped'));
  }

  private get run(): RunState {
    return this.ports.journal.state.run as RunState;
  }

  async loop(): Promise<void> {
    const { journal, elapsedMs, after } = this.ports;
    let brokeOffMs = elapsedMs();
    // When the minutes are exceeded, running tasks are stopped. They run again once more minutes are granted.
    const { maxMinutes } = this.run.settings;
    if (maxMinutes !== null) {
      const leftMs = Math.max(0, Math.ceil(maxMinutes * 60_000 - this.run.activeMs));
      this.cancelTimer = after(leftMs + 1, () => this.stopping.abort('time limit exceeded'));
    }
    for (;;) {
      const effects = await this.conductor.advance((type) => this.isAllowed(type));
      const [first] = effects;
      if (first === undefined && this.running.size === 0 && this.ended.length === 0) {
        // A person who was called may have added tasks that do not depend on the answer.
        if (this.run.ended === null && !this.stopping.signal.aborted && this.conductor.takeEdits()) continue;
        break;
      }
      const waits = effects.filter((effect) => effect.type === 'AwaitTask');
      if (first?.type === 'RunTask') {
        const starts = effects.filter((effect) => effect.type === 'RunTask');
        if (await this.openWave(starts.map(({ task }) => task))) continue;
        await this.startTasks(starts);
      }
      journal.flush();
      if (elapsedMs() - brokeOffMs > MAX_MS_WITHOUT_BREAK) {
        await new Promise<void>((resolve) => void after(0, resolve));
        brokeOffMs = elapsedMs();
      }
      await this.nextEnding(waits);
    }
    // Stopped while it only waited: no task records the time.
    if (this.ports.signal.aborted && this.run.ended === null && this.run.waiting.size > 0) this.countTime();
    await this.conductor.sweep();
    await this.show();
  }

  /** While it stops, finished work is merged and nothing new starts. If only the minutes are exceeded, a person is called. */
  private isAllowed(type: Effect['type']): boolean {
    if (!this.stopping.signal.aborted) return true;
    return this.ports.signal.aborted ? type === 'MergeTask' : type !== 'RunTask';
  }

  async stop(): Promise<void> {
    this.cancelTimer();
    this.removeAbortListener();
    if (this.running.size === 0) return;
    this.stopping.abort('stopped');
    await Promise.allSettled(this.running.values());
  }

  /** Before the first task of a wave: reads a person's edits and updates the folder. True if an edit changed something. */
  private async openWave(tasks: readonly string[]): Promise<boolean> {
    if (this.shownWave === this.run.front && this.shownRun === this.ports.journal.state.verdicts) return false;
    const { agentFor } = this.ports;
    if (this.running.size === 0) this.ports.endStrays();
    await this.conductor.sweep();
    // Edits made while the session was not running count before its first wave, whichever agents run.
    const isFirst = this.shownWave === -1;
    this.shownWave = this.run.front;
    this.shownRun = this.ports.journal.state.verdicts;
    const isRead = tasks.some((id) => {
      const task = findTask(this.run, id) as TaskState;
      return agentFor(task.role, agentOfTask(this.run, task)).inProcess !== true;
    });
    const isDue = isRead || this.isBehind();
    if (!isDue && !isFirst) return false;
    const changed = this.conductor.takeEdits();
    if (changed) await this.show();
    this.isStale = isDue;
    return changed;
  }

  private isBehind(): boolean {
    return this.ports.elapsedMs() >= this.shownMs + showAfterMs(this.ports.concurrent);
  }

  /** Asynchronous if other tasks or sessions are running. If not, a synchronous write is fastest. */
  private async makeDurable(): Promise<void> {
    const { journal, concurrent } = this.ports;
    if (this.running.size > 0 || concurrent.count() > 1) await journal.settle();
    else journal.flush();
  }

  private async show(): Promise<void> {
    await this.conductor.show();
    this.shownMs = this.ports.elapsedMs();
    this.isStale = false;
  }

  /** The journal knows of an attempt before its agent is called, so that no attempt runs twice. */
  private async startTasks(starts: readonly Extract<Effect, { type: 'RunTask' }>[]): Promise<void> {
    const { journal, agentFor } = this.ports;
    const called = starts.map(({ task: id, attempt, agent, conversation }) => {
      const task = findTask(this.run, id) as TaskState;
      return { task, attempt, agent: agentFor(task.role, agent), conversation };
    });
    for (const { task, attempt, agent, conversation } of called) {
      const continued = conversation === null ? {} : { conversation };
      journal.record({ type: 'TaskStarted', data: { task: task.id, attempt, agent: agent.name, ...continued } });
    }
    // Agents that read the folder find it up to date, with themselves running. In a long wave it is updated now and then.
    const isRead = called.some(({ agent }) => agent.inProcess !== true);
    if (this.isStale || (isRead && this.isBehind())) await this.show();
    else await this.makeDurable();
    for (const attempt of called) {
      if (this.ports.workspace !== null && !isWriter(this.run, attempt.task)) this.conductor.hasReaders = true;
      this.running.set(attempt.task.id, this.follow(attempt));
    }
  }

  /** Never rejects: the loop throws the error later. */
  private async follow(started: StartedAttempt): Promise<void> {
    try {
      // Two statements: `this.ended` may be replaced while the task runs.
      const events = await runTask(this.ports, { ...started, stop: this.stopping.signal });
      this.ended.push([...events]);
    } catch (error) {
      this.fault ??= { error };
    }
    this.running.delete(started.task.id);
    this.wake();
  }

  /** Waits until a task ends or a postponed one is due, and records all that have ended by then. */
  private async nextEnding(waits: readonly Wait[]): Promise<void> {
    if (this.ended.length === 0 && this.fault === null && this.running.size + waits.length > 0) await this.waitForNews(waits);
    const ended = this.ended;
    this.ended = [];
    for (const events of ended) this.ports.journal.record(...events);
    if (this.fault !== null) {
      this.ports.journal.flush();
      throw this.fault.error;
    }
  }

  private async waitForNews(waits: readonly Wait[]): Promise<void> {
    // No task runs, and the pause may be long: the folder should show it.
    if (this.running.size === 0) {
      await this.conductor.sweep();
      await this.show();
    }
    const { journal, elapsedMs, after, signal } = this.ports;
    // Stopped: the process that resumes the session waits for the rest.
    if (signal.aborted && this.running.size === 0) return;
    const dues = waits.map((wait) => this.dueMs(wait));
    // With the minutes exceeded there is nothing to wait for.
    const isOutOfTime = this.stopping.signal.aborted && !signal.aborted;
    let over = waits.filter((_, at) => isOutOfTime || (dues[at] as number) <= elapsedMs());
    if (over.length === 0) {
      const soonest = Math.min(...dues);
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
        wakeAfter(HEARTBEAT_MS, () => (isQuiet = true));
        if (waits.length === 0) return;
        wakeAfter(soonest - elapsedMs(), () => (over = waits.filter((_, at) => dues[at] === soonest)));
        undo.push(onAbort(this.stopping.signal, resolve));
      });
      for (const act of undo) act();
      if (isQuiet) this.countTime();
    }
    for (const { task } of over) journal.record({ type: 'WaitEnded', data: { task } });
  }

  /**
   * When a wait ends, by the monotonic clock. The journal has the time of day, since another process may continue the wait; it is compared
   * with the clock once. A wait longer than the maximum means that the clock was set back.
   */
  private dueMs({ task, untilMs, mostMs }: Wait): number {
    const { nowMs, elapsedMs } = this.ports;
    const known = this.dues.get(task);
    if (known?.untilMs === untilMs) return known.dueMs;
    const left = untilMs - nowMs();
    const dueMs = elapsedMs() + (left > mostMs ? 0 : left);
    this.dues.set(task, { untilMs, dueMs });
    return dueMs;
  }

  /** Counts the time since the last line as spent, even if another process writes the next line. */
  private countTime(): void {
    this.ports.journal.record({ type: 'TimePassed', data: { atWork: this.running.size, waiting: this.run.waiting.size } });
  }
}
