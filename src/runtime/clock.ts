// Milliseconds since the process started, cheaper to reach than `performance`, which loads a module of its own. And turns for timers and
// signals, which are not heard while a program never waits.

export function elapsedMs(): number {
  return process.uptime() * 1000;
}

/** So long at most nothing else of the program has its turn. */
const DEAF_MS = 50;

export class Turns {
  private lastMs: number;

  constructor(private readonly nowMs: () => number) {
    this.lastMs = nowMs();
  }

  isDue(): boolean {
    return this.nowMs() - this.lastMs > DEAF_MS;
  }

  async pass(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.lastMs = this.nowMs();
  }
}
