// Bun: JUnit XML with files and lines, and its own coverage in lcov's form.

import { join } from 'node:path';
import { findTool } from './run-tool.js';
import { keepFlags } from './runner.js';
import type { KnownFlags, Runner } from './runner.js';
import { askVersion } from './system-program.js';

const FLAGS: KnownFlags = {
  withValue: '--preload -r --timeout --env-file -c --config --conditions'.split(' '),
  plain: ['--smol'],
};

export const bun: Runner = {
  name: 'bun',
  title: 'Bun',
  language: 'script',
  programs: ['bun test'],
  settings: null,
  dependency: null,
  imports: /['"]bun:test['"]/,
  judges: ['bunfig.toml', 'package.json'],
  traps: [{ printed: /No tests found!|^\s*0 pass\b/m, means: 'Bun found no test that its patterns take.' }],
  watches: { flags: ['--watch'] },
  packages: ['bun'],
  commands: ['bun test'],
  testFiles: () => ['**/*{.,_}{test,spec}.{js,cjs,mjs,jsx,ts,cts,mts,tsx}'],
  requestNames: (file, isCalled) =>
    isCalled ? { words: `--reporter=junit --reporter-outfile=${file}`, unless: /^--reporter(?:-outfile)?\b/ } : {},
  findBrokenFiles: (printed, files) => {
    const parts = printed.split(/^(?=\S+\.[cm]?[jt]sx?:$)/m).filter((part) => /^# Unhandled error between tests/m.test(part));
    const paths = parts.map((part) => `/${part.slice(0, part.indexOf(':'))}`);
    return files.filter((file) => paths.some((path) => file.endsWith(path)));
  },
  prepare: async (place, job, scratch) => {
    const { folder, script } = place;
    const own = findTool(folder, 'bun')?.bin ?? null;
    const program = own ?? 'bun';
    const version = await askVersion([program, '--version'], place, job, scratch);
    if (version === null) return { absent: 'Bun is not installed here. Install it, or run `npm install --save-dev bun`.' };
    const { flags } = keepFlags(script?.args ?? [], FLAGS);
    return {
      ready: {
        version,
        uncovered: null,
        countAllHint: 'Bun counts only files that a test loads. Load them in a test to count them.',
        listing: null,
        call: ({ files, coverage }, at) => {
          const [tests, covered] = [join(at, 'tests.xml'), join(at, 'coverage')];
          const measuring = coverage ? ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${covered}`] : [];
          return {
            argv: [program, 'test', ...flags, '--reporter=junit', `--reporter-outfile=${tests}`, ...measuring, ...files],
            env: script?.env ?? {},
            tests: { file: tests, format: 'junit' },
            coverage: coverage ? { file: join(covered, 'lcov.info'), format: 'lcov' } : null,
          };
        },
      },
    };
  },
};
