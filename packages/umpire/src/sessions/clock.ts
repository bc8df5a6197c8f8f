// Time since the process started (cheaper than `performance`, which loads a module), and pauses that let timers and signals run
// in a program that otherwise never waits.

/** Monotonic: setting the clock does not change it, and on Linux it stands still while the machine is suspended. */
export function elapsedMs(): number {
  return process.uptime() * 1000;
}

const MAX_MS_WITHOUT_BREAK = 100;

interface TimerClock {
  readonly elapsedMs: () => number;
  readonly after: (ms: number, act: () => void) => () => void;
}

export class EventLoopBreaks {
  private lastMs: number;

  constructor(private readonly clock: TimerClock) {
    this.lastMs = clock.elapsedMs();
  }

  isDue(): boolean {
    return this.clock.elapsedMs() - this.lastMs > MAX_MS_WITHOUT_BREAK;
  }

  async take(): Promise<void> {
    await new Promise<void>((resolve) => void this.clock.after(0, resolve));
    this.lastMs = this.clock.elapsedMs();
  }
}
