// Collects spans and metrics and posts them as OTLP/JSON. Queues are bounded, one request of a kind is under way at a time, and the first
// failure is reported once. What cannot be sent in time is dropped.

import { randomUUID } from 'node:crypto';
import { NEW_SESSION } from '@umpire/core/decider/evolve.js';
import { lineOf } from '../views/safe-text.js';
import { BOUNDS, metricsBody, tracesBody } from './otlp-json.js';
import type { Series } from './otlp-json.js';
import { otlpSettings } from './otlp-settings.js';
import type { OtlpTarget } from './otlp-settings.js';
import { newTrace, takeEvent } from './session-spans.js';
import type { Attributes, TraceSpan, Trace } from './session-spans.js';
import type { Telemetry } from './telemetry.js';

const SPANS_EVERY_MS = 5000;
const METRICS_EVERY_MS = 60_000;
const MOST_SPANS = 2048;
const MOST_SPANS_SENT = 512;
const CLOSE_MS = 2000;
/** Sessions whose past this process remembers. */
const MOST_TRACES = 200;
/** The specification's statuses after which the same request may be sent again. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

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
  const report = (problem: string) => {
    if (!hasFailed) say(`Telemetry is incomplete: ${lineOf(problem, 200)}. The run is not affected.`);
    hasFailed = true;
  };

  const known = new Map<string, Trace>();
  let queue: TraceSpan[] = [];
  const sendSpans = async (target: OtlpTarget): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.slice(0, MOST_SPANS_SENT);
      queue = queue.slice(MOST_SPANS_SENT);
      const answer = await post(target, tracesBody(resource, batch), stop.signal);
      if (answer === null) continue;
      report(answer.problem);
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
  const add = (name: string, unit: string, value: number, attributes: Attributes = {}) => {
    const one = seriesOf('sum', name, unit, attributes);
    if (one.kind !== 'histogram' && value > 0) one.value += value;
  };
  const set = (name: string, unit: string, value: number) => {
    const one = seriesOf('gauge', name, unit, {});
    if (one.kind !== 'histogram') one.value = value;
  };
  const measure = (name: string, ms: number) => {
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
    const answer = await post(target, metricsBody(resource, written, startMs, Date.now()), stop.signal);
    if (answer === null) return;
    report(answer.problem);
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
          if (queue.length + spans.length > MOST_SPANS) report('spans came faster than they could be sent');
          else queue.push(...spans);
        }
        if (ended === null) return;
        const { agent, usage } = ended;
        if (usage.unknown?.includes('cost') !== true) add('umpire.cost', '{USD}', usage.costUsd, { 'gen_ai.agent.name': agent });
        if (usage.unknown?.includes('tokens') !== true) add('umpire.tokens', '{token}', usage.tokens, { 'gen_ai.agent.name': agent });
      } catch (error) {
        // Such as a journal that cannot be read: the session itself reports it where it matters.
        report(String(error));
      }
    },
    turn: (ms) => measure('umpire.turn.duration', ms),
    queueAge: (ms) => measure('umpire.queue.age', ms),
    leaseLost: () => add('umpire.lease.lost', '{lease}', 1),
    slots: (used, total) => {
      set('umpire.slots.used', '{slot}', used);
      set('umpire.slots.total', '{slot}', total);
    },
    close: async () => {
      let late: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((done) => {
        late = setTimeout(() => {
          if (queue.length > 0 || isChanged || sendings.some(({ isSending }) => isSending()))
            report('the collector did not answer in time');
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
  const start = (): Promise<void> => {
    current ??= send().finally(() => {
      current = null;
    });
    return current;
  };
  const timer = setInterval(() => void start(), everyMs).unref();
  const end = async () => {
    clearInterval(timer);
    await current;
    await start();
  };
  return { isSending: () => current !== null, end };
}

/** Null: accepted. Never rejects. */
async function post(
  { url, headers, timeoutMs }: OtlpTarget,
  body: string,
  stop: AbortSignal,
): Promise<{ readonly problem: string; readonly isRetryable: boolean } | null> {
  const { origin, pathname } = new URL(url);
  const place = `${origin}${pathname}`;
  const late = new AbortController();
  const end = () => late.abort(new Error('no answer in time'));
  const timer = setTimeout(end, timeoutMs).unref();
  stop.addEventListener('abort', end, { once: true });
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
    stop.removeEventListener('abort', end);
  }
}
