// What the page asks of the server that it came from.

import type { ChangeAnswer, ErrorAnswer, SessionAnswer, SessionsAnswer } from '@umpire/umpire/http/answers.js';

/** What went wrong, and what to do. */
export class Trouble extends Error {
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

const KEPT = 'umpire-key';

/** The key stands behind the # of the address that is opened first: no server is sent it, and no other page can read where it is kept. */
export function takeKey(): void {
  const given = /^#key=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  localStorage.setItem(KEPT, given);
  history.replaceState(null, '', '/#/');
}

async function ask(path: string, query: Readonly<Record<string, string>> = {}): Promise<Response> {
  const words = new URLSearchParams(query).toString();
  const response = await fetch(words === '' ? path : `${path}?${words}`, {
    headers: { authorization: `Bearer ${localStorage.getItem(KEPT) ?? ''}` },
  }).catch(() => {
    throw new Trouble('The server does not answer.', 'Start `umpire serve` again, and open the address that it prints.');
  });
  if (response.ok) return response;
  const told = (await response.json().catch(() => null)) as ErrorAnswer | null;
  throw new Trouble(told?.error.message ?? `The server answered ${response.status}.`, told?.error.hint ?? '');
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

const AGAIN_MS = 2000;

/** Tells of every change, and whether the server can be heard; tries again where it cannot. */
export async function follow(onChange: (change: ChangeAnswer) => void, onLive: (isLive: boolean) => void): Promise<never> {
  for (;;) {
    try {
      const { body } = await ask('/api/changes');
      onLive(true);
      if (body !== null) await hear(body, onChange);
    } catch (error) {
      if (!(error instanceof Trouble) && !(error instanceof TypeError)) throw error;
    }
    onLive(false);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** Until the stream ends. A message is whole once an empty line stands behind it. */
async function hear(body: ReadableStream<Uint8Array>, onChange: (change: ChangeAnswer) => void): Promise<void> {
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
