// Requests of the page to its server, and the state of components that comes from it.

import type {
  AnswerRequest,
  ChangeAnswer,
  CostsAnswer,
  DismissRequest,
  ErrorAnswer,
  OutputAnswer,
  ResumeRequest,
  SessionAnswer,
  SessionsAnswer,
} from '@umpire/umpire/doors/http/answers.js';
import { useEffect, useRef, useState } from 'preact/hooks';

/** An error of the server with a hint. */
export class ServerError extends Error {
  constructor(
    message: string,
    readonly hint: string,
    readonly code: string,
  ) {
    super(message);
  }
}

const STORAGE_KEY = 'umpire-key';
const STORED_LIST = 'umpire-sessions';
/** More would not fit on the first screens, nor in the storage. */
const MOST_STORED = 200;

/**
 * Takes the key from the # of the first address: it is never sent in a URL, and no other page can read the storage. A link with a wrong
 * key does not replace the right one.
 */
export async function takeKey(): Promise<void> {
  const given = /^#key=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  history.replaceState(null, '', '/#/');
  const isRight = await fetch('/api/key', { headers: { authorization: `Bearer ${given}` } }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (isRight || localStorage.getItem(STORAGE_KEY) === null) localStorage.setItem(STORAGE_KEY, given);
}

type Query = Readonly<Record<string, string>>;

async function fetchAnswer(path: string, query: Query, more: RequestInit = {}): Promise<Response> {
  const words = new URLSearchParams(query).toString();
  const response = await fetch(words === '' ? path : `${path}?${words}`, {
    ...more,
    headers: { ...(more.headers as Query | undefined), authorization: `Bearer ${localStorage.getItem(STORAGE_KEY) ?? ''}` },
  }).catch((error: unknown) => {
    if (more.signal?.aborted === true) throw error;
    throw new ServerError('The server does not answer.', 'Run `umpire serve` again and open the address it prints.', 'gone');
  });
  if (response.ok) return response;
  const body = (await response.json().catch(() => null)) as ErrorAnswer | null;
  const { message, hint, code } = body?.error ?? { message: `The server answered ${response.status}.`, hint: '', code: '' };
  throw new ServerError(message, hint, code);
}

const getJson = async <Body>(path: string, query: Query = {}): Promise<Body> => (await fetchAnswer(path, query)).json() as Promise<Body>;

async function postAction(path: string, body: object): Promise<void> {
  await fetchAnswer(path, {}, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

interface StoredList {
  readonly project: string;
  readonly list: SessionsAnswer;
}

/** The last list of the project that this server shows, for the first paint; null if there is none. */
export async function storedSessions(): Promise<SessionsAnswer | null> {
  try {
    const stored = JSON.parse(localStorage.getItem(STORED_LIST) ?? 'null') as StoredList | null;
    if (stored === null) return null;
    // The same port may show another project today.
    const { project } = await getJson<{ readonly project: string }>('/api/key');
    return project === stored.project ? stored.list : null;
  } catch {
    return null;
  }
}

export async function sessions(): Promise<SessionsAnswer> {
  const list = await getJson<SessionsAnswer>('/api/sessions');
  try {
    const stored: StoredList = { project: list.project, list: { ...list, sessions: list.sessions.slice(0, MOST_STORED) } };
    if (list.unread === 0) localStorage.setItem(STORED_LIST, JSON.stringify(stored));
  } catch {
    // A full storage: the next page is painted a moment later.
  }
  return list;
}

export const session = (id: string): Promise<SessionAnswer> => getJson('/api/session', { id });
export const costs = (): Promise<CostsAnswer> => getJson('/api/costs');
export const loadReport = async (id: string): Promise<string> => (await fetchAnswer('/api/report', { id })).text();
export const loadLog = async (id: string, name: string): Promise<string> => (await fetchAnswer('/api/log', { id, name })).text();

export async function loadDiff(id: string, round: string | null, chain: string | null): Promise<string> {
  return (await fetchAnswer('/api/diff', { id, ...(round === null ? {} : { round }), ...(chain === null ? {} : { chain }) })).text();
}

export const answerQuestion = (body: AnswerRequest): Promise<void> => postAction('/api/answer', body);
export const dismissFinding = (body: DismissRequest): Promise<void> => postAction('/api/dismiss', body);
export async function continueSession(id: string, retry: boolean): Promise<void> {
  const body: ResumeRequest = { id, retry };
  await postAction('/api/resume', body);
}

const RETRY_MS = 2000;

/** Reports every change and whether the server is connected. Reconnects by itself. */
export async function followChanges(onChange: (change: ChangeAnswer) => void, onLive: (isLive: boolean) => void): Promise<never> {
  for (;;) {
    await readEvents('/api/changes', {}, (data) => onChange(data as ChangeAnswer), { onOpen: () => onLive(true) }).catch(
      (error: unknown) => {
        if (!(error instanceof ServerError) && !(error instanceof TypeError)) throw error;
      },
    );
    onLive(false);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Calls with every piece of an output until the signal. Throws if the output cannot be read. */
export async function followTaskOutput(
  id: string,
  name: string,
  onPiece: (piece: OutputAnswer) => void,
  signal: AbortSignal,
): Promise<void> {
  await readEvents('/api/output', { id, name }, (data) => onPiece(data as OutputAnswer), { signal });
}

interface EventOptions {
  readonly onOpen?: () => void;
  readonly signal?: AbortSignal;
}

/** Reads server-sent events until the stream ends. An empty line ends an event. */
async function readEvents(path: string, query: Query, onData: (data: unknown) => void, { onOpen, signal }: EventOptions): Promise<void> {
  const { body } = await fetchAnswer(path, query, signal === undefined ? {} : { signal });
  onOpen?.();
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = `${text}${decoder.decode(value, { stream: true })}`.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^event: \w+\ndata: (.*)$/m.exec(event)?.[1];
      if (data !== undefined) onData(JSON.parse(data));
    }
  }
}

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
    const showIfLatest = (next: Loaded<Value>) => (mine === latest.current ? setLoaded({ ...next, key }) : undefined);
    load().then(
      (value) => showIfLatest({ value, error: null }),
      (error: unknown) => showIfLatest({ value: null, error }),
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
