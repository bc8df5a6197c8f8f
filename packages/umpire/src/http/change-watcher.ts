// Watches the session files of a project for changes: once a second, and only while somebody listens.

import { sessionStamp } from '../sessions/find-sessions.js';

const INTERVAL_MS = 1000;

/** Called with the ids of new, removed and changed sessions. */
export type Listener = (sessions: readonly string[]) => void;

export class ChangeWatcher {
  private readonly listeners = new Set<Listener>();
  private seen: ReadonlyMap<string, string> = new Map();
  private timer: NodeJS.Timeout | undefined;

  /** `folders`: the current sessions by id. */
  constructor(private readonly folders: () => ReadonlyMap<string, string>) {}

  /** Returns a function that unsubscribes. */
  subscribe(listener: Listener): () => void {
    if (this.listeners.size === 0) this.start();
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) clearInterval(this.timer);
    };
  }

  private start(): void {
    this.seen = this.readStamps();
    this.timer = setInterval(() => this.compare(), INTERVAL_MS);
  }

  private compare(): void {
    const before = this.seen;
    this.seen = this.readStamps();
    const all = new Set([...before.keys(), ...this.seen.keys()]);
    const changed = [...all].filter((id) => before.get(id) !== this.seen.get(id));
    if (changed.length > 0) for (const listener of this.listeners) listener(changed);
  }

  private readStamps(): ReadonlyMap<string, string> {
    return new Map([...this.folders()].map(([id, path]) => [id, sessionStamp(path)]));
  }
}
