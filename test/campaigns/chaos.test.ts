// Fleets of real processes under fire (test/support/chaos.ts): `npm run chaos` runs the whole campaign, the soak 20 sessions for a minute,
// `npm test` a few with one worker killed. Skipped where the servers are not installed.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { engineInit, openEngine } from '@umpire/umpire/engine/open-engine.js';
import { SOAK, SEED } from '../support/campaign.js';
import { runChaos } from '../support/chaos.js';
import type { Battered, ChaosPlan, ChaosResult } from '../support/chaos.js';
import { startPostgresCluster } from '../support/postgres-cluster.js';
import { postgresPrograms } from '../support/postgres-server.js';

const named = process.env['UMPIRE_CHAOS'];
const say = (line: string): void => console.log(line);
const medium = { sessions: 20, workers: 3, seconds: 60, seed: SEED, limit: 4, leaseMs: 6000, say };
const plan: ChaosPlan = named === undefined ? medium : { ...medium, ...(JSON.parse(named) as Partial<ChaosPlan>) };
const engine = process.env['UMPIRE_CHAOS_ENGINE'] ?? 'postgres';

function check(result: ChaosResult): void {
  const { sessions, limit } = plan;
  say(tableOf(result));
  expect(result.faults).toEqual([]);
  const { ended, asLocal, twice, replayed, mostLeased, hits } = result;
  expect(Object.keys(hits).length).toBeGreaterThan(0);
  expect({ ended, asLocal, twice, replayed }).toEqual({ ended: sessions, asLocal: sessions, twice: 0, replayed: sessions });
  expect(mostLeased).toBeLessThanOrEqual(limit);
}

function tableOf({ ended, asLocal, attempts, twice, replayed, mostLeased, hits, outcomes, minutes }: ChaosResult): string {
  const rows: readonly (readonly [string, string])[] = [
    ['sessions ended', `${ended} of ${plan.sessions} (${words(outcomes)})`],
    ['verdicts as on one machine', `${asLocal} of ${plan.sessions}`],
    ['attempts begun twice', `${twice} of ${attempts}`],
    ['replayed the same', `${replayed} of ${plan.sessions}`],
    ['calls at once, limit', `${mostLeased}, ${plan.limit}`],
    ['hits', words(hits)],
    ['minutes', minutes.toFixed(1)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(28)}${value}`).join('\n');
}

function words(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, times]) => `${times} ${name}`)
    .join(', ');
}

const programs = postgresPrograms();
const timeout = 120_000 + plan.seconds * 1000 + plan.sessions * 30_000;

it.skipIf(programs === null || engine !== 'postgres')(
  `survives kills and freezes on PostgreSQL${programs === null ? ' (not installed)' : ''}`,
  { ...SOAK, timeout },
  async () => {
    const cluster = await startPostgresCluster(programs ?? '');
    try {
      await engineInit(cluster.url);
      const { crash, freeze, failOver } = cluster;
      const hits: Battered['hits'] = { 'primary killed': crash, 'primary frozen': () => freeze(4000), 'failed over': failOver };
      check(await runChaos({ url: cluster.url, engine: openEngine(cluster.url, { leaseMs: plan.leaseMs }), hits }, plan));
    } finally {
      await cluster.end();
    }
  },
);

it.runIf(engine === 'restate')(
  'survives kills and freezes on Restate',
  async () => {
    const { installRestateServer, startRestateCluster } = await import('../support/restate-server.js');
    installRestateServer();
    const folder = mkdtempSync(join(tmpdir(), 'umpire-restate-'));
    const cluster = await startRestateCluster(folder, 3);
    try {
      let at = 0;
      const next = () => cluster.nodes[at++ % cluster.nodes.length];
      const hits: Battered['hits'] = {
        'node killed': async () => {
          const node = next();
          await node?.kill();
          await node?.start();
        },
        'node frozen': async () => {
          const node = next();
          node?.stop();
          await new Promise((resolve) => setTimeout(resolve, 4000));
          node?.cont();
        },
      };
      const url = cluster.nodes[0]?.url ?? '';
      await engineInit(url);
      check(await runChaos({ url, engine: openEngine(url, { leaseMs: plan.leaseMs }), hits }, plan));
    } finally {
      await cluster.end();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  timeout,
);
