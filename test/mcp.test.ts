// `umpire mcp` with a real client: a round from measuring to the verdict, the limits of an agent, errors as answers, and tools that end
// when the client disconnects.

import { execFileSync, spawn } from 'node:child_process';
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
    new StdioClientTransport({ command: process.execPath, args: [command, 'mcp', ...args], cwd: root, stderr: 'ignore' }),
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
  `require('node:test').test('adds', () => require('node:assert').equal(require('./add.js')(1, 1), ${answer}));\n`;
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
  const skipped = test(2).replace('.test(', '.test.skip(');
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
  for (const report of ['pipe.json', '/dev/zero'])
    expect(await ask(client, 'read', { reports: [report] }), report).toMatchObject({ data: { error: { code: 'read-failed' } } });
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

it('cuts long output, and says where the rest is', async () => {
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

it('ends its tools when the client disconnects or cancels', async () => {
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
