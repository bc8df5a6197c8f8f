// `npm test`: everything that guards a merge, in under five minutes on two cores. Installs if needed and builds; format, lint, types and
// dead code run beside the tests. Ends with the ten slowest test files, the counts and its own duration.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bin, checkSources, duration, installIfNeeded, root, run } from './tools.mjs';

const SLOWEST = 10;

const startedAt = performance.now();
installIfNeeded();
if (!process.env.UMPIRE_CORPUS) process.stderr.write('UMPIRE_CORPUS is not set: tests on reports of other tools are skipped.\n');
run(process.execPath, [join(root, 'scripts', 'generate.mjs')]);
// First the build: the linter follows imports into dist/, and the tests start what lies there.
run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
const [failures, tested] = await Promise.all([checkSources(), test()]);
for (const { name, output } of failures) process.stderr.write(`\n${name} failed:\n${output}\n`);
process.stdout.write(`\n${tested.page}npm test took ${duration(performance.now() - startedAt)}.\n`);
process.exitCode = tested.failed || failures.length > 0 ? 1 : 0;

async function test() {
  const cache = join(root, 'node_modules', '.cache', 'umpire');
  mkdirSync(cache, { recursive: true });
  const report = join(cache, 'tests.json');
  const args = [bin('vitest'), 'run', '--reporter=default', '--silent=passed-only', '--reporter=json', `--outputFile.json=${report}`];
  const vitest = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  const [status] = await once(vitest, 'close');
  return { failed: status !== 0, page: summary(JSON.parse(readFileSync(report, 'utf8'))) };
}

function summary({ testResults, numPassedTests, numFailedTests, numPendingTests }) {
  const files = testResults
    .map(({ name, assertionResults }) => ({
      path: relative(root, name),
      ms: assertionResults.reduce((sum, test) => sum + (test.duration ?? 0), 0),
    }))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST);
  const lines = files.map(({ path, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${path}`);
  return `The ${SLOWEST} slowest test files:\n${lines.join('\n')}\n\n${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped\n\n`;
}
