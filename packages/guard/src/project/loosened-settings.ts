// Whether a change of settings, CI or scripts loosens the checks: a threshold falls, files are excluded, a check command is removed or can
// no longer fail, retries are added. Reads words, since every tool has a format of its own. Other changes of settings are not judged.

import { roleOf } from './paths.js';
import type { FileChange } from '../change.js';

export interface SettingsChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** The file says which commands run. */
  readonly runsChecks: boolean;
  /** Other files of the change that say which commands run, as they are now. */
  readonly beside: readonly string[];
}

export function loosensChecks({ path, before, after, runsChecks, beside }: SettingsChange): boolean {
  const [old, now] = [spread(before), spread(after)];
  return (
    NUMBERS.some(([key, isLooser]) => numberLoosened(key, isLooser, old, now)) ||
    retriesIn(now) > retriesIn(old) ||
    countMatches(CANNOT_FAIL, now) > countMatches(CANNOT_FAIL, old) ||
    countMatches(NARROWING, now) > countMatches(NARROWING, old) ||
    [...excludedIn(now, path)].some((pattern) => !excludedIn(old, path).has(pattern)) ||
    // In the CI, `include` and `exclude` list jobs.
    (roleOf(path) !== 'ci' && isNarrowed(includedIn(old), includedIn(now))) ||
    (runsChecks && losesCheck(path, before, after, beside))
  );
}

/** JSON on one line reads like JSON on many. */
function spread(text: string): string {
  const value = jsonOf(text);
  return value === null ? text : JSON.stringify(value, null, 1);
}

function jsonOf(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

type IsLooser = (now: number, old: number) => boolean;

/** Keys and flags with a number, and the direction in which it lets more through. */
const NUMBERS: readonly (readonly [RegExp, IsLooser])[] = [
  [
    /^(?:--)?(?:branches|functions|lines|statements|(?:cov-)?fail[-_]under|min(?:imum)?[-_]?coverage|break|target)$/i,
    (now, old) => now < old,
  ],
  [/^(?:--)?(?:max-?warnings|threshold)$/i, (now, old) => now > old],
];

/** `lines: 90`, `fail_under = 90`, `--max-warnings 0`, `threshold: 5%`. */
const NUMBER = /(?<![\w-])(-{0,2}[\w-]+)["']?\s*(?:[:=]\s*|\s)["']?(\d+(?:\.\d+)?)/g;

function numberLoosened(key: RegExp, isLooser: IsLooser, before: string, after: string): boolean {
  const [old, now] = [numbersIn(before, key), numbersIn(after, key)];
  return [...old].some(([name, values]) => {
    const [gone, fresh] = [subtractOnce(values, now.get(name) ?? []), subtractOnce(now.get(name) ?? [], values)];
    return gone.length > fresh.length || gone.some((value, index) => isLooser(fresh[index] ?? value, value));
  });
}

function numbersIn(text: string, key: RegExp): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const [, name = '', value] of text.matchAll(NUMBER))
    if (key.test(name)) found.set(name, [...(found.get(name) ?? []), Number(value)]);
  return found;
}

function subtractOnce<Item>(items: readonly Item[], others: readonly Item[]): readonly Item[] {
  const left = [...others];
  return items.filter((item) => {
    const index = left.indexOf(item);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

const RETRIES = /(?<![\w-])(?:--)?(?:retry|retries|reruns|retryTimes|test-?retries|max-?retries)["']?\s*(?:[:=(]\s*|\s)[^,;\n}]*?(\d+)/gi;

/** The most retries that are set. */
function retriesIn(text: string): number {
  return Math.max(0, ...[...text.matchAll(RETRIES)].map(([, value]) => Number(value)));
}

/** A command or step that passes whatever the checks say. */
const CANNOT_FAIL =
  /\|\|\s*(?:true\b|:(?=[\s"']|$)|exit 0|echo\b)|;\s*(?:true|exit 0)\b|pass-?with-?no-?tests(?!["']?\s*[:=]\s*false)|--exit-zero\b|(?:continue-on-error|allow_failure|informational):\s*true\b|\bif:\s*false\b|\bset \+e\b|\b(?:process\.exit|sys\.exit|os\._exit)\(0\)|\b(?:vitest|jest)\b[^"'\n]*\s(?:-u|--update\w*)\b|^\t@?-[@ ]*\w|^\.IGNORE\b|^script-shell\s*=|--test-only\b/gim;

/** A runner that runs only tests of some names, or only lists them. */
const NARROWING =
  /test-?name-?pattern["']?\s*[:= ]|--(?:grep|fgrep|collect-only|co)\b|\b(?:vitest|jest|ava)\b[^"'\n;&|]*\s-t\s|\bmocha\b[^"'\n;&|]*\s-[gf]\s|\bpytest\b[^"'\n;&|]*\s-k\s|\baddopts\b[^\n]*\s-k\s|\bvitest\s+list\b/gi;

function countMatches(pattern: RegExp, text: string): number {
  return [...text.matchAll(pattern)].length;
}

const EXCLUDES =
  /(?<![\w-])(?:exclude|excludes|extend-exclude|ignore|ignores|ignorePatterns|ignoreFiles|testPathIgnorePatterns|coveragePathIgnorePatterns|testIgnore|omit|norecursedirs|collect_ignore(?:_glob)?|(?:extend-)?per-file-ignores)["']?\s*[:=]/g;
const EXCLUDING_FLAG =
  /--(?:exclude|ignore|ignore-glob|ignore-pattern|deselect|testPathIgnorePatterns|grep-invert)(?:=|["']?,?\s+["']?)([^\s"',]+)|-[km]["']?,?\s+["']?(not [^"'\n]+)/g;
/** Codes of lint rules, and folders that hold neither tests nor source. */
const NO_FILE =
  /^[A-Z]{1,5}\d+$|^(?:\W*\b(?:node_modules|dist|build|coverage|vendor|venv|out|tmp|git|cache|__pycache__|tox|next)\b[\W*]*)$/;

/** Tests and source: other folders may be left out. */
const FILES = /test|spec|e2e|\bsrc\b|\blib\b|packages|[\w*]\.\w{1,5}$|^not |\*\*?$/i;

/** Patterns of files that checks leave out. */
function excludedIn(text: string, path: string): ReadonlySet<string> {
  const listed = /(^|\/)\.\w+ignore$/.test(path)
    ? text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => /^[^#!]/.test(line))
    : roleOf(path) === 'ci'
      ? []
      : readSettingValues(EXCLUDES, text);
  const flags = [...text.matchAll(EXCLUDING_FLAG)].map(([, file, words]) => file ?? words ?? '');
  return new Set([...listed, ...flags].filter((value) => !NO_FILE.test(value) && FILES.test(value)));
}

const INCLUDES = /(?<![\w-])(?:include|includes|testMatch|testRegex|testDir|testpaths|python_files|roots|spec)["']?\s*[:=]/g;

function includedIn(text: string): ReadonlySet<string> {
  return new Set(readSettingValues(INCLUDES, text));
}

/** A pattern is gone, and nothing wider stands in its place. */
function isNarrowed(before: ReadonlySet<string>, after: ReadonlySet<string>): boolean {
  const gone = [...before].filter((value) => !after.has(value));
  const fresh = [...after].filter((value) => !before.has(value));
  const stars = (values: readonly string[]): number => values.join('').split('*').length;
  return gone.length > 0 && after.size > 0 && (fresh.length === 0 || stars(fresh) < stars(gone));
}

/** The words behind a key: of a list in brackets, of indented lines below, or of the rest of the line. */
function readSettingValues(keys: RegExp, text: string): readonly string[] {
  return [...text.matchAll(keys)].flatMap((match) => {
    const rest = text.slice(match.index + match[0].length);
    const [body = ''] = /^\s*\[[^\]]*\]|^\s*\{[^}]*\}|^[ \t]*\n(?:[ \t]+\S.*\n?|[ \t]*-.*\n?)+|^[^,\n}]*/.exec(rest) ?? [];
    return [...body.replace(/(^|\s)(?:#|\/\/).*$/gm, '$1').matchAll(/["'`]([^"'`\n]+)["'`]|([^\s,[\]{}"'`]+)/g)]
      .map(([, quoted, bare]) => quoted ?? bare ?? '')
      .filter((value) => value !== '-');
  });
}

const RUNNER = '(?:npm|pnpm|yarn|bun|make|just|hatch|deno|turbo|nx|lerna|poe|pdm|task|mise)\\s+(?:run(?:-many|-script)?\\s+)?';
const CHECKS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:jest|vitest|mocha|ava|karma|jasmine|cypress|playwright|pytest|unittest|nose2|tox|nox|node --test|${RUNNER}[\\w:-]*test\\w*)\\b`,
  ),
  new RegExp(`\\b(?:eslint|biome|oxlint|tslint|stylelint|ruff|flake8|pylint|${RUNNER}[\\w:-]*lint[\\w:-]*)\\b`),
  new RegExp(`\\b(?:tsc|vue-tsc|tsd|tstyche|mypy|pyright|${RUNNER}(?:type-?check|check-types|types))\\b`),
];
const INSTALL = /\b(?:pip3?|npm|pnpm|yarn|uv|poetry|pipx)\s+(?:install|add|i|ci)\b[^\n"&;|]*/g;

/** Kinds of check that a command runs: tests, lint, types. */
function checksIn(text: string): readonly number[] {
  const commands = text.replace(INSTALL, '').replace(/^\s*(?:#|\/\/|(?:- )?(?:name|uses|key|path):).*$/gm, '');
  return CHECKS.flatMap((pattern, kind) => (pattern.test(commands) ? [kind] : []));
}

/** A kind of check that the file ran is run no more, here or in another file of the change. Script by script in package.json. */
function losesCheck(path: string, before: string, after: string, beside: readonly string[]): boolean {
  const elsewhere = new Set(beside.flatMap(checksIn));
  const loses = (old: string, now: string): boolean => {
    const left = new Set(checksIn(now));
    return checksIn(old).some((kind) => !left.has(kind) && !elsewhere.has(kind));
  };
  if (!/(^|\/)package\.json$/.test(path)) return loses(before, after);
  const [old, now] = [scriptsOf(before), scriptsOf(after)];
  const all = Object.values(now).join('\n');
  return Object.entries(old).some(([name, command]) => {
    const left = now[name];
    // A script that starts others is not followed.
    if (left !== undefined && new RegExp(`${RUNNER}|node `).test(left)) return false;
    return left !== command && loses(command, left ?? all);
  });
}

function scriptsOf(text: string): Readonly<Record<string, string>> {
  const scripts = jsonOf(text)?.['scripts'];
  const entries = typeof scripts === 'object' && scripts !== null ? Object.entries(scripts as Record<string, unknown>) : [];
  return Object.fromEntries(entries.flatMap(([name, command]) => (typeof command === 'string' ? [[name, command]] : [])));
}

const PACKAGES =
  /^(project|project\.(optional-dependencies|urls|scripts|gui-scripts)|dependency-groups|build-system|tool\.poetry|tool\.poetry\.([\w.-]+\.)?([\w-]*-)?dependencies|tool\.poetry\.(urls|scripts)|tool\.uv|tool\.uv\.sources|tool\.pdm\.dev-dependencies)$/;
const SCRIPTS = /^tool\.(poe|pdm|hatch|rye|taskipy|thx|nox)\b.*\b(tasks|scripts)\b/;

/** `settings` wherever one table of a tool's own differs. */
export function pyprojectPart({ before, after }: FileChange): 'packages' | 'scripts' | 'settings' {
  const [old, now] = [readTomlTables(before ?? ''), readTomlTables(after ?? '')];
  const differing = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
  // In a text of several lines a header may be part of the text.
  if (differing.length === 0 || /"""|'''/.test(`${before ?? ''}${after ?? ''}`)) return 'settings';
  if (differing.every((name) => PACKAGES.test(name))) return 'packages';
  return differing.every((name) => SCRIPTS.test(name) || PACKAGES.test(name)) ? 'scripts' : 'settings';
}

/** The lines of each table, by its name; those above the first have none. */
function readTomlTables(text: string): ReadonlyMap<string, string> {
  const tables = new Map<string, string>();
  let name = '';
  for (const line of text.split('\n').map((one) => one.trim())) {
    // What begins like a header and is none that is known here belongs to nothing known.
    if (line.startsWith('[')) name = /^\[([\w.-]{1,80})\](?:\s*#.*)?$/.exec(line)?.[1] ?? '';
    if (line !== '') tables.set(name, `${tables.get(name) ?? ''}${line}\n`);
  }
  return tables;
}
