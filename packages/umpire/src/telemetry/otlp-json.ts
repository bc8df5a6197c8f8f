// Spans and metrics as OTLP/JSON 1.x: the request bodies of POST /v1/traces and /v1/metrics. 64-bit integers are strings, ids hexadecimal.

import { lineOf } from '../views/safe-text.js';
import type { Attributes, TraceSpan } from './session-spans.js';

const SCOPE = { name: 'umpire' };
const INTERNAL = 1;
const ERROR = 2;
const CUMULATIVE = 2;
const MOST_CHARS = 256;

export function tracesBody(resource: Attributes, spans: readonly TraceSpan[]): string {
  const written = spans.map(({ traceId, spanId, parentSpanId, name, startMs, endMs, attributes, failed }) => ({
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
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: pairs(resource) }, scopeSpans: [{ scope: SCOPE, spans: written }] }] });
}

/** One time series. A sum only grows. */
export type Series = { readonly attributes: Attributes } & (
  | { readonly kind: 'sum' | 'gauge'; value: number }
  | { readonly kind: 'histogram'; sum: number; readonly counts: number[] }
);

export interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly series: readonly Series[];
}

/** Upper bounds in seconds: turns take milliseconds, queues minutes. */
export const BOUNDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

export function metricsBody(resource: Attributes, metrics: readonly Metric[], startMs: number, nowMs: number): string {
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
