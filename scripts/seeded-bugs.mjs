// Ten seeded bugs, one per area. Each is put into a copy of the project, and the fast tests of its area must fail: a bug that
// `npm test` does not notice is a hole in the tests. Run by `npm run soak -- --only bugs`, or alone: `node scripts/seeded-bugs.mjs [AREA]`.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { collect, root } from './tools.mjs';

const COPY = join(root, 'node_modules', '.cache', 'umpire', 'seeded-bugs');

/** `tests`: files of `npm test` that must notice. */
export const BUGS = [
  {
    area: 'decision table',
    file: 'packages/core/src/loops/condition.ts',
    from: "'>=': (left, right) => left >= right",
    to: "'>=': (left, right) => left > right",
    tests: ['test/rules.test.ts'],
  },
  {
    area: 'rounds',
    file: 'packages/core/src/decider/rounds.ts',
    from: "verdict.outcome === 'revise' ? verdict.round + 1 : verdict.round",
    to: 'verdict.round',
    tests: ['packages/core/src/decider'],
  },
  {
    area: 'journal',
    file: 'packages/core/src/formats/journal.ts',
    from: 'if (claimed !== prev) return broken(',
    to: 'if (claimed === null) return broken(',
    tests: ['packages/core/src/formats/journal.test.ts', 'test/replay'],
  },
  {
    area: 'report readers',
    file: 'packages/reports/src/junit.ts',
    from: "['failure', 'failed'],\n  ['error', 'errored'],\n  ['skipped',",
    to: "['failure', 'skipped'],\n  ['error', 'errored'],\n  ['skipped',",
    tests: ['packages/reports/src/junit.test.ts'],
  },
  {
    area: 'guard',
    file: 'packages/guard/src/rules/test-marks.ts',
    from: "kind: 'skip',\n    counts: ({ condition }) => condition === null",
    to: "kind: 'skip',\n    counts: ({ condition }) => condition !== null",
    tests: ['packages/guard/src', 'test/guard-set.test.ts'],
  },
  {
    area: 'agents',
    file: 'packages/umpire/src/agents/result.ts',
    from: 'return refuseResult(`its id is',
    to: 'void refuseResult(`its id is',
    tests: ['packages/umpire/src/agents/result.test.ts'],
  },
  {
    area: 'workspace',
    file: 'packages/umpire/src/work/apply.ts',
    from: "kind === 'git' ? await listDirty(sessionGit, steps, known) : []",
    to: 'kind === null ? await listDirty(sessionGit, steps, known) : []',
    tests: ['packages/umpire/src/work/apply.test.ts'],
  },
  {
    area: 'critics',
    file: 'packages/umpire/src/critics/check-command.ts',
    from: 'exit_status: end.code,',
    to: 'exit_status: 0,',
    tests: ['packages/umpire/src/critics/check-command.test.ts'],
  },
  {
    area: 'exit status',
    file: 'packages/umpire/src/doors/cli/decide.ts',
    from: 'escalate: 4 }',
    to: 'escalate: 0 }',
    tests: ['test/spec.test.ts'],
  },
  {
    area: 'dashboard',
    file: 'packages/umpire/src/doors/http/server.ts',
    from: 'return isSameKey(given, key) ? null',
    to: 'return isSameKey(given, key) || true ? null',
    tests: ['test/serve.test.ts'],
  },
];

/** Puts the bug into the copy and runs its tests there. Resolves with status 0 if they failed, as they must. */
export async function checkBug({ area, file, from, to, tests }) {
  const source = readFileSync(join(root, file), 'utf8');
  if (source.split(from).length !== 2) return { status: 1, output: `${file} does not contain this exactly once: ${from}\n` };
  const path = join(COPY, file);
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
  try {
    const run = await collect(process.execPath, ['scripts/build.mjs', '--without-types'], { cwd: COPY });
    // The build judges a sample session of each loop, and so does `npm test`.
    if (/cannot judge the sample session/.test(run.output)) return { status: 0, output: '' };
    if (run.status !== 0) return run;
    const { status, output } = await collect(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...tests], { cwd: COPY });
    const isNoticed = status !== 0 && /Tests .*failed/.test(output);
    return { status: isNoticed ? 0 : 1, output: isNoticed ? '' : `No test of ${tests.join(', ')} noticed the bug in ${area}.\n${output}` };
  } finally {
    writeFileSync(path, source);
  }
}

/** A copy of the tracked files with its own node_modules, made of links to the files of this one. */
export function prepareCopy() {
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(COPY, { recursive: true });
  const { stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  for (const name of stdout.split('\0').filter(Boolean)) cpSync(join(root, name), join(COPY, name), { recursive: true });
  const modules = join(COPY, 'node_modules');
  mkdirSync(modules);
  const packages = spawnSync('sh', ['-c', 'ls -A'], { cwd: join(root, 'node_modules'), encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean);
  for (const name of packages.filter((one) => one !== '.cache'))
    spawnSync('cp', ['-al', join(root, 'node_modules', name), join(modules, name)]);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const chosen = BUGS.filter(({ area }) => process.argv[2] === undefined || area === process.argv[2]);
  prepareCopy();
  for (const bug of chosen) {
    const { status, output } = await checkBug(bug);
    process.stdout.write(`${bug.area}: ${status === 0 ? 'noticed' : 'NOT NOTICED'}\n${output}`);
    if (status !== 0) process.exitCode = 1;
  }
}
