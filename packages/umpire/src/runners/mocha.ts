// Mocha: its JSON report beside what people read, by a reporter of a few lines that starts both; coverage by c8 or nyc around it,
// where the project has one.

import { writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { findPackage, findTool } from './run-tool.js';
import { JS_TESTS, keepFlags } from './runner.js';
import type { KnownFlags, Runner } from './runner.js';
import { findCoverageWrapper } from './script-coverage.js';

const FLAGS: KnownFlags = {
  withValue:
    '-r --require --import --loader --experimental-loader --config --package --extension -t --timeout -u --ui --spec --file --ignore --exclude -C --conditions -g --grep -f --fgrep --retries --global --globals'.split(
      ' ',
    ),
  plain:
    '--recursive --exit --check-leaks --async-only -A --sort --parallel --enable-source-maps --allow-uncaught --full-trace -i --invert'.split(
      ' ',
    ),
  // About output and speed.
  dropped: '-R --reporter -O --reporter-option --reporter-options -s --slow -j --jobs --watch-files --watch-ignore'.split(' '),
};

const PROGRAMS = ['mocha', 'mocha.js', '_mocha'];

export const mocha: Runner = {
  name: 'mocha',
  title: 'mocha',
  language: 'script',
  programs: PROGRAMS,
  settings: /^\.mocharc\.(?:[cm]?js|jsonc?|ya?ml)$/,
  dependency: 'mocha',
  judges: ['.mocharc.*', 'test/mocha.opts', '.c8rc.json', '.nycrc*', 'package.json'],
  traps: [{ printed: /^\s*0 passing/m, means: 'Mocha loaded its files and found no test in them.' }],
  watches: { flags: ['-w', '--watch'] },
  packages: ['mocha', 'c8', 'nyc'],
  commands: ['npx mocha'],
  testFiles: ({ script }) => {
    const { others: specs } = keepFlags(script?.args ?? [], FLAGS);
    // What it runs by itself, where it cannot list its files: it is older than 9, or one of them cannot be loaded.
    if (specs.length === 0) return [...JS_TESTS, 'test.{js,cjs,mjs}', 'test/*.{js,cjs,mjs}'];
    const plain = specs.map((spec) => spec.replace(/^\.\//, '').replace(/\/+$/, ''));
    return [...JS_TESTS, ...plain.map((spec) => (/[*.]/.test(spec) ? spec : `${spec}/**/*.{js,cjs,mjs,ts,cts,mts}`))];
  },
  requestNames: (file, isCalled) => {
    if (!isCalled) return {};
    writeFileSync(
      `${file}.cjs`,
      makeReporter(`require('node:module').createRequire(require('node:fs').realpathSync(process.argv[1]))('mocha')`),
    );
    // What a reporter shows may be shown otherwise; what one writes is for somebody.
    const writes = /^(?:-O|--reporter-options?)\b|^(?:(?:-R|--reporter)=)?(?:json(?:-stream)?|xunit|tap|html|doc|markdown|mocha-[\w-]+)$/;
    return { words: `--reporter ${file}.cjs -O output=${file}`, unless: writes };
  },
  timeLimit: {
    said: /\bTimeout of (\d+ ?ms) exceeded/,
    allow: (argv, ms) => [...argv, '--timeout', String(ms)],
  },
  findBrokenFiles: (printed, files) => files.filter((file) => printed.includes(file)),
  prepare: ({ folder, script }, _job, scratch) => {
    const tool = findTool(folder, 'mocha');
    const installed = findPackage(folder, 'mocha');
    if (tool === null || installed === null)
      return { absent: 'Mocha is not installed here. Install the packages of the project with `npm install`.' };
    const { flags, others: specs } = keepFlags(script?.args ?? [], FLAGS);
    const own = [...flags, ...specs.filter((word) => word !== 'run')];
    const start = [process.execPath, ...(script?.nodeArgs ?? []), tool.bin];
    const env = script?.env ?? {};
    const listed = join(scratch, 'files.json');
    const wrapper = findCoverageWrapper({ folder, script });
    return {
      ready: {
        version: tool.version,
        uncovered: wrapper.uncovered,
        countAllHint: wrapper.countAllHint,
        countsTestFiles: wrapper.countsTestFiles === true,
        listing: {
          argv: [...start, ...own, '--dry-run', '--reporter', 'json', '-O', `output=${listed}`],
          env,
          file: listed,
          readFiles: readMochaFiles,
        },
        list: { call: null, countTests: (text) => readMochaTests(text)?.length ?? null },
        call: ({ others, coverage }, place) => {
          const tests = join(place, 'tests.json');
          const reporter = join(place, 'reporter.cjs');
          writeFileSync(reporter, makeReporter(`require(${JSON.stringify(installed.folder)})`));
          const measuring = coverage ? wrapper.wrap(place) : { argv: [], coverage: null };
          // Files named here would only be added to those of the configuration: what is not wanted has to be left out, as patterns write it.
          const left = others.flatMap((file) => {
            const path = relative(folder, file).split(sep).join('/');
            return ['--ignore', path, '--ignore', `./${path}`];
          });
          // Before 6 its options had no opposites.
          const noBail = Number(tool.version?.split('.')[0] ?? '6') < 6 ? [] : ['--no-bail'];
          return {
            argv: [
              ...measuring.argv,
              ...start,
              ...own,
              '--reporter',
              reporter,
              '-O',
              `output=${tests}`,
              ...noBail,
              '--forbid-only',
              ...left,
            ],
            env,
            tests: { file: tests, format: 'mocha' },
            coverage: measuring.coverage,
          };
        },
      },
    };
  },
};

/** What people read, and the JSON report beside it. `library`: how it gets at mocha. */
function makeReporter(library: string): string {
  return `const { existsSync, writeFileSync } = require('node:fs');
const { reporters } = ${library};
module.exports = class {
  constructor(runner, options) {
    new reporters.Spec(runner, options);
    new reporters.JSON(runner, options);
    // Before 9.2 that only prints its report.
    const { output } = options.reporterOption ?? options.reporterOptions ?? {};
    runner.on('end', () => {
      if (output !== undefined && !existsSync(output)) writeFileSync(output, JSON.stringify(runner.testResults));
    });
  }
};
`;
}

function readMochaFiles(text: string): readonly string[] | null {
  const tests = readMochaTests(text);
  if (tests === null) return null;
  return [...new Set(tests.flatMap((test) => (isObject(test) && typeof test['file'] === 'string' ? [test['file']] : [])))];
}

function readMochaTests(text: string): readonly unknown[] | null {
  try {
    const report: unknown = JSON.parse(text);
    return isObject(report) && Array.isArray(report['tests']) ? (report['tests'] as readonly unknown[]) : null;
  } catch {
    return null;
  }
}
