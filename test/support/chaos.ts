// A fleet under fire: sessions on a real engine, workers as processes of their own, and for a while random workers and servers are killed
// and frozen. Then every session must have ended as it would have on one machine.

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Recorded } from '@umpire/core/decider/events.js';
import { run } from '@umpire/umpire/engine/session.js';
import { answerOnEngine, copyFromEngine, startOnEngine } from '@umpire/umpire/engine/client.js';
import type { ClientDoor, Engine } from '@umpire/umpire/engine/engine.js';
import { journalOf } from '@umpire/umpire/sessions/journal-file.js';
import { replay } from '@umpire/umpire/sessions/replay.js';
import { gitIn, writeFiles } from './git-project.js';
import { randomBelow } from './mutate.js';

const command = join(import.meta.dirname, '..', '..', 'dist', 'umpire.cjs');

/** An engine with servers that can be hit. */
export interface Battered {
  readonly url: string;
  readonly engine: Engine;
  /** Each hits the servers once, and returns when they serve again. */
  readonly hits: Readonly<Record<string, () => Promise<void>>>;
}

export interface ChaosPlan {
  readonly sessions: number;
  readonly workers: number;
  readonly seconds: number;
  readonly seed: number;
  readonly limit: number;
  readonly leaseMs: number;
  readonly say: (line: string) => void;
}

export interface ChaosResult {
  readonly ended: number;
  readonly asLocal: number;
  readonly attempts: number;
  readonly twice: number;
  readonly replayed: number;
  readonly mostLeased: number;
  readonly hits: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly minutes: number;
  readonly faults: readonly string[];
}

const KINDS = ['once', 'twice', 'never'] as const;
type Kind = (typeof KINDS)[number];

const CHECK = `import { readFileSync } from 'node:fs';
const value = readFileSync('value.txt', 'utf8').trim();
if (value !== 'good') { console.error('value.txt is ' + value); process.exit(1); }
`;

/** Tells a trace of its own when it begins and ends, so that nobody has to believe the journal. */
const AGENT = `import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
const { id, goal, attempt, session } = JSON.parse(readFileSync(process.env.UMPIRE_TASK_FILE, 'utf8'));
const trace = (what) => appendFileSync(process.argv[2], [what, session.split('/').at(-1), id, attempt].join(' ') + '\\n');
trace('begin');
await new Promise((resolve) => setTimeout(resolve, 200));
const kind = goal.split(' ')[0];
const now = readFileSync('value.txt', 'utf8').trim();
writeFileSync('value.txt', (kind === 'once' || (kind === 'twice' && now === 'half') ? 'good' : kind === 'twice' ? 'half' : now + 'x') + '\\n');
trace('end');
console.log(JSON.stringify({ id, status: 'completed', findings: 'Changed the value.' }));
`;

export async function runChaos({ url, engine, hits }: Battered, plan: ChaosPlan): Promise<ChaosResult> {
  const { sessions, workers, seconds, seed, limit, leaseMs, say } = plan;
  const startedAt = performance.now();
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'umpire-chaos-')));
  const project = join(home, 'project');
  const remote = join(home, 'remote.git');
  const trace = join(home, 'trace');
  writeFiles(project, { 'check.mjs': CHECK, 'value.txt': 'bad\n' });
  writeFiles(home, { 'agent.mjs': AGENT, trace: '' });
  gitIn(project, 'init', '-q', '-b', 'main');
  gitIn(project, 'add', '-A');
  gitIn(project, 'commit', '-qm', 'start');
  gitIn(home, 'clone', '-q', '--bare', project, remote);
  gitIn(project, 'remote', 'add', 'origin', remote);
  const agentCommand = `node ${join(home, 'agent.mjs')} ${trace}`;
  const request = { loop: 'until', command: 'node check.mjs', project, agentCommand, maxRounds: 2, yes: true } as const;
  const expected = new Map<Kind, string>();
  for (const kind of KINDS) {
    const session = join(home, 'local', kind);
    const { state } = await run({ ...request, goal: `${kind} here`, session });
    expected.set(kind, verdictsOf(state));
  }
  const client = await engine.client();
  const team = Array.from({ length: workers }, (_, at) => new WorkerProcess(`worker-${at + 1}`, { url, remote, home, leaseMs }));
  const below = randomBelow(seed);
  const counted: Record<string, number> = {};
  let mostLeased = 0;
  const over = new AbortController();
  try {
    for (const worker of team) worker.start();
    // On Restate, a conductor writes the limit.
    await insist(() => client.limit('command', limit), '');
    const names = new Map<string, Kind>();
    const starting = (async () => {
      for (let at = 0; at < sessions; at++) {
        const kind = KINDS[at % KINDS.length] as Kind;
        const session = `chaos-${at + 1}`;
        names.set(session, kind);
        await insist(
          () => startOnEngine(client, { ...request, goal: `${kind} ${at}`, session, tenant: `tenant-${at % 4}` }),
          'engine-session-taken',
        );
      }
    })();
    const watching = (async () => {
      while (!over.signal.aborted) {
        const used = (await client.limits().catch(() => [])).find(({ name }) => name === 'command')?.used ?? 0;
        mostLeased = Math.max(mostLeased, used);
        await pause(200);
      }
    })();
    const battering = (async () => {
      const acts = Object.entries(hits);
      const until = performance.now() + seconds * 1000;
      while (performance.now() < until) {
        await pause(1500 + below(2500));
        const isServer = acts.length > 0 && below(10) < 3;
        const worker = team[below(team.length)] as WorkerProcess;
        const [name, act] = isServer
          ? (acts[below(acts.length)] as [string, () => Promise<void>])
          : below(2) === 0
            ? (['worker killed', () => worker.killAndRestart()] as const)
            : (['worker frozen', () => worker.freeze(below(2) === 0 ? 500 : leaseMs + 1000)] as const);
        counted[name] = (counted[name] ?? 0) + 1;
        await act();
      }
    })();
    await Promise.all([starting, battering]);
    say(`${sessions} sessions started; the hits are over. Waiting for the rest.`);
    const ended = await finish(client, sessions, say);
    over.abort();
    await watching;
    const faults: string[] = [];
    const outcomes: Record<string, number> = {};
    let asLocal = 0;
    let replayed = 0;
    let attempts = 0;
    const starts = new Set<string>();
    for (const [session, kind] of names) {
      const lines = await client.lines(session, 0);
      const { state, events } = journalOf(Buffer.from(lines.map((line) => `${line}\n`).join('')));
      const outcome = state.run?.ended?.outcome ?? 'not ended';
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (verdictsOf(state) === expected.get(kind)) asLocal++;
      else faults.push(`${session} (${kind}): ${verdictsOf(state)}, locally ${expected.get(kind) ?? ''}; ${endOf(events)}`);
      for (const event of events) {
        if (event.type !== 'TaskStarted') continue;
        attempts++;
        const start = `${session} ${event.data.task} ${event.data.attempt}`;
        if (starts.has(start)) faults.push(`${start} starts twice in the journal`);
        starts.add(start);
      }
      const copy = await copyFromEngine(client, session, join(home, 'copies', session));
      const { result } = await replay({ session: copy.root });
      if (result === 'same') replayed++;
      else faults.push(`${session}: replay says ${result}`);
    }
    const begun = readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('begin chaos-'));
    const twice = begun.length - new Set(begun).size;
    for (const line of begun) if (!starts.has(line.slice('begin '.length))) faults.push(`${line}: the journal does not know of it`);
    const minutes = (performance.now() - startedAt) / 60_000;
    return { ended, asLocal, attempts, twice, replayed, mostLeased, hits: counted, outcomes, minutes, faults };
  } finally {
    over.abort();
    await Promise.all(team.map((worker) => worker.end()));
    await client.close();
    if (process.env['UMPIRE_KEEP'] === undefined) rmSync(home, { recursive: true, force: true });
  }
}

/** A person aborts what asks. Returns how many sessions have ended. */
async function finish(client: ClientDoor, sessions: number, say: (line: string) => void): Promise<number> {
  const deadline = performance.now() + sessions * 15_000 + 300_000;
  let shown = -1;
  for (;;) {
    const listed = await client.sessions().catch(() => []);
    const open = listed.filter(({ state }) => state === 'running' || state === 'awaiting');
    const ended = listed.length - open.length;
    if (Math.floor(ended / 20) !== shown) {
      shown = Math.floor(ended / 20);
      say(`${ended} of ${sessions} sessions have ended.`);
    }
    if (ended === sessions || performance.now() > deadline) return ended;
    const given = { answer: 'abort', reason: 'Chaos is over.', rounds: 0, costUsd: 0, minutes: 0, tokens: 0, by: 'resolve' } as const;
    for (const { session, state, question } of open)
      if (state === 'awaiting') await answerOnEngine(client, session, given, question).catch(() => undefined);
    await pause(500);
  }
}

/** A client repeats what got no answer. `done`: the error that says that an earlier try arrived. */
async function insist(act: () => Promise<unknown>, done: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await act();
      return;
    } catch (error) {
      if ((error as { readonly code?: string }).code === done && tries > 0) return;
      if (tries === 60) throw error;
      await pause(1000);
    }
  }
}

function verdictsOf(state: SessionState): string {
  return [...state.verdicts.values()]
    .flat()
    .map(({ verdict }) => `${verdict.round} ${verdict.rule} ${verdict.outcome}`)
    .join(', ');
}

function endOf(events: readonly Recorded[]): string {
  return events
    .slice(-4)
    .map(({ type, data }) => `${type} ${JSON.stringify(data).slice(0, 160)}`)
    .join(' | ');
}

interface WorkerPlace {
  readonly url: string;
  readonly remote: string;
  readonly home: string;
  readonly leaseMs: number;
}

class WorkerProcess {
  private child: ChildProcess | null = null;
  private isEnded = false;

  constructor(
    private readonly name: string,
    private readonly place: WorkerPlace,
  ) {}

  start(): void {
    const { url, remote, home, leaseMs } = this.place;
    const log = join(home, `${this.name}.log`);
    const own = join(home, this.name);
    mkdirSync(own, { recursive: true });
    const flags = ['worker', '--remote', remote, '--name', this.name, '--slots', '2', '--home', own];
    const env = { ...process.env, HOME: own, XDG_STATE_HOME: join(own, 'state'), UMPIRE_ENGINE: url, UMPIRE_LEASE_MS: String(leaseMs) };
    const child = spawn(process.execPath, [command, ...flags], { cwd: own, env, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk: Buffer) => existsSync(home) && appendFileSync(log, chunk));
    this.child = child;
  }

  async killAndRestart(): Promise<void> {
    await this.kill();
    if (!this.isEnded) this.start();
  }

  async freeze(ms: number): Promise<void> {
    this.child?.kill('SIGSTOP');
    await pause(ms);
    this.child?.kill('SIGCONT');
  }

  async end(): Promise<void> {
    this.isEnded = true;
    await this.kill();
  }

  private async kill(): Promise<void> {
    const { child } = this;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
