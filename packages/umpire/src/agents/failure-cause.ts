// Classifies why an agent failed when its model's server is the cause: a temporary error, an exhausted plan or an invalid key. Reads only
// the agent's own error message, never its other output. Pure.

import type { ApiErrorInfo } from '@umpire/core/formats/model-api-error.js';

/** The agent's own error message. */
export interface AgentFault extends ApiErrorInfo {
  readonly words: string;
}

/**
 * `passing`: a retry may succeed soon. `limit`: not before the plan is reset. `sign-in`: not before a person signs in or corrects the key.
 */
export type FailureCause = 'passing' | 'limit' | 'sign-in';

interface CausePatterns {
  readonly passing?: readonly RegExp[];
  readonly limit?: readonly RegExp[];
  readonly 'sign-in'?: readonly RegExp[];
}

/** HTTP statuses with the same meaning for every provider. */
const STATUSES: ReadonlyMap<number, FailureCause> = new Map([
  ...[408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529].map((status) => [status, 'passing'] as const),
  [402, 'limit'],
  [401, 'sign-in'],
  [403, 'sign-in'],
]);

/** A status in text: `API Error: 529`, `last status: 429`, `HTTP 503`. A number alone does not count. */
const STATUS_WORDS = /\b(?:API Error|HTTP(?:\/\d(?:\.\d)?)?|status(?: code)?|error code|Request rejected)[\s:=("]{0,4}([45]\d\d)\b/i;

const GENERAL: CausePatterns = {
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
    // A reset in hours or at a time of day; a reset in seconds or minutes is a rate limit.
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

/** Patterns of single agents. */
const OF_AGENT: Readonly<Record<'claude' | 'codex' | 'gemini' | 'opencode', CausePatterns>> = {
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
    // With a retry time it is a limit per minute, which passes.
    limit: [/\bexceeded your current quota\b(?!.{0,600}\bretry in \d)/is, /\bexhausted your (?:daily quota|capacity|quota)\b/i],
  },
  opencode: {},
};

const TABLES: readonly CausePatterns[] = [GENERAL, ...Object.values(OF_AGENT)];

/** Longer messages have no further information. */
const MAX_CHARS = 4000;

/** Null where the cause is another. */
export function classifyFailure({ words: full, status: known }: AgentFault): FailureCause | null {
  const words = full.slice(0, MAX_CHARS);
  const says = (cause: FailureCause) => TABLES.some((signs) => signs[cause]?.some((sign) => sign.test(words)));
  // An exhausted plan has the same status as a rate limit, so the text decides first.
  if (says('limit')) return 'limit';
  const status = known ?? (Number(STATUS_WORDS.exec(words)?.[1] ?? 0) || null);
  if (status !== null) return STATUSES.get(status) ?? null;
  return (['sign-in', 'passing'] as const).find(says) ?? null;
}

/** The retry delay that the message states; null where there is none. */
export function retryDelayMs({ words, afterMs }: AgentFault): number | null {
  if (afterMs !== null) return afterMs;
  const when = /\b(?:try again|retry) (?:in|after) (?:about )?((?:\d{1,6}(?:\.\d{1,6})?\s?[a-z]{1,8}[\s,]{0,2}){1,3})/i.exec(
    words.slice(0, MAX_CHARS),
  );
  const parts = [...(when?.[1] ?? '').matchAll(/([\d.]+)\s?([a-z]+)/gi)].map(([, count, unit]) => Number(count) * unitMs(unit ?? ''));
  return parts.length === 0 || parts.some(Number.isNaN) ? null : Math.ceil(parts.reduce((sum, part) => sum + part, 0));
}

function unitMs(unit: string): number {
  const name = unit.toLowerCase();
  if (name === 'ms' || name.startsWith('milli')) return 1;
  return { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[name.charAt(0)] ?? Number.NaN;
}

/** Advice for causes that a retry does not solve. */
export const CAUSE_ADVICE: Readonly<Record<Exclude<FailureCause, 'passing'>, string>> = {
  limit: 'A retry does not help before the limit is reset: resume then, or choose another agent.',
  'sign-in': 'Sign in with its own command, or correct its key; then retry.',
};
