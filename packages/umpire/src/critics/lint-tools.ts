// The linters and type checkers that a project has installed and configured, for JavaScript and Python, and how each is called. None of
// them leaves a cache in the project or fixes what it finds. Settings files are searched for headings, not parsed.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import type { Finding } from '@umpire/core/model/vocabulary.js';
import { namesIn } from '../sessions/file-system.js';
import { isPythonEnvironment } from '../sessions/python-environment.js';
import { EXIT_STATUSES } from './exit-statuses.js';
import type { LintTool } from './lint-run.js';
import { findFiles } from '../runners/project-files.js';
import { findPythonProgram, markOf } from '../runners/python-programs.js';
import type { PythonProgram } from '../runners/python-programs.js';
import { findTool, readManifest } from '../runners/run-tool.js';
import type { FoundTool } from '../runners/run-tool.js';

const SCRIPT = /\.[cm]?[jt]sx?$/;
const WEB = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|jsonc?|css|graphql)$/;

/** Linters that the project has both installed and configured. */
export function findLintTools(project: string): readonly LintTool[] {
  const names = new Set(existsSync(project) ? readdirSync(project) : []);
  const found = [eslint(project, names), oxlint(project, names), biome(project, names), tsc(project, names)];
  return [...found.filter((tool) => tool !== null), ...findPythonLinters(project)];
}

function eslint(project: string, names: ReadonlySet<string>): LintTool | null {
  const isSet =
    [...names].some((name) => name.startsWith('eslint.config.') || name.startsWith('.eslintrc')) || hasKey(project, 'eslintConfig');
  const tool = isSet ? findTool(project, 'eslint') : null;
  if (tool === null) return null;
  const flat = [...names].some((name) => name.startsWith('eslint.config.'));
  const argv = (report: string, files: readonly string[]) => [
    ...node(tool),
    '--format',
    'json',
    '--output-file',
    report,
    '--no-error-on-unmatched-pattern',
    ...(flat ? ['--no-warn-ignored'] : []),
    '--',
    ...(files.length === 0 ? ['.'] : files),
  ];
  return { ...lint('eslint', tool), takes: (path) => SCRIPT.test(path), argv, prints: false, statuses: EXIT_STATUSES.eslint };
}

function oxlint(project: string, names: ReadonlySet<string>): LintTool | null {
  const tool =
    names.has('.oxlintrc.json') || names.has('oxlint.config.ts') || isDeclared(project, 'oxlint') ? findTool(project, 'oxlint') : null;
  if (tool === null) return null;
  const argv = (_report: string, files: readonly string[]) => [...node(tool), '--format', 'json', ...files];
  const asks = { argv: (files: readonly string[]) => [...node(tool), '--debug=files', ...files] };
  return { ...lint('oxlint', tool), takes: (path) => SCRIPT.test(path), argv, prints: true, statuses: EXIT_STATUSES.oxlint, asks };
}

function biome(project: string, names: ReadonlySet<string>): LintTool | null {
  const tool = names.has('biome.json') || names.has('biome.jsonc') ? findTool(project, '@biomejs/biome', 'biome') : null;
  if (tool === null) return null;
  const argv = (_report: string, files: readonly string[]) => [
    ...node(tool),
    'lint',
    '--reporter=json',
    '--max-diagnostics=10000',
    '--no-errors-on-unmatched',
    ...files,
  ];
  return { ...lint('biome', tool), takes: (path) => WEB.test(path), argv, prints: true, statuses: EXIT_STATUSES.biome };
}

function tsc(project: string, names: ReadonlySet<string>): LintTool | null {
  const tool = names.has('tsconfig.json') && !onlyRefers(join(project, 'tsconfig.json')) ? findTool(project, 'typescript', 'tsc') : null;
  if (tool === null) return null;
  // Types are of the whole: a change in one file breaks another.
  const argv = () => [...node(tool), '--project', 'tsconfig.json', '--noEmit', '--pretty', 'false'];
  const common = { name: 'tsc', kind: 'types', language: 'script', version: tool.version, format: 'tsc' } as const;
  const isChecked = /"checkJs"\s{0,20}:\s{0,20}true/.test(configText(join(project, 'tsconfig.json')));
  const asks = {
    argv: () => [...node(tool), '--project', 'tsconfig.json', '--noEmit', '--listFilesOnly'],
    // What is written in JavaScript is loaded for its types, and checked only where that is asked for.
    passesOver: (path: string) => !isChecked && /\.[cm]?jsx?$/.test(path),
  };
  const how = { argv, prints: true, statuses: EXIT_STATUSES.tsc, isSilentWhenClean: true, isOwnFault: isTscFault } as const;
  return { ...common, ...how, takes: (path) => SCRIPT.test(path), asks };
}

/** About its settings, or about no file: the compiler leaves the types unchecked then, or checks them otherwise than was asked. */
export function isTscFault({ artifact }: Finding): boolean {
  return artifact === null || /(?:^|\/)(?:ts|js)config[^/]*\.json$/.test(artifact);
}

/** It names other projects and no file of its own: `tsc` would check nothing and be silent. Its build mode would write files. */
function onlyRefers(path: string): boolean {
  const text = configText(path);
  return text.includes('"references"') && /"files"\s{0,20}:\s{0,20}\[\s{0,200}\]/.test(text);
}

function configText(path: string): string {
  return readFileSync(path, 'utf8').slice(0, 1024 * 1024);
}

function lint(name: string, tool: FoundTool): Pick<LintTool, 'name' | 'kind' | 'language' | 'version' | 'format'> {
  return { name, kind: 'lint', language: 'script', version: tool.version, format: name };
}

function node(tool: FoundTool): readonly string[] {
  return [process.execPath, tool.bin];
}

function hasKey(project: string, key: string): boolean {
  return Object.hasOwn(readManifest(project) ?? {}, key);
}

function isDeclared(project: string, name: string): boolean {
  const { dependencies, devDependencies } = readManifest(project) ?? {};
  return [dependencies, devDependencies].some((list) => typeof list === 'object' && list !== null && Object.hasOwn(list, name));
}

const PYTHON = /\.pyi?$/;
const SOURCES = ['**/*.py', '**/*.pyi'];

/** Whatever the person's locale is, names of files are read as they are. */
const UTF8 = { PYTHONUTF8: '1' };

type PythonLinter = 'ruff' | 'flake8' | 'pylint' | 'bandit' | 'mypy' | 'pyright';

interface PythonSetup {
  readonly project: string;
  readonly program: PythonProgram;
  /** The words that start it. */
  readonly start: readonly string[];
  /** The file with its settings. */
  readonly settings: string;
}

type PythonTool = Omit<LintTool, 'name' | 'language' | 'version' | 'takes' | 'kind'>;

/** One Python linter: where its settings are, and how it is called. */
interface PythonLinterRecord {
  readonly name: PythonLinter;
  readonly kind: LintTool['kind'];
  /** Files of its own. */
  readonly files: readonly string[];
  /** Its tables in pyproject.toml, under `tool`. */
  readonly tables: readonly string[];
  /** Its sections in files that it shares with others. */
  readonly sections?: Readonly<Record<string, RegExp>>;
  /** It runs without settings where the project lists it among its packages. */
  readonly byDefault?: boolean;
  readonly tool: (setup: PythonSetup) => PythonTool;
}

/** In the order in which they run: the fast ones first. */
const PYTHON_LINTERS: readonly PythonLinterRecord[] = [
  { name: 'ruff', kind: 'lint', files: ['ruff.toml', '.ruff.toml'], tables: ['ruff'], byDefault: true, tool: ruff },
  {
    name: 'flake8',
    kind: 'lint',
    files: ['.flake8'],
    tables: ['flake8'],
    sections: { 'setup.cfg': /^\[flake8[\]:]/m, 'tox.ini': /^\[flake8[\]:]/m },
    byDefault: true,
    tool: flake8,
  },
  {
    name: 'bandit',
    kind: 'lint',
    files: ['.bandit', 'bandit.yaml', 'bandit.yml', '.bandit.yaml', '.bandit.yml'],
    tables: ['bandit'],
    tool: bandit,
  },
  {
    name: 'pylint',
    kind: 'lint',
    files: ['pylintrc', '.pylintrc', 'pylintrc.toml', '.pylintrc.toml'],
    tables: ['pylint'],
    sections: { 'setup.cfg': /^\[pylint[\].]/im, 'tox.ini': /^\[pylint[\].]/im },
    tool: pylint,
  },
  {
    name: 'mypy',
    kind: 'types',
    files: ['mypy.ini', '.mypy.ini'],
    tables: ['mypy'],
    sections: { 'setup.cfg': /^\[mypy[\]-]/m },
    tool: mypy,
  },
  { name: 'pyright', kind: 'types', files: ['pyrightconfig.json'], tables: ['pyright', 'basedpyright'], tool: pyright },
];

export function findPythonLinters(project: string): readonly LintTool[] {
  return PYTHON_LINTERS.flatMap((linter) => {
    const setup = setupOf(project, linter);
    if (setup === null || setup.program === null) return [];
    const { program, settings } = setup;
    const made = linter.tool({ project, program, settings, start: setup.start });
    return [
      {
        name: linter.name,
        kind: linter.kind,
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

/** Configured linters that are not installed. */
export function absentPythonLinters(project: string, kind: LintTool['kind'] | null = null): readonly AbsentLinter[] {
  return PYTHON_LINTERS.filter((linter) => kind === null || linter.kind === kind).flatMap((linter) => {
    const setup = setupOf(project, linter);
    return setup?.program === null ? [{ name: linter.name, settings: setup.settings }] : [];
  });
}

/** The same as sentences for the notes of a critic. */
export function absenceNotes(project: string): readonly string[] {
  return absentPythonLinters(project).map(
    ({ name, settings }) => `${name} is configured in ${settings} but not installed, so it did not run.`,
  );
}

/** The installed programs with their versions: part of the key of a stored baseline. */
export function pythonLintersMark(project: string): readonly string[] {
  return PYTHON_LINTERS.flatMap((linter) => {
    const setup = setupOf(project, linter);
    return setup === null || setup.program === null ? [] : [`${linter.name} ${markOf(setup.program)}`];
  });
}

function setupOf(project: string, linter: PythonLinterRecord) {
  const { name } = linter;
  const settings = settingsOf(project, linter);
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

function ruff({ start }: PythonSetup): PythonTool {
  const asked = [...start, 'check', '--force-exclude'];
  return {
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
    statuses: EXIT_STATUSES.ruff,
    isEmptyWhenClean: true,
    idle: /^warning: No Python files found/m,
    asks: { argv: (files) => [...asked, '--show-files', '--', ...files] },
  };
}

/** Only `--benchmark` tells the number of checked files. Its settings may change the format or name an output file. It takes no `--`. */
function flake8({ project, start }: PythonSetup): PythonTool {
  return {
    format: 'flake8',
    argv: (report, files) => [...start, '--format=default', '--benchmark', `--output-file=${report}`, ...wholeOr(project, files)],
    prints: false,
    statuses: EXIT_STATUSES.flake8,
    countsFiles: true,
  };
}

/** Paths begin with `./`, as they do where it is started on `.`: settings name what is left out in either way. */
function bandit({ project, start, settings }: PythonSetup): PythonTool {
  const config = settings === '.bandit' ? ['--ini', settings] : ['-c', settings];
  return {
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
    statuses: EXIT_STATUSES.bandit,
  };
}

/**
 * Before version 3 its JSON does not state the number of checked files, but its text report does.
 */
function pylint({ project, program, start }: PythonSetup): PythonTool {
  const major = Number(/^\d+/.exec(program.version ?? '')?.[0] ?? 0);
  return {
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
    statuses: EXIT_STATUSES.pylint,
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
function mypy({ project, start, settings }: PythonSetup): PythonTool {
  const whole = namesItsFiles(project, settings) ? [] : ['.'];
  const asked = ['--no-pretty', '--no-color-output', '--hide-error-context', '--show-error-codes', '--error-summary', '--no-incremental'];
  return {
    format: 'mypy',
    argv: (report) => [...start, ...asked, '--cache-dir=/dev/null', '--linecoverage-report', `${report}.lines`, ...whole],
    prints: true,
    statuses: EXIT_STATUSES.mypy,
    // What it does not know it says, and leaves it: an option of another version is harmless.
    unsettled: /^(?:\.?mypy\.ini|pyproject\.toml|setup\.cfg): (?!.*(?:Unrecognized option|Per-module sections)).*$/m,
    listed: (scratch) => linesListed(join(scratch, 'mypy.report.lines', 'coverage.json')),
  };
}

/** The files whose lines it checked. */
function linesListed(path: string): readonly string[] | null {
  const json = existsSync(path) ? parseJson(readFileSync(path, 'utf8')) : null;
  const lines = json?.ok === true && isObject(json.value) ? json.value['lines'] : null;
  return isObject(lines) ? Object.keys(lines) : null;
}

function pyright({ project, program, start }: PythonSetup): PythonTool {
  const python = program.python === null ? [] : ['--pythonpath', program.python];
  return {
    format: 'pyright',
    argv: () => [...start, '--outputjson', ...python],
    prints: true,
    statuses: EXIT_STATUSES.pyright,
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

/** The file that sets it up, relative to the project; null where none does. */
function settingsOf(project: string, { name: linter, files, tables, sections = {}, byDefault }: PythonLinterRecord): string | null {
  const own = files.find((name) => textAt(project, name) !== null);
  if (own !== undefined) return own;
  const pyproject = textAt(project, 'pyproject.toml') ?? '';
  if (tables.some((table) => hasTable(pyproject, table))) return 'pyproject.toml';
  const shared = Object.entries(sections).find(([name, heading]) => heading.test(textAt(project, name) ?? ''));
  if (shared !== undefined) return shared[0];
  return byDefault === true ? declaredIn(project, linter) : null;
}

function hasTable(toml: string, table: string): boolean {
  return new RegExp(`^\\s{0,8}\\[{1,2}\\s{0,8}tool\\s{0,8}\\.\\s{0,8}"?${table}"?\\s{0,8}[.\\]]`, 'm').test(toml);
}

/** Does mypy's own section say what it checks? Without that it has to be told. */
function namesItsFiles(project: string, file: string): boolean {
  const section = file === 'pyproject.toml' ? '[tool.mypy]' : '[mypy]';
  const lines = (textAt(project, file) ?? '').split('\n').map((line) => line.trim());
  const start = lines.findIndex((line) => line.replaceAll(/\s/g, '').startsWith(section));
  const end = lines.findIndex((line, at) => at > start && line.startsWith('['));
  const own = start < 0 ? [] : lines.slice(start + 1, end < 0 ? undefined : end);
  return own.some((line) => /^"?(?:files|packages|modules|package|module)"?\s{0,20}=/.test(line));
}

/** Lists of packages for development: a line of its own, or a text in a list. */
function declaredIn(project: string, linter: string): string | null {
  const end = `(?:\\[[^\\]]{0,100}\\])?\\s{0,8}(?:[=<>~!@;].{0,200})?`;
  const inToml = new RegExp(`["']${linter}${end}["']|^\\s{0,8}${linter}\\s{0,8}=`, 'm');
  if (inToml.test(textAt(project, 'pyproject.toml') ?? '')) return 'pyproject.toml';
  const inLines = new RegExp(`^${linter}${end}\\s{0,8}(?:#.{0,200})?$`, 'm');
  const lists = namesIn(project).filter((name) => /^(?:dev-|test-)?requirements[\w.-]{0,60}\.(?:txt|in)$/.test(name));
  return lists.find((name) => inLines.test(textAt(project, name) ?? '')) ?? null;
}

const MOST_CHARACTERS = 1024 * 1024;

function textAt(project: string, name: string): string | null {
  try {
    return readFileSync(join(project, name), 'utf8').slice(0, MOST_CHARACTERS).replaceAll('\r\n', '\n');
  } catch {
    return null;
  }
}
