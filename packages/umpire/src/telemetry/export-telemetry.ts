// Collects spans and metrics and posts them as OTLP/JSON. Queues are bounded, one request of a kind is under way at a time, and the first
// failure is reported once. What cannot be sent in time is dropped.

import { randomUUID } from 'node:crypto';
import type { Recorded } from '@umpire/core/decider/events.js';
import { NEW_SESSION } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { lineOf } from '../views/safe-text.js';
import { newTrace, takeEvent } from './session-spans.js';
import type { Attributes, TraceSpan, Trace } from './session-spans.js';
import type { AgentSettings } from '../sessions/settings.js';

const SPANS_EVERY_MS = 5000;
const METRICS_EVERY_MS = 60_000;
const MOST_SPANS = 2048;
const MOST_SPANS_SENT = 512;
const CLOSE_MS = 2000;
/** Sessions whose past this process remembers. */
const MOST_TRACES = 200;
/** The specification's statuses after which the same request may be sent again. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** A session as its trace needs it. */
interface TracedSession {
  /** Tells the sessions of one process apart, such as the folder. */
  readonly id: string;
  /** Its journal from the first line on; later lines do no harm. Read only if this process did not see the event before. */
  readonly past: () => Iterable<Recorded>;
  /** The agents in the project's settings. */
  readonly agents: Readonly<Record<string, AgentSettings>>;
}

/** No function throws, waits for the network or returns a rejected promise. */
export interface Telemetry {
  /** An event that is durable now, and the state with it. */
  readonly event: (event: Recorded, state: SessionState, session: TracedSession) => void;
  /** How long a conductor took to decide about one input. */
  readonly turn: (ms: number) => void;
  /** How long an offer waited until a worker took it. */
  readonly queueAge: (ms: number) => void;
  readonly leaseLost: () => void;
  /** Agents at work in this process, and how many may be. */
  readonly slots: (used: number, total: number) => void;
  /** Sends the rest; takes two seconds at most. */
  readonly close: () => Promise<void>;
}

export function exportTelemetry(
  env: Readonly<Record<string, string | undefined>>,
  providers: ReadonlyMap<string, string>,
  say: (note: string) => void,
): Telemetry {
  const { traces, metrics, resource: described, problems } = otlpSettings(env);
  for (const problem of problems) say(problem);
  const resource: Attributes = { ...described, 'service.instance.id': randomUUID() };
  const startMs = Date.now();
  const stop = new AbortController();
  let hasFailed = false;
  const reportFailure = (problem: string) => {
    if (!hasFailed) say(`Telemetry is incomplete: ${lineOf(problem, 200)}. The run is not affected.`);
    hasFailed = true;
  };

  const known = new Map<string, Trace>();
  let queue: TraceSpan[] = [];
  const sendSpans = async (target: OtlpTarget): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.slice(0, MOST_SPANS_SENT);
      queue = queue.slice(MOST_SPANS_SENT);
      const written = batch.map(({ traceId, spanId, parentSpanId, name, startMs, endMs, attributes, failed }) => ({
        traceId,
        spanId,
        ...(parentSpanId === null ? {} : { parentSpanId }),
        name: lineOf(name, MOST_CHARS),
        kind: INTERNAL,
        startTimeUnixNano: nanoseconds(startMs),
        endTimeUnixNano: nanoseconds(endMs),
        attributes: pairs(attributes),
        status: failed ? { code: ERROR } : {},
      }));
      const answer = await postOtlp(
        target,
        JSON.stringify({ resourceSpans: [{ resource: { attributes: pairs(resource) }, scopeSpans: [{ scope: SCOPE, spans: written }] }] }),
        stop.signal,
      );
      if (answer === null) continue;
      reportFailure(answer.problem);
      if (!answer.isRetryable) continue;
      queue = [...batch, ...queue].slice(0, MOST_SPANS);
      return;
    }
  };

  const series = new Map<string, { readonly name: string; readonly unit: string; readonly series: Map<string, Series> }>();
  let isChanged = false;
  const seriesOf = (kind: Series['kind'], name: string, unit: string, attributes: Attributes): Series => {
    isChanged = true;
    const metric = series.get(name) ?? { name, unit, series: new Map<string, Series>() };
    series.set(name, metric);
    const key = JSON.stringify(attributes);
    const fresh: Series =
      kind === 'histogram'
        ? { kind, attributes, sum: 0, counts: Array<number>(BOUNDS.length + 1).fill(0) }
        : { kind, attributes, value: 0 };
    const one = metric.series.get(key) ?? fresh;
    metric.series.set(key, one);
    return one;
  };
  const addToSum = (name: string, unit: string, value: number, attributes: Attributes = {}) => {
    const one = seriesOf('sum', name, unit, attributes);
    if (one.kind !== 'histogram' && value > 0) one.value += value;
  };
  const set = (name: string, unit: string, value: number) => {
    const one = seriesOf('gauge', name, unit, {});
    if (one.kind !== 'histogram') one.value = value;
  };
  const addDuration = (name: string, ms: number) => {
    const seconds = Math.max(0, ms) / 1000;
    const one = seriesOf('histogram', name, 's', {});
    if (one.kind !== 'histogram' || !Number.isFinite(seconds)) return;
    one.sum += seconds;
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
    const at = bucket < 0 ? BOUNDS.length : bucket;
    one.counts[at] = (one.counts[at] ?? 0) + 1;
  };
  const sendMetrics = async (target: OtlpTarget): Promise<void> => {
    if (!isChanged) return;
    isChanged = false;
    const written = [...series.values()].map((metric) => ({ ...metric, series: [...metric.series.values()] }));
    const answer = await postOtlp(target, metricsBody(resource, written, startMs, Date.now()), stop.signal);
    if (answer === null) return;
    reportFailure(answer.problem);
    // The next request carries the totals again.
    isChanged ||= answer.isRetryable;
  };

  const sendings = [
    ...(traces === null ? [] : [repeat(() => sendSpans(traces), SPANS_EVERY_MS)]),
    ...(metrics === null ? [] : [repeat(() => sendMetrics(metrics), METRICS_EVERY_MS)]),
  ];
  return {
    event: (event, state, session) => {
      try {
        const trace = traceBefore(known, event.seq, session);
        const { spans, ended } = takeEvent(trace, event, state, { settings: session.agents, providers });
        if (traces !== null && spans.length > 0) {
          if (queue.length + spans.length > MOST_SPANS) reportFailure('spans came faster than they could be sent');
          else queue.push(...spans);
        }
        if (ended === null) return;
        const { agent, usage } = ended;
        if (usage.unknown?.includes('cost') !== true) addToSum('umpire.cost', '{USD}', usage.costUsd, { 'gen_ai.agent.name': agent });
        if (usage.unknown?.includes('tokens') !== true) addToSum('umpire.tokens', '{token}', usage.tokens, { 'gen_ai.agent.name': agent });
      } catch (error) {
        // Such as a journal that cannot be read: the session itself reports it where it matters.
        reportFailure(String(error));
      }
    },
    turn: (ms) => addDuration('umpire.turn.duration', ms),
    queueAge: (ms) => addDuration('umpire.queue.age', ms),
    leaseLost: () => addToSum('umpire.lease.lost', '{lease}', 1),
    slots: (used, total) => {
      set('umpire.slots.used', '{slot}', used);
      set('umpire.slots.total', '{slot}', total);
    },
    close: async () => {
      let late: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((done) => {
        late = setTimeout(() => {
          if (queue.length > 0 || isChanged || sendings.some(({ isSending }) => isSending()))
            reportFailure('the collector did not answer in time');
          done();
        }, CLOSE_MS);
      });
      await Promise.race([Promise.all(sendings.map(({ end }) => end())), limit]);
      clearTimeout(late);
      hasFailed = true;
      stop.abort();
    },
  };
}

/** The session's trace as of the event before. Another process may have recorded the events before this one. */
function traceBefore(known: Map<string, Trace>, seq: number, { id, past }: Parameters<Telemetry['event']>[2]): Trace {
  const last = known.get(id);
  if (last?.seq === seq - 1) return last;
  const trace = newTrace();
  known.delete(id);
  known.set(id, trace);
  const [oldest = id] = known.keys();
  if (known.size > MOST_TRACES) known.delete(oldest);
  if (seq > 1)
    for (const event of past()) if (event.seq < seq) takeEvent(trace, event, NEW_SESSION, { settings: {}, providers: new Map() });
  return trace;
}

/** Sends at intervals, one request after the other. Its timer does not keep the process alive. */
function repeat(send: () => Promise<void>, everyMs: number): { readonly isSending: () => boolean; readonly end: () => Promise<void> } {
  let current: Promise<void> | null = null;
  const sendNow = (): Promise<void> => {
    current ??= send().finally(() => {
      current = null;
    });
    return current;
  };
  const timer = setInterval(() => void sendNow(), everyMs).unref();
  const stopRepeating = async () => {
    clearInterval(timer);
    await current;
    await sendNow();
  };
  return { isSending: () => current !== null, end: stopRepeating };
}

/** Null: accepted. Never rejects. */
async function postOtlp(
  { url, headers, timeoutMs }: OtlpTarget,
  body: string,
  stop: AbortSignal,
): Promise<{ readonly problem: string; readonly isRetryable: boolean } | null> {
  const { origin, pathname } = new URL(url);
  const place = `${origin}${pathname}`;
  const late = new AbortController();
  const stopRepeating = () => late.abort(new Error('no answer in time'));
  const timer = setTimeout(stopRepeating, timeoutMs).unref();
  stop.addEventListener('abort', stopRepeating, { once: true });
  try {
    const sent = { ...headers, 'content-type': 'application/json' };
    // A redirect could carry the headers, which may hold a key, elsewhere.
    const answer = await fetch(url, { method: 'POST', headers: sent, body, signal: late.signal, redirect: 'error' });
    const text = await answer.text();
    if (!answer.ok) return { problem: `${place} answered ${answer.status}`, isRetryable: RETRYABLE.has(answer.status) };
    const refused = /"rejected(?:Spans|DataPoints)":\s*"?[1-9]/.test(text);
    return refused ? { problem: `${place} refused a part`, isRetryable: false } : null;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { problem: `${place}: ${cause instanceof Error ? cause.message : String(cause)}`, isRetryable: true };
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', stopRepeating);
  }
}

// Spans and metrics as OTLP/JSON 1.x: the request bodies of POST /v1/traces and /v1/metrics. 64-bit integers are strings, ids hexadecimal.

const SCOPE = { name: 'umpire' };
const INTERNAL = 1;
const ERROR = 2;
const CUMULATIVE = 2;
const MOST_CHARS = 256;

/** One time series. A sum only grows. */
export type Series = { readonly attributes: Attributes } & (
  | { readonly kind: 'sum' | 'gauge'; value: number }
  | { readonly kind: 'histogram'; sum: number; readonly counts: number[] }
);

interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly series: readonly Series[];
}

/** Upper bounds in seconds: turns take milliseconds, queues minutes. */
const BOUNDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

function metricsBody(resource: Attributes, metrics: readonly Metric[], startMs: number, nowMs: number): string {
  const written = metrics.map(({ name, unit, series }) => {
    const times = { startTimeUnixNano: nanoseconds(startMs), timeUnixNano: nanoseconds(nowMs) };
    const dataPoints = series.map((one) => {
      const head = { attributes: pairs(one.attributes), ...times };
      if (one.kind !== 'histogram') return { ...head, asDouble: one.value };
      const count = one.counts.reduce((sum, each) => sum + each, 0);
      return { ...head, count: String(count), sum: one.sum, bucketCounts: one.counts.map(String), explicitBounds: BOUNDS };
    });
    const kind = series[0]?.kind;
    const data =
      kind === 'gauge'
        ? { gauge: { dataPoints } }
        : kind === 'sum'
          ? { sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } }
          : { histogram: { dataPoints, aggregationTemporality: CUMULATIVE } };
    return { name, unit, ...data };
  });
  const scopeMetrics = [{ scope: SCOPE, metrics: written }];
  return JSON.stringify({ resourceMetrics: [{ resource: { attributes: pairs(resource) }, scopeMetrics }] });
}

function nanoseconds(ms: number): string {
  return `${Math.round(ms)}000000`;
}

function pairs(attributes: Attributes): readonly unknown[] {
  return Object.entries(attributes).flatMap<unknown>(([key, value]) => {
    if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) return [];
    if (typeof value === 'string') return [{ key, value: { stringValue: lineOf(value, MOST_CHARS) } }];
    if (typeof value === 'boolean') return [{ key, value: { boolValue: value } }];
    return [{ key, value: Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value } }];
  });
}

// Where and how telemetry is sent: the OTEL_… variables of the OpenTelemetry specification that Umpire follows.

type OtelVariables = Readonly<Record<string, string | undefined>>;

interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

interface OtlpSettings {
  /** Null: not asked for, or not possible. */
  readonly traces: OtlpTarget | null;
  readonly metrics: OtlpTarget | null;
  readonly resource: Readonly<Record<string, string>>;
  /** Settings that Umpire cannot follow, for people. */
  readonly problems: readonly string[];
}

export function otlpSettings(env: OtelVariables): OtlpSettings {
  const problems: string[] = [];
  const readOtlpTarget = (signal: 'traces' | 'metrics'): OtlpTarget | null => {
    const word = signal.toUpperCase();
    const readVariable = (name: string) => env[`OTEL_EXPORTER_OTLP_${word}_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || undefined;
    const own = env[`OTEL_EXPORTER_OTLP_${word}_ENDPOINT`];
    const address = readVariable('ENDPOINT');
    if (address === undefined || env[`OTEL_${word}_EXPORTER`] === 'none') return null;
    const url = own ? address : `${address.replace(/\/+$/, '')}/v1/${signal}`;
    if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
      problems.push(`The OTLP endpoint for ${signal} is not an http or https address, so none are sent.`);
      return null;
    }
    if (new URL(url).username !== '' || new URL(url).password !== '') {
      problems.push(`The OTLP endpoint for ${signal} holds a password, so none are sent. Put it into OTEL_EXPORTER_OTLP_HEADERS.`);
      return null;
    }
    const protocol = readVariable('PROTOCOL');
    if (protocol !== undefined && !protocol.startsWith('http/')) {
      const shown = lineOf(protocol, 40);
      problems.push(`Umpire sends OTLP over http, not ${shown}: no ${signal} are sent. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/json.`);
      return null;
    }
    const timeoutMs = Number(readVariable('TIMEOUT'));
    const headers = Object.entries(pairsIn(readVariable('HEADERS')));
    const valid = headers.filter(([name, value]) => /^[!#$%&'*+.^`|~\w-]+$/.test(name) && /^[\t\u0020-\u007e]*$/.test(value));
    if (valid.length < headers.length) problems.push('OTEL_EXPORTER_OTLP_HEADERS holds a header that cannot be sent.');
    return {
      url,
      headers: Object.fromEntries(valid),
      timeoutMs: timeoutMs > 0 ? Math.min(timeoutMs, MOST_MS) : DEFAULT_MS,
    };
  };
  const traces = readOtlpTarget('traces');
  const metrics = readOtlpTarget('metrics');
  const service = env['OTEL_SERVICE_NAME'] ? { 'service.name': env['OTEL_SERVICE_NAME'] } : {};
  const resource = { 'service.name': 'umpire', ...pairsIn(env['OTEL_RESOURCE_ATTRIBUTES']), ...service };
  return { traces, metrics, resource, problems: [...new Set(problems)] };
}

const DEFAULT_MS = 10_000;
const MOST_MS = 600_000;

/** `key=value,key=value`, percent-encoded. */
function pairsIn(text = ''): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decodePercent(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
