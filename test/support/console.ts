// Runs the console examples of a page from top to bottom and compares the output. Pages show only stderr of `umpire decide`, and all
// output of other commands. Times, dates, commits and the folder differ from run to run and are masked.
// With UMPIRE_REFRESH_DOCS=1 outdated output lines are rewritten in the page.

import { spawnSync } from 'node:child_process';
import type { SpawnSyncOptionsWithStringEncoding } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'vitest';
import { runInProcess } from './in-process.js';
import { isRefreshing, replaceBlock } from './page.js';
import type { Block, Page } from './page.js';

const root = join(import.meta.dirname, '..', '..');

/** The name that pages use for the folder of their commands. */
const HOME = '/home/you';

/** Gives a folder the examples and the command. */
export function prepareConsole(folder: string): void {
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
  symlinkSync(join(root, 'dist', 'umpire.cjs'), join(folder, 'umpire'));
}

export interface Ran {
  readonly line: string;
  /** What the page shows. */
  readonly shown: string;
  readonly printed: string;
  /** Its exit status, if it is known. */
  readonly status?: number;
}

/** A terminal in a folder: `cd`, `export` and `$?` carry over from one command to the next. `typed` is what the shell gets of a line. */
export function openConsole(
  folder: string,
  more: NodeJS.ProcessEnv = {},
  typed = (line: string) => line,
): (text: string) => Promise<readonly Ran[]> {
  const exported: NodeJS.ProcessEnv = {};
  let place = folder;
  let status = 0;
  const run = async (line: string): Promise<string> => {
    const [, target] = /^cd (\S+)$/.exec(line) ?? [];
    if (target !== undefined) {
      place = target === '~' ? folder : resolve(place, target);
      return '';
    }
    const command = typed(line).replace('$?', String(status)).replaceAll(HOME, realpathSync.native(folder));
    const [, name, value] = /^export (\w+)=(\S+)$/.exec(command) ?? [];
    if (name !== undefined) {
      exported[name] = value;
      return '';
    }
    const options = { cwd: place, encoding: 'utf8', env: { ...environment(folder), ...more, ...exported } } as const;
    if (line === TRUST) return answerInTerminal(line, 'y', options);
    const words = plainWords(command);
    const ran = words === null ? null : await runInProcess(place, words, options.env);
    const result = ran === null ? spawnSync('sh', ['-c', command], options) : { ...ran, status: ran.exit };
    status = result.status ?? 1;
    return (line.startsWith('umpire decide') ? result.stderr : result.stderr + result.stdout).trimEnd();
  };
  return async (text) => {
    const ran: Ran[] = [];
    for (const { line, shown } of commandsIn(text)) ran.push({ line, shown, printed: await run(line), status });
    return ran;
  };
}

/** The words after `umpire` where the line needs no shell. */
function plainWords(line: string): readonly string[] | null {
  if (!/^umpire (?:[\w./=:@~-]+ |"[^"$`\\]*" )*$/.test(`${line} `) || line.includes('~')) return null;
  return [...line.matchAll(/"([^"]*)"|[^\s"]+/g)].slice(1).map(([word, quoted]) => quoted ?? word);
}

/** The one command that asks. */
const TRUST = 'umpire trust';

/** What a terminal shows of a command that asks once. */
function answerInTerminal(line: string, answer: string, options: SpawnSyncOptionsWithStringEncoding): string {
  const { stdout } = spawnSync('script', ['-qec', line, '/dev/null'], { ...options, input: `${answer}\n` });
  return asAnswered(stdout, answer).trimEnd();
}

/** The terminal echoes the answer at once, and the program prints its question after that. */
function asAnswered(text: string, answer: string): string {
  const shown = text.replaceAll('\r', '').replace(`${answer}\n`, '');
  return shown.replace('[y/N] ', `[y/N] ${answer}\n`);
}

function commandsIn(text: string): readonly Pick<Ran, 'line' | 'shown'>[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((command) => {
      const [line = '', ...shown] = command.trimEnd().split('\n');
      return { line, shown: shown.join('\n') };
    });
}

/** A separate git identity, without the settings of the person who runs the tests. */
function environment(folder: string, home = folder): NodeJS.ProcessEnv {
  const person = { NAME: 'You', EMAIL: 'you@example.com' };
  return {
    ...process.env,
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    UMPIRE_WORKTREES: '',
    UMPIRE_TRUST: '',
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    GIT_AUTHOR_NAME: person.NAME,
    GIT_AUTHOR_EMAIL: person.EMAIL,
    GIT_COMMITTER_NAME: person.NAME,
    GIT_COMMITTER_EMAIL: person.EMAIL,
  };
}

/** The output of a test runner differs between versions of Node and from run to run. */
const RUNNER_OUTPUT = /^(.*?)(?:\bnot ok \d|# \w+ \d|\bduration_ms\b|[ℹ✖✔▶] ).*$/gm;

/** Masks what differs from run to run: times, durations, commits, the folder, and how a test runner ends. */
export function steady(text: string, folder: string): string {
  return text
    .replaceAll(realpathSync.native(folder), HOME)
    .replace(/\b\d{4}-\d\d-\d\d\b/g, '2026-03-01')
    .replace(/\b\d\d:\d\d(?=\s|$)/gm, '21:04')
    .replace(/ in \d+(?:\.\d+)? (?:s|min)\b/g, '')
    .replace(/\b\d+(?:\.\d+)? (?:s|min)\b/g, '1 s')
    .replace(/\b(?=[a-f]*\d)[0-9a-f]{10,64}\b/g, 'c0ffee000000')
    .replace(/((?:Last lines|Failures): ).*$/gm, '$1...')
    .replace(RUNNER_OUTPUT, '$1...');
}

/**
 * Plays a page in an empty folder: writes each block that names a file, and runs the commands. A block with a part
 * (```yaml loop.yaml table) replaces that top-level key of the file. Returns how many commands there were.
 */
export async function playPage(page: Page, folder: string): Promise<number> {
  prepareConsole(folder);
  const inTerminal = openConsole(folder);
  let commands = 0;
  for (const block of page.blocks) {
    if (block.kind === 'console') commands += compareBlock(page, block, await inTerminal(block.text), folder);
    else if (isFile(block.name)) writeFile(folder, block);
  }
  return commands;
}

/** A name with a dot or a slash is a file; files of examples/ are only shown. */
function isFile(name: string): boolean {
  return /[./]/.test(name) && !name.startsWith('examples/');
}

function writeFile(folder: string, { name, part, text }: Block): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, part === '' ? text : withPart(readFileSync(path, 'utf8'), part, text));
}

function withPart(text: string, part: string, block: string): string {
  const section = new RegExp(`^${part}:\\n(?: .*\\n)*`, 'm');
  return section.test(text) ? text.replace(section, () => block) : text + block;
}

/** Compares a console block with the output of its commands. Returns how many there were. */
export function compareBlock(page: Page, block: Block, ran: readonly Ran[], folder: string): number {
  for (const [at, { line, status = 0, printed }] of ran.entries())
    if (ERRORS.has(status) && ran[at + 1]?.line !== 'echo $?')
      expect.fail(`${page.path}: "${line}" failed (exit status ${status}): ${printed}`);
  const isSame = ({ shown, printed }: Ran) => steady(printed, folder) === steady(shown, folder);
  if (isRefreshing && !ran.every(isSame)) {
    const lines = ran.flatMap((one) => [`$ ${one.line}`, ...(isSame(one) ? linesOf(one.shown) : refreshed(one, folder))]);
    replaceBlock(page, block, `${lines.join('\n')}\n`);
    return ran.length;
  }
  for (const { line, shown, printed } of ran)
    expect({ line, printed: steady(printed, folder) }).toEqual({ line, printed: steady(shown, folder) });
  return ran.length;
}

/** The new output, masked. A line that differs only in masked parts stays as the page has it. */
function refreshed({ shown, printed }: Ran, folder: string): readonly string[] {
  const old = new Map(linesOf(shown).map((line) => [steady(line, folder), line]));
  return linesOf(steady(printed, folder)).map((line) => old.get(line) ?? line);
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

/**
 * All of a page's examples as a person types them, in order, in one shell that begins in a clone: `first` defines the command, and
 * nothing else does. Returns how many commands there were.
 */
export function playTour(page: Page, first: string, folder: string): number {
  const clone = join(folder, 'umpire');
  mkdirSync(clone);
  cpSync(join(root, 'examples'), join(clone, 'examples'), { recursive: true });
  symlinkSync(join(root, 'dist'), join(clone, 'dist'), 'dir');
  const blocks = page.blocks.filter(({ kind }) => kind === 'console');
  const lines = blocks.flatMap(({ text }) => commandsIn(text).map(({ line }) => line));
  const script = join(folder, 'tour.sh');
  const typed = lines.map((line) =>
    line === TRUST ? `printf 'y\\n' | script -qec 'node ${clone}/dist/umpire.cjs trust' /dev/null` : line,
  );
  writeFileSync(script, ['exec 2>&1', first, ...typed.map((line, at) => `${line}\necho "${MARK}${at}"`), ''].join('\n'));
  const { stdout } = spawnSync('sh', [script], { cwd: clone, encoding: 'utf8', env: environment(join(folder, 'nobody'), folder) });
  const printed = stdout
    .split(new RegExp(`^${MARK}\\d+\\n`, 'm'))
    .map((text, index) => (lines[index] === TRUST ? asAnswered(text, 'y') : text).trimEnd());
  let at = 0;
  for (const block of blocks) {
    const ran = commandsIn(block.text).map((command) => ({ ...command, printed: printed[at++] ?? '' }));
    compareBlock(page, block, ran, folder);
  }
  return lines.length;
}

/** A page that shows a failed command says so with `echo $?`; otherwise a refresh would record a broken example. */
const ERRORS: ReadonlySet<number> = new Set([1, 2, 126, 127]);

/** Never a line of a page. */
const MARK = '=== end of ';
