// State of components that comes from the server.

import { useEffect, useRef, useState } from 'preact/hooks';

type Listener = (sessions: readonly string[]) => void;

const listeners = new Set<Listener>();

/** The server reported changes of these sessions; empty: everything may have changed. */
export function reportChange(sessions: readonly string[]): void {
  for (const listener of listeners) listener(sessions);
}

/** A number that grows with every change of the session, or of any session (null). */
export function useChanges(id: string | null): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const listener: Listener = (sessions) => {
      if (id === null || sessions.length === 0 || sessions.includes(id)) setChanges((before) => before + 1);
    };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [id]);
  return changes;
}

export interface Loaded<Value> {
  readonly value: Value | null;
  readonly error: unknown;
}

/** Loads again when the key or the changes differ. A new key forgets the old value; a change keeps it until the new one is there. */
export function useLoaded<Value>(load: () => Promise<Value>, key: string, changes: number): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value> & { readonly key: string }>({ value: null, error: null, key });
  const latest = useRef(0);
  useEffect(() => {
    const mine = ++latest.current;
    // A late answer belongs to a page that was left.
    const take = (next: Loaded<Value>) => (mine === latest.current ? setLoaded({ ...next, key }) : undefined);
    load().then(
      (value) => take({ value, error: null }),
      (error: unknown) => take({ value: null, error }),
    );
  }, [key, changes]);
  return loaded.key === key ? loaded : { value: null, error: null };
}

/** The time, again and again: "4 min ago" stays true on an open page. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
