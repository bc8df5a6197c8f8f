// The names of tests come from the very run of the person's command, however it reaches the runner, and its output stays what it was.

import { randomUUID } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import { newFolder } from '../../../../test/support/assignment.js';
import { cleanUpAfterwards, plainProject } from '../../../../test/support/git-project.js';
import { startGuardian } from '../agents/guardian.js';
import type { Guardian } from '../agents/guardian.js';
import { runShellCommand } from './command-run.js';

cleanUpAfterwards();

let guardian: Guardian;
beforeAll(() => {
  guardian = startGuardian(randomUUID());
});
afterAll(() => guardian.close());

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

async function runIn(files: Readonly<Record<string, string>>, command: string, timeoutMs = 120_000) {
  const { root } = plainProject(files);
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const call = { command, trustsExitStatus: false, workdir: root, session: newFolder(), mark: randomUUID(), timeoutMs, reports: [] };
  const run = await runShellCommand(call, guardian, { signal: new AbortController().signal, log: () => undefined });
  if ('unstarted' in run) throw new Error(run.unstarted);
  return { ...run, names: run.results?.map(({ id, status }) => `${status} ${id}`).toSorted() ?? null };
}

const scripts = (test: string) => JSON.stringify({ name: 'sums', scripts: { test: `npm run unit && node -e 0`, unit: test } });
const GLOBAL = "test('adds', () => {});\ntest('doubles', () => { throw new Error('no'); });\n";
const IMPORTED = `const { test } = require('node:test');\n${GLOBAL}`;
const VITEST = `import { test } from 'vitest';\n${GLOBAL}`;
const MOCHA = GLOBAL.replaceAll('test(', 'it(');
const BOTH = ['failed a.test.js > doubles', 'passed a.test.js > adds'];

it.each([
  ['node:test', 'node --test', IMPORTED, 'a.test.js', '✖ doubles'],
  ['vitest', 'vitest run', VITEST, 'a.test.mjs', 'a.test.mjs'],
  ['vitest with a reporter of its own', 'vitest run --reporter=verbose', VITEST, 'a.test.mjs', 'adds'],
  ['jest', 'jest', GLOBAL, 'a.test.js', '✕ doubles'],
  ['mocha', 'mocha a.test.js', MOCHA, 'a.test.js', '1 failing'],
])('names the tests of %s, called by scripts of a package', SOAK, async (_, call, text, file, shown) => {
  const { end, names, output } = await runIn({ 'package.json': scripts(call), [file]: text }, 'npm test');
  expect({ code: end.code, names }, output).toEqual({ code: 1, names: BOTH.map((name) => name.replace('a.test.js', file)) });
  expect(output).toContain(shown);
  expect(output).not.toContain('umpire-command-');
});

it('keeps the names of two calls apart, and asks nothing of a call with reports of its own', SOAK, async () => {
  const files = { 'package.json': '{}', 'a.test.js': GLOBAL, 'b.test.js': GLOBAL };
  const twice = await runIn(files, 'npx jest a.test.js; npx jest b.test.js');
  expect(twice.names).toEqual([...BOTH, ...BOTH.map((name) => name.replace('a.test', 'b.test'))].toSorted());
  const own = await runIn(files, 'npx jest --json --outputFile=own.json a.test.js');
  expect({ code: own.end.code, names: own.names }).toEqual({ code: 1, names: null });
});

it('does not show itself to tests and what they start', SOAK, async () => {
  const text = "const { test } = require('node:test');\ntest('env', () => console.log('options', process.env.NODE_OPTIONS));\n";
  const { output, names } = await runIn({ 'package.json': '{}', 'a.test.js': text }, 'node --test');
  expect({ names, isHidden: output.includes('options undefined') }, output).toEqual({ names: ['passed a.test.js > env'], isHidden: true });
});

it('leaves tests what the command itself put into NODE_OPTIONS', async () => {
  const text = "const { test } = require('node:test');\ntest('env', () => console.log('options', process.env.NODE_OPTIONS));\n";
  const command = 'NODE_OPTIONS="--no-warnings $NODE_OPTIONS" node --test';
  const { output } = await runIn({ 'package.json': '{}', 'a.test.js': text }, command);
  expect(output).toMatch(/^.*options --no-warnings$/m);
});

it('is bounded where a suite prints without end, and reads no names of what is cut off', SOAK, async () => {
  const printed = `printf 'TAP version 13\\nok 1 - a\\n1..1\\n'; yes 'a line of a very long log that somebody left in' | head -c 200000000; exit 1`;
  const { end, names, output } = await runIn({}, printed);
  expect({ code: end.code, names, isBounded: output.length < 5 * 1024 * 1024 }).toEqual({ code: 1, names: null, isBounded: true });
});

it('ends a command that does not end, and reads nothing of it', async () => {
  const { end, names } = await runIn({}, `printf 'TAP version 13\\nok 1 - a\\n1..1\\n'; sleep 100`, 500);
  expect([end.stopped?.by, names]).toEqual(['timeout', null]);
});

it('keeps a name with control characters as one name', async () => {
  const { names } = await runIn({}, String.raw`printf 'TAP version 13\nok 1 - a\033[2Jb\tc\n1..1\n'; exit 1`);
  expect(names?.length).toBe(1);
});
