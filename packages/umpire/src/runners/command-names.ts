// The names of the tests that a person's own command runs. The command is asked for them by variables, which reach a runner through scripts
// too, or by words behind a command that is one call of a runner; else they are read from what it printed.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMeasured } from '@umpire/core/formats/debt-measurement.js';
import { isObject } from '@umpire/core/formats/json-text.js';
import { listCommands, readShell } from '@umpire/core/formats/shell-text.js';
import type { TestResult, ToolReport } from '@umpire/core/model/vocabulary.js';
import { isFile, isFolder, namesIn, statOf } from '../sessions/file-system.js';
import { findRunnerCall, listScriptCommands } from './package-scripts.js';
import type { ScriptCommand } from './package-scripts.js';
import { ALL_RUNNERS, RUNNERS } from './registry.js';
import { hidesFailure, readPrinted, readReport, readReportFolder, resultsInReports } from './report-file.js';
import { readManifest } from './run-tool.js';
import type { ScriptCall } from './runner.js';

export interface AskedCommand {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  /** The files that hold names, when it ended. `printed`: a file with its output. Null: one of them was written over. */
  readonly reports: (printed: string | null) => readonly string[] | null;
}

/** `scratch`: a folder outside the project. */
export function askForNames(command: string, scratch: string, workdir: string): AskedCommand {
  // Runners split these words at spaces, and the shell reads other signs.
  if (!/^[\w./+@-]+$/.test(scratch)) return { command, env: {}, reports: () => [] };
  const [only, called] = [findOnlyCall(command), findCalls(command, workdir)];
  const asked = ALL_RUNNERS.map((runner) => {
    const file = join(scratch, `${runner.name}.names`);
    const calls = called.filter((call) => call.runner === runner.name);
    const isInNode = runner.language === 'script' && runner.dependency !== null;
    const request = runner.requestNames(file, isInNode || calls.length > 0);
    const hasOwn = calls.some(({ nodeArgs, args }) => [...nodeArgs, ...args].some((word) => request.unless?.test(word) === true));
    // A second call would write over the names of the first, which then look deleted.
    const isTwice = calls.length > 1 && !isInNode && request.isPrinted !== true && runner.name !== 'node';
    return { runner, file, isInNode, ...(hasOwn || isTwice ? {} : request) };
  });
  const env = Object.assign({}, ...asked.map((each) => each.env)) as Record<string, string>;
  const behind = asked.flatMap(({ runner, isInNode, words }) =>
    isInNode || words === undefined || only?.runner !== runner.name ? [] : [words],
  );
  if (isFile(join(workdir, 'package.json')) || called.some(({ runner }) => RUNNERS[runner].language === 'script')) {
    const hook = join(scratch, 'ask.cjs');
    const runners = asked.flatMap(({ runner, file, words, unless, isInNode }) =>
      isInNode && words !== undefined
        ? [{ programs: runner.programs.map(readStem), file, words: words.split(' '), unless: unless?.source ?? null }]
        : [],
    );
    const listeners = asked.flatMap(({ file, preload }) => {
      if (preload === undefined) return [];
      writeFileSync(`${file}.cjs`, preload);
      return [`--require ${file}.cjs`];
    });
    const options = [`--require ${hook}`, ...listeners, env['NODE_OPTIONS'] ?? ''].join(' ').trim();
    const table = { runners, files: asked.map(({ file }) => file), options, before: process.env['NODE_OPTIONS'] ?? '' };
    writeFileSync(hook, `const table = ${JSON.stringify(table)};\n${HOOK}`);
    env['NODE_OPTIONS'] = options;
  }
  return {
    command: [command, ...behind].join(' '),
    env: Object.fromEntries(Object.entries(env).map(([name, words]) => [name, `${process.env[name] ?? ''} ${words}`.trim()])),
    reports: (printed) => {
      const files = namesIn(scratch).flatMap((name) => (/\.names(?:\.\d+)?$/.test(name) ? [join(scratch, name)] : []));
      const ends = asked.flatMap(({ file, ends: end }) => (end !== undefined && files.includes(file) ? [end] : []));
      const text = printed === null || ends.length === 0 ? '' : readFileSync(printed, 'utf8');
      return ends.some((end) => [...text.matchAll(end)].length > 1) ? null : files;
    },
  };
}

/** `playwright test` is started as `playwright`, mocha.js as `mocha`. */
function readStem(program: string): string {
  return (program.split(' ')[0] ?? '').replace(/\.[cm]?js$/, '');
}

/**
 * Loaded first by every process of node that the command starts. In that of a runner it adds the words, whoever wrote the call, and gives each
 * call a report of its own. Tests and what they start do not see it.
 */
const HOOK = `
const { basename } = require('node:path');
const { existsSync, renameSync } = require('node:fs');
const name = basename(process.argv[1] ?? '').replace(/\\.[cm]?js$/, '');
const asked = table.runners.find(({ programs }) => programs.includes(name));
const isNodeTest = process.execArgv.includes('--test');
if (asked !== undefined || isNodeTest) {
  // What the command added stays, such as the packages of Yarn's Plug'n'Play.
  const said = process.env.NODE_OPTIONS ?? '';
  const left = (said.includes(table.options) ? said.replace(table.options, '') : table.before).trim();
  if (left === '') delete process.env.NODE_OPTIONS;
  else process.env.NODE_OPTIONS = left;
}
if (isNodeTest) for (const file of table.files) if (existsSync(file)) renameSync(file, file + '.' + process.pid);
const own = process.argv.slice(2);
if (asked !== undefined && (asked.unless === null || !own.some((word) => new RegExp(asked.unless).test(word)))) {
  const isOwn = (flag) => own.some((word) => word === flag || word.startsWith(flag + '='));
  const added = asked.words
    .filter((word) => !word.endsWith('=default') || !isOwn(word.slice(0, -'=default'.length)))
    .map((word) => (word.endsWith(asked.file) ? word + '.' + process.pid : word));
  const end = process.argv.indexOf('--');
  process.argv.splice(end < 0 ? process.argv.length : end, 0, ...added);
}
`;

function findCalls(command: string, workdir: string): readonly ScriptCall[] {
  return listOwnCommands(command, workdir).flatMap((each) => findRunnerCall(each) ?? []);
}

/** What the command comes to, also through scripts of the package. */
export function listOwnCommands(command: string, workdir: string): readonly ScriptCommand[] {
  const { scripts } = readManifest(workdir) ?? {};
  return listCommands(command).flatMap(({ env, words }) => {
    const found = listScriptCommands(isObject(scripts) ? scripts : {}, { words });
    return found.map((each) => ({ ...each, env: { ...env, ...each.env } }));
  });
}

/** Flags by which runners choose tests by name, mark or line: of a file that ran, others did not. */
const CHOOSES =
  /^(?:-{1,2}(?:run|skip)|-t|--testNamePattern|--test-(?:name|skip)-pattern|-k|-m|-g|--grep|-f|--fgrep|-e|--example|-E|--tags?|-n|--name|--filter|--exclude|--only|-R|-L|--tests|--match|-M|--exact|--ignored|--testcase|--deselect|--bail|-x|--exitfirst|--maxfail|--fail-fast|--last-failed|--lf|--shard)(?:[=\d].*)?$|^-D(?:test|groups)=|::|\.rb:\d|\.exs:\d/;

/** May it leave out tests of the files that it runs? */
export function choosesTests(command: string, workdir: string): boolean {
  return listOwnCommands(command, workdir).some((each) => findRunnerCall(each) !== null && each.words.some((word) => CHOOSES.test(word)));
}

/** The runner's call that the whole command is. */
function findOnlyCall(command: string): ScriptCall | null {
  const { commands, background, unreadFrom } = readShell(command);
  const [only] = commands;
  const isAll = commands.length === 1 && background === null && unreadFrom === null && only?.end === command.trimEnd().length;
  return isAll && only.redirects.length === 0 && !only.words.some((word) => /[$`]/.test(word)) ? findRunnerCall(only) : null;
}

/** A report that the settings name, from the folder where the command runs. */
export interface SetReport {
  readonly report: string;
  readonly format: string | null;
}

export interface NamesAsked {
  /** Null: one of them was written over. */
  readonly reports: readonly string[] | null;
  readonly set: readonly SetReport[];
  /** What the command printed, whole; null where it printed too much. */
  readonly printed: string | null;
  readonly workdir: string;
  readonly sinceMs: number;
}

/**
 * The tests of a run: by the reports that it was asked for, else those that it writes by itself since then, else what it printed. Null where
 * nothing names a test, or a report cannot be read: those of the others alone would make its tests look deleted.
 */
export function readNames({ reports, set, printed, workdir, sinceMs }: NamesAsked): readonly TestResult[] | null {
  if (reports === null) return null;
  const place = { format: null, root: workdir, keep: Infinity };
  const written = set.flatMap(({ report, format }) => {
    const path = join(workdir, report);
    const options = { ...place, format };
    if (isFolder(path)) return [readReportFolder(path, ['**/*.xml'], options, sinceMs)];
    return (statOf(path)?.mtimeMs ?? 0) >= sinceMs ? [readReport(path, options)] : [];
  });
  const asked = [...reports.map((file) => readReport(file, place)), ...written].map((report) => readTests(report, workdir));
  if (asked.includes(null)) return null;
  const named = asked.flatMap((results) => results ?? []);
  if (named.length > 0) return named;
  const found = resultsInReports(workdir, sinceMs);
  if (found !== null || printed === null) return found;
  const results = readTests(readPrinted(printed, place), workdir) ?? [];
  return results.length === 0 ? null : results;
}

/**
 * Null where it cannot be read, notes a failure that no test of it shows, or counts tests that it does not name: a runner that names only
 * its failures would make every test look lost once it passes.
 */
function readTests(report: ToolReport, workdir: string): readonly TestResult[] | null {
  const { outcome, format, tests, results = [] } = report;
  if (!isMeasured(outcome) || hidesFailure(report) || (tests?.total ?? 0) > results.length) return null;
  const runner = ALL_RUNNERS.find(({ ownFormats = [] }) => ownFormats.includes(format));
  return runner?.locate?.(workdir, results, []) ?? results;
}
