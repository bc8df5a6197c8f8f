// What every engine of a fleet must do, as tests. The conductor is a toy: its journal lines are numbered JSON, its tasks are names.
// Every test uses names of its own, so an engine may serve several tests at once.

import { createHash, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type {
  ClientDoor,
  Conduct,
  ConductorDoor,
  Engine,
  EngineOptions,
  Input,
  TaskLease,
  Offer,
  Summary,
  SessionTurn,
  WorkerDoor,
} from '@umpire/umpire/engine/engine.js';

export interface OpenedEngine {
  readonly engine: Engine;
  readonly close: () => Promise<void>;
}

interface ToyTask {
  readonly task: string;
  readonly labels?: readonly string[];
  readonly limits?: readonly string[];
  /** The first claim is answered with null, and the task is withdrawn. */
  readonly refuse?: boolean;
}

/** What a client of the toy may say. */
interface ToyMessage {
  readonly start?: readonly ToyTask[];
  readonly tenant?: string;
  readonly note?: string;
  readonly withdraw?: string;
  readonly wakeAtMs?: number;
  readonly end?: boolean;
}

interface ToyLine extends ToyMessage {
  readonly n: number;
  readonly kind: Input['kind'];
  readonly task?: string;
  readonly attempt?: number;
  readonly worker?: string;
  readonly result?: unknown;
  readonly why?: string;
}

interface ToyState {
  readonly summary: Summary | null;
  readonly offers: readonly Offer[];
  readonly running: readonly { readonly task: string; readonly attempt: number }[];
  readonly wakeAtMs: number | null;
}

function stateOf(lines: readonly ToyLine[]): ToyState {
  let tenant = '';
  let isStarted = false;
  let hasEnded = false;
  let wakeAtMs: number | null = null;
  const open = new Map<string, ToyTask & { attempt: number; isRunning: boolean }>();
  for (const line of lines) {
    if (line.start !== undefined) {
      isStarted = true;
      tenant = line.tenant ?? '';
      for (const task of line.start) open.set(task.task, { ...task, attempt: 1, isRunning: false });
    }
    if (line.withdraw !== undefined) open.delete(line.withdraw);
    if (line.wakeAtMs !== undefined) wakeAtMs = line.wakeAtMs;
    if (line.kind === 'woken') wakeAtMs = null;
    if (line.end === true) hasEnded = true;
    const task = open.get(line.task ?? '');
    if (line.kind === 'claimed' && task !== undefined) {
      if (task.refuse === true) open.delete(task.task);
      else open.set(task.task, { ...task, isRunning: true });
    }
    if (line.kind === 'handed-in') open.delete(line.task ?? '');
    if (line.kind === 'lost' && task !== undefined) open.set(task.task, { ...task, attempt: task.attempt + 1, isRunning: false });
  }
  const tasks = hasEnded ? [] : [...open.values()];
  const state = hasEnded ? 'complete' : 'running';
  return {
    summary: isStarted ? { loop: 'toy', goal: 'play', tenant, state, question: null, unverified: false, round: lines.length } : null,
    offers: tasks
      .filter((task) => !task.isRunning)
      .map(({ task, attempt, labels = [], limits = [] }) => ({ task, attempt, labels, limits })),
    running: tasks.filter((task) => task.isRunning).map(({ task, attempt }) => ({ task, attempt })),
    wakeAtMs: hasEnded ? null : wakeAtMs,
  };
}

function parse(lines: readonly string[]): readonly ToyLine[] {
  return lines.map((line) => JSON.parse(line) as ToyLine);
}

/** Every input becomes one line. Claims of what is not on offer, and of tasks that refuse, are answered with null. */
export const toyConduct: Conduct = async ({ length, lines }, input): Promise<SessionTurn> => {
  const before = parse(await lines(0));
  if (before.length !== length) throw new Error(`${before.length} lines, but a length of ${length}`);
  const line: ToyLine = { n: length, ...lineOf(input) };
  const after = stateOf([...before, line]);
  const isRefused =
    input.kind === 'claimed' && !after.running.some(({ task, attempt }) => task === input.claim.task && attempt === input.claim.attempt);
  return { ...after, lines: [JSON.stringify(line)], reply: isRefused ? null : { line: length } };
};

function lineOf(input: Input): Omit<ToyLine, 'n'> {
  switch (input.kind) {
    case 'told':
      return { kind: 'told', ...(input.message as ToyMessage) };
    case 'claimed':
      return { kind: 'claimed', task: input.claim.task, attempt: input.claim.attempt, worker: input.claim.worker };
    case 'handed-in':
      return { kind: 'handed-in', task: input.claim.task, attempt: input.claim.attempt, result: input.result };
    case 'lost':
      return { kind: 'lost', task: input.claim.task, attempt: input.claim.attempt, why: input.why };
    case 'woken':
      return { kind: 'woken' };
  }
}

/** A promise that the test resolves. */
function makeGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Long enough for a poll that finds something, also on a busy machine. */
const PATIENCE_MS = 30_000;
const WAIT = { timeout: 60_000, interval: 25 };

export function engineConformance(name: string, open: (options: EngineOptions) => Promise<OpenedEngine>): void {
  describe(`engine: ${name}`, () => {
    let here: string;
    const endings: (() => Promise<void>)[] = [];

    beforeEach(() => {
      here = randomUUID().slice(0, 8);
    });

    afterEach(async () => {
      for (const end of endings.splice(0).toReversed()) await end();
    });

    /** The engine with its doors, and no conductor yet. */
    async function openDoors(options: EngineOptions = {}) {
      const { engine, close } = await open(options);
      endings.push(close);
      const client = await engine.client();
      const worker = await engine.worker();
      endings.push(async () => {
        await Promise.all([client.close(), worker.close()]);
      });
      return { engine, client, worker };
    }

    async function startConductor(engine: Engine, conduct: Conduct = toyConduct, concurrency = 2): Promise<() => Promise<void>> {
      const stop = new AbortController();
      const door: ConductorDoor = await engine.conductor();
      const conducting = door.conduct(conduct, { signal: stop.signal, concurrency });
      let ended: Promise<void> | null = null;
      const end = (): Promise<void> => {
        stop.abort();
        ended ??= conducting.then(() => door.close());
        return ended;
      };
      endings.push(end);
      return end;
    }

    async function openFleet(options: EngineOptions = {}) {
      const doors = await openDoors(options);
      await startConductor(doors.engine);
      return doors;
    }

    const sessionOf = (word = 's'): string => `${word}-${here}`;
    /** A label that only this test's offers need and only its workers have. */
    const mark = (): string => `only-${here}`;
    const task = (word: string, more: Partial<ToyTask> = {}): ToyTask => ({
      task: word,
      ...more,
      labels: [mark(), ...(more.labels ?? [])],
    });

    function start(client: ClientDoor, tasks: readonly ToyTask[], session = sessionOf(), tenant = ''): Promise<unknown> {
      return client.tell(session, { start: tasks, tenant } satisfies ToyMessage, 'start');
    }

    function poll(worker: WorkerDoor, waitMs = PATIENCE_MS, labels: readonly string[] = [], who = 'worker'): Promise<TaskLease | null> {
      return worker.poll({ name: `${who}-${here}`, labels: [mark(), ...labels], slots: 4 }, waitMs);
    }

    async function claim(worker: WorkerDoor, labels: readonly string[] = [], who = 'worker'): Promise<TaskLease> {
      const lease = await poll(worker, PATIENCE_MS, labels, who);
      if (lease === null) throw new Error('No offer was found.');
      return lease;
    }

    /** The journal, whose lines are numbered without a gap. */
    async function journal(client: ClientDoor, session = sessionOf()): Promise<readonly ToyLine[]> {
      const lines = parse(await client.lines(session, 0));
      expect(lines.map(({ n }) => n)).toEqual(lines.map((_, at) => at));
      return lines;
    }

    async function kinds(client: ClientDoor, session = sessionOf()): Promise<string> {
      return (await journal(client, session))
        .map(({ kind, task: word = '', attempt }) => [kind, word, attempt].filter(Boolean).join(' '))
        .join(', ');
    }

    async function waitForKinds(client: ClientDoor, wanted: RegExp, session = sessionOf()): Promise<void> {
      await vi.waitFor(async () => expect(await kinds(client, session)).toMatch(wanted), WAIT);
    }

    it('starts a session with the first message, and lists it', async () => {
      const { client } = await openFleet();
      expect(await client.session(sessionOf())).toBeNull();
      expect(await start(client, [task('a')], sessionOf(), `t-${here}`)).toEqual({ line: 0 });
      expect(await client.tell(sessionOf(), { note: 'hello' }, 'note')).toEqual({ line: 1 });
      expect(await client.lines(sessionOf(), 1)).toEqual([JSON.stringify({ n: 1, kind: 'told', note: 'hello' })]);
      expect(await client.session(sessionOf())).toMatchObject({
        session: sessionOf(),
        tenant: `t-${here}`,
        state: 'running',
        length: 2,
        offered: [{ task: 'a', attempt: 1, labels: [mark()], limits: [] }],
        leased: [],
      });
      expect((await client.sessions()).filter(({ session }) => session === sessionOf())).toHaveLength(1);
    });

    it('answers a repeated message with the first reply, and takes one turn', async () => {
      const { client } = await openFleet();
      await start(client, []);
      const replies = await Promise.all(Array.from({ length: 5 }, () => client.tell(sessionOf(), { note: 'once' }, 'same')));
      replies.push(await client.tell(sessionOf(), { note: 'again' }, 'same'));
      expect(replies).toEqual(replies.map(() => ({ line: 1 })));
      expect((await journal(client)).filter(({ note }) => note !== undefined)).toHaveLength(1);
    });

    it('tells a client when the journal has grown, and returns when the time is up', async () => {
      const { client } = await openFleet();
      await start(client, [task('a')]);
      await client.changed(sessionOf(), 0, PATIENCE_MS);
      await client.changed(sessionOf(), 1, 10);
      const grown = client.changed(sessionOf(), 1, PATIENCE_MS * 10);
      await client.tell(sessionOf(), { note: 'hello' }, 'note');
      await grown;
      expect(await client.lines(sessionOf(), 1)).toHaveLength(1);
    });

    it('leases an offer to one worker only', async () => {
      const { client, worker } = await openFleet();
      await start(client, [task('a')]);
      const polls = ['one', 'two', 'three'].map((who) => claim(worker, [], who));
      const first = await Promise.any(polls);
      expect(first).toMatchObject({ session: sessionOf(), task: 'a', attempt: 1, reply: { line: 1 } });
      expect(await worker.lines(first.token, 0)).toEqual(await client.lines(sessionOf(), 0));
      expect(await worker.lines(first.token, 1)).toHaveLength(1);
      expect(await client.session(sessionOf())).toMatchObject({ offered: [], leased: [{ task: 'a', attempt: 1 }] });
      await start(client, [task('b'), task('c')], sessionOf('more'));
      expect((await Promise.all(polls)).map((lease) => lease.task).toSorted()).toEqual(['a', 'b', 'c']);
    });

    it('lets a worker wait for an offer', async () => {
      const { client, worker } = await openFleet();
      const waiting = poll(worker, PATIENCE_MS * 10);
      await start(client, [task('a')]);
      expect(await waiting).toMatchObject({ task: 'a' });
    });

    it('gives no lease where the conductor refuses the claim', async () => {
      const { client, worker } = await openFleet();
      await start(client, [task('a', { refuse: true })]);
      const polling = claim(worker);
      await waitForKinds(client, /^told, claimed a 1$/);
      expect(await client.session(sessionOf())).toMatchObject({ offered: [], leased: [] });
      await start(client, [task('b')], sessionOf('more'));
      expect(await polling).toMatchObject({ task: 'b' });
    });

    it('leaves an offer to others where no conductor answered the claim in time', async () => {
      const { engine, client, worker } = await openDoors();
      const stop = await startConductor(engine);
      await start(client, [task('a')]);
      await stop();
      expect(await poll(worker, 300)).toBeNull();
      await startConductor(engine);
      expect(await poll(worker)).toMatchObject({ task: 'a', attempt: 1 });
      expect(await kinds(client)).toBe('told, claimed a 1');
    });

    it('takes a result once', async () => {
      const { client, worker } = await openFleet();
      await start(client, [task('a')]);
      const { token } = await claim(worker);
      expect(await worker.handIn(token, { made: 'it' })).toEqual({ line: 2 });
      expect(await worker.handIn(token, { made: 'something else' })).toEqual({ line: 2 });
      expect((await journal(client)).slice(2)).toEqual([{ n: 2, kind: 'handed-in', task: 'a', attempt: 1, result: { made: 'it' } }]);
      expect(await client.session(sessionOf())).toMatchObject({ offered: [], leased: [] });
      await expect(worker.lines(token, 0)).rejects.toMatchObject({ code: 'lease-lost' });
    });

    it('tells the session when a worker does not beat, and changes nothing for that worker afterwards', async () => {
      const { client, worker } = await openFleet({ leaseMs: 400, sweepMs: 100 });
      await start(client, [task('a')]);
      const { token } = await claim(worker);
      await waitForKinds(client, /^told, claimed a 1, lost a 1/);
      expect(await worker.handIn(token, 'too late')).toBeNull();
      await worker.giveBack(token, 'too late');
      expect(await worker.beat(`worker-${here}`, [token])).toEqual({ lost: [token], draining: false });
      await expect(worker.blobs(token).put(Buffer.from('late'))).rejects.toMatchObject({ code: 'lease-lost' });
      expect(await kinds(client)).toBe('told, claimed a 1, lost a 1');
      expect(await client.session(sessionOf())).toMatchObject({ offered: [{ task: 'a', attempt: 2 }], leased: [] });
    });

    it('lets a worker give its attempt back, once', async () => {
      const { client, worker } = await openFleet();
      await start(client, [task('a')]);
      const { token } = await claim(worker);
      await worker.giveBack(token, 'no disk');
      await worker.giveBack(token, 'no disk at all');
      expect(await claim(worker)).toMatchObject({ task: 'a', attempt: 2 });
      expect(await kinds(client)).toBe('told, claimed a 1, lost a 1, claimed a 2');
      expect((await journal(client))[2]).toMatchObject({ why: 'no disk' });
    });

    it('withdraws offers that a turn does not repeat', async () => {
      const { client, worker } = await openFleet();
      await start(client, [task('a'), task('b')]);
      await client.tell(sessionOf(), { withdraw: 'a' }, 'withdraw');
      expect(await claim(worker)).toMatchObject({ task: 'b' });
      expect(await poll(worker, 0)).toBeNull();
    });

    it('ends the leases of attempts that are not wanted any more, and tells the worker with its beat', async () => {
      const { client, worker } = await openFleet();
      await start(client, [task('a'), task('b')]);
      const leases = [await claim(worker), await claim(worker)];
      const [a, b] = ['a', 'b'].map((word) => leases.find((lease) => lease.task === word)?.token ?? '');
      expect(await worker.beat(`worker-${here}`, [a!, b!])).toEqual({ lost: [], draining: false });
      await client.tell(sessionOf(), { withdraw: 'a' }, 'withdraw');
      expect(await worker.beat(`worker-${here}`, [a!, b!])).toEqual({ lost: [a], draining: false });
      expect(await worker.beat(`other-${here}`, [b!])).toMatchObject({ lost: [b] });
      expect(await worker.handIn(a!, 'unwanted')).toBeNull();
      expect(await worker.handIn(b!, 'wanted')).not.toBeNull();
      expect(await kinds(client)).toMatch(/told, handed-in b 1$/);
    });

    it('gives an offer only to a worker with all of its labels', async () => {
      const { client, worker } = await openFleet();
      await start(client, [task('a', { labels: ['gpu', 'docker'] })]);
      expect(await poll(worker, 0, ['gpu'])).toBeNull();
      expect(await poll(worker, PATIENCE_MS, ['claude', 'docker', 'gpu'])).toMatchObject({ task: 'a' });
    });

    it('prefers the tenant with the fewest at work, and there the oldest offer', async () => {
      const { client, worker } = await openFleet();
      const [busy, calm] = [`busy-${here}`, `calm-${here}`];
      await start(client, [task('b1')], sessionOf('b1'), busy);
      await start(client, [task('b2')], sessionOf('b2'), busy);
      await start(client, [task('b3')], sessionOf('b3'), busy);
      await start(client, [task('c1')], sessionOf('c1'), calm);
      await start(client, [task('c2')], sessionOf('c2'), calm);
      const order: string[] = [];
      for (let at = 0; at < 5; at++) order.push((await claim(worker)).task);
      expect(order).toEqual(['b1', 'c1', 'b2', 'c2', 'b3']);
    });

    it('never exceeds a limit over the fleet', async () => {
      const { client, worker } = await openFleet();
      const limit = `limit-${here}`;
      await client.limit(limit, 2);
      for (const word of ['x', 'y', 'z'])
        await start(client, [task(`${word}1`, { limits: [limit] }), task(`${word}2`, { limits: [limit] })], sessionOf(word));
      const own = async () => (await client.limits()).filter((one) => one.name === limit);
      const held: TaskLease[] = [];
      let most = 0;
      const polls = Array.from({ length: 6 }, async (_, at) => {
        held.push(await claim(worker, [], `w${at}`));
        most = Math.max(most, held.length);
      });
      for (let done = 0; done < 4; done++) {
        await vi.waitFor(() => expect(held).toHaveLength(2), WAIT);
        expect(await own()).toEqual([{ name: limit, most: 2, used: 2 }]);
        await worker.handIn(held.shift()!.token, 'done');
      }
      await Promise.all(polls);
      expect(most).toBe(2);
      await client.limit(limit, null);
      expect(await own()).toEqual([]);
    });

    it('gives more where a limit is removed', async () => {
      const { client, worker } = await openFleet();
      const limit = `limit-${here}`;
      await client.limit(limit, 0);
      await start(client, [task('a', { limits: [limit] })]);
      expect(await poll(worker, 0)).toBeNull();
      const polling = claim(worker);
      await client.limit(limit, null);
      expect(await polling).toMatchObject({ task: 'a' });
    });

    it('gives a draining worker nothing, until it is wanted again', async () => {
      const { client, worker } = await openFleet();
      await start(client, [task('a'), task('b')]);
      const { token } = await claim(worker);
      await client.drain(`worker-${here}`, true);
      expect(await poll(worker, 50)).toBeNull();
      expect(await worker.beat(`worker-${here}`, [token])).toEqual({ lost: [], draining: true });
      expect((await client.workers()).filter((one) => one.worker === `worker-${here}`)).toMatchObject([
        { labels: [mark()], slots: 4, busy: 1, draining: true },
      ]);
      await client.drain(`worker-${here}`, false);
      expect(await poll(worker)).not.toBeNull();
    });

    it('wakes a session at the time that it named', async () => {
      const { client } = await openFleet({ sweepMs: 60_000 });
      await start(client, [task('a')]);
      const at = Date.now() + 300;
      await client.tell(sessionOf(), { wakeAtMs: at }, 'wake');
      await waitForKinds(client, /^told, told, woken$/);
      expect(Date.now()).toBeGreaterThanOrEqual(at - 50);
    });

    it('wakes a running session that nothing else would continue, and leaves the others alone', async () => {
      const { client } = await openFleet({ sweepMs: 200 });
      await start(client, [task('a')], sessionOf('offered'));
      await start(client, [], sessionOf('complete'));
      await client.tell(sessionOf('complete'), { end: true }, 'end');
      await start(client, [], sessionOf('stuck'));
      await waitForKinds(client, /^told, woken, woken/, sessionOf('stuck'));
      expect([await kinds(client, sessionOf('offered')), await kinds(client, sessionOf('complete'))]).toEqual(['told', 'told, told']);
    });

    it('keeps blobs by content, for one session', async () => {
      const { client, worker } = await openFleet();
      const bytes = new Uint8Array([0, 255, 10, 13, 128]);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect(await client.blobs(sessionOf()).put(bytes)).toBe(sha256);
      expect(await client.blobs(sessionOf()).put(bytes)).toBe(sha256);
      await start(client, [task('a')]);
      const { token } = await claim(worker);
      expect([...((await worker.blobs(token).get(sha256)) ?? [])]).toEqual([...bytes]);
      const made = await worker.blobs(token).put(Buffer.from('from the worker'));
      expect(Buffer.from((await client.blobs(sessionOf()).get(made)) ?? []).toString()).toBe('from the worker');
      expect(await client.blobs(sessionOf('other')).get(sha256)).toBeNull();
      expect(await worker.blobs(token).get('0'.repeat(64))).toBeNull();
      expect(await worker.blobs(token).get('../journal.ndjson')).toBeNull();
    });

    it('gives blobs to the conductor in its turn', async () => {
      const { engine, client } = await openDoors();
      // An engine may need a conductor for that, too.
      const put = client.blobs(sessionOf()).put(Buffer.from('the plan'));
      const sha256 = createHash('sha256').update('the plan').digest('hex');
      let read = '';
      await startConductor(engine, async (session, input) => {
        if (session.session === sessionOf()) {
          read = Buffer.from((await session.blobs.get(sha256)) ?? []).toString();
          await session.blobs.put(Buffer.from('the verdict'));
        }
        return toyConduct(session, input);
      });
      expect(await put).toBe(sha256);
      await start(client, []);
      expect(read).toBe('the plan');
      const verdict = createHash('sha256').update('the verdict').digest('hex');
      expect(Buffer.from((await client.blobs(sessionOf()).get(verdict)) ?? []).toString()).toBe('the verdict');
    });

    it('takes a session in as it is, and continues it', async () => {
      const { client, worker } = await openFleet({ sweepMs: 200 });
      await start(client, [task('a', { labels: [`${here}-ä "quoted"`] })], sessionOf('old'));
      await client.tell(sessionOf('old'), { note: ' spaces \u2028 and \\ signs ' }, 'note');
      const lines = await client.lines(sessionOf('old'), 0);
      const summary: Summary = { ...stateOf(parse(lines)).summary! };
      await client.importSession(sessionOf('new'), lines, summary);
      expect((await client.lines(sessionOf('new'), 0)).slice(0, 2)).toEqual(lines);
      await expect(client.importSession(sessionOf('new'), lines, summary)).rejects.toMatchObject({ code: 'engine-session-taken' });
      await expect(client.importSession(sessionOf('old'), [], summary)).rejects.toMatchObject({ code: 'engine-session-taken' });
      await waitForKinds(client, /^told, told, woken/, sessionOf('new'));
      await client.tell(sessionOf('old'), { end: true }, 'end');
      expect(await claim(worker, [`${here}-ä "quoted"`])).toMatchObject({ session: sessionOf('new'), task: 'a', attempt: 1 });
    });

    it('never takes two turns of one session at once', async () => {
      const { engine, client } = await openDoors();
      let atOnce = 0;
      let most = 0;
      const conduct: Conduct = async (session, input) => {
        if (session.session !== sessionOf()) return toyConduct(session, input);
        atOnce++;
        most = Math.max(most, atOnce);
        for (let at = 0; at < 3; at++) await new Promise(setImmediate);
        const turn = await toyConduct(session, input);
        atOnce--;
        return turn;
      };
      await startConductor(engine, conduct);
      await startConductor(engine, conduct);
      await start(client, [task('a')]);
      await Promise.all(Array.from({ length: 12 }, (_, at) => client.tell(sessionOf(), { note: `${at}` }, `note ${at}`)));
      expect(await journal(client)).toHaveLength(13);
      expect(most).toBe(1);
    });

    it('gives what one conductor leaves to another', async () => {
      const { engine, client } = await openDoors({ sweepMs: 200 });
      let left = 0;
      await startConductor(engine, async (session, input) => {
        if (session.session !== sessionOf()) return toyConduct(session, input);
        left++;
        return null;
      });
      const told = start(client, []);
      await vi.waitFor(() => expect(left).toBeGreaterThan(0), WAIT);
      await startConductor(engine);
      expect(await told).toEqual({ line: 0 });
    });

    it('delivers again after a conductor failed, and more and more rarely', async () => {
      const { engine, client } = await openDoors();
      let failed = 0;
      let isCured = false;
      const begun = Date.now();
      await startConductor(engine, async (session, input) => {
        if (input.kind === 'told' && (input.message as ToyMessage).note === `poison ${here}` && !isCured) {
          failed++;
          throw new Error('poison');
        }
        return toyConduct(session, input);
      });
      await start(client, []);
      const told = client.tell(sessionOf(), { note: `poison ${here}` }, 'poison');
      for (let at = 0; at < 5; at++) await client.tell(sessionOf(), { note: `${at}` }, `note ${at}`);
      await vi.waitFor(() => expect(failed).toBeGreaterThan(2), WAIT);
      expect(failed).toBeLessThan(3 + (Date.now() - begun) / 100);
      isCured = true;
      expect(await told).toEqual({ line: 6 });
    });

    it('changes nothing with a turn that cannot be stored, and delivers its input again', async () => {
      const { engine, client } = await openDoors();
      let isCured = false;
      let taken = 0;
      await startConductor(engine, async (session, input) => {
        const turn = await toyConduct(session, input);
        if (session.session !== sessionOf() || session.length === 0 || isCured) return turn;
        taken++;
        return turn && { ...turn, offers: [], lines: ['{"n":1,"kind":"told"}', '{"n":\n2}'], reply: 'bad' };
      });
      await start(client, [task('a')]);
      const told = client.tell(sessionOf(), { note: 'bad' }, 'bad');
      await vi.waitFor(() => expect(taken).toBeGreaterThan(1), WAIT);
      expect(await client.session(sessionOf())).toMatchObject({ length: 1, offered: [{ task: 'a' }] });
      isCured = true;
      expect(await told).toEqual({ line: 1 });
    });

    it('voids the turn of a conductor that was frozen', async () => {
      const { engine, client } = await openDoors({ turnMs: 400, sweepMs: 100 });
      const frozen = makeGate();
      const thawed = makeGate();
      let hasFrozen = false;
      const thawing: Promise<unknown>[] = [];
      await startConductor(
        engine,
        (session, input) => {
          if (session.session !== sessionOf() || hasFrozen) return toyConduct(session, input);
          hasFrozen = true;
          frozen.open();
          const turn = thawed.opened.then(async (): Promise<SessionTurn | null> => {
            const turn = await toyConduct({ ...session, lines: async () => [], length: 0 }, input);
            return turn && { ...turn, lines: ['{"n":0,"kind":"told","note":"stale"}'], reply: 'stale' };
          });
          thawing.push(turn);
          return turn;
        },
        1,
      );
      const told = start(client, [task('a')]);
      await frozen.opened;
      await startConductor(engine);
      expect(await told).toEqual({ line: 0 });
      thawed.open();
      await Promise.all(thawing);
      expect(await client.tell(sessionOf(), { note: 'after' }, 'after')).toEqual({ line: 1 });
      expect((await journal(client)).map(({ note }) => note)).toEqual([undefined, 'after']);
    });

    it('finishes the current turn of a conductor that is asked to end', async () => {
      const { engine, client } = await openDoors();
      const begun = makeGate();
      const gate = makeGate();
      const stop = await startConductor(engine, async (session, input) => {
        if (session.session === sessionOf()) {
          begun.open();
          await gate.opened;
        }
        return toyConduct(session, input);
      });
      const told = start(client, []);
      await begun.opened;
      const ended = stop();
      gate.open();
      await ended;
      expect(await told).toEqual({ line: 0 });
      await startConductor(engine);
      expect(await kinds(client)).toBe('told');
    });
  });
}
