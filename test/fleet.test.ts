// Sessions on an engine in this process, with a real remote, real worktrees and real agents: start, work, questions, lost workers.

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { pipelineFor } from '@umpire/core/loops/validate-pipeline.js';
import { createConduct } from '@umpire/umpire/engine/conductor.js';
import { openConductorParts } from '@umpire/umpire/engine/conductor-parts.js';
import { answerOnEngine, copyFromEngine, followOnEngine, retryOnEngine, startOnEngine } from '@umpire/umpire/engine/client.js';
import type { FleetRequest } from '@umpire/umpire/engine/client.js';
import type { Engine, TaskLease } from '@umpire/umpire/engine/engine.js';
import { openLocalEngine } from './support/local-engine.js';
import { work } from '@umpire/umpire/engine/worker.js';
import { SOAK } from './support/campaign.js';
import { gitIn, writeFiles } from './support/git-project.js';
import { remoteLabel } from '@umpire/umpire/engine/queue.js';

const place = realpathSync(mkdtempSync(join(tmpdir(), 'umpire-fleet-')));
afterAll(() => rmSync(place, { recursive: true, force: true }));

let stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  stops = [];
});

interface Fleet {
  readonly engine: Engine;
  readonly project: string;
  readonly remote: string;
  readonly notes: string[];
  readonly addWorker: (name: string, labels?: readonly string[]) => Promise<void>;
  readonly start: (request: Partial<FleetRequest>) => Promise<string>;
}

let fleets = 0;

/** A remote, a person's clone of it, a conductor; workers are added by the test. */
async function openFleet(agent: string): Promise<Fleet> {
  const home = join(place, String(++fleets));
  const project = join(home, 'project');
  const remote = join(home, 'remote.git');
  writeFiles(project, { 'check.mjs': CHECK, 'value.txt': 'bad\n' });
  writeFiles(home, { 'agent.mjs': agent });
  gitIn(project, 'init', '-q', '-b', 'main');
  gitIn(project, 'add', '-A');
  gitIn(project, 'commit', '-qm', 'start');
  gitIn(home, 'clone', '-q', '--bare', project, remote);
  gitIn(project, 'remote', 'add', 'origin', remote);
  const engine = openLocalEngine(join(home, 'engine'), { leaseMs: 5000, sweepMs: 200 });
  const notes: string[] = [];
  const say = (note: string) => void notes.push(note);
  const conductor = await engine.conductor();
  const stopped = new AbortController();
  const conduct = createConduct(openConductorParts({ home, remotes: [remote], say }));
  const conducting = conductor.conduct(conduct, { signal: stopped.signal, concurrency: 2 });
  stops.push(async () => {
    stopped.abort();
    await conducting;
    await conductor.close();
  });
  return {
    engine,
    project,
    remote,
    notes,
    addWorker: async (name, labels = []) => {
      const door = await engine.worker();
      const stop = new AbortController();
      const options = {
        door,
        name,
        labels,
        slots: 1,
        remotes: [remote],
        home,
        say,
        beatMs: 500,
        leaseMs: 5000,
        pollMs: 300,
      };
      const working = work({ ...options, signal: stop.signal });
      stops.push(async () => {
        stop.abort();
        await working;
        await door.close();
      });
    },
    start: async (request) => {
      const client = await engine.client();
      const agentCommand = `node ${join(home, 'agent.mjs')}`;
      return startOnEngine(client, {
        loop: 'until',
        command: 'node check.mjs',
        project,
        agentCommand,
        tenant: 'me',
        onNote: say,
        ...request,
      });
    },
  };
}

const CHECK = `import { readFileSync } from 'node:fs';
if (readFileSync('value.txt', 'utf8') !== 'good\\n') { console.error('value.txt is not good'); process.exit(1); }
`;

const WORKS = `import { writeFileSync } from 'node:fs';
writeFileSync('value.txt', 'good\\n');
console.log(JSON.stringify({ id: 'x', status: 'completed', findings: 'Wrote the value.' }));
`;

async function follow(fleet: Fleet, session: string, from = 0) {
  const client = await fleet.engine.client();
  const types: string[] = [];
  const signal = AbortSignal.timeout(60_000);
  const onQuiet = () => Promise.resolve();
  const result = await followOnEngine(client, session, from, { onEvent: ({ type }) => void types.push(type), onQuiet, signal });
  return { ...result, types };
}

test('a session runs on a worker and ends with its work on the remote branch', { timeout: 90_000 }, async () => {
  const fleet = await openFleet(WORKS);
  await fleet.addWorker('one');
  const session = await fleet.start({ goal: 'make it good' });
  expect(await follow(fleet, session)).toMatchObject({ status: 'complete' });
  expect(gitIn(fleet.remote, 'show', `umpire/${session}:value.txt`)).toBe('good\n');
  const client = await fleet.engine.client();
  const copy = await copyFromEngine(client, session, join(place, 'copies', session));
  expect(copy.name).toBe(session);
});

test("a session may begin with the person's uncommitted changes, which go to the remote", { timeout: 90_000, ...SOAK }, async () => {
  const fleet = await openFleet(WORKS);
  await fleet.addWorker('one');
  writeFileSync(join(fleet.project, 'new.txt'), 'not committed');
  const session = await fleet.start({ command: 'test -e new.txt && node check.mjs', includeUncommitted: true });
  const { status, state } = await follow(fleet, session);
  const workspace = state.run?.started.workspace;
  expect({ status, included: workspace?.included }).toEqual({
    status: 'complete',
    included: { parent: gitIn(fleet.project, 'rev-parse', 'HEAD').trim(), files: ['new.txt'] },
  });
  expect(gitIn(fleet.remote, 'diff', '--name-only', workspace?.base ?? '', `umpire/${session}`)).toBe('value.txt\n');
  expect(gitIn(fleet.project, 'status', '--porcelain', 'new.txt')).toBe('?? new.txt\n');
});

test('a task whose agent had no plan left is tried again when a person says so', { timeout: 90_000, ...SOAK }, async () => {
  const fleet = await openFleet(`import { existsSync } from 'node:fs';
if (!existsSync(join(import.meta.dirname, 'reset'))) {
  console.error('{"error":{"code":429,"message":"You have hit your usage limit. It resets in 5 hours."}}');
  process.exit(1);
}
${WORKS}`);
  await fleet.addWorker('one');
  const session = await fleet.start({ goal: 'make it good' });
  const waiting = await follow(fleet, session);
  expect(waiting).toMatchObject({ status: 'awaiting', question: { kind: 'limit' } });
  writeFiles(join(fleet.project, '..'), { reset: '' });
  await retryOnEngine(await fleet.engine.client(), session);
  expect(await follow(fleet, session, waiting.types.length)).toMatchObject({ status: 'complete' });
});

test('any worker takes a session of a folder without git', { timeout: 90_000 }, async () => {
  const fleet = await openFleet(`console.log(JSON.stringify({ status: 'completed', findings: 'Read it.' }));`);
  await fleet.addWorker('one');
  const project = join(place, `plain-${fleets}`);
  writeFiles(project, { 'notes.txt': 'plain\n' });
  const task = {
    id: 'READ-1',
    title: 'Read',
    description: 'Read it.',
    role: 'scanner',
    deps: [] as string[],
    exec_mode: 'csv-wave',
    approve: false,
    columns: {},
  } as const;
  const debt = builtinLoop('debt') as Loop;
  const pipeline = pipelineFor({ modes: { read: { title: 'Read', judged: false, tasks: [task] } }, writes: [] }, debt);
  const client = await fleet.engine.client();
  const agentCommand = `node ${join(fleet.project, '..', 'agent.mjs')}`;
  const session = await startOnEngine(client, { loop: 'debt', goal: 'read', mode: 'read', pipeline, project, agentCommand, tenant: 'me' });
  expect(await follow(fleet, session)).toMatchObject({ status: 'complete' });
});

test('an answer from any machine continues a blocked task', { timeout: 90_000 }, async () => {
  const fleet = await openFleet(`import { readFileSync, writeFileSync } from 'node:fs';
const { id, turns = [] } = JSON.parse(readFileSync(process.env.UMPIRE_TASK_FILE, 'utf8'));
if (turns.length > 0) writeFileSync('value.txt', 'good\\n');
console.log(JSON.stringify(turns.length > 0 ? { id, status: 'completed', findings: 'ok' } : { id, status: 'blocked', reason: 'Which value?' }));
`);
  await fleet.addWorker('one');
  const session = await fleet.start({ goal: 'make it good' });
  const waiting = await follow(fleet, session);
  expect(waiting).toMatchObject({ status: 'awaiting', question: { kind: 'blocked' } });
  const client = await fleet.engine.client();
  const given = { answer: 'insist', reason: 'good', rounds: 0, costUsd: 0, minutes: 0, tokens: 0, by: 'resolve' } as const;
  await expect(answerOnEngine(client, session, given, 'another question')).rejects.toThrow('has changed');
  await answerOnEngine(client, session, given, waiting.question?.key ?? null);
  expect(await follow(fleet, session, waiting.types.length)).toMatchObject({ status: 'complete' });
});

test('a person who moves the branch learns why no work is merged', { ...SOAK, timeout: 90_000 }, async () => {
  const fleet = await openFleet(WORKS);
  const session = await fleet.start({ goal: 'make it good', session: 'moved', maxRounds: 1 });
  const other = gitIn(fleet.remote, 'commit-tree', '-m', 'mine', '-p', 'main', 'main^{tree}').trim();
  gitIn(fleet.remote, 'update-ref', 'refs/heads/umpire/moved', other);
  await fleet.addWorker('one');
  expect(await follow(fleet, session)).toMatchObject({ status: 'awaiting', question: { kind: 'escalation' } });
  const lines = await (await fleet.engine.client()).lines(session, 0);
  const ended = lines.find((line) => line.includes('"TaskFinished"') && line.includes('WORK-1'));
  expect(ended).toContain(`"status":"failed","error":"Its work was refused: Another process or person moved refs/heads/umpire/moved`);
  expect(ended).toContain(`but is at ${other}`);
  expect(gitIn(fleet.remote, 'rev-parse', 'umpire/moved').trim()).toBe(other);
});

test('a hostile worker cannot forge events, files or usage', { timeout: 90_000 }, async () => {
  const fleet = await openFleet(WORKS);
  const door = await fleet.engine.worker();
  const client = await fleet.engine.client();
  const worker = { name: 'hostile', labels: [remoteLabel(fleet.remote)], slots: 1 };
  const nothing = { files: {}, board: null };
  const usage = { tokens: 1, costUsd: 0 };
  const asked = { key: 'k', answer: 'abort', reason: '', rounds: 0, costUsd: 0, minutes: 0, tokens: 0, by: 'resolve' };
  const forgeries: readonly (readonly [why: string, forge: (end: Ended, blob: string) => unknown])[] = [
    ['PersonAnswered is not the end', () => ({ events: [{ type: 'PersonAnswered', data: asked }], folder: nothing })],
    ['SessionEnded is not the end', () => ({ events: [{ type: 'SessionEnded', data: { outcome: 'complete' } }], folder: nothing })],
    ['another attempt', ({ type, data }) => ({ events: [{ type, data: { ...data, task: 'WORK-1' } }], folder: nothing })],
    ['another attempt', ({ type, data }) => ({ events: [{ type, data: { ...data, attempt: data.attempt + 1 } }], folder: nothing })],
    [
      'only conductors move the branch',
      ({ type, data }) => ({ events: [{ type, data: { ...data, head: '0'.repeat(40) } }], folder: nothing }),
    ],
    ['may only read', ({ data }) => ({ events: [{ type: 'TaskSubmitted', data: { ...data, commit: '0'.repeat(40) } }], folder: nothing })],
    [
      'usage below zero',
      ({ type, data }) => ({ events: [{ type, data: { ...data, usage: { tokens: -9, costUsd: -9 } } }], folder: nothing }),
    ],
    ['exactly 1', (end) => ({ events: [end, end], folder: nothing })],
    ['content of a file is missing', (end) => ({ events: [end], folder: { files: { 'notes.md': 'f'.repeat(64) }, board: null } })],
    ...['journal.ndjson', 'Journal.ndjson', 'journal.ndjson/x', 'tasks.csv', 'blobs', `blobs/${'f'.repeat(64)}`, '.git/config'].map(
      (file) =>
        ["Umpire's own file", (end: Ended, blob: string) => ({ events: [end], folder: { files: { [file]: blob }, board: null } })] as const,
    ),
    ...['../outside', '/etc/passwd', 'a\\..\\..\\b'].map(
      (file) =>
        ['folder.files', (end: Ended, blob: string) => ({ events: [end], folder: { files: { [file]: blob }, board: null } })] as const,
    ),
  ];
  const refs = gitIn(fleet.remote, 'for-each-ref');
  const given = { answer: 'abort', reason: 'over', rounds: 0, costUsd: 0, minutes: 0, tokens: 0, by: 'resolve' } as const;
  let session = '';
  for (const [at, [why, forge]] of forgeries.entries()) {
    // A person is asked when an attempt was given back five times.
    if (at % 4 === 0) {
      if (at > 0) await answerOnEngine(client, session, given);
      session = await fleet.start({ goal: 'make it good', session: `forged-${at}` });
    }
    const { token, task, attempt } = (await door.poll(worker, 30_000)) as TaskLease;
    const blob = await door.blobs(token).put(Buffer.from('{"forged":true}\n'));
    const data = { task, attempt, status: 'completed', findings: 'ok', error: '', outputs: {}, usage } as const;
    await door.handIn(token, forge({ type: 'TaskFinished', data }, blob));
    const events = (await client.lines(session, 0)).map((line) => JSON.parse(line) as { type: string; data: { why?: string } });
    const begun = Array.from({ length: attempt }, () => ['TaskStarted', 'TaskInterrupted']).flat();
    expect(events.map(({ type }) => type)).toEqual(['SessionStarted', 'RunBegun', ...begun]);
    expect(events.at(-1)?.data.why).toContain(why);
  }
  const heads = (all: string) => all.split('\n').filter((ref) => ref.includes('refs/heads'));
  expect(heads(gitIn(fleet.remote, 'for-each-ref'))).toEqual(heads(refs));
  await door.close();
});

interface Ended {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly attempt: number };
}
