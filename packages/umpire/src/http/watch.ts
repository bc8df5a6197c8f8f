// Notices that something has happened in the sessions of a project, by looking at their files: once a second, and only while somebody
// wants to know.

import { stampOf } from '../sessions/session-stamp.js';

const EVERY_MS = 1000;

/** The sessions that are new, gone, or not as they were. */
export type Listener = (sessions: readonly string[]) => void;

export class Watch {
  private readonly listeners = new Set<Listener>();
  private seen: ReadonlyMap<string, string> = new Map();
  private timer: NodeJS.Timeout | undefined;

  /** `folders`: the sessions now, by id. */
  constructor(private readonly folders: () => ReadonlyMap<string, string>) {}

  /** Until the function that it returns is called. */
  subscribe(listener: Listener): () => void {
    if (this.listeners.size === 0) this.begin();
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) clearInterval(this.timer);
    };
  }

  private begin(): void {
    this.seen = this.look();
    this.timer = setInterval(() => this.compare(), EVERY_MS);
  }

  private compare(): void {
    const before = this.seen;
    this.seen = this.look();
    const all = new Set([...before.keys(), ...this.seen.keys()]);
    const changed = [...all].filter((id) => before.get(id) !== this.seen.get(id));
    if (changed.length > 0) for (const listener of this.listeners) listener(changed);
  }

  private look(): ReadonlyMap<string, string> {
    return new Map([...this.folders()].map(([id, path]) => [id, stampOf(path)]));
  }
}
