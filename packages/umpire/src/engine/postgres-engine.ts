// A fleet's engine in a PostgreSQL database. SQL does the work (postgres-schema.ts); this file connects, waits for notifications, and tries
// again where a connection broke or two transactions met. Every call may be repeated.

import { readFileSync } from 'node:fs';
import type { Client, ClientConfig, PoolClient } from 'pg';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { CLAIM_MS, LEASE_MS, REFUSED_MS, SWEEP_MS, TURN_MS, backOff, pauseUntil, withoutPassword } from './engine.js';
import type {
  BlobStore,
  TaskClaim,
  ClientDoor,
  Conduct,
  ConductorDoor,
  Engine,
  EngineOptions,
  Input,
  Offer,
  Summary,
  SessionTurn,
  WorkerDoor,
} from './engine.js';
import { FOUNDATION, MIGRATIONS } from './postgres-schema.js';

/** Waiting calls look again after this long, should a notification be lost. */
const RECHECK_MS = 5000;
/** Clients and workers try for this long to reach the server again; conductors try until they are stopped. */
const PATIENCE_MS = 120_000;
const CONNECT_MS = 15_000;
const OLDEST_SERVER = 14;
const LONGEST_PAUSE_MS = 10_000;
/** Nothing that one statement does takes longer, unless the network is gone. */
const QUERY_MS = 60_000;
const LOCK_MS = 20_000;
/** A conductor gives up after so many errors in a row that are not about the connection. */
const MOST_FAILURES = 20;
/** Heard by the sweep of this process only: a turn has named a time. */
const SWEEP = 'sweep';
/** The role of workers is missing, and this login may not create it. */
const NO_ROLE = 'UM004';
/** Another conductor has the turn. */
const STALE = 'UM003';

export function openPostgresEngine(url: string, options: EngineOptions = {}): Engine {
  return {
    client: () => openPostgresClient(url),
    worker: () => openPostgresWorker(url, options),
    conductor: () => openPostgresConductor(url, options),
  };
}

/** Creates the schema, or brings it up to this release. Repeating it changes nothing. */
export async function initPostgres(url: string): Promise<void> {
  const { Client } = await loadPg();
  const client = new Client(clientConfig(url));
  client.on('error', () => undefined);
  try {
    await client.connect();
    const [server] = (await client.query<{ version: number }>(`select current_setting('server_version_num')::integer as version`)).rows;
    if (server === undefined || server.version < OLDEST_SERVER * 10_000) throw new Error(`PostgreSQL ${OLDEST_SERVER} or newer is needed`);
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(7381269, 0)');
    await client.query(FOUNDATION);
    const { rows } = await client.query<{ version: number }>('select version from umpire.schema_version');
    const version = rows[0]?.version ?? 0;
    if (version > MIGRATIONS.length) throw newerError(url, version);
    for (const migration of MIGRATIONS.slice(version)) await client.query(migration);
    await client.query('update umpire.schema_version set version = $1', [MIGRATIONS.length]);
    await client.query('commit');
  } catch (error) {
    if (isUmpireError(error)) throw error;
    throw (error as { readonly code?: string }).code === NO_ROLE
      ? new UmpireError('engine-create-role', { engine: withoutPassword(url) })
      : unreachableError(url, error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** TLS is verified unless the server is on this machine or the URL says `sslmode=disable`. No mode skips the verification. */
export function clientConfig(url: string): ClientConfig {
  const parsed = new URL(url);
  const parameters = parsed.searchParams;
  const host = parameters.get('host') ?? parsed.hostname;
  const isLocal = host === '' || host.startsWith('/') || /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);
  const mode = parameters.get('sslmode') ?? (isLocal ? 'disable' : 'verify-full');
  if (!['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'].includes(mode))
    throw new UmpireError('engine-tls', { engine: withoutPassword(url), mode });
  const read = (name: string): string | undefined => {
    const path = parameters.get(name);
    return path === null || path === 'system' ? undefined : readFileSync(path, 'utf8');
  };
  const ssl =
    mode === 'disable' ? false : { rejectUnauthorized: true, ca: read('sslrootcert'), cert: read('sslcert'), key: read('sslkey') };
  for (const name of ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat', 'sslnegotiation']) parameters.delete(name);
  return {
    connectionString: parsed.href,
    ssl,
    application_name: 'umpire',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

async function loadPg(): Promise<typeof import('pg')> {
  try {
    const loaded = await import('pg');
    return 'Pool' in loaded ? loaded : (loaded as { readonly default: typeof import('pg') }).default;
  } catch {
    throw new UmpireError('engine-driver', { package: 'pg', command: 'npm install pg@8' });
  }
}

function newerError(url: string, version: number): UmpireError {
  return new UmpireError('engine-newer', { engine: withoutPassword(url), version, known: MIGRATIONS.length });
}

function unreachableError(url: string, error: unknown): UmpireError {
  const detail = error instanceof Error ? error.message || (error as { code?: string }).code || error.name : String(error);
  return new UmpireError('engine-unreachable', { engine: withoutPassword(url), detail: detail.replace(/\.$/, '') });
}

/** The connection broke, the server is restarting or full, or two transactions were in each other's way: the same call may succeed later. */
function isPassing(error: unknown): boolean {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  if (/^(08|40|53|57P|55P03|25P03)/.test(code)) return true;
  return /^(E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_AGAIN|NOTFOUND))/.test(code) || /terminat|timeout|not queryable|closed/i.test(message);
}

/** Connections of one door: a pool for calls, and one that listens. */
async function connect(url: string, most: number, right: 'all' | 'tasks' = 'all') {
  const pg = await loadPg();
  const config = clientConfig(url);
  const pool = new pg.Pool({ ...config, max: most });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const closing = new AbortController();
  const ears = new Set<{ readonly wants: (word: string) => boolean; readonly hear: () => void }>();
  let listener: Client | null = null;

  const wake = (word: string | null): void => {
    for (const ear of ears) if (word === null || ear.wants(word)) ear.hear();
  };

  /** Hears one of the words, or returns after a time. Begin to hear before you look, or a word is lost. */
  function hear(wants: (word: string) => boolean) {
    let resolve = (): void => undefined;
    const heard = new Promise<void>((done) => {
      resolve = done;
    });
    const ear = { wants, hear: () => resolve() };
    ears.add(ear);
    return {
      within: async (waitMs: number): Promise<void> => {
        const timer = setTimeout(resolve, Math.max(1, waitMs));
        await heard;
        clearTimeout(timer);
      },
      stop: () => ears.delete(ear),
    };
  }

  async function listen(): Promise<void> {
    for (let failed = 0; !closing.signal.aborted; failed++) {
      const client = new pg.Client(config);
      const ended = new Promise<void>((resolve) => {
        client.on('error', () => resolve());
        client.on('end', () => resolve());
      });
      client.on('notification', ({ payload = '' }) => wake(payload));
      try {
        await client.connect();
        await client.query('listen umpire');
        listener = client;
        failed = 0;
        // Closed meanwhile, or something was said before it listened.
        if (closing.signal.aborted) void client.end().catch(() => undefined);
        wake(null);
        await ended;
      } catch {
        // The next try follows.
      }
      listener = null;
      await client.end().catch(() => undefined);
      await pauseUntil(closing.signal, Math.min(backOff(failed), LONGEST_PAUSE_MS));
    }
  }

  async function run<Row extends object>(sql: string, values: readonly unknown[] = [], patienceMs = PATIENCE_MS): Promise<readonly Row[]> {
    const endMs = Date.now() + patienceMs;
    for (let failed = 0; ; failed++) {
      if (closing.signal.aborted) throw new UmpireError('engine-closed');
      try {
        return (await pool.query<Row>(sql, [...values])).rows;
      } catch (error) {
        if ((error as { code?: string }).code === 'UM001') throw new UmpireError('lease-lost');
        if (closing.signal.aborted) throw new UmpireError('engine-closed');
        if (!isPassing(error)) throw error;
        if (Date.now() >= endMs) throw unreachableError(url, error);
        await pauseUntil(closing.signal, Math.min(backOff(failed), LONGEST_PAUSE_MS));
      }
    }
  }

  try {
    const sql = `select umpire.version() as version, has_table_privilege('umpire.sessions', 'select') as may`;
    const [row] = (await pool.query<{ version: number; may: boolean }>(sql)).rows;
    const version = row?.version ?? 0;
    if (version > MIGRATIONS.length) throw newerError(url, version);
    if (version < MIGRATIONS.length) throw new UmpireError('engine-uninitialised', { engine: withoutPassword(url) });
    if (right === 'all' && row?.may !== true) throw new UmpireError('engine-role', { engine: withoutPassword(url) });
  } catch (error) {
    await pool.end();
    if (isUmpireError(error)) throw error;
    // No schema, no function, or no right to use them.
    const isMissing = ['3F000', '42883', '42501', '42P01'].includes((error as { code?: string }).code ?? '');
    throw isMissing ? new UmpireError('engine-uninitialised', { engine: withoutPassword(url) }) : unreachableError(url, error);
  }
  const listening = listen();

  return {
    query: run,
    pool,
    wake,
    isClosed: () => closing.signal.aborted,
    hear,
    /** Looks whenever one of the words is heard, and a last time, with true, when `endMs` has come. */
    until: async <T>(endMs: number, wants: (word: string) => boolean, find: (isLast: boolean) => Promise<T | undefined>): Promise<T> => {
      for (;;) {
        const heard = hear(wants);
        try {
          const found = await find(Date.now() >= endMs);
          if (found !== undefined) return found;
          await heard.within(Math.min(endMs - Date.now(), RECHECK_MS));
        } finally {
          heard.stop();
        }
      }
    },
    close: async (): Promise<void> => {
      if (closing.signal.aborted) return;
      closing.abort();
      wake(null);
      await listener?.end().catch(() => undefined);
      await Promise.all([pool.end(), listening]);
    },
  };
}

type Connection = Awaited<ReturnType<typeof connect>>;

async function openPostgresClient(url: string): Promise<ClientDoor> {
  const db = await connect(url, 4);
  const list = async (session: string | null) => {
    const rows = await db.query<{
      session: string;
      summary: string;
      created: number;
      changed: number;
      length: number;
      offered: readonly Offer[];
      leased: readonly { task: string; attempt: number; worker: string; sinceMs: number }[];
    }>(
      `select s.session, s.summary, s.length, umpire.ms(s.created) as created, umpire.ms(s.changed) as changed,
        (select coalesce(json_agg(json_build_object('task', o.task, 'attempt', o.attempt, 'labels', o.labels, 'limits', o.limits)
          order by o.id), '[]') from umpire.offers o where o.session = s.session and o.state in ('offered', 'reserved')) as offered,
        (select coalesce(json_agg(json_build_object('task', o.task, 'attempt', o.attempt, 'worker', o.worker, 'sinceMs', umpire.ms(o.since))
          order by o.id), '[]') from umpire.offers o where o.session = s.session and o.state in ('leased', 'handed-in')) as leased
      from umpire.sessions s where s.summary is not null and ($1::text is null or s.session = $1) order by s.created, s.session`,
      [session],
    );
    return rows.map(({ summary, created, changed, ...row }) => ({
      ...(JSON.parse(summary) as Summary),
      ...row,
      createdMs: created,
      changedMs: changed,
    }));
  };
  return {
    tell: async (session, message, key) => {
      const [told] = await db.query<{ id: string }>('select umpire.tell($1, $2, $3) as id', [session, key, asJson(message)]);
      const id = told?.id ?? '';
      return db
        .until(Infinity, isReply(id), async () => {
          const [row] = await db.query<{ reply: string }>('select reply from umpire.inputs where id = $1 and done_at is not null', [id]);
          return row && { reply: JSON.parse(row.reply) as unknown };
        })
        .then(({ reply }) => reply);
    },
    lines: async (session, from) => {
      const rows = await db.query<{ line: string }>('select line from umpire.lines where session = $1 and seq >= $2 order by seq', [
        session,
        from,
      ]);
      return rows.map(({ line }) => line);
    },
    changed: async (session, length, waitMs) => {
      await db.until(
        Date.now() + waitMs,
        (word) => word.startsWith('l'),
        async (isLast) => {
          if (isLast || db.isClosed()) return true;
          const rows = await db.query('select from umpire.sessions where session = $1 and length > $2', [session, length]);
          return rows.length > 0 || undefined;
        },
      );
    },
    sessions: () => list(null),
    session: async (session) => (await list(session))[0] ?? null,
    blobs: (session) => ({
      put: async (bytes) => {
        const [row] = await db.query<{ sha256: string }>('select umpire.put_blob($1, $2) as sha256', [session, asBuffer(bytes)]);
        return row?.sha256 ?? '';
      },
      get: async (sha256) => {
        const [row] = await db.query<{ bytes: Buffer }>('select bytes from umpire.blobs where session = $1 and sha256 = $2', [
          session,
          sha256,
        ]);
        return row?.bytes ?? null;
      },
    }),
    workers: () =>
      db.query(
        `select worker, labels, slots, draining, coalesce(umpire.ms(seen), 0) as "seenMs",
          (select count(*)::integer from umpire.offers o where o.worker = w.worker) as busy from umpire.workers w order by worker`,
      ),
    drain: async (worker, isDraining) => {
      await db.query(
        `insert into umpire.workers (worker, draining) values ($1, $2) on conflict (worker) do update set draining = excluded.draining`,
        [worker, isDraining],
      );
      await db.query(`select pg_notify('umpire', 'o')`);
    },
    limit: async (name, most) => {
      if (most === null) await db.query('delete from umpire.limits where name = $1', [name]);
      else await db.query('insert into umpire.limits values ($1, $2) on conflict (name) do update set most = excluded.most', [name, most]);
      await db.query(`select pg_notify('umpire', 'o')`);
    },
    limits: () =>
      db.query(
        `select name, most, (select count(*)::integer from umpire.offers o where o.state <> 'offered' and l.name = any (o.limits)) as used
          from umpire.limits l order by name`,
      ),
    importSession: async (session, lines, summary) => {
      try {
        await db.query('select umpire.import($1, $2, $3, $4, $5)', [session, lines, asJson(summary), summary.tenant, summary.state]);
      } catch (error) {
        throw (error as { code?: string }).code === 'UM002' ? new UmpireError('engine-session-taken', { session }) : error;
      }
    },
    close: db.close,
  };
}

async function openPostgresWorker(url: string, { leaseMs = LEASE_MS }: EngineOptions): Promise<WorkerDoor> {
  const db = await connect(url, 4, 'tasks');
  return {
    poll: async ({ name, labels, slots }, waitMs) => {
      const endMs = Date.now() + waitMs;
      for (;;) {
        const reserved = await db.until(endMs, isWord('o'), async (isLast) => {
          if (db.isClosed()) return null;
          const [row] = await db.query<{ session: string; task: string; attempt: number; token: string }>(
            'select * from umpire.reserve($1, $2, $3, $4)',
            [name, labels, slots, leaseMs],
          );
          return row ?? (isLast ? null : undefined);
        });
        if (reserved === null) return null;
        const { state, reply } = await db.until(
          Math.max(endMs, Date.now() + CLAIM_MS),
          (word) => word.startsWith('r'),
          async (isLast) => {
            // What was reserved here is free again when its lease would have expired.
            if (db.isClosed()) return { state: 'refused', reply: '' };
            const [row] = await db.query<{ state: string; reply: string }>('select * from umpire.claim_state($1, $2)', [
              reserved.token,
              isLast,
            ]);
            return row?.state === 'waiting' ? undefined : row;
          },
        );
        if (state === 'leased') return { ...reserved, reply: JSON.parse(reply) as unknown };
        if (Date.now() >= endMs) return null;
      }
    },
    beat: async (worker, tokens) => {
      const [row] = await db.query<{ lost: readonly string[]; draining: boolean }>('select * from umpire.beat($1, $2, $3)', [
        worker,
        tokens,
        leaseMs,
      ]);
      return row ?? { lost: tokens, draining: false };
    },
    handIn: async (token, result) => {
      const [row] = await db.query<{ id: string | null }>('select umpire.hand_in($1, $2) as id', [token, asJson(result)]);
      if (row?.id === null || row === undefined) return null;
      return db
        .until(Infinity, isReply(row.id), async () => {
          const [state] = await db.query<{ is_done: boolean; reply: string }>('select * from umpire.hand_in_reply($1)', [token]);
          return state?.is_done === true ? { reply: JSON.parse(state.reply) as unknown } : undefined;
        })
        .then(({ reply }) => reply);
    },
    giveBack: async (token, why) => {
      await db.query('select umpire.give_back($1, $2)', [token, why]);
    },
    lines: async (token, from) =>
      (await db.query<{ line: string }>('select line from umpire.lease_lines($1, $2)', [token, from])).map(({ line }) => line),
    blobs: (token) => ({
      put: async (bytes) => {
        const [row] = await db.query<{ sha256: string }>('select umpire.lease_put_blob($1, $2) as sha256', [token, asBuffer(bytes)]);
        return row?.sha256 ?? '';
      },
      get: async (sha256) => {
        const [row] = await db.query<{ bytes: Buffer | null }>('select umpire.lease_blob($1, $2) as bytes', [token, sha256]);
        return row?.bytes ?? null;
      },
    }),
    close: db.close,
  };
}

interface BegunTurn {
  readonly session: string;
  readonly length: number;
  readonly now_ms: number;
  readonly id: string;
  readonly kind: Input['kind'];
  readonly body: string | null;
  readonly task: string;
  readonly attempt: number;
  readonly worker: string;
  readonly token: string;
  readonly tries: number;
}

async function openPostgresConductor(url: string, options: EngineOptions): Promise<ConductorDoor> {
  const { leaseMs = LEASE_MS, sweepMs = SWEEP_MS, turnMs = TURN_MS } = options;
  const connections: Connection[] = [];

  /** Takes one turn if there is one. `failed` with an id: the conductor threw, and its input has to rest. */
  async function takeTurn(client: PoolClient, conduct: Conduct, skipped: readonly string[], onBegun: () => void): Promise<TakenTurn> {
    await client.query(
      `begin isolation level read committed; set local idle_in_transaction_session_timeout = ${Math.ceil(turnMs)}; set local lock_timeout = ${LOCK_MS}`,
    );
    const [begun] = (await client.query<BegunTurn>('select * from umpire.begin_turn($1)', [skipped])).rows;
    if (begun === undefined) {
      await client.query('commit');
      return { kind: 'none' };
    }
    onBegun();
    // One query at a time, whatever the conductor does at once.
    let last: Promise<unknown> = Promise.resolve();
    const inTurn = async <Row extends object>(sql: string, values: readonly unknown[]): Promise<readonly Row[]> => {
      const next = last.then(() => client.query<Row>(sql, [...values]));
      last = next.catch(() => undefined);
      return (await next).rows;
    };
    const { session, length, id } = begun;
    const blobs: BlobStore = {
      put: async (bytes) => {
        const [row] = await inTurn<{ sha256: string }>('select umpire.put_blob($1, $2) as sha256', [session, asBuffer(bytes)]);
        return row?.sha256 ?? '';
      },
      get: async (sha256) => {
        const [row] = await inTurn<{ bytes: Buffer }>('select bytes from umpire.blobs where session = $1 and sha256 = $2', [
          session,
          sha256,
        ]);
        return row?.bytes ?? null;
      },
    };
    const lines = async (from: number): Promise<readonly string[]> => {
      const sql = 'select line from umpire.lines where session = $1 and seq >= $2 and seq < $3 order by seq';
      return (await inTurn<{ line: string }>(sql, [session, from, length])).map(({ line }) => line);
    };
    let turn: SessionTurn | null;
    try {
      turn = await conduct({ session, length, lines, nowMs: begun.now_ms, blobs }, inputOf(begun));
    } catch {
      await last;
      return { kind: 'failed', id, tries: begun.tries };
    }
    await last;
    if (turn === null) {
      await client.query('rollback');
      return { kind: 'left', session };
    }
    try {
      await client.query('select umpire.commit_turn($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)', [
        id,
        session,
        length,
        turn.lines,
        asJson(turn.offers),
        asJson(turn.running),
        turn.wakeAtMs,
        turn.summary === null ? null : asJson(turn.summary),
        turn.summary?.tenant ?? null,
        turn.summary?.state ?? null,
        asJson(turn.reply),
        leaseMs,
        REFUSED_MS,
      ]);
      await client.query('commit');
    } catch (error) {
      if (isPassing(error) || (error as { readonly code?: string }).code === STALE) throw error;
      // What the conductor decided cannot be stored.
      return { kind: 'failed', id, tries: begun.tries };
    }
    return { kind: 'taken', wakes: turn.wakeAtMs !== null };
  }

  return {
    conduct: async (conduct, { signal, concurrency }) => {
      const db = await connect(url, concurrency + 1);
      connections.push(db);
      const skipped = new Map<string, number>();
      const isOver = (): boolean => signal.aborted || db.isClosed();
      const stop = (): void => db.wake(null);
      signal.addEventListener('abort', stop);

      // One at a time looks for a turn, and the next when it has found one. Else every input would wake them all.
      let looking = Promise.resolve();
      const look = async (): Promise<() => void> => {
        const before = looking;
        let end = (): void => undefined;
        looking = new Promise((resolve) => {
          end = resolve;
        });
        await before;
        return end;
      };

      const takeTurns = async (): Promise<void> => {
        for (let failures = 0; !isOver();) {
          const endLook = await look();
          const heard = db.hear(isWord('i'));
          let client: PoolClient | null = null;
          try {
            client = await db.pool.connect();
            for (const [session, atMs] of skipped) if (atMs <= Date.now()) skipped.delete(session);
            const taken = await takeTurn(client, conduct, [...skipped.keys()], endLook);
            if (taken.kind === 'taken' && taken.wakes) db.wake(SWEEP);
            if (taken.kind === 'left') skipped.set(taken.session, Date.now() + sweepMs);
            // A failed turn may have left the connection in any state.
            client.release(taken.kind === 'failed');
            client = null;
            failures = 0;
            if (taken.kind === 'failed') {
              const restMs = backOff(taken.tries);
              const sql = 'update umpire.inputs set tries = tries + 1, not_before = umpire.later($2) where id = $1 and done_at is null';
              await db.query(sql, [taken.id, restMs]);
              void pauseUntil(signal, restMs).then(() => db.wake('i'));
            }
            if (taken.kind === 'none' && !isOver()) await heard.within(Math.min(sweepMs, RECHECK_MS));
          } catch (error) {
            client?.release(true);
            if (!isPassing(error) && failures > MOST_FAILURES) throw error;
            await pauseUntil(signal, Math.min(backOff(failures++), LONGEST_PAUSE_MS));
          } finally {
            heard.stop();
            endLook();
          }
        }
      };

      const sweep = async (): Promise<void> => {
        while (!isOver()) {
          // A lease that begins after a sweep ends after the next.
          const heard = db.hear(isWord(SWEEP));
          try {
            const [row] = await db.query<{ next: number | null }>('select umpire.sweep($1, $2) as next', [leaseMs, sweepMs]);
            // Inputs whose rest is over are not announced.
            if (!isOver()) db.wake('i');
            if (!isOver()) await heard.within(Math.max(20, Math.min(row?.next ?? sweepMs, sweepMs, leaseMs)));
          } catch (error) {
            if (isOver()) return;
            if (!isPassing(error) && !isUmpireError(error)) throw error;
            await pauseUntil(signal, LONGEST_PAUSE_MS);
          } finally {
            heard.stop();
          }
        }
      };

      try {
        await Promise.all([sweep(), ...Array.from({ length: concurrency }, takeTurns)]);
      } finally {
        signal.removeEventListener('abort', stop);
        await db.close();
      }
    },
    close: async () => {
      await Promise.all(connections.map((db) => db.close()));
    },
  };
}

type TakenTurn =
  | { readonly kind: 'none' }
  | { readonly kind: 'taken'; readonly wakes: boolean }
  | { readonly kind: 'left'; readonly session: string }
  | { readonly kind: 'failed'; readonly id: string; readonly tries: number };

function inputOf({ kind, body, task, attempt, worker, token }: BegunTurn): Input {
  const claim: TaskClaim = { task, attempt, worker, token };
  switch (kind) {
    case 'told':
      return { kind, message: JSON.parse(body ?? 'null') as unknown };
    case 'claimed':
      return { kind, claim };
    case 'handed-in':
      return { kind, claim, result: JSON.parse(body ?? 'null') as unknown };
    case 'lost':
      return { kind, claim, why: body ?? '' };
    case 'woken':
      return { kind };
  }
}

function isWord(wanted: string): (word: string) => boolean {
  return (word) => word === wanted;
}

function isReply(id: string): (word: string) => boolean {
  return isWord(`r${id}`);
}

function asJson(value: unknown): string {
  return JSON.stringify(value ?? null);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
