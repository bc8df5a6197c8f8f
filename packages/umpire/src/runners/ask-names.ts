// How a command is asked for the names of its tests: by environment variables, which reach the runner through scripts too, or by words behind
// a command that is one call of a runner. A runner that ignores them is judged by what it prints, or by its exit status.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { baseOf, splitChain } from './package-scripts.js';
import { NODE_REPORTER } from './node-test.js';

export interface AskedCommand {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  /** Files that may hold reports when it ended. */
  readonly reports: readonly string[];
}

/** `scratch`: a folder outside the project. */
export function askForNames(command: string, scratch: string): AskedCommand {
  // Runners split these words at spaces, and the shell reads other signs.
  if (!/^[\w./+@-]+$/.test(scratch)) return { command, env: {}, reports: [] };
  const at = (name: string): string => join(scratch, name);
  const reporter = at('reporter.mjs');
  writeFileSync(reporter, NODE_REPORTER);
  const call = callIn(command);
  // Node counts reporters and destinations together with those of the command.
  const isNode = call?.runner === '--test' && !command.includes('--test-reporter');
  const added: Readonly<Record<string, string>> = {
    ...(isNode ? { NODE_OPTIONS: [reported('spec', 'stdout'), reported(reporter, at('node.json'))].join(' ') } : {}),
    PYTEST_ADDOPTS: `--junitxml=${at('pytest.xml')} -o junit_family=xunit1`,
    SPEC_OPTS: `--format progress --format json --out ${at('rspec.json')}`,
    GOFLAGS: '-v',
  };
  const around = Object.entries(added).map(([name, words]) => [name, `${process.env[name] ?? ''} ${words}`.trim()]);
  const words = RUNNERS[call?.runner ?? '']?.(at('runner.json'));
  return {
    command: words === undefined ? command : `${command} ${words}`,
    env: Object.fromEntries(around) as Record<string, string>,
    reports: ['node.json', 'pytest.xml', 'rspec.json', 'runner.json'].map(at),
  };
}

function reported(reporter: string, destination: string): string {
  return `--test-reporter=${reporter} --test-reporter-destination=${destination}`;
}

/** The word that calls a runner, and the words that make it write names to a file. Null: an environment variable does. */
const RUNNERS: Readonly<Record<string, ((file: string) => string) | null>> = {
  '--test': null,
  pytest: null,
  vitest: (file) => `--reporter=default --reporter=json --outputFile.json=${file}`,
  jest: (file) => `--json --outputFile=${file}`,
  mocha: (file) => `--reporter json --reporter-option output=${file}`,
};

/** The runner that the command calls, if it is one call, and the words behind it. */
function callIn(command: string): { readonly runner: string; readonly behind: readonly string[] } | null {
  if (splitChain(command).length !== 1 || /[<>`$#]/.test(command)) return null;
  const words = command.trim().split(/\s+/);
  const at = words.findIndex((word) => Object.hasOwn(RUNNERS, baseOf(word)));
  return at < 0 ? null : { runner: baseOf(words[at] ?? ''), behind: words.slice(at + 1) };
}

/**
 * Does the command pick these test files, and can it be asked for the names of their tests? Then it runs as it is, and not all tests of the
 * project. Runners take a file, a folder, or a part of a path.
 */
export function picksTests(command: string, files: readonly string[]): boolean {
  const words = callIn(command)?.behind.map((word) => word.replace(/^['"]|['"]$/g, '').replace(/^\.\//, '')) ?? [];
  const picked = words.filter((word) => !word.startsWith('-') && word !== 'run' && word !== '');
  return picked.length > 0 && files.every((file) => picked.some((word) => file.includes(word)));
}
