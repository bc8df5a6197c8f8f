import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { isSoak } from '../../../../test/support/campaign.js';
import { engineConformance } from '../../../../test/support/engine-conformance.js';
import { hasRestateServer, installRestateServer, startRestateCluster } from '../../../../test/support/restate-server.js';
import type { RestateCluster } from '../../../../test/support/restate-server.js';
import { openRestateEngine } from './restate-engine.js';

describe.runIf(isSoak || hasRestateServer())('Restate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-restate-'));
  let cluster: RestateCluster | null = null;

  beforeAll(async () => {
    installRestateServer();
    cluster = await startRestateCluster(folder);
  });

  afterAll(async () => {
    await cluster?.end();
    rmSync(folder, { recursive: true, force: true });
  });

  engineConformance('Restate', async (options) => ({
    engine: openRestateEngine(cluster!.nodes[0]!.url, options),
    close: async () => undefined,
  }));
});
