// A PostgreSQL primary with a synchronous standby on loopback, behind a proxy that leads to the primary: killed, frozen, failed over.

import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { openProxy } from './loopback-proxy.js';

const run = promisify(execFile);

export interface PostgresCluster {
  /** Through the proxy. */
  readonly url: string;
  /** A crash: the primary comes back with its data. */
  readonly crash: () => Promise<void>;
  /** For so long the primary answers nothing. */
  readonly freeze: (ms: number) => Promise<void>;
  /** The primary is lost, the standby takes over, and a new standby follows it. */
  readonly failOver: () => Promise<void>;
  readonly end: () => Promise<void>;
}

interface Node {
  readonly data: string;
  readonly port: number;
  child: ChildProcess | null;
}

export async function startPostgresCluster(programs: string): Promise<PostgresCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-cluster-'));
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const user = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  let nodes = 0;

  const makeNode = async (): Promise<Node> => ({ data: join(folder, `data-${++nodes}`), port: await freePort(), child: null });
  const launch = async (node: Node): Promise<void> => {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: node.port,
      unix_socket_directories: folder,
      // Processes are killed, never the machine: what was written is in the system's cache.
      fsync: 'off',
      max_connections: 200,
      wal_level: 'replica',
      hot_standby: 'on',
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    node.child = spawn(join(programs, 'postgres'), ['-D', node.data, ...flags], { ...user, cwd: folder, stdio: 'ignore' });
    await until(() => query(node, 'select 1'));
  };
  const query = async (node: Node, sql: string) => {
    const client = new pg.Client({ connectionString: `postgres://owner@127.0.0.1:${node.port}/postgres`, connectionTimeoutMillis: 3000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const kill = async (node: Node, signal: NodeJS.Signals): Promise<void> => {
    const { child } = node;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    // Its children would go on for a moment, as no lost machine does.
    for (const pid of signal === 'SIGKILL' ? pidsOf(child) : [child.pid ?? 0]) signalQuietly(pid, signal);
    await gone;
  };
  /** A standby of the primary. From then on, a commit waits for both. */
  const follow = async (primary: Node): Promise<Node> => {
    const standby = await makeNode();
    const source = `host=127.0.0.1 port=${primary.port} user=owner application_name=standby`;
    await run(join(programs, 'pg_basebackup'), ['-d', source, '-D', standby.data, '-R', '-X', 'stream', '--checkpoint=fast', '--no-sync'], {
      ...user,
      cwd: folder,
    });
    await launch(standby);
    await until(async () => {
      const rows = await query(primary, "select 1 from pg_stat_replication where state = 'streaming'");
      if (rows.length === 0) throw new Error('not streaming yet');
    });
    await query(primary, "alter system set synchronous_standby_names = 'standby'");
    await query(primary, 'select pg_reload_conf()');
    return standby;
  };

  let primary = await makeNode();
  await run(join(programs, 'initdb'), ['-D', primary.data, '-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], {
    ...user,
    cwd: folder,
  });
  writeFileSync(join(primary.data, 'pg_hba.conf'), 'host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n');
  await launch(primary);
  await query(primary, 'create database umpire');
  let standby = await follow(primary);
  const proxy = await openProxy(() => primary.port);
  return {
    url: `postgres://owner@127.0.0.1:${proxy.port}/umpire`,
    crash: async () => {
      await kill(primary, 'SIGKILL');
      proxy.drop();
      await launch(primary);
    },
    freeze: async (ms) => {
      const pids = primary.child === null ? [] : pidsOf(primary.child);
      for (const pid of pids) signalQuietly(pid, 'SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, ms));
      for (const pid of pids) signalQuietly(pid, 'SIGCONT');
    },
    failOver: async () => {
      const lost = primary;
      await kill(lost, 'SIGKILL');
      await run(join(programs, 'pg_ctl'), ['promote', '-D', standby.data, '-w', '-t', '60'], { ...user, cwd: folder });
      primary = standby;
      await query(primary, "alter system set synchronous_standby_names = ''");
      await query(primary, 'select pg_reload_conf()');
      proxy.drop();
      standby = await follow(primary);
      rmSync(lost.data, { recursive: true, force: true });
    },
    end: async () => {
      proxy.close();
      await kill(standby, 'SIGQUIT');
      await kill(primary, 'SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** All processes of a server: its children serve the connections. */
function pidsOf({ pid = 0 }: ChildProcess): readonly number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  return [pid, ...stdout.split('\n').filter(Boolean).map(Number)];
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}

const PATIENCE_MS = 60_000;

async function until(act: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      await act();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}
