// An engine in one process, for tests, simulations and as the yardstick of `bench -- fleet`. Its queue is that of the engine on Restate, so
// what is tested here holds there. Journals and blobs are files below one folder; inputs and leases are in memory. What it finds in the
// folder is woken once, so that conductors offer the work again.

import { createHash, randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { CLAIM_MS, backOff, checkLines } from '@umpire/umpire/engine/engine.js';
import type {
  BlobStore,
  ClientDoor,
  Conduct,
  ConductorDoor,
  Engine,
  EngineOptions,
  Input,
  LeaseToken,
  SessionTurn,
  WorkerDoor,
} from '@umpire/umpire/engine/engine.js';
import {
  attemptKey,
  createQueue,
  drainWorker,
  expireLeases,
  extendLeases,
  findNextDue,
  holdLease,
  listLimits,
  listWorkers,
  listedOf,
  putSession,
  releaseLease,
  reserveOffer,
  sessionOf,
  setLimit,
  takeOverdue,
  withDefaultTimes,
} from '@umpire/umpire/engine/queue.js';
import type { QueuedLease, TurnedSession } from '@umpire/umpire/engine/queue.js';

/** Time, which a simulation makes itself. */
export interface LocalEngineOptions extends EngineOptions {
  readonly now?: () => number;
  /** Calls back once after so many milliseconds. Returns how to call it off. */
  readonly after?: (ms: number, act: () => void) => () => void;
}

interface Delivery {
  readonly input: Input;
  tries: number;
  notBeforeMs: number;
  /** Null while no turn was committed for it. */
  done: { readonly reply: unknown } | null;
}

interface OpenTurn {
  readonly delivery: Delivery;
  readonly endsMs: number;
}

interface LocalSession {
  readonly name: string;
  readonly lines: string[];
  readonly deliveries: Map<string, Delivery>;
  turned: Omit<TurnedSession, 'length'>;
  turn: OpenTurn | null;
}

interface Waiter {
  /** Called whenever something may have changed. True: it need not be called again. */
  readonly retry: () => boolean;
  /** When time alone may give it another answer. */
  readonly nextMs: () => number;
}

const SESSION_NAME = /^[A-Za-z0-9][\w.-]*$/;

export function openLocalEngine(folder: string, options: LocalEngineOptions = {}): Engine {
  const { now = Date.now, after = startTimer } = options;
  const times = withDefaultTimes(options);
  const queue = createQueue();
  const sessions = new Map<string, LocalSession>();
  const waiters = new Set<Waiter>();
  /** What was due until then has happened. A moment that comes while the waiters look is still to come. */
  let passedMs = 0;
  let isSettling = false;
  let isChanged = false;
  let timer: { readonly atMs: number; readonly stop: () => void } | null = null;

  if (existsSync(folder)) {
    for (const name of readdirSync(folder)) {
      const journal = join(folder, name, 'journal.ndjson');
      if (!existsSync(journal)) continue;
      const session = sessionNamed(name);
      session.lines.push(...readFileSync(journal, 'utf8').split('\n').slice(0, -1));
      deliver(session, 'woken', { kind: 'woken' });
    }
  }

  function sessionNamed(name: string): LocalSession {
    const known = sessions.get(name);
    if (known !== undefined) return known;
    if (!SESSION_NAME.test(name)) throw new Error(`Not a name of a session: ${JSON.stringify(name)}`);
    const turned = { createdMs: now(), changedMs: now(), summary: null, offers: [], leases: [], wakeAtMs: null };
    const fresh: LocalSession = { name, lines: [], deliveries: new Map(), turned, turn: null };
    sessions.set(name, fresh);
    return fresh;
  }

  function blobsOf(session: string): BlobStore {
    const place = join(folder, session, 'blobs');
    if (!SESSION_NAME.test(session)) throw new Error(`Not a name of a session: ${JSON.stringify(session)}`);
    return {
      put: async (bytes) => {
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        mkdirSync(place, { recursive: true });
        writeFileSync(join(place, sha256), bytes);
        return sha256;
      },
      get: async (sha256) => {
        const path = join(place, sha256);
        return /^[0-9a-f]{64}$/.test(sha256) && existsSync(path) ? new Uint8Array(readFileSync(path)) : null;
      },
    };
  }

  function deliver(session: LocalSession, key: string, input: Input): Delivery {
    const known = session.deliveries.get(key);
    if (known !== undefined && !(key === 'woken' && known.done !== null)) return known;
    const fresh: Delivery = { input, tries: 0, notBeforeMs: 0, done: null };
    session.deliveries.delete(key);
    session.deliveries.set(key, fresh);
    return fresh;
  }

  /** What the clock alone brings about. */
  function passTime(nowMs: number): void {
    for (const { token, why } of expireLeases(queue, nowMs, times)) deliverLost(token, why);
    for (const name of takeOverdue(queue, nowMs, times)) deliver(sessionNamed(name), 'woken', { kind: 'woken' });
    for (const session of sessions.values()) {
      const { wakeAtMs } = session.turned;
      if (wakeAtMs === null || wakeAtMs > nowMs) continue;
      session.turned = { ...session.turned, wakeAtMs: null };
      deliver(session, 'woken', { kind: 'woken' });
    }
  }

  function deliverLost(token: LeaseToken, why: string): void {
    const session = sessionNamed(sessionOf(token));
    const found = session.turned.leases.find((lease) => lease.token === token);
    if (found === undefined) return;
    const { sinceMs: _, ...claim } = found;
    deliver(session, `lost:${token}`, { kind: 'lost', claim, why });
  }

  /** Lets every waiter look at the new state, and sets the timer for the next moment at which time alone changes something. */
  function settle(): void {
    isChanged = true;
    if (isSettling) return;
    isSettling = true;
    while (isChanged) {
      isChanged = false;
      passedMs = now();
      passTime(passedMs);
      for (const waiter of waiters) if (waiter.retry()) waiters.delete(waiter);
    }
    isSettling = false;
    const dues = [...waiters].map((waiter) => waiter.nextMs());
    if (waiters.size > 0) {
      dues.push(findNextDue(queue, passedMs, true, times) ?? Infinity);
      for (const { turned, turn, deliveries } of sessions.values()) {
        dues.push(turned.wakeAtMs ?? Infinity, turn?.endsMs ?? Infinity);
        for (const delivery of deliveries.values()) if (delivery.done === null) dues.push(delivery.notBeforeMs);
      }
    }
    const next = Math.min(...dues.filter((atMs) => atMs > passedMs));
    if (timer?.atMs === next) return;
    timer?.stop();
    timer = next === Infinity ? null : { atMs: next, stop: after(Math.max(0, next - now()), onTimer) };
  }

  function onTimer(): void {
    timer = null;
    settle();
  }

  /** Resolves to the first answer that is not undefined. `find` is asked a last time, with true, when `endMs` has come. */
  function until<T>(endMs: number, find: (isLast: boolean) => T | undefined, nextMs = () => endMs): Promise<T> {
    return new Promise((resolve, reject) => {
      const retry = (): boolean => {
        try {
          const found = find(now() >= endMs);
          if (found === undefined) return false;
          resolve(found);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
        isChanged = true;
        return true;
      };
      waiters.add({ retry, nextMs });
      settle();
    });
  }

  function beginTurn(skipped: ReadonlyMap<string, number>): { readonly session: LocalSession; readonly turn: OpenTurn } | undefined {
    for (const session of sessions.values()) {
      if ((session.turn !== null && session.turn.endsMs > now()) || (skipped.get(session.name) ?? 0) > now()) continue;
      for (const delivery of session.deliveries.values()) {
        if (delivery.done !== null || delivery.notBeforeMs > now()) continue;
        if (!isPointless(delivery.input)) {
          session.turn = { delivery, endsMs: now() + times.turnMs };
          return { session, turn: session.turn };
        }
        delivery.done = { reply: null };
        isChanged = true;
      }
    }
    return undefined;
  }

  /** The lease or reservation that the input speaks of has ended meanwhile. */
  function isPointless(input: Input): boolean {
    if (input.kind !== 'claimed' && input.kind !== 'handed-in') return false;
    const { token } = input.claim;
    if (queue.leases[token]?.state === 'reserved') holdLease(queue, token, now(), times);
    return queue.leases[token]?.state !== (input.kind === 'claimed' ? 'claiming' : 'handing-in');
  }

  /** False: the conductor left the session to others. */
  async function takeTurn(session: LocalSession, turn: OpenTurn, conduct: Conduct): Promise<boolean> {
    const { delivery } = turn;
    const length = session.lines.length;
    let decided: SessionTurn | null | undefined;
    try {
      const lines = async (from: number): Promise<readonly string[]> => session.lines.slice(from, length);
      decided = await conduct({ session: session.name, length, lines, nowMs: now(), blobs: blobsOf(session.name) }, delivery.input);
    } catch {
      decided = undefined;
    }
    // Its time was up, and another conductor began a turn.
    if (session.turn !== turn) return true;
    session.turn = null;
    if (decided === null) return false;
    try {
      if (decided === undefined) throw new Error('The conductor failed.');
      if (session.lines.length === length) commit(session, delivery, decided);
    } catch {
      delivery.notBeforeMs = now() + backOff(delivery.tries++);
    }
    return true;
  }

  function append(session: LocalSession, lines: readonly string[]): void {
    if (lines.length === 0) return;
    checkLines(lines);
    mkdirSync(join(folder, session.name), { recursive: true });
    appendFileSync(join(folder, session.name, 'journal.ndjson'), lines.map((line) => `${line}\n`).join(''));
    session.lines.push(...lines);
  }

  function commit(session: LocalSession, delivery: Delivery, { lines, offers, running, wakeAtMs, summary, reply }: SessionTurn): void {
    const { input } = delivery;
    append(session, lines);
    const { createdMs, changedMs } = session.turned;
    const isRunning = new Set(running.map(attemptKey));
    const answer = asJson(reply);
    const own = 'claim' in input ? input.claim : null;
    const others = session.turned.leases.filter(({ token }) => token !== own?.token || !/^(?:handed-in|lost)$/.test(input.kind));
    const begun = input.kind === 'claimed' && answer !== null ? [{ ...input.claim, sinceMs: now() }] : [];
    const leases = [...others, ...begun].filter((lease) => isRunning.has(attemptKey(lease)));
    session.turned = { createdMs, changedMs: lines.length > 0 ? now() : changedMs, summary, offers, leases, wakeAtMs };
    put(session);
    delivery.done = { reply: answer };
  }

  function put(session: LocalSession): void {
    const unknown = putSession(queue, session.name, { ...session.turned, length: session.lines.length }, now(), times);
    for (const token of unknown) deliverLost(token, 'the engine lost the lease');
  }

  /** The lease that a token holds now. */
  function findHeld(token: LeaseToken): QueuedLease | null {
    const lease = queue.leases[token];
    return lease !== undefined && (lease.state === 'leased' || lease.state === 'handing-in') && lease.untilMs > now() ? lease : null;
  }

  function requireHeld(token: LeaseToken): LocalSession {
    const found = findHeld(token);
    if (found === null) throw new UmpireError('lease-lost');
    return sessionNamed(found.session);
  }

  const listed = (session: LocalSession | undefined) =>
    session === undefined ? null : listedOf(session.name, { ...session.turned, length: session.lines.length });

  async function client(): Promise<ClientDoor> {
    const door = openDoor();
    return {
      tell: (name, message, key) => door.replyTo(deliver(sessionNamed(name), `told:${key}`, { kind: 'told', message: asJson(message) })),
      lines: async (name, from) => sessions.get(name)?.lines.slice(from) ?? [],
      changed: async (name, length, waitMs) => {
        const isLonger = () => (sessions.get(name)?.lines.length ?? 0) > length;
        await until(now() + waitMs, (isLast) => isLast || door.isClosed() || isLonger() || undefined);
      },
      sessions: async () => [...sessions.values()].flatMap((session) => listed(session) ?? []),
      session: async (name) => listed(sessions.get(name)),
      blobs: (name) => blobsOf(name),
      workers: async () => listWorkers(queue),
      drain: async (name, isDraining) => {
        drainWorker(queue, name, isDraining);
        settle();
      },
      limit: async (name, most) => {
        setLimit(queue, name, most);
        settle();
      },
      limits: async () => listLimits(queue),
      importSession: async (name, lines, summary) => {
        const session = sessionNamed(name);
        if (session.lines.length > 0 || session.deliveries.size > 0) throw new UmpireError('engine-session-taken', { session: name });
        append(session, lines);
        session.turned = { ...session.turned, summary, changedMs: now() };
        put(session);
        settle();
      },
      close: door.close,
    };
  }

  async function worker(): Promise<WorkerDoor> {
    const door = openDoor();
    return {
      poll: async ({ name, labels, slots }, waitMs) => {
        const endMs = now() + waitMs;
        for (;;) {
          const reserved = await until(endMs, (isLast) => {
            const found = door.isClosed() ? null : reserveOffer(queue, { worker: name, labels, slots }, randomUUID(), now());
            return found ?? (isLast || door.isClosed() ? null : undefined);
          });
          if (reserved === null) return null;
          const { token, task, attempt, worker: holder } = reserved;
          const session = sessionNamed(reserved.session);
          const delivery = deliver(session, `claimed:${token}`, { kind: 'claimed', claim: { task, attempt, worker: holder, token } });
          const { reply } = await until(Math.max(endMs, now() + CLAIM_MS), (isLast) => {
            const isTaken = session.turn?.delivery === delivery && session.turn.endsMs > now();
            if (delivery.done !== null || !(isLast || door.isClosed()) || isTaken) return delivery.done ?? undefined;
            // No conductor has answered in time.
            session.deliveries.delete(`claimed:${token}`);
            releaseLease(queue, token, now(), times);
            return { reply: null };
          });
          if (queue.leases[token] !== undefined && reply !== null) return { session: session.name, task, attempt, token, reply };
          if (now() >= endMs) return null;
        }
      },
      beat: async (name, tokens) => {
        const beaten = extendLeases(queue, name, tokens, now(), times);
        settle();
        return beaten;
      },
      handIn: async (token, result) => {
        const key = `handed-in:${token}`;
        const earlier = sessions.get(sessionOf(token))?.deliveries.get(key);
        if (earlier !== undefined) return door.replyTo(earlier);
        const claim = findHeld(token) === null ? null : holdLease(queue, token, now(), times);
        if (claim === null) return null;
        return door.replyTo(deliver(sessionNamed(sessionOf(token)), key, { kind: 'handed-in', claim, result: asJson(result) }));
      },
      giveBack: async (token, why) => {
        if (findHeld(token)?.state !== 'leased') return;
        delete queue.leases[token];
        deliverLost(token, why);
        settle();
      },
      lines: async (token, from) => requireHeld(token).lines.slice(from),
      blobs: (token) => {
        const own = () => blobsOf(requireHeld(token).name);
        return { put: async (bytes) => own().put(bytes), get: async (sha256) => own().get(sha256) };
      },
      close: door.close,
    };
  }

  async function conductor(): Promise<ConductorDoor> {
    const door = openDoor();
    return {
      conduct: async (conduct, { signal, concurrency }) => {
        const skipped = new Map<string, number>();
        const nextMs = () => Math.min(...[...skipped.values()].filter((atMs) => atMs > passedMs));
        const takeTurns = async (): Promise<void> => {
          for (;;) {
            const begun = await until(Infinity, () => (signal.aborted || door.isClosed() ? null : beginTurn(skipped)), nextMs);
            if (begun === null) return;
            if (!(await takeTurn(begun.session, begun.turn, conduct))) skipped.set(begun.session.name, now() + times.sweepMs);
            settle();
          }
        };
        signal.addEventListener('abort', settle);
        await Promise.all(Array.from({ length: concurrency }, takeTurns));
        signal.removeEventListener('abort', settle);
      },
      close: door.close,
    };
  }

  function openDoor() {
    let isClosed = false;
    return {
      isClosed: () => isClosed,
      close: async () => {
        isClosed = true;
        settle();
      },
      replyTo: async (delivery: Delivery): Promise<unknown> => {
        const { reply } = await until(Infinity, () => {
          if (isClosed) throw new UmpireError('engine-closed');
          return delivery.done ?? undefined;
        });
        return reply;
      },
    };
  }

  return { client, worker, conductor };
}

/** As it would arrive over a network. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

function startTimer(ms: number, act: () => void): () => void {
  // Longer ones would end at once.
  const timer = setTimeout(act, Math.min(ms, 2 ** 31 - 1));
  return () => clearTimeout(timer);
}
