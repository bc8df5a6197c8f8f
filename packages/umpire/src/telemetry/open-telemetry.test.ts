// Spans of recorded events, metrics, settings, and a collector that refuses for a while.

import { afterEach, expect, it } from 'vitest';
import type { Recorded } from '@umpire/core/decider/events.js';
import { NEW_SESSION } from '@umpire/core/decider/evolve.js';
import { attributesOf, startCollector } from '../../../../test/support/collector.js';
import type { Collector } from '../../../../test/support/collector.js';
import { otlpSettings } from './export-telemetry.js';
import { newTrace, takeEvent } from './session-spans.js';
import { openTelemetry } from './open-telemetry.js';

const open: Collector[] = [];
afterEach(() => {
  for (const collector of open.splice(0)) collector.close();
});

/** The fields that spans read; each event one second after the one before. */
function recorded(...events: readonly (readonly [type: string, data?: object])[]): readonly Recorded[] {
  return events.map(
    ([type, data = {}], at) =>
      ({ type, data, seq: at + 1, ts: new Date(1_700_000_000_000 + at * 1000).toISOString() }) as unknown as Recorded,
  );
}

const A1 = { task: 'A', attempt: 1 };
const EVENTS = recorded(
  ['SessionStarted', { session: 's', loop: 'review', mode: 'plain' }],
  ['TaskStarted', { ...A1, agent: 'codex-acp' }],
  ['TaskPostponed', { ...A1, usage: { tokens: 5, costUsd: 0, unknown: ['cost'] } }],
  ['TaskStarted', { task: 'A', attempt: 2, agent: 'codex-acp' }],
  ['TaskFinished', { task: 'A', attempt: 2, status: 'failed', usage: { tokens: 7, costUsd: 0.5 } }],
  ['SessionEnded', { outcome: 'failed', unverified: false }],
  ['TasksReopened'],
  ['SessionEnded', { outcome: 'complete', unverified: false }],
);

function spansOf(events: readonly Recorded[]) {
  const trace = newTrace();
  return events.flatMap(
    (event) =>
      takeEvent(trace, event, NEW_SESSION, {
        settings: {},
        providers: new Map([
          ['codex', 'openai'],
          ['codex-acp', 'openai'],
        ]),
      }).spans,
  );
}

it('makes a span of each attempt, and keeps ids unique when a session ends twice', () => {
  const spans = spansOf(EVENTS);
  expect(
    spans.map(({ name, startMs, endMs, failed, attributes }) => [name, (endMs - startMs) / 1000, failed, attributes['error.type']]),
  ).toEqual([
    ['invoke_agent codex-acp', 1, true, 'postponed'],
    ['invoke_agent codex-acp', 1, true, 'failed'],
    ['invoke_workflow review', 5, true, 'failed'],
    ['reopened', 1, false, undefined],
  ]);
  expect(spans[0]?.attributes).toMatchObject({ 'gen_ai.provider.name': 'openai', 'umpire.cost_usd': undefined, 'umpire.usage.tokens': 5 });
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4);
  expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual([spans[2]?.spanId, spans[2]?.spanId, null, spans[2]?.spanId]);
  const renamed = recorded(['SessionStarted', { session: 't' }], ['SessionEnded', { outcome: 'complete' }]);
  expect(spansOf(renamed)[0]?.traceId).not.toBe(spans[0]?.traceId);
});

it('joins the trace in any process, reading the past only where it must', async () => {
  const collector = await startCollector();
  open.push(collector);
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` };
  let reads = 0;
  const session = {
    id: 's',
    past: () => {
      reads++;
      return EVENTS;
    },
    agents: {},
  };
  const [one, other] = [await openTelemetry(env, new Map(), fail), await openTelemetry(env, new Map(), fail)];
  for (const event of EVENTS) (event.seq < 5 ? one : other).event(event, NEW_SESSION, session);
  await Promise.all([one.close(), other.close()]);
  const ids = collector.spans().map(({ spanId }) => spanId);
  expect({ ids: new Set(ids), reads }).toEqual({ ids: new Set(spansOf(EVENTS).map(({ spanId }) => spanId)), reads: 1 });
});

it('sums, measures and shows metrics', async () => {
  const collector = await startCollector();
  open.push(collector);
  const telemetry = await openTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, new Map([['claude', 'anthropic']]), fail);
  for (const event of EVENTS) telemetry.event(event, NEW_SESSION, { id: 's', past: () => [], agents: {} });
  telemetry.turn(20);
  telemetry.turn(40);
  telemetry.queueAge(10_000_000);
  telemetry.leaseLost();
  telemetry.leaseLost();
  telemetry.slots(1, 4);
  telemetry.slots(2, 4);
  await telemetry.close();
  expect(collector.points('umpire.turn.duration')[0]).toMatchObject({ count: '2', sum: 0.06 });
  expect(collector.points('umpire.turn.duration')[0]?.bucketCounts?.slice(0, 5)).toEqual(['0', '0', '1', '1', '0']);
  expect(collector.points('umpire.queue.age')[0]?.bucketCounts?.at(-1)).toBe('1');
  const values = ['umpire.lease.lost', 'umpire.slots.used', 'umpire.slots.total', 'umpire.cost', 'umpire.tokens'].map((name) =>
    collector.points(name).map((point) => [attributesOf(point)['gen_ai.agent.name'], point.asDouble]),
  );
  expect(values).toEqual([[[undefined, 2]], [[undefined, 2]], [[undefined, 4]], [['codex-acp', 0.5]], [['codex-acp', 12]]]);
});

it('reports a refusal once', async () => {
  const collector = await startCollector(503, 200);
  open.push(collector);
  const notes: string[] = [];
  const telemetry = await openTelemetry(
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` },
    new Map(),
    (note) => void notes.push(note),
  );
  for (const event of EVENTS) telemetry.event(event, NEW_SESSION, { id: 's', past: () => [], agents: {} });
  await telemetry.close();
  expect(notes).toEqual([`Telemetry is incomplete: ${collector.url}/v1/traces answered 503. The run is not affected.`]);
});

it('follows the standard variables, and says which it cannot follow', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://host:4318/base/' };
  const { traces, metrics, resource } = otlpSettings({
    ...endpoint,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other/exact',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'Authorization=Basic%20abc=',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=x, team = a%2Cb',
  });
  expect({ traces, metrics, resource }).toEqual({
    traces: { url: 'http://other/exact', headers: {}, timeoutMs: 500 },
    metrics: { url: 'https://host:4318/base/v1/metrics', headers: { Authorization: 'Basic abc=' }, timeoutMs: 500 },
    resource: { 'service.name': 'x', team: 'a,b' },
  });
  const refused = (env: Readonly<Record<string, string>>) => {
    const read = otlpSettings({ ...endpoint, OTEL_METRICS_EXPORTER: 'none', ...env });
    return [read.traces === null, ...read.problems];
  };
  expect(refused({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toEqual([
    true,
    'Umpire sends OTLP over http, not grpc: no traces are sent. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/json.',
  ]);
  expect(refused({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' })).toEqual([false]);
  expect(refused({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:secret@host' }).join(' ')).toMatch(/^true .*holds a password/);
  expect(refused({ OTEL_EXPORTER_OTLP_ENDPOINT: 'host:4317' })[0]).toBe(true);
  expect(refused({ OTEL_EXPORTER_OTLP_HEADERS: 'key=a%0Ab' }).join(' ')).toMatch(/^false .*cannot be sent/);
  expect(refused({ OTEL_EXPORTER_OTLP_HEADERS: 'key=a%0Ab' }).join(' ')).not.toContain('a\nb');
});

function fail(note: string): void {
  throw new Error(`Not expected: ${note}`);
}
