// Which program a command cannot do without, as far as its text says so, and which shell runs it.

import { spawnSync } from 'node:child_process';
import { afterEach, expect, it, vi } from 'vitest';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { requireExitStatus, findFirstProgram, findShell } from './command-program.js';

cleanUpAfterwards();
afterEach(() => vi.unstubAllEnvs());

it('knows the program of a command where its text says so plainly', () => {
  const plain = ['npm test', ' tsc', 'a-b_c.1+ x', 'cat<x', 'x&&y', 'x 2>&1'];
  expect(plain.map(findFirstProgram)).toEqual(['npm', 'tsc', 'a-b_c.1+', 'cat', 'x', 'x']);
  const other = [
    './run',
    'bin/run',
    'A=1 run',
    '"my run"',
    "r'u'n",
    '$RUN',
    '(cd x; y)',
    'f() { :; }; f',
    'f () { :; }; f',
    '! false',
    '[ -e a ]',
    '2>/dev/null true',
    'make;true',
    'pytest|tee log',
    'server & test x',
  ];
  expect(other.map(findFirstProgram).filter((program) => program !== null)).toEqual([]);
  expect(findFirstProgram('gtest x || test x')).toBe(null);
  expect(findFirstProgram('')).toBe(null);
});

it('W4: refuses a command that hides a failure, with the command to use', async () => {
  await expect(requireExitStatus('npm test || true', '.')).rejects.toMatchObject({
    code: 'command-status',
    message: 'The exit status of the command does not say whether it passed: it ends in "|| true".',
    hint: expect.stringContaining("Use this command: 'npm test'.") as string,
  });
  await expect(requireExitStatus('npm test && echo done', '.')).resolves.toBeUndefined();
});

it('W4: refuses a command that never ends, also in a script, with the command to use', async () => {
  const folder = temporaryFolder();
  const scripts = { test: 'vitest', watch: 'NODE_ENV=test jest --watchAll --ci', unit: 'npm run tdd', tdd: 'vitest watch src' };
  writeFiles(folder, { 'package.json': JSON.stringify({ scripts }) });
  const told: Record<string, string> = {
    'npm run watch': `"NODE_ENV=test jest --watchAll --ci" in the script watch | 'NODE_ENV=test npx jest --ci'`,
    'npm run build && npm run unit': `"vitest watch src" in the script tdd | 'npx vitest src'`,
    'npx vitest run --watch': `"npx vitest run --watch" | 'npx vitest run'`,
    'npx mocha -w spec': `"npx mocha -w spec" | 'npx mocha spec'`,
    'node --watch --test test/': `"node --watch --test test/" | 'node --test test/'`,
    'node --test --watch': `"node --test --watch" | 'node --test'`,
  };
  for (const [command, words] of Object.entries(told)) {
    const [call, instead] = words.split(' | ');
    await expect(requireExitStatus(command, folder), command).rejects.toMatchObject({
      code: 'command-watches',
      message: expect.stringContaining(`The command never ends: ${call}`) as string,
      hint: expect.stringContaining(`runs once: ${instead}.`) as string,
    });
  }
  // Without a terminal Vitest runs once. Jest has workers by -w.
  const ends = [
    'npm test',
    'npx vitest run',
    'npx vitest run watch',
    'npx vitest --watch=false',
    'npx jest -w 2',
    'node --test watch.test.js',
  ];
  for (const command of ends) await expect(requireExitStatus(command, folder), command).resolves.toBeUndefined();
});

const hasPipefail = spawnSync('/bin/sh', ['-o', 'pipefail', '-c', ':']).status === 0;

it('W4: runs a pipe in a shell with pipefail, and refuses it where there is none', async () => {
  expect(await findShell('npm test', '.')).toEqual(['/bin/sh', '-c']);
  expect(await findShell('npm test | cat', '.')).toEqual([expect.stringMatching(/^\/.*sh$/), '-o', 'pipefail', '-c']);
  vi.stubEnv('PATH', temporaryFolder());
  expect(await findShell('npm test | cat', '.')).toEqual(hasPipefail ? ['/bin/sh', '-o', 'pipefail', '-c'] : null);
  if (hasPipefail) return;
  await expect(requireExitStatus('npm test | cat', '.')).rejects.toMatchObject({
    message: expect.stringContaining('no shell with pipefail was found, so only "cat" decides whether it passes') as string,
    hint: expect.stringContaining("Install bash, or leave the pipe out. Use this command: 'npm test'.") as string,
  });
});
