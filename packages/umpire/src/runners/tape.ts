// Tape prints no file, and nothing of a test that is skipped: a program that node loads first listens to its tests. So a person's command names
// them too, whatever its output is piped to. Our own runs give each file a process.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackage } from './run-tool.js';
import { JS_TESTS, keepFlags } from './runner.js';
import type { KnownFlags, Runner } from './runner.js';
import { findCoverageWrapper } from './script-coverage.js';

const FLAGS: KnownFlags = { withValue: ['-r', '--require', '--import', '--loader', '-i', '--ignore'], plain: [] };

export const tape: Runner = {
  name: 'tape',
  title: 'tape',
  language: 'script',
  programs: ['tape'],
  settings: null,
  dependency: 'tape',
  imports: /['"]tape['"]/,
  judges: ['.c8rc.json', '.nycrc*', 'package.json'],
  traps: [{ printed: /^# tests 0$/m, means: 'The files of tape ran no assertion.' }],
  packages: ['tape', 'c8', 'nyc'],
  commands: ["npx tape 'test/**/*.js'"],
  testFiles: ({ script }) => {
    const named = keepFlags(script?.args ?? [], FLAGS).others.map((word) => word.replace(/^\.\//, ''));
    return named.length > 0 ? named : [...JS_TESTS, '{test,tests}/**/*.{js,cjs,mjs}', 'test.{js,cjs,mjs}'];
  },
  testMark: /['"]tape(?:-\w+)?['"]/,
  // Where the listener finds no tape, its TAP names the tests.
  requestNames: (file) => ({ isPrinted: true, preload: listenTo(file) }),
  prepare: ({ folder, script }) => {
    const installed = findPackage(folder, 'tape');
    if (installed === null) return { absent: 'Tape is not installed here. Install the packages of the project with `npm install`.' };
    const { flags } = keepFlags(script?.args ?? [], FLAGS);
    const wrapper = findCoverageWrapper({ folder, script });
    return {
      ready: {
        version: installed.version,
        uncovered: wrapper.uncovered,
        countAllHint: wrapper.countAllHint,
        countsTestFiles: wrapper.countsTestFiles === true,
        listing: null,
        call: ({ files, coverage }, scratch) => {
          const [program, listener, tests] = [join(scratch, 'run-files.cjs'), join(scratch, 'listener.cjs'), join(scratch, 'tests.json')];
          const node = ['--require', listener, ...(script?.nodeArgs ?? []), ...flags];
          writeFileSync(listener, listenTo(tests));
          writeFileSync(program, `const node = ${JSON.stringify(node)};\nconst report = ${JSON.stringify(tests)};\n${PROGRAM}`);
          const measuring = coverage ? wrapper.wrap(scratch) : { argv: [], coverage: null };
          return {
            argv: [...measuring.argv, process.execPath, program, ...files],
            env: script?.env ?? {},
            tests: { file: tests, format: 'jest' },
            coverage: measuring.coverage,
          };
        },
      },
    };
  },
};

/** Each process with tests of tape leaves them in a file of its own: the name, a dot and its number. */
function listenTo(file: string): string {
  return `const report = ${JSON.stringify(file)};\n${LISTENER}`;
}

/**
 * Tests by file, as Jest's JSON. Of a process that was killed the file stays cut off, so nobody takes the others for all. A test without assertions
 * shows nothing, and is left out. Tests of other harnesses are what the tests of a plugin of tape make.
 */
const LISTENER = `
const Module = require('node:module');
const { writeFileSync } = require('node:fs');
const { fileURLToPath } = require('node:url');
const { inspect } = require('node:util');

const tests = [];
let results = null;
const load = Module._load;
Module._load = function (request, parent, ...rest) {
  const exported = load.call(this, request, parent, ...rest);
  const isOfTape = /[\\\\/]tape[\\\\/]index\\.js$/.test(parent?.filename ?? '');
  if (isOfTape && request === './lib/results') listenToResults(exported);
  if (isOfTape && request === './lib/test') listenToSkip(exported);
  return exported;
};

function listenToResults(Results) {
  const push = Results.prototype.push;
  if (typeof push !== 'function' || push.isHeard) return;
  Results.prototype.push = function (test) {
    const frames = readStack();
    if (frames.some((frame) => /^lazyLoad/.test(frame.getFunctionName() ?? ''))) {
      results = this;
      listen(test, [], findPlace(frames));
    }
    return push.apply(this, arguments);
  };
  Results.prototype.push.isHeard = true;
}

// Tape makes such a test and forgets it.
function listenToSkip(Test) {
  const { skip } = Test;
  if (typeof skip !== 'function' || skip.isHeard) return;
  Test.skip = function (...args) {
    const title = args.find((arg) => typeof arg === 'string') ?? '(anonymous)';
    add({ ancestors: [], title, ...findPlace(readStack()), isSkipped: true });
    return skip.apply(this, args);
  };
  Test.skip.isHeard = true;
}

function add(heard) {
  if (tests.length === 0) {
    // What tests start is not this run.
    const options = (process.env.NODE_OPTIONS ?? '').replace('--require ' + __filename, '').trim();
    if (options === '') delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = options;
    writeFileSync(report + '.' + process.pid, '{"testResults":[');
    // Before tape's own, which ends the process.
    process.prependListener('exit', write);
  }
  tests.push({ assertions: 0, inner: 0, failures: [], isEnded: false, isTodo: false, began: null, durationMs: null, ...heard });
  return tests.at(-1);
}

function listen(test, ancestors, place) {
  const title = String(test.name);
  const heard = add({ ancestors, title, ...place, isSkipped: Boolean(test._skip), isTodo: Boolean(test._todo) });
  heard.test = test;
  test.on('prerun', () => (heard.began = Date.now()));
  test.on('test', (inner) => {
    heard.inner += 1;
    listen(inner, [...ancestors, title], { file: place.file, line: findPlace(readStack(), place.file).line });
  });
  test.on('result', (result) => {
    if (result === null || typeof result !== 'object') return;
    if (!result.skip) heard.assertions += 1;
    if (!result.ok && !result.todo && !result.skip) heard.failures.push(describe(result));
  });
  test.on('end', () => {
    heard.isEnded = true;
    heard.durationMs = heard.began === null ? null : Date.now() - heard.began;
  });
}

function describe({ name, operator, error, at, ...result }) {
  const show = (value) => inspect(value, { depth: 3, maxStringLength: 300, breakLength: Infinity });
  const values = ['expected', 'actual'].filter((key) => key in result).map((key) => key + ': ' + show(result[key]));
  const thrown = result.actual instanceof Error ? result.actual : error;
  const stack = String(thrown?.stack ?? '').split('\\n').filter((line) => /^\\s+at /.test(line) && !/node_modules|node:/.test(line));
  return [name ?? operator ?? 'it failed', ...values, ...stack.slice(0, 5)].join('\\n');
}

function readStack() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 60;
  Error.prepareStackTrace = (_, frames) => frames;
  const frames = new Error().stack;
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return Array.isArray(frames) ? frames : [];
}

// The innermost file at work on its top level: a helper that calls tape is no test file, and a file that loads others is none either.
function findPlace(frames, file) {
  const own = frames.flatMap((frame) => {
    const name = frame.getFileName() ?? '';
    const path = name.startsWith('file:') ? fileURLToPath(name) : name;
    if (path === __filename || !/^(?:[/]|[A-Za-z]:)/.test(path) || /[\\\\/]node_modules[\\\\/]/.test(path)) return [];
    // nyc writes a file anew, without its lines.
    const line = process.env.NYC_CONFIG === undefined ? frame.getLineNumber() : null;
    return [{ file: path, line, isTop: frame.getFunctionName() === null }];
  });
  const found = file === undefined ? (own.find(({ isTop }) => isTop) ?? own[0]) : own.find((frame) => frame.file === file);
  return { file: found?.file ?? file ?? process.argv[1] ?? '', line: found?.line ?? null };
}

function write() {
  const files = new Map();
  for (const heard of tests) {
    const { ancestors, title, file, line, assertions, inner, failures, isEnded, durationMs, test } = heard;
    const isLeftOut = ancestors.length === 0 && results?._only != null && test !== undefined && test !== results._only;
    const isSkipped = heard.isSkipped || isLeftOut;
    const isOpen = !isSkipped && !isEnded;
    if (isOpen) failures.push('The process ended before this test did.');
    if (!isSkipped && failures.length === 0 && assertions === 0) continue;
    if (!files.has(file)) files.set(file, { name: file, status: 'passed', message: '', assertionResults: [] });
    const isFailed = failures.length > 0 && !heard.isTodo;
    if (isFailed) files.get(file).status = 'failed';
    files.get(file).assertionResults.push({
      ancestorTitles: ancestors,
      title,
      fullName: [...ancestors, title].join(' '),
      status: isSkipped ? 'pending' : heard.isTodo ? 'todo' : isFailed ? 'failed' : 'passed',
      duration: durationMs,
      location: line === null ? null : { line, column: 1 },
      failureMessages: isFailed ? failures.slice(0, 1) : [],
    });
  }
  const testResults = [...files.values()];
  const success = testResults.every(({ status }) => status === 'passed');
  writeFileSync(report + '.' + process.pid, JSON.stringify({ success, testResults }));
}
`;

/** One file after the other. A process that leaves no tests ended before them. */
const PROGRAM = `
const { spawnSync } = require('node:child_process');
const { readFileSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');

const testResults = [];
for (const file of process.argv.slice(2)) {
  const { status, signal, error } = spawnSync(process.execPath, [...node, file], { stdio: ['ignore', 'inherit', 'inherit'] });
  const suites = [];
  // A coverage tool may put a process of its own between.
  for (const name of readdirSync(dirname(report)).filter((one) => one.startsWith(basename(report) + '.'))) {
    const own = join(dirname(report), name);
    try {
      suites.push(...JSON.parse(readFileSync(own, 'utf8')).testResults);
    } catch {
      // It was killed.
    }
    rmSync(own);
  }
  testResults.push(...suites);
  const isShown = suites.some((suite) => suite.status === 'failed');
  const isWhole = status === 0 && suites.length > 0;
  const how = error?.message ?? signal ?? (status === 0 ? 'it ended before its tests did' : 'exit status ' + status);
  if (!isWhole && !isShown) testResults.push({ name: file, status: 'failed', message: how, assertionResults: [] });
}
const success = testResults.every(({ status }) => status === 'passed');
writeFileSync(report, JSON.stringify({ success, testResults }));
process.exitCode = success ? 0 : 1;
`;
