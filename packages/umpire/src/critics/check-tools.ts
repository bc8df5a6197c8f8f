// The tools of a project that critics call: one row each, with everything that is special about it. A new tool is one more row;
// run-check-tool.ts is the one caller. None of them leaves a cache in the project or fixes what it finds, and nothing is installed. Settings
// files are searched for headings, not parsed.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { readJscpd } from '@umpire/core/formats/jscpd-findings.js';
import { readKnip } from '@umpire/core/formats/knip-findings.js';
import type { Finding } from '@umpire/core/model/vocabulary.js';
import { findFiles, readText } from '../runners/project-files.js';
import { findPythonProgram, markOf } from '../runners/python-programs.js';
import { findPackage, findTool, readManifest } from '../runners/run-tool.js';
import { isFile, namesIn } from '../sessions/file-system.js';
import { isPythonEnvironment } from '../sessions/python-environment.js';

export type ToolKind = 'types' | 'lint' | 'quality';

/** How a tool is called in one project, and how what it leaves is read. */
interface CheckCall {
  /** `report`: where its report goes. No `files`: everything that its own configuration names. */
  readonly argv: (report: string, files: readonly string[]) => readonly string[];
  /** Does it print its report instead of writing it? */
  readonly prints?: true;
  /** The name of its report, for a tool that is told a folder. */
  readonly file?: string;
  /** Reads a JSON report that is in no format of `umpire read`; null where it is none. */
  readonly read?: (value: unknown) => readonly Finding[] | null;
  /** What it means where it ends well, prints nothing and leaves no report. */
  readonly unwritten?: string;
  /** Which of its findings count; all, where it is not said. */
  readonly counts?: (finding: Finding) => boolean;
  /** Is this about its own settings, so that it did not check what it should? */
  readonly isOwnFault?: (finding: Finding) => boolean;
  /** A run that prints nothing and exits with 0 is clean. */
  readonly isSilentWhenClean?: true;
  /** An empty list and exit status 0 mean a clean run; of other tools they mean that no file was checked. */
  readonly isEmptyWhenClean?: true;
  /** The number of files that it could check, for a tool that always takes the whole project. */
  readonly universe?: () => number;
  /** A complete report states the number of checked files. */
  readonly countsFiles?: true;
  /** Its output when it ignores its settings and continues. */
  readonly unsettled?: RegExp;
  /** Its output when it finds no file to check. */
  readonly idle?: RegExp;
  /** Added to its environment. */
  readonly env?: (report: string) => Readonly<Record<string, string>>;
  /** The checked files, absolute, where it lists them beside its report; else null. */
  readonly listed?: (report: string) => readonly string[] | null;
  /** The number of checked files, where it states it beside an empty report; else null. */
  readonly counted?: (report: string) => number | null;
  /** How to ask which of some files it checks. */
  readonly asks?: FileQuestion;
}

export interface FileQuestion {
  readonly argv: (files: readonly string[]) => readonly string[];
  /** Files that it names but only loads. */
  readonly passesOver?: (path: string) => boolean;
}

/** A tool that a project has configured and installed. */
export interface CheckTool extends CheckCall {
  /** For people: `knip`, `complexity by eslint`. */
  readonly name: string;
  /** The program, where the name says more. */
  readonly program?: string;
  readonly kind: ToolKind;
  readonly language: 'script' | 'python';
  readonly version: string | null;
  /** The id of its report format. */
  readonly format: string;
  /** Does it check files of this name? */
  readonly takes: (path: string) => boolean;
  /** Exit statuses of a run that worked: any other is its own fault, such as bad settings or a crash. Its silence then proves nothing. */
  readonly statuses: readonly number[];
}

interface ToolSetup {
  readonly project: string;
  /** The file with its settings. */
  readonly settings: string;
  /** It has none: the project only lists it among its packages. */
  readonly isDefault: boolean;
  /** The words that start it. */
  readonly start: readonly string[];
  readonly version: string | null;
  /** The Python of the environment that it lies in. */
  readonly python: string | null;
}

interface ToolRow {
  readonly name: string;
  readonly kind: ToolKind;
  readonly language: CheckTool['language'];
  readonly takes?: RegExp;
  /** Settings files of its own, at the top of the project. */
  readonly files: RegExp;
  /** Where else its settings stand: a key of package.json, tables of pyproject.toml under `tool`, sections of files that it shares. */
  readonly key?: string;
  readonly tables?: readonly string[];
  readonly sections?: Readonly<Record<string, RegExp>>;
  /** It runs without settings where the project lists it among its packages. */
  readonly byDefault?: true;
  /** Of npm: the package and its command. */
  readonly npm?: readonly [name: string, command: string];
  /** In a Python environment, where it is not the name. */
  readonly programs?: readonly string[];
  readonly statuses: readonly number[];
  /** How people and agents call it. */
  readonly commands: readonly string[];
  /** Null where the project's settings give it nothing to check. */
  readonly call: (setup: ToolSetup) => CheckCall | null;
}

const SCRIPT = /\.[cm]?[jt]sx?$/;
const PYTHON = /\.pyi?$/;
const TSC = ['--project', 'tsconfig.json', '--noEmit'];
const JSCPD_ASIDE = '**/node_modules/**,**/.git/**,**/.umpire/**,**/dist/**,**/build/**,**/coverage/**';

/** In the order in which they run: the fast ones of a language first. */
const ROWS: readonly ToolRow[] = [
  {
    name: 'eslint',
    kind: 'lint',
    language: 'script',
    takes: SCRIPT,
    files: /^(?:eslint\.config\.|\.eslintrc)/,
    key: 'eslintConfig',
    npm: ['eslint', 'eslint'],
    // 2: settings, plug-ins or a crash.
    statuses: [0, 1],
    commands: ['npx eslint .', 'npx eslint'],
    call: ({ project, version, start }) => {
      const flat = namesIn(project).some((name) => name.startsWith('eslint.config.')) ? ['--no-warn-ignored'] : [];
      // Versions up to 6.7 stop at a flag that they do not know.
      const unmatched = Number.parseInt(version ?? '', 10) < 7 ? [] : ['--no-error-on-unmatched-pattern'];
      const asked = [...unmatched, ...flat, '--'];
      return { argv: (report, files) => [...start, '--format', 'json', '--output-file', report, ...asked, ...orWhole(files)] };
    },
  },
  {
    name: 'oxlint',
    kind: 'lint',
    language: 'script',
    takes: SCRIPT,
    files: /^(?:\.oxlintrc\.json|oxlint\.config\.ts)$/,
    byDefault: true,
    npm: ['oxlint', 'oxlint'],
    statuses: [0, 1],
    commands: ['npx oxlint'],
    call: ({ start }) => ({
      argv: (_report, files) => [...start, '--format', 'json', ...files],
      prints: true,
      asks: { argv: (files) => [...start, '--debug=files', ...files] },
    }),
  },
  {
    name: 'biome',
    kind: 'lint',
    language: 'script',
    takes: /\.(?:[cm]?[jt]sx?|vue|svelte|astro|jsonc?|css|graphql)$/,
    files: /^biome\.jsonc?$/,
    npm: ['@biomejs/biome', 'biome'],
    statuses: [0, 1],
    commands: ['npx biome lint', 'npx biome check'],
    call: ({ start }) => ({
      argv: (_report, files) => [...start, 'lint', '--reporter=json', '--max-diagnostics=10000', '--no-errors-on-unmatched', ...files],
      prints: true,
    }),
  },
  {
    name: 'tsc',
    kind: 'types',
    language: 'script',
    takes: SCRIPT,
    files: /^tsconfig.*\.json$/,
    npm: ['typescript', 'tsc'],
    // 1 and 2: diagnostics, with and without output. 3 and 4: the project file or its references.
    statuses: [0, 1, 2],
    commands: ['npx tsc --noEmit', 'npx tsc -p tsconfig.json --noEmit'],
    call: ({ project, start }) => {
      const text = readText(join(project, 'tsconfig.json'));
      // It names other projects and no file of its own: `tsc` would check nothing and be silent. Its build mode would write files.
      if (text === null || (text.includes('"references"') && /"files"\s{0,20}:\s{0,20}\[\s{0,200}\]/.test(text))) return null;
      const isChecked = /"checkJs"\s{0,20}:\s{0,20}true/.test(text);
      return {
        // Types are of the whole: a change in one file breaks another.
        argv: () => [...start, ...TSC, '--pretty', 'false'],
        prints: true,
        isSilentWhenClean: true,
        isOwnFault: isTscFault,
        asks: {
          argv: () => [...start, ...TSC, '--listFilesOnly'],
          // What is written in JavaScript is loaded for its types, and checked only where that is asked for.
          passesOver: (path) => !isChecked && /\.[cm]?jsx?$/.test(path),
        },
      };
    },
  },
  {
    name: 'ruff',
    kind: 'lint',
    language: 'python',
    files: /^\.?ruff\.toml$/,
    tables: ['ruff'],
    byDefault: true,
    // 2: settings or a crash.
    statuses: [0, 1],
    commands: ['ruff check .', 'ruff check', 'python -m ruff check .'],
    call: ({ start }) => {
      const asked = [...start, 'check', '--force-exclude'];
      // Settings may ask it to mend what it finds.
      const quiet = ['--no-fix', '--no-cache', '--output-format=json'];
      return {
        argv: (report, files) => [...asked, ...quiet, `--output-file=${report}`, '--', ...orWhole(files)],
        isEmptyWhenClean: true,
        idle: /^warning: No Python files found/m,
        asks: { argv: (files) => [...asked, '--show-files', '--', ...files] },
      };
    },
  },
  {
    name: 'flake8',
    kind: 'lint',
    language: 'python',
    files: /^\.flake8$/,
    tables: ['flake8'],
    sections: { 'setup.cfg': /^\[flake8[\]:]/m, 'tox.ini': /^\[flake8[\]:]/m },
    byDefault: true,
    statuses: [0, 1],
    commands: ['flake8', 'python -m flake8'],
    // Only `--benchmark` tells the number of checked files. Its settings may change the format or name an output file. It takes no `--`.
    call: ({ project, start }) => ({
      argv: (report, files) => [...start, '--format=default', '--benchmark', `--output-file=${report}`, ...orPythonSources(project, files)],
      countsFiles: true,
    }),
  },
  {
    name: 'bandit',
    kind: 'lint',
    language: 'python',
    files: /^(?:\.bandit|\.?bandit\.ya?ml)$/,
    tables: ['bandit'],
    statuses: [0, 1],
    commands: [],
    call: ({ project, start, settings }) => {
      const config = settings === '.bandit' ? ['--ini', settings] : ['-c', settings];
      // Paths begin with `./`, as they do where it is started on `.`: settings name what is left out in either way.
      const within = (files: readonly string[]) => orPythonSources(project, files).map((path) => (path === '.' ? path : `./${path}`));
      return {
        argv: (report, files) => [...start, '--quiet', '--format=json', `--output=${report}`, ...config, '--recursive', ...within(files)],
      };
    },
  },
  {
    name: 'pylint',
    kind: 'lint',
    language: 'python',
    files: /^\.?pylintrc(?:\.toml)?$/,
    tables: ['pylint'],
    sections: { 'setup.cfg': /^\[pylint[\].]/im, 'tox.ini': /^\[pylint[\].]/im },
    // A sum of bits, one for each kind of message. 1: fatal, a module could not be checked. 32: a wrong call.
    statuses: Array.from({ length: 16 }, (_, bits) => bits * 2),
    commands: ['pylint .'],
    call: ({ project, version, start }) => {
      // Before version 3 its JSON does not state the number of checked files, but its text report does.
      const isNew = Number(/^\d+/.exec(version ?? '')?.[0] ?? 0) >= 3;
      const reports = (report: string) =>
        isNew ? ['--output-format=json2', `--output=${report}`] : [`--output-format=json:${report},text:${report}.text`, '--reports=y'];
      return {
        argv: (report, files) => [...start, ...reports(report), '--recursive=y', '--', ...orPythonSources(project, files)],
        isEmptyWhenClean: true,
        unsettled: /^Failed to load '.*$/m,
        env: (report) => ({ PYLINTHOME: `${report}.home` }),
        counted: (report) => {
          const text = readText(`${report}.text`);
          const modules = /^\|module\s{1,20}\|(\d{1,9})\s{0,20}\|/m.exec(text ?? '')?.[1];
          // Without any module it reports nothing at all.
          return modules === undefined ? (text?.trim() === '' ? 0 : null) : Number(modules);
        },
      };
    },
  },
  {
    name: 'mypy',
    kind: 'types',
    language: 'python',
    files: /^\.?mypy\.ini$/,
    tables: ['mypy'],
    sections: { 'setup.cfg': /^\[mypy[\]-]/m },
    // 2: a crash, a wrong call, or a file that cannot be parsed; the others were not checked then.
    statuses: [0, 1],
    commands: ['mypy .', 'mypy', 'python -m mypy .'],
    call: ({ project, start, settings }) => {
      const whole = namesMypyFiles(project, settings) ? [] : ['.'];
      const asked = ['--no-pretty', '--no-color-output', '--hide-error-context', '--show-error-codes', '--error-summary'];
      const fresh = ['--no-incremental', '--cache-dir=/dev/null', '--linecoverage-report'];
      return {
        // Types are of the whole: a change in one file breaks another.
        argv: (report) => [...start, ...asked, ...fresh, `${report}.lines`, ...whole],
        prints: true,
        // What it does not know it says, and leaves it: an option of another version is harmless.
        unsettled: /^(?:\.?mypy\.ini|pyproject\.toml|setup\.cfg): (?!.*(?:Unrecognized option|Per-module sections)).*$/m,
        // The files whose lines it checked.
        listed: (report) => {
          const json = readJson(join(`${report}.lines`, 'coverage.json'));
          const lines = isObject(json) ? json['lines'] : null;
          return isObject(lines) ? Object.keys(lines) : null;
        },
      };
    },
  },
  {
    name: 'pyright',
    kind: 'types',
    language: 'python',
    files: /^pyrightconfig\.json$/,
    tables: ['pyright', 'basedpyright'],
    npm: ['pyright', 'pyright'],
    programs: ['pyright', 'basedpyright'],
    // 2: a crash. 3: settings. 4: a wrong call.
    statuses: [0, 1],
    commands: ['pyright'],
    call: ({ project, start, python }) => ({
      argv: () => [...start, '--outputjson', ...(python === null ? [] : ['--pythonpath', python])],
      prints: true,
      countsFiles: true,
      universe: () => findPythonSources(project).length,
      unsettled: /^Config file ".*" could not be (?:parsed|read).*$/m,
    }),
  },
  {
    name: 'jscpd',
    kind: 'quality',
    language: 'script',
    files: /^\.jscpd\.json$/,
    key: 'jscpd',
    byDefault: true,
    npm: ['jscpd', 'jscpd'],
    statuses: [0],
    commands: [],
    call: ({ start, isDefault }) => {
      const aside = isDefault ? ['--ignore', JSCPD_ASIDE] : [];
      // A threshold would end it with another status: how much is too much is not its to say here.
      const asked = ['--silent', '--threshold', '100', '--exitCode', '0', ...aside, '.'];
      return {
        argv: (report) => [...start, '--reporters', 'json', '--output', report, ...asked],
        file: 'jscpd-report.json',
        read: readJscpd,
        // Where every file is short.
        unwritten: 'jscpd found no file that is long enough to compare.',
      };
    },
  },
  {
    name: 'knip',
    kind: 'quality',
    language: 'script',
    files: /^\.?knip\.(?:jsonc?|[cm]?[jt]s)$|^knip\.config\.[cm]?[jt]s$/,
    key: 'knip',
    byDefault: true,
    npm: ['knip', 'knip'],
    // Called so that findings do not fail it. 2: settings or a crash.
    statuses: [0, 1],
    commands: [],
    call: ({ start }) => ({
      argv: () => [...start, '--reporter', 'json', '--no-exit-code', '--no-progress'],
      prints: true,
      read: readKnip,
    }),
  },
];

const LINT_KINDS: readonly ToolKind[] = ['types', 'lint'];

/** Tools that the project has both configured and installed. */
export function findCheckTools(project: string, kinds: readonly ToolKind[] = LINT_KINDS): readonly CheckTool[] {
  return ROWS.filter(({ kind }) => kinds.includes(kind)).flatMap((row): readonly CheckTool[] => {
    const { name, kind, language, statuses } = row;
    const setup = findSetup(project, row);
    const { program } = setup ?? {};
    const call = setup === null || program == null ? null : row.call({ project, ...setup, ...program });
    if (call === null || program == null) return [];
    const takes = row.takes ?? (language === 'python' ? PYTHON : null);
    const tool = { name, kind, language, version: program.version, format: name, statuses, ...call };
    // Whatever the person's locale is, names of files are read as they are.
    const env = language === 'python' ? { env: (report: string) => ({ PYTHONUTF8: '1', ...call.env?.(report) }) } : {};
    return [{ ...tool, ...env, takes: (path) => takes?.test(path) === true }];
  });
}

/** ESLint's own rule, as linters name it: `complexity`, `eslint(complexity)`. */
const COMPLEXITY = /^(?:eslint[(/])?complexity\)?$/;

/** The project's linter, asked for the complexity of functions. Null where none can. */
export function findComplexityTool(project: string, most: number): CheckTool | null {
  const linter = findCheckTools(project).find(({ name }) => name === 'eslint' || name === 'oxlint');
  if (linter === undefined) return null;
  const words = (report: string): readonly string[] => {
    // The project's own configuration with one rule more.
    if (linter.name === 'eslint') return ['--rule', `complexity: [warn, ${most}]`];
    // The rule alone, by a configuration of our own: the words of a command cannot say its limit. What the project leaves out stays out.
    const own = readJson(join(project, '.oxlintrc.json'));
    const said = isObject(own) ? own['ignorePatterns'] : undefined;
    const ignored = Array.isArray(said) ? said.filter((pattern) => typeof pattern === 'string') : [];
    const config = `${report}.json`;
    const rules = { 'eslint/complexity': ['warn', { max: most }] };
    writeFileSync(config, JSON.stringify({ categories: { correctness: 'off' }, rules }));
    return ['-c', config, '--disable-nested-config', ...ignored.map((pattern) => `--ignore-pattern=${pattern}`)];
  };
  return {
    ...linter,
    name: `complexity by ${linter.name}`,
    program: linter.name,
    kind: 'quality',
    counts: ({ rule }) => COMPLEXITY.test(rule ?? ''),
    argv: (report, files) => {
      const [node = '', bin = '', ...rest] = linter.argv(report, files);
      return [node, bin, ...words(report), ...rest];
    },
  };
}

export interface AbsentTool {
  readonly name: string;
  /** The file that sets it up. */
  readonly settings: string;
}

/** Configured Python linters that are not installed. */
export function findAbsentTools(project: string, kinds: readonly ToolKind[] = LINT_KINDS): readonly AbsentTool[] {
  return ROWS.filter(({ kind, language }) => language === 'python' && kinds.includes(kind)).flatMap((row) => {
    const setup = findSetup(project, row);
    return setup?.program === null ? [{ name: row.name, settings: setup.settings }] : [];
  });
}

/** The same as sentences for the notes of a critic. */
export function noteAbsentTools(project: string): readonly string[] {
  return findAbsentTools(project).map(({ name, settings }) => `${name} is configured in ${settings} but not installed, so it did not run.`);
}

/** The installed programs with their versions: part of the key of a stored baseline. */
export function markTools(project: string): readonly string[] {
  return ROWS.map((row) => {
    const python = row.language === 'python' ? findSetup(project, row)?.program?.mark : null;
    // A commit may set up what is installed and not set up now.
    const installed = row.npm === undefined ? null : findPackage(project, row.npm[0]);
    return `${row.name} ${installed?.version ?? '-'} ${python ?? '-'}`;
  });
}

/** Exit statuses of a run that worked; null for a tool that is not listed. */
export function findStatuses(tool: string): readonly number[] | null {
  return ROWS.find(({ name }) => name === tool)?.statuses ?? null;
}

/** The usual calls of the project's linters and type checkers. */
export function listToolCommands(project: string): readonly string[] {
  const found = new Set(findCheckTools(project).map(({ name }) => name));
  return ROWS.flatMap(({ name, commands }) => (found.has(name) ? commands : []));
}

/** Does this file tell such tools what to look for? */
export function isToolSettings(path: string, kinds: readonly ToolKind[] = LINT_KINDS): boolean {
  const file = basename(path);
  const isShared = /^(?:pyproject\.toml|setup\.cfg|tox\.ini|\.eslintignore)$/.test(file);
  return isShared || ROWS.some(({ kind, files }) => kinds.includes(kind) && files.test(file));
}

/** About its settings, or about no file: the compiler leaves the types unchecked then, or checks them otherwise than was asked. */
export function isTscFault({ artifact }: Finding): boolean {
  return artifact === null || /(?:^|\/)(?:ts|js)config[^/]*\.json$/.test(artifact);
}

function findSetup(project: string, row: ToolRow) {
  const found = findSettings(project, row);
  return found === null ? null : { ...found, program: findProgram(project, row) };
}

interface FoundProgram extends Pick<ToolSetup, 'start' | 'version' | 'python'> {
  /** What tells it from another of the same name. */
  readonly mark: string;
}

function findProgram(project: string, { name, language, npm, programs = [name] }: ToolRow): FoundProgram | null {
  const packaged = npm === undefined ? null : findTool(project, ...npm);
  if (packaged !== null) {
    const python = language === 'python' ? (findPythonProgram(project, 'python')?.python ?? null) : null;
    return { start: [process.execPath, packaged.bin], version: packaged.version, python, mark: packaged.version ?? '-' };
  }
  if (language === 'script') return null;
  const [found] = programs.flatMap((program) => findPythonProgram(project, program) ?? []);
  // The package of npm is a script for Node.
  const runsInNode = found !== undefined && /\.[cm]?js$/.test(found.path);
  return found === undefined ? null : { ...found, start: runsInNode ? [process.execPath, found.path] : [found.path], mark: markOf(found) };
}

/** The file that sets a tool up, relative to the project; null where none does. */
function findSettings(
  project: string,
  { name: tool, language, files, key, tables = [], sections = {}, byDefault, npm }: ToolRow,
): { readonly settings: string; readonly isDefault: boolean } | null {
  const names = namesIn(project);
  const readAt = (name: string): string => (readText(join(project, name)) ?? '').replaceAll('\r\n', '\n');
  const manifest = language === 'script' ? (readManifest(project) ?? {}) : {};
  const toml = readAt('pyproject.toml');
  const hasTable = (table: string): boolean =>
    new RegExp(`^\\s{0,8}\\[{1,2}\\s{0,8}tool\\s{0,8}\\.\\s{0,8}"?${table}"?\\s{0,8}[.\\]]`, 'm').test(toml);
  const own = names.find((name) => files.test(name) && readText(join(project, name)) !== null);
  const settings =
    own ??
    (key !== undefined && Object.hasOwn(manifest, key) ? 'package.json' : undefined) ??
    (tables.some(hasTable) ? 'pyproject.toml' : undefined) ??
    Object.entries(sections).find(([name, heading]) => heading.test(readAt(name)))?.[0];
  if (settings !== undefined) return { settings, isDefault: false };
  if (byDefault !== true) return null;
  if (language === 'script') {
    const lists = [manifest['dependencies'], manifest['devDependencies']];
    const isListed = lists.some((list) => isObject(list) && Object.hasOwn(list, npm?.[0] ?? tool));
    return isListed ? { settings: 'package.json', isDefault: true } : null;
  }
  // Lists of packages for development: a line of its own, or a text in a list.
  const end = `(?:\\[[^\\]]{0,100}\\])?\\s{0,8}(?:[=<>~!@;].{0,200})?`;
  const inToml = new RegExp(`["']${tool}${end}["']|^\\s{0,8}${tool}\\s{0,8}=`, 'm');
  if (inToml.test(toml)) return { settings: 'pyproject.toml', isDefault: true };
  const inLines = new RegExp(`^${tool}${end}\\s{0,8}(?:#.{0,200})?$`, 'm');
  const lists = names.filter((name) => /^(?:dev-|test-)?requirements[\w.-]{0,60}\.(?:txt|in)$/.test(name));
  const listed = lists.find((name) => inLines.test(readAt(name)));
  return listed === undefined ? null : { settings: listed, isDefault: true };
}

function orWhole(files: readonly string[]): readonly string[] {
  return files.length === 0 ? ['.'] : files;
}

function findPythonSources(project: string): readonly string[] {
  return findFiles(project, ['**/*.py', '**/*.pyi']);
}

/** What stands at the top of the project and holds Python: `.` would also mean its virtual environment. */
function orPythonSources(project: string, files: readonly string[]): readonly string[] {
  if (files.length > 0) return files;
  const tops = new Set(findPythonSources(project).map((path) => path.split('/')[0] ?? ''));
  return orWhole([...tops].filter((name) => name !== '' && !name.startsWith('-') && !isPythonEnvironment(join(project, name))));
}

/** Does mypy's own section say what it checks? Without that it has to be told. */
function namesMypyFiles(project: string, file: string): boolean {
  const section = file === 'pyproject.toml' ? '[tool.mypy]' : '[mypy]';
  const lines = (readText(join(project, file)) ?? '').split('\n').map((line) => line.trim());
  const start = lines.findIndex((line) => line.replaceAll(/\s/g, '').startsWith(section));
  const end = lines.findIndex((line, at) => at > start && line.startsWith('['));
  const own = start < 0 ? [] : lines.slice(start + 1, end < 0 ? undefined : end);
  return own.some((line) => /^"?(?:files|packages|modules|package|module)"?\s{0,20}=/.test(line));
}

const MOST_BYTES = 64 * 1024 * 1024;

/** Null where it cannot be read. */
export function readJson(path: string): unknown {
  const bytes = isFile(path) ? readFileSync(path) : null;
  const json = bytes === null || bytes.length > MOST_BYTES ? null : parseJson(bytes.toString('utf8'));
  return json?.ok === true ? json.value : null;
}
