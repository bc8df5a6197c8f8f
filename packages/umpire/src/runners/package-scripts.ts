// Reads the test commands in the scripts of a package: which runners they call and with which arguments, through `&&` and through
// scripts that call scripts. The words are read, never passed to a shell. Runners that Umpire cannot run are named, so nobody takes
// their tests for passed.

import { isObject } from '@umpire/core/formats/json-text.js';
import { splitCommand } from '../agents/command-line.js';

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

/** What a script of the package gives a coverage tool: `nyc --exclude test npm test`. The first that calls it tells. */
export function coverageWords(manifest: Readonly<Record<string, unknown>>, tool: 'c8' | 'nyc'): readonly string[] {
  const scripts = isObject(manifest['scripts']) ? Object.values(manifest['scripts']) : [];
  for (const command of scripts.flatMap((text) => (typeof text === 'string' ? splitChain(text) : []))) {
    const words = wordsOf(command);
    const wrapped = words.findIndex((word) => isProgram(word, tool));
    if (wrapped < 0) continue;
    const isCommand = (word: string): boolean =>
      PACKAGE_MANAGERS.has(word) || LAUNCHERS.has(word) || RUNNERS.has(baseOf(word)) || isProgram(word, 'node');
    const end = words.findIndex((word, at) => at > wrapped && isCommand(word));
    return words.slice(wrapped + 1, end < 0 ? words.length : end);
  }
  return [];
}

export interface KeptWords {
  readonly flags: readonly string[];
  readonly others: readonly string[];
}

/** The flags of these names with their values, and the words that are no flag. Every other flag is left out, if `dropped` with its value. */
export function keepWords(
  words: readonly string[],
  withValue: readonly string[],
  plain: readonly string[],
  dropped: readonly string[] = [],
): KeptWords {
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
    else if (name === word && dropped.includes(name)) at += 1;
  }
  return { flags, others };
}

export interface ScriptCommand {
  /** The script that it stands in. */
  readonly script: string;
  readonly words: readonly string[];
}

type Scripts = Readonly<Record<string, unknown>>;

interface ScriptWalk {
  readonly scripts: Scripts;
  /** Each script is followed once: circles end, and what is called many times costs no more than once. */
  readonly seen: Set<string>;
  readonly found: ScriptCommand[];
}

const MOST_STEPS = 8;
const MOST_COMMANDS = 200;

export function commandsOf(scripts: Scripts, name: string): readonly ScriptCommand[] {
  const walk: ScriptWalk = { scripts, seen: new Set(), found: [] };
  follow(walk, name, []);
  return walk.found;
}

/** The same of a command that is split into its words. */
export function commandsOfWords(scripts: Scripts, words: readonly string[]): readonly ScriptCommand[] {
  const walk: ScriptWalk = { scripts, seen: new Set(), found: [] };
  followWords(walk, words, ['']);
  return walk.found;
}

/** `way`: the scripts that led here. */
function follow(walk: ScriptWalk, name: string, way: readonly string[]): void {
  const { scripts, seen } = walk;
  const text = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (typeof text !== 'string' || way.length > MOST_STEPS || seen.has(name)) return;
  seen.add(name);
  followText(walk, text, [...way, name]);
}

function followText(walk: ScriptWalk, text: string, way: readonly string[]): void {
  for (const command of splitChain(text)) {
    if (walk.found.length >= MOST_COMMANDS) return;
    followWords(walk, wordsOf(command), way);
  }
}

function followWords(walk: ScriptWalk, words: readonly string[], way: readonly string[]): void {
  const { scripts, found } = walk;
  const nested = commandsIn(words);
  const names = scriptsIn(words, Object.keys(scripts)).filter((each) => Object.hasOwn(scripts, each));
  for (const each of names) follow(walk, each, way);
  if (way.length <= MOST_STEPS) for (const each of nested) followText(walk, each, [...way, '']);
  if (names.length + nested.length === 0 && words.length > 0) found.push({ script: way.findLast((each) => each !== '') ?? '', words });
}

/** Cut at `&&`, `||`, `;`, `|`, `&` and line ends, not inside quotes. */
export function splitChain(text: string): readonly string[] {
  const parts: string[] = [];
  let [start, quote] = [0, ''];
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\' && quote !== "'") at += 1;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (
      char === ';' ||
      char === '|' ||
      char === '\n' ||
      (char === '&' && text.charAt(at - 1) !== '>' && text.charAt(at + 1) !== '>')
    ) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim().replace(/^\(|\)$/g, '')).filter((part) => part !== '');
}

function wordsOf(command: string): readonly string[] {
  try {
    return splitCommand(command);
  } catch {
    return [];
  }
}

const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun']);
/** They run one script after the other, or side by side: `run-s lint test:*`. */
const RUN_ALL: ReadonlySet<string> = new Set(['run-s', 'run-p', 'npm-run-all', 'npm-run-all2']);
/** Of theirs, flags that take a value. */
const RUN_ALL_VALUES: ReadonlySet<string> = new Set(['--max-parallel', '--npm-path', '-n', '--names']);

/** Names of scripts that a command runs; empty where it runs none. */
function scriptsIn(all: readonly string[], known: readonly string[]): readonly string[] {
  const words = programWords(all);
  const [program = '', ...rest] = words;
  if (PACKAGE_MANAGERS.has(program)) return managed(program, rest);
  if (program === 'node' && rest[0] === '--run') return rest.slice(1, 2);
  if (RUN_ALL.has(program)) return runAll(rest, known);
  if (program === 'concurrently')
    return rest.filter((word) => word.startsWith('npm:')).flatMap((word) => matching(word.slice('npm:'.length), known));
  return program === 'start-server-and-test' || program === 'server-test' ? rest.filter((word) => !word.startsWith('-')).slice(-1) : [];
}

/** Whole commands among the words of another: `concurrently "npm run a" "npm run b"`. */
function commandsIn(all: readonly string[]): readonly string[] {
  const [program = '', ...rest] = programWords(all);
  if (program === 'concurrently' || program === 'start-server-and-test') return rest.filter((word) => word.includes(' '));
  return program === 'sh' || program === 'bash' ? rest.slice(rest.indexOf('-c') + 1).slice(0, rest.includes('-c') ? 1 : 0) : [];
}

/** `npm run unit`, `npm -s t`, `pnpm unit`. Of packages in other folders, the packages themselves tell. */
function managed(program: string, words: readonly string[]): readonly string[] {
  if (words.some((word) => ELSEWHERE.test(word))) return [];
  const [first = '', second = ''] = words.filter((word) => !word.startsWith('-'));
  if (first === 'run' || first === 'run-script') return [second];
  // Bun has a runner of that name.
  if (program === 'bun' && first === 'test') return [];
  if (program === 'npm') return ['t', 'tst', 'test'].includes(first) ? ['test'] : [];
  return [first];
}

const ELSEWHERE = /^(?:-r|-w|-F|--recursive|--workspaces?(?:=.*)?|--filter(?:=.*)?|--prefix(?:=.*)?|-C|--dir|--cwd|workspaces?|foreach)$/;

function runAll(words: readonly string[], known: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  return own
    .filter((word, at) => !word.startsWith('-') && !RUN_ALL_VALUES.has(own[at - 1] ?? ''))
    .flatMap((word) => matching(word.split(/\s/)[0] ?? '', known));
}

/** `test:*` stands for `test:unit`, `test:**` for `test:unit:fast` too. */
function matching(pattern: string, known: readonly string[]): readonly string[] {
  if (!pattern.includes('*')) return [pattern];
  const parts = pattern.split(':');
  const isDeep = parts.at(-1) === '**';
  return known.filter((name) => {
    const own = name.split(':');
    if (isDeep ? own.length < parts.length : own.length !== parts.length) return false;
    return parts.every((part, at) => part === '*' || part === '**' || part === own[at]);
  });
}

function programWords(words: readonly string[]): readonly string[] {
  const { rest } = withoutVariables(words);
  return rest[0] === 'npx' ? rest.slice(1) : rest;
}

/** Which tests it is likely to run, for the layer that it counts in. */
export type TestKind = 'unit' | 'integration' | 'e2e';

interface Foreign {
  readonly kind: TestKind;
  /** The word that has to follow it, where the program does other things too: `playwright test`. */
  readonly verb?: string;
}

const UNIT =
  'ava tap tape jasmine karma qunit uvu lab wtr web-test-runner borp zora testem intern cucumber-js ts-mocha electron-mocha mochapack phpunit rspec bats tox nox behave';
const E2E = 'wdio nightwatch testcafe protractor';

const FOREIGN: ReadonlyMap<string, Foreign> = new Map<string, Foreign>([
  ...UNIT.split(' ').map((name): [string, Foreign] => [name, { kind: 'unit' }]),
  ...E2E.split(' ').map((name): [string, Foreign] => [name, { kind: 'e2e' }]),
  ...['bun', 'deno', 'react-scripts', 'ng', 'ember', 'go', 'cargo', 'aegir'].map((name): [string, Foreign] => [
    name,
    { kind: 'unit', verb: 'test' },
  ]),
  ['vue-cli-service', { kind: 'unit', verb: 'test:unit' }],
  ['unittest', { kind: 'unit' }],
  ['playwright', { kind: 'e2e', verb: 'test' }],
  ['cypress', { kind: 'e2e', verb: 'run' }],
  ['codeceptjs', { kind: 'e2e', verb: 'run' }],
  ['detox', { kind: 'e2e', verb: 'test' }],
]);

/** Programs that run another one. */
const AROUND: ReadonlySet<string> = new Set(
  'npx pnpm yarn npm bunx exec dlx run node python python3 poetry uv pipenv hatch c8 nyc xvfb-run dotenv time'.split(' '),
);
/** Programs that run a file. */
const FILE_RUNNERS: ReadonlySet<string> = new Set(['node', 'tsx', 'ts-node', 'ts-node-esm', 'babel-node', 'esmo', 'bun']);
/** A file that runs tests, by its name. A file that prepares them may lie beside it. */
const TEST_FILE = /(?:^|\/)(?:(?:run-)?tests?|tests?\/(?:index|run|all))\.[cm]?[jt]sx?$|\.(?:test|spec)\.[cm]?[jt]sx?$/;

export interface ForeignCall {
  /** For people: `ava`, `playwright`, `node test/run.js`. */
  readonly name: string;
  readonly kind: TestKind;
  /** A file that it runs by itself; it may turn out to be one that node:test knows. */
  readonly file: string | null;
}

/** `words`: of one command, without variables before it. `script`: the name of the script that it stands in. */
export function foreignCall(words: readonly string[], script: string): ForeignCall | null {
  const at = words.findIndex((word) => FOREIGN.has(baseOf(word)));
  const foreign = FOREIGN.get(baseOf(words[at] ?? ''));
  const leading = words.slice(0, Math.max(0, at)).filter((word) => !word.startsWith('-'));
  const following = words.slice(at + 1).find((word) => !word.startsWith('-'));
  if (
    foreign !== undefined &&
    leading.every((word) => AROUND.has(baseOf(word))) &&
    (foreign.verb === undefined || foreign.verb === following)
  )
    return { name: baseOf(words[at] ?? ''), kind: kindOf(script) ?? foreign.kind, file: null };
  const [program = ''] = words;
  const file = FILE_RUNNERS.has(baseOf(program)) ? words.slice(1).find((word) => TEST_FILE.test(word)) : undefined;
  return file === undefined ? null : { name: `${baseOf(program)} ${file.slice(0, 100)}`, kind: kindOf(script) ?? 'unit', file };
}

/** A script says by its name what it tests. */
function kindOf(script: string): TestKind | null {
  if (/(?:^|[:_-])(?:e2e|end-to-end|browser|acceptance)(?:[:_-]|$)/.test(script)) return 'e2e';
  return /(?:^|[:_-])(?:integration|int)(?:[:_-]|$)/.test(script) ? 'integration' : null;
}

/** Where such tests would lie, for whoever sorts tests into layers by their path. */
export function likelyPath(folder: string, kind: TestKind): string {
  const path = { unit: 'test/unit.test.js', integration: 'test/integration/all.integration.test.js', e2e: 'test/e2e/all.e2e.test.js' }[
    kind
  ];
  return folder === '' ? path : `${folder}/${path}`;
}

export function baseOf(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
}
