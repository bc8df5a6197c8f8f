// An OTLP collector on loopback: keeps all spans and metrics that reach it.

import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: string;
  readonly boolValue?: boolean;
  readonly doubleValue?: number;
}

type Pairs = readonly { readonly key: string; readonly value: Value }[];

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Pairs;
  readonly status: { readonly code?: number };
}

interface Point {
  readonly attributes: Pairs;
  readonly asDouble?: number;
  readonly count?: string;
  readonly sum?: number;
  readonly bucketCounts?: readonly string[];
}

interface CollectedMetric {
  readonly name: string;
  readonly unit: string;
  readonly sum?: { readonly dataPoints: readonly Point[] };
  readonly gauge?: { readonly dataPoints: readonly Point[] };
  readonly histogram?: { readonly dataPoints: readonly Point[] };
}

export interface Collector {
  readonly url: string;
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[];
  readonly spans: () => readonly CollectedSpan[];
  /** The points of the last request that has this metric. */
  readonly points: (name: string) => readonly Point[];
  readonly close: () => void;
}

/** `answer`: the statuses of the answers, the last one for all further requests; null: none comes. */
export async function startCollector(...answer: readonly (number | null)[]): Promise<Collector> {
  const requests: Collector['requests'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const status = answer[Math.min(requests.length, answer.length - 1)] ?? (answer.length === 0 ? 200 : null);
      requests.push({ path: request.url ?? '', headers: request.headers, text: Buffer.concat(chunks).toString('utf8') });
      if (status !== null) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const bodies = <Body>(path: string) => requests.filter((one) => one.path === path).map(({ text }) => JSON.parse(text) as Body);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () =>
      bodies<{ readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[] }[] }>(
        '/v1/traces',
      ).flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))),
    points: (name) => {
      type Body = {
        readonly resourceMetrics: readonly { readonly scopeMetrics: readonly { readonly metrics: readonly CollectedMetric[] }[] }[];
      };
      const metrics = bodies<Body>('/v1/metrics').flatMap(({ resourceMetrics }) =>
        resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics)),
      );
      const metric = metrics.findLast((one) => one.name === name);
      return (metric?.sum ?? metric?.gauge ?? metric?.histogram)?.dataPoints ?? [];
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The attributes as an object. */
export function attributesOf({ attributes }: { readonly attributes: Pairs }): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? (value.intValue === undefined ? null : Number(value.intValue)),
    ]),
  );
}
