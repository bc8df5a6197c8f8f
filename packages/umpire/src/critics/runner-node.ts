// node:test: run with a reporter of our own, since its JUnit names no file (two tests of one name would pass for one), and with
// its own coverage in lcov's form. It cannot be asked for its test files: they are found by its own rules.

import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPORTER } from './runner-node-reporter.js';
import { keepWords } from './runner-script.js';
import type { ScriptCall } from './runner-script.js';
import type { Prepare } from './test-runner.js';

const WITH_VALUE =
  '-r --require --import --loader --experimental-loader -C --conditions --env-file --env-file-if-exists --test-timeout --test-concurrency'.split(
    ' ',
  );
const PLAIN =
  '--experimental-strip-types --experimental-transform-types --experimental-test-module-mocks --experimental-vm-modules --enable-source-maps --experimental-test-isolation=none --test-force-exit'.split(
    ' ',
  );

const JS = '{js,cjs,mjs}';
const ANY = '{js,cjs,mjs,ts,cts,mts}';

export const prepareNode: Prepare = ({ folder, script }) => {
  const { flags } = keepWords([...(script?.nodeArgs ?? []), ...(script?.args ?? [])], WITH_VALUE, PLAIN);
  return {
    ready: {
      version: process.versions.node,
      uncovered: null,
      listing: null,
      patterns: patternsOf(folder, script),
      call: ({ files }, place) => {
        const tests = join(place, 'tests.json');
        const coverage = join(place, 'coverage.info');
        const reporter = join(place, 'reporter.mjs');
        writeFileSync(reporter, REPORTER);
        const reports = [reported('spec', 'stdout'), reported(reporter, tests), reported('lcov', coverage)].flat();
        return {
          argv: [process.execPath, ...flags, '--test', '--experimental-test-coverage', ...reports, ...files],
          env: script?.env ?? {},
          tests: { file: tests, format: 'jest' },
          coverage: { file: coverage, format: 'lcov' },
        };
      },
    },
  };
};

function reported(reporter: string, destination: string): readonly string[] {
  return [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`];
}

/** What the script names; else what `node --test` looks for. */
function patternsOf(folder: string, script: ScriptCall | null): readonly string[] {
  const { others } = keepWords(script?.args ?? [], WITH_VALUE, PLAIN);
  const takesTypes = [...(script?.nodeArgs ?? []), ...(script?.args ?? [])].some((word) =>
    /tsx|ts-node|strip-types|transform-types|swc|esbuild/.test(word),
  );
  const kind = takesTypes || Number(process.versions.node.split('.')[0]) >= 23 ? ANY : JS;
  const named = others.filter((word) => word !== 'run');
  if (named.length > 0) return named.map((word) => (isFolder(join(folder, word)) ? `${word.replace(/\/+$/, '')}/**/*.${kind}` : word));
  return [`**/*{.,-,_}test.${kind}`, `**/test-*.${kind}`, `**/test.${kind}`, `**/test/**/*.${kind}`];
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
