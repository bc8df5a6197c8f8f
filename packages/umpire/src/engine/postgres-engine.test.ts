import { createHash } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { engineConformance, toyConduct } from '../../../../test/support/engine-conformance.js';
import { postgresPrograms, startPostgres } from '../../../../test/support/postgres-server.js';
import type { PostgresServer } from '../../../../test/support/postgres-server.js';
import type { Engine, TaskLease } from './engine.js';
import { clientConfig, initPostgres, openPostgresEngine } from './postgres-engine.js';

const programs = postgresPrograms();

it.each([
  ['postgres://u:secret@db.example.org/fleet', true],
  ['postgres://u:secret@db.example.org/fleet?sslmode=require', true],
  ['postgres://u:secret@db.example.org/fleet?sslmode=prefer&application_name=x', true],
  ['postgres://u:secret@db.example.org/fleet?sslmode=disable', false],
  ['postgres://u:secret@127.0.0.1:5433/fleet', false],
  ['postgres://u:secret@localhost/fleet?sslmode=verify-full', true],
  ['postgres://u@[::1]/fleet', false],
  ['postgres:///fleet?host=/var/run/postgresql', false],
])('verifies TLS for %s: %s', (url, isVerified) => {
  const { ssl, connectionString } = clientConfig(url);
  expect(ssl !== false && ssl).toEqual(isVerified && expect.objectContaining({ rejectUnauthorized: true }));
  expect(connectionString).not.toContain('sslmode');
});

it('refuses a URL that skips the verification, without its password', () => {
  const open = () => clientConfig('postgres://u:secret@db.example.org/fleet?sslmode=no-verify');
  expect(open).toThrow('sslmode=no-verify would not verify the certificate of postgres://u@db.example.org/fleet.');
});

it('says that a server cannot be reached, without the password', async () => {
  const engine = openPostgresEngine('postgres://u:secret@127.0.0.1:1/fleet');
  const failed = await engine.client().catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'engine-unreachable' });
  expect(String(failed)).toContain('postgres://u@127.0.0.1:1/fleet');
  expect(String(failed)).not.toContain('secret');
});

describe.skipIf(programs === null)(`postgres${programs === null ? ' (skipped: PostgreSQL is not installed)' : ''}`, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres(programs ?? '');
    await server.sql('postgres', 'create database fleet');
    await initPostgres(server.url('fleet'));
  });

  afterAll(() => server.stop());

  const empty = () =>
    server.sql(
      'fleet',
      'truncate umpire.sessions, umpire.lines, umpire.inputs, umpire.offers, umpire.blobs, umpire.workers, umpire.limits',
    );

  engineConformance('postgres', async (options) => {
    await empty();
    return { engine: openPostgresEngine(server.url('fleet'), options), close: async () => undefined };
  });

  async function conducted(engine: Engine, act: () => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const conductor = await engine.conductor();
    const conducting = conductor.conduct(toyConduct, { signal: stop.signal, concurrency: 1 });
    try {
      await act();
    } finally {
      stop.abort();
      await conducting;
    }
  }

  it('prepares a database once, and refuses one of a newer release', async () => {
    await server.sql('postgres', 'create database other');
    const url = server.url('other');
    const engine = openPostgresEngine(url);
    await expect(engine.client()).rejects.toMatchObject({ code: 'engine-uninitialised' });
    await Promise.all([initPostgres(url), initPostgres(url)]);
    await (await engine.client()).close();
    await server.sql('other', 'update umpire.schema_version set version = version + 1');
    await expect(initPostgres(url)).rejects.toMatchObject({ code: 'engine-newer' });
    await expect(engine.client()).rejects.toMatchObject({ code: 'engine-newer' });
  });

  it('verifies the certificate and the name of the server', async () => {
    const open = async (host: string, parameters: string): Promise<string> => {
      const engine = openPostgresEngine(`postgres://owner@${host}:${server.port}/fleet?sslmode=${parameters}`);
      return engine.client().then(
        async (client) => {
          await client.close();
          return 'open';
        },
        (error: Error) => error.message,
      );
    };
    const trusted = `&sslrootcert=${encodeURIComponent(server.certificate)}`;
    expect(await open('localhost', `verify-full${trusted}`)).toBe('open');
    expect(await open('localhost', 'verify-full')).toMatch(/self-signed certificate/);
    expect(await open('localhost', 'require')).toMatch(/self-signed certificate/);
    expect(await open('127.0.0.1', `require${trusted}`)).toMatch(/127\.0\.0\.1 is not in the cert/);
  });

  it('extends a lease with a beat', async () => {
    await empty();
    const engine = openPostgresEngine(server.url('fleet'));
    const [client, worker] = await Promise.all([engine.client(), engine.worker()]);
    await conducted(engine, async () => {
      await client.tell('s', { start: [{ task: 'a' }] }, 'start');
      const lease = await worker.poll({ name: 'w', labels: [], slots: 1 }, 60_000);
      const expires = async () => Number((await server.sql('fleet', 'select umpire.ms(expires) as ms from umpire.offers'))[0]?.['ms']);
      const before = await expires();
      await worker.beat('w', [lease?.token ?? '']);
      expect(await expires()).toBeGreaterThan(before);
      expect(before).toBeGreaterThan(Date.now() + 30_000);
    });
    await Promise.all([client.close(), worker.close()]);
  });

  it('continues after the server crashed under every door', async () => {
    await empty();
    const engine = openPostgresEngine(server.url('fleet'));
    const [client, worker] = await Promise.all([engine.client(), engine.worker()]);
    await conducted(engine, async () => {
      await client.tell('s', { start: [{ task: 'a' }] }, 'start');
      const waiting = worker.poll({ name: 'w', labels: ['gpu'], slots: 1 }, 60_000);
      const { token } = (await waiting) as TaskLease;
      const polling = worker.poll({ name: 'w', labels: [], slots: 1 }, 120_000);
      await server.crash();
      expect(await worker.handIn(token, 'done')).toEqual({ line: 2 });
      expect(await client.tell('more', { start: [{ task: 'b' }] }, 'start')).toEqual({ line: 0 });
      expect(await polling).toMatchObject({ session: 'more', task: 'b' });
    });
    await Promise.all([client.close(), worker.close()]);
  });

  it('gives a hostile worker nothing but what its own token holds', async () => {
    await empty();
    await server.sql('fleet', `create role ci login in role umpire_worker`);
    const engine = openPostgresEngine(server.url('fleet'));
    const restricted = openPostgresEngine(server.url('fleet', 'ci'));
    await expect(restricted.client()).rejects.toMatchObject({ code: 'engine-role' });
    const conductor = await restricted.conductor();
    const conducting = conductor.conduct(toyConduct, { signal: new AbortController().signal, concurrency: 1 });
    await expect(conducting).rejects.toMatchObject({ code: 'engine-role' });
    const hostile = await restricted.worker();
    const client = await engine.client();
    const secret = Buffer.from('secret of the other session');
    const sha256 = createHash('sha256').update(secret).digest('hex');
    await client.blobs('other').put(secret);
    const raw = new pg.Client({ connectionString: server.url('fleet', 'ci') });
    raw.on('error', () => undefined);
    await raw.connect();
    const heard: string[] = [];
    raw.on('notification', ({ payload = '' }) => heard.push(payload));
    await raw.query('listen umpire');
    const refusal = async (sql: string): Promise<string> =>
      raw.query(sql).then(
        () => `allowed: ${sql}`,
        (error: { code?: string }) => error.code ?? String(error),
      );

    await conducted(engine, async () => {
      await client.tell('other', { start: [{ task: 'x', labels: ['never'] }] }, 'start');
      await client.tell('mine', { start: [{ task: 'a' }, { task: 'b' }] }, 'start');
      // It works as a worker does.
      const { token, session } = (await hostile.poll({ name: 'ci', labels: [], slots: 1 }, 60_000)) as TaskLease;
      expect(session).toBe('mine');
      expect(await hostile.lines(token, 0)).toHaveLength(3 - 1);
      expect(await hostile.blobs(token).get(sha256)).toBeNull();

      const tables = await server.sql(
        'fleet',
        `select relname from pg_class where relnamespace = 'umpire'::regnamespace and relkind in ('r', 'S')`,
      );
      expect(tables.length).toBeGreaterThan(8);
      for (const { relname } of tables) {
        expect(await refusal(`select * from umpire.${String(relname)}`)).toBe('42501');
        expect(await refusal(`delete from umpire.${String(relname)}`)).toMatch(/42501|42809/);
      }
      const functions = await server.sql(
        'fleet',
        `select p.oid::regprocedure::text as name, has_function_privilege('ci', p.oid, 'execute') as may, p.prosecdef as definer, p.proconfig as config
          from pg_proc p where p.pronamespace = 'umpire'::regnamespace order by 1`,
      );
      const allowed = functions.filter(({ may }) => may === true);
      expect(allowed.map(({ name }) => String(name).replace(/^umpire\.|\(.*/g, ''))).toEqual([
        'beat',
        'claim_state',
        'give_back',
        'hand_in',
        'hand_in_reply',
        'lease_blob',
        'lease_lines',
        'lease_put_blob',
        'reserve',
        'version',
      ]);
      for (const { definer, config } of allowed) expect([definer, config]).toEqual([true, ['search_path=pg_catalog, pg_temp']]);
      expect(await refusal(`select umpire.tell('mine', 'k', '{"end":true}')`)).toBe('42501');
      expect(await refusal(`select umpire.add_input('mine', 'told:k', 'told', '{"end":true}')`)).toBe('42501');
      expect(await refusal(`insert into umpire.inputs (session, key, kind) values ('mine', 'told:k', 'told')`)).toBe('42501');
      expect(await refusal(`create table umpire.mine (a integer)`)).toBe('42501');
      expect(await refusal(`set role owner`)).toBe('42501');

      // Another worker's token is of no use under its name, and a token that nobody has holds nothing.
      const own = await engine.worker();
      const { token: foreign } = (await own.poll({ name: 'honest', labels: [], slots: 1 }, 60_000)) as TaskLease;
      expect(await hostile.beat('ci', [foreign])).toMatchObject({ lost: [foreign] });
      for (const guess of ['', '%', 'null', '00000000-0000-0000-0000-000000000000', `${token}' or true --`]) {
        expect(await hostile.handIn(guess, 'forged')).toBeNull();
        await expect(hostile.lines(guess, 0)).rejects.toMatchObject({ code: 'lease-lost' });
        await expect(hostile.blobs(guess).get(sha256)).rejects.toMatchObject({ code: 'lease-lost' });
      }
      await client.drain('ci', true);
      await client.tell('later', { start: [{ task: 'c' }] }, 'start');
      expect(await hostile.poll({ name: 'ci', labels: [], slots: 1 }, 0)).toBeNull();
      await hostile.giveBack(token, 'over');
      expect(await client.tell('mine', { note: 'whole' }, 'note')).toEqual({ line: 4 });
      // Names and tokens are not told to everybody.
      await vi.waitFor(() => expect(heard.length).toBeGreaterThan(5), { timeout: 30_000 });
      expect(heard.filter((word) => !/^(i|o|r\d+|l[0-9a-f]{32})$/.test(word))).toEqual([]);
      await own.close();
    });
    await raw.end();
    await Promise.all([client.close(), hostile.close()]);
  });
});
