// Requests of the page to its server.

import type { ChangeAnswer, ErrorAnswer, SessionAnswer, SessionsAnswer } from '@umpire/umpire/http/answers.js';

/** An error of the server with a hint. */
export class ServerError extends Error {
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

const STORAGE_KEY = 'umpire-key';

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

async function ask(path: string, query: Readonly<Record<string, string>> = {}): Promise<Response> {
  const words = new URLSearchParams(query).toString();
  const response = await fetch(words === '' ? path : `${path}?${words}`, {
    headers: { authorization: `Bearer ${localStorage.getItem(STORAGE_KEY) ?? ''}` },
  }).catch(() => {
    throw new ServerError('The server does not answer.', 'Run `umpire serve` again and open the address it prints.');
  });
  if (response.ok) return response;
  const body = (await response.json().catch(() => null)) as ErrorAnswer | null;
  throw new ServerError(body?.error.message ?? `The server answered ${response.status}.`, body?.error.hint ?? '');
}

export async function sessions(): Promise<SessionsAnswer> {
  return (await ask('/api/sessions')).json() as Promise<SessionsAnswer>;
}

export async function session(id: string): Promise<SessionAnswer> {
  return (await ask('/api/session', { id })).json() as Promise<SessionAnswer>;
}

export async function report(id: string): Promise<string> {
  return (await ask('/api/report', { id })).text();
}

export async function log(id: string, name: string): Promise<string> {
  return (await ask('/api/log', { id, name })).text();
}

export async function diff(id: string, round: string | null, chain: string | null): Promise<string> {
  return (await ask('/api/diff', { id, ...(round === null ? {} : { round }), ...(chain === null ? {} : { chain }) })).text();
}

const RETRY_MS = 2000;

/** Reports every change and whether the server is connected. Reconnects by itself. */
export async function follow(onChange: (change: ChangeAnswer) => void, onLive: (isLive: boolean) => void): Promise<never> {
  for (;;) {
    try {
      const { body } = await ask('/api/changes');
      onLive(true);
      if (body !== null) await readChanges(body, onChange);
    } catch (error) {
      if (!(error instanceof ServerError) && !(error instanceof TypeError)) throw error;
    }
    onLive(false);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Reads until the stream ends. An empty line ends a message. */
async function readChanges(body: ReadableStream<Uint8Array>, onChange: (change: ChangeAnswer) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const messages = `${text}${decoder.decode(value, { stream: true })}`.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const data = /^event: change\ndata: (.*)$/m.exec(message)?.[1];
      if (data !== undefined) onChange(JSON.parse(data) as ChangeAnswer);
    }
  }
}
