// What must hold of tasks that are put off and tried again by themselves: no oftener than the settings say, whatever process goes on, and
// not before their time. Told by the events alone.

import type { Recorded } from '../../src/brain/messages.js';
import { Broken } from './sim-world.js';

type DataOf<T> = Extract<Recorded, { readonly type: T }>['data'];

export class Waits {
  /** Since each was last opened. */
  private readonly times = new Map<string, number>();
  private readonly until = new Map<string, number>();
  private most = 0;
  private isTimed = false;

  see(event: Recorded): void {
    const hear = this.hears[event.type] as ((data: Recorded['data'], ms: number) => void) | undefined;
    hear?.(event.data, Date.parse(event.ts));
  }

  private readonly hears: { readonly [T in Recorded['type']]?: (data: DataOf<T>, ms: number) => void } = {
    RunBegun: ({ settings: { retries = 0, maxMinutes } }) => {
      this.most = retries;
      this.isTimed = maxMinutes !== null;
    },
    TaskPostponed: (data, ms) => this.putOff(data, ms),
    WaitEnded: ({ task }, ms) => {
      // Where the minutes are spent nobody waits any longer.
      if (!this.isTimed && ms < (this.until.get(task) ?? 0)) throw new Broken('hurried', `the wait of ${task} ends before its time`);
      this.until.delete(task);
    },
    TaskStarted: ({ task }) => {
      if (this.until.has(task)) throw new Broken('hurried', `${task} is started while it is put off`);
    },
    TasksReopened: ({ tasks }) => tasks.forEach((task) => this.open(task)),
    JudgingFailed: ({ task }) => this.open(task),
    // Which task is opened by them is checked elsewhere.
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
