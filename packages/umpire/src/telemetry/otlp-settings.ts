// Where and how telemetry is sent: the OTEL_… variables of the OpenTelemetry specification that Umpire follows.

import { lineOf } from '../views/safe-text.js';

type OtelVariables = Readonly<Record<string, string | undefined>>;

export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface OtlpSettings {
  /** Null: not asked for, or not possible. */
  readonly traces: OtlpTarget | null;
  readonly metrics: OtlpTarget | null;
  readonly resource: Readonly<Record<string, string>>;
  /** Settings that Umpire cannot follow, for people. */
  readonly problems: readonly string[];
}

export function otlpSettings(env: OtelVariables): OtlpSettings {
  const problems: string[] = [];
  const targetOf = (signal: 'traces' | 'metrics'): OtlpTarget | null => {
    const word = signal.toUpperCase();
    const read = (name: string) => env[`OTEL_EXPORTER_OTLP_${word}_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || undefined;
    const own = env[`OTEL_EXPORTER_OTLP_${word}_ENDPOINT`];
    const address = read('ENDPOINT');
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
    const protocol = read('PROTOCOL');
    if (protocol !== undefined && !protocol.startsWith('http/')) {
      const shown = lineOf(protocol, 40);
      problems.push(`Umpire sends OTLP over http, not ${shown}: no ${signal} are sent. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/json.`);
      return null;
    }
    const timeoutMs = Number(read('TIMEOUT'));
    const headers = Object.entries(pairsIn(read('HEADERS')));
    const valid = headers.filter(([name, value]) => /^[!#$%&'*+.^`|~\w-]+$/.test(name) && /^[\t\u0020-\u007e]*$/.test(value));
    if (valid.length < headers.length) problems.push('OTEL_EXPORTER_OTLP_HEADERS holds a header that cannot be sent.');
    return {
      url,
      headers: Object.fromEntries(valid),
      timeoutMs: timeoutMs > 0 ? Math.min(timeoutMs, MOST_MS) : DEFAULT_MS,
    };
  };
  const traces = targetOf('traces');
  const metrics = targetOf('metrics');
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
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
