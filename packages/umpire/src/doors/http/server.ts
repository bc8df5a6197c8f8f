// The dashboard's server: for one project or one engine, on this machine only, and only with its key. It shows sessions and takes a person's answers.

import { timingSafeEqual } from 'node:crypto';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { extname, join } from 'node:path';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import { streamSSE } from 'hono/streaming';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { z } from 'zod';
import { ANSWER_NAMES } from '@umpire/core/model/questions.js';
import { refuseInsideTask } from '../../agents/guardian.js';
import { lineOf, showHidden, showHiddenIn } from '../../views/safe-text.js';
import { onAbort } from '../../sessions/abort-listeners.js';
import type { AnswerRequest, ChangeAnswer, DismissRequest, ErrorAnswer, ResumeRequest } from './answers.js';
import { ChangeWatcher } from './change-watcher.js';
import { followOutput, SessionReader } from './session-reader.js';
import type { SessionSource } from './session-source.js';

interface ServeRequest {
  readonly source: SessionSource;
  readonly version: string;
  /** 0: any free port. */
  readonly port: number;
  /** Required in every request for data. */
  readonly key: string;
  /** The folder of the built pages. */
  readonly pages: string;
  /** The person's name on this machine, for the record of an answer. */
  readonly who?: string;
}

export interface DashboardServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

const HOST = '127.0.0.1';
/** Sends a line at this interval, so that a dead connection is noticed. */
const HEARTBEAT_MS = 15_000;

/** Clients are pages and programs on this machine: one that is slower than this is stuck, or holds the connection on purpose. */
const CLIENT_LIMITS = { headersTimeout: 10_000, requestTimeout: 15_000, keepAliveTimeout: 5_000, connectionsCheckingInterval: 1_000 };
/** A connection without traffic is closed, also one whose answer nobody reads. An open page gets heartbeats. */
const SILENT_MS = 4 * HEARTBEAT_MS;

/** Resolves once it listens. Throws if the port is in use. */
export async function serveDashboard(request: ServeRequest): Promise<DashboardServer> {
  const stop = new AbortController();
  const app = dashboard(request, stop.signal);
  return new Promise((resolve, reject) => {
    const place = { hostname: HOST, port: request.port };
    const server = serve({ fetch: app.fetch, ...place, serverOptions: CLIENT_LIMITS }, ({ port }: AddressInfo) => {
      const close = async (): Promise<void> => {
        stop.abort();
        await new Promise<void>((closed) => {
          server.close(() => closed());
          if ('closeAllConnections' in server) server.closeAllConnections();
        });
      };
      resolve({ port, close });
    });
    server.setTimeout(SILENT_MS);
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE' || error.code === 'EACCES'
          ? new UmpireError('port-taken', { port: request.port, detail: error.code === 'EACCES' ? 'permission denied' : 'it is in use' })
          : error,
      ),
    );
  });
}

function dashboard(request: ServeRequest, stop: AbortSignal): Hono {
  const pages = readPages(request.pages);
  const { source } = request;
  const reader = new SessionReader(source, request.version);
  const watcher = new ChangeWatcher(() => source.stamps());
  const app = new Hono();
  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        connectSrc: ["'self'"],
        imgSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
      referrerPolicy: 'no-referrer',
      strictTransportSecurity: false,
    }),
  );
  app.use(async (context, next) => {
    context.header('Cache-Control', 'no-store');
    const refused = refuseRequest(context, request.key, pages);
    if (refused !== null) return refused;
    await next();
  });
  app.onError((error, context) => {
    const known = isUmpireError(error) ? error : new UmpireError('internal', { detail: error.stack ?? error.message });
    return context.json(errorOf(known), STATUS[known.code] ?? (isUmpireError(error) ? 422 : 500));
  });
  app.notFound((context) => context.json(errorOf(new UmpireError('page-unknown', { path: lineOf(context.req.path, 200) })), 404));
  for (const [path, { text, type }] of pages) app.get(path, (context) => context.body(text, 200, { 'Content-Type': type }));
  addSessionRoutes(app, reader);
  addActions(app, source, request.who);
  // Answers at once, however many sessions there are.
  app.get('/api/key', (context) => context.json(showHiddenIn({ project: source.place })));
  app.get('/api/changes', (context) =>
    eventStream(context, stop, (send) =>
      watcher.subscribe((sessions) => {
        const change: ChangeAnswer = { sessions };
        send('change', change);
      }),
    ),
  );
  app.get('/api/output', async (context) => {
    const { path, log } = await reader.findLog(requiredQuery(context, 'id'), requiredQuery(context, 'name'));
    return eventStream(context, stop, (send) => followOutput(path, log.name, (piece) => send('output', showHiddenIn(piece))));
  });
  return app;
}

/** Server-sent events until the page or the server closes. `subscribe` returns a function that unsubscribes. */
function eventStream(
  context: Context,
  stop: AbortSignal,
  subscribe: (send: (event: string, data: object) => void) => () => void,
): Response {
  return streamSSE(context, async (stream) => {
    await stream.write(': here\n\n');
    const unsubscribe = subscribe((event, data) => void stream.writeSSE({ event, data: JSON.stringify(data) }));
    const beat = setInterval(() => void stream.write(': still here\n\n'), HEARTBEAT_MS);
    let removeListener: () => void = () => undefined;
    await new Promise<void>((resolve) => {
      stream.onAbort(resolve);
      removeListener = onAbort(stop, resolve);
    });
    removeListener();
    clearInterval(beat);
    unsubscribe();
  });
}

function addSessionRoutes(app: Hono, reader: SessionReader): void {
  // A browser shows the strings as they are, so hidden characters become visible here.
  app.get('/api/sessions', async (context) => context.json(showHiddenIn(await reader.sessions())));
  app.get('/api/session', async (context) => context.json(showHiddenIn(await reader.session(requiredQuery(context, 'id')))));
  app.get('/api/costs', async (context) => context.json(showHiddenIn(await reader.costs())));
  app.get('/api/report', async (context) => context.text(showHidden(await reader.report(requiredQuery(context, 'id')))));
  app.get('/api/log', async (context) =>
    context.text(showHidden(await reader.log(requiredQuery(context, 'id'), requiredQuery(context, 'name')))),
  );
  app.get('/api/diff', async (context) => {
    const round = context.req.query('round');
    if (round !== undefined && !/^\d{1,5}$/.test(round))
      throw new UmpireError('page-unknown', { path: lineOf(`/api/diff?round=${round}`, 200) });
    const patch = await reader.diff(
      requiredQuery(context, 'id'),
      round === undefined ? undefined : Number(round),
      context.req.query('chain'),
    );
    return context.text(showHidden(patch));
  });
}

const MOST_BODY_BYTES = 64 * 1024;
const TEXT = z.string().max(20_000).optional();
const NUMBER = z.number().finite().nonnegative().optional();
const ANSWER: z.ZodType<AnswerRequest> = z.strictObject({
  id: z.string(),
  question: z.string(),
  answer: z.enum(['resume', ...ANSWER_NAMES]),
  reason: TEXT,
  goal: TEXT,
  rounds: NUMBER,
  minutes: NUMBER,
  costUsd: NUMBER,
  tokens: NUMBER,
}) as never;
const RESUME: z.ZodType<ResumeRequest> = z.strictObject({ id: z.string(), retry: z.boolean().optional() }) as never;
const DISMISS: z.ZodType<DismissRequest> = z.strictObject({ id: z.string(), finding: z.string(), reason: z.string().max(20_000) });

/** Everything that only a person may do. */
function addActions(app: Hono, source: SessionSource, who: string | undefined): void {
  const person = { via: 'dashboard', ...(who === undefined ? {} : { who }) } as const;
  const check: MiddlewareHandler = async (context, next) => {
    // Refuses pages of other origins, and processes of an agent's task, whatever key they hold.
    const site = context.req.header('Sec-Fetch-Site') ?? 'same-origin';
    const origin = context.req.header('Origin');
    if (site !== 'same-origin' || (origin !== undefined && origin !== new URL(context.req.url).origin))
      throw new UmpireError('origin-other');
    if (!/^application\/json(;|$)/.test(context.req.header('Content-Type') ?? ''))
      throw new UmpireError('body-odd', { detail: 'its content type is not application/json' });
    const { remotePort, localPort } = (context.env as { readonly incoming: { readonly socket: Socket } }).incoming.socket;
    const peer = remotePort === undefined || localPort === undefined ? null : pidOfPeer(remotePort, localPort);
    refuseInsideTask('act for a person', peer ?? undefined);
    await next();
  };
  const limit = bodyLimit({
    maxSize: MOST_BODY_BYTES,
    onError: () => {
      throw new UmpireError('body-odd', { detail: 'it is too long' });
    },
  });
  app.post('/api/answer', check, limit, async (context) => {
    await source.answer(await bodyOf(context, ANSWER), person);
    return context.body(null, 204);
  });
  app.post('/api/dismiss', check, limit, async (context) => {
    await source.dismiss(await bodyOf(context, DISMISS), person);
    return context.body(null, 204);
  });
  app.post('/api/resume', check, limit, async (context) => {
    await source.resume(await bodyOf(context, RESUME));
    return context.body(null, 204);
  });
}

async function bodyOf<Body>(context: Context, schema: z.ZodType<Body>): Promise<Body> {
  const text = await context.req.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new UmpireError('body-odd', { detail: 'it is not JSON' });
  }
  const read = schema.safeParse(body);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new UmpireError('body-odd', { detail: lineOf(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, 200) });
  }
  return read.data;
}

function requiredQuery(context: Context, name: string): string {
  const value = context.req.query(name);
  if (value === undefined || value === '')
    throw new UmpireError('page-unknown', { path: `${lineOf(context.req.path, 200)} without ${name}` });
  return value;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.txt', 'text/plain; charset=utf-8'],
]);

/** The built files by path, read once. */
function readPages(folder: string): ReadonlyMap<string, { readonly text: string; readonly type: string }> {
  const files = readdirSync(folder).flatMap((file) => {
    const type = TYPES.get(extname(file));
    return type === undefined
      ? []
      : [{ path: file === 'index.html' ? '/' : `/${file}`, text: readFileSync(join(folder, file), 'utf8'), type }];
  });
  return new Map(files.map(({ path, ...page }) => [path, page]));
}

/** Null if the request is allowed. Refuses other host names, against DNS rebinding. The pages themselves need no key. */
function refuseRequest(context: Context, key: string, pages: ReadonlyMap<string, unknown>): Response | null {
  const { hostname, pathname } = new URL(context.req.url);
  if (hostname !== HOST && hostname !== 'localhost') return context.json(errorOf(new UmpireError('host-unknown')), 403);
  if (pages.has(pathname)) return null;
  const [, given = ''] = /^Bearer (\S+)$/.exec(context.req.header('Authorization') ?? '') ?? [];
  return isSameKey(given, key) ? null : context.json(errorOf(new UmpireError('key-wrong')), 401);
}

function isSameKey(given: string, key: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(key)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const STATUS: { readonly [Code in UmpireError['code']]?: 400 | 403 | 404 | 409 | 503 } = {
  'session-unlisted': 404,
  'engine-session-missing': 404,
  'engine-unreachable': 503,
  'engine-untaken': 503,
  'log-missing': 404,
  'page-unknown': 404,
  'body-odd': 400,
  'origin-other': 403,
  'inside-task': 403,
  'question-changed': 409,
  'nothing-asked': 409,
  'session-busy': 409,
};

function errorOf({ code, message, hint }: UmpireError): ErrorAnswer {
  return showHiddenIn({ error: { code, message, hint } });
}

/** `127.0.0.1` in the byte order of /proc/net/tcp. */
const LOOPBACK = '0100007F';

/** Null where it cannot be found: another user's process, another machine behind ssh, no /proc. */
export function pidOfPeer(peerPort: number, ownPort: number): number | null {
  const inode = inodeOf(peerPort, ownPort);
  if (inode === null) return null;
  const wanted = `socket:[${inode}]`;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = pids.find((pid) => filesOf(pid).some((fd) => readLinkTarget(`/proc/${pid}/fd/${fd}`) === wanted));
  return found === undefined ? null : Number(found);
}

function inodeOf(peerPort: number, ownPort: number): string | null {
  const [peer, own] = [peerPort, ownPort].map((port) => `${LOOPBACK}:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  try {
    for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n')) {
      const fields = line.trim().split(/\s+/);
      if (fields[1] === peer && fields[2] === own) return fields[9] ?? null;
    }
  } catch {
    // No /proc.
  }
  return null;
}

function filesOf(pid: string): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
}

function readLinkTarget(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
