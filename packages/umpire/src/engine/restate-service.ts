// What Restate keeps of a fleet, as its virtual objects: one for each session (journal, offers, leases, replies), one queue (offers, limits,
// workers), and one for each part of a blob. Sessions call the queue and wait; the queue only sends to sessions: no deadlock is possible.
// A replay runs these handlers again: whatever differs from run to run happens inside `ctx.run`.

import { randomUUID } from 'node:crypto';
import type * as restate from '@restatedev/restate-sdk';
import { REFUSED_MS, backOff } from './engine.js';
import type { TaskClaim, Input, EngineSession, Summary, SessionTurn, WorkerInfo } from './engine.js';
import {
  attemptKey,
  createQueue,
  drainWorker,
  expireLeases,
  extendLeases,
  findNextDue,
  findOffer,
  holdLease,
  isStuck,
  listLimits,
  listWorkers,
  listedOf,
  putSession,
  releaseLease,
  reserveOffer,
  setLimit,
  takeOverdue,
} from './queue.js';
import type { Queue, QueueTimes, TurnedSession } from './queue.js';

export type Sdk = typeof restate;

export const SESSION = 'umpire-session';
export const QUEUE = 'umpire-queue';
export const BLOB = 'umpire-blob';
export const DOOR = 'umpire-door';
/** The one key of the queue. */
export const FLEET = 'fleet';

/** A page of a journal is closed when it has so many characters. */
const PAGE_CHARS = 256 * 1024;
const PAGE_LINES = 64;
/** One answer holds about so many characters of lines; the caller asks for more. */
const ANSWER_CHARS = 4 * 1024 * 1024;
const MOST_WATCHERS = 200;
const MOST_ATTEMPTS = 2 ** 31 - 1;

/** Takes one turn. Never throws; null: nothing was decided, and the input is to be delivered again. */
export type Decide = (
  session: string,
  length: number,
  input: Input,
) => Promise<{ readonly turn: SessionTurn; readonly nowMs: number } | null>;

/** `again`: nothing was decided. `lost`: the lease has ended, and nothing has changed. */
export type Delivered =
  | { readonly kind: 'done'; readonly reply: unknown }
  | { readonly kind: 'again' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'taken' };

interface SessionHead extends TurnedSession {
  /** The first line of each page. */
  readonly pages: readonly number[];
  /** The time for which the last call to `wake` was sent. */
  readonly wakeSentMs: number | null;
}

interface Watcher {
  readonly id: string;
  readonly length: number;
  readonly untilMs: number;
}

interface WaitingWorker {
  readonly id: string;
  readonly worker: string;
  readonly labels: readonly string[];
  readonly untilMs: number;
}

/** The queue with what the object of Restate needs to wake others. */
interface StoredQueue extends Queue {
  waiters: WaitingWorker[];
  /** When addresses of conductors were seen last. */
  conductors: Record<string, number>;
  /** When the next `tick` comes. */
  tickAtMs: number | null;
}

type SessionLeases = TurnedSession['leases'];

/** The services that a conductor serves. */
export function defineServices(sdk: Sdk, decide: Decide, options: QueueTimes) {
  const json = sdk.serde.json as restate.Serde<unknown>;
  const shared = sdk.handlers.object.shared;

  function call<T>(ctx: restate.Context, service: string, key: string, method: string, parameter: unknown): Promise<T> {
    return ctx.genericCall<unknown, T>({ service, key, method, parameter, inputSerde: json, outputSerde: json as restate.Serde<T> });
  }

  function send(ctx: restate.Context, session: string, method: string, parameter: unknown, delay = 0): void {
    ctx.genericSend({ service: SESSION, key: session, method, parameter, inputSerde: json, delay: Math.max(0, Math.ceil(delay)) });
  }

  // Sessions

  async function takeTurn(
    ctx: restate.ObjectContext,
    head: SessionHead | null,
    input: Input,
    leasesAfter: (turn: SessionTurn, nowMs: number) => SessionLeases,
  ): Promise<SessionTurn | null> {
    const decided = await ctx.run('turn', () => decide(ctx.key, head?.length ?? 0, input));
    if (decided === null) return null;
    const { turn, nowMs } = decided;
    const isRunning = new Set(turn.running.map(attemptKey));
    const leases = leasesAfter(turn, nowMs).filter((lease) => isRunning.has(attemptKey(lease)));
    const before = head ?? { ...NO_SESSION, createdMs: nowMs, changedMs: nowMs };
    await commit(ctx, before, { ...turn, leases, nowMs, isWake: input.kind === 'woken' });
    return turn;
  }

  async function commit(
    ctx: restate.ObjectContext,
    before: SessionHead,
    turn: Pick<SessionTurn, 'lines' | 'offers' | 'wakeAtMs' | 'summary'> & {
      readonly leases: SessionLeases;
      readonly nowMs: number;
      readonly isWake: boolean;
    },
  ): Promise<void> {
    const { lines, offers, wakeAtMs, summary, leases, nowMs } = turn;
    const pages = await append(ctx, before, lines);
    const wakeSentMs = wakeAtMs ?? before.wakeSentMs;
    const head: SessionHead = {
      length: before.length + lines.length,
      pages,
      createdMs: before.createdMs,
      changedMs: lines.length > 0 ? nowMs : before.changedMs,
      summary,
      offers,
      leases,
      wakeAtMs,
      wakeSentMs,
    };
    // A refused start leaves nothing but its reply.
    if (head.length === 0 && summary === null) return;
    // Readers go by the length here: pages that were written before do not count yet.
    ctx.set('head', head);
    if (lines.length > 0) await tellWatchers(ctx, head.length);
    await put(ctx, head);
    // A turn that names a moment that has passed does not spin.
    if (wakeAtMs !== null && wakeAtMs !== before.wakeSentMs)
      send(ctx, ctx.key, 'wake', { atMs: wakeAtMs, tries: 0 }, Math.max(wakeAtMs - nowMs, turn.isWake ? REFUSED_MS : 0));
  }

  async function append(ctx: restate.ObjectContext, { length, pages }: SessionHead, lines: readonly string[]): Promise<readonly number[]> {
    const starts = [...pages];
    let at = length;
    const from = starts.at(-1);
    let page = lines.length === 0 || from === undefined ? [] : ((await ctx.get<string[]>(pageKey(from))) ?? []).slice(0, length - from);
    let chars = page.reduce((sum, line) => sum + line.length, 0);
    for (const line of lines) {
      if (starts.length === 0 || page.length >= PAGE_LINES || chars + line.length > PAGE_CHARS) {
        const last = starts.at(-1);
        if (last !== undefined && page.length > 0) ctx.set(pageKey(last), page);
        starts.push(at);
        page = [];
        chars = 0;
      }
      page.push(line);
      chars += line.length;
      at++;
    }
    const last = starts.at(-1);
    if (lines.length > 0 && last !== undefined) ctx.set(pageKey(last), page);
    return starts;
  }

  async function tellWatchers(ctx: restate.ObjectContext, length: number): Promise<void> {
    const watchers = (await ctx.get<Watcher[]>('watchers')) ?? [];
    if (watchers.length === 0) return;
    for (const watcher of watchers) if (watcher.length < length) ctx.resolveAwakeable(watcher.id, true);
    ctx.set(
      'watchers',
      watchers.filter((watcher) => watcher.length >= length),
    );
  }

  function put(ctx: restate.ObjectContext, head: SessionHead): Promise<null> {
    return call(ctx, QUEUE, FLEET, 'put', { session: ctx.key, head });
  }

  function hold(ctx: restate.ObjectContext, token: string): Promise<TaskClaim | null> {
    return call(ctx, QUEUE, FLEET, 'hold', token);
  }

  function letGo(ctx: restate.ObjectContext, token: string): Promise<null> {
    return call(ctx, QUEUE, FLEET, 'letGo', token);
  }

  const headOf = (ctx: restate.ObjectSharedContext): Promise<SessionHead | null> => ctx.get<SessionHead>('head');

  const session = sdk.object({
    name: SESSION,
    handlers: {
      tell: async (ctx: restate.ObjectContext, { message, key }: { message: unknown; key: string }): Promise<Delivered> => {
        const seen = await ctx.get<{ reply: unknown }>(`told:${key}`);
        if (seen !== null) return { kind: 'done', ...seen };
        const head = await headOf(ctx);
        const turn = await takeTurn(ctx, head, { kind: 'told', message }, () => head?.leases ?? []);
        if (turn === null) return { kind: 'again' };
        const reply = turn.reply ?? null;
        ctx.set(`told:${key}`, { reply });
        return { kind: 'done', reply };
      },

      claim: async (ctx: restate.ObjectContext, token: string): Promise<Delivered> => {
        const claim = await hold(ctx, token);
        if (claim === null) return { kind: 'lost' };
        const head = await headOf(ctx);
        // The queue may lag behind by one turn.
        const isOffered = head?.offers.some((offer) => attemptKey(offer) === attemptKey(claim)) === true;
        const input: Input = { kind: 'claimed', claim };
        const turn = isOffered
          ? await takeTurn(ctx, head, input, ({ reply }, sinceMs) => [
              ...head.leases,
              ...((reply ?? null) === null ? [] : [{ ...claim, sinceMs }]),
            ])
          : null;
        const isTaken = turn?.running.some((attempt) => attemptKey(attempt) === attemptKey(claim)) === true;
        if (turn === null) await letGo(ctx, token);
        return isTaken && (turn.reply ?? null) !== null ? { kind: 'done', reply: turn.reply } : { kind: 'lost' };
      },

      handIn: async (ctx: restate.ObjectContext, { token, result }: { token: string; result: unknown }): Promise<Delivered> => {
        const seen = await ctx.get<{ reply: unknown }>(`handed-in:${token}`);
        if (seen !== null) return { kind: 'done', ...seen };
        const head = await headOf(ctx);
        if (head?.leases.some((lease) => lease.token === token) !== true) return { kind: 'lost' };
        const claim = await hold(ctx, token);
        if (claim === null) return { kind: 'lost' };
        const others = head.leases.filter((lease) => lease.token !== token);
        const turn = await takeTurn(ctx, head, { kind: 'handed-in', claim, result }, () => others);
        if (turn === null) {
          await letGo(ctx, token);
          return { kind: 'again' };
        }
        const reply = turn.reply ?? null;
        ctx.set(`handed-in:${token}`, { reply });
        return { kind: 'done', reply };
      },

      lost: async (ctx: restate.ObjectContext, { token, why, tries }: { token: string; why: string; tries: number }): Promise<null> => {
        const head = await headOf(ctx);
        const found = head?.leases.find((lease) => lease.token === token);
        if (head === null || found === undefined) return null;
        const { sinceMs: _, ...claim } = found;
        const others = head.leases.filter((lease) => lease.token !== token);
        const turn = await takeTurn(ctx, head, { kind: 'lost', claim, why }, () => others);
        if (turn === null) send(ctx, ctx.key, 'lost', { token, why, tries: tries + 1 }, backOff(tries));
        return null;
      },

      wake: async (ctx: restate.ObjectContext, { atMs, tries }: { atMs: number; tries: number }): Promise<null> => {
        const head = await headOf(ctx);
        if (head === null) return null;
        const rung = { ...head, wakeSentMs: head.wakeSentMs === atMs ? null : head.wakeSentMs };
        if (head.wakeAtMs !== atMs) {
          ctx.set('head', rung);
          return null;
        }
        const turn = await takeTurn(ctx, rung, { kind: 'woken' }, () => head.leases);
        if (turn === null) send(ctx, ctx.key, 'wake', { atMs, tries: tries + 1 }, backOff(tries));
        return null;
      },

      /** From the queue, which believes that nothing would continue this session. It comes again if the turn was not taken. */
      sweep: async (ctx: restate.ObjectContext): Promise<null> => {
        const head = await headOf(ctx);
        if (head === null) return null;
        const turn = isStuck(head) ? await takeTurn(ctx, head, { kind: 'woken' }, () => []) : null;
        if (turn === null) await put(ctx, head);
        return null;
      },

      watch: async (ctx: restate.ObjectContext, { id, length, ms }: { id: string; length: number; ms: number }): Promise<null> => {
        const nowMs = await ctx.date.now();
        const head = await headOf(ctx);
        if ((head?.length ?? 0) > length) ctx.resolveAwakeable(id, true);
        else {
          const watchers = ((await ctx.get<Watcher[]>('watchers')) ?? []).filter(({ untilMs }) => untilMs > nowMs);
          ctx.set('watchers', [...watchers, { id, length, untilMs: nowMs + ms }].slice(-MOST_WATCHERS));
        }
        return null;
      },

      /** Lines come in parts; the session exists with the last one, which brings the summary. */
      take: async (
        ctx: restate.ObjectContext,
        { id, from, lines, summary }: { id: string; from: number; lines: readonly string[]; summary: Summary | null },
      ): Promise<Delivered> => {
        const head = await headOf(ctx);
        const taken = await ctx.get<{ id: string; head: SessionHead }>('taken');
        // A client repeats what got no answer.
        if (head !== null) return taken?.id === id ? { kind: 'done', reply: null } : { kind: 'taken' };
        const nowMs = await ctx.date.now();
        const before = taken?.id === id ? taken.head : { ...NO_SESSION, createdMs: nowMs, changedMs: nowMs };
        if (before.length > from) return { kind: 'done', reply: null };
        if (before.length < from) return { kind: 'taken' };
        const pages = await append(ctx, before, lines);
        const next: SessionHead = { ...before, length: from + lines.length, pages, summary };
        ctx.set('taken', { id, head: next });
        if (summary === null) return { kind: 'done', reply: null };
        ctx.set('head', next);
        await put(ctx, next);
        return { kind: 'done', reply: null };
      },

      show: shared(async (ctx: restate.ObjectSharedContext): Promise<EngineSession | null> => {
        const head = await headOf(ctx);
        return head === null ? null : listedOf(ctx.key, head);
      }),

      /** Null: the token holds nothing here. */
      lines: shared(
        async (
          ctx: restate.ObjectSharedContext,
          { from, token }: { from: number; token: string | null },
        ): Promise<{ lines: readonly string[]; length: number } | null> => {
          const head = await headOf(ctx);
          if (token !== null && head?.leases.some((lease) => lease.token === token) !== true) return null;
          if (head === null) return { lines: [], length: 0 };
          const lines: string[] = [];
          let chars = 0;
          const first = head.pages.findLastIndex((start) => start <= from);
          for (let at = Math.max(first, 0); at < head.pages.length && chars < ANSWER_CHARS; at++) {
            const start = head.pages[at] ?? 0;
            const page = (await ctx.get<string[]>(pageKey(start))) ?? [];
            const wanted = page.slice(Math.max(0, from - start), head.length - start);
            lines.push(...wanted);
            chars += wanted.reduce((sum, line) => sum + line.length, 0);
          }
          return { lines, length: head.length };
        },
      ),
    },
    options: {
      enableLazyState: true,
      inactivityTimeout: options.turnMs,
      abortTimeout: { seconds: 5 },
      ...retention(),
    },
  });

  // The queue

  /** Changes the queue, wakes the workers that may now find something, and sees to the next tick. */
  async function change<T>(ctx: restate.ObjectContext, act: (queue: StoredQueue, nowMs: number, id: string) => T): Promise<T> {
    const queue = await read(ctx);
    // The token has to be a secret: `ctx.rand` is not.
    const { nowMs, id } = await ctx.run('now', () => ({ nowMs: Date.now(), id: randomUUID() }));
    const result = act(queue, nowMs, id);
    // All that could take one: a waiter may be gone, and the offer must not wait for it.
    queue.waiters = queue.waiters.filter((waiter) => {
      if (waiter.untilMs <= nowMs) return false;
      const isWoken = findOffer(queue, waiter, nowMs) !== null;
      if (isWoken) ctx.resolveAwakeable(waiter.id, true);
      return !isWoken;
    });
    const dueMs = findNextDue(queue, nowMs, queue.waiters.length > 0, options);
    // A tick that never came, because somebody killed it, is sent again.
    if (dueMs !== null && (queue.tickAtMs === null || dueMs < queue.tickAtMs || queue.tickAtMs < nowMs - options.sweepMs)) {
      queue.tickAtMs = dueMs;
      const delay = Math.max(1, dueMs - nowMs);
      ctx.genericSend({ service: QUEUE, key: ctx.key, method: 'tick', parameter: dueMs, inputSerde: json, delay });
    }
    ctx.set('queue', queue);
    return result;
  }

  const read = async (ctx: restate.ObjectSharedContext): Promise<StoredQueue> =>
    (await ctx.get<StoredQueue>('queue')) ?? { ...createQueue(), waiters: [], conductors: {}, tickAtMs: null };

  const queue = sdk.object({
    name: QUEUE,
    handlers: {
      put: (ctx: restate.ObjectContext, { session: name, head }: { session: string; head: SessionHead }): Promise<null> =>
        change(ctx, (queue, nowMs) => {
          for (const token of putSession(queue, name, head, nowMs, options))
            send(ctx, name, 'lost', { token, why: 'the engine lost the lease', tries: 0 });
          const listed = listedOf(name, head);
          if (listed !== null) ctx.set(`session:${name}`, listed);
          return null;
        }),

      reserve: (
        ctx: restate.ObjectContext,
        info: { worker: string; labels: readonly string[]; slots: number },
      ): Promise<{ session: string; task: string; attempt: number; token: string } | null> =>
        change(ctx, (queue, nowMs, id) => {
          const lease = reserveOffer(queue, info, id, nowMs);
          if (lease === null) return null;
          const { session, task, attempt, token } = lease;
          return { session, task, attempt, token };
        }),

      hold: (ctx: restate.ObjectContext, token: string): Promise<TaskClaim | null> =>
        change(ctx, (queue, nowMs) => holdLease(queue, token, nowMs, options)),

      letGo: (ctx: restate.ObjectContext, token: string): Promise<null> =>
        change(ctx, (queue, nowMs) => {
          releaseLease(queue, token, nowMs, options);
          return null;
        }),

      beat: (
        ctx: restate.ObjectContext,
        { worker, tokens }: { worker: string; tokens: readonly string[] },
      ): Promise<{ lost: readonly string[]; draining: boolean }> =>
        change(ctx, (queue, nowMs) => extendLeases(queue, worker, tokens, nowMs, options)),

      wait: (
        ctx: restate.ObjectContext,
        { id, worker, labels, ms }: { id: string; worker: string; labels: readonly string[]; ms: number },
      ): Promise<null> =>
        change(ctx, (queue, nowMs) => {
          queue.waiters.push({ id, worker, labels, untilMs: nowMs + ms });
          return null;
        }),

      tick: (ctx: restate.ObjectContext, atMs: number): Promise<null> =>
        change(ctx, (queue, nowMs) => {
          // An earlier one was sent meanwhile.
          if (queue.tickAtMs !== atMs) return null;
          queue.tickAtMs = null;
          for (const { session, token, why } of expireLeases(queue, nowMs, options)) send(ctx, session, 'lost', { token, why, tries: 0 });
          for (const session of takeOverdue(queue, nowMs, options)) send(ctx, session, 'sweep', null);
          return null;
        }),

      drain: (ctx: restate.ObjectContext, { worker, draining }: { worker: string; draining: boolean }): Promise<null> =>
        change(ctx, (queue) => {
          drainWorker(queue, worker, draining);
          return null;
        }),

      limit: (ctx: restate.ObjectContext, { name, most }: { name: string; most: number | null }): Promise<null> =>
        change(ctx, (queue) => {
          setLimit(queue, name, most);
          return null;
        }),

      /** A conductor is here. Gives the addresses of all that were here lately. */
      meet: (ctx: restate.ObjectContext, { uri, forMs }: { uri: string; forMs: number }): Promise<readonly string[]> =>
        change(ctx, (queue, nowMs) => {
          queue.conductors = Object.fromEntries(Object.entries(queue.conductors).filter(([, untilMs]) => untilMs > nowMs));
          queue.conductors[uri] = nowMs + forMs;
          return Object.keys(queue.conductors);
        }),

      sessions: shared(async (ctx: restate.ObjectSharedContext): Promise<readonly (EngineSession | null)[]> => {
        const keys = (await ctx.stateKeys()).filter((key) => key.startsWith('session:')).toSorted();
        const found: (EngineSession | null)[] = [];
        for (const key of keys) found.push(await ctx.get<EngineSession>(key));
        return found;
      }),

      workers: shared(async (ctx: restate.ObjectSharedContext): Promise<readonly WorkerInfo[]> => listWorkers(await read(ctx))),

      limits: shared(async (ctx: restate.ObjectSharedContext): Promise<ReturnType<typeof listLimits>> => listLimits(await read(ctx))),
    },
    options: { enableLazyState: true, inactivityTimeout: { seconds: 10 }, abortTimeout: { seconds: 5 }, ...retention() },
  });

  /** One part of a blob. An empty answer: there is none. */
  const blob = sdk.object({
    name: BLOB,
    handlers: {
      put: sdk.handlers.object.exclusive(
        { input: sdk.serde.binary, output: json },
        async (ctx: restate.ObjectContext, bytes: Uint8Array): Promise<null> => {
          ctx.set('bytes', bytes, sdk.serde.binary);
          return null;
        },
      ),
      get: shared({ input: json, output: sdk.serde.binary }, async (ctx: restate.ObjectSharedContext): Promise<Uint8Array> => {
        return (await ctx.get<Uint8Array>('bytes', sdk.serde.binary)) ?? new Uint8Array();
      }),
    },
    options: { enableLazyState: true, inactivityTimeout: { seconds: 10 }, abortTimeout: { seconds: 5 }, ...retention() },
  });

  /** Calls that wait for something. They hold no object while they wait, and may be lost at any time. */
  const door = sdk.service({
    name: DOOR,
    handlers: {
      offered: async (
        ctx: restate.Context,
        { worker, labels, ms }: { worker: string; labels: readonly string[]; ms: number },
      ): Promise<null> => {
        const { id, promise } = ctx.awakeable<boolean>();
        await call(ctx, QUEUE, FLEET, 'wait', { id, worker, labels, ms });
        return waitFor(promise, ms);
      },
      changed: async (ctx: restate.Context, { session, length, ms }: { session: string; length: number; ms: number }): Promise<null> => {
        const { id, promise } = ctx.awakeable<boolean>();
        await call(ctx, SESSION, session, 'watch', { id, length, ms });
        return waitFor(promise, ms);
      },
    },
    options: { inactivityTimeout: { minutes: 1 }, abortTimeout: { seconds: 5 }, ...retention() },
  });

  async function waitFor(promise: restate.RestatePromise<boolean>, ms: number): Promise<null> {
    try {
      await promise.orTimeout(Math.max(1, ms));
    } catch (error) {
      if (!(error instanceof sdk.TimeoutError)) throw error;
    }
    return null;
  }

  return [session, queue, blob, door];
}

/** Restate keeps no copy of what is done, and never gives up: the default pauses a call after 70 tries until a person resumes it. */
function retention() {
  return {
    journalRetention: 0,
    idempotencyRetention: { minutes: 10 },
    retryPolicy: {
      maxAttempts: MOST_ATTEMPTS,
      initialInterval: 50,
      exponentiationFactor: 2,
      maxInterval: { seconds: 2 },
      onMaxAttempts: 'pause',
    },
  } as const;
}

const NO_SESSION = {
  length: 0,
  pages: [],
  summary: null,
  offers: [],
  leases: [],
  wakeAtMs: null,
  wakeSentMs: null,
} as const;

function pageKey(firstLine: number): string {
  return `page:${firstLine}`;
}
