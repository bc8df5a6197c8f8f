// Real programs in the real sandbox: where they can write, how they are started, asked to finish and ended.

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder, newWatch, until } from '../../../../test/support/assignment.js';
import { hasBubblewrap } from '../../../../test/support/bubblewrap.js';
import type { Watch } from '@umpire/core/model/ports.js';
import { runChildProcess } from './child-process.js';
import type { ChildEnd } from './child-process.js';
import { startGuardian } from './guardian.js';
import type { Guardian } from './guardian.js';
import { openSandbox, whyFailed } from './sandbox.js';
import type { SandboxPlaces } from './sandbox.js';

const NOWHERE: SandboxPlaces = { kept: [], write: [], sealed: [] };

const searchPath = process.env['PATH'] ?? '';
const home = process.env['HOME'];
afterAll(() => {
  process.env['PATH'] = searchPath;
  process.env['HOME'] = home;
});

it('fails without bubblewrap instead of running unprotected', async () => {
  process.env['PATH'] = newFolder();
  const opened = openSandbox(NOWHERE);
  await expect(opened).rejects.toMatchObject({ code: 'sandbox-unavailable', message: expect.stringMatching(/bwrap|bubblewrap/) as string });
  process.env['PATH'] = searchPath;
});

it('fails with the error of bubblewrap', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\necho "bwrap: no namespaces for you" >&2\nexit 1\n', { mode: 0o755 });
  process.env['PATH'] = `${folder}:${searchPath}`;
  const opened = openSandbox(NOWHERE);
  await expect(opened).rejects.toMatchObject({ message: expect.stringMatching(/no namespaces for you|which \w+ does not have/) as string });
  process.env['PATH'] = searchPath;
});

it.each([
  [{ 'user.max_user_namespaces': '0' }, 'the kernel setting user.max_user_namespaces is 0', 'sysctl -w user.max_user_namespaces=10000'],
  [
    { 'user.max_user_namespaces': '9', 'kernel.apparmor_restrict_unprivileged_userns': '1' },
    'the kernel setting kernel.apparmor_restrict_unprivileged_userns is 1',
    'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
  ],
  [{ 'user.max_user_namespaces': '9' }, 'bubblewrap failed (no namespaces)', 'docker run'],
])('names the kernel setting that forbids the sandbox: %j', (settings: Readonly<Record<string, string>>, detail, advice) => {
  const why = whyFailed('no namespaces', (name) => settings[name] ?? null);
  expect([why.detail, why.advice]).toEqual([expect.stringContaining(detail), expect.stringContaining(advice)]);
});

it('takes no bubblewrap that a project installed', async () => {
  const bin = join(newFolder(), 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'bwrap'), `#!/bin/sh\ntouch ${bin}/ran\n`, { mode: 0o755 });
  process.env['PATH'] = `${bin}:${searchPath}`;
  await openSandbox(NOWHERE).catch(() => undefined);
  process.env['PATH'] = searchPath;
  expect(existsSync(join(bin, 'ran'))).toBe(false);
});

describe.skipIf(!hasBubblewrap)('with bubblewrap', () => {
  let guardian: Guardian;
  let places: { readonly kept: string; readonly write: string; readonly session: string; readonly workdir: string };

  beforeAll(async () => {
    const checkout = newFolder();
    const inner = (name: string) => {
      mkdirSync(join(checkout, name));
      return join(checkout, name);
    };
    // All of them lie in the checkout: what is opened and sealed holds against what is around it.
    places = { kept: checkout, write: inner('extra'), session: inner('session'), workdir: inner('worktree') };
    writeFileSync(join(places.session, 'journal.ndjson'), 'one\n');
    mkdirSync(join(places.session, 'verdicts'));
    const sealed = ['journal.ndjson', 'verdicts', 'not-there'].map((name) => join(places.session, name));
    guardian = startGuardian(randomUUID(), await openSandbox({ kept: [checkout], write: [places.write], sealed }));
  });
  afterAll(() => guardian.close());

  interface Held {
    readonly argv: readonly string[];
    readonly workdir?: string;
    readonly watch?: Watch;
    readonly by?: Guardian;
  }

  async function run({ argv, workdir = places.workdir, watch = newWatch(), by = guardian }: Held): Promise<ChildEnd> {
    const call = randomUUID();
    const env = { PATH: searchPath, HOME: places.kept, CALL: call };
    const how = { finish: 'SIGTERM', timeoutMs: 60_000, graceMs: 20_000, tailBytes: 10_000 } as const;
    const launch = { argv, workdir, writable: [places.session], env, mark: `CALL=${call}`, input: '', ...how };
    return runChildProcess(launch, by, watch);
  }

  async function canWrite(...paths: readonly string[]): Promise<readonly boolean[]> {
    const tries = paths.map((path) => `if echo x 2>/dev/null >> '${path}'; then echo yes; else echo no; fi 2>/dev/null`);
    const end = await run({ argv: ['/bin/sh', '-c', tries.join('\n')] });
    if (end.kind !== 'ended') throw end.error;
    return Buffer.from(end.stdout)
      .toString('utf8')
      .trim()
      .split('\n')
      .map((word) => word === 'yes');
  }

  it('can write to its own folders and nowhere else', async () => {
    const { kept, write, session, workdir } = places;
    const open = [join(workdir, 'a'), join(session, 'b'), join(write, 'c'), '/dev/null'];
    const shut = [join(kept, 'd'), join(session, 'journal.ndjson'), join(session, 'verdicts', 'e'), '/etc/umpire-was-here', '/umpire'];
    expect(await canWrite(...open, ...shut)).toEqual([...open.map(() => true), ...shut.map(() => false)]);
    expect(readFileSync(join(session, 'journal.ndjson'), 'utf8')).toBe('one\n');
  });

  it('a check sees nothing in the folders of agents, and leaves nothing beside the work that it was given', async () => {
    const outer = newFolder();
    const at = (path: string) => join(outer, path);
    for (const folder of ['session/verdicts', 'trees/task', 'trees/check', 'scratch/one']) mkdirSync(at(folder), { recursive: true });
    for (const file of ['session/left', 'trees/task/left', 'trees/check/own']) writeFileSync(at(file), '');
    const sandbox = await openSandbox({
      kept: [outer],
      write: [],
      sealed: [at('session/verdicts')],
      agents: [at('session'), at('trees'), at('trees/task')],
      scratch: at('scratch'),
    });
    const text = `cd '${outer}'; find session trees -type f; for file in session/a trees/a trees/check/a scratch/a scratch/one/a; do echo x 2> /dev/null > $file && echo wrote $file; done`;
    const argv = ['/bin/sh', '-c', `{ ${text}; } 2> /dev/null`];
    const [program = '', ...args] = sandbox.around({ argv, workdir: at('trees/check'), env: { PATH: searchPath }, isCheck: true });
    const said = execFileSync(program, args, { encoding: 'utf8' }).trim().split('\n');
    expect(said).toEqual(['trees/check/own', 'wrote trees/check/a', 'wrote scratch/one/a']);
    expect(['trees/check/a', 'scratch/one/a', 'session/a'].map((path) => existsSync(at(path)))).toEqual([true, true, false]);
  });

  it('cannot move or remove sealed files', async () => {
    const { session } = places;
    const text = `cd '${session}'; mv journal.ndjson other; rm -rf journal.ndjson verdicts; mv '${session}' '${session}-2'; true`;
    await run({ argv: ['/bin/sh', '-c', text] });
    expect(['journal.ndjson', 'verdicts', 'other'].map((name) => existsSync(join(session, name)))).toEqual([true, true, false]);
  });

  it('cannot move a writable folder that contains kept or sealed files', async () => {
    const outer = newFolder();
    const checkout = join(outer, 'mine', 'checkout');
    const blobs = join(outer, 'extra', 'in', 'session', 'blobs');
    const worktree = join(outer, 'work', 'worktree');
    const all = [checkout, blobs, worktree];
    for (const path of all) mkdirSync(path, { recursive: true });
    const opened = await openSandbox({ kept: [checkout], write: [join(outer, 'extra')], sealed: [blobs] });
    const around = [outer, ...['mine', 'extra', 'extra/in', 'work'].map((name) => join(outer, name))];
    const text = around.map((path) => `mv '${path}' '${path}-2'`).join('\n');
    const held = { ...guardian, sandbox: opened };
    expect(await run({ argv: ['/bin/sh', '-c', `${text}\ntrue`], workdir: worktree, by: held })).toMatchObject({ code: 0 });
    expect(all.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('cannot write through a link out of its working folder', async () => {
    const { kept, workdir } = places;
    symlinkSync(kept, join(workdir, 'out'));
    expect(await canWrite(join(workdir, 'out', 'f'))).toEqual([false]);
  });

  it('works when the working folder is reached by a link', async () => {
    const link = join(newFolder(), 'link');
    symlinkSync(places.workdir, link);
    expect(await run({ argv: ['/bin/sh', '-c', 'echo x > by-link'], workdir: link })).toMatchObject({ code: 0 });
    expect(existsSync(join(places.workdir, 'by-link'))).toBe(true);
  });

  it('sees only its own processes and passes on its exit status', async () => {
    const end = await run({ argv: ['/bin/sh', '-c', `kill -9 ${process.pid} 2>/dev/null && echo killed; exit 7`] });
    expect(end).toMatchObject({ kind: 'ended', code: 7, stdout: Buffer.from('') });
  });

  it('can make a sandbox inside the sandbox', async () => {
    const inner = ['--ro-bind', '/', '/', '--dev', '/dev', '--bind', places.workdir, places.workdir];
    expect(await run({ argv: ['bwrap', ...inner, '/bin/sh', '-c', 'echo x > deep'] })).toMatchObject({ code: 0 });
    expect(existsSync(join(places.workdir, 'deep'))).toBe(true);
  });

  it('reports a missing or invalid program as without a sandbox', async () => {
    writeFileSync(join(places.workdir, 'plain'), 'x\n');
    const ends = await Promise.all([['no-such-program-here'], ['./nor-here'], ['./plain']].map((argv) => run({ argv })));
    expect(ends.map((end) => (end.kind === 'unstarted' ? end.error.code : end))).toEqual(['ENOENT', 'ENOENT', 'EACCES']);
  });

  it('can return a result when asked to finish', async () => {
    const watch = newWatch();
    const trap = `trap 'echo asked; exit 0' TERM; echo up; while :; do sleep 0.01; done`;
    const ended = run({ argv: ['/bin/sh', '-c', trap], watch });
    expect(await until(() => watch.text().includes('up'))).toBe(true);
    watch.stop();
    expect(await ended).toMatchObject({ code: 0, stopped: { by: 'abort', how: 'asked' }, stdout: Buffer.from('up\nasked\n') });
  });

  it('leaves no process behind, not even one that left its group', async () => {
    const words = `sleep ${100_000 + process.pid}`;
    expect(await run({ argv: ['/bin/sh', '-c', `setsid ${words} & until [ -d /proc/$! ]; do :; done`] })).toMatchObject({ code: 0 });
    expect(await until(() => processesOf(words).length === 0)).toBe(true);
  });
});

/** Of the whole machine, by what they were started with. */
function processesOf(words: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() === words;
    } catch {
      return false;
    }
  });
}
