// What a fleet costs over one machine: the same sessions on a file, PostgreSQL and Restate, side by side. Servers are real, on loopback, with
// durable writes; one that is not installed is left out with a line. Agents do nothing.
// "file" is two things. For turns it is the local engine, which has the same doors and the same conductor, and after each reply its
// journal is synced, as a local run does it. For processor time it is the local run itself: what a task costs without a fleet.
// Turns are measured in one process, one after the other. Processor time counts this process (the client), the built worker and conductor
// and all that they start; the server stands apart. Sessions a second are real ones, with git and a trivial agent: the processors bound
// them, so more workers than processors gain nothing here. Agents that wait for a model do.

import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { assert, atMost, importSources, interleave, line, mb, median, ms, ROOT } from './harness.mjs';

const COMMAND = join(ROOT, 'dist', 'umpire.cjs');
/** A turn is five calls of the server and a durable commit. */
const TURN_BAR = 10;
/** A conductor remembers 200 sessions at most; the rest is room that the collector takes. */
const MEMORY_BAR = 3;
const TURNS = 10;
const TASKS = 20;
const SLOTS = 3;
const SESSIONS = 8;
const WORKERS = [1, 2, 4];
/** Restate takes too long for more in a suite. */
const RESTING = { Postgres: 10_000, Restate: 1000 };
const FEW = 10;
/** Calls at once while sessions are put to rest. */
const AT_ONCE = 16;
/** Clock ticks of /proc, a second. */
const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

const SOURCES = {
  'test/support/local-engine.ts': ['openLocalEngine'],
  'packages/umpire/src/engine/open-engine.ts': ['openEngine', 'engineInit'],
  'packages/umpire/src/engine/conductor.ts': ['createConduct', 'summaryOf'],
  'packages/umpire/src/engine/conductor-parts.ts': ['openConductorParts'],
  'packages/umpire/src/engine/client.ts': ['startOnEngine', 'followOnEngine'],
  'packages/umpire/src/sessions/journal-file.ts': ['journalOf'],
  'packages/core/src/loops/validate-pipeline.ts': ['pipelineFor'],
  'packages/core/src/loops/builtin.ts': ['builtinLoop'],
  'test/support/postgres-server.ts': ['postgresPrograms', 'startPostgres'],
  'test/support/restate-server.ts': ['hasRestateServer', 'startRestateCluster'],
};

const DONE = '{"status":"completed","findings":"nothing to do"}';
const ECHO = `/bin/echo '${DONE}'`;

const pipelineOf = (ours, wave) => ({ ...wave, pipeline: ours.pipelineFor(wave.pipeline, ours.builtinLoop(wave.loop)) });

/** Independent reading tasks, in a folder without git. */
function waveOf(tasks, project) {
  const task = (index) => ({
    id: `PART-${index}`,
    title: `Part ${index}`,
    description: 'Do nothing, and say so.',
    role: 'scanner',
    deps: [],
    exec_mode: 'csv-wave',
    columns: {},
  });
  const mode = { title: 'One wave', judged: false, tasks: Array.from({ length: tasks }, (_, index) => task(index)) };
  const pipeline = { default: 'wave', modes: { wave: mode }, writes: [] };
  return { loop: 'debt', goal: 'nothing', pipeline, mode: 'wave', project, agentCommand: ECHO, concurrency: SLOTS };
}

/** Seconds of processor time that processes have used, with the children that they waited for. */
function processorTime(pids) {
  let ticks = 0;
  for (const pid of pids) {
    const [utime, stime, cutime, cstime] = statOf(pid).slice(11);
    ticks += Number(utime) + Number(stime) + Number(cutime) + Number(cstime);
  }
  return ticks / TICKS;
}

/** The fields of /proc after the name, which may hold spaces. */
function statOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** A process and all below it. */
function familyOf(pid) {
  const parents = new Map();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      parents.set(Number(name), Number(statOf(name)[1]));
    } catch {
      // It ended meanwhile.
    }
  }
  const family = [pid];
  for (const member of family) for (const [child, parent] of parents) if (parent === member) family.push(child);
  return family;
}

function residentKilobytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
}

/** The servers that are installed, each with an engine and processes of the built command. */
async function openContenders(ours, place) {
  const opened = [];
  const missing = [];
  const add = async (name, url, server, end) => {
    await ours.engineInit(url);
    const children = [];
    opened.push({
      name,
      engine: ours.openEngine(url),
      serverTime: () => processorTime(familyOf(server)),
      /** Once it serves. */
      startWorker: async (worker, ...flags) => {
        const child = spawnWorker(join(place, name), worker, ['--engine', url, ...flags]);
        children.push(child.process);
        await child.ready;
        return child;
      },
      end: async () => {
        for (const child of children) child.kill('SIGKILL');
        await end();
      },
    });
  };
  const programs = ours.postgresPrograms();
  if (programs === null) missing.push('PostgreSQL');
  else {
    const server = await ours.startPostgres(programs, { fsync: 'on' });
    await server.sql('postgres', 'create database umpire');
    await add('Postgres', server.url('umpire'), server.pid(), server.stop);
  }
  if (!ours.hasRestateServer()) missing.push('Restate');
  else {
    const cluster = await ours.startRestateCluster(join(place, 'restate'));
    const [node] = cluster.nodes;
    await add('Restate', node.url, node.pid(), cluster.end);
  }
  return { opened, missing };
}

function spawnWorker(place, name, flags) {
  const home = join(place, name);
  mkdirSync(home, { recursive: true });
  const env = { ...process.env, HOME: home, XDG_STATE_HOME: join(home, 'state'), UMPIRE_FLEET_HOME: join(home, 'fleet') };
  const child = spawn(process.execPath, [COMMAND, 'worker', '--name', name, ...flags], {
    cwd: home,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  const ready = new Promise((resolve, reject) => {
    child.stderr.on('data', (text) => {
      said = `${said}${text}`.slice(-4000);
      if (/ Worker | Taking the turns /.test(said)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`The worker ended with ${code}: ${said}`)));
  });
  return {
    process: child,
    pid: child.pid,
    ready,
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

// Turns

function finished({ task, attempt }) {
  const data = { task, attempt, status: 'completed', findings: 'nothing to do', error: '', outputs: {}, usage: { tokens: 0, costUsd: 0 } };
  return { events: [{ type: 'TaskFinished', data }], folder: { files: {}, board: null } };
}

const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

/** A client, a conductor and a worker in this process. `session` plays one and notes how long each turn took. */
async function openTurns(ours, engine, { project, home, sync = () => undefined }) {
  const [client, worker, conductor] = await Promise.all([engine.client(), engine.worker(), engine.conductor()]);
  const stop = new AbortController();
  const conduct = ours.createConduct(ours.openConductorParts({ home, remotes: [''], say: () => undefined }));
  const conducting = conductor.conduct(conduct, { signal: stop.signal, concurrency: 1 });
  const taken = { tell: [], claim: [], handIn: [] };
  const timed = async (kind, session, act) => {
    const start = nowMs();
    const result = await act();
    assert(result?.ok !== false, JSON.stringify(result?.error));
    sync(session ?? result.session);
    taken[kind].push(nowMs() - start);
    return result;
  };
  const timedClient = { ...client, tell: (session, ...more) => timed('tell', session, () => client.tell(session, ...more)) };
  const info = { name: 'bench', labels: [], slots: 1 };
  return {
    taken,
    client,
    session: async () => {
      const session = await ours.startOnEngine(timedClient, { ...pipelineOf(ours, waveOf(TURNS, project)), tenant: 'bench' });
      for (let turn = 0; turn < TURNS; turn += 1) {
        const lease = await timed('claim', null, () => worker.poll(info, 60_000));
        const reply = await timed('handIn', session, () => worker.handIn(lease.token, finished(lease)));
        assert(reply?.taken === true, `${lease.task} was not taken`);
      }
      const listed = await client.session(session);
      assert(listed.state === 'complete', `the session is ${listed.state}`);
      return 0;
    },
    /** A session whose only task asks a person. */
    asking: async () => {
      const session = await ours.startOnEngine(client, { ...pipelineOf(ours, waveOf(1, project)), tenant: 'bench' });
      const { task, attempt, token } = await worker.poll(info, 60_000);
      const data = { task, attempt, reason: 'Which one?', usage: { tokens: 0, costUsd: 0 } };
      await worker.handIn(token, { events: [{ type: 'TaskBlocked', data }], folder: { files: {}, board: null } });
      const { state } = ours.journalOf(Buffer.from(`${(await client.lines(session, 0)).join('\n')}\n`));
      return { lines: await client.lines(session, 0), summary: ours.summaryOf(state, state.run) };
    },
    close: async () => {
      stop.abort();
      await conducting;
      await Promise.all([client.close(), worker.close(), conductor.close()]);
    },
  };
}

function syncFile(path) {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

async function measureTurns(ours, contenders, { place, project, runs }) {
  const folder = join(place, 'file');
  const sync = (session) => syncFile(join(folder, session, 'journal.ndjson'));
  const players = { file: await openTurns(ours, ours.openLocalEngine(folder), { project, home: join(place, 'file-home'), sync }) };
  for (const { name, engine } of contenders) players[name] = await openTurns(ours, engine, { project, home: join(place, `${name}-home`) });
  const play = Object.fromEntries(Object.entries(players).map(([name, { session }]) => [name, session]));
  try {
    await interleave(play, 2);
    for (const { taken } of Object.values(players)) for (const kind of Object.keys(taken)) taken[kind] = [];
    await interleave(play, runs);
  } finally {
    for (const player of Object.values(players)) await player.close();
  }
  const of = (name, kind) => median(players[name].taken[kind]);
  const KINDS = {
    tell: 'a client tells, until the reply',
    claim: 'a worker claims, until the lease',
    handIn: 'a worker hands in, until the reply',
  };
  return contenders.flatMap(({ name }) =>
    Object.entries(KINDS).map(([kind, words]) =>
      line({
        name: `${words}, p50: ${name} : file`,
        ours: ms(of(name, kind)),
        theirs: ms(of('file', kind)),
        ratio: of(name, kind) / of('file', kind),
        bar: name === 'Postgres' && kind === 'handIn' ? atMost(TURN_BAR) : null,
      }),
    ),
  );
}

// Processor time

async function measureTasks(ours, contenders, { place, project, runs }) {
  const { run: runHere } = await import('../dist/run.js');
  let sessions = 0;
  const server = Object.fromEntries(contenders.map(({ name }) => [name, []]));
  const play = {
    file: async () => {
      const before = processorTime([process.pid]);
      const { status } = await runHere({ ...waveOf(TASKS, project), session: join(place, `local-${sessions++}`) });
      assert(status === 'complete', `the local session is ${status}`);
      return (processorTime([process.pid]) - before) / TASKS;
    },
  };
  const clients = [];
  for (const { name, engine, startWorker, serverTime } of contenders) {
    const conductor = await startWorker('conductor', '--remote', 'none', '--conduct-only');
    const worker = await startWorker('worker', '--remote', 'none', '--no-conduct', '--slots', String(SLOTS));
    const client = await engine.client();
    clients.push({ client, conductor, worker });
    const time = () => processorTime([process.pid, conductor.pid, worker.pid]);
    play[name] = async () => {
      const [before, serverBefore] = [time(), serverTime()];
      const session = await ours.startOnEngine(client, { ...pipelineOf(ours, waveOf(TASKS, project)), tenant: 'bench' });
      const signal = AbortSignal.timeout(60_000);
      const { status } = await ours.followOnEngine(client, session, 0, {
        onEvent: () => undefined,
        onQuiet: async () => undefined,
        signal,
      });
      assert(status === 'complete', `the session on ${name} is ${status}`);
      server[name].push((serverTime() - serverBefore) / TASKS);
      return (time() - before) / TASKS;
    };
  }
  await interleave(play, 1);
  for (const name of Object.keys(server)) server[name] = [];
  const taken = await interleave(play, Math.ceil(runs / 3));
  for (const { client, conductor, worker } of clients) await Promise.all([client.close(), conductor.stop(), worker.stop()]);
  return contenders.flatMap(({ name }) => [
    line({
      name: `processor time a task: ${name} : local run`,
      ours: ms(taken[name] * 1000),
      theirs: ms(taken.file * 1000),
      ratio: taken[name] / taken.file,
    }),
    line({ name: `the same, of the ${name} server`, ours: ms(median(server[name]) * 1000) }),
  ]);
}

// Sessions a second

const git = (folder, ...args) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid', ...args]);

/** A project whose test fails until one file is written, and its remote. */
function makeRemote(place) {
  const folder = join(place, 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'README.md'), 'Nothing is here.\n');
  writeFileSync(join(place, 'agent.sh'), `echo done > value.txt\necho '${DONE}'\n`);
  git(folder, 'init', '--quiet', '--initial-branch=main');
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '--message=start');
  git(place, 'clone', '--quiet', '--bare', folder, join(place, 'remote.git'));
  git(folder, 'remote', 'add', 'origin', join(place, 'remote.git'));
  return { folder, remote: join(place, 'remote.git'), agent: `sh ${join(place, 'agent.sh')}` };
}

/** Seconds on the clock, and of the processors, for SESSIONS sessions that begin at once. */
async function timeSessions(ours, { engine, startWorker, serverTime }, { folder, remote, agent }, count) {
  const workers = [];
  for (let index = 0; index < count; index += 1) workers.push(await startWorker(`w${count}-${index}`, '--remote', remote));
  const client = await engine.client();
  await client.limit('command', 0);
  const request = { loop: 'until', command: 'test -s value.txt', goal: 'write it', project: folder, agentCommand: agent, tenant: 'bench' };
  const names = new Set();
  for (let index = 0; index < SESSIONS; index += 1) names.add(await ours.startOnEngine(client, request));
  const time = () => processorTime(workers.map(({ pid }) => pid));
  const [before, serverBefore, start] = [time(), serverTime(), nowMs()];
  await client.limit('command', null);
  let left = [];
  do {
    await pause(50);
    left = (await client.sessions()).filter(({ session, state }) => names.has(session) && state !== 'complete');
    const stuck = left.find(({ state }) => state !== 'running');
    assert(stuck === undefined, `${stuck?.session} is ${stuck?.state}`);
    assert(nowMs() - start < 300_000, `${left.length} sessions have not ended`);
  } while (left.length > 0);
  const taken = { clock: (nowMs() - start) / 1000, processors: time() - before, server: serverTime() - serverBefore };
  await Promise.all([client.close(), ...workers.map(({ stop }) => stop())]);
  return taken;
}

async function measureSessions(ours, contenders, { place, runs }) {
  const project = makeRemote(place);
  const lines = [];
  for (const contender of contenders) {
    const samples = Object.fromEntries(WORKERS.map((count) => [count, []]));
    const sample = (count) => async () => {
      const taken = await timeSessions(ours, contender, project, count);
      samples[count].push(taken);
      return taken.clock;
    };
    const clock = await interleave(Object.fromEntries(WORKERS.map((count) => [`${count}`, sample(count)])), Math.ceil(runs / 7));
    const each = (count, part) => median(samples[count].map((taken) => taken[part])) / SESSIONS;
    for (const count of WORKERS)
      lines.push(
        line({
          name: `sessions a second, ${contender.name}, ${count} ${count === 1 ? 'worker' : 'workers'}`,
          ours: `${(SESSIONS / clock[count]).toFixed(2)}/s`,
          theirs: `CPU ${ms(each(count, 'processors') * 1000)} + server ${ms(each(count, 'server') * 1000)}`,
          ratio: clock[WORKERS[0]] / clock[count],
        }),
      );
  }
  return lines;
}

// Memory

async function inParallel(amount, act) {
  let next = 0;
  const take = async () => {
    while (next < amount) await act(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
}

async function measureMemory(ours, contenders, { place, project }) {
  const player = await openTurns(ours, ours.openLocalEngine(join(place, 'rest')), { project, home: join(place, 'rest-home') });
  const { lines, summary } = await player.asking();
  await player.close();
  const printed = [];
  for (const { name, engine, startWorker, serverTime } of contenders) {
    const conductor = await startWorker('resting', '--remote', 'none', '--conduct-only');
    const client = await engine.client();
    const restAll = async (from, to) => {
      await inParallel(to - from, async (index) => {
        const session = `rest-${from + index}`;
        await client.importSession(session, lines, summary);
        const told = await client.tell(session, { type: 'retry' }, 'once');
        assert(told.ok === true, JSON.stringify(told));
      });
    };
    await restAll(0, FEW);
    const few = residentKilobytes(conductor.pid);
    const [before, serverBefore] = [processorTime([conductor.pid]), serverTime()];
    await restAll(FEW, RESTING[name]);
    const many = residentKilobytes(conductor.pid);
    const each = (seconds) => ms((seconds / (RESTING[name] - FEW)) * 1000);
    printed.push(
      line({
        name: `memory of a conductor, ${name}: ${RESTING[name]} : ${FEW} resting sessions`,
        ours: mb(many),
        theirs: mb(few),
        ratio: many / few,
        bar: name === 'Postgres' ? atMost(MEMORY_BAR) : null,
      }),
      line({
        name: `processor time of those turns, ${name}: conductor`,
        ours: each(processorTime([conductor.pid]) - before),
        theirs: `server ${each(serverTime() - serverBefore)}`,
      }),
    );
    await client.close();
    await conductor.stop();
  }
  return printed;
}

export async function run({ runs = 15 } = {}) {
  if (!existsSync('/proc/self/stat')) return [line({ name: 'fleet', ours: 'not measured: it needs Linux' })];
  const ours = await importSources(SOURCES);
  const place = mkdtempSync(join(tmpdir(), 'umpire-bench-fleet-'));
  const project = join(place, 'project');
  mkdirSync(project);
  const { opened, missing } = await openContenders(ours, place);
  try {
    const at = { place, project, runs };
    return [
      ...missing.map((name) => line({ name: `fleet on ${name}`, ours: 'not installed' })),
      ...(await measureTurns(ours, opened, at)),
      ...(await measureTasks(ours, opened, at)),
      ...(await measureSessions(ours, opened, at)),
      ...(await measureMemory(ours, opened, at)),
    ];
  } finally {
    for (const { end } of opened) await end();
    rmSync(place, { recursive: true, force: true });
  }
}
