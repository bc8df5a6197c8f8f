// A PostgreSQL server of a test's own: in a temporary folder, on a free port of loopback, gone with the test.

import { execFile, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';

const READY_MS = 60_000;

export interface PostgresServer {
  readonly pid: () => number;
  /** The certificate of the server, for the name `localhost`. It signs itself. */
  readonly certificate: string;
  readonly port: number;
  /** The address of a database, for a user; all may log in without a password. */
  readonly url: (database: string, user?: string) => string;
  readonly sql: (database: string, sql: string) => Promise<readonly Record<string, unknown>[]>;
  /** Kills the server as a crash would, and starts it again. */
  readonly crash: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The folder of `initdb` and `postgres`; null where PostgreSQL is not installed. */
export function postgresPrograms(): string | null {
  const debian = '/usr/lib/postgresql';
  const folders = existsSync(debian)
    ? readdirSync(debian)
        .toSorted((a, b) => Number(b) - Number(a))
        .map((version) => join(debian, version, 'bin'))
    : [];
  try {
    folders.unshift(execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim());
  } catch {
    // Not every installation has it.
  }
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))) ?? null;
}

/** Tests kill processes, never the machine, and need no `fsync`. A benchmark does. */
export async function startPostgres(programs: string, { fsync = 'off' }: { readonly fsync?: 'on' | 'off' } = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-postgres-'));
  // The server refuses to run as root.
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const user = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  await promisify(execFile)(join(programs, 'initdb'), ['-D', data, '-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], {
    ...user,
    cwd: folder,
  });
  const certificate = join(folder, 'server.crt');
  const openssl = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=localhost'];
  openssl.push('-addext', 'subjectAltName=DNS:localhost', '-keyout', join(folder, 'server.key'), '-out', certificate);
  await promisify(execFile)('openssl', openssl, { ...user, cwd: folder });
  const port = await freePort();
  const url = (database: string, role = 'owner') => `postgres://${role}@127.0.0.1:${port}/${database}`;
  const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: folder, fsync, max_connections: 200, ssl: 'on' };

  const tls = ['-c', `ssl_cert_file=${certificate}`, '-c', `ssl_key_file=${join(folder, 'server.key')}`];

  async function launch() {
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(programs, 'postgres'), ['-D', data, ...flags, ...tls], { ...user, cwd: folder, stdio: 'ignore' });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const endMs = performance.now() + READY_MS;
    for (;;) {
      try {
        await sql('postgres', 'select 1');
        break;
      } catch (error) {
        if (performance.now() > endMs || child.exitCode !== null) throw error;
        await pause(50);
      }
    }
    return { pid: child.pid ?? 0, kill: async (signal: NodeJS.Signals) => (child.kill(signal), ended) };
  }

  async function sql(database: string, text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url(database) });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<Record<string, unknown>>(text);
      return rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  let server = await launch();
  return {
    pid: () => server.pid,
    certificate,
    port,
    url,
    sql,
    crash: async () => {
      await server.kill('SIGQUIT');
      server = await launch();
    },
    stop: async () => {
      await server.kill('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<unknown>((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
