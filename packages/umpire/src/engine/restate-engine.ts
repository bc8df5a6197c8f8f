// An engine on a Restate cluster. Clients and workers speak HTTP with its ingress. A conductor serves the handlers of `restate-service.ts`
// and registers its address; one is active, the others take over when it does not answer. Without a conductor nothing can be read.
// Restate has no logins: anybody who reaches the ingress, the admin port or a conductor's address can do everything.
// Addresses: restate://HOST[:8080][?admin=9070][&service=HOST:PORT][&listen=HOST:PORT][&also=HOST:PORT,…][&tls=off]. `admin` may be several
// addresses, `also` names further ingresses. Beyond this machine: restate+https://…

import { createHash, randomUUID } from 'node:crypto';
import { connect, createServer } from 'node:http2';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { UmpireError } from '@umpire/core/model/errors.js';
import { checkLines, pauseUntil } from './engine.js';
import type {
  BlobStore,
  ClientDoor,
  Conduct,
  ConductorDoor,
  Engine,
  EngineOptions,
  TaskLease,
  EngineSession,
  SessionTurn,
  WorkerDoor,
  WorkerInfo,
} from './engine.js';
import { BLOB, DOOR, FLEET, QUEUE, SESSION, defineServices } from './restate-service.js';
import type { Decide, Delivered, Sdk } from './restate-service.js';
import { sessionOf, withDefaultTimes } from './queue.js';
import type { QueueTimes } from './queue.js';

/** Messages of Restate have at most 32 MiB. */
const PART_BYTES = 4 * 1024 * 1024;
/** The first part of a blob begins with the number of parts. */
const COUNT_BYTES = 4;
const PART_CHARS = 4 * 1024 * 1024;
/** A call that waits on the other side is repeated after this time: whoever made it may be gone. */
const SLICE_MS = 15_000;
/** Reading fails if nobody has answered for this long. */
const READ_MS = 30_000;
/** Claims are answered, or their reservation has long ended. */
const CLAIM_MS = 60_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;
/** How often a conductor looks whether the active one still answers, and how long it waits for that. */
const WATCH_MS = 1000;
const PROBE_MS = 2000;
/** So many probes in a row fail before another conductor takes over. */
const FAILED_PROBES = 2;
const MEET_MS = 10_000;
/** After its last turn, a conductor gives the answers so long to leave. */
const FLUSH_MS = 5000;

interface Address {
  /** Of several nodes. The next one is asked where one does not answer. */
  readonly ingress: readonly string[];
  readonly admin: readonly string[];
  /** Where Restate reaches the conductors; null: at the port that each finds free on loopback. */
  readonly service: string | null;
  readonly listen: { readonly host: string; readonly port: number };
}

export function openRestateEngine(url: string, options: EngineOptions = {}): Engine {
  const address = parseAddress(url);
  return {
    client: async () => openRestateClient(address),
    worker: async () => openRestateWorker(address),
    conductor: async () => openRestateConductor(address, withDefaultTimes(options)),
  };
}

/** There is nothing to prepare: conductors bring what they need. */
export async function initRestate(url: string): Promise<void> {
  await askAdmin(parseAddress(url), 'GET', '/version');
}

/** The package that a conductor needs. Clients and workers need none. */
const SDK = '@restatedev/restate-sdk';
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function parseAddress(text: string): Address {
  const refuseAddress = (detail: string): never => {
    throw new UmpireError('engine-address', { detail });
  };
  if (!URL.canParse(text)) return refuseAddress('it is not a URL');
  const url = new URL(text);
  const isSecure = url.protocol === 'restate+https:';
  if (!isSecure && url.protocol !== 'restate:') return refuseAddress('it does not begin with restate: or restate+https:');
  if (url.username !== '' || url.password !== '') return refuseAddress('Restate has no logins');
  const given = url.searchParams;
  const unknown = [...given.keys()].find((name) => !['admin', 'also', 'service', 'listen', 'tls'].includes(name));
  if (unknown !== undefined) return refuseAddress(`it has the unknown part "${unknown}"`);
  const mayBePlain = given.get('tls') === 'off';
  const parsePlace = (part: string, port: string): string => {
    const isUrl = part.includes('://');
    const full = isUrl ? part : `${isSecure ? 'https' : 'http'}://${part}`;
    if (!URL.canParse(full)) return refuseAddress(`"${part}" is no address`);
    const { protocol, hostname, port: own, pathname } = new URL(full);
    if (protocol === 'http:' && !LOOPBACK.test(hostname) && !mayBePlain)
      return refuseAddress(
        `${hostname} is another machine, and the connection is not encrypted. Use restate+https:, or allow it with tls=off`,
      );
    return `${protocol}//${hostname}:${own === '' ? port : own}${pathname === '/' ? '' : pathname}`;
  };
  const admin = given.get('admin') ?? '9070';
  const service = given.get('service');
  // Conductors serve plain HTTP. Where TLS is wanted, a proxy in front of them has it.
  const [, host = '127.0.0.1', port = '0'] = /^(.*):(\d+)$/.exec(given.get('listen') ?? service?.replace(/^\w+:\/\//, '') ?? '') ?? [];
  return {
    ingress: [url.host, ...splitList(given.get('also'))].map((part) => parsePlace(part, '8080')),
    admin: splitList(admin).map((part) => parsePlace(/^\d+$/.test(part) ? `${url.hostname}:${part}` : part, '9070')),
    service: service === null ? null : parsePlace(service, '9080'),
    listen: { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) },
  };
}

function splitList(text: string | null): readonly string[] {
  return text === null || text === '' ? [] : text.split(',');
}

// Calls over the ingress

interface CallOptions {
  /** Repeating a call under the same key gives the answer of the first one. */
  readonly key?: string;
  /** Without it, the call is repeated until the door closes. */
  readonly waitMs?: number;
}

interface Caller {
  /** The answer; undefined: there was none within `waitMs`. */
  readonly call: <T>(path: readonly string[], body: unknown, options?: CallOptions) => Promise<T | undefined>;
  /** Fails where nobody answers. */
  readonly read: <T>(path: readonly string[], body: unknown) => Promise<T>;
  readonly pause: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

function openCaller({ ingress }: Address): Caller {
  const closing = new AbortController();

  const pause = (ms: number) => pauseUntil(closing.signal, ms);

  async function call<T>(path: readonly string[], body: unknown, { key, waitMs }: CallOptions = {}): Promise<T | undefined> {
    const endMs = waitMs === undefined ? Infinity : performance.now() + waitMs;
    let failed = 0;
    let refused = 0;
    for (;;) {
      if (closing.signal.aborted) throw new UmpireError('engine-closed');
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) return undefined;
      const isBytes = body instanceof Uint8Array;
      const headers: Record<string, string> = { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' };
      // An answer that says that the call itself was ended, by a person for example, stays the answer for that key.
      if (key !== undefined) headers['idempotency-key'] = `${key}:${refused}`;
      const response = await requestJson(`${ingress[failed % ingress.length]}/${path.map(encodeURIComponent).join('/')}`, {
        method: 'POST',
        headers,
        body: isBytes ? new Uint8Array(body) : JSON.stringify(body ?? null),
        signal: leftMs === Infinity ? closing.signal : AbortSignal.any([closing.signal, AbortSignal.timeout(Math.ceil(leftMs))]),
      });
      if (response?.ok === true) return response.value as T;
      // 404: a node that has just started does not know its services yet, or no conductor was ever here.
      if (response !== null && response.status >= 400 && response.status < 500 && ![404, 408, 409, 429].includes(response.status))
        throw new Error(`Restate answered ${response.status}: ${String(response.value)}`);
      if (response?.status === 500 || response?.status === 409) refused++;
      await pause(Math.max(0, Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failed, 10), LONGEST_PAUSE_MS, endMs - performance.now())));
      failed++;
    }
  }

  return {
    call,
    read: async <T>(path: readonly string[], body: unknown): Promise<T> => {
      const answer = await call<T>(path, body, { waitMs: READ_MS });
      if (answer === undefined)
        throw new UmpireError('engine-unreachable', { engine: ingress.join(', '), detail: 'no conductor answered' });
      return answer;
    },
    pause,
    close: async () => closing.abort(),
  };
}

/** Null: there was no answer. */
async function requestJson(
  url: string,
  init: RequestInit,
): Promise<{ readonly ok: boolean; readonly status: number; readonly value: unknown } | null> {
  try {
    const response = await fetch(url, init);
    const isBytes = response.headers.get('content-type') === 'application/octet-stream';
    if (isBytes && response.ok) return { ok: true, status: response.status, value: new Uint8Array(await response.arrayBuffer()) };
    const text = await response.text();
    if (!response.ok) return { ok: false, status: response.status, value: text };
    return { ok: true, status: response.status, value: text === '' ? null : JSON.parse(text) };
  } catch {
    return null;
  }
}

// What the doors share

async function readLines(caller: Caller, session: string, from: number, token: string | null = null): Promise<readonly string[]> {
  const lines: string[] = [];
  for (;;) {
    type Part = { readonly lines: readonly string[]; readonly length: number } | null;
    const part = await caller.read<Part>([SESSION, session, 'lines'], { from: from + lines.length, token });
    if (part === null) throw new UmpireError('lease-lost');
    lines.push(...part.lines);
    if (part.lines.length === 0 || from + lines.length >= part.length) return lines;
  }
}

function openBlobs(caller: Caller, session: string): BlobStore {
  const path = (sha256: string, part: number, method: string): readonly string[] => [BLOB, `${session}/${sha256}/${part}`, method];
  return {
    put: async (bytes) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const count = Buffer.alloc(COUNT_BYTES);
      const parts = Math.max(1, Math.ceil((bytes.length + COUNT_BYTES) / PART_BYTES));
      count.writeUInt32BE(parts);
      const whole = Buffer.concat([count, bytes]);
      // The first part comes last: with it, the blob is there.
      for (let part = parts - 1; part >= 0; part--)
        await caller.call(path(sha256, part, 'put'), whole.subarray(part * PART_BYTES, (part + 1) * PART_BYTES));
      return sha256;
    },
    get: async (sha256) => {
      if (!/^[0-9a-f]{64}$/.test(sha256)) return null;
      const read = async (part: number): Promise<Uint8Array> =>
        (await caller.read<Uint8Array | null>(path(sha256, part, 'get'), null)) ?? new Uint8Array();
      const parts = [await read(0)];
      const [first] = parts;
      if (first === undefined || first.length < COUNT_BYTES) return null;
      const count = Buffer.from(first).readUInt32BE();
      while (parts.length < count) parts.push(await read(parts.length));
      return new Uint8Array(Buffer.concat(parts).subarray(COUNT_BYTES));
    },
  };
}

/** Until somebody decides. Each try is a call of its own; the session knows the key of the input. */
async function deliverUntilTaken(caller: Caller, path: readonly string[], body: unknown): Promise<Exclude<Delivered, { kind: 'again' }>> {
  const key = randomUUID();
  for (let tries = 0; ; tries++) {
    const outcome = await caller.call<Delivered>(path, body, { key: `${key}:${tries}` });
    if (outcome !== undefined && outcome.kind !== 'again') return outcome;
    await caller.pause(Math.min(FIRST_PAUSE_MS * 2 ** Math.min(tries, 10), LONGEST_PAUSE_MS));
  }
}

// Doors

function openRestateClient(address: Address): ClientDoor {
  const caller = openCaller(address);
  return {
    tell: async (session, message, key) => {
      const outcome = await deliverUntilTaken(caller, [SESSION, session, 'tell'], { message, key });
      return outcome.kind === 'done' ? outcome.reply : null;
    },
    lines: (session, from) => readLines(caller, session, from),
    changed: async (session, length, waitMs) => {
      const endMs = performance.now() + waitMs;
      for (;;) {
        const ms = Math.min(SLICE_MS, endMs - performance.now());
        if (ms <= 0) return;
        await caller.call([DOOR, 'changed'], { session, length, ms }, { waitMs: ms });
        const listed = await caller.call<EngineSession | null>([SESSION, session, 'show'], null, { waitMs: Math.max(ms, FIRST_PAUSE_MS) });
        if ((listed?.length ?? 0) > length) return;
      }
    },
    sessions: async () =>
      (await caller.read<readonly (EngineSession | null)[]>([QUEUE, FLEET, 'sessions'], null)).filter((one) => one !== null),
    session: (session) => caller.read<EngineSession | null>([SESSION, session, 'show'], null),
    blobs: (session) => openBlobs(caller, session),
    workers: () => caller.read<readonly WorkerInfo[]>([QUEUE, FLEET, 'workers'], null),
    drain: (worker, draining) => caller.read([QUEUE, FLEET, 'drain'], { worker, draining }),
    limit: (name, most) => caller.read([QUEUE, FLEET, 'limit'], { name, most }),
    limits: () => caller.read([QUEUE, FLEET, 'limits'], null),
    importSession: async (session, lines, summary) => {
      const id = randomUUID();
      let from = 0;
      do {
        let [to, chars] = [from, 0];
        while (to < lines.length && (to === from || chars < PART_CHARS)) chars += lines[to++]?.length ?? 0;
        const isLast = to === lines.length;
        const body = { id, from, lines: lines.slice(from, to), summary: isLast ? summary : null };
        const outcome = await deliverUntilTaken(caller, [SESSION, session, 'take'], body);
        if (outcome.kind !== 'done') throw new UmpireError('engine-session-taken', { session });
        from = to;
      } while (from < lines.length);
    },
    close: caller.close,
  };
}

function openRestateWorker(address: Address): WorkerDoor {
  const caller = openCaller(address);
  const requireLease = async (token: string): Promise<string> => {
    const session = sessionOf(token);
    if ((await caller.read([SESSION, session, 'lines'], { from: Number.MAX_SAFE_INTEGER, token })) === null)
      throw new UmpireError('lease-lost');
    return session;
  };
  return {
    poll: async ({ name, labels, slots }, waitMs) => {
      const endMs = performance.now() + waitMs;
      // A poll that does not wait gets an answer, too.
      for (let leftMs = Math.max(waitMs, PROBE_MS); leftMs > 0; leftMs = endMs - performance.now()) {
        // Two steps: if this worker is gone when the first is answered, no attempt has begun.
        const body = { worker: name, labels, slots };
        type Reserved = Omit<TaskLease, 'reply'> | null;
        const reserved = await caller.call<Reserved>([QUEUE, FLEET, 'reserve'], body, { key: randomUUID(), waitMs: leftMs });
        if (reserved === undefined) return null;
        if (reserved === null) {
          const ms = Math.min(SLICE_MS, endMs - performance.now());
          if (ms > 0) await caller.call([DOOR, 'offered'], { worker: name, labels, ms }, { waitMs: ms });
          continue;
        }
        const { token, session } = reserved;
        const outcome = await caller.call<Delivered>([SESSION, session, 'claim'], token, { key: token, waitMs: CLAIM_MS });
        if (outcome?.kind === 'done') return { ...reserved, reply: outcome.reply };
      }
      return null;
    },
    beat: (worker, tokens) => caller.read([QUEUE, FLEET, 'beat'], { worker, tokens }),
    handIn: async (token, result) => {
      const outcome = await deliverUntilTaken(caller, [SESSION, sessionOf(token), 'handIn'], { token, result });
      return outcome.kind === 'done' ? outcome.reply : null;
    },
    giveBack: async (token, why) => {
      await caller.call([SESSION, sessionOf(token), 'lost'], { token, why, tries: 0 }, { key: randomUUID() });
    },
    lines: (token, from) => readLines(caller, sessionOf(token), from, token),
    blobs: (token) => {
      const own = async (): Promise<BlobStore> => openBlobs(caller, await requireLease(token));
      return { put: async (bytes) => (await own()).put(bytes), get: async (sha256) => (await own()).get(sha256) };
    },
    close: caller.close,
  };
}

// Conductors

function openRestateConductor(address: Address, options: QueueTimes): ConductorDoor {
  const caller = openCaller(address);
  return {
    conduct: async (conduct, { signal, concurrency }) => {
      const sdk = await loadSdk();
      let onLeft = async (): Promise<void> => undefined;
      const decide = makeDecider({ caller, conduct, signal, concurrency, turnMs: options.turnMs, onLeft: () => onLeft() });
      const server = await serveHandlers(sdk, decide, address, options);
      const route = openRoute(address, server.port, caller);
      onLeft = route.handOver;
      try {
        await route.keep(signal);
      } finally {
        await server.end();
      }
    },
    close: caller.close,
  };
}

async function loadSdk(): Promise<Sdk> {
  // Node 20 does not have it, and the package needs it.
  const polyfilled = Promise as unknown as { withResolvers?: () => unknown };
  polyfilled.withResolvers ??= () => {
    let settle = {};
    const promise = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    return { promise, ...settle };
  };
  try {
    return await import('@restatedev/restate-sdk');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND' && (error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND')
      throw error;
    throw new UmpireError('engine-driver', { package: SDK, command: `npm install ${SDK}@1.17` });
  }
}

interface DeciderNeeds {
  readonly caller: Caller;
  readonly conduct: Conduct;
  readonly signal: AbortSignal;
  readonly concurrency: number;
  readonly turnMs: number;
  /** The conductor left a session to others. */
  readonly onLeft: () => Promise<void>;
}

/** Calls the conductor, at most `concurrency` times at once, and never longer than a turn may take. */
function makeDecider({ caller, conduct, signal, concurrency, turnMs, onLeft }: DeciderNeeds): Decide {
  const queue: (() => void)[] = [];
  let free = concurrency;

  async function decideNow(
    session: string,
    length: number,
    input: Parameters<Conduct>[1],
  ): Promise<{ turn: SessionTurn; nowMs: number } | null> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), turnMs);
    });
    const nowMs = Date.now();
    try {
      const lines = async (from: number): Promise<readonly string[]> => (await readLines(caller, session, from)).slice(0, length - from);
      const blobs = openBlobs(caller, session);
      const turn = await Promise.race([conduct({ session, length, lines, nowMs, blobs }, input), tooLate]);
      if (turn === null) await onLeft();
      checkLines(turn?.lines ?? []);
      return turn === null || turn === undefined ? null : { turn, nowMs };
    } catch {
      // Restate delivers the input again.
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  return async (session, length, input) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return signal.aborted ? null : await decideNow(session, length, input);
    } finally {
      const next = queue.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}

/** Serves the handlers, over HTTP/2 without TLS as Restate expects it. */
async function serveHandlers(sdk: Sdk, decide: Decide, { listen }: Address, options: QueueTimes) {
  const handler = sdk.createEndpointHandler({ services: defineServices(sdk, decide, options), logger: () => undefined });
  const server = createServer(handler);
  const sessions = new Set<ServerHttp2Session>();
  /** Calls that are answered before the end. Those that only wait are not. */
  const open = new Set<ServerHttp2Stream>();
  let onEmpty = (): void => undefined;
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    if (!String(headers[':path']).startsWith(`/invoke/${SESSION}/`)) return;
    open.add(stream);
    stream.on('close', () => {
      open.delete(stream);
      if (open.size === 0) onEmpty();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(listen.port, listen.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    end: async () => {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, options.turnMs + FLUSH_MS);
        onEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
        if (open.size === 0) onEmpty();
      });
      server.close();
      for (const session of sessions) session.destroy();
    },
  };
}

interface Deployment {
  readonly id: string;
  readonly uri?: string;
  readonly services: readonly { readonly name: string }[];
}

/** Of the first node that answers. */
async function askAdmin({ admin }: Address, method: string, path: string, body?: unknown): Promise<unknown> {
  for (const node of admin) {
    const answer = await requestJson(`${node}${path}`, {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(SLICE_MS),
    });
    if (answer?.ok === true) return answer.value;
  }
  throw new UmpireError('engine-unreachable', { engine: admin.join(', '), detail: 'the admin port does not answer' });
}

/** Where Restate calls. It knows one address, which moves: what began at one conductor continues at the next. The newest takes over. */
function openRoute(address: Address, port: number, caller: Caller) {
  const uri = address.service ?? `http://127.0.0.1:${port}`;
  const isShared = address.service !== null;
  let metMs = -Infinity;

  async function registered(): Promise<readonly Deployment[]> {
    const { deployments } = (await askAdmin(address, 'GET', '/deployments')) as { readonly deployments: readonly Deployment[] };
    return deployments.filter(({ services }) => services.some(({ name }) => name === SESSION));
  }

  async function moveTo(target: string): Promise<void> {
    const found = await registered();
    if (found.length === 0) await askAdmin(address, 'POST', '/deployments', { uri: target, force: true });
    for (const { id } of found) await askAdmin(address, 'PATCH', `/deployments/${id}`, { uri: target, overwrite: true });
  }

  /** Tells the others the address of this conductor, and learns theirs. */
  async function meet(): Promise<readonly string[]> {
    const known = await caller.call<readonly string[]>([QUEUE, FLEET, 'meet'], { uri, forMs: 3 * MEET_MS }, { waitMs: PROBE_MS });
    if (known !== undefined) metMs = performance.now();
    return known ?? [];
  }

  /** Whether the conductor that Restate calls is there. */
  async function isServed(): Promise<boolean> {
    const found = await registered();
    const other = found.find((one) => one.uri?.replace(/\/$/, '') !== uri.replace(/\/$/, ''))?.uri;
    return found.length > 0 && (isShared || other === undefined || (await answers(other)));
  }

  return {
    /** Until `signal` is aborted. Rejects if Restate could never be reached. */
    keep: async (signal: AbortSignal): Promise<void> => {
      const begunMs = performance.now();
      let wasActive = false;
      let isWanted = true;
      let failed = 0;
      while (!signal.aborted) {
        try {
          if (isWanted) await moveTo(uri);
          wasActive = true;
          failed = (await isServed()) ? 0 : failed + 1;
          isWanted = failed >= FAILED_PROBES;
          if (!isShared && performance.now() - metMs > MEET_MS) await meet();
        } catch (error) {
          // Restate is asked again.
          if (!wasActive && performance.now() - begunMs > READ_MS) throw error;
        }
        await pauseUntil(signal, WATCH_MS);
      }
    },
    /** So that a session that this conductor leaves to others comes to the next one. */
    handOver: async (): Promise<void> => {
      if (isShared) return;
      const ring = (await meet()).toSorted();
      for (let step = 1; step < ring.length; step++) {
        const next = ring[(ring.indexOf(uri) + step) % ring.length];
        if (next === undefined || !(await answers(next))) continue;
        await moveTo(next).catch(() => undefined);
        return;
      }
    },
  };
}

/** Whether a conductor answers there. */
function answers(uri: string): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(uri);
    const end = (isHere: boolean): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(isHere);
    };
    const timer = setTimeout(() => end(false), PROBE_MS);
    session.on('error', () => end(false));
    const stream = session.request({ ':path': '/health' });
    stream.on('response', (headers) => end(headers[':status'] === 200)).on('error', () => end(false));
    stream.end();
  });
}
