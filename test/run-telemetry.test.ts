// OpenTelemetry of real runs: one trace for a session over several processes; a collector that hangs or is gone changes nothing.

import { SOAK } from './support/campaign.js';
import { chmodSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { attributesOf, startCollector } from './support/collector.js';
import type { Collector } from './support/collector.js';
import { cleanUpProjects, endOf, eventsOf, makeProject, verdictsOf } from './support/run-project.js';

cleanUpProjects();

const collectors: Collector[] = [];
afterEach(() => {
  for (const collector of collectors.splice(0)) collector.close();
});

async function collect(...answer: readonly (number | null)[]): Promise<Collector> {
  const collector = await startCollector(...answer);
  collectors.push(collector);
  return collector;
}

const NO_TESTS = { config: { critics: { tests: 'none' } } };
/** Blocked until a person insists. */
const BLOCKED = `
if grep -q '"from":"person"' "$UMPIRE_TASK_FILE"; then echo made > made; complete "made it"; exit; fi
echo '{"status":"blocked","error":"The secret check is wrong."}'`;

it('puts both processes of a session into one trace, and loads nothing without an endpoint', SOAK, async () => {
  const collector = await collect();
  const project = makeProject(NO_TESTS);
  const silent = await project.umpireWith(
    { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: 'true' } },
    'until',
    'true',
    ...project.sh('complete x'),
  );
  expect({ exit: silent.exit, requests: collector.requests.length }).toEqual({ exit: 0, requests: 0 });

  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=one%20two,x-other=2',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=blue',
    OTEL_SERVICE_NAME: 'loops',
  };
  const first = await project.umpireWith({ env }, 'until', 'test -e made', ...project.sh(BLOCKED));
  expect({ exit: first.exit, notes: /telemetry/i.test(first.err), spans: collector.spans().map(({ name }) => name) }).toEqual({
    exit: 4,
    notes: false,
    spans: ['check CHECK-001', 'verdict retry', 'invoke_agent command'],
  });
  const answer = ['resolve', first.session, 'insist', '--reason', 'The documentation is old.'];
  expect((await project.umpireWith({ env }, ...answer)).exit).toBe(0);

  const spans = collector.spans();
  const root = spans.find(({ parentSpanId }) => parentSpanId === undefined);
  expect(spans.map((span) => [span.name, attributesOf(span)['umpire.outcome'] ?? '', span.status.code ?? 0])).toEqual([
    ['check CHECK-001', 'completed', 0],
    ['verdict retry', '', 0],
    ['invoke_agent command', 'blocked', 2],
    ['invoke_agent command', 'completed', 0],
    ['merge WORK-1', 'completed', 0],
    ['check CHECK-re-1', 'completed', 0],
    ['verdict pass', '', 0],
    ['invoke_workflow until', 'complete', 0],
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  const merge = spans.find(({ name }) => name === 'merge WORK-1');
  expect(spans.find(({ spanId }) => spanId === merge?.parentSpanId)).toBe(spans[3]);
  const children = spans.filter((span) => span !== root && span !== merge);
  expect(new Set(children.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([root?.spanId]));
  for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
    expect(BigInt(startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(root?.startTimeUnixNano ?? 0));
    expect(BigInt(endTimeUnixNano)).toBeLessThanOrEqual(BigInt(root?.endTimeUnixNano ?? 0));
  }
  expect(root?.startTimeUnixNano).toBe(`${Date.parse(eventsOf(first.session)[0]?.ts ?? '')}000000`);
  expect(attributesOf(spans[2] as (typeof spans)[number])).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'command',
    'umpire.task.id': 'WORK-1',
    'umpire.task.attempt': 1,
    'error.type': 'blocked',
  });
  expect(collector.points('umpire.slots.total').map(({ asDouble }) => asDouble)).toEqual([3]);
  const { headers, text } = collector.requests[0] as (typeof collector.requests)[number];
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-key': 'one two', 'x-other': '2' });
  expect(text).toMatch(/"service.name","value":\{"stringValue":"loops"\}.*"team","value":\{"stringValue":"blue"\}/);
  // No prompt, goal, reason or finding.
  expect(collector.requests.some((one) => /secret|documentation|made it|test -e/.test(one.text))).toBe(false);
});

it('names provider, model, conversation and usage where the agent reports them', async () => {
  const collector = await collect();
  const result = { type: 'result', subtype: 'success', result: 'Done.', session_id: 'talk-1', total_cost_usd: 0.25, uuid: 'u' };
  const usage = { input_tokens: 30, output_tokens: 12 };
  const project = makeProject({
    config: { critics: { tests: 'none' }, agents: { mine: { uses: 'claude', model: 'opus' } } },
  });
  project.write({
    '../bin/claude': `#!/bin/sh\nhead -n 1 >/dev/null; echo made > made\nprintf '%s\\n' '${JSON.stringify({ ...result, usage })}'\n`,
  });
  chmodSync(`${project.beside}/bin/claude`, 0o755);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, PATH: `${project.beside}/bin:${process.env['PATH'] ?? ''}` };
  const ran = await project.umpireWith({ env }, 'until', 'test -e made', '--agent', 'mine');
  expect(`${ran.exit} ${endOf(ran.session)}`).toBe('0 complete');
  const attempt = collector.spans().find(({ name }) => name === 'invoke_agent mine');
  expect(attempt === undefined ? null : attributesOf(attempt)).toMatchObject({
    'gen_ai.agent.name': 'mine',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': 'opus',
    'gen_ai.conversation.id': 'talk-1',
    'umpire.usage.tokens': 42,
    'umpire.cost_usd': 0.25,
    'umpire.task.role': 'worker',
  });
  expect(collector.points('umpire.cost').map((point) => [attributesOf(point)['gen_ai.agent.name'], point.asDouble])).toContainEqual([
    'mine',
    0.25,
  ]);
  expect(collector.points('umpire.tokens').map((point) => [attributesOf(point)['gen_ai.agent.name'], point.asDouble])).toContainEqual([
    'mine',
    42,
  ]);
});

it('ends the same, in time and with one note, when the collector hangs or is gone', SOAK, async () => {
  const hanging = await collect(null);
  const gone = await collect();
  gone.close();
  const run = async (endpoint: string) => {
    const project = makeProject(NO_TESTS);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '60000' };
    const { exit, err, session } = await project.umpireWith(
      { env },
      'until',
      'test -e made',
      ...project.sh('echo made > made; complete "made"'),
    );
    const lateMs = Date.now() - Date.parse(eventsOf(session).at(-1)?.ts ?? '');
    return {
      exit,
      verdicts: verdictsOf(session),
      end: endOf(session),
      notes: err.match(/Telemetry is incomplete/g)?.length ?? 0,
      isInTime: lateMs < 30_000,
    };
  };
  const results = await Promise.all([run(hanging.url), run(gone.url)]);
  const expected = { exit: 0, verdicts: ['CHECK-001 retry U8 0/5', 'CHECK-re-1 pass U5 1/5'], end: 'complete', notes: 1, isInTime: true };
  expect(results).toEqual([expected, expected]);
  expect(hanging.requests.length).toBeGreaterThan(0);
});
