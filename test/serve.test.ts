// `umpire serve` for programs: its answers, its access rules, live updates, start and stop. What people see is in dashboard.test.ts.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, endOf, eventsOfType, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';
import { serveProject } from './support/served-project.js';
import type { Served } from './support/served-project.js';

cleanUpProjects();

const open: Served[] = [];
afterEach(async () => {
  for (const { running } of open.splice(0)) {
    running.child.kill('SIGKILL');
    await running.ended;
  }
});

async function serve(project: RunProject, ...flags: readonly string[]): Promise<Served> {
  const served = await serveProject(project, ...flags);
  open.push(served);
  return served;
}

/** Runs a session of one round that fixes a file, under this name. */
async function mended(name: string): Promise<RunProject> {
  const project = makeProject({ files: { 'a.txt': 'wrong\n' } });
  const agent = project.sh('echo "I look at a.txt"; echo right > a.txt; complete "mended <b>a.txt</b>"');
  const ran = await project.umpire('until', 'grep -q right a.txt', '--session', `.umpire/sessions/${name}`, ...agent);
  expect(ran.exit).toBe(0);
  return project;
}

const at = (path: string, query: Readonly<Record<string, string>>): string => `${path}?${new URLSearchParams(query).toString()}`;

it('answers with the same facts about a session as the commands', async () => {
  const project = await mended('one');
  const served = await serve(project);
  const id = '.umpire/sessions/one';
  const { sessions } = await served.json('/api/sessions');
  expect(sessions).toMatchObject([{ id, name: 'one', state: 'complete', work: 'not applied', loops: ['until'] }]);
  expect(JSON.stringify(sessions)).not.toContain('"path"');
  const session = await served.json(at('/api/session', { id }));
  expect(session).toMatchObject({
    id,
    name: 'one',
    project: project.root,
    state: 'complete',
    tasks: [{ id: 'CHECK-001' }, { id: 'WORK-1', findings: 'mended <b>a.txt</b>', files: ['a.txt'] }, { id: 'CHECK-re-1' }],
    verdicts: [
      { outcome: 'revise', round: 0 },
      { outcome: 'converge', round: 1 },
    ],
    runs: { 'WORK-1': [{ attempt: 1, ending: 'completed' }] },
  });
  const status = JSON.parse((await project.umpire('status', 'one', '--json')).out) as { next: unknown[]; tasks: unknown };
  expect(session['tasks']).toEqual(status.tasks);
  const report = (await served.ask(at('/api/report', { id }))).text;
  expect(report.replaceAll(`${project.root}/.umpire/sessions/`, '')).toBe((await project.umpire('report', 'one')).out);
  expect((await served.ask(at('/api/diff', { id }))).text).toBe((await project.umpire('diff', 'one')).out);
  expect((await served.ask(at('/api/diff', { id, round: '1' }))).text).toContain('+right');
  expect((await served.ask(at('/api/diff', { id, round: '0' }))).text).toBe('');
  expect((await served.ask(at('/api/log', { id, name: 'WORK-1-1' }))).text).toContain('I look at a.txt');
});

it('refuses requests without the key or for another host name', async () => {
  const project = await mended('secret');
  const served = await serve(project);
  const paths = ['/api/sessions', at('/api/session', { id: '.umpire/sessions/secret' }), '/api/changes', '/nothing'];
  for (const path of paths) {
    for (const headers of [{}, { authorization: `Bearer ${'0'.repeat(32)}` }, { authorization: served.key }]) {
      const answer = await served.ask(path, headers);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.text).not.toContain('secret');
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  }
  expect((await served.ask(`/api/sessions?key=${served.key}`, {})).status).toBe(401);
  const keys = [served.key, '0'.repeat(32)].map((key) => served.ask('/api/key', { authorization: `Bearer ${key}` }));
  expect((await Promise.all(keys)).map(({ status }) => status)).toEqual([200, 401]);
  const elsewhere = { authorization: `Bearer ${served.key}`, host: 'rebound.example:80' };
  expect(await served.ask('/api/sessions', elsewhere)).toMatchObject({
    status: 403,
    text: expect.stringContaining('host-unknown') as string,
  });
  const local = { authorization: `Bearer ${served.key}`, host: `localhost:${served.port}` };
  expect((await served.ask('/api/sessions', local)).status).toBe(200);
});

it('serves its pages without a key: they hold no data', async () => {
  const project = await mended('one');
  const served = await serve(project);
  const types = {
    '/': 'text/html',
    '/app.js': 'text/javascript',
    '/licences.txt': 'text/plain',
    '/app.css': 'text/css',
    '/icon.svg': 'image/svg+xml',
  };
  for (const [path, type] of Object.entries(types)) {
    const page = await served.ask(path, {});
    expect([path, page.status]).toEqual([path, 200]);
    expect(page.headers['content-type']).toContain(type);
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['set-cookie']).toBe(undefined);
    expect(page.text).not.toContain(served.key);
    expect(page.text).not.toContain(project.root);
  }
});

it('answers only for listed sessions, whatever the id', async () => {
  const project = await mended('one');
  mkdirSync(join(project.beside, 'outside'));
  writeFileSync(join(project.beside, 'outside', 'tasks.csv'), 'id,title\nA,secret\n');
  writeFileSync(join(project.root, '.umpire', 'sessions', 'one', 'logs', 'leak-1.txt'), 'x');
  symlinkSync('/etc/passwd', join(project.root, '.umpire', 'sessions', 'one', 'logs', 'WORK-9-1.txt'));
  const served = await serve(project);
  const ids = [
    '../outside',
    join(project.beside, 'outside'),
    '.umpire/sessions/../../../outside',
    '.',
    '',
    '.umpire/sessions/one/',
    'one',
    '\0',
  ];
  for (const id of ids) {
    for (const path of ['/api/session', '/api/report', '/api/diff']) {
      const answer = await served.ask(at(path, { id }));
      expect([path, id, answer.status]).toEqual([path, id, 404]);
      expect(answer.text).not.toContain('secret');
    }
  }
  const id = '.umpire/sessions/one';
  const names = ['../journal', '../../../a', 'WORK-9-1', '/etc/passwd', 'WORK-1-1/../../journal.ndjson'];
  for (const name of names) expect((await served.ask(at('/api/log', { id, name }))).text).not.toMatch(/root:|SessionStarted/);
  expect((await served.ask(at('/api/diff', { id, round: '1; rm' }))).status).toBe(404);
  expect((await served.ask(at('/api/diff', { id, round: '7' }))).status).toBe(422);
  for (const method of ['POST', 'PUT', 'DELETE'])
    expect((await served.ask('/api/sessions', { authorization: `Bearer ${served.key}` }, method)).status).toBe(404);
});

/** A project with a session that waits for a decision, and its open question. */
async function asking(): Promise<{
  readonly project: RunProject;
  readonly served: Served;
  readonly answer: object;
  readonly session: string;
}> {
  const project = makeProject({ files: { 'a.txt': 'wrong\n' } });
  const agent = project.sh('complete nothing');
  const ran = await project.umpire('until', 'grep -q right a.txt', '--max-rounds', '1', '--session', '.umpire/sessions/one', ...agent);
  expect(ran.exit).toBe(4);
  const served = await serve(project);
  const id = '.umpire/sessions/one';
  const { question } = (await served.json(at('/api/session', { id }))) as { question: { key: string } };
  return { project, served, session: ran.session, answer: { id, question: question.key, answer: 'abort', reason: 'enough' } };
}

it('records a person’s answer before it says so, and refuses every other request', async () => {
  const { served, session, answer } = await asking();
  const answers = () => eventsOfType(session, 'PersonAnswered');
  const agent = spawnSync(
    process.execPath,
    [
      '-e',
      `fetch('http://127.0.0.1:${served.port}/api/answer', { method: 'POST', body: process.argv[1],
        headers: { authorization: 'Bearer ${served.key}', 'content-type': 'application/json' } }).then(async (a) => console.log(a.status, await a.text()))`,
      JSON.stringify(answer),
    ],
    { encoding: 'utf8', env: { ...process.env, UMPIRE_RUN: 'abcdefgh-1' } },
  );
  if (existsSync('/proc/net/tcp')) expect(agent.stdout).toMatch(/^403 .*A task of a running session cannot act for a person/);
  const refused: readonly (readonly [status: number, code: string, body: object | string, headers?: Record<string, string>])[] = [
    [401, 'key-wrong', answer, { authorization: `Bearer ${'0'.repeat(32)}` }],
    [401, 'key-wrong', answer, { authorization: '', cookie: `key=${served.key}` }],
    [403, 'origin-other', answer, { origin: 'https://evil.example' }],
    [403, 'origin-other', answer, { 'sec-fetch-site': 'cross-site' }],
    [400, 'body-odd', answer, { 'content-type': 'text/plain' }],
    [400, 'body-odd', 'not JSON'],
    [400, 'body-odd', { ...answer, more: 1 }],
    [400, 'body-odd', { ...answer, reason: 'x'.repeat(100_000) }],
    [404, 'session-unlisted', { ...answer, id: '../one' }],
    [409, 'question-changed', { ...answer, question: 'verdict:1' }],
    [422, 'answer-refused', { ...answer, answer: 'approve' }],
    [422, 'answer-refused', { ...answer, answer: 'extend', rounds: 0 }],
    [422, 'answer-refused', { ...answer, answer: 'force-approve', reason: ' ' }],
  ];
  for (const [status, code, body, headers] of refused) {
    const said = await served.post('/api/answer', body, headers);
    expect([code, said.status, said.text]).toEqual([code, status, expect.stringContaining(`"code":"${code}"`)]);
  }
  expect(answers()).toEqual([]);
  expect((await served.post('/api/answer', answer, { origin: `http://127.0.0.1:${served.port}` })).status).toBe(204);
  expect(answers()).toMatchObject([{ answer: 'abort', reason: 'enough', by: 'resolve', via: 'dashboard', who: userInfo().username }]);
  expect((await served.post('/api/answer', answer)).status).toBe(409);
  expect(answers()).toHaveLength(1);
});

it('continues a session in a process that outlives the server', SOAK, async () => {
  const { project, served, session, answer } = await asking();
  project.sh('until_file "$beside/go"; echo right > a.txt; complete "mended it"');
  expect((await served.post('/api/answer', { ...answer, answer: 'extend', rounds: 1 })).status).toBe(204);
  await expect.poll(() => eventsOfType(session, 'TaskStarted').at(-1)?.task, { timeout: 60_000 }).toBe('WORK-2');
  expect((await served.post('/api/answer', answer)).status).toBe(409);
  served.running.child.kill('SIGINT');
  await served.running.ended;
  writeFileSync(join(project.beside, 'go'), '');
  await expect.poll(() => endOf(session), { timeout: 60_000 }).toBe('complete');
});

it('says why an answered session does not go on', async () => {
  const { project, served, answer } = await asking();
  writeFileSync(join(project.root, 'umpire.config.yaml'), 'agents: [\n');
  const said = await served.post('/api/answer', { ...answer, answer: 'extend', rounds: 1 });
  expect([said.status, said.text]).toEqual([422, expect.stringContaining('umpire.config.yaml')]);
});

it('retries the failed tasks of a session', SOAK, async () => {
  const project = makeProject();
  const agent = project.sh('if [ -e "$beside/works" ]; then complete done; else fail "not today"; fi');
  const flags = ['--mode', 'patch', '--session', '.umpire/sessions/one', ...agent];
  const { session, exit } = await project.umpire('run', 'review', 'fix the typo', ...flags);
  expect(exit).toBe(1);
  const served = await serve(project);
  const id = '.umpire/sessions/one';
  expect(await served.json(at('/api/session', { id }))).toMatchObject({ state: 'failed', canRetry: true, fleet: null });
  writeFileSync(join(project.beside, 'works'), '');
  expect((await served.post('/api/resume', { id, retry: true })).status).toBe(204);
  await expect.poll(() => eventsOfType(session, 'SessionEnded').length, { timeout: 60_000 }).toBe(2);
  expect(await served.json(at('/api/session', { id }))).toMatchObject({ canRetry: false, trouble: null });
});

it('frees everything of a closed page', async () => {
  const served = await serve(makeProject());
  const headers = { authorization: `Bearer ${served.key}` };
  for (let page = 0; page < 15; page++)
    await new Promise<void>((resolve, reject) => {
      const asked = get({ host: '127.0.0.1', port: served.port, path: '/api/changes', headers, agent: false }, (response) => {
        response.on('error', () => undefined).on('close', resolve);
        response.once('data', () => asked.destroy());
      });
      asked.on('error', reject);
    });
  // Node warns if a signal has more than ten listeners.
  await served.json('/api/sessions');
  served.running.child.kill('SIGINT');
  expect((await served.running.ended).err).not.toContain('MaxListenersExceededWarning');
});

it('closes the connection of a client that sends nothing, or sends slowly', { timeout: 60_000, ...SOAK }, async () => {
  const served = await serve(makeProject());
  const head = `POST /api/answer HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${served.key}\r\n`;
  const begun = ['', 'GET / HT', `${head}X-Slow: `, `${head}Content-Type: application/json\r\nContent-Length: 900\r\n\r\n{`];
  const ends = begun.map(async (text) => {
    const socket = connect(served.port, '127.0.0.1', () => void socket.write(text));
    // A byte each second keeps the connection busy.
    const drip = text === '' ? undefined : setInterval(() => socket.write(' '), 1000);
    socket.resume();
    socket.on('error', () => undefined);
    await once(socket, 'close');
    clearInterval(drip);
  });
  await Promise.all(ends);
  await served.json('/api/sessions');
});

it('lists an unreadable session with the others', SOAK, async () => {
  const project = await mended('one');
  mkdirSync(join(project.root, '.umpire', 'sessions', 'broken'));
  writeFileSync(join(project.root, '.umpire', 'sessions', 'broken', 'journal.ndjson'), 'no journal\n{}\n');
  const served = await serve(project);
  const { sessions } = (await served.json('/api/sessions')) as { sessions: { name: string; state: string }[] };
  expect(sessions.map(({ name, state }) => [name, state]).toSorted()).toEqual([
    ['broken', 'unreadable'],
    ['one', 'complete'],
  ]);
  expect(await served.json(at('/api/session', { id: '.umpire/sessions/broken' }))).toMatchObject({ state: 'unreadable' });
});

/** The first update after `act`. */
async function nextChange(served: Served, act: () => void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asked = get(
      { host: '127.0.0.1', port: served.port, path: '/api/changes', headers: { authorization: `Bearer ${served.key}` }, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          if (text === '') act();
          text += part;
          const [, data] = /^event: change\ndata: (.*)$/m.exec(text) ?? [];
          if (data === undefined) return;
          asked.destroy();
          resolve(JSON.parse(data));
        });
      },
    );
    asked.on('error', reject);
  });
}

it('sends an update on every event, and when the running process is gone', SOAK, async () => {
  const project = makeProject({ files: { 'a.txt': 'wrong\n' } });
  const served = await serve(project);
  const agent = project.sh('until_file "$beside/go"; complete done');
  let run: ReturnType<RunProject['start']> | undefined;
  const begun = await nextChange(served, () => {
    run = project.start('until', 'grep -q right a.txt', '--session', '.umpire/sessions/live', ...agent);
  });
  expect(begun).toEqual({ sessions: ['.umpire/sessions/live'] });
  await run?.says('WORK-1');
  const id = '.umpire/sessions/live';
  expect(await served.json(at('/api/session', { id }))).toMatchObject({ state: 'running' });
  expect(await served.json('/api/sessions')).toMatchObject({ sessions: [{ id, state: 'running' }] });
  let isKilled = false;
  do {
    await nextChange(served, () => {
      if (!isKilled) run?.child.kill('SIGKILL');
      isKilled = true;
    });
  } while ((await served.json(at('/api/session', { id })))['state'] === 'running');
  expect(await served.json(at('/api/session', { id }))).toMatchObject({ state: 'interrupted' });
  expect(await served.json('/api/sessions')).toMatchObject({ sessions: [{ id, state: 'interrupted' }] });
  writeFileSync(join(project.beside, 'go'), '');
  await run?.ended;
});

it('ends with Ctrl-C while a page is open, and prints what it does', SOAK, async () => {
  const project = await mended('one');
  const served = await serve(project);
  await nextChange(served, () => writeFileSync(join(project.root, '.umpire', 'sessions', 'one', 'tasks.csv'), ''));
  const watching = get({
    host: '127.0.0.1',
    port: served.port,
    path: '/api/changes',
    headers: { authorization: `Bearer ${served.key}` },
    agent: false,
  });
  watching.on('error', () => undefined);
  await new Promise((resolve) => watching.once('response', resolve));
  served.running.child.kill('SIGINT');
  const ended = await served.running.ended;
  expect(ended.exit).toBe(0);
  expect(ended.err).toContain(`Dashboard of ${project.root}, for this machine only`);
});

it('uses another port if the default is taken, but fails if the port was given', SOAK, async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = other.address() as AddressInfo;
    const project = makeProject();
    const refused = await project.umpire('serve', '--port', String(port));
    expect(refused).toMatchObject({
      exit: 1,
      err: expect.stringContaining(`Cannot listen on port ${port} of 127.0.0.1: it is in use.`) as string,
    });
    expect((await project.umpire('serve', '--port', '70000')).exit).toBe(2);
    expect((await project.umpire('serve', 'more')).exit).toBe(2);
    const first = await serve(project, '--project', '.');
    const second = await serve(project);
    expect(second.port).not.toBe(first.port);
    expect(second.key).not.toBe(first.key);
  } finally {
    other.close();
  }
});
