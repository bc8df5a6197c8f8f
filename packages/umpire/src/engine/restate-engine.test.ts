import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOAK, isSoak } from '../../../../test/support/campaign.js';
import { engineConformance, toyConduct } from '../../../../test/support/engine-conformance.js';
import { hasRestateServer, installRestateServer, startRestateCluster } from '../../../../test/support/restate-server.js';
import type { RestateCluster } from '../../../../test/support/restate-server.js';
import type { Engine } from './engine.js';
import { openRestateEngine } from './restate-engine.js';

const WORKER = { name: 'w', labels: [], slots: 1 };
const PATIENCE_MS = 60_000;

/** The URL of all nodes: a node that is away is passed over. */
function urlOf({ nodes: [first, ...others] }: RestateCluster): string {
  const also = others.map(({ ingressPort }) => `127.0.0.1:${ingressPort}`).join(',');
  const admin = [first!, ...others].map(({ adminPort }) => `127.0.0.1:${adminPort}`).join(',');
  return `restate://127.0.0.1:${first!.ingressPort}?admin=${admin}&also=${also}`;
}

async function withConductor(engine: Engine, act: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const conducting = (await engine.conductor()).conduct(toyConduct, { signal: stop.signal, concurrency: 2 });
  await act();
  stop.abort();
  await conducting;
}

describe.runIf(isSoak || hasRestateServer())('Restate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-restate-'));
  let cluster: RestateCluster;

  beforeAll(async () => {
    installRestateServer();
    cluster = await startRestateCluster(join(folder, 'one'));
  });

  afterAll(async () => {
    await cluster.end();
    rmSync(folder, { recursive: true, force: true });
  });

  it('runs a task, also after the server was killed', async () => {
    const engine = openRestateEngine(urlOf(cluster));
    const [client, worker] = await Promise.all([engine.client(), engine.worker()]);
    await withConductor(engine, async () => {
      expect(await client.tell('smoke', { start: [{ task: 'a' }] }, 'start')).toEqual({ line: 0 });
      const lease = await worker.poll(WORKER, PATIENCE_MS);
      expect(lease).toMatchObject({ session: 'smoke', task: 'a', attempt: 1 });
      await cluster.nodes[0]!.kill();
      const handed = worker.handIn(lease!.token, 'done');
      await cluster.nodes[0]!.start();
      expect(await handed).toEqual({ line: 2 });
      expect(await client.lines('smoke', 0)).toHaveLength(3);
    });
    await Promise.all([client.close(), worker.close()]);
  });

  it('continues where one of three nodes is killed, and another is frozen', SOAK, async () => {
    const three = await startRestateCluster(join(folder, 'three'), 3);
    const engine = openRestateEngine(urlOf(three));
    const client = await engine.client();
    await withConductor(engine, async () => {
      await client.tell('s', { start: [{ task: 'a' }] }, 'start');
      const tell = (from: number) =>
        Promise.all(Array.from({ length: 10 }, (_, at) => client.tell('s', { note: `${from + at}` }, `note ${from + at}`)));
      const [, , third] = three.nodes;
      const first = tell(0);
      await third!.kill();
      await first;
      await tell(10);
      await third!.start();
      const second = tell(20);
      third!.stop();
      await second;
      third!.cont();
      const lines = (await client.lines('s', 0)).map((line) => JSON.parse(line) as { n: number; note?: string });
      expect(lines.map(({ n }) => n)).toEqual(Array.from({ length: 31 }, (_, at) => at));
      expect(new Set(lines.map(({ note }) => note)).size).toBe(31);
    });
    await client.close();
    await three.end();
  });

  describe('conformance', SOAK, () => {
    engineConformance('Restate', async (options) => ({
      engine: openRestateEngine(cluster.nodes[0]!.url, options),
      close: async () => undefined,
    }));
  });

  it.each([
    ['restate://engine.example', /not encrypted/],
    ['restate+https://engine.example?service=http://other.example:9080', /not encrypted/],
    ['restate://localhost?password=x', /unknown part "password"/],
    ['restate://user:x@localhost', /no logins/],
  ])('refuses the address %s', (url, message) => {
    expect(() => openRestateEngine(url)).toThrow(message);
  });
});
