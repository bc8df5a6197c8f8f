// Why an agent failed, where that lies with its model's server and not with the task: a fault that passes by itself, a plan that is used
// up, or a key that does not fit. Only what the failed one itself says went wrong is looked at, never what it printed or found. Pure.

import type { ApiErrorInfo } from '@umpire/core/formats/model-api-error.js';

/** What went wrong, as it says itself. */
export interface Fault extends ApiErrorInfo {
  readonly words: string;
}

/** `passing`: it may go well a little later. `limit`: not before the plan is reset. `sign-in`: not before a person has mended it. */
export type Cause = 'passing' | 'limit' | 'sign-in';

interface Signs {
  readonly passing?: readonly RegExp[];
  readonly limit?: readonly RegExp[];
  readonly 'sign-in'?: readonly RegExp[];
}

/** Statuses of HTTP that mean the same whoever passes them on. */
const STATUSES: ReadonlyMap<number, Cause> = new Map([
  ...[408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529].map((status) => [status, 'passing'] as const),
  [402, 'limit'],
  [401, 'sign-in'],
  [403, 'sign-in'],
]);

/** A status in words: `API Error: 529`, `last status: 429`, `HTTP 503`. A number alone is none. */
const STATUS_WORDS = /\b(?:API Error|HTTP(?:\/\d(?:\.\d)?)?|status(?: code)?|error code|Request rejected)[\s:=("]{0,4}([45]\d\d)\b/i;

const GENERAL: Signs = {
  passing: [
    /\boverloaded(?:_error)?\b/i,
    /\brate[_ ]limit(?:_error|_exceeded|ed| exceeded| reached)/i,
    /\btoo many requests\b/i,
    /\b(?:service|temporarily) unavailable\b/i,
    /\bbad gateway\b|\bgateway time-?out\b|\binternal server error\b/i,
    /\bE(?:CONNRESET|CONNREFUSED|CONNABORTED|TIMEDOUT|PIPE|AI_AGAIN|NOTFOUND|NETUNREACH|NETDOWN|HOSTUNREACH)\b|\bUND_ERR_[A-Z_]+/,
    /\bsocket hang up\b|\bfetch failed\b|\bnetwork error\b/i,
    /\bconnection (?:was )?(?:reset|refused|closed|dropped|lost|aborted|timed out|failed|error)\b/i,
    /\brequest timed out\b/i,
  ],
  limit: [
    /\busage limit\b/i,
    /\b(?:hit|reached|exceeded) your (?!(?:[\w-]+ ){0,2}rate )(?:[\w-]+ ){0,3}limit\b/i,
    // In hours, or at a time of day.
    /\blimit\b.{0,40}\bresets?\b(?! in \d+ ?(?:ms|s|m)(?:in|ec|\b))/i,
    /\b(?:credit balance|insufficient[_ ](?:quota|credits?|funds)|out of credits|payment required|prepayment)\b/i,
    /\b(?:spend|spending) (?:limit|cap)\b/i,
  ],
  'sign-in': [
    /\b(?:invalid|incorrect|missing|expired) (?:x-)?api[ -]?key\b|\bapi[ -]?key (?:not valid|is invalid|expired|not found)\b/i,
    /\bauthentication_error\b|\bunauthenticated\b|\bfailed to authenticate\b/i,
    /\bnot (?:logged|signed) in\b|\b(?:please|run) \/?log ?in\b|\bplease sign in\b/i,
    /\b(?:oauth|access|refresh) token\b.{0,40}\b(?:expired|revoked|invalid)\b/i,
  ],
};

/** What only one of them says. */
const OF_AGENT: Readonly<Record<'claude' | 'codex' | 'gemini' | 'opencode', Signs>> = {
  claude: {
    passing: [/\bserver is temporarily limiting requests\b/i],
    'sign-in': [/\bFix external API key\b/i],
  },
  codex: {
    passing: [
      /\bstream disconnected before completion\b/i,
      /\bexperiencing high demand\b/i,
      /\bmodel is at capacity\b/i,
      /\bwaiting for network\b/i,
    ],
    limit: [/\bquota exceeded\b/i],
  },
  gemini: {
    passing: [/\bresource (?:has been )?exhausted\b/i, /\bno capacity available\b/i],
    // Asked for too much in a minute, it says when to come back.
    limit: [/\bexceeded your current quota\b(?!.{0,600}\bretry in \d)/is, /\bexhausted your (?:daily quota|capacity|quota)\b/i],
  },
  opencode: {},
};

const TABLES: readonly Signs[] = [GENERAL, ...Object.values(OF_AGENT)];

/** What else it says is long, and says no more. */
const MOST_WORDS = 4000;

/** Null where it failed for reasons of its own. */
export function causeOf({ words: all, status: told }: Fault): Cause | null {
  const words = all.slice(0, MOST_WORDS);
  const says = (cause: Cause) => TABLES.some((signs) => signs[cause]?.some((sign) => sign.test(words)));
  // The status of a spent plan is that of a busy minute.
  if (says('limit')) return 'limit';
  const status = told ?? (Number(STATUS_WORDS.exec(words)?.[1] ?? 0) || null);
  if (status !== null) return STATUSES.get(status) ?? null;
  return (['sign-in', 'passing'] as const).find(says) ?? null;
}

/** When it may be asked again, where it says so. */
export function askedMs({ words, afterMs }: Fault): number | null {
  if (afterMs !== null) return afterMs;
  const when = /\b(?:try again|retry) (?:in|after) (?:about )?((?:\d{1,6}(?:\.\d{1,6})?\s?[a-z]{1,8}[\s,]{0,2}){1,3})/i.exec(
    words.slice(0, MOST_WORDS),
  );
  const parts = [...(when?.[1] ?? '').matchAll(/([\d.]+)\s?([a-z]+)/gi)].map(([, count, unit]) => Number(count) * unitMs(unit ?? ''));
  return parts.length === 0 || parts.some(Number.isNaN) ? null : Math.ceil(parts.reduce((sum, part) => sum + part, 0));
}

function unitMs(unit: string): number {
  const name = unit.toLowerCase();
  if (name === 'ms' || name.startsWith('milli')) return 1;
  return { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[name.charAt(0)] ?? Number.NaN;
}

/** What a person does about it, where trying again is of no use. */
export const CAUSE_NOTES: Readonly<Record<Exclude<Cause, 'passing'>, string>> = {
  limit: 'Trying again does not lift that limit: go on when it has been reset, or name another agent.',
  'sign-in': 'Sign in with its own command, or mend its key; then have it tried again.',
};
