// Milliseconds since the process started, cheaper to reach than `performance`, which loads a module of its own. And turns for timers and
// signals, which are not heard while a program never waits.

export function elapsedMs(): number {
  return process.uptime() * 1000;
}

/** So long at most nothing else of the program has its turn. */
const DEAF_MS = 100;

interface Clock {
  readonly nowMs: () => number;
  /** Calls back after so many milliseconds. */
  readonly after: (ms: number, act: () => void) => () => void;
}

export class Turns {
  private lastMs: number;

  constructor(private readonly clock: Clock) {
    this.lastMs = clock.nowMs();
  }

  isDue(): boolean {
    return this.clock.nowMs() - this.lastMs > DEAF_MS;
  }

  async pass(): Promise<void> {
    await new Promise<void>((resolve) => void this.clock.after(0, resolve));
    this.lastMs = this.clock.nowMs();
  }
}
