// `umpire mcp` with a real client: a round from measuring to the verdict, the limits of an agent, errors as answers, and tools that end
// when the client disconnects.

import { SOAK } from './support/campaign.js';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, expect, it } from 'vitest';
import { cleanUpProjects, command, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';
import { endTasks } from './support/tasks.js';

cleanUpProjects();

const open: Client[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

async function connect({ root }: RunProject, ...args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'a client', version: '1.0.0' });
  await client.connect(
    // By itself it passes on only a few variables.
    new StdioClientTransport({
      command: process.execPath,
      args: [command, 'mcp', ...args],
      cwd: root,
      stderr: 'ignore',
      env: process.env as Record<string, string>,
    }),
  );
  open.push(client);
  return client;
}

const textOf = ({ content }: CallToolResult) => content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');

async function ask(client: Client, name: string, given: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: given });
  return { text: textOf(result), data: result.structuredContent as Record<string, unknown>, isError: result.isError === true };
}

const test = (answer: number) =>
  `const { test } = require('node:test');\ntest('adds', () => require('node:assert').equal(require('./add.js')(1, 1), ${answer}));\n`;
const PROJECT = {
  'package.json': '{"name":"p","scripts":{"test":"node --test"}}\n',
  'add.js': 'module.exports = (a, b) => a - b;\n',
  'add.test.js': test(2),
  '.gitignore': '.umpire\n',
};

it('leads an agent through a round: measure, judge, fix, measure, judge', async () => {
  const project = makeProject({ files: PROJECT });
  const client = await connect(project);
  const first = await ask(client, 'critique', { loop: 'testing', session: 'one' });
  expect(first.data).toMatchObject({ outcome: 'fail', loop: 'testing' });
  const revise = await ask(client, 'decide', { loop: 'testing', session: 'one' });
  expect(revise.data).toMatchObject({ outcome: 'revise', round: 0 });
  expect(revise.text).toMatch(/^testing: .*\nNext: /);
  expect(revise.text).toContain(String(revise.data['reason']));
  project.write({ 'add.js': 'module.exports = (a, b) => a + b;\n' });
  endTasks(join(project.root, '.umpire/sessions/one'));
  expect((await ask(client, 'critique', { loop: 'testing', session: 'one' })).data).toMatchObject({ outcome: 'pass' });
  const done = await ask(client, 'decide', { loop: 'testing', session: 'one' });
  expect(done.data['outcome']).toBe('converge');
  const { out } = await project.umpire('decide', 'testing', '.umpire/sessions/one', '--json');
  expect(done.data).toEqual(JSON.parse(out));
  expect((await ask(client, 'status')).data).toMatchObject({ state: 'judged only' });
  expect((await ask(client, 'list')).data).toMatchObject({ project: project.root, sessions: [{ name: 'one' }] });
  expect((await ask(client, 'report', { session: 'one' })).text).toContain('# ');
  expect((await ask(client, 'replay')).data).toMatchObject({ result: 'same' });
  expect((await ask(client, 'replay', { session: 'one' })).data).toMatchObject({ result: 'same' });
});

it('offers no tool with which an agent could judge itself', async () => {
  const client = await connect(makeProject({ files: PROJECT }));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).join(' ')).toBe('critique decide guard read check list status report diff replay doctor');
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name)).toEqual(['critique', 'decide']);
  expect(client.getInstructions()).toContain('only a person may answer');
  for (const more of [{ maxRounds: 9 }, { round: 1 }, { deadlineMs: 0 }, { target: 1 }])
    expect(await ask(client, 'decide', { loop: 'testing', session: 'one', ...more })).toMatchObject({
      isError: true,
      text: expect.stringContaining(`Unrecognized key: "${Object.keys(more)[0] ?? ''}"`) as string,
    });
  expect(await ask(client, 'guard', { revert: true })).toMatchObject({ isError: true });
});

it('reports a skipped test, and reverts nothing', async () => {
  const project = makeProject({ files: PROJECT });
  const client = await connect(project);
  expect((await ask(client, 'guard')).data['findings']).toEqual([]);
  const skipped = test(2).replace('test(', 'test.skip(');
  project.write({ 'add.test.js': skipped });
  const { text, data } = await ask(client, 'guard');
  expect(data['findings']).toMatchObject([{ file: 'add.test.js' }]);
  expect(text).toContain('1 breach in 1 changed file');
  expect(readFileSync(join(project.root, 'add.test.js'), 'utf8')).toBe(skipped);
});

it('writes only to sessions of the project', async () => {
  const project = makeProject({ files: PROJECT });
  const outside = makeProject({ files: { 'a.txt': 'a\n' } }).root;
  symlinkSync(outside, join(project.root, 'link'));
  symlinkSync(join(outside, 'nothing'), join(project.root, 'loose'));
  const client = await connect(project);
  for (const session of ['..', '.', '../x', outside, join(outside, 'new', 'one'), './link', './link/one', './loose', 'x/../../..'])
    for (const name of ['critique', 'decide'])
      expect(await ask(client, name, { loop: 'testing', session }), session).toMatchObject({
        data: { error: { code: 'session-outside' } },
      });
  expect(readdirSync(outside)).toEqual(['.git', 'a.txt']);
  expect((await ask(client, 'critique', { loop: 'testing', session: './work/one' })).isError).toBe(false);
});

it('does not wait for pipes and devices', async () => {
  const project = makeProject({ files: PROJECT });
  execFileSync('mkfifo', ['pipe.json'], { cwd: project.root });
  const client = await connect(project);
  expect(await ask(client, 'read', { reports: ['pipe.json'] })).toMatchObject({ data: { error: { code: 'read-failed' } } });
});

it('reads only files of the project', async () => {
  const project = makeProject({ files: { ...PROJECT, 'in.json': '{}' } });
  const outside = makeProject({ files: { 'secret.json': '{"secret":1}', 'loop.yaml': 'secret: 1\n' } }).root;
  symlinkSync(join(outside, 'secret.json'), join(project.root, 'link.json'));
  symlinkSync(outside, join(project.root, 'folder'));
  symlinkSync('/proc/self', join(project.root, 'self'));
  const client = await connect(project);
  for (const path of [
    join(outside, 'secret.json'),
    '../x.json',
    'link.json',
    'folder/secret.json',
    'self/environ',
    '/proc/self/environ',
    '/etc/passwd',
  ])
    expect(await ask(client, 'read', { reports: ['in.json', path] }), path).toMatchObject({ data: { error: { code: 'path-outside' } } });
  for (const loop of [join(outside, 'loop.yaml'), 'folder/loop.yaml', '/proc/self/environ'])
    for (const [name, more] of [
      ['check', {}],
      ['decide', { session: 'one' }],
      ['critique', {}],
    ] as const)
      expect(await ask(client, name, { loop, ...more }), `${name} ${loop}`).toMatchObject({ data: { error: { code: 'path-outside' } } });
  const elsewhere = makeProject({ files: { '.umpire/sessions/one/tasks.csv': 'id\n' } }).root;
  for (const name of ['status', 'report', 'diff', 'replay'])
    expect(await ask(client, name, { session: join(elsewhere, '.umpire/sessions/one') }), name).toMatchObject({
      data: { error: { code: 'path-outside' } },
    });
  expect((await ask(client, 'read', { reports: ['./in.json', join(project.root, 'in.json')] })).isError).toBe(false);
});

it('survives every message, and a line of any length', async () => {
  const { root } = makeProject({ files: PROJECT });
  const child = spawn(process.execPath, [command, 'mcp'], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  type Answer = { readonly error?: { readonly code: number }; readonly result?: unknown };
  const answers = new Map<unknown, Answer>();
  const waiting = new Map<unknown, () => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as Answer & { readonly id?: unknown };
    answers.set(answer.id, answer);
    waiting.get(answer.id)?.();
  });
  const send = (message: unknown) => child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  const request = (id: unknown, method: string, params: unknown = {}) => ({ jsonrpc: '2.0', id, method, params });
  const answerTo = async (id: unknown) => {
    if (!answers.has(id)) await new Promise<void>((resolve) => waiting.set(id, resolve));
    return answers.get(id);
  };
  send('not JSON');
  send(request('i', 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } }));
  expect((await answerTo('i'))?.result).toBeDefined();
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  for (const message of ['', '{', '[]', '[1]', '"x"', 'null', '1e999', '{}', '\u0000', '['.repeat(100_000), '{"jsonrpc":"1.0"}'])
    send(message);
  send([request(1, 'tools/list'), request(2, 'ping')]);
  for (const id of [null, {}, [], true, 1.5]) send(request(id, 'tools/list'));
  for (const params of [null, 1, [], 'x', { name: 1 }, { name: 'status', arguments: 'x' }, { name: '__proto__' }])
    send(request('w', 'tools/call', params));
  for (const method of ['nothing', '', '__proto__', 'notifications/cancelled']) send(request('m', method));
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'none' } });
  send({ jsonrpc: '2.0', method: 'nothing' });
  send({ jsonrpc: '2.0', id: 'none', result: {} });
  for (let twice = 0; twice < 2; twice++) send(request('d', 'tools/call', { name: 'list', arguments: {} }));
  child.stdin.write(Buffer.from([0xff, 0xfe, 0x80, 0x0a]));
  // 96 MB on one line, which is more than the process may keep.
  const piece = Buffer.alloc(1 << 20, 0x61);
  for (let at = 0; at < 96; at++) if (!child.stdin.write(piece)) await once(child.stdin, 'drain');
  send('');
  send(request('last', 'nothing'));
  expect(await answerTo('last')).toMatchObject({ error: { code: -32_601 } });
  expect((await answerTo('d'))?.result).toBeDefined();
  const [, kilobytes = ''] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8')) ?? [];
  expect(Number(kilobytes)).toBeLessThan(250_000);
  // It ends in the middle of a message.
  child.stdin.end('{"jsonrpc":"2.0","id":3,"meth');
  expect(await ended).toBe(0);
});

it('answers errors with the cause and the next step', async () => {
  const client = await connect(makeProject({ files: PROJECT }));
  const missing = await ask(client, 'decide', { loop: 'testing', session: 'nothing' });
  expect(missing).toMatchObject({ isError: true, data: { error: { code: 'session-missing' } } });
  expect(missing.text).toContain('Check the path.');
  expect(await ask(client, 'status')).toMatchObject({ isError: true, data: { error: { code: 'session-none' } } });
  expect(await ask(client, 'check', { loop: 'reviw' })).toMatchObject({ isError: true, text: expect.stringContaining('review') as string });
  // stdin carries the protocol and cannot be a report.
  expect((await ask(client, 'read', { reports: ['-'] })).data).toMatchObject({ outcome: 'missing' });
});

it('cuts long output, and says where the rest is', SOAK, async () => {
  const many = (mark: string) =>
    `const { test } = require('node:test');\n${Array.from({ length: 600 }, (_, at) => `test${mark}('adds ${at} to what is there', () => {\n  require('node:assert').equal(${at}, 1);\n});\n`).join('')}`;
  const project = makeProject({ files: { ...PROJECT, 'many.test.js': many('') } });
  project.write({ 'many.test.js': many('.skip') });
  const { text, data } = await ask(await connect(project), 'guard');
  expect(text).toMatch(/\n\n\(\d+ more characters: run `umpire guard`\.\)\n\(The JSON object is too long: run `umpire guard --json`\.\)$/);
  expect({ isShort: text.length < 61_000, data }).toEqual({ isShort: true, data: undefined });
});

it('uses the project of --project', async () => {
  const project = makeProject({ files: { 'README.md': 'x\n' } });
  const other = makeProject({ files: PROJECT });
  const client = await connect(project, '--project', other.root);
  expect((await ask(client, 'list')).data).toMatchObject({ project: other.root });
});

it('tells a person at a terminal that it is for programs', async () => {
  const project = makeProject({ files: PROJECT });
  const wrong = await project.umpire('mcp', 'testing');
  expect(wrong).toMatchObject({ exit: 2, err: expect.stringContaining('Unexpected argument') as string });
  expect(await project.umpire('mcp', '--project', 'nowhere')).toMatchObject({ exit: 1, err: expect.stringContaining('nowhere') as string });
  expect(await project.umpire('mcp')).toMatchObject({ exit: 0, out: '', err: '' });
});

const HANGS = `require('node:fs').writeFileSync('started', String(process.pid));\nsetInterval(() => {}, 1000);\nrequire('node:test').test('hangs', () => new Promise(() => {}));\n`;

/** Speaks an older version of the protocol, line by line. */
function talk(project: RunProject) {
  const child = spawn(process.execPath, [command, 'mcp'], { cwd: project.root, stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const hear = async () => JSON.parse((await lines.next()).value as string) as Record<string, unknown>;
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, say, hear, ended };
}

async function untilHanging(project: RunProject): Promise<number> {
  for (;;) {
    try {
      const pid = Number(readFileSync(join(project.root, 'started'), 'utf8'));
      if (pid > 0) return pid;
    } catch {
      // Not yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A zombie is not alive. */
const isAlive = (pid: number): boolean => {
  const stat = `/proc/${pid}/stat`;
  try {
    return process.kill(pid, 0) && !(existsSync(stat) && / Z /.test(readFileSync(stat, 'utf8')));
  } catch {
    return false;
  }
};

it('ends its tools when the client disconnects or cancels', SOAK, async () => {
  const project = makeProject({ files: { ...PROJECT, 'add.test.js': HANGS } });
  const { child, say, hear, ended } = talk(project);
  say({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
  });
  expect(await hear()).toMatchObject({ id: 1, result: { protocolVersion: '2024-11-05', serverInfo: { name: 'umpire' } } });
  say({ method: 'notifications/initialized' });
  const call = { name: 'critique', arguments: { loop: 'testing', session: 'one' } };
  say({ id: 2, method: 'tools/call', params: call });
  const first = await untilHanging(project);
  say({ method: 'notifications/cancelled', params: { requestId: 2 } });
  while (isAlive(first)) await new Promise((resolve) => setTimeout(resolve, 20));
  // The server ends a tool that ignores the request before it exits itself.
  project.write({ started: null, 'add.test.js': `process.on('SIGTERM', () => {});\n${HANGS}` });
  say({ id: 3, method: 'tools/call', params: { ...call, arguments: { ...call.arguments, session: 'two' } } });
  const second = await untilHanging(project);
  child.stdin.end();
  expect(await ended).toBe(0);
  expect(isAlive(second)).toBe(false);
});
