// The commands that a package's script comes to, one after the other: through `&&` and its kin, and through scripts that call other
// scripts. The words are read, never handed to a shell. What a command is, is runner-script.ts's to say.

import { splitCommand } from '../agents/command-line.js';

export interface ScriptCommand {
  /** The script that it stands in. */
  readonly script: string;
  readonly words: readonly string[];
}

type Scripts = Readonly<Record<string, unknown>>;

interface Walk {
  readonly scripts: Scripts;
  /** Each script is followed once: circles end, and what is called many times costs no more than once. */
  readonly seen: Set<string>;
  readonly found: ScriptCommand[];
}

const MOST_STEPS = 8;
const MOST_COMMANDS = 200;

export function commandsOf(scripts: Scripts, name: string): readonly ScriptCommand[] {
  const walk: Walk = { scripts, seen: new Set(), found: [] };
  follow(walk, name, []);
  return walk.found;
}

/** `way`: the scripts that led here. */
function follow(walk: Walk, name: string, way: readonly string[]): void {
  const { scripts, seen } = walk;
  const text = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (typeof text !== 'string' || way.length > MOST_STEPS || seen.has(name)) return;
  seen.add(name);
  followText(walk, text, [...way, name]);
}

function followText(walk: Walk, text: string, way: readonly string[]): void {
  const { scripts, found } = walk;
  for (const command of splitChain(text)) {
    if (found.length >= MOST_COMMANDS) return;
    const words = wordsOf(command);
    const nested = commandsIn(words);
    const names = scriptsIn(words, Object.keys(scripts)).filter((each) => Object.hasOwn(scripts, each));
    for (const each of names) follow(walk, each, way);
    if (way.length <= MOST_STEPS) for (const each of nested) followText(walk, each, [...way, '']);
    if (names.length + nested.length === 0 && words.length > 0) found.push({ script: way.findLast((each) => each !== '') ?? '', words });
  }
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

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;
const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun']);
/** They run one script after the other, or side by side: `run-s lint test:*`. */
const RUN_ALL: ReadonlySet<string> = new Set(['run-s', 'run-p', 'npm-run-all', 'npm-run-all2']);
/** Of theirs, flags that take a value. */
const RUN_ALL_VALUES: ReadonlySet<string> = new Set(['--max-parallel', '--npm-path', '-n', '--names']);

/** Names of scripts that a command runs; empty where it runs none. */
function scriptsIn(all: readonly string[], known: readonly string[]): readonly string[] {
  const words = withoutVariables(all);
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
  const [program = '', ...rest] = withoutVariables(all);
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

function withoutVariables(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !ASSIGNMENT.test(word) && word !== 'cross-env' && word !== 'env');
  const rest = start < 0 ? [] : words.slice(start);
  return rest[0] === 'npx' ? rest.slice(1) : rest;
}
