// Real Restate servers for tests: one node, or a cluster, in a folder of the test and on free ports of loopback. They come with
// test/fleet/package.json, which is installed where it is missing and where the test may take its time.

import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const PLACE = join(import.meta.dirname, '..', 'fleet');
const PROGRAM = join(PLACE, 'node_modules', '@restatedev', `restate-server-${process.platform}-${process.arch}`, 'bin', 'restate-server');
const READY_MS = 120_000;

/** The server, and a shell that ends with it when this process is gone: its stdin closes. */
const GUARDED = '"$@" <&- & cat > /dev/null; kill -KILL 0';

export function hasRestateServer(): boolean {
  return existsSync(PROGRAM);
}

/** Takes a minute and 70 MB where it was not done yet. */
export function installRestateServer(): void {
  if (hasRestateServer()) return;
  // Not `npm ci`: the lock may name parts for other platforms that the registry at hand does not have.
  const { status, stderr } = spawnSync('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: PLACE,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm install in test/fleet failed:\n${stderr}`);
}

export interface RestateNode {
  /** The shell above the server; 0 while it is killed. */
  readonly pid: () => number;
  readonly ingressPort: number;
  readonly adminPort: number;
  /** `restate://…` of this node. */
  readonly url: string;
  readonly kill: () => Promise<void>;
  /** Freezes the process. */
  readonly stop: () => void;
  readonly cont: () => void;
  /** After `kill`: with its data and ports. */
  readonly start: () => Promise<void>;
}

export interface RestateCluster {
  readonly nodes: readonly RestateNode[];
  readonly end: () => Promise<void>;
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** With more than two nodes, every write is on two, and one may be away. */
export async function startRestateCluster(folder: string, count = 1): Promise<RestateCluster> {
  const ports = await freePorts(3 * count);
  const addresses = Array.from({ length: count }, (_, at) => `http://127.0.0.1:${ports[3 * at]}/`);
  const nodes = addresses.map((address, at) => {
    const [, ingressPort = 0, adminPort = 0] = ports.slice(3 * at);
    const home = join(folder, `node-${at + 1}`);
    mkdirSync(home, { recursive: true });
    return makeNode(home, ingressPort, adminPort, {
      RESTATE_CLUSTER_NAME: 'umpire-test',
      RESTATE_NODE_NAME: `node-${at + 1}`,
      // Several nodes that provision themselves would be several clusters.
      RESTATE_AUTO_PROVISION: String(at === 0),
      RESTATE_DEFAULT_REPLICATION: String(Math.min(2, count)),
      RESTATE_DEFAULT_NUM_PARTITIONS: '4',
      RESTATE_METADATA_CLIENT__ADDRESSES: JSON.stringify(addresses),
      RESTATE_BIND_ADDRESS: new URL(address).host,
      RESTATE_ADVERTISED_ADDRESS: address,
    });
  });
  const cluster: RestateCluster = {
    nodes,
    end: async () => {
      await Promise.all(nodes.map((node) => node.kill()));
    },
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
  } catch (error) {
    await cluster.end();
    throw error;
  }
  return cluster;
}

function makeNode(home: string, ingressPort: number, adminPort: number, settings: Readonly<Record<string, string>>): RestateNode {
  let child: ChildProcess | null = null;

  const signal = (name: NodeJS.Signals): void => {
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, name);
  };

  async function answers(url: string): Promise<boolean> {
    try {
      return (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok;
    } catch {
      return false;
    }
  }

  return {
    pid: () => child?.pid ?? 0,
    ingressPort,
    adminPort,
    url: `restate://127.0.0.1:${ingressPort}?admin=${adminPort}`,
    stop: () => signal('SIGSTOP'),
    cont: () => signal('SIGCONT'),
    kill: async () => {
      if (child === null) return;
      const closed = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve([]);
      signal('SIGKILL');
      await closed;
      child = null;
    },
    start: async () => {
      const log = openSync(join(home, 'log'), 'a');
      child = spawn('sh', ['-c', GUARDED, 'sh', PROGRAM, '--no-logo', '--base-dir', join(home, 'data')], {
        cwd: home,
        detached: true,
        stdio: ['pipe', log, log],
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: home,
          DO_NOT_TRACK: '1',
          RESTATE_DISABLE_TELEMETRY: 'true',
          RESTATE_LISTEN_MODE: 'tcp',
          RESTATE_LOG_DISABLE_ANSI_CODES: 'true',
          RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '256MiB',
          RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingressPort}`,
          RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${adminPort}`,
          ...settings,
        },
      });
      const endMs = performance.now() + READY_MS;
      for (;;) {
        const ready = await Promise.all([
          answers(`http://127.0.0.1:${adminPort}/health`),
          answers(`http://127.0.0.1:${ingressPort}/restate/health`),
        ]);
        if (!ready.includes(false)) return;
        if (performance.now() > endMs || child.exitCode !== null)
          throw new Error(`Restate did not start:\n${readFileSync(join(home, 'log'), 'utf8').slice(-2000)}`);
        await pause(50);
      }
    },
  };
}
