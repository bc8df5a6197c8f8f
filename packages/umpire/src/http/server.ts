// The dashboard's server: on this machine only, for who knows its key, for one project. It answers what may be looked at, and nothing else.

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
import { onAbort } from '../sessions/abort-listeners.js';
import type { ChangeAnswer, ErrorAnswer } from './answers.js';
import { Looks } from './looks.js';
import { Watch } from './watch.js';

export interface ServeRequest {
  readonly project: string;
  readonly version: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Who knows it may look. */
  readonly key: string;
  /** Where the built pages lie. */
  readonly pages: string;
}

export interface Serving {
  readonly port: number;
  readonly close: () => Promise<void>;
}

const HOST = '127.0.0.1';
/** A line now and then, so that a connection nobody uses is noticed. */
const HEARTBEAT_MS = 15_000;

/** Resolves once it listens. Throws where the port is taken. */
export async function serveDashboard(request: ServeRequest): Promise<Serving> {
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
          ? new UmpireError('port-taken', { port: request.port, detail: error.code === 'EACCES' ? 'it may not be used' : 'it is in use' })
          : error,
      ),
    );
  });
}

function dashboard(request: ServeRequest, stop: AbortSignal): Hono {
  const looks = new Looks(request.project, request.version);
  const watch = new Watch(() => looks.folders());
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
    const refused = refusalOf(context, request.key);
    if (refused !== null) return refused;
    await next();
  });
  app.onError((error, context) => failed(context, error));
  app.notFound((context) => context.json(errorOf(new UmpireError('page-unknown', { path: shown(context.req.path) })), 404));
  addPages(app, request.pages);
  addLooks(app, looks);
  app.get('/api/changes', (context) =>
    streamSSE(context, async (stream) => {
      const unsubscribe = watch.subscribe((sessions) => {
        const change: ChangeAnswer = { sessions };
        void stream.writeSSE({ event: 'change', data: JSON.stringify(change) });
      });
      const beat = setInterval(() => void stream.write(': still here\n\n'), HEARTBEAT_MS);
      await stream.write(': here\n\n');
      let unhear: () => void = () => undefined;
      await new Promise<void>((resolve) => {
        stream.onAbort(resolve);
        unhear = onAbort(stop, resolve);
      });
      unhear();
      clearInterval(beat);
      unsubscribe();
    }),
  );
  return app;
}

function addLooks(app: Hono, looks: Looks): void {
  app.get('/api/sessions', async (context) => context.json(await looks.sessions()));
  app.get('/api/session', async (context) => context.json(await looks.session(wanted(context, 'id'))));
  app.get('/api/report', async (context) => context.text(await looks.report(wanted(context, 'id'))));
  app.get('/api/log', (context) => context.text(looks.log(wanted(context, 'id'), wanted(context, 'name'))));
  app.get('/api/diff', async (context) => {
    const round = context.req.query('round');
    if (round !== undefined && !/^\d{1,5}$/.test(round)) throw new UmpireError('page-unknown', { path: shown(`/api/diff?round=${round}`) });
    return context.text(
      await looks.diff(wanted(context, 'id'), round === undefined ? undefined : Number(round), context.req.query('chain')),
    );
  });
}

function wanted(context: Context, name: string): string {
  const value = context.req.query(name);
  if (value === undefined || value === '') throw new UmpireError('page-unknown', { path: `${shown(context.req.path)} without ${name}` });
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

/** Null for who may look. A page elsewhere that leads a browser here by another name is nobody. The pages themselves tell nothing. */
function refusalOf(context: Context, key: string): Response | null {
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

function failed(context: Context, error: Error): Response {
  const known = isUmpireError(error) ? error : new UmpireError('internal', { detail: error.stack ?? error.message });
  return context.json(errorOf(known), STATUS[known.code] ?? (isUmpireError(error) ? 422 : 500));
}

const STATUS: { readonly [Code in UmpireError['code']]?: 404 } = { 'session-unlisted': 404, 'log-missing': 404, 'page-unknown': 404 };

function errorOf({ code, message, hint }: UmpireError): ErrorAnswer {
  return { error: { code, message, hint } };
}

function shown(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?').slice(0, 200);
}
