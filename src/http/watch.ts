// Notices that something has happened in the sessions of a project, by looking at their files: once a second, and only while somebody
// wants to know.

import { join } from 'node:path';
import { isUmpireError } from '../errors.js';
import { statOf } from '../runtime/entry.js';
import { openFolder } from '../runtime/folder.js';
import { JOURNAL } from '../runtime/journal-file.js';
import { holderOf } from '../runtime/lock.js';
import { TASKS } from '../runtime/tasks-file.js';

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

/** What differs once something has happened: the history, the tasks, and who is at work, which nobody writes down when killed. */
function stampOf(path: string): string {
  const files = [JOURNAL, TASKS].map((name) => {
    const stat = statOf(join(path, name));
    return stat === undefined ? '-' : `${stat.size} ${stat.mtimeMs}`;
  });
  return `${files.join(', ')}, ${holdingOf(path)}`;
}

function holdingOf(path: string): string {
  try {
    const holder = holderOf(openFolder(path));
    if (holder === null) return 'free';
    return holder.isDead ? 'left' : 'held';
  } catch (error) {
    // It may go while it is looked at.
    if (isUmpireError(error) || (error as NodeJS.ErrnoException).code !== undefined) return 'gone';
    throw error;
  }
}
