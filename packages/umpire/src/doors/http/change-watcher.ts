// Watches sessions for changes: about once a second, and only while somebody listens.

import { setTimeout as pause } from 'node:timers/promises';
import type { SessionStamp } from './session-source.js';

const INTERVAL_MS = 1000;
/** At most a tenth of the time is spent on looking. */
const REST = 10;

/** Called with the ids of new, removed and changed sessions; with none if anything may have changed. */
export type Listener = (sessions: readonly string[]) => void;

type Stamps = ReadonlyMap<string, SessionStamp>;

export class ChangeWatcher {
  private readonly listeners = new Set<Listener>();
  private watch: AbortController | null = null;

  constructor(private readonly stamps: () => Promise<Stamps>) {}

  /** Returns a function that unsubscribes. */
  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    if (this.watch === null) {
      this.watch = new AbortController();
      void this.look(this.watch.signal);
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      this.watch?.abort();
      this.watch = null;
    };
  }

  private async look(stop: AbortSignal): Promise<void> {
    let before: Stamps | null = null;
    for (let isFirst = true; !stop.aborted; isFirst = false) {
      const begun = performance.now();
      // The engine may be out of reach for a while.
      const now: Stamps | null = await this.stamps().catch(() => null);
      if (stop.aborted) return;
      if (now !== null && !isFirst) this.tell(before === null ? null : findChanges(before, now));
      before = now;
      await pause(Math.max(INTERVAL_MS, REST * (performance.now() - begun)), undefined, { signal: stop }).catch(() => undefined);
    }
  }

  /** Null: nobody looked for a while. */
  private tell(changed: readonly string[] | null): void {
    if (changed !== null && changed.length === 0) return;
    for (const listener of this.listeners) listener(changed ?? []);
  }
}

function findChanges(before: Stamps, now: Stamps): readonly string[] {
  const isSame = (id: string): boolean => {
    const [one, other] = [before.get(id), now.get(id)];
    return one?.journal === other?.journal && one?.around === other?.around;
  };
  return [...new Set([...before.keys(), ...now.keys()])].filter((id) => !isSame(id));
}
