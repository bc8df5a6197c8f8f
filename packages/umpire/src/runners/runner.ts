// What a test runner is to Umpire, in one shape: how a project shows that it has it, how it is asked for its test files, how a run is
// called so that its reports lie outside the project, how a person's own command is made to name its tests, and what in it misleads. One
// file a runner; registry.ts lists them.

import { join } from 'node:path';
import type { RunnerName } from '../sessions/settings.js';
import { namesIn } from '../sessions/file-system.js';
import { readText } from './project-files.js';
import type { ToolJob } from './run-tool.js';

export type { RunnerName } from '../sessions/settings.js';

export interface Runner {
  readonly name: RunnerName;
  /** For people. */
  readonly title: string;
  readonly language: 'script' | 'python';
  /** Words that call it in a script, without their folder. */
  readonly programs: readonly string[];
  /** Names of its settings files. */
  readonly settings: RegExp | null;
  /** The npm package that brings it; in package.json its settings have the same name. */
  readonly dependency: string | null;
  /** Do other files of a folder show it? */
  readonly isShownIn?: (folder: string) => boolean;
  /** Do its settings name projects, so that it runs the tests of packages too, and measures their coverage together? */
  readonly namesProjects?: (folder: string) => boolean;
  /** npm packages whose versions decide what is measured. */
  readonly packages: readonly string[];
  /** How people and agents call it. */
  readonly commands: readonly string[];
  /** Patterns of its test files, from the folder: where it cannot be asked. */
  readonly testFiles: (place: Pick<TestPlace, 'folder' | 'script'>) => readonly string[];
  /** `scratch`: a folder outside the project. */
  readonly prepare: (place: TestPlace, job: ToolJob, scratch: string) => Preparation | Promise<Preparation>;
  /** How a person's command leaves the names of its tests in a file. `isCalled`: the command is one call of this runner. */
  readonly requestNames: (file: string, isCalled: boolean) => NameRequest;
  /** Where one file cannot be loaded, no test runs. */
  readonly stopsAtBrokenFile?: true;
  /** It leaves out what is not focused (`.only`), and reports it as skipped. Others are told to refuse, or run all. */
  readonly skipsUnfocused?: true;
}

export interface NameRequest {
  /** Behind the command. */
  readonly words?: string;
  /** Variables, which reach the runner through scripts too. */
  readonly env?: Readonly<Record<string, string>>;
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
  readonly file: string;
  /** As the readers know it. */
  readonly format: string;
  /** The tool counts lines from 0. */
  readonly countsFromZero?: boolean;
}

export interface RunnerCall {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly tests: ReportAt;
  /** Null where coverage is not asked for, or cannot be measured. */
  readonly coverage: ReportAt | null;
}

/** A runner that is there. */
export interface ReadyRunner {
  readonly version: string | null;
  /** Why coverage cannot be measured here, and what to do; null where it can. */
  readonly uncovered: string | null;
  /** How to count source files that no test loads; null where the project's own settings count them. */
  readonly countAllHint: string | null;
  /** How the runner is asked for its test files; null where it cannot be. */
  readonly listing: TestFileListing | null;
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

/** `absent`: why the runner cannot be used, and what to do about it. */
export type Preparation = { readonly ready: ReadyRunner } | { readonly absent: string };

const JS = '{js,cjs,mjs,jsx,ts,cts,mts,tsx}';

/** Names that every runner of JavaScript takes for tests. */
export const JS_TESTS: readonly string[] = [`**/*.{test,spec}.${JS}`, `**/__tests__/**/*.${JS}`];
export const PYTHON_TESTS: readonly string[] = ['**/test_*.py', '**/*_test.py'];

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
