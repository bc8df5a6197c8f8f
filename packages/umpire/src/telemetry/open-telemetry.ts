// OpenTelemetry: a trace for each session, and metrics. Off, and not even loaded, unless an OTLP endpoint is set. It never stops a run.

import type { Telemetry } from './export-telemetry.js';

const ignoreCall = (): void => undefined;

const OFF: Telemetry = {
  event: ignoreCall,
  turn: ignoreCall,
  queueAge: ignoreCall,
  leaseLost: ignoreCall,
  slots: ignoreCall,
  close: () => Promise.resolve(),
};

/**
 * One for each process, or part of a process, that ends on its own. `say` gets one note if something is wrong. `providers`: the names of the
 * GenAI conventions by agent.
 */
export async function openTelemetry(
  env: Readonly<Record<string, string | undefined>>,
  providers: ReadonlyMap<string, string>,
  say: (note: string) => void,
): Promise<Telemetry> {
  const isAsked = ['', 'TRACES_', 'METRICS_'].some((signal) => (env[`OTEL_EXPORTER_OTLP_${signal}ENDPOINT`] ?? '') !== '');
  if (!isAsked || env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return OFF;
  const { exportTelemetry } = await import('./export-telemetry.js');
  return exportTelemetry(env, providers, say);
}
