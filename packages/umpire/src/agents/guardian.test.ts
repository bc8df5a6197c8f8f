import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive, newFolder, pidsIn, until } from '../../../../test/support/assignment.js';
import { startGuardian, sweepRun } from './guardian.js';

/** Without it only groups are known, and what left its group lives on. */
const hasProc = existsSync('/proc/self/environ');

/** A run: starts children as the words on its command line say, says that it is ready, and never ends by itself. */
const RUN = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { startGuardian } from './packages/umpire/src/agents/guardian.ts';
const [run, folder, ...plan] = process.argv.slice(2);
const guardian = startGuardian(run, { copies: folder + '/copies' });
const env = { PATH: process.env.PATH };
const sleeper = (name, more = '') => ['-c', 'echo $$ > "$1/.$2" && mv "$1/.$2" "$1/$2";' + more + ' exec sleep 1000', 'sh', folder, name];
const start = (args, mark) => spawn('/bin/sh', args, { detached: true, stdio: 'ignore', env: mark ? { ...env, UMPIRE_RUN: run } : env }).pid;
for (const word of plan) {
  if (word === 'watched') guardian.watch(start(sleeper('watched', 'sh -c \\'echo $$ > "$1/member"; sleep 1000\\' sh "$1" &')));
  if (word === 'released') { const pid = start(sleeper('released')); guardian.watch(pid); guardian.release(pid); }
  if (word === 'marked') start(sleeper('marked'), true);
  if (word === 'many') for (let n = 0; n < 40; n += 1) { const pid = start(['-c', 'exit 0']); guardian.watch(pid); if (n % 3) guardian.release(pid); }
  if (word === 'die') { const pid = start(['-c', 'sleep 1000']); guardian.watch(pid); writeFileSync(folder + '/last', String(pid)); process.kill(process.pid, 'SIGKILL'); }
}
writeFileSync(folder + '/ready', String(process.pid));
setInterval(() => undefined, 1000);
`;

const script = join(newFolder(), 'run.mjs');
const started: ChildProcess[] = [];
const survivors: number[] = [];

beforeAll(() => {
  const stdin = { contents: RUN, resolveDir: join(import.meta.dirname, '..', '..', '..', '..'), loader: 'js' } as const;
  buildSync({ stdin, bundle: true, platform: 'node', format: 'esm', outfile: script, logLevel: 'error' });
});

afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  for (const pid of survivors) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});

function startRun(run: string, folder: string, ...plan: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [script, run, folder, ...plan], { stdio: ['ignore', 'ignore', 'inherit'] });
  started.push(child);
  return child;
}

test('kills children and grandchildren after kill -9 of a run', async () => {
  const folder = newFolder();
  const run = startRun(randomUUID(), folder, 'watched');
  const pids = await pidsIn(folder, ['watched', 'member', 'ready']);
  expect(pids.map(isAlive)).toEqual([true, true, true]);
  run.kill('SIGKILL');
  expect(await until(() => !pids.some(isAlive))).toBe(true);
});

test('removes the private copies of the sandbox after kill -9 of a run', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'copies', 'locked'), { recursive: true });
  writeFileSync(join(folder, 'copies', 'locked', 'login'), 'x');
  chmodSync(join(folder, 'copies', 'locked'), 0o500);
  const run = startRun(randomUUID(), folder);
  await pidsIn(folder, ['ready']);
  run.kill('SIGKILL');
  expect(await until(() => !existsSync(join(folder, 'copies')))).toBe(true);
});

test('kills a group that was watched just before the kill', async () => {
  const folder = newFolder();
  startRun(randomUUID(), folder, 'many', 'die');
  const [last = 0] = await pidsIn(folder, ['last']);
  expect(await until(() => !isAlive(last))).toBe(true);
});

test.runIf(hasProc)('one that left every group, or was never told of, is found by its environment', async () => {
  const folder = newFolder();
  const run = startRun(randomUUID(), folder, 'marked', 'watched');
  const [marked = 0, watched = 0] = await pidsIn(folder, ['marked', 'watched', 'ready']);
  run.kill('SIGKILL');
  expect(await until(() => !isAlive(marked) && !isAlive(watched))).toBe(true);
});

test('leaves a released group alone', async () => {
  const folder = newFolder();
  const run = startRun(randomUUID(), folder, 'released', 'watched');
  const [released = 0, watched = 0] = await pidsIn(folder, ['released', 'watched', 'ready']);
  survivors.push(released);
  run.kill('SIGKILL');
  expect(await until(() => !isAlive(watched))).toBe(true);
  expect(isAlive(released)).toBe(true);
});

test('treats a run that exits without closing like a killed one', async () => {
  const folder = newFolder();
  const run = startRun(randomUUID(), folder, 'watched');
  const pids = await pidsIn(folder, ['watched', 'member', 'ready']);
  run.kill('SIGTERM');
  expect(await until(() => !pids.some(isAlive))).toBe(true);
});

function sleeper(env: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn('/bin/sleep', ['1000'], { detached: true, stdio: 'ignore', env });
  started.push(child);
  return child;
}

test('kills only the groups still watched when the run closes normally', async () => {
  const guardian = startGuardian(randomUUID());
  const children = [1, 2, 3].map(() => sleeper({ UMPIRE_RUN: guardian.run }));
  const [watched = 0, released = 0, left = 0] = children.map((child) => child.pid ?? 0);
  guardian.watch(watched);
  guardian.watch(released);
  guardian.release(released);
  await guardian.close();
  await guardian.close();
  expect(await until(() => !isAlive(watched))).toBe(true);
  expect([isAlive(released), isAlive(left)]).toEqual([true, true]);
});

test.runIf(hasProc)('what an earlier run left is swept, and nobody else', async () => {
  const run = randomUUID();
  const left = [sleeper({ UMPIRE_RUN: run }), sleeper({ A: 'b', UMPIRE_RUN: run, Z: 'z' })];
  const others = [sleeper({ UMPIRE_RUN: `${run}0` }), sleeper({ XUMPIRE_RUN: run }), sleeper({ OTHER: `UMPIRE_RUN=${run}` })];
  const gone = left.map((child) => new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal))));
  expect(sweepRun(run)).toBe(2);
  expect(await Promise.all(gone)).toEqual(['SIGKILL', 'SIGKILL']);
  expect(others.map((child) => isAlive(child.pid ?? 0))).toEqual([true, true, true]);
  expect([sweepRun(run), sweepRun(''), sweepRun('.*')]).toEqual([0, 0, 0]);
});

test('refuses a run id with characters special to a shell', () => {
  for (const run of ['', 'short', 'a b c d e f g h', '12345678$', 'x'.repeat(65)])
    expect(() => startGuardian(run)).toThrow('invalid run id');
});
