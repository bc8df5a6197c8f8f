// The simulated world, all in memory: a clock that moves only on request, a disk with the journal, and accidents (a killed process, a
// full disk). sim-session.ts runs sessions in it.

import { UmpireError } from '@umpire/core/model/errors.js';
import type { Discovery } from '@umpire/core/model/vocabulary.js';
import { SeededRandom } from './sim-random.js';

/** A broken property. `kind` names it. */
export class Broken extends Error {
  constructor(
    readonly kind: string,
    detail: string,
  ) {
    super(`${kind}: ${detail}`);
    this.name = 'Broken';
  }
}

/** Thrown when a process is killed in the middle of an operation. */
export class Killed extends Error {}

/** One process that runs the session. A dead process cannot change the world any more. */
export class Process {
  isAlive = true;
  readonly stop = new AbortController();
  /** The number of running agents. */
  atWork = 0;
  /** When it started to run the session. */
  begunMs: number | null = null;
  constructor(readonly number: number) {}
}

interface Timer {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
}

/** How many accidents may happen. */
export interface Accidents {
  readonly kills: number;
  readonly fulls: number;
}

/** The most steps between two accidents. */
const STRIDE = 90;

type Point = 'call' | 'write';

export class World {
  nowMs = Date.UTC(2025, 2, 7, 8);
  /** The journal on the disk. */
  journal = '';
  /** Lines that were reported to a caller. */
  told = 0;
  readonly files = new Map<string, string>();
  readonly board: Discovery[] = [];
  readonly blobs = new Map<string, string | Uint8Array>();
  /** The log for a failure: texts, and functions that make a text only then. */
  readonly story: (string | (() => string))[] = [];
  readonly had = { kills: 0, torn: 0, fulls: 0, stops: 0 };
  steps = 0;
  private timers: Timer[] = [];
  private order = 0;
  private killsLeft: number;
  private fullsLeft: number;
  private nextKill = 0;
  private nextFull = 0;
  private readonly chance: SeededRandom;

  constructor(
    seed: number,
    accidents: Accidents,
    /** The upper bound of steps. */
    private readonly mostSteps: number,
  ) {
    this.chance = new SeededRandom(seed).apart('accidents');
    this.killsLeft = accidents.kills;
    this.fullsLeft = accidents.fulls;
    this.nextKill = this.chance.within(1, STRIDE);
    this.nextFull = this.chance.within(1, STRIDE);
  }

  note(text: string | (() => string)): void {
    this.story.push(text);
  }

  /** Runs an operation, unless the process is killed before or after it or the disk is full. */
  touch<T>(process: Process, what: string, point: Point, act: () => T): T {
    const fate = this.fate(process, point);
    if (fate === 'kill') {
      if (this.chance.hits(0.5)) act();
      throw this.kill(process, what);
    }
    if (fate === 'full') throw this.full(what);
    return act();
  }

  /** The same for an asynchronous operation. A dead process never learns of its end. */
  async touchLater<T>(process: Process, what: string, act: () => T): Promise<T> {
    try {
      return this.touch(process, what, 'call', act);
    } catch (error) {
      if (error instanceof Killed) return new Promise<never>(() => undefined);
      throw error;
    }
  }

  /** Appends to the journal. A process that is killed in the middle leaves any part of the text. */
  append(process: Process, text: string): void {
    const fate = this.fate(process, 'write');
    const part = this.chance.below(text.length + 1);
    this.journal += fate === null ? text : text.slice(0, part);
    if (fate !== null && part > 0 && part < text.length) this.had.torn++;
    if (fate === 'kill') throw this.kill(process, `writing the journal, ${part} of ${text.length} characters written`);
    if (fate === 'full') throw this.full(`the journal, ${part} of ${text.length} characters written`);
  }

  private fate(process: Process, point: Point): 'kill' | 'full' | null {
    if (!process.isAlive) throw new Killed();
    this.steps++;
    if (this.steps > this.mostSteps) throw new Broken('endless', `${this.steps} steps, and ${this.mostSteps} are enough`);
    if (this.killsLeft > 0 && this.steps >= this.nextKill) {
      this.killsLeft--;
      this.nextKill = this.steps + this.chance.within(1, STRIDE);
      return 'kill';
    }
    if (point === 'write' && this.fullsLeft > 0 && this.steps >= this.nextFull) {
      this.fullsLeft--;
      this.nextFull = this.steps + this.chance.within(1, STRIDE);
      return 'full';
    }
    return null;
  }

  private kill(process: Process, what: string): Killed {
    this.had.kills++;
    this.note(`  killed: ${what}`);
    process.isAlive = false;
    return new Killed();
  }

  private full(what: string): UmpireError {
    this.had.fulls++;
    this.note(`  disk full: ${what}`);
    return new UmpireError('write-failed', { path: what, detail: 'the disk is full' });
  }

  after(ms: number, act: () => void): () => void {
    const timer: Timer = { atMs: this.nowMs + Math.max(0, ms), order: this.order++, act };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Runs the next scheduled operation. Returns false if there is none. */
  tick(): boolean {
    let next: Timer | undefined;
    for (const timer of this.timers)
      if (next === undefined || timer.atMs < next.atMs || (timer.atMs === next.atMs && timer.order < next.order)) next = timer;
    if (next === undefined) return false;
    const { atMs, act } = next;
    this.timers = this.timers.filter((timer) => timer !== next);
    this.nowMs = Math.max(this.nowMs, atMs);
    act();
    return true;
  }

  /** Runs until the promise settles or the process is dead. The clock moves only when no microtask is left. */
  async drive(process: Process, work: Promise<void>): Promise<'done' | 'killed' | { readonly error: unknown }> {
    let end: 'done' | { readonly error: unknown } | null = null;
    void settle(work).then((settled) => (end = settled));
    for (;;) {
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
      if (!process.isAlive) return 'killed';
      if (end !== null) return end;
      try {
        this.touch(process, 'between two events', 'call', () => undefined);
      } catch (error) {
        if (error instanceof Killed) return 'killed';
        throw error;
      }
      if (!this.tick()) throw new Broken('hangs', 'the session waits, and nothing is left that could wake it');
    }
  }
}

async function settle(work: Promise<void>): Promise<'done' | { readonly error: unknown }> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return { error };
  }
}
