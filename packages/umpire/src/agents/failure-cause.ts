// Classifies why an agent failed when its model's server is the cause: a temporary error, an exhausted plan or an invalid key. Reads only
// the agent's own error message, never its other output. Pure.

import type { ApiErrorInfo } from '@umpire/core/formats/model-api-error.js';
import type { FailureCause, FailurePatterns } from './known/known-agent.js';
import { KNOWN_AGENTS } from './known/known-agents.js';

export interface AgentFault extends ApiErrorInfo {
  readonly words: string;
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

const GENERAL: FailurePatterns = {
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

const TABLES: readonly FailurePatterns[] = [GENERAL, ...KNOWN_AGENTS.map(({ failures }) => failures)];

/** Longer messages have no further information. */
const MAX_CHARS = 4000;

export function classifyAgentFault({ words: full, status: known }: AgentFault): FailureCause | null {
  const words = full.slice(0, MAX_CHARS);
  const hasSign = (cause: FailureCause) => TABLES.some((signs) => signs[cause]?.some((sign) => sign.test(words)));
  // An exhausted plan has the same status as a rate limit, so the text decides first.
  if (hasSign('limit')) return 'limit';
  if (hasSign('budget')) return 'budget';
  const status = known ?? (Number(STATUS_WORDS.exec(words)?.[1] ?? 0) || null);
  if (status !== null) return STATUSES.get(status) ?? null;
  return (['sign-in', 'passing'] as const).find(hasSign) ?? null;
}

export function retryDelayMs({ words, afterMs }: AgentFault): number | null {
  return afterMs ?? durationMs(words);
}

/** `try again in 1m30s`, `resets in 3 hours` */
function durationMs(words: string): number | null {
  const when = /\b(?:try again|retry|resets?) (?:in|after) (?:about )?((?:\d{1,6}(?:\.\d{1,6})?\s?[a-z]{1,8}[\s,]{0,2}){1,3})/i.exec(
    words.slice(0, MAX_CHARS),
  );
  const parts = [...(when?.[1] ?? '').matchAll(/([\d.]+)\s?([a-z]+)/gi)].map(([, count, unit]) => Number(count) * unitMs(unit ?? ''));
  return parts.length === 0 || parts.some(Number.isNaN) ? null : Math.ceil(parts.reduce((sum, part) => sum + part, 0));
}

/** When an exhausted plan is renewed; null where the message does not say. */
export function limitResetMs({ words, resetsAtMs }: AgentFault, nowMs: number): number | null {
  if (resetsAtMs !== undefined) return resetsAtMs;
  // `Claude AI usage limit reached|1749924000`
  const seconds = /\|(\d{10})\b/.exec(words.slice(0, MAX_CHARS))?.[1];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const waitMs = durationMs(words);
  return waitMs === null ? timeOfDayMs(words, nowMs) : nowMs + waitMs;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `resets 3am (Europe/Berlin)`, `try again at 10:51 AM`, `resets Nov 20th, 2026 3:05 PM` */
const TIME_OF_DAY =
  /\b(?:resets?|renews?|try again)(?: (?:at|on))? (?:([a-z]{3})[a-z]{0,6} (\d{1,2})(?:st|nd|rd|th)?,? (?:(\d{4}),? )?(?:at )?)?(\d{1,2})(?::(\d\d))? ?([ap]m)?\b(?: \(([\w+/-]{1,40})\))?/i;

function timeOfDayMs(words: string, nowMs: number): number | null {
  const [all, month, date, year, hours, minutes, half, zone] = TIME_OF_DAY.exec(words.slice(0, MAX_CHARS)) ?? [];
  // A number alone is no time.
  if (all === undefined || (minutes === undefined && half === undefined)) return null;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  const at = month === undefined ? -1 : MONTHS.indexOf(month.toLowerCase());
  if (hour > 23 || Number(minutes ?? 0) > 59 || (month !== undefined && at < 0)) return null;
  const timeZone = isTimeZone(zone) ? zone : undefined;
  const today = new Date(nowMs + zoneOffsetMs(nowMs, timeZone));
  const resetMs = (dayOffset: number, yearOffset: number): number => {
    const [y, m, d] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
    const wall = Date.UTC(
      Number(year ?? y) + yearOffset,
      at < 0 ? m : at,
      at < 0 ? d + dayOffset : Number(date),
      hour,
      Number(minutes ?? 0),
    );
    return wall - zoneOffsetMs(wall - zoneOffsetMs(wall, timeZone), timeZone);
  };
  if (year !== undefined || resetMs(0, 0) > nowMs) return resetMs(0, 0);
  return at < 0 ? resetMs(1, 0) : resetMs(0, 1);
}

function isTimeZone(zone: string | undefined): zone is string {
  try {
    return zone !== undefined && new Intl.DateTimeFormat('en', { timeZone: zone }).format() !== '';
  } catch {
    return false;
  }
}

/** How far the clocks of a zone are ahead of UTC. Without a zone: those of this machine. */
function zoneOffsetMs(atMs: number, timeZone: string | undefined): number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...(timeZone === undefined ? {} : { timeZone }),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const parts = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  const wall = Date.UTC(parts['year'] ?? 0, (parts['month'] ?? 1) - 1, parts['day'] ?? 1, parts['hour'] ?? 0, parts['minute'] ?? 0);
  return wall - Math.floor(atMs / 60_000) * 60_000;
}

function unitMs(unit: string): number {
  const name = unit.toLowerCase();
  if (name === 'ms' || name.startsWith('milli')) return 1;
  return { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[name.charAt(0)] ?? Number.NaN;
}

export const CAUSE_ADVICE: Readonly<Record<Exclude<FailureCause, 'passing' | 'budget'>, string>> = {
  limit: 'A retry does not help before the limit is reset: resume then, or choose another agent.',
  'sign-in': 'Sign in with its own command, or correct its key; then retry.',
};
