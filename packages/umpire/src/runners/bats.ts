// Bats: JUnit beside the TAP that it prints.

import { existsSync, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import { findFiles, readText } from './project-files.js';
import type { Runner } from './runner.js';
import { askVersion } from './system-program.js';

/** Bats itself and its libraries lie in the test folder as submodules, with tests of their own. */
const TESTS = ['**/*.bats', '!**/{bats,bats-*,test_helper}/**'];

export const bats: Runner = {
  name: 'bats',
  title: 'Bats',
  language: 'shell',
  programs: ['bats'],
  settings: null,
  dependency: null,
  signs: { files: ['**/*.bats'], isShownIn: (folder) => findFiles(folder, TESTS).length > 0, coversInner: () => true },
  judges: ['**/*.bats', '{test,tests}/test_helper.bash', '{test,tests}/test_helper/**'],
  traps: [{ printed: /^1\.\.0$/m, means: 'Bats found no test in these files.' }],
  packages: [],
  commands: ['bats test', 'bats tests', 'bats -r test'],
  testFiles: () => TESTS,
  requestNames: () => ({ isPrinted: true }),
  prepare: async (place, job, scratch) => {
    const { folder } = place;
    const own = ['node_modules/.bin/bats', 'test/bats/bin/bats', 'tests/bats/bin/bats', 'bin/bats'];
    const program = own.map((path) => join(folder, path)).find((path) => existsSync(path)) ?? 'bats';
    const version = await askVersion([program, '--version'], place, job, scratch);
    if (version === null)
      return { absent: 'Bats is not installed. Install it with the packages of your system, or `npm install --save-dev bats`.' };
    return {
      ready: {
        version,
        uncovered: 'Umpire knows no coverage of shell scripts. Set critics.coverage, for example to a command that runs kcov.',
        countAllHint: null,
        listing: null,
        list: {
          call: { argv: [program, '--count', ...findFiles(folder, TESTS).map((path) => join(folder, path))], env: {}, file: null },
          countTests: (text) => (/^\d+\s*$/.test(text) ? Number(text) : null),
        },
        call: ({ files }, at) => {
          // Its report names files from the first word's folder; from one that holds none of them, in full.
          const nowhere = join(at, 'nowhere');
          mkdirSync(nowhere);
          return {
            argv: [program, '--formatter', 'tap', '--report-formatter', 'junit', '--output', at, nowhere, ...files],
            env: place.script?.env ?? {},
            tests: { file: join(at, 'report.xml'), format: 'junit' },
            coverage: null,
          };
        },
      },
    };
  },
  locate: locateTests,
};

function locateTests(folder: string, results: readonly TestResult[]): readonly TestResult[] {
  const files = findFiles(folder, TESTS).map((path) => ({ path, text: readText(join(folder, path)) ?? '' }));
  return results.map((result) => {
    const [owner = '', ...rest] = result.id.split(' > ');
    const name = rest.join(' > ');
    const path = owner.startsWith('/') ? relative(folder, owner) : owner;
    const findLine = (text: string): number => text.split('\n').findIndex((line) => line.startsWith('@test ') && line.includes(name));
    const named = files.filter((each) => each.path === path || each.path.endsWith(`/${path}`));
    const found = named.length > 1 ? named.filter(({ text }) => findLine(text) >= 0) : named;
    const [file] = found;
    if (file === undefined || found.length > 1) return result;
    const told = /in test file .*, line (\d+)\)/.exec(result.message ?? '')?.[1];
    const line = told === undefined ? findLine(file.text) + 1 : Number(told);
    return { ...result, id: [file.path, ...rest].join(' > '), file: file.path, line: line > 0 ? line : null };
  });
}
