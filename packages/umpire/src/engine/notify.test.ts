// The ways to call a person: a command as a shell runs it, webhooks against a server on loopback, a note on the desktop.

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { isAlive, pidsIn, until } from '../../../../test/support/assignment.js';
import { callPersonBy, runNotifyCommand } from './notify.js';

const cwd = mkdtempSync(join(tmpdir(), 'umpire-call-'));
afterAll(() => rmSync(cwd, { recursive: true }));
const place = { cwd, env: process.env };

it('names the program alone, without the variables before it: they may be secrets, and the journal keeps the name', async () => {
  const named = async (command: string) => (await runNotifyCommand(command, place)).program;
  expect(await named('TOKEN=hunter2 REGION="a b" true hunter2')).toBe('true');
  expect(await named('"/bin/no such/caller" now')).toBe('/bin/no such/caller');
  expect(await named('TOKEN=hunter2')).toBe('/bin/sh');
  expect(await named("echo 'hunter2")).toBe('/bin/sh');
});

it('says how the command failed', async () => {
  expect(await runNotifyCommand('exit 3', place)).toEqual({ program: 'exit', problem: 'exit status 3' });
  expect((await runNotifyCommand('no-such-caller now', place)).problem).toBe('exit status 127 (no such program)');
  expect((await runNotifyCommand(['no-such-caller'], place)).problem).toBe('spawn no-such-caller ENOENT');
});

it('ends all that a shell has started for it where it takes too long, or the run is stopped', async () => {
  const stopping = new AbortController();
  const begun = runNotifyCommand('sleep 1000 & echo $! > stopped; wait', { ...place, signal: stopping.signal });
  const late = await runNotifyCommand('sleep 1000 & echo $! > late; wait', { ...place, waitMs: 1000 });
  const pids = await pidsIn(cwd, ['late', 'stopped']);
  stopping.abort();
  expect([late.problem, (await begun).problem]).toEqual(['SIGKILL', 'SIGKILL']);
  expect(await until(() => !pids.some(isAlive))).toBe(true);
});

it('ends it also where the run was stopped before it began', async () => {
  expect((await runNotifyCommand('sleep 1000', { ...place, signal: AbortSignal.abort() })).problem).toBe('SIGKILL');
});

const SESSION = {
  UMPIRE_SESSION_NAME: 'review-1',
  UMPIRE_LOOP: 'review',
  UMPIRE_GOAL: 'a <b> & c',
  UMPIRE_STATUS: 'awaiting',
  UMPIRE_QUESTION: 'approval of <PLAN-001>',
  UMPIRE_REASON: '',
};

/** Answers by the path: /204, /500; never for /hang. */
async function playServer() {
  const got: { readonly path: string; readonly body: unknown }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      got.push({ path, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
      if (path === '/hang') return;
      if (path === '/moved') response.writeHead(302, { location: '/204' }).end();
      else response.writeHead(Number(path.slice(1))).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

it('tells Slack, a webhook and a command at the same time, with addresses from the environment', async () => {
  const { got, url, close } = await playServer();
  const env = { ...process.env, ...SESSION, SLACK_URL: `${url}/204` };
  const notice = await callPersonBy({ slack: 'SLACK_URL', webhook: `${url}/200`, command: 'exit 3' }, { cwd, env });
  close();
  expect(notice).toEqual({ by: 'exit, slack, webhook', problems: ['The notify command (exit) failed: exit status 3'] });
  const text = 'review-1 waits for a person: approval of <PLAN-001>';
  const all = {
    text,
    session: 'review-1',
    loop: 'review',
    goal: 'a <b> & c',
    status: 'awaiting',
    question: 'approval of <PLAN-001>',
    reason: '',
  };
  expect(got.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
    { path: '/200', body: all },
    { path: '/204', body: { text: 'review-1 waits for a person: approval of &lt;PLAN-001&gt;' } },
  ]);
});

it('says what failed and never an address, and follows no redirect', async () => {
  const { got, url, close } = await playServer();
  const failed = async (webhook: string, env: NodeJS.ProcessEnv = {}, waitMs = 10_000) =>
    (await callPersonBy({ webhook }, { cwd, env: { ...SESSION, ...env }, waitMs })).problems;
  expect(await failed(`${url}/500`)).toEqual(['notify.webhook failed: the server answered 500']);
  expect(await failed('HOOK')).toEqual(['notify.webhook failed: the variable HOOK is not set']);
  expect(await failed('HOOK', { HOOK: 'http://example.com/hunter2' })).toEqual([
    'notify.webhook failed: the variable HOOK holds no https address',
  ]);
  expect(await failed(`${url}/hang`, {}, 50)).toEqual(['notify.webhook failed: no answer within 0.05 seconds']);
  const [moved] = await failed(`${url}/moved`);
  expect(moved).not.toContain('127.0.0.1');
  // One that nobody waited for may arrive late.
  expect(got.map(({ path }) => path).toSorted()).toEqual(['/500', '/hang', '/moved']);
  close();
  expect(await failed(`${url}/204`)).toEqual(['notify.webhook failed: ECONNREFUSED']);
});

it('puts a note on the desktop where a program for it is there', async () => {
  const path = process.env['PATH'];
  writeFileSync(join(cwd, 'notify-send'), `#!/bin/sh\nprintf '%s|' "$@" > "${cwd}/noted"\n`);
  chmodSync(join(cwd, 'notify-send'), 0o755);
  const env = () => ({ ...process.env, ...SESSION, UMPIRE_STATUS: 'complete', UMPIRE_REASON: 'Good.' });
  try {
    process.env['PATH'] = `${cwd}:${path ?? ''}`;
    expect(await callPersonBy({ desktop: true }, { cwd, env: env() })).toEqual({ by: 'desktop', problems: [] });
    expect(readFileSync(join(cwd, 'noted'), 'utf8')).toBe('--|Umpire|review-1 has ended: complete. Good.|');
    process.env['PATH'] = '/nowhere';
    expect(await callPersonBy({ desktop: true }, { cwd, env: env() })).toEqual({ by: 'nobody', problems: [] });
  } finally {
    process.env['PATH'] = path;
  }
});
