// Checks of automatic retries, from the events alone: no more retries than the settings allow, over all processes, and none before
// its pause is over.

import type { Recorded } from '@umpire/core/decider/events.js';
import { Broken } from './sim-world.js';

type DataOf<T> = Extract<Recorded, { readonly type: T }>['data'];

/** No process ran before these events. */
const AFTER_REST: ReadonlySet<Recorded['type']> = new Set([
  'SessionStarted',
  'RunBegun',
  'PersonAnswered',
  'FindingRuled',
  'CapChanged',
  'TasksReopened',
]);

export class RetryChecks {
  /** Retries by task, since it was last opened. */
  private readonly times = new Map<string, number>();
  private readonly until = new Map<string, number>();
  private most = 0;
  private mostMs: number | null = null;
  /** The time in which processes ran. */
  private activeMs = 0;
  private lastMs = 0;

  /** Tasks whose pause is not over. */
  waiting(): readonly string[] {
    return [...this.until.keys()];
  }

  see(event: Recorded): void {
    const hear = this.hears[event.type] as ((data: Recorded['data'], ms: number) => void) | undefined;
    const ms = Date.parse(event.ts);
    if (!AFTER_REST.has(event.type)) this.activeMs += Math.max(0, ms - this.lastMs);
    this.lastMs = ms;
    hear?.(event.data, ms);
  }

  private readonly hears: { readonly [T in Recorded['type']]?: (data: DataOf<T>, ms: number) => void } = {
    RunBegun: ({ settings: { retries, maxMinutes } }) => {
      this.most = retries;
      this.mostMs = maxMinutes === null ? null : maxMinutes * 60_000;
    },
    TaskPostponed: (data, ms) => this.putOff(data, ms),
    WaitEnded: ({ task }, ms) => {
      // Without minutes left, a pause ends early.
      if (this.mostMs !== null && this.activeMs > this.mostMs + 1000)
        throw new Broken('minutes', `${task} is waited for after ${this.activeMs} ms, and ${this.mostMs} are granted`);
      const isSpent = this.mostMs !== null && this.activeMs >= this.mostMs;
      if (!isSpent && ms < (this.until.get(task) ?? 0)) throw new Broken('hurried', `the wait of ${task} ends before its time`);
      this.until.delete(task);
    },
    TaskStarted: ({ task }) => {
      if (this.until.has(task)) throw new Broken('hurried', `${task} is started while it is put off`);
    },
    TasksReopened: ({ tasks }) => tasks.forEach((task) => this.open(task)),
    JudgingFailed: ({ task }) => this.open(task),
    // Which tasks they open is checked elsewhere.
    PersonAnswered: () => this.forget(),
    PersonEdited: () => this.forget(),
  };

  private forget(): void {
    this.times.clear();
    this.until.clear();
  }

  private open(task: string): void {
    this.times.delete(task);
    this.until.delete(task);
  }

  private putOff({ task, waitMs }: { readonly task: string; readonly waitMs: number }, ms: number): void {
    const times = (this.times.get(task) ?? 0) + 1;
    if (times > this.most) throw new Broken('retries', `${task} is put off ${times} times, and ${this.most} are allowed`);
    if (!(waitMs > 0 && waitMs <= 3_600_000)) throw new Broken('hurried', `${task} is put off for ${waitMs} ms`);
    this.times.set(task, times);
    this.until.set(task, ms + waitMs);
  }
}
