// The command that calls a person, as a shell runs it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { isAlive, pidsIn, until } from '../../../../test/support/assignment.js';
import { runNotifyCommand } from './notify.js';

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
