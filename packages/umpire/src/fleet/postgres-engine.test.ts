import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineConformance, toyConduct } from '../../../../test/support/engine-conformance.js';
import { postgresPrograms, startPostgres } from '../../../../test/support/postgres-server.js';
import type { PostgresServer } from '../../../../test/support/postgres-server.js';
import { clientConfig, initPostgres, openPostgresEngine } from './postgres-engine.js';

const programs = postgresPrograms();

describe.skipIf(programs === null)(programs === null ? 'postgres (skipped: PostgreSQL is not installed)' : 'postgres', () => {
  let server: PostgresServer;
  let made = 0;

  beforeAll(async () => {
    server = await startPostgres(programs ?? '');
    await server.sql('postgres', 'create database model');
    await initPostgres(server.url('model'));
  });

  afterAll(() => server.stop());

  async function newDatabase(): Promise<string> {
    const database = `d${made++}`;
    await server.sql('postgres', `create database ${database} template model`);
    return database;
  }

  engineConformance('postgres', async (options) => {
    const engine = openPostgresEngine(server.url(await newDatabase()), options);
    return { engine, close: async () => undefined };
  });
});
