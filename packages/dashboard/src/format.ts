// Formats numbers, times and states.

import type { SessionView, SpentView, StateWord } from '@umpire/umpire/views/session-view.js';

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${Math.round(ms / 1000)} s`;
  const [large, small, big, little] = ms < HOUR ? [MINUTE, 1000, 'min', 's'] : [HOUR, MINUTE, 'h', 'min'];
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${big}${rest === 0 ? '' : ` ${rest} ${little}`}`;
}

/** `just now`, `4 min ago`, `2 days ago`. */
export function ago(at: string | null, now = Date.now()): string {
  if (at === null) return 'never';
  return now - Date.parse(at) < MINUTE ? 'just now' : `${since(at, now)} ago`;
}

/** `4 min`, `2 days`: in one unit. */
export function since(at: string, now = Date.now()): string {
  const ms = Math.max(0, now - Date.parse(at));
  if (ms < MINUTE) return `${Math.floor(ms / 1000)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return count(Math.floor(ms / DAY), 'day');
}

/** In the local time zone. */
export function moment(at: string): string {
  return new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}

export function spentWords({ minutes, tokens, costUsd, unreported }: SpentView): string {
  const parts = [duration(minutes * MINUTE)];
  if (tokens > 0) parts.push(count(tokens, 'token'));
  if (costUsd > 0) parts.push(`$${costUsd.toFixed(2)}`);
  if (unreported.cost.length > 0) parts.push(`cost of ${unreported.cost.join(', ')} unknown`);
  return parts.join(' · ');
}

const RESULTS: ReadonlySet<StateWord> = new Set(['complete', 'failed', 'aborted', 'judged only']);

/** `complete, unverified`. A running session is not marked yet. */
export function stateText({ state, unverified }: Pick<SessionView, 'state' | 'unverified'>): string {
  const words = state === 'awaiting' ? 'waits for you' : state;
  return unverified && RESULTS.has(state) ? `${words}, unverified` : words;
}
