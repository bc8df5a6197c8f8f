// node:test: run with a reporter of our own, since its JUnit names no file (two tests of one name would pass for one), and with
// its own coverage in lcov's form, or by c8 or nyc around it where the project's scripts have that, whose marks in comments differ. It cannot be asked for its test files: they are found by its own rules.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFolder } from '../sessions/file-system.js';
import { keepFlags } from './runner.js';
import type { KnownFlags, Runner } from './runner.js';
import type { CoverageWrapper } from './script-coverage.js';
import { findCoverageWrapper, usesCoverageWrapper } from './script-coverage.js';

const FLAGS: KnownFlags = {
  withValue:
    '-r --require --import --loader --experimental-loader -C --conditions --env-file --env-file-if-exists --test-timeout --test-concurrency --test-coverage-include --test-coverage-exclude'.split(
      ' ',
    ),
  plain:
    '--experimental-strip-types --experimental-transform-types --experimental-test-module-mocks --experimental-vm-modules --enable-source-maps --experimental-test-isolation=none --test-force-exit'.split(
      ' ',
    ),
};

export const nodeTest: Runner = {
  name: 'node',
  title: 'node:test',
  language: 'script',
  // Its flag calls it: node itself runs any program.
  programs: ['--test'],
  settings: null,
  dependency: null,
  imports: /['"]node:test['"]/,
  judges: ['.c8rc.json', '.nycrc*', 'package.json'],
  traps: [{ printed: /^ℹ tests 0$/m, means: 'No file that node:test took reported a test.' }],
  watches: { flags: ['--watch', '--watch-path'] },
  packages: ['c8', 'nyc'],
  commands: ['node --test'],
  testFiles: ({ folder, script }) => {
    const args = script?.args ?? [];
    const takesTypes = [...(script?.nodeArgs ?? []), ...args].some((word) =>
      /tsx|ts-node|strip-types|transform-types|swc|esbuild/.test(word),
    );
    const kind = takesTypes || Number(process.versions.node.split('.')[0]) >= 23 ? '{js,cjs,mjs,ts,cts,mts}' : '{js,cjs,mjs}';
    const named = keepFlags(args, FLAGS).others.filter((word) => word !== 'run');
    if (named.length > 0) return named.map((word) => (isFolder(join(folder, word)) ? `${word.replace(/\/+$/, '')}/**/*.${kind}` : word));
    return [`**/*{.,-,_}test.${kind}`, `**/test-*.${kind}`, `**/test.${kind}`, `**/test/**/*.${kind}`];
  },
  // Node counts reporters and destinations together with those of the command.
  requestNames: (file, isCalled) => {
    if (!isCalled) return {};
    writeFileSync(`${file}.mjs`, REPORTER);
    return {
      env: { NODE_OPTIONS: [...reportTo('spec', 'stdout'), ...reportTo(`${file}.mjs`, file)].join(' ') },
      unless: /^--test-reporter/,
    };
  },
  timeLimit: {
    said: /\btest timed out after (\d+ ?ms)/,
    // A flag of node itself, which stands before the files.
    allow: (argv, ms) => argv.flatMap((word) => (word === '--test' ? [word, `--test-timeout=${ms}`] : [word])),
  },
  prepare: ({ folder, script }) => {
    const { flags } = keepFlags([...(script?.nodeArgs ?? []), ...(script?.args ?? [])], FLAGS);
    const wrapper = usesCoverageWrapper(folder) ? findCoverageWrapper({ folder, script }) : OWN_COVERAGE;
    return {
      ready: {
        version: process.versions.node,
        uncovered: wrapper.uncovered,
        countAllHint: wrapper.countAllHint,
        countsTestFiles: wrapper.countsTestFiles === true,
        listing: null,
        call: ({ files, coverage }, scratch) => {
          const [tests, reporter] = [join(scratch, 'tests.json'), join(scratch, 'reporter.mjs')];
          writeFileSync(reporter, REPORTER);
          const measuring = coverage ? wrapper.wrap(scratch) : { argv: [], coverage: null };
          return {
            argv: [
              ...measuring.argv,
              process.execPath,
              ...flags,
              '--test',
              ...(measuring.flags ?? []),
              ...reportTo('spec', 'stdout'),
              ...reportTo(reporter, tests),
              ...files,
            ],
            env: script?.env ?? {},
            tests: { file: tests, format: 'jest' },
            coverage: measuring.coverage,
          };
        },
      },
    };
  },
};

/** As a tool around it, but by flags of its own. */
const OWN_COVERAGE: CoverageWrapper = {
  uncovered: null,
  countAllHint: 'node:test counts only files that a test loads. Load them in a test to count them.',
  wrap: (scratch) => {
    const file = join(scratch, 'coverage.info');
    return { argv: [], flags: ['--experimental-test-coverage', ...reportTo('lcov', file)], coverage: { file, format: 'lcov' } };
  },
};

function reportTo(reporter: string, destination: string): readonly string[] {
  return [`--test-reporter=${reporter}`, `--test-reporter-destination=${destination}`];
}

/**
 * The reporter for node:test: every test with its file, as Jest's JSON. A file without tests, which node counts as passed, is left out.
 * A file that broke before its tests, or whose process ended without reporting a test that it has, is a failed suite.
 */
const REPORTER = `
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';

// Three reporters add more listeners to node's own stream than it allows, and it would warn of a leak.
EventEmitter.defaultMaxListeners = 30;

const suites = new Map();
// Titles from the outermost to the one at work: node reports in the order of the files.
const open = [];

function suiteOf(file) {
  if (!suites.has(file)) suites.set(file, { name: file, status: 'passed', message: '', assertionResults: [] });
  return suites.get(file);
}

const told = new Set();
const printed = new Map();

// Of a file that broke, node says only 'test failed': why stands in what its process printed.
function faultOf(file, error) {
  const lines = (printed.get(file) ?? '').trim().split('\\n');
  const at = lines.findIndex((line) => /^(?:\\w+ )?(?:[A-Z]\\w*)?Error\\b/.test(line));
  return at < 0 ? messageOf(error) : [...lines.slice(at), ...lines.slice(0, at)].join('\\n');
}

// Helpers lie beside tests and have none.
function hasTests(file) {
  try {
    const text = readFileSync(file, 'utf8');
    return /['"](?:node:)?test['"]/.test(text) && /^(?:await\\s+)?(?:test|it|describe|suite)(?:\\.\\w+)*\\(/m.test(text);
  } catch {
    return false;
  }
}

function messageOf(error) {
  const cause = error?.cause ?? error;
  return String(cause?.stack ?? cause?.message ?? cause ?? 'it failed');
}

export default async function* report(source) {
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      open.length = data.nesting;
      open[data.nesting] = data.name;
    }
    if (type === 'test:stderr') printed.set(data.file, ((printed.get(data.file) ?? '') + data.message).slice(-8000));
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const file = data.file ?? '';
    const suite = suiteOf(file);
    const isFile = data.nesting === 0 && (data.name === file || file.endsWith('/' + data.name));
    const failed = type === 'test:fail' && data.todo === undefined && data.skip === undefined;
    if (failed) suite.status = 'failed';
    if (isFile) {
      if (failed) suite.message = faultOf(file, data.details?.error);
      continue;
    }
    told.add(file);
    const isDerived = data.details?.error?.failureType === 'subtestsFailed';
    if (data.details?.type === 'suite' && (!failed || isDerived)) continue;
    const status = data.skip !== undefined ? 'pending' : data.todo !== undefined ? 'todo' : failed ? 'failed' : 'passed';
    const ancestorTitles = open.slice(0, data.nesting).filter((title) => title !== undefined);
    suite.assertionResults.push({
      ancestorTitles,
      title: data.name,
      fullName: [...ancestorTitles, data.name].join(' '),
      status,
      duration: data.details?.duration_ms ?? null,
      location: data.line === undefined ? null : { line: data.line, column: data.column ?? 1 },
      failureMessages: failed ? [messageOf(data.details?.error)] : [],
    });
  }
  for (const suite of suites.values()) {
    if (suite.status !== 'passed' || told.has(suite.name) || !hasTests(suite.name)) continue;
    suite.status = 'failed';
    suite.message = 'The process ended (exit status 0) before it reported a test: the file, or a module that it loads, ends the process.';
  }
  const testResults = [...suites.values()].filter(({ assertionResults, status }) => assertionResults.length > 0 || status === 'failed');
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (status) => all.filter((test) => test.status === status).length;
  yield JSON.stringify({
    numTotalTests: all.length,
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    success: testResults.every(({ status }) => status === 'passed'),
    testResults,
  });
}
`;
