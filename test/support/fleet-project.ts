// A fleet as people use it: a real PostgreSQL server, a project with its remote, and the built commands as separate processes with homes of
// their own.

import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { gitIn, writeFiles } from './git-project.js';
import type { Files } from './git-project.js';
import { startPostgres } from './postgres-server.js';
import type { PostgresServer } from './postgres-server.js';
import { makeProject } from './run-project.js';
import type { Ran, RunProject, Running } from './run-project.js';

export interface FleetProject {
  readonly url: string;
  readonly project: RunProject;
  readonly remote: string;
  readonly umpire: (...args: readonly string[]) => Promise<Ran>;
  /** `umpire until` with the fleet's agent, on the engine. */
  readonly until: (...more: readonly string[]) => Promise<Ran>;
  /** The flags that make the fleet's agent that of every role. */
  readonly agent: readonly string[];
  /** A machine: a home, a name and its labels. */
  readonly addWorker: (
    name: string,
    flags?: readonly string[],
    more?: Readonly<Record<string, string>>,
    through?: readonly string[],
  ) => Promise<Running>;
}

interface FleetOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Files;
}

export interface FleetServer {
  readonly port: () => number;
  readonly newEngine: () => Promise<string>;
  /** A person's project, its remote, and an engine that is ready. `agent`: a program of Node, as text. */
  readonly openFleet: (agent: string, options?: FleetOptions) => Promise<FleetProject>;
}

/** Called in `describe`: the server lives as long as its tests, workers as long as one. */
export function fleetServer(programs: string): FleetServer {
  let server: PostgresServer;
  let running: Running[] = [];
  let databases = 0;

  beforeAll(async () => {
    server = await startPostgres(programs);
  }, 60_000);

  afterEach(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ ended }) => ended));
    running = [];
  });

  afterAll(() => server.stop());

  async function newEngine(): Promise<string> {
    const name = `fleet${++databases}`;
    await server.sql('postgres', `create database ${name}`);
    return server.url(name);
  }

  async function openFleet(agent: string, { env = {}, files = {} }: FleetOptions = {}): Promise<FleetProject> {
    const url = await newEngine();
    const project = makeProject({ files: { 'check.mjs': CHECK, 'value.txt': 'bad\n', ...files } });
    const remote = join(project.beside, 'remote.git');
    const program = `node ${join(project.beside, 'agent.mjs')}`;
    writeFiles(project.beside, { 'agent.mjs': agent });
    gitIn(project.beside, 'clone', '-q', '--bare', project.root, remote);
    gitIn(project.root, 'remote', 'add', 'origin', remote);
    const all = { UMPIRE_ENGINE: url, UMPIRE_LEASE_MS: '3000', ...env };
    const umpire = (...args: readonly string[]): Promise<Ran> => project.umpireWith({ env: all }, ...args);
    expect(await umpire('engine', 'init')).toMatchObject({ exit: 0 });
    return {
      url,
      project,
      remote,
      umpire,
      agent: ['--agent-command', program],
      until: (...more) => umpire('until', 'node check.mjs', 'make it good', '--agent-command', program, ...more),
      addWorker: async (name, flags = [], more = {}, through = []) => {
        const home = join(project.beside, name);
        const options = { env: { ...all, HOME: home, UMPIRE_WORKTREES: '', ...more }, cwd: project.beside, through };
        writeFiles(home, { '.here': '' });
        const worker = project.startWith(options, 'worker', '--name', name, '--remote', remote, ...flags);
        running.push(worker);
        await worker.says(flags.includes('--conduct-only') ? 'Taking the turns' : `Worker ${name}`);
        return worker;
      },
    };
  }

  return { port: () => server.port, newEngine, openFleet };
}

const CHECK = `import { readFileSync } from 'node:fs';
if (readFileSync('value.txt', 'utf8') !== 'good\\n') { console.error('value.txt is not good'); process.exit(1); }
`;

/** Asks once, and writes down its environment. */
export const ASKS = `import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const { id, turns = [] } = JSON.parse(readFileSync(process.env.UMPIRE_TASK_FILE, 'utf8'));
appendFileSync(join(import.meta.dirname, 'environments'), JSON.stringify(process.env) + '\\n');
if (turns.length > 0) writeFileSync('value.txt', 'good\\n');
console.log(JSON.stringify(turns.length > 0 ? { id, status: 'completed', findings: 'ok' } : { id, status: 'blocked', reason: 'Which value?' }));
`;
