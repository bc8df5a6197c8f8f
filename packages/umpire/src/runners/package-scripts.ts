// Reads the test commands in the scripts of a package: which runners they call and with which arguments, through `&&` and through
// scripts that call scripts. Nothing is run. Runners that Umpire cannot run are named, so nobody takes their tests for passed.

import { isObject } from '@umpire/core/formats/json-text.js';
import { innerTexts, isStarter, listCommands, programName } from '@umpire/core/formats/shell-text.js';
import type { ShellCommand } from '@umpire/core/formats/shell-text.js';
import { ALL_RUNNERS } from './registry.js';
import type { RunnerName, ScriptCall } from './runner.js';

/** One command, with the variables before it. */
export interface ScriptCommand {
  /** The script that it stands in. */
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

type Scripts = Readonly<Record<string, unknown>>;

const MOST_STEPS = 8;
const MOST_COMMANDS = 200;

/**
 * The commands that a script comes to, or that a command in words does: a script that calls another stands for what that one calls. Each is
 * followed once, so circles end, and what is called many times costs no more than once.
 */
export function listScriptCommands(
  scripts: Scripts,
  from: { readonly script: string } | { readonly words: readonly string[] },
): readonly ScriptCommand[] {
  const seen = new Set<string>();
  const found: ScriptCommand[] = [];
  // `way`: the scripts that led here; empty for a text inside a command.
  const followScript = (script: string, way: readonly string[]): void => {
    const text = Object.hasOwn(scripts, script) ? scripts[script] : undefined;
    if (typeof text !== 'string' || way.length > MOST_STEPS || seen.has(script)) return;
    seen.add(script);
    for (const command of listCommands(text)) followCommand(command, [...way, script]);
  };
  const followCommand = (command: Pick<ShellCommand, 'env' | 'words' | 'substitutions'>, way: readonly string[]): void => {
    if (found.length >= MOST_COMMANDS) return;
    const { env, words } = stripEnv(command);
    const [program = '', ...rest] = words[0] === 'npx' ? words.slice(1) : words;
    const hasCommands = program === 'concurrently' || program === 'start-server-and-test';
    const nested = hasCommands ? rest.filter((word) => word.includes(' ')) : innerTexts({ ...command, words, substitutions: [] });
    const called = findCalledScripts(program, rest, Object.keys(scripts)).filter((each) => Object.hasOwn(scripts, each));
    for (const each of called) followScript(each, way);
    if (way.length <= MOST_STEPS) for (const inner of nested.flatMap(listCommands)) followCommand(inner, [...way, '']);
    if (called.length + nested.length === 0 && words.length > 0)
      found.push({ script: way.findLast((each) => each !== '') ?? '', env, words });
  };
  if ('script' in from) followScript(from.script, []);
  else followCommand({ env: {}, words: from.words, substitutions: [] }, ['']);
  return found;
}

/** `cross-env NODE_ENV=test jest` is `NODE_ENV=test jest`. */
function stripEnv({ env, words }: Pick<ScriptCommand, 'env' | 'words'>): Pick<ScriptCommand, 'env' | 'words'> {
  const all: Record<string, string> = { ...env };
  let at = 0;
  for (; at < words.length; at += 1) {
    const [, name = '', value = ''] = /^([A-Za-z_]\w*)=(.*)$/s.exec(words[at] ?? '') ?? [];
    if (name !== '') all[name] = value;
    else if (words[at] !== 'cross-env' && words[at] !== 'env') break;
  }
  return { env: all, words: words.slice(at) };
}

/** Of packages in other folders, the packages themselves tell. */
const ELSEWHERE = /^(?:-r|-w|-F|--recursive|--workspaces?(?:=.*)?|--filter(?:=.*)?|--prefix(?:=.*)?|-C|--dir|--cwd|workspaces?|foreach)$/;
/** Flags with a value, of programs that run several scripts. */
const RUN_ALL_VALUES: ReadonlySet<string> = new Set(['--max-parallel', '--npm-path', '-n', '--names']);

/** Names of scripts that a command runs: `npm run unit`, `npm -s t`, `pnpm unit`, `run-s lint test:*`. `known`: of the package. */
function findCalledScripts(program: string, rest: readonly string[], known: readonly string[]): readonly string[] {
  // `test:*` stands for `test:unit`, `test:**` for `test:unit:fast` too.
  const matching = (pattern: string): readonly string[] => {
    const parts = pattern.split(':');
    const isDeep = parts.at(-1) === '**';
    if (!pattern.includes('*')) return [pattern];
    return known.filter((name) => {
      const own = name.split(':');
      if (isDeep ? own.length < parts.length : own.length !== parts.length) return false;
      return parts.every((part, at) => part === '*' || part === '**' || part === own[at]);
    });
  };
  switch (program) {
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'bun': {
      const [first = '', second = ''] = rest.filter((word) => !word.startsWith('-'));
      if (rest.some((word) => ELSEWHERE.test(word))) return [];
      if (first === 'run' || first === 'run-script') return [second];
      // Bun has a runner of that name.
      if (program === 'bun' && first === 'test') return [];
      if (program === 'npm') return ['t', 'tst', 'test'].includes(first) ? ['test'] : [];
      return [first];
    }
    case 'node':
      return rest[0] === '--run' ? rest.slice(1, 2) : [];
    case 'run-s':
    case 'run-p':
    case 'npm-run-all':
    case 'npm-run-all2': {
      const end = rest.indexOf('--');
      const own = end < 0 ? rest : rest.slice(0, end);
      const patterns = own.filter((word, at) => !word.startsWith('-') && !RUN_ALL_VALUES.has(own[at - 1] ?? ''));
      return patterns.flatMap((word) => matching(word.split(/\s/)[0] ?? ''));
    }
    case 'concurrently':
      return rest.filter((word) => word.startsWith('npm:')).flatMap((word) => matching(word.slice('npm:'.length)));
    case 'start-server-and-test':
    case 'server-test':
      return rest.filter((word) => !word.startsWith('-')).slice(-1);
    default:
      return [];
  }
}

/** What the scripts say of the package's tests. */
export interface ScriptTests {
  /** Calls of runners that are known, each once, in the order of the script. */
  readonly calls: readonly ScriptCall[];
  /** Calls of others, whose tests nobody here can run. */
  readonly foreign: readonly ForeignCall[];
}

export interface ForeignCall {
  /** For people: `ava`, `playwright`, `node test/run.js`. */
  readonly name: string;
  readonly kind: TestKind;
  readonly script: string;
  /** A file that it runs by node, which may turn out to be a test of node:test: as a call of that. */
  readonly asNode: ScriptCall | null;
}

/** All that the script `test` calls, else one whose name begins so. */
export function findScriptTests(manifest: Readonly<Record<string, unknown>>): ScriptTests {
  const scripts = isObject(manifest['scripts']) ? manifest['scripts'] : {};
  const others = Object.keys(scripts).filter((name) => /^(?:test|unit|tests)(?:[:_-]|$)/.test(name) && name !== 'test');
  for (const script of ['test', ...others]) {
    const calls = new Map<string, ScriptCall>();
    const foreign = new Map<string, ForeignCall>();
    for (const command of listScriptCommands(scripts, { script })) {
      const call = findRunnerCall(command);
      const other = call === null ? findForeignCall(command) : null;
      if (call !== null) calls.set(JSON.stringify(call), call);
      if (other !== null) foreign.set(other.name, other);
    }
    if (calls.size + foreign.size > 0) return { calls: [...calls.values()], foreign: [...foreign.values()] };
  }
  return { calls: [], foreign: [] };
}

/** `vitest`; `go test`, where the program does other things too. */
const PROGRAMS: ReadonlyMap<string, RunnerName> = new Map(
  ALL_RUNNERS.flatMap(({ name, programs }) => programs.map((program) => [program, name] as const)),
);

/** The runner that a word calls, and the place of the word that says so beside it; null where it calls none. */
function findRunnerAt(words: readonly string[], at: number): { readonly runner: RunnerName; readonly verb: number | null } | null {
  const program = programName(words[at] ?? '');
  const alone = PROGRAMS.get(program);
  if (alone !== undefined) return { runner: alone, verb: null };
  // `cargo +nightly test`
  const verb = words.findIndex((word, index) => index > at && !/^[-+]/.test(word));
  const runner = verb < 0 ? undefined : PROGRAMS.get(`${program} ${words[verb]}`);
  return runner === undefined ? null : { runner, verb };
}

/** The call of a runner that a command is. */
export function findRunnerCall(command: Pick<ScriptCommand, 'env' | 'words'>): ScriptCall | null {
  const { env, words } = stripEnv(command);
  const wrapper = words.findIndex((word) => /^(?:c8|nyc)$/.test(programName(word)));
  const node = words.findIndex((word, at) => at > wrapper && programName(word) === 'node');
  const isRunner = (word: string, at: number): boolean => at > wrapper && !word.startsWith('-') && findRunnerAt(words, at) !== null;
  const program = words.findIndex(isRunner);
  const at = program >= 0 ? program : node < 0 ? -1 : words.findIndex((word, index) => index > node && PROGRAMS.has(word));
  const found = at < 0 ? null : findRunnerAt(words, at);
  // A runner's name may be an argument of some other program.
  const leading = words.slice(Math.max(0, wrapper), Math.max(0, at)).filter((word) => !word.startsWith('-'));
  const isCalled = node >= 0 || wrapper >= 0 || leading.every((word) => isStarter(word) || /^\d/.test(word));
  if (found === null || !isCalled) return null;
  const nodeArgs = node >= 0 && node < at ? words.slice(node + 1, at) : [];
  const wrapperArgs = wrapper < 0 ? [] : words.slice(wrapper + 1, node < 0 ? at : Math.min(node, at));
  const args = words.filter((_, index) => index > at && index !== found.verb);
  return { runner: found.runner, env, nodeArgs, wrapperArgs, args };
}

/** Which tests it is likely to run, for the layer that it counts in. */
export type TestKind = 'unit' | 'integration' | 'e2e';

interface Foreign {
  readonly kind: TestKind;
  readonly verb?: string;
}

/** Programs that run tests which Umpire cannot run; with the word that has to follow, where the program does other things too. */
const FOREIGN: ReadonlyMap<string, Foreign> = new Map<string, Foreign>([
  ...'jasmine karma qunit uvu lab wtr web-test-runner borp zora testem intern cucumber-js ts-mocha electron-mocha mochapack tox nox behave'
    .split(' ')
    .map((name) => [name, { kind: 'unit' as const }] as const),
  ...'wdio nightwatch testcafe protractor'.split(' ').map((name) => [name, { kind: 'e2e' as const }] as const),
  ...'react-scripts ng ember aegir'.split(' ').map((name) => [name, { kind: 'unit' as const, verb: 'test' }] as const),
  ['vue-cli-service', { kind: 'unit', verb: 'test:unit' }],
  ['cypress', { kind: 'e2e', verb: 'run' }],
  ['codeceptjs', { kind: 'e2e', verb: 'run' }],
  ['detox', { kind: 'e2e', verb: 'test' }],
]);

/** Programs that run a file. */
const FILE_RUNNERS: ReadonlySet<string> = new Set(['node', 'tsx', 'ts-node', 'ts-node-esm', 'babel-node', 'esmo', 'bun']);
/** A file that runs tests, by its name. A file that prepares them may lie beside it. */
const TEST_FILE = /(?:^|\/)(?:(?:run-)?tests?|tests?\/(?:index|run|all))\.[cm]?[jt]sx?$|\.(?:test|spec)\.[cm]?[jt]sx?$/;

function findForeignCall({ env, words, script }: ScriptCommand): ForeignCall | null {
  const at = words.findIndex((word) => FOREIGN.has(programName(word)));
  const foreign = FOREIGN.get(programName(words[at] ?? ''));
  const isNoFlag = (word: string): boolean => !word.startsWith('-');
  const isCalled = words.slice(0, Math.max(0, at)).filter(isNoFlag).every(isStarter);
  const verb = words.slice(at + 1).find(isNoFlag);
  // A script says by its name what it tests.
  const named = /(?:^|[:_-])(?:e2e|end-to-end|browser|acceptance)(?:[:_-]|$)/.test(script)
    ? 'e2e'
    : /(?:^|[:_-])(?:integration|int)(?:[:_-]|$)/.test(script)
      ? 'integration'
      : null;
  if (foreign !== undefined && isCalled && (foreign.verb === undefined || foreign.verb === verb))
    return { name: programName(words[at] ?? ''), kind: named ?? foreign.kind, script, asNode: null };
  const program = programName(words[0] ?? '');
  const file = FILE_RUNNERS.has(program) ? words.slice(1).find((word) => TEST_FILE.test(word)) : undefined;
  if (file === undefined) return null;
  // `node --import tsx test.js` is `node --import tsx --test test.js`, where the file says so.
  const asNode = { runner: 'node', env, nodeArgs: words.slice(1, words.indexOf(file)), wrapperArgs: [], args: [file] } as const;
  return { name: `${program} ${file.slice(0, 100)}`, kind: named ?? 'unit', script, asNode: program === 'node' ? asNode : null };
}

/** Does a command run the project's tests, as far as its words say? */
export function runsTests(command: string): boolean {
  return listCommands(command).some((each) => {
    const { words } = each;
    const manager = words.findIndex((word) => /^(?:npm|pnpm|yarn|bun)$/.test(programName(word)));
    const isTestWord = (word: string, at: number): boolean => findRunnerAt(words, at) !== null || /^(?:tox|nox)$/.test(programName(word));
    return (
      words.some(isTestWord) ||
      (manager >= 0 && words.slice(manager + 1).some((word) => /\bt(?:est)?\b/.test(word))) ||
      innerTexts(each).some(runsTests)
    );
  });
}
