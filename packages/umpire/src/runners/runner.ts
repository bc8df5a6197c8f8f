// What a test runner is to Umpire, in one shape: how a project shows that it has it, how it is asked for its test files, how a run is
// called so that it reports by name, how a person's own command is made to name its tests, which files decide its outcome, and what makes
// it pass without having run. One file a runner; registry.ts lists them.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Coverage, TestResult } from '@umpire/core/model/vocabulary.js';
import type { RunnerName } from '../sessions/settings.js';
import { namesIn } from '../sessions/file-system.js';
import { LANGUAGES } from './languages.js';
import type { LanguageName } from './languages.js';
import { readText } from './project-files.js';
import type { ToolJob } from './run-tool.js';

export type { RunnerName } from '../sessions/settings.js';

export interface Runner {
  readonly name: RunnerName;
  /** For people. */
  readonly title: string;
  /** Null: any. */
  readonly language: LanguageName | null;
  /** How scripts and people call it, without the program's folder: `vitest`, `go test`. */
  readonly programs: readonly string[];
  /** Names of its settings files. */
  readonly settings: RegExp | null;
  /** The npm package that brings it; in package.json its settings have the same name. */
  readonly dependency: string | null;
  /** What a test file imports that is this runner's where nothing else tells, and where a script runs the file itself. */
  readonly imports?: RegExp;
  /** For a runner that no package.json shows. */
  readonly signs?: Signs;
  /** Do its settings name projects, so that it runs the tests of packages too, and measures their coverage together? */
  readonly namesProjects?: (folder: string) => boolean;
  /** Patterns of files beside the tests that decide its outcome: settings, set-up, build. */
  readonly judges: readonly string[];
  /** What it prints where it exits 0 although no test ran, and what that means, as a sentence. */
  readonly traps: readonly Trap[];
  /** Its words and flags that keep it at work, so that it never ends by itself; also where no terminal is there. */
  readonly watches?: { readonly verbs?: readonly string[]; readonly flags: readonly string[] };
  /** npm packages whose versions decide what is measured. */
  readonly packages: readonly string[];
  /** How people and agents call it. */
  readonly commands: readonly string[];
  /** Patterns of its test files, from the folder: where it cannot be asked. */
  readonly testFiles: (place: Pick<TestPlace, 'folder' | 'script'>) => readonly string[];
  /** What a file of these names holds if it has tests, where names do not tell. */
  readonly testMark?: RegExp;
  /** Test files are sources too, so they stay in the coverage figure. */
  readonly testsInSource?: true;
  /** `scratch`: a folder outside the project. */
  readonly prepare: (place: TestPlace, job: ToolJob, scratch: string) => Preparation | Promise<Preparation>;
  /** How a person's command leaves the names of its tests in a file. `isCalled`: the command is one call of this runner. */
  readonly requestNames: (file: string, isCalled: boolean) => NameRequest;
  /** Where one file cannot be loaded, no test runs: those of the files, absolute, that it says are broken. */
  readonly findBrokenFiles?: (printed: string, files: readonly string[]) => readonly string[];
  /** It leaves out what is not focused (`.only`), and reports it as skipped. Others are told to refuse, or run all. */
  readonly skipsUnfocused?: true;
  /** What ends a test that takes too long. */
  readonly timeLimit?: TimeLimit;
  /** Report formats that no other runner writes: whose tests they name is then known. */
  readonly ownFormats?: readonly string[];
  /**
   * Finds files and lines of tests that its report names without them. `folder`: of the place; files of results are from there. `files`: those
   * that were run, absolute.
   */
  readonly locate?: (folder: string, results: readonly TestResult[], files: readonly string[]) => readonly TestResult[];
}

export interface TimeLimit {
  /** What a test says that exceeded it. The first group is the limit, with its unit. */
  readonly said: RegExp;
  /** What its report says in place of it: what was printed tells the limit. */
  readonly hidden?: string;
  /** The words of a call, with another limit for each test. Absent: the runner has no flag for it. */
  readonly allow?: (argv: readonly string[], timeMs: number) => readonly string[];
}

/** The words with this flag at their end, and without it elsewhere. */
export function setFlag(argv: readonly string[], name: string, value: string): readonly string[] {
  const isValue = (at: number): boolean => argv[at - 1] === name;
  return [...argv.filter((word, at) => word !== name && !word.startsWith(`${name}=`) && !isValue(at)), `${name}=${value}`];
}

export interface Signs {
  /** Patterns of the files that may show it, below the project. */
  readonly files: readonly string[];
  readonly isShownIn: (folder: string) => boolean;
  /** Does a run in a folder also run the tests of a folder within it that shows the runner? `inner` is from the outer one. */
  readonly coversInner: (outer: string, inner: string) => boolean;
}

export interface Trap {
  readonly printed: RegExp;
  readonly means: string;
}

export interface NameRequest {
  /** Behind the command. */
  readonly words?: string;
  /** Variables, which reach the runner through scripts too. */
  readonly env?: Readonly<Record<string, string>>;
  /** The text of a program that each process of node loads first. It leaves names in files of this name, a dot and a number. */
  readonly preload?: string;
  /** It names its tests in what it prints anyway, or is made to by the words or variables: no file is written. */
  readonly isPrinted?: true;
  /** Words of a call that already asks for reports of its own: they win, and nothing is added. */
  readonly unless?: RegExp;
  /** What each call prints at its end, where a second one would write over the report of the first. */
  readonly ends?: RegExp;
}

/** One call of a runner in a script. */
export interface ScriptCall {
  readonly runner: RunnerName;
  /** `NODE_ENV=test`, also by cross-env. */
  readonly env: Readonly<Record<string, string>>;
  /** Flags of node itself: `node --import tsx --test`. */
  readonly nodeArgs: readonly string[];
  /** Flags of a coverage tool around the runner: `c8 --all mocha`. */
  readonly wrapperArgs: readonly string[];
  readonly args: readonly string[];
}

/** One runner in one folder of the project. */
export interface TestPlace {
  readonly runner: RunnerName;
  /** Absolute, links resolved. */
  readonly folder: string;
  /** From the project, with forward slashes; empty for the project itself. */
  readonly path: string;
  /** The package's script that calls this runner; null where another sign gave it away. */
  readonly script: ScriptCall | null;
}

/** Which tests are run. Paths are absolute. */
export interface Selection {
  readonly files: readonly string[];
  /** Test files of the place that are not run. Where there are none, the runner need not be told the others. */
  readonly others: readonly string[];
  readonly coverage: boolean;
}

export interface ReportAt {
  /** Absolute. A folder: every XML file in it that this run wrote, or those of `files`. */
  readonly file: string;
  /** Patterns of reports in a folder. */
  readonly files?: readonly string[];
  /** It is what the runner prints to stdout, kept in `file`. */
  readonly isPrinted?: true;
  /** What it prints to stderr stands among it, in its place. */
  readonly joinsStderr?: true;
  /** As the readers know it. Null: by its content. */
  readonly format: string | null;
  /** The tool counts lines from 0. */
  readonly countsFromZero?: boolean;
  /** Coverage: what the tool's own total counts of a file, where that is not its lines alone. */
  readonly counts?: readonly (keyof Coverage)[];
  /** Patterns of files that its paths are the ends of: a package and a file. */
  readonly endsOf?: readonly string[];
  /** What its paths begin with before the path from the place's folder: a module's name. */
  readonly prefix?: string;
}

export interface RunnerCall {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly tests: ReportAt;
  /** Null where coverage is not asked for, or cannot be measured. */
  readonly coverage: ReportAt | null;
  /** The person's command, where nothing says that it names its tests: without names its exit status decides. */
  readonly unnamed?: UnnamedCall;
}

export interface UnnamedCall {
  readonly command: string;
  /** What to set so that it names them, as a sentence. */
  readonly advice: string;
}

/** A runner that is there. */
export interface ReadyRunner {
  readonly version: string | null;
  /** How messages name it; without it, the runner's name. */
  readonly label?: string;
  /** What to do where its report cannot be read, as a sentence. */
  readonly advice?: string;
  /** Why coverage cannot be measured here, and what to do; null where it can. */
  readonly uncovered: string | null;
  /** How to count source files that no test loads; null where the project's own settings count them. */
  readonly countAllHint: string | null;
  /** The project's own settings say which files are measured, test files among them: they stay in the figure. */
  readonly countsTestFiles?: boolean;
  /** How the runner is asked for its test files; null where it cannot be. */
  readonly listing: TestFileListing | null;
  /** How its tests are counted without running them; without it they are counted by reading. */
  readonly list?: TestListing;
  /** `scratch`: a folder outside the project, for this call alone. */
  readonly call: (selection: Selection, scratch: string) => RunnerCall;
}

export interface TestFileListing {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The file to read; null: what it prints. */
  readonly file: string | null;
  /** Absolute, or from the folder; null where this is no answer. */
  readonly readFiles: (text: string) => readonly string[] | null;
}

export interface TestListing {
  /** Null: what it answers when it is asked for its test files tells its tests too. */
  readonly call: Pick<TestFileListing, 'argv' | 'env' | 'file'> | null;
  /** Null where this is no answer. */
  readonly countTests: (text: string) => number | null;
}

/** `absent`: why the runner cannot be used, and what to do about it. */
export type Preparation = { readonly ready: ReadyRunner } | { readonly absent: string };

/** Names that every runner of JavaScript takes for tests. */
export const JS_TESTS = LANGUAGES.script.tests;
export const PYTHON_TESTS = LANGUAGES.python.tests;

/** The list in a text that may have other lines before it; null where there is none. */
export function findJsonList(text: string): readonly unknown[] | null {
  for (let at = text.indexOf('['); at >= 0; at = text.indexOf('\n[', at) < 0 ? -1 : text.indexOf('\n[', at) + 1) {
    try {
      const value: unknown = JSON.parse(text.slice(at));
      return Array.isArray(value) ? value : null;
    } catch {
      // It was some other line.
    }
  }
  return null;
}

/** Flags of a program by their names. */
export interface KnownFlags {
  readonly withValue: readonly string[];
  readonly plain: readonly string[];
  /** Left out, with their values. */
  readonly dropped?: readonly string[];
}

/** The known flags among some words with their values, and the words that are no flag. Every other flag is left out. */
export function keepFlags(
  words: readonly string[],
  { withValue, plain, dropped = [] }: KnownFlags,
): { readonly flags: readonly string[]; readonly others: readonly string[] } {
  const flags: string[] = [];
  const others: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const name = word.includes('=') ? word.slice(0, word.indexOf('=')) : word;
    const next = words[at + 1];
    const hasValue = name === word && next !== undefined && (withValue.includes(name) || dropped.includes(name));
    if (!word.startsWith('-')) others.push(word);
    else if (withValue.includes(name)) flags.push(word, ...(hasValue ? [next] : []));
    else if (plain.includes(name)) flags.push(word);
    if (hasValue) at += 1;
  }
  return { flags, others };
}

export function hasFlag(args: readonly string[], name: string): boolean {
  return args.some((word) => word === name || word.startsWith(`${name}=`));
}

/** The texts of the settings files in a folder, and of the one that the script names. Programs are read as text, never run. */
export function readSettingsText(folder: string, names: RegExp, args: readonly string[]): string {
  const at = args.findIndex((word) => /^(?:-c|--config)(?:=|$)/.test(word));
  const named = at < 0 ? [] : [args[at]?.includes('=') === true ? args[at].slice(args[at].indexOf('=') + 1) : (args[at + 1] ?? '')];
  const files = [...namesIn(folder).filter((name) => names.test(name)), ...named];
  return files.map((name) => readText(join(folder, name)) ?? '').join('\n');
}

/**
 * TAP of files, tests and assertions: the tests are kept. One that failed has the message of its first failed assertion; a file is one where it
 * failed and no test in it did.
 */
export function foldAssertions(folder: string, results: readonly TestResult[]): readonly TestResult[] {
  const isIn = (id: string, outer: string): boolean => id.startsWith(`${outer} > `);
  const groups = new Set(results.flatMap(({ id }) => id.split(' > ').map((_, at, parts) => parts.slice(0, at).join(' > '))));
  const failed = results.filter(({ status }) => status === 'failed' || status === 'errored');
  return results.flatMap((result) => {
    const parts = result.id.split(' > ');
    const file = existsSync(join(folder, parts[0] ?? '')) ? (parts[0] ?? null) : result.file;
    const inner = failed.filter(({ id }) => isIn(id, result.id));
    const isGroup = groups.has(result.id);
    if (parts.length === 1 && isGroup && (!failed.includes(result) || inner.length > 0)) return [];
    // An assertion.
    if (parts.length > 2 && !isGroup && result.status !== 'skipped') return [];
    const [first] = inner;
    const why = first === undefined ? {} : { message: first.message ?? first.id.slice(result.id.length + ' > '.length), line: first.line };
    return [{ ...result, ...why, file, status: parts.length === 1 && failed.includes(result) ? 'errored' : result.status }];
  });
}
