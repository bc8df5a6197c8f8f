// What a package's own scripts say about its tests: which runner they call, and with which words before and after it. The words
// are read, never handed to a shell. Which of them are kept is each runner's to say.

import { splitCommand } from '../agents/command-line.js';
import { isObject } from '../formats/json-text.js';

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

const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const MOST_STEPS = 8;

/** The first call of a runner by the script `test`, else by one whose name begins so; null where none calls one. */
export function scriptCall(manifest: Readonly<Record<string, unknown>>): ScriptCall | null {
  const scripts = isObject(manifest['scripts']) ? manifest['scripts'] : {};
  const names = Object.keys(scripts);
  const wanted = ['test', ...names.filter((name) => /^(?:test|unit|tests)(?:[:_-]|$)/.test(name) && name !== 'test')];
  for (const name of wanted) {
    const call = callIn(scripts, name, 0);
    if (call !== null) return call;
  }
  return null;
}

function callIn(scripts: Readonly<Record<string, unknown>>, name: string, steps: number): ScriptCall | null {
  const text = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (typeof text !== 'string' || steps > MOST_STEPS) return null;
  for (const command of text.split(/&&|\|\||[;|\n]/)) {
    const words = wordsOf(command);
    const call = directCall(words) ?? callIn(scripts, scriptNamed(words), steps + 1);
    if (call !== null) return call;
  }
  return null;
}

function wordsOf(command: string): readonly string[] {
  try {
    return command.trim() === '' ? [] : splitCommand(command);
  } catch {
    return [];
  }
}

/** `npm run unit`, `pnpm unit`, `yarn unit`: the other script's name; empty where none is named. */
function scriptNamed(words: readonly string[]): string {
  const [program = '', first = '', second = ''] = words;
  if (!PACKAGE_MANAGERS.has(program)) return '';
  return first === 'run' || first === 'run-script' ? second : first;
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;
const PYTHON = /^python(?:3(?:\.\d+)?)?$/;

function directCall(words: readonly string[]): ScriptCall | null {
  const env: Record<string, string> = {};
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (ASSIGNMENT.test(word)) env[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1);
    else if (word !== 'cross-env' && word !== 'env') break;
  }
  const rest = words.slice(at);
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

function baseOf(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
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
