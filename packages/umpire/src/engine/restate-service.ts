// What Restate keeps of a fleet, as its virtual objects: one for each session (journal, offers, leases, replies), one queue (offers, limits,
// workers), and one for each part of a blob. Sessions call the queue and wait; the queue only sends to sessions: no deadlock is possible.
// A replay runs these handlers again: whatever differs from run to run happens inside `ctx.run`.

import { randomUUID } from 'node:crypto';
import type * as restate from '@restatedev/restate-sdk';
import { REFUSED_MS, backOff } from './engine.js';
import type { TaskClaim, Input, EngineSession, Offer, Summary, SessionTurn, WorkerInfo } from './engine.js';

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
/** A worker that found an offer claims it within this time. */
const RESERVED_MS = 10_000;
/** A worker that polls again has given up a reservation that is older than this. */
const STALE_MS = 2000;
/** Workers that were not seen for so long are forgotten. */
const FORGET_MS = 24 * 3_600_000;
/** So many sweeps pass before a session is asked again that has not answered. */
const UNANSWERED_SWEEPS = 40;
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

interface SessionLease extends TaskClaim {
  readonly sinceMs: number;
}

interface SessionHead {
  readonly length: number;
  /** The first line of each page. */
  readonly pages: readonly number[];
  readonly createdMs: number;
  readonly changedMs: number;
  readonly summary: Summary | null;
  readonly offers: readonly Offer[];
  readonly leases: readonly SessionLease[];
  readonly wakeAtMs: number | null;
  /** The time for which the last call to `wake` was sent. */
  readonly wakeSentMs: number | null;
}

interface Watcher {
  readonly id: string;
  readonly length: number;
  readonly untilMs: number;
}

/** `reserved` for a worker, in the `claiming` turn, `leased`, in the `handing-in` turn. */
interface QueuedLease extends TaskClaim {
  readonly session: string;
  readonly tenant: string;
  readonly limits: readonly string[];
  state: 'reserved' | 'claiming' | 'leased' | 'handing-in';
  sinceMs: number;
  untilMs: number;
}

interface QueuedOffer extends Offer {
  /** Older offers come first. */
  readonly order: number;
  /** Rests until then. */
  readonly notBeforeMs: number;
}

/** A session that has offers, or that nothing would continue. */
interface QueuedSession {
  readonly tenant: string;
  readonly offers: readonly QueuedOffer[];
  readonly isStuck: boolean;
  turnedMs: number;
}

interface WaitingWorker {
  readonly id: string;
  readonly worker: string;
  readonly labels: readonly string[];
  readonly untilMs: number;
}

interface Queue {
  order: number;
  sessions: Record<string, QueuedSession>;
  leases: Record<string, QueuedLease>;
  limits: Record<string, number>;
  workers: Record<string, Omit<WorkerInfo, 'worker' | 'busy'>>;
  waiters: WaitingWorker[];
  /** When addresses of conductors were seen last. */
  conductors: Record<string, number>;
  /** When the next `tick` comes. */
  tickAtMs: number | null;
}

interface Put {
  readonly listed: EngineSession | null;
  readonly session: string;
  readonly tenant: string;
  readonly offers: readonly Offer[];
  readonly tokens: readonly string[];
  readonly isStuck: boolean;
}

/** What `hold` gives: the claim, if the token still holds it. */
type Held = TaskClaim | null;

export interface ServiceOptions {
  readonly leaseMs: number;
  readonly sweepMs: number;
  readonly turnMs: number;
}

const EMPTY_QUEUE: Queue = {
  order: 0,
  sessions: {},
  leases: {},
  limits: {},
  workers: {},
  waiters: [],
  conductors: {},
  tickAtMs: null,
};

/** The services that a conductor serves. */
export function defineServices(sdk: Sdk, decide: Decide, options: ServiceOptions) {
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
    leasesAfter: (turn: SessionTurn, nowMs: number) => readonly SessionLease[],
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
      readonly leases: readonly SessionLease[];
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
    const isIdle = head.offers.length === 0 && head.leases.length === 0 && head.wakeAtMs === null;
    const message: Put = {
      listed: listedOf(ctx.key, head),
      session: ctx.key,
      tenant: head.summary?.tenant ?? '',
      offers: head.offers,
      tokens: head.leases.map(({ token }) => token),
      isStuck: isIdle && head.summary?.state === 'running',
    };
    return call(ctx, QUEUE, FLEET, 'put', message);
  }

  function hold(ctx: restate.ObjectContext, token: string): Promise<Held> {
    return call(ctx, QUEUE, FLEET, 'hold', token);
  }

  /** Ends a hold without a turn. */
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
        const isIdle = head.offers.length === 0 && head.leases.length === 0 && head.wakeAtMs === null;
        const isStuck = isIdle && head.summary?.state === 'running';
        const turn = isStuck ? await takeTurn(ctx, head, { kind: 'woken' }, () => []) : null;
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
  async function change<T>(ctx: restate.ObjectContext, act: (queue: Queue, nowMs: number, id: string) => T | Promise<T>): Promise<T> {
    const queue = (await ctx.get<Queue>('queue')) ?? structuredClone(EMPTY_QUEUE);
    // The token has to be a secret: `ctx.rand` is not.
    const { nowMs, id } = await ctx.run('now', () => ({ nowMs: Date.now(), id: randomUUID() }));
    const result = await act(queue, nowMs, id);
    // All that could take one: a waiter may be gone, and the offer must not wait for it.
    queue.waiters = queue.waiters.filter((waiter) => {
      if (waiter.untilMs <= nowMs) return false;
      const isWoken = bestOffer(queue, waiter, nowMs) !== null;
      if (isWoken) ctx.resolveAwakeable(waiter.id, true);
      return !isWoken;
    });
    const dueMs = nextDueMs(queue, nowMs, options);
    // A tick that never came, because somebody killed it, is sent again.
    if (dueMs !== null && (queue.tickAtMs === null || dueMs < queue.tickAtMs || queue.tickAtMs < nowMs - options.sweepMs)) {
      queue.tickAtMs = dueMs;
      const delay = Math.max(1, dueMs - nowMs);
      ctx.genericSend({ service: QUEUE, key: ctx.key, method: 'tick', parameter: dueMs, inputSerde: json, delay });
    }
    ctx.set('queue', queue);
    return result;
  }

  const read = async (ctx: restate.ObjectSharedContext): Promise<Queue> => (await ctx.get<Queue>('queue')) ?? EMPTY_QUEUE;

  const queue = sdk.object({
    name: QUEUE,
    handlers: {
      put: (ctx: restate.ObjectContext, message: Put): Promise<null> =>
        change(ctx, (queue, nowMs) => {
          for (const unknown of acceptPut(queue, message, nowMs, options.leaseMs))
            send(ctx, message.session, 'lost', { token: unknown, why: 'the engine lost the lease', tries: 0 });
          if (message.listed !== null) ctx.set(`session:${message.session}`, message.listed);
          return null;
        }),

      reserve: (
        ctx: restate.ObjectContext,
        { worker, labels, slots }: { worker: string; labels: readonly string[]; slots: number },
      ): Promise<{ session: string; task: string; attempt: number; token: string } | null> =>
        change(ctx, (queue, nowMs, id) => {
          const known = queue.workers[worker];
          queue.workers[worker] = { labels, slots, draining: known?.draining ?? false, seenMs: nowMs };
          // After an outage, calls of polls that have long ended come first.
          for (const lease of Object.values(queue.leases))
            if (lease.worker === worker && lease.state === 'reserved' && lease.sinceMs < nowMs - STALE_MS) delete queue.leases[lease.token];
          const best = bestOffer(queue, { worker, labels }, nowMs);
          if (best === null) return null;
          const { session, offer } = best;
          const { task, attempt, limits } = offer;
          const token = `${id}:${session}`;
          const tenant = queue.sessions[session]?.tenant ?? '';
          const untilMs = nowMs + RESERVED_MS;
          queue.leases[token] = { session, task, attempt, worker, token, tenant, limits, state: 'reserved', sinceMs: nowMs, untilMs };
          return { session, task, attempt, token };
        }),

      hold: (ctx: restate.ObjectContext, token: string): Promise<Held> =>
        change(ctx, (queue, nowMs) => {
          const lease = queue.leases[token];
          if (lease === undefined || lease.untilMs <= nowMs) return null;
          if (lease.state === 'reserved') lease.state = 'claiming';
          else if (lease.state === 'leased') lease.state = 'handing-in';
          else return null;
          // Its turn ends it. Only if somebody kills that turn does the time pass.
          lease.untilMs = nowMs + 10 * options.turnMs;
          const { task, attempt, worker } = lease;
          return { task, attempt, worker, token };
        }),

      letGo: (ctx: restate.ObjectContext, token: string): Promise<null> =>
        change(ctx, (queue, nowMs) => {
          const lease = queue.leases[token];
          if (lease?.state === 'handing-in') Object.assign(lease, { state: 'leased', untilMs: nowMs + options.leaseMs });
          else if (lease !== undefined) endClaim(queue, lease, nowMs);
          return null;
        }),

      beat: (
        ctx: restate.ObjectContext,
        { worker, tokens }: { worker: string; tokens: readonly string[] },
      ): Promise<{ lost: readonly string[]; draining: boolean }> =>
        change(ctx, (queue, nowMs) => {
          const known = queue.workers[worker];
          const draining = known?.draining ?? false;
          queue.workers[worker] = { labels: [], slots: 0, ...known, draining, seenMs: nowMs };
          const lost = tokens.filter((token) => {
            const lease = queue.leases[token];
            if (lease === undefined || lease.worker !== worker || lease.untilMs <= nowMs) return true;
            if (lease.state === 'leased') lease.untilMs = nowMs + options.leaseMs;
            return false;
          });
          return { lost, draining };
        }),

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
          for (const { session, token, why } of passTime(queue, nowMs, options.leaseMs))
            send(ctx, session, 'lost', { token, why, tries: 0 });
          for (const session of findOverdue(queue, nowMs, options.sweepMs)) send(ctx, session, 'sweep', null);
          return null;
        }),

      drain: (ctx: restate.ObjectContext, { worker, draining }: { worker: string; draining: boolean }): Promise<null> =>
        change(ctx, (queue) => {
          queue.workers[worker] = { labels: [], slots: 0, seenMs: 0, ...queue.workers[worker], draining };
          return null;
        }),

      limit: (ctx: restate.ObjectContext, { name, most }: { name: string; most: number | null }): Promise<null> =>
        change(ctx, (queue) => {
          if (most === null) delete queue.limits[name];
          else queue.limits[name] = most;
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

      workers: shared(async (ctx: restate.ObjectSharedContext): Promise<readonly WorkerInfo[]> => {
        const { workers, leases } = await read(ctx);
        return Object.entries(workers).map(([worker, info]) => {
          const busy = Object.values(leases).filter((lease) => lease.worker === worker).length;
          return { worker, ...info, busy };
        });
      }),

      limits: shared(async (ctx: restate.ObjectSharedContext): Promise<readonly { name: string; most: number; used: number }[]> => {
        const queue = await read(ctx);
        return Object.entries(queue.limits).map(([name, most]) => ({ name, most, used: usedOf(queue, name) }));
      }),
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

function attemptKey({ task, attempt }: { readonly task: string; readonly attempt: number }): string {
  return JSON.stringify([task, attempt]);
}

function listedOf(session: string, { summary, createdMs, changedMs, length, offers, leases }: SessionHead): EngineSession | null {
  if (summary === null) return null;
  const leased = leases.map(({ task, attempt, worker, sinceMs }) => ({ task, attempt, worker, sinceMs }));
  return { ...summary, session, createdMs, changedMs, length, offered: offers, leased };
}

/** Takes over what a session says. Returns tokens that it holds and the queue does not know. */
function acceptPut(queue: Queue, { session, tenant, offers, tokens, isStuck }: Put, nowMs: number, leaseMs: number): readonly string[] {
  const known = new Map(queue.sessions[session]?.offers.map((offer) => [attemptKey(offer), offer]));
  const queued = offers.map((offer) => {
    const earlier = known.get(attemptKey(offer));
    return { ...offer, order: earlier?.order ?? queue.order++, notBeforeMs: earlier?.notBeforeMs ?? 0 };
  });
  if (queued.length > 0 || isStuck) queue.sessions[session] = { tenant, offers: queued, isStuck, turnedMs: nowMs };
  else delete queue.sessions[session];
  for (const lease of Object.values(queue.leases)) {
    if (lease.session !== session || lease.state === 'reserved') continue;
    if (!tokens.includes(lease.token)) endClaim(queue, lease, nowMs);
    else if (lease.state === 'claiming') Object.assign(lease, { state: 'leased', sinceMs: nowMs, untilMs: nowMs + leaseMs });
  }
  return tokens.filter((token) => queue.leases[token] === undefined);
}

/** An offer whose claim came to nothing rests for a while. */
function endClaim(queue: Queue, lease: QueuedLease, nowMs: number): void {
  delete queue.leases[lease.token];
  const session = queue.sessions[lease.session];
  if (lease.state !== 'claiming' || session === undefined) return;
  const offers = session.offers.map((offer) =>
    attemptKey(offer) === attemptKey(lease) ? { ...offer, notBeforeMs: nowMs + REFUSED_MS } : offer,
  );
  queue.sessions[lease.session] = { ...session, offers };
}

function usedOf(queue: Queue, limit: string): number {
  return Object.values(queue.leases).filter(({ limits }) => limits.includes(limit)).length;
}

/** Of the tenant with the fewest at work, and there the oldest. */
function bestOffer(
  queue: Queue,
  { worker, labels }: { readonly worker: string; readonly labels: readonly string[] },
  nowMs: number,
): { readonly session: string; readonly offer: QueuedOffer } | null {
  if (queue.workers[worker]?.draining === true) return null;
  const leases = Object.values(queue.leases);
  const isLeased = new Set(leases.map((lease) => JSON.stringify([lease.session, lease.task, lease.attempt])));
  const atWork = new Map<string, number>();
  for (const { tenant } of leases) atWork.set(tenant, (atWork.get(tenant) ?? 0) + 1);
  const isFull = new Set(Object.entries(queue.limits).flatMap(([name, most]) => (usedOf(queue, name) >= most ? [name] : [])));
  let best: { session: string; offer: QueuedOffer; busy: number } | null = null;
  for (const [session, { tenant, offers }] of Object.entries(queue.sessions)) {
    const busy = atWork.get(tenant) ?? 0;
    for (const offer of offers) {
      const isBetter = best === null || busy < best.busy || (busy === best.busy && offer.order < best.offer.order);
      if (!isBetter || offer.notBeforeMs > nowMs || isLeased.has(JSON.stringify([session, offer.task, offer.attempt]))) continue;
      if (!offer.labels.every((label) => labels.includes(label)) || offer.limits.some((limit) => isFull.has(limit))) continue;
      best = { session, offer, busy };
    }
  }
  return best;
}

/** Ends what has expired. Returns what sessions have to learn. */
function passTime(queue: Queue, nowMs: number, leaseMs: number): readonly { session: string; token: string; why: string }[] {
  const ended = Object.values(queue.leases).filter(({ untilMs }) => untilMs <= nowMs);
  for (const { token } of ended) delete queue.leases[token];
  for (const [worker, { seenMs, draining }] of Object.entries(queue.workers))
    if (seenMs < nowMs - FORGET_MS && !draining) delete queue.workers[worker];
  return ended
    .filter(({ state }) => state === 'leased' || state === 'handing-in')
    .map(({ session, token, worker }) => ({
      session,
      token,
      why: `${worker} did not answer for ${Math.round(leaseMs / 1000)} s`,
    }));
}

/** Sessions that nothing would continue. One is named again after its answer; without an answer, much later. */
function findOverdue(queue: Queue, nowMs: number, sweepMs: number): readonly string[] {
  const overdue = Object.entries(queue.sessions).filter(([, { isStuck, turnedMs }]) => isStuck && turnedMs + sweepMs <= nowMs);
  for (const [, session] of overdue) session.turnedMs = nowMs + UNANSWERED_SWEEPS * sweepMs;
  return overdue.map(([name]) => name);
}

/** When time alone changes something. Null: never. */
function nextDueMs({ leases, sessions, waiters }: Queue, nowMs: number, { sweepMs }: ServiceOptions): number | null {
  const times = Object.values(leases).map(({ untilMs }) => untilMs);
  for (const { isStuck, turnedMs, offers } of Object.values(sessions)) {
    if (isStuck) times.push(turnedMs + sweepMs);
    if (waiters.length > 0) times.push(...offers.map(({ notBeforeMs }) => notBeforeMs).filter((atMs) => atMs > nowMs));
  }
  return times.length === 0 ? null : Math.min(...times);
}
