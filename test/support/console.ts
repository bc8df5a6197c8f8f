// Runs the console examples of a page, one command after the other, and compares what each really prints. Of `umpire decide` the
// lines for people (stderr) are shown, of other commands all that a terminal would show. What differs from run to run is
// made the same on both sides: times, dates, commits, the folder.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** What pages call the folder that their commands are run in. */
const HOME = '/home/you';

/** Gives a folder the samples and the command. */
export function prepareConsole(folder: string): void {
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
  symlinkSync(join(root, 'dist', 'umpire.cjs'), join(folder, 'umpire'));
}

export interface Ran {
  readonly line: string;
  /** What the page says. */
  readonly shown: string;
  readonly printed: string;
}

/** A terminal in a folder: `cd` and `$?` go on from one command to the next. */
export function openConsole(folder: string): (text: string) => readonly Ran[] {
  let place = folder;
  let status = 0;
  const run = (line: string): string => {
    const [, target] = /^cd (\S+)$/.exec(line) ?? [];
    if (target !== undefined) {
      place = target === '~' ? folder : resolve(place, target);
      return '';
    }
    const command = line.replace('$?', String(status)).replaceAll(HOME, realpathSync.native(folder));
    const result = spawnSync('sh', ['-c', command], { cwd: place, encoding: 'utf8', env: environment(folder) });
    status = result.status ?? 1;
    return (line.startsWith('umpire decide') ? result.stderr : result.stderr + result.stdout).trimEnd();
  };
  return (text) =>
    text
      .split(/^\$ /m)
      .slice(1)
      .map((command) => {
        const [line = '', ...shown] = command.trimEnd().split('\n');
        return { line, shown: shown.join('\n'), printed: run(line) };
      });
}

/** A person of the page's own, without the settings of whoever runs the tests. */
function environment(folder: string, home = folder): NodeJS.ProcessEnv {
  const person = { NAME: 'You', EMAIL: 'you@example.com' };
  return {
    ...process.env,
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    UMPIRE_WORKTREES: '',
    XDG_CACHE_HOME: join(home, '.cache'),
    GIT_AUTHOR_NAME: person.NAME,
    GIT_AUTHOR_EMAIL: person.EMAIL,
    GIT_COMMITTER_NAME: person.NAME,
    GIT_COMMITTER_EMAIL: person.EMAIL,
  };
}

/** Runs the commands of one example after the other; returns each with what is shown for it and what it printed. */
export function runConsole(text: string, folder: string): readonly Ran[] {
  return openConsole(folder)(text);
}

/** The same for every run: when it was, how long it took, what git calls it, where it lies, how a test runner ends. */
export function steady(text: string, folder: string): string {
  return text
    .replaceAll(realpathSync.native(folder), HOME)
    .replace(/\b\d{4}-\d\d-\d\d\b/g, '2026-03-01')
    .replace(/\b\d\d:\d\d(?=\s|$)/gm, '21:04')
    .replace(/ in \d+(?:\.\d+)? (?:s|min)\b/g, '')
    .replace(/\b\d+(?:\.\d+)? (?:s|min)\b/g, '1 s')
    .replace(/\b(?=[a-f]*\d)[0-9a-f]{10,64}\b/g, 'c0ffee000000')
    .replace(/((?:Its last lines|What failed): ).*$/gm, '$1...');
}

/** `folder` is prepared, and every command run. Returns how many there were. */
export function checkConsole(texts: readonly string[], folder: string): number {
  prepareConsole(folder);
  const ran = texts.flatMap(openConsole(folder));
  for (const { line, shown, printed } of ran)
    expect({ line, printed: steady(printed, folder) }).toEqual({ line, printed: steady(shown, folder) });
  return ran.length;
}

/**
 * All of a page's examples as a person types them, in order, in one shell that begins in a clone: `first` has the command at hand, and
 * nothing else does. Returns how many commands there were.
 */
export function checkTour(first: string, texts: readonly string[], folder: string): number {
  const clone = join(folder, 'umpire');
  mkdirSync(clone);
  cpSync(join(root, 'examples'), join(clone, 'examples'), { recursive: true });
  symlinkSync(join(root, 'dist'), join(clone, 'dist'), 'dir');
  const commands = texts.flatMap((text) => text.split(/^\$ /m).slice(1));
  const lines = commands.map((command) => command.split('\n', 1)[0] ?? '');
  const script = join(folder, 'tour.sh');
  writeFileSync(script, ['exec 2>&1', first, ...lines.map((line, at) => `${line}\necho "${MARK}${at}"`), ''].join('\n'));
  const { stdout } = spawnSync('sh', [script], { cwd: clone, encoding: 'utf8', env: environment(join(folder, 'nobody'), folder) });
  const printed = stdout.split(new RegExp(`^${MARK}\\d+\\n`, 'm'));
  for (const [at, command] of commands.entries()) {
    const [line = '', ...shown] = command.trimEnd().split('\n');
    expect({ line, printed: steady((printed[at] ?? '').trimEnd(), folder) }).toEqual({ line, printed: steady(shown.join('\n'), folder) });
  }
  return commands.length;
}

/** No line of a page. */
const MARK = '=== end of ';
