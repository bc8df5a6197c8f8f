// W5: nothing that a program starts outlives its task. Real processes that leave their group, their environment and their parent.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { isAlive, newFolder, newWatch, pidsIn, until } from '../../../../test/support/assignment.js';
import { runChildProcess } from './child-process.js';
import type { ChildEnd, Launch } from './child-process.js';
import { startGuardian } from './guardian.js';
import { superviseProgram, supervisorProgram } from './supervisor.js';

const guardian = startGuardian(randomUUID());
afterAll(() => guardian.close());

const SETTINGS = { finish: 'SIGTERM', timeoutMs: 60_000, graceMs: 100, tailBytes: 10_000, input: '' } as const;

function launchOf(text: string, workdir: string, more: Partial<Launch> = {}): Launch {
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'no-such-locale' };
  return { argv: ['/bin/sh', '-c', text, 'sh', workdir], workdir, env, mark: `CALL=${randomUUID()}`, ...SETTINGS, ...more };
}

async function run(text: string, workdir: string, more: Partial<Launch> = {}): Promise<Extract<ChildEnd, { kind: 'ended' }>> {
  const end = await runChildProcess(launchOf(text, workdir, more), guardian, newWatch());
  if (end.kind !== 'ended') throw end.error;
  return end;
}

/** Leaves its session and its environment, closes its streams, loses its parent, then writes to the working folder as long as it exists. */
const STRAY = `( ( setsid env -i /bin/sh -c 'exec < /dev/null > /dev/null 2>&1
  echo $$ > .stray && mv .stray stray; while echo late >> late.txt; do sleep 0.01; done' & ) & )
while [ ! -e stray ]; do :; done`;

describe.runIf(supervisorProgram !== null)('a process that left group, environment and parent', () => {
  it('is dead when its task has ended', async () => {
    const folder = newFolder();
    expect(await run(`${STRAY}; exit 3`, folder)).toMatchObject({ code: 3, signal: null, stopped: null });
    expect((await pidsIn(folder, ['stray'])).filter(isAlive)).toEqual([]);
  });

  it.each([
    ['the program ignores the request to finish', `trap '' TERM`],
    ['the program stopped its supervisor', `trap '' TERM; kill -s STOP $PPID`],
  ])('is dead after the run was stopped, also if %s', async (_, first) => {
    const folder = newFolder();
    const watch = newWatch();
    const ended = runChildProcess(launchOf(`${first}; ${STRAY}; while :; do sleep 1; done`, folder), guardian, watch);
    const strays = await pidsIn(folder, ['stray']);
    watch.stop();
    expect(await ended).toMatchObject({ stopped: { by: 'abort', how: 'killed' } });
    expect(strays.filter(isAlive)).toEqual([]);
  });

  it('is ended after kill -9 of the run', async () => {
    const folder = newFolder();
    const contents = `import { startGuardian } from './packages/umpire/src/agents/guardian.ts';
import { runChildProcess } from './packages/umpire/src/agents/child-process.ts';
const launch = { ...JSON.parse(process.argv[2]) };
runChildProcess(launch, startGuardian(process.argv[3]), { signal: new AbortController().signal, log: () => undefined });`;
    const outfile = join(newFolder(), 'run.mjs');
    const stdin = { contents, resolveDir: join(import.meta.dirname, '..', '..', '..', '..'), loader: 'js' } as const;
    buildSync({ stdin, bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' });
    const launch = JSON.stringify(launchOf(`${STRAY}; sleep 1000`, folder));
    const child = spawn(process.execPath, [outfile, launch, randomUUID()], { stdio: 'ignore' });
    const [stray = 0] = await pidsIn(folder, ['stray']);
    child.kill('SIGKILL');
    expect(await until(() => !isAlive(stray))).toBe(true);
  });
});

it('passes on input, output, exit status and signals of the program', async () => {
  const folder = newFolder();
  const told = await run('cat; echo "$PERL_BADLANG$1"; echo fault >&2; exit 5', folder, { input: 'words\n' });
  expect({ ...told, stdout: String(told.stdout), stderr: String(told.stderr) }).toEqual({
    kind: 'ended',
    code: 5,
    signal: null,
    stopped: null,
    stdout: Buffer.from(`words\n${folder}\n`).toString(),
    stderr: Buffer.from('fault\n').toString(),
  });
  expect(await run('kill -s SEGV $$', folder)).toMatchObject({ code: null, signal: 'SIGSEGV' });
  expect(await run('kill -s TERM $$', folder)).toMatchObject({ code: null, signal: 'SIGTERM', stopped: null });
});

it('does not supervise where the person loads modules into Perl, and leaves errors of a missing program to the system', () => {
  const launch = launchOf('true', newFolder());
  expect(superviseProgram({ ...launch, env: { ...launch.env, PERL5OPT: '-MFoo' } }, 0)).toBeNull();
  expect(superviseProgram({ ...launch, argv: ['no-such-program'] }, 0)).toBeNull();
});
