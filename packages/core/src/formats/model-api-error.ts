// Reads the HTTP status, the retry delay and the reset time of a plan from an error of a model API, however the agent wraps it.

import { isObject, own, parseJson } from './json-text.js';
import type { JsonObject } from './json-text.js';

export interface ApiErrorInfo {
  readonly status: number | null;
  readonly afterMs: number | null;
  /** When an exhausted plan is renewed. */
  readonly resetsAtMs?: number;
}

export const NO_API_ERROR_INFO: ApiErrorInfo = { status: null, afterMs: null };

/** Member names of the status, as agents pass it on. */
const STATUS_NAMES = ['statusCode', 'status_code', 'api_error_status', 'status', 'code'] as const;

/** Members that may hold the inner error, also as a JSON string. */
const INNER_NAMES = ['error', 'data', 'message'] as const;

const DEEPEST = 6;

export function readApiError(value: unknown, depth = 0): ApiErrorInfo {
  const object = objectOf(value);
  if (object === null || depth > DEEPEST) return NO_API_ERROR_INFO;
  const inner = INNER_NAMES.map((name) => readApiError(own(object, name), depth + 1));
  const status = STATUS_NAMES.map((name) => {
    const value = own(object, name);
    return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599 ? value : null;
  }).find((code) => code !== null);
  const resetsAtMs = readResetTime(object) ?? inner.find((signs) => signs.resetsAtMs !== undefined)?.resetsAtMs;
  return {
    status: status ?? inner.find((signs) => signs.status !== null)?.status ?? null,
    afterMs:
      headerMs(own(object, 'responseHeaders')) ??
      detailMs(own(object, 'details')) ??
      inner.find(({ afterMs }) => afterMs !== null)?.afterMs ??
      null,
    ...(resetsAtMs === undefined ? {} : { resetsAtMs }),
  };
}

/** Earlier times in seconds are no dates of a plan. */
const YEAR_2020_SECONDS = 1_577_836_800;

/** `resets_at` (Codex) or `resetsAt` (Claude Code), in seconds since 1970. */
export function readResetTime(object: JsonObject): number | undefined {
  const seconds = ['resets_at', 'resetsAt'].map((name) => own(object, name)).find((value) => typeof value === 'number');
  return seconds !== undefined && seconds > YEAR_2020_SECONDS && seconds < 10 * YEAR_2020_SECONDS ? seconds * 1000 : undefined;
}

function objectOf(value: unknown): JsonObject | null {
  if (typeof value !== 'string') return isObject(value) ? value : null;
  const text = value.trim();
  const parsed = text.startsWith('{') ? parseJson(text) : null;
  return parsed?.ok === true && isObject(parsed.value) ? parsed.value : null;
}

/** Seconds, or milliseconds if the header says so. Dates are not read, because this code has no clock. */
function headerMs(headers: unknown): number | null {
  if (!isObject(headers)) return null;
  const exact = count(own(headers, 'retry-after-ms'));
  const seconds = count(own(headers, 'retry-after'));
  return exact ?? (seconds === null ? null : seconds * 1000);
}

function count(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : null;
}

/** Google: `{"@type": "…RetryInfo", "retryDelay": "7s"}` in the details. */
function detailMs(details: unknown): number | null {
  for (const detail of Array.isArray(details) ? details.slice(0, 20) : []) {
    const delay = isObject(detail) ? own(detail, 'retryDelay') : null;
    const seconds = typeof delay === 'string' && delay.endsWith('s') ? count(delay.slice(0, -1)) : null;
    if (seconds !== null) return seconds * 1000;
  }
  return null;
}
