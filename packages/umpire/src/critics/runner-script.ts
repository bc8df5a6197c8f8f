// What a package's own scripts say about its tests: which runners they call, and with which words before and after each. The words
// are read, never handed to a shell. Which of them are kept is each runner's to say; script-chain.ts finds the commands.

import { isObject } from '@umpire/core/formats/json-text.js';
import { baseOf, foreignCall } from './foreign-runners.js';
import type { ForeignCall } from './foreign-runners.js';
import { commandsOf } from './script-chain.js';
import type { ScriptCommand } from './script-chain.js';

export type RunnerName = 'vitest' | 'jest' | 'mocha' | 'node' | 'pytest';

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

const RUNNERS: ReadonlyMap<string, RunnerName> = new Map([
  ['vitest', 'vitest'],
  ['vitest.mjs', 'vitest'],
  ['jest', 'jest'],
  ['jest.js', 'jest'],
  ['mocha', 'mocha'],
  ['mocha.js', 'mocha'],
  ['_mocha', 'mocha'],
  ['pytest', 'pytest'],
  ['py.test', 'pytest'],
]);

/** What the scripts say of the package's tests. */
export interface ScriptTests {
  /** Calls of runners that are known, each once, in the order of the script. */
  readonly calls: readonly ScriptCall[];
  /** Calls of others, whose tests nobody here can run. */
  readonly foreign: readonly ScriptForeign[];
}

export interface ScriptForeign extends ForeignCall {
  readonly script: string;
  /** As a call of node:test, where it runs a file by node. */
  readonly asNode: ScriptCall | null;
}

const NO_TESTS: ScriptTests = { calls: [], foreign: [] };

/** All that the script `test` calls, else one whose name begins so. */
export function scriptTests(manifest: Readonly<Record<string, unknown>>): ScriptTests {
  const scripts = isObject(manifest['scripts']) ? manifest['scripts'] : {};
  const names = Object.keys(scripts);
  const wanted = ['test', ...names.filter((name) => /^(?:test|unit|tests)(?:[:_-]|$)/.test(name) && name !== 'test')];
  for (const name of wanted) {
    const found = testsIn(commandsOf(scripts, name));
    if (found.calls.length + found.foreign.length > 0) return found;
  }
  return NO_TESTS;
}

function testsIn(commands: readonly ScriptCommand[]): ScriptTests {
  const calls = new Map<string, ScriptCall>();
  const foreign = new Map<string, ScriptForeign>();
  for (const { words, script } of commands) {
    const call = directCall(words);
    if (call !== null) calls.set(JSON.stringify(call), call);
    else {
      const other = foreignCall(withoutVariables(words).rest, script);
      if (other !== null) foreign.set(other.name, { ...other, script, asNode: asNode(words, other.file) });
    }
  }
  return { calls: [...calls.values()], foreign: [...foreign.values()] };
}

/** `node --import tsx test.js` is `node --import tsx --test test.js`, where the file says so. */
function asNode(words: readonly string[], file: string | null): ScriptCall | null {
  const { env, rest } = withoutVariables(words);
  if (file === null || baseOf(rest[0] ?? '') !== 'node') return null;
  return { runner: 'node', env, nodeArgs: rest.slice(1, rest.indexOf(file)), wrapperArgs: [], args: [file] };
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;
const PYTHON = /^python(?:3(?:\.\d+)?)?$/;

/** `NODE_ENV=test` and its like before a command. */
function withoutVariables(words: readonly string[]): { readonly env: Readonly<Record<string, string>>; readonly rest: readonly string[] } {
  const env: Record<string, string> = {};
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (ASSIGNMENT.test(word)) env[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1);
    else if (word !== 'cross-env' && word !== 'env') break;
  }
  return { env, rest: words.slice(at) };
}

function directCall(words: readonly string[]): ScriptCall | null {
  const { env, rest } = withoutVariables(words);
  const wrapped = rest.findIndex((word) => isProgram(word, 'c8') || isProgram(word, 'nyc'));
  const runner = rest.findIndex((word, index) => index > wrapped && RUNNERS.has(baseOf(word)));
  const python = rest.findIndex((word) => PYTHON.test(baseOf(word)));
  const node = rest.findIndex((word, index) => index > wrapped && isProgram(word, 'node'));
  if (runner < 0) return node < 0 || !rest.includes('--test') ? null : nodeCall(env, rest, node, wrapped);
  const name = RUNNERS.get(baseOf(rest[runner] ?? ''));
  // A runner's name may be an argument of some other program.
  const leading = rest.slice(0, runner).filter((word) => !word.startsWith('-'));
  const isCalled = node >= 0 || python >= 0 || wrapped >= 0 || leading.every((word) => LAUNCHERS.has(baseOf(word)));
  if (name === undefined || !isCalled) return null;
  const nodeArgs = node >= 0 && node < runner ? rest.slice(node + 1, runner) : [];
  return {
    runner: name,
    env,
    nodeArgs,
    wrapperArgs: wrapperArgs(rest, wrapped, node < 0 ? runner : Math.min(node, runner)),
    args: rest.slice(runner + 1),
  };
}

const LAUNCHERS: ReadonlySet<string> = new Set(['npx', 'pnpm', 'yarn', 'bunx', 'exec', 'dlx', 'run', 'poetry', 'uv', 'pipenv', 'hatch']);

function nodeCall(env: Readonly<Record<string, string>>, words: readonly string[], node: number, wrapped: number): ScriptCall {
  const test = words.indexOf('--test', node);
  const nodeArgs = words.slice(node + 1, test);
  return { runner: 'node', env, nodeArgs, wrapperArgs: wrapperArgs(words, wrapped, node), args: words.slice(test + 1) };
}

function wrapperArgs(words: readonly string[], wrapped: number, end: number): readonly string[] {
  return wrapped < 0 ? [] : words.slice(wrapped + 1, end);
}

function isProgram(word: string, name: string): boolean {
  return baseOf(word) === name;
}

export interface KeptWords {
  readonly flags: readonly string[];
  readonly others: readonly string[];
}

/** The flags of these names with their values, and the words that are no flag. Every other flag is left out. */
export function keepWords(words: readonly string[], withValue: readonly string[], plain: readonly string[]): KeptWords {
  const flags: string[] = [];
  const others: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const name = word.includes('=') ? word.slice(0, word.indexOf('=')) : word;
    if (!word.startsWith('-')) others.push(word);
    else if (withValue.includes(name)) {
      flags.push(word);
      const next = words[at + 1];
      if (name === word && next !== undefined) {
        flags.push(next);
        at += 1;
      }
    } else if (plain.includes(name)) flags.push(word);
  }
  return { flags, others };
}
