// An engine in one process: the reference for the others, and the engine of simulations. Journals and blobs are files below one folder;
// inputs, offers and leases are in memory. What it finds in the folder is woken once, so that conductors offer the work again.

import { createHash, randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import { CLAIM_MS, LEASE_MS, REFUSED_MS, SWEEP_MS, TURN_MS, backOff, checkLines } from './engine.js';
import type {
  BlobStore,
  TaskClaim,
  ClientDoor,
  Conduct,
  ConductorDoor,
  Engine,
  EngineOptions,
  Input,
  EngineSession,
  Offer,
  Summary,
  LeaseToken,
  SessionTurn,
  WorkerDoor,
} from './engine.js';

/** Time and tokens, which a simulation makes itself. */
export interface LocalEngineOptions extends EngineOptions {
  readonly now?: () => number;
  /** Calls back once after so many milliseconds. Returns how to call it off. */
  readonly after?: (ms: number, act: () => void) => () => void;
  readonly newToken?: () => LeaseToken;
}

interface Holder {
  readonly worker: string;
  readonly token: LeaseToken;
  sinceMs: number;
  expiresMs: number;
}

/** An attempt that is offered (no holder), reserved until its claim is answered, leased, or handed in and not yet judged. */
interface HeldWork {
  offer: Offer;
  readonly order: number;
  state: 'offered' | 'reserved' | 'leased' | 'handed-in';
  holder: Holder | null;
  notBeforeMs: number;
}

interface Delivery {
  readonly input: Input;
  tries: number;
  notBeforeMs: number;
  /** Null while no turn was committed for it. */
  done: { readonly reply: unknown } | null;
}

interface Session {
  readonly name: string;
  readonly lines: string[];
  readonly deliveries: Map<string, Delivery>;
  readonly work: Map<string, HeldWork>;
  summary: Summary | null;
  wakeAtMs: number | null;
  createdMs: number;
  changedMs: number;
  turnedMs: number;
  turn: OpenTurn | null;
}

interface OpenTurn {
  readonly delivery: Delivery;
  readonly endsMs: number;
}

interface Reserved {
  readonly session: Session;
  readonly work: HeldWork;
  readonly holder: Holder;
  readonly delivery: Delivery;
}

interface Waiter {
  /** Called whenever something may have changed. True: it need not be called again. */
  readonly retry: () => boolean;
  /** When time alone may give it another answer. */
  readonly nextMs: () => number;
}

const SESSION_NAME = /^[A-Za-z0-9][\w.-]*$/;

export function openLocalEngine(folder: string, options: LocalEngineOptions = {}): Engine {
  const { now = Date.now, after = startTimer, newToken = randomUUID, leaseMs = LEASE_MS, sweepMs = SWEEP_MS, turnMs = TURN_MS } = options;
  const sessions = new Map<string, Session>();
  const workers = new Map<string, { labels: readonly string[]; slots: number; draining: boolean; seenMs: number }>();
  const limits = new Map<string, number>();
  const waiters = new Set<Waiter>();
  let counter = 0;
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

  function sessionNamed(name: string): Session {
    const known = sessions.get(name);
    if (known !== undefined) return known;
    if (!SESSION_NAME.test(name)) throw new Error(`Not a name of a session: ${JSON.stringify(name)}`);
    const times = { createdMs: now(), changedMs: now(), turnedMs: now() };
    const fresh: Session = {
      name,
      lines: [],
      deliveries: new Map(),
      work: new Map(),
      summary: null,
      wakeAtMs: null,
      ...times,
      turn: null,
    };
    sessions.set(name, fresh);
    return fresh;
  }

  function append(session: Session, lines: readonly string[]): void {
    if (lines.length === 0) return;
    checkLines(lines);
    mkdirSync(join(folder, session.name), { recursive: true });
    appendFileSync(join(folder, session.name, 'journal.ndjson'), lines.map((line) => `${line}\n`).join(''));
    session.lines.push(...lines);
    session.changedMs = now();
  }

  function blobsOf(session: string, check: () => void = () => undefined): BlobStore {
    const place = join(folder, session, 'blobs');
    if (!SESSION_NAME.test(session)) throw new Error(`Not a name of a session: ${JSON.stringify(session)}`);
    return {
      put: async (bytes) => {
        check();
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        mkdirSync(place, { recursive: true });
        writeFileSync(join(place, sha256), bytes);
        return sha256;
      },
      get: async (sha256) => {
        check();
        const path = join(place, sha256);
        return /^[0-9a-f]{64}$/.test(sha256) && existsSync(path) ? new Uint8Array(readFileSync(path)) : null;
      },
    };
  }

  function deliver(session: Session, key: string, input: Input): Delivery {
    const known = session.deliveries.get(key);
    if (known !== undefined && !(key === 'woken' && known.done !== null)) return known;
    const fresh: Delivery = { input, tries: 0, notBeforeMs: 0, done: null };
    session.deliveries.delete(key);
    session.deliveries.set(key, fresh);
    return fresh;
  }

  /** Takes the attempt from its holder, and tells the session. */
  function lose(session: Session, work: HeldWork, why: string): void {
    session.work.delete(keyOf(work.offer));
    if (work.holder !== null) {
      const claim = claimOf(work, work.holder);
      session.deliveries.delete(`claimed:${claim.token}`);
      deliver(session, `lost:${claim.token}`, { kind: 'lost', claim, why });
    }
  }

  /** What the clock alone brings about. */
  function passTime(): void {
    for (const session of sessions.values()) {
      for (const work of session.work.values())
        if (work.state === 'leased' && work.holder !== null && work.holder.expiresMs <= now())
          lose(session, work, `${work.holder.worker} did not answer for ${Math.round(leaseMs / 1000)} s`);
      const isDue = session.wakeAtMs !== null && session.wakeAtMs <= now();
      if (isDue) session.wakeAtMs = null;
      if (isDue || (isStuck(session) && session.turnedMs + sweepMs <= now())) deliver(session, 'woken', { kind: 'woken' });
    }
  }

  function isStuck({ summary, wakeAtMs, work, turn, deliveries }: Session): boolean {
    const isOpen = turn !== null || [...deliveries.values()].some((one) => one.done === null);
    return summary?.state === 'running' && wakeAtMs === null && work.size === 0 && !isOpen;
  }

  /** Lets every waiter look at the new state, and sets the timer for the next moment at which time alone changes something. */
  function settle(): void {
    isChanged = true;
    if (isSettling) return;
    isSettling = true;
    while (isChanged) {
      isChanged = false;
      passTime();
      for (const waiter of waiters) if (waiter.retry()) waiters.delete(waiter);
    }
    isSettling = false;
    const times = [...waiters].map((waiter) => waiter.nextMs());
    if (waiters.size > 0)
      for (const session of sessions.values()) {
        times.push(
          session.wakeAtMs ?? Infinity,
          session.turn?.endsMs ?? Infinity,
          isStuck(session) ? session.turnedMs + sweepMs : Infinity,
        );
        for (const work of session.work.values())
          times.push(work.notBeforeMs, (work.state === 'leased' && work.holder?.expiresMs) || Infinity);
        for (const delivery of session.deliveries.values()) if (delivery.done === null) times.push(delivery.notBeforeMs);
      }
    const next = Math.min(...times.filter((atMs) => atMs > now()));
    if (timer?.atMs === next) return;
    timer?.stop();
    timer = next === Infinity ? null : { atMs: next, stop: after(next - now(), onTimer) };
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

  function beginTurn(skipped: ReadonlyMap<string, number>): { readonly session: Session; readonly turn: OpenTurn } | undefined {
    for (const session of sessions.values()) {
      if ((session.turn !== null && session.turn.endsMs > now()) || (skipped.get(session.name) ?? 0) > now()) continue;
      for (const delivery of session.deliveries.values()) {
        if (delivery.done !== null || delivery.notBeforeMs > now()) continue;
        if (!isPointless(session, delivery.input)) {
          session.turn = { delivery, endsMs: now() + turnMs };
          return { session, turn: session.turn };
        }
        delivery.done = { reply: null };
        isChanged = true;
      }
    }
    return undefined;
  }

  /** The lease or reservation that the input speaks of has ended meanwhile. */
  function isPointless(session: Session, input: Input): boolean {
    if (input.kind !== 'claimed' && input.kind !== 'handed-in') return false;
    return session.work.get(keyOf(input.claim))?.holder?.token !== input.claim.token;
  }

  /** False: the conductor left the session to others. */
  async function takeTurn(session: Session, turn: OpenTurn, conduct: Conduct): Promise<boolean> {
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

  function commit(session: Session, delivery: Delivery, { lines, offers, running, wakeAtMs, summary, reply }: SessionTurn): void {
    const { input } = delivery;
    append(session, lines);
    const offered = new Map(offers.map((offer) => [keyOf(offer), offer]));
    const isRunning = new Set(running.map(keyOf));
    const answer = asJson(reply);
    for (const [key, work] of session.work) {
      const token = work.holder?.token;
      const isMine = 'claim' in input && input.claim.token === token;
      const isHeld = work.state === 'leased' || work.state === 'handed-in';
      if (isHeld && isRunning.has(key) && !(input.kind === 'handed-in' && isMine)) continue;
      if (work.state === 'reserved' && isMine && answer !== null && isRunning.has(key) && work.holder !== null) {
        Object.assign(work, { state: 'leased' });
        Object.assign(work.holder, { sinceMs: now(), expiresMs: now() + leaseMs });
        continue;
      }
      const again = offered.get(key);
      if (again === undefined || isHeld) session.work.delete(key);
      else {
        work.offer = again;
        if (isMine) Object.assign(work, { state: 'offered', holder: null, notBeforeMs: now() + REFUSED_MS });
      }
    }
    for (const [key, offer] of offered)
      if (!session.work.has(key)) session.work.set(key, { offer, order: counter++, state: 'offered', holder: null, notBeforeMs: 0 });
    Object.assign(session, { summary, wakeAtMs, turnedMs: now() });
    delivery.done = { reply: answer };
  }

  function* allWork(): Generator<{ readonly session: Session; readonly work: HeldWork }> {
    for (const session of sessions.values()) for (const work of session.work.values()) yield { session, work };
  }

  function usedOf(limit: string): number {
    return [...allWork()].filter(({ work }) => work.holder !== null && work.offer.limits.includes(limit)).length;
  }

  /** The offer that a worker may take now: of the tenant with the fewest at work, and there the oldest. */
  function bestOffer(labels: readonly string[]): { readonly session: Session; readonly work: HeldWork } | undefined {
    const atWork = new Map<string, number>();
    for (const { session, work } of allWork())
      if (work.holder !== null) atWork.set(tenantOf(session), (atWork.get(tenantOf(session)) ?? 0) + 1);
    return [...allWork()]
      .filter(
        ({ work }) =>
          work.state === 'offered' &&
          work.notBeforeMs <= now() &&
          work.offer.labels.every((label) => labels.includes(label)) &&
          work.offer.limits.every((limit) => usedOf(limit) < (limits.get(limit) ?? Infinity)),
      )
      .toSorted(
        (a, b) => (atWork.get(tenantOf(a.session)) ?? 0) - (atWork.get(tenantOf(b.session)) ?? 0) || a.work.order - b.work.order,
      )[0];
  }

  function reserve(worker: string, labels: readonly string[]): Reserved | undefined {
    const best = bestOffer(labels);
    if (best === undefined) return undefined;
    const holder = { worker, token: newToken(), sinceMs: now(), expiresMs: Infinity };
    Object.assign(best.work, { state: 'reserved', holder });
    const claim = claimOf(best.work, holder);
    return { ...best, holder, delivery: deliver(best.session, `claimed:${holder.token}`, { kind: 'claimed', claim }) };
  }

  /** The attempt that a token holds now. */
  function held(token: LeaseToken): { readonly session: Session; readonly work: HeldWork; readonly holder: Holder } | null {
    for (const { session, work } of allWork()) {
      const isHeld = work.state === 'handed-in' || (work.state === 'leased' && (work.holder?.expiresMs ?? 0) > now());
      if (isHeld && work.holder?.token === token) return { session, work, holder: work.holder };
    }
    return null;
  }

  function requireHeld(token: LeaseToken): Session {
    const found = held(token);
    if (found === null) throw new UmpireError('lease-lost');
    return found.session;
  }

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
      workers: async () =>
        [...workers].map(([worker, { labels, slots, draining, seenMs }]) => {
          const busy = [...allWork()].filter(({ work }) => work.holder?.worker === worker).length;
          return { worker, labels, slots, busy, draining, seenMs };
        }),
      drain: async (name, isDraining) => {
        workers.set(name, { labels: [], slots: 0, seenMs: 0, ...workers.get(name), draining: isDraining });
        settle();
      },
      limit: async (name, most) => {
        if (most === null) limits.delete(name);
        else limits.set(name, most);
        settle();
      },
      limits: async () => [...limits].map(([name, most]) => ({ name, most, used: usedOf(name) })),
      importSession: async (name, lines, summary) => {
        const session = sessionNamed(name);
        if (session.lines.length > 0 || session.deliveries.size > 0) throw new UmpireError('engine-session-taken', { session: name });
        append(session, lines);
        session.summary = summary;
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
        workers.set(name, { draining: false, ...workers.get(name), labels, slots, seenMs: now() });
        for (;;) {
          const reserved = await until(endMs, (isLast) => {
            const isOff = door.isClosed() || workers.get(name)?.draining === true;
            return (isOff ? undefined : reserve(name, labels)) ?? (isLast || door.isClosed() ? null : undefined);
          });
          if (reserved === null) return null;
          const { session, work, holder, delivery } = reserved;
          const { reply } = await until(Math.max(endMs, now() + CLAIM_MS), (isLast) => {
            const isTaken = session.turn?.delivery === delivery && session.turn.endsMs > now();
            if (delivery.done !== null || !(isLast || door.isClosed()) || isTaken) return delivery.done ?? undefined;
            // No conductor has answered in time.
            session.deliveries.delete(`claimed:${holder.token}`);
            if (work.holder === holder) Object.assign(work, { state: 'offered', holder: null });
            return { reply: null };
          });
          if (work.holder === holder && reply !== null)
            return { session: session.name, task: work.offer.task, attempt: work.offer.attempt, token: holder.token, reply };
          if (now() >= endMs) return null;
        }
      },
      beat: async (name, tokens) => {
        const known = { labels: [], slots: 0, draining: false, ...workers.get(name), seenMs: now() };
        workers.set(name, known);
        const lost = tokens.filter((token) => {
          const found = held(token);
          if (found === null || found.holder.worker !== name) return true;
          found.holder.expiresMs = now() + leaseMs;
          return false;
        });
        settle();
        return { lost, draining: known.draining };
      },
      handIn: async (token, result) => {
        const key = `handed-in:${token}`;
        const found = held(token);
        const earlier = [...sessions.values()].flatMap(({ deliveries }) => deliveries.get(key) ?? [])[0];
        if (found === null) return earlier === undefined ? null : door.replyTo(earlier);
        const { session, work, holder } = found;
        work.state = 'handed-in';
        return door.replyTo(deliver(session, key, { kind: 'handed-in', claim: claimOf(work, holder), result: asJson(result) }));
      },
      giveBack: async (token, why) => {
        const found = held(token);
        if (found === null || found.work.state !== 'leased') return;
        lose(found.session, found.work, why);
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
        const nextMs = () => Math.min(...[...skipped.values()].filter((atMs) => atMs > now()));
        const takeTurns = async (): Promise<void> => {
          for (;;) {
            const begun = await until(Infinity, () => (signal.aborted || door.isClosed() ? null : beginTurn(skipped)), nextMs);
            if (begun === null) return;
            if (!(await takeTurn(begun.session, begun.turn, conduct))) skipped.set(begun.session.name, now() + sweepMs);
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

function keyOf({ task, attempt }: { readonly task: string; readonly attempt: number }): string {
  return JSON.stringify([task, attempt]);
}

function claimOf({ offer: { task, attempt } }: HeldWork, { worker, token }: Holder): TaskClaim {
  return { task, attempt, worker, token };
}

function tenantOf(session: Session): string {
  return session.summary?.tenant ?? '';
}

function listed(session: Session | undefined): EngineSession | null {
  if (session === undefined || session.summary === null) return null;
  const work = [...session.work.values()];
  return {
    ...session.summary,
    session: session.name,
    createdMs: session.createdMs,
    changedMs: session.changedMs,
    length: session.lines.length,
    offered: work.filter(({ state }) => state === 'offered' || state === 'reserved').map(({ offer }) => offer),
    leased: work.flatMap(({ state, offer: { task, attempt }, holder }) =>
      holder === null || state === 'reserved' ? [] : [{ task, attempt, worker: holder.worker, sinceMs: holder.sinceMs }],
    ),
  };
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
