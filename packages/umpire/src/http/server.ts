// The dashboard's server: read-only, for one project, on this machine only, and only with its key.

import { timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { streamSSE } from 'hono/streaming';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { lineOf, showHidden, showHiddenIn } from '../report/safe-text.js';
import { onAbort } from '../sessions/abort-listeners.js';
import type { ChangeAnswer, ErrorAnswer } from './answers.js';
import { SessionReader } from './session-reader.js';
import { ChangeWatcher } from './change-watcher.js';

export interface ServeRequest {
  readonly project: string;
  readonly version: string;
  /** 0: any free port. */
  readonly port: number;
  /** Required in every request for data. */
  readonly key: string;
  /** The folder of the built pages. */
  readonly pages: string;
}

export interface DashboardServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

const HOST = '127.0.0.1';
/** Sends a line at this interval, so that a dead connection is noticed. */
const HEARTBEAT_MS = 15_000;

/** Resolves once it listens. Throws if the port is in use. */
export async function serveDashboard(request: ServeRequest): Promise<DashboardServer> {
  const stop = new AbortController();
  const app = dashboard(request, stop.signal);
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: HOST, port: request.port }, ({ port }: AddressInfo) => {
      const close = async (): Promise<void> => {
        stop.abort();
        await new Promise<void>((closed) => {
          server.close(() => closed());
          if ('closeAllConnections' in server) server.closeAllConnections();
        });
      };
      resolve({ port, close });
    });
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
  const reader = new SessionReader(request.project, request.version);
  const watcher = new ChangeWatcher(() => reader.folders());
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
    const refused = refuseRequest(context, request.key);
    if (refused !== null) return refused;
    await next();
  });
  app.onError((error, context) => errorResponse(context, error));
  app.notFound((context) => context.json(errorOf(new UmpireError('page-unknown', { path: lineOf(context.req.path, 200) })), 404));
  addPages(app, request.pages);
  addSessionRoutes(app, reader);
  // Answers only whether the key is right.
  app.get('/api/key', (context) => context.body(null, 204));
  app.get('/api/changes', (context) =>
    streamSSE(context, async (stream) => {
      const unsubscribe = watcher.subscribe((sessions) => {
        const change: ChangeAnswer = { sessions };
        void stream.writeSSE({ event: 'change', data: JSON.stringify(change) });
      });
      const beat = setInterval(() => void stream.write(': still here\n\n'), HEARTBEAT_MS);
      await stream.write(': here\n\n');
      let removeListener: () => void = () => undefined;
      await new Promise<void>((resolve) => {
        stream.onAbort(resolve);
        removeListener = onAbort(stop, resolve);
      });
      removeListener();
      clearInterval(beat);
      unsubscribe();
    }),
  );
  return app;
}

function addSessionRoutes(app: Hono, reader: SessionReader): void {
  // A browser shows the strings as they are, so hidden characters become visible here.
  app.get('/api/sessions', async (context) => context.json(showHiddenIn(await reader.sessions())));
  app.get('/api/session', async (context) => context.json(showHiddenIn(await reader.session(requiredQuery(context, 'id')))));
  app.get('/api/report', async (context) => context.text(showHidden(await reader.report(requiredQuery(context, 'id')))));
  app.get('/api/log', (context) => context.text(showHidden(reader.log(requiredQuery(context, 'id'), requiredQuery(context, 'name')))));
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

function requiredQuery(context: Context, name: string): string {
  const value = context.req.query(name);
  if (value === undefined || value === '')
    throw new UmpireError('page-unknown', { path: `${lineOf(context.req.path, 200)} without ${name}` });
  return value;
}

const PAGES = [
  { path: '/', file: 'index.html', type: 'text/html; charset=utf-8' },
  { path: '/app.js', file: 'app.js', type: 'text/javascript; charset=utf-8' },
  { path: '/app.css', file: 'app.css', type: 'text/css; charset=utf-8' },
  { path: '/icon.svg', file: 'icon.svg', type: 'image/svg+xml' },
] as const;

function addPages(app: Hono, folder: string): void {
  for (const { path, file, type } of PAGES) {
    const text = readFileSync(join(folder, file), 'utf8');
    app.get(path, (context) => context.body(text, 200, { 'Content-Type': type }));
  }
}

/** Null if the request is allowed. Refuses other host names, against DNS rebinding. The pages themselves need no key. */
function refuseRequest(context: Context, key: string): Response | null {
  const { hostname, pathname } = new URL(context.req.url);
  if (hostname !== HOST && hostname !== 'localhost') return context.json(errorOf(new UmpireError('host-unknown')), 403);
  if (PAGES.some(({ path }) => path === pathname)) return null;
  const [, given = ''] = /^Bearer (\S+)$/.exec(context.req.header('Authorization') ?? '') ?? [];
  return isSame(given, key) ? null : context.json(errorOf(new UmpireError('key-wrong')), 401);
}

function isSame(given: string, key: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(key)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function errorResponse(context: Context, error: Error): Response {
  const known = isUmpireError(error) ? error : new UmpireError('internal', { detail: error.stack ?? error.message });
  return context.json(errorOf(known), STATUS[known.code] ?? (isUmpireError(error) ? 422 : 500));
}

const STATUS: { readonly [Code in UmpireError['code']]?: 404 } = { 'session-unlisted': 404, 'log-missing': 404, 'page-unknown': 404 };

function errorOf({ code, message, hint }: UmpireError): ErrorAnswer {
  return showHiddenIn({ error: { code, message, hint } });
}
