// What the page asks of the server that it came from.

import type { ChangeAnswer, ErrorAnswer, SessionAnswer, SessionsAnswer } from '../../src/http/answers.js';

/** What went wrong, and what to do. */
export class Trouble extends Error {
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

async function ask(path: string, query: Readonly<Record<string, string>> = {}): Promise<Response> {
  const words = new URLSearchParams(query).toString();
  const response = await fetch(words === '' ? path : `${path}?${words}`).catch(() => {
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

/** Tells of every change, and whether the server can be heard. */
export function follow(onChange: (change: ChangeAnswer) => void, onLive: (isLive: boolean) => void): void {
  const source = new EventSource('/api/changes');
  source.addEventListener('open', () => onLive(true));
  source.addEventListener('error', () => onLive(false));
  source.addEventListener('change', ({ data }: MessageEvent<string>) => onChange(JSON.parse(data) as ChangeAnswer));
}
