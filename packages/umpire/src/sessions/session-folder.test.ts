import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isUmpireError } from '@umpire/core/model/errors.js';
import {
  checkReplaceable,
  forgetCheckedFolders,
  makeFolders,
  makeScratch,
  openFolder,
  placeFor,
  writeAtomically,
  writeProjection,
  removeTemporaryFiles,
} from './session-folder.js';
import type { SessionFolder } from './session-folder.js';
import { spawnSync } from 'node:child_process';

let base: string;
let outside: string;
let folder: SessionFolder;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'umpire-folder-'));
  outside = join(base, 'outside');
  mkdirSync(outside);
  mkdirSync(join(base, 'session'));
  folder = openFolder(join(base, 'session'));
});

afterEach(() => rmSync(base, { recursive: true }));

function refused(path: string): string {
  try {
    writeProjection(folder, path, 'x');
    return 'written';
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return error.message;
  }
}

it('makes folders on the way, and writes what is there already over', () => {
  writeProjection(folder, 'a/b/c.md', 'one');
  writeProjection(folder, 'a/b/d.md', 'two');
  writeProjection(folder, 'a/./b/../b/c.md', 'three');
  writeAtomically(folder, '.hidden/e.md', 'four', false);
  const read = (path: string) => readFileSync(join(folder.root, path), 'utf8');
  expect([read('a/b/c.md'), read('a/b/d.md'), read('.hidden/e.md')]).toEqual(['three', 'two', 'four']);
});

it('leaves the session by no dots', () => {
  for (const path of ['../x', 'a/../../x', '..', '', '.', '/../x', 'a/../..', '../session-2/x'])
    expect([path, refused(path)]).toEqual([path, expect.stringContaining('outside')]);
  expect(readdirSync(base)).toEqual(['outside', 'session']);
  expect(readdirSync(folder.root)).toEqual([]);
});

it('leaves the session by no link, however deep, and writes through one that stays inside', () => {
  symlinkSync(outside, join(folder.root, 'out'));
  mkdirSync(join(folder.root, 'in'));
  symlinkSync(outside, join(folder.root, 'in', 'deep'));
  symlinkSync(join(outside, 'file'), join(folder.root, 'file'));
  symlinkSync('in', join(folder.root, 'alias'));
  for (const path of ['out/x', 'out/more/x', 'in/deep/x', 'in/deep/more/x', 'alias/deep/x', 'file'])
    expect([path, refused(path)]).toEqual([path, expect.stringContaining('outside')]);
  expect(readdirSync(outside)).toEqual([]);
  expect(refused('alias/new/x')).toBe('written');
  expect(existsSync(join(folder.root, 'in', 'new', 'x'))).toBe(true);
});

it('looks again at a folder above one that it has seen', () => {
  writeProjection(folder, 'a/b/c', 'one');
  rmSync(join(folder.root, 'a'), { recursive: true });
  symlinkSync(outside, join(folder.root, 'a'));
  expect(refused('a/x')).toContain('outside');
  expect(refused('a/other/x')).toContain('outside');
  expect(readdirSync(outside)).toEqual([]);
});

it('looks again at a folder that it has seen, where it is told to', () => {
  writeProjection(folder, 'a/x', 'one');
  rmSync(join(folder.root, 'a'), { recursive: true });
  symlinkSync(outside, join(folder.root, 'a'));
  forgetCheckedFolders(folder);
  expect([refused('a/y'), readdirSync(outside)]).toEqual([expect.stringContaining('outside'), []]);
});

it('says what stands in the way', () => {
  writeFileSync(join(folder.root, 'file'), '');
  symlinkSync('nowhere', join(folder.root, 'dangling'));
  symlinkSync('circle', join(folder.root, 'circle'));
  expect(refused('file/x')).toContain('file is a file, not a folder');
  expect(refused('file/more/x')).toContain('file is a file, not a folder');
  expect(refused('dangling/x')).toContain('dangling/x');
  expect(refused('circle/x')).toContain('its links form a circle');
  expect(refused(`${'n'.repeat(300)}/x`)).toContain('its name is too long');
});

it('makes nothing where it is only asked for a place', () => {
  expect(placeFor(folder, 'a/b/c', false)).toBe(join(folder.root, 'a', 'b', 'c'));
  expect(readdirSync(folder.root)).toEqual([]);
});

it('makes nothing of a path that is longer than the system takes, and names where dots lead', () => {
  const deep = (depth: number) => refused(`${'a/'.repeat(depth)}x`).replace(/^Cannot write .*: /s, 'Cannot write it: ');
  const wanted = 'Cannot write it: its name is too long.';
  expect([deep(3000), deep(60_000), readdirSync(folder.root)]).toEqual([wanted, wanted, []]);
  expect([refused('../x'), refused('..')]).toEqual([expect.stringContaining(`(${join(base, 'x')})`), expect.stringContaining(`(${base})`)]);
  expect([refused('.'), refused('')].map((message) => message === 'written')).toEqual([false, false]);
});

it('makes a folder with all above it, and comes to an end where none can be made', () => {
  const deep = join(base, 'one', 'two', 'three');
  makeFolders(deep);
  makeFolders(deep);
  expect(readdirSync(deep)).toEqual([]);
  writeFileSync(join(base, 'file'), '');
  symlinkSync('nowhere', join(base, 'dangling'));
  const codeOf = (place: string) => {
    try {
      makeFolders(place);
      return 'made';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    }
  };
  expect(['file', 'file/x', 'dangling/x', 'n'.repeat(300)].map((path) => codeOf(join(base, path)))).toEqual([
    'EEXIST',
    'ENOTDIR',
    'ENOENT',
    'ENAMETOOLONG',
  ]);
  // It says of a folder that is there that it is not.
  if (existsSync('/proc/self')) expect(codeOf('/proc/umpire/session')).toBe('ENOENT');
});

it('writes beside what a process of the same number left when it was killed', () => {
  writeProjection(folder, 'a.md', 'old');
  for (let number = 0; number < 200; number++) writeFileSync(join(folder.root, `.umpire-tmp-${process.pid}-${number}`), 'half of it');
  writeAtomically(folder, 'a.md', 'new');
  expect(readFileSync(join(folder.root, 'a.md'), 'utf8')).toBe('new');
});

it('removes old files of processes that are gone, and nothing else', () => {
  const root = mkdtempSync(join(tmpdir(), 'umpire-leftovers-'));
  try {
    const gone = spawnSync(process.execPath, ['--version']).pid;
    const session = join(root, 'session');
    const beside = join(root, 'beside');
    for (const place of [session, join(session, 'tasks'), beside]) mkdirSync(place);
    symlinkSync(beside, join(session, 'verdicts'));
    const old = (...parts: readonly string[]) => {
      const place = join(root, ...parts);
      writeFileSync(place, 'half of it');
      utimesSync(place, 1_000_000_000, 1_000_000_000);
    };
    old('session', `.umpire-tmp-${gone}-1`);
    old('session', 'tasks', `.umpire-tmp-${gone}-22`);
    old('session', `.umpire-tmp-${process.pid}-3`);
    const kept = ['.umpire-tmp-notes', `.umpire-tmp-${process.ppid}-1`, `.umpire-tmp-${gone}-1.bak`, 'tasks.csv'];
    for (const name of kept) old('session', name);
    old('beside', `.umpire-tmp-${gone}-1`);
    mkdirSync(join(session, `.umpire-tmp-${gone}-9`));
    writeFileSync(join(session, `.umpire-tmp-${gone}-8`), 'of just now');
    removeTemporaryFiles(openFolder(session));
    expect(readdirSync(session).toSorted()).toEqual(
      [...kept, `.umpire-tmp-${gone}-8`, `.umpire-tmp-${gone}-9`, 'tasks', 'verdicts'].toSorted(),
    );
    expect([readdirSync(join(session, 'tasks')), readdirSync(beside)]).toEqual([[], [`.umpire-tmp-${gone}-1`]]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

it('V15: refuses to replace a folder or a read-only file before anything is written', () => {
  mkdirSync(join(folder.root, 'tasks.csv'));
  expect(() => checkReplaceable(folder, 'tasks.csv')).toThrow('it is a folder');
  writeFileSync(join(folder.root, 'closed.csv'), 'x', { mode: 0o444 });
  expect(() => checkReplaceable(folder, 'closed.csv')).toThrow(/read-only|permission is denied/);
  writeFileSync(join(folder.root, 'open.csv'), 'x');
  expect(() => checkReplaceable(folder, 'open.csv')).not.toThrow();
  expect(() => checkReplaceable(folder, 'new.csv')).not.toThrow();
  expect(readFileSync(join(folder.root, 'closed.csv'), 'utf8')).toBe('x');
});

const tmpdirBefore = process.env['TMPDIR'];
afterEach(() => {
  if (tmpdirBefore === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = tmpdirBefore;
});

it('makes a folder of its own each time', () => {
  const made = [makeScratch('a'), makeScratch('a')];
  expect([new Set(made).size, ...made.map((place) => existsSync(place))]).toEqual([2, true, true]);
  for (const place of made) rmdirSync(place);
});

it('tells of a place that is not there, by its name', () => {
  process.env['TMPDIR'] = '/nowhere/at/all';
  expect(tmpdir()).toBe('/nowhere/at/all');
  const message = expect.stringContaining('Cannot write the folder for temporary files (TMPDIR=/nowhere/at/all): ') as string;
  expect(() => makeScratch('a')).toThrow(expect.objectContaining({ code: 'write-failed', message }));
});
