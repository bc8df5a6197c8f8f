import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { isAlive, pidsIn } from '../../../../test/support/assignment.js';
import { endGuardianAfterwards, jobFor } from '../../../../test/support/critic-job.js';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { errorWords, findPackage, findTool, KeptOutput, runTool, timeLeft } from './run-tool.js';
import { SOAK } from '../../../../test/support/campaign.js';

cleanUpAfterwards();
endGuardianAfterwards();

const node = (text: string): readonly string[] => [process.execPath, '-e', text];

test('what it prints is shown while it runs and kept; how it ended is told', async () => {
  const workdir = temporaryFolder();
  const seen: string[] = [];
  const watch = {
    signal: new AbortController().signal,
    log: (stream: string, chunk: Uint8Array) => void seen.push(`${stream} ${Buffer.from(chunk).toString()}`),
  };
  const { job } = jobFor(workdir, { watch, now: () => new Date('2026-01-02T03:04:05Z') });
  const keep = { keepOutput: join(workdir, 'all.txt'), keepStdout: join(workdir, 'out.txt') };
  const run = await runTool(job, { name: 'mine', version: '1.2', argv: node("console.log('a'); process.exitCode = 3"), workdir, ...keep });
  expect(run).toEqual({
    outcome: 'ended',
    code: 3,
    signal: null,
    problem: null,
    head: 'a\n',
    tail: '',
    use: {
      name: 'mine',
      version: '1.2',
      command: ['node', '-e', "console.log('a'); process.exitCode = 3"],
      workdir: '.',
      started: '2026-01-02T03:04:05.000Z',
      ended: '2026-01-02T03:04:05.000Z',
      exit_status: 3,
      signal: null,
      timed_out: false,
    },
  });
  expect(seen).toEqual(['stdout a\n']);
  expect([readFileSync(keep.keepOutput, 'utf8'), readFileSync(keep.keepStdout, 'utf8')]).toEqual(['a\n', 'a\n']);
  await runTool(job, { name: 'mine', argv: node("console.error('b')"), workdir, ...keep, isQuiet: true });
  expect([readFileSync(keep.keepOutput, 'utf8'), readFileSync(keep.keepStdout, 'utf8'), seen.length]).toEqual(['b\n', '', 1]);
});

test('of much output the start and the end are told', async () => {
  const workdir = temporaryFolder();
  const { job } = jobFor(workdir);
  const { head, tail } = await runTool(job, {
    name: 'mine',
    argv: node("process.stdout.write('a'.repeat(20000) + 'b'.repeat(20000))"),
    workdir,
  });
  expect([head, tail]).toEqual(['a'.repeat(16384), 'b'.repeat(16384)]);
});

test('a file of output has bounds', () => {
  const path = join(temporaryFolder(), 'deep', 'kept.txt');
  const kept = new KeptOutput(path, { start: 4, end: 4 });
  for (const piece of ['ab', 'cd', 'ef', 'ghijk']) kept.add(Buffer.from(piece));
  kept.close();
  expect(readFileSync(path, 'utf8')).toBe('abcd\n[3 bytes omitted]\nhijk');
  const short = new KeptOutput(path, { start: 4, end: 4 });
  short.add(Buffer.from('abcdefgh'));
  short.close();
  expect(readFileSync(path, 'utf8')).toBe('abcdefgh');
  const whole = new KeptOutput(path, { start: 4, end: 0 });
  for (const piece of ['abc', 'def', 'g']) whole.add(Buffer.from(piece));
  whole.close();
  expect(readFileSync(path, 'utf8')).toBe('abcd');
});

test('one that hangs is ended with all that it started; later tools of the job have no time left', SOAK, async () => {
  const workdir = temporaryFolder();
  const { job } = jobFor(workdir, { timeoutMs: 2500 });
  const child = "require('fs').writeFileSync('child', String(process.pid)); setInterval(() => {}, 1000)";
  const argv = node(
    `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' }); setInterval(() => {}, 1000)`,
  );
  const run = await runTool(job, { name: 'mine', argv, workdir });
  expect(run).toMatchObject({ outcome: 'timeout', code: null, use: { timed_out: true } });
  expect((await pidsIn(workdir, ['child'])).map(isAlive)).toEqual([false]);
  expect(timeLeft(job)).toBe(0);
  expect(await runTool(job, { name: 'mine', argv: node("require('fs').writeFileSync('ran', '')"), workdir })).toMatchObject({
    outcome: 'timeout',
    use: { exit_status: null, timed_out: true },
  });
  expect(existsSync(join(workdir, 'ran'))).toBe(false);
});

test('the time for one tool holds too', async () => {
  const workdir = temporaryFolder();
  const { job } = jobFor(workdir);
  const settings = { ...job.settings, timeoutMinutes: 0.3 / 60 };
  expect(await runTool({ ...job, settings }, { name: 'mine', argv: node('setInterval(() => {}, 1000)'), workdir })).toMatchObject({
    outcome: 'timeout',
  });
});

test('a run that is stopped ends its tool', async () => {
  const workdir = temporaryFolder();
  const controller = new AbortController();
  const watch = { signal: controller.signal, log: () => controller.abort() };
  const { job } = jobFor(workdir, { watch });
  const argv = node("console.log('here'); setInterval(() => {}, 1000)");
  expect(await runTool(job, { name: 'mine', argv, workdir })).toMatchObject({ outcome: 'interrupted', use: { timed_out: false } });
  expect(await runTool(job, { name: 'mine', argv, workdir })).toMatchObject({ outcome: 'interrupted', use: { exit_status: null } });
});

test('one that is not there says so', async () => {
  const workdir = temporaryFolder();
  const { job } = jobFor(workdir);
  expect(await runTool(job, { name: 'mine', argv: ['no-such-program'], workdir })).toMatchObject({
    outcome: 'unstarted',
    problem: 'mine could not be started: program no-such-program not found. Install it or fix the PATH.',
  });
  expect(await runTool(job, { name: 'mine', argv: node(''), workdir: join(workdir, 'gone') })).toMatchObject({
    outcome: 'unstarted',
    problem: 'mine could not be started: its folder is gone.',
  });
});

test('a tool is told nothing of the run around it, and works as in a CI', async () => {
  const workdir = temporaryFolder();
  const { job } = jobFor(workdir);
  const names = ['VITEST', 'VITEST_POOL_ID', 'NODE_ENV', 'UMPIRE_SESSION', 'CI', 'NO_COLOR', 'OWN', 'UMPIRE_RUN'];
  const argv = node(`console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name] ?? null)))`);
  expect(process.env['VITEST']).toBeDefined();
  const { head } = await runTool(job, { name: 'mine', argv, workdir, env: { OWN: 'yes', UMPIRE_RUN: 'not this' } });
  expect(JSON.parse(head)).toEqual([null, null, null, null, 'true', '1', 'yes', job.guardian.run]);
});

test('a package is found from the folder upwards, its command by its own file', () => {
  const root = temporaryFolder();
  const lint = { name: 'lint', version: '1.0.0', bin: { lint: 'bin/lint.js', other: 'gone.js' } };
  writeFiles(root, {
    'node_modules/lint/package.json': JSON.stringify(lint),
    'node_modules/lint/bin/lint.js': '',
    'node_modules/@scope/tool/package.json': '{"bin":"./tool.js"}',
    'node_modules/@scope/tool/tool.js': '',
    'node_modules/broken/package.json': '{',
    'a/node_modules/lint/package.json': JSON.stringify({ ...lint, version: '2.0.0' }),
    'a/node_modules/lint/bin/lint.js': '',
  });
  mkdirSync(join(root, 'a/b'));
  const at = (from: string, name: string, command?: string) => findTool(join(root, from), name, command);
  expect(at('a/b', 'lint')).toEqual({ bin: join(root, 'a/node_modules/lint/bin/lint.js'), version: '2.0.0' });
  expect(at('', 'lint')).toEqual({ bin: join(root, 'node_modules/lint/bin/lint.js'), version: '1.0.0' });
  expect(at('a', '@scope/tool')).toEqual({ bin: join(root, 'node_modules/@scope/tool/tool.js'), version: null });
  expect([at('', 'lint', 'other'), at('', 'lint', 'none'), at('', 'broken'), findPackage(root, 'nowhere-at-all')]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

const PLACES = { project: '/home/a/p', scratch: '/tmp/r' };
const STACK = `    at load (/home/a/p/node_modules/x/index.js:50:18)\n    at async run (node:internal/modules/run_main:117:5) {\n  code: 'X'\n}\n\nNode.js v20.0.0\n`;

const words = (head: string, which: 'first' | 'last' = 'first') => errorWords({ head, tail: '' }, which, PLACES);

it.each([
  [
    'ESLint',
    `\nOops! Something went wrong! :(\n\nESLint: 10.14.0\n\nTypeError: Key "rules": Could not find "no-such".\n${STACK}`,
    'TypeError: Key "rules": Could not find "no-such".',
  ],
  ['Jest', `/home/a/p/jest.config.cjs:2\n\n\n\nSyntaxError: Unexpected end of input\n${STACK}`, 'SyntaxError: Unexpected end of input'],
  [
    'Mocha',
    `file:///home/a/p/node_modules/mocha/lib/errors.js:344\n  var err = new Error(message);\n            ^\n\nError: Unable to read/parse /home/a/p/.mocharc.json: bad\n${STACK}`,
    'Error: Unable to read/parse .mocharc.json: bad',
  ],
  [
    'Vitest',
    `failed to load config from /home/a/p/vitest.config.mjs\n\n\u001B[31m⎯⎯⎯\u001B[39m Startup Error ⎯⎯⎯\nError: Build failed with 1 error:\n\n[PARSE_ERROR] Expected \`}\`\n${STACK}`,
    'failed to load config from vitest.config.mjs / Startup Error ⎯⎯⎯ / Error: Build failed with 1 error: / [PARSE_ERROR] Expected `}`',
  ],
  ['tsc', "tsconfig.json(2,1): error TS1005: ']' expected.\n", "tsconfig.json(2,1): error TS1005: ']' expected."],
  [
    'oxlint',
    'Failed to parse oxlint configuration file.\n\n  x Failed to parse oxlint config /home/a/p/.oxlintrc.json.\n  | EOF at line 2\n\n',
    'Failed to parse oxlint configuration file. / Failed to parse oxlint config .oxlintrc.json. / EOF at line 2',
  ],
  ['pytest', 'ERROR: /home/a/p/pytest.ini:1: unexpected value\n\n', 'ERROR: pytest.ini:1: unexpected value'],
  ['Mocha, of a test', `\n Exception during run: Error: \`.only\` forbidden\n${STACK}`, 'Exception during run: Error: `.only` forbidden'],
  ['node', `node:internal/x:1\n  throw e;\n  ^\n\nError [ERR_X]: no module\n${STACK}`, 'Error [ERR_X]: no module'],
])('quotes where the error of %s begins', (_tool, text, expected) => {
  expect(words(text)).toBe(expected);
});

it('takes the last error of a run that printed others before, and the last lines where there is none', () => {
  const run = `✓ refuses\nError: as it should\n    at a (a.js:1:1)\n✓ more\nError: the pool is gone\n${STACK}`;
  expect([words(run, 'first'), words(run, 'last')]).toEqual(['Error: as it should', 'Error: the pool is gone']);
  expect(words('one\ntwo\n\nthree\nfour\n')).toBe('two / three / four');
  expect(words('\n ^^^ \n')).toBe('');
});

it('cuts off what is very long, without losing its start', () => {
  expect(words(`Error: ${'x'.repeat(5000)}\n`)).toBe(`Error: ${'x'.repeat(293)}`);
  expect(words(`begin ${'y'.repeat(200)}\nthen ${'z'.repeat(200)}\nend\n`)).toBe(`then ${'z'.repeat(200)} / end`);
  expect(words(`begin ${'y'.repeat(5000)}\n`)).toBe(`begin ${'y'.repeat(294)}`);
});
