// `npm run check`: for every commit, in under a minute. Format, lint, types and dead code, beside the tests that a change reaches:
// tests in packages/ whose imports changed since the last commit (or in it, where nothing is uncommitted), and changed test files.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bin, checkSources, collect, duration, installIfNeeded, root, run } from './tools.mjs';

const startedAt = performance.now();
installIfNeeded();
run(process.execPath, [join(root, 'scripts', 'generate.mjs')]);

const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
const uncommitted = git('status', '--porcelain', '--untracked-files=all').map((line) => line.slice(3).split(' -> ').at(-1));
const changed = uncommitted.length > 0 ? uncommitted : git('diff', '--name-only', 'HEAD~1', 'HEAD');
const since = uncommitted.length > 0 ? [] : ['HEAD~1'];
const changedTests = changed.filter((path) => /^test\/.*\.test\.ts$/.test(path));

const results = await Promise.all([checkSources(), testChange()]);
const failures = results.flat();
for (const { name, output } of failures) process.stderr.write(`\n${name} failed:\n${output}\n`);
const what = failures.length === 0 ? 'passed' : `failed (${failures.map(({ name }) => name).join(', ')})`;
process.stdout.write(`npm run check ${what} in ${duration(performance.now() - startedAt)}.\n`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function testChange() {
  const failures = [];
  const vitest = async (name, ...args) => {
    const { status, output } = await collect(process.execPath, [bin('vitest'), 'run', '--passWithNoTests', ...args]);
    if (status === 0) process.stdout.write(`${name}: ${/Tests .*/.exec(plain(output))?.[0] ?? 'no test is affected'}\n`);
    else failures.push({ name, output });
  };
  await vitest('tests of changed sources', 'packages', '--changed', ...since);
  await vitest('tests of the house', 'test/tidy.test.ts');
  if (changedTests.length > 0) {
    run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
    await vitest('changed tests', ...changedTests);
  }
  return failures;
}

function plain(text) {
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/\u001b\[[\d;]*m/g, '').replaceAll(/ {2,}/g, ' ');
}
