// Numbers with their nouns (`1 case`, `6,912 cases`), durations and times.

import { lineOf } from './safe-text.js';

export function count(number: number, noun: string): string {
  const [whole = '', rest] = (Number.isInteger(number) && number < 1e15 ? String(number) : number.toExponential(1)).split('e+');
  const grouped = rest === undefined ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : `${whole} x 10^${rest}`;
  return `${grouped} ${noun}${number === 1 ? '' : 's'}`;
}

/** `0.4 s`, `42 s`, `3 min`, `1 h`, `1 h 05 min`. */
export function duration(ms: number): string {
  if (ms < 9950) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60 === 0 ? '' : ` ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(minutes / 60)} h${rest}`;
}

/** Prints times, in the reader's zone if the caller knows it. */
export interface Clock {
  /** Day and minute: `2026-03-01 09:02`. */
  readonly moment: (ts: string) => string;
  /** `UTC`, `UTC+2`. */
  readonly zone: (ts: string) => string;
}

export const UTC: Clock = { moment: (ts) => lineOf(ts).slice(0, 16).replace('T', ' '), zone: () => 'UTC' };

/** `1,200 tokens, $0.40`; `1,200 tokens, cost unknown`. A zero that nobody reported is unknown. */
export function usageWords(tokens: number, costUsd: number, unknown: Iterable<string>): string {
  const missing = new Set(unknown);
  const words = missing.has('tokens') && tokens === 0 ? 'tokens unknown' : count(tokens, 'token');
  return `${words}, ${missing.has('cost') && costUsd === 0 ? 'cost unknown' : `$${costUsd.toFixed(2)}`}`;
}

/** The findings of a command without output, which has no log to read. */
export const PRINTED_NOTHING = 'It printed nothing.';

/** Where an answer came from. A terminal is the usual case and needs no words. */
export function viaWords(via: string | undefined): string {
  if (via === undefined || via === 'terminal') return '';
  if (via === 'no terminal') return ', without a terminal';
  return `, via ${via === 'prompt' ? 'terminal prompt' : via}`;
}
