// The linters and type checkers for Python that a project has both settings and a program of, and how each is asked for a report. None
// leaves a cache in the project or mends what it finds.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { isPythonEnvironment } from '../sessions/python-environment.js';
import type { LintTool } from './lint-tool.js';
import { findFiles } from './project-files.js';
import { findPythonProgram, markOf } from './python-programs.js';
import type { PythonProgram } from './python-programs.js';
import { namesItsFiles, settingsOf } from './python-settings.js';
import type { PythonLinter } from './python-settings.js';
import { findTool } from './tool.js';

const PYTHON = /\.pyi?$/;
const SOURCES = ['**/*.py', '**/*.pyi'];

/** Whatever the person's locale is, names of files are read as they are. */
const UTF8 = { PYTHONUTF8: '1' };

interface Setup {
  readonly project: string;
  readonly program: PythonProgram;
  /** The words that start it. */
  readonly start: readonly string[];
  /** The file that sets it up. */
  readonly settings: string;
}

type Maker = (setup: Setup) => Omit<LintTool, 'name' | 'language' | 'version' | 'takes'>;

/** In the order in which they are run: the fast ones first. */
const MAKERS: readonly (readonly [PythonLinter, Maker])[] = [
  ['ruff', ruff],
  ['flake8', flake8],
  ['bandit', bandit],
  ['pylint', pylint],
  ['mypy', mypy],
  ['pyright', pyright],
];

export function findPythonLinters(project: string): readonly LintTool[] {
  return MAKERS.flatMap(([name, make]) => {
    const setup = setupOf(project, name);
    if (setup === null || setup.program === null) return [];
    const { program, settings } = setup;
    const made = make({ project, program, settings, start: setup.start });
    return [
      {
        name,
        language: 'python' as const,
        version: program.version,
        takes: (path: string) => PYTHON.test(path),
        ...made,
        env: (scratch: string) => ({ ...UTF8, ...made.env?.(scratch) }),
      },
    ];
  });
}

export interface AbsentLinter {
  readonly name: string;
  /** The file that sets it up. */
  readonly settings: string;
}

/** Those that have settings here and no program. */
export function absentPythonLinters(project: string, kind: LintTool['kind'] | null = null): readonly AbsentLinter[] {
  const wanted = MAKERS.filter(([name]) => kind === null || (kind === 'types') === (name === 'mypy' || name === 'pyright'));
  return wanted.flatMap(([name]) => {
    const setup = setupOf(project, name);
    return setup?.program === null ? [{ name, settings: setup.settings }] : [];
  });
}

/** The same for the notes of a critic, one sentence each. */
export function absenceNotes(project: string): readonly string[] {
  return absentPythonLinters(project).map(({ name, settings }) => `${name} is set up in ${settings} and not installed, so it was not run.`);
}

/** Which programs there are, for whoever keeps what they measured. */
export function pythonLintersMark(project: string): readonly string[] {
  return MAKERS.flatMap(([name]) => {
    const setup = setupOf(project, name);
    return setup === null || setup.program === null ? [] : [`${name} ${markOf(setup.program)}`];
  });
}

function setupOf(project: string, name: PythonLinter) {
  const settings = settingsOf(project, name);
  if (settings === null) return null;
  const program = name === 'pyright' ? findPyright(project) : findPythonProgram(project, name);
  // The package of npm is a script for Node.
  const start = program === null ? [] : /\.[cm]?js$/.test(program.path) ? [process.execPath, program.path] : [program.path];
  return { settings, program, start };
}

function findPyright(project: string): PythonProgram | null {
  const python = findPythonProgram(project, 'pyright') ?? findPythonProgram(project, 'basedpyright');
  const npm = findTool(project, 'pyright');
  if (npm === null) return python;
  const own = findPythonProgram(project, 'python');
  return { path: npm.bin, version: npm.version, python: own?.python ?? null };
}

function ruff({ start }: Setup): ReturnType<Maker> {
  const asked = [...start, 'check', '--force-exclude'];
  return {
    kind: 'lint',
    format: 'ruff',
    // Settings may ask it to mend what it finds.
    argv: (report, files) => [
      ...asked,
      '--no-fix',
      '--no-cache',
      '--output-format=json',
      `--output-file=${report}`,
      '--',
      ...(files.length === 0 ? ['.'] : files),
    ],
    prints: false,
    statuses: [0, 1],
    isEmptyWhenClean: true,
    idle: /^warning: No Python files found/m,
    looks: { argv: (files) => [...asked, '--show-files', '--', ...files] },
  };
}

/** It tells how many files it looked at by a benchmark alone. Its settings may ask for other lines, or a file of their own. It takes no `--`. */
function flake8({ project, start }: Setup): ReturnType<Maker> {
  return {
    kind: 'lint',
    format: 'flake8',
    argv: (report, files) => [...start, '--format=default', '--benchmark', `--output-file=${report}`, ...wholeOr(project, files)],
    prints: false,
    statuses: [0, 1],
    countsFiles: true,
  };
}

/** Paths begin with `./`, as they do where it is started on `.`: settings name what is left out in either way. */
function bandit({ project, start, settings }: Setup): ReturnType<Maker> {
  const config = settings === '.bandit' ? ['--ini', settings] : ['-c', settings];
  return {
    kind: 'lint',
    format: 'bandit',
    argv: (report, files) => [
      ...start,
      '--quiet',
      '--format=json',
      `--output=${report}`,
      ...config,
      '--recursive',
      ...wholeOr(project, files).map((path) => (path === '.' ? path : `./${path}`)),
    ],
    prints: false,
    statuses: [0, 1],
  };
}

/**
 * Its status is a sum of bits, one for each kind of message; 32 stands for a wrong call. Before version 3 its JSON does not say how many
 * files it looked at, and its report for people does.
 */
function pylint({ project, program, start }: Setup): ReturnType<Maker> {
  const major = Number(/^\d+/.exec(program.version ?? '')?.[0] ?? 0);
  return {
    kind: 'lint',
    format: 'pylint',
    argv: (report, files) => [
      ...start,
      ...(major >= 3
        ? ['--output-format=json2', `--output=${report}`]
        : [`--output-format=json:${report},text:${report}.text`, '--reports=y']),
      '--recursive=y',
      '--',
      ...wholeOr(project, files),
    ],
    prints: false,
    statuses: Array.from({ length: 32 }, (_, status) => status),
    isEmptyWhenClean: true,
    unsettled: /^Failed to load '.*$/m,
    env: (scratch) => ({ PYLINTHOME: join(scratch, 'pylint') }),
    counted: (scratch) => modulesIn(join(scratch, 'pylint.report.text')),
  };
}

/** Without any module it reports nothing at all. */
function modulesIn(path: string): number | null {
  if (!existsSync(path)) return null;
  const text = readFileSync(path, 'utf8');
  const modules = /^\|module\s{1,20}\|(\d{1,9})\s{0,20}\|/m.exec(text)?.[1];
  return modules === undefined ? (text.trim() === '' ? 0 : null) : Number(modules);
}

/** Types are of the whole: a change in one file breaks another. */
function mypy({ project, start }: Setup): ReturnType<Maker> {
  const whole = namesItsFiles(project) ? [] : ['.'];
  const asked = ['--no-pretty', '--no-color-output', '--hide-error-context', '--show-error-codes', '--error-summary', '--no-incremental'];
  return {
    kind: 'types',
    format: 'mypy',
    argv: (report) => [...start, ...asked, '--cache-dir=/dev/null', '--linecoverage-report', `${report}.lines`, ...whole],
    prints: true,
    statuses: [0, 1],
    // What it does not know it says, and leaves it: an option of another version is harmless.
    unsettled: /^(?:\.?mypy\.ini|pyproject\.toml|setup\.cfg): (?!.*(?:Unrecognized option|Per-module sections)).*$/m,
    listed: (scratch) => linesListed(join(scratch, 'mypy.report.lines', 'coverage.json')),
  };
}

/** By file, the lines that it looked at. */
function linesListed(path: string): readonly string[] | null {
  const json = existsSync(path) ? parseJson(readFileSync(path, 'utf8')) : null;
  const lines = json?.ok === true && isObject(json.value) ? json.value['lines'] : null;
  return isObject(lines) ? Object.keys(lines) : null;
}

function pyright({ project, program, start }: Setup): ReturnType<Maker> {
  const python = program.python === null ? [] : ['--pythonpath', program.python];
  return {
    kind: 'types',
    format: 'pyright',
    argv: () => [...start, '--outputjson', ...python],
    prints: true,
    statuses: [0, 1],
    countsFiles: true,
    universe: () => findFiles(project, SOURCES).length,
    unsettled: /^Config file ".*" could not be (?:parsed|read).*$/m,
  };
}

/** What stands at the top of the project and holds Python: `.` would also mean its virtual environment. */
function wholeOr(project: string, files: readonly string[]): readonly string[] {
  if (files.length > 0) return files;
  const tops = new Set(findFiles(project, SOURCES).map((path) => path.split('/')[0] ?? ''));
  const own = [...tops].filter((name) => name !== '' && !name.startsWith('-') && !isPythonEnvironment(join(project, name)));
  return own.length === 0 ? ['.'] : own;
}
