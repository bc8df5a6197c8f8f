// Which folder is the project of another: real folders, with a home of their own.

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONFIG, findProject, projectAbove } from './project.js';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'umpire-project-')));
const at = (path: string) => join(base, path);
const before = process.env['HOME'];

beforeAll(() => {
  process.env['HOME'] = at('home');
  for (const path of [
    'home/.umpire/sessions/s',
    'home/.git',
    'home/plain/deep',
    'home/repo/.git',
    'home/repo/src/deep',
    'home/repo/packages/own/src',
    'home/repo/sub/.git',
    'home/repo/sub/deep',
    'home/repo/.umpire/sessions/s',
    'home/loose/src',
    'home/bare/.git',
    'home/bare/src',
    'home/bare/.workflow/.csv-wave/s',
    'open/work',
    'open/.umpire/sessions/s',
  ])
    mkdirSync(at(path), { recursive: true });
  writeFileSync(at(`home/repo/packages/own/${CONFIG}`), '');
  writeFileSync(at(`home/loose/${CONFIG}`), '');
  writeFileSync(at(CONFIG), '');
  chmodSync(at('open'), 0o1777);
});

afterAll(() => {
  if (before === undefined) delete process.env['HOME'];
  else process.env['HOME'] = before;
  rmSync(base, { recursive: true, force: true });
});

it.each<[string, string | null, string]>([
  ['home/repo', 'home/repo', 'the top of a repository that has sessions'],
  ['home/repo/src/deep', 'home/repo', 'a folder of it'],
  ['home/repo/packages', 'home/repo', 'the same, beside a package'],
  ['home/bare/src', null, 'a repository alone is no project of what is below: a package in it is itself'],
  ['home/repo/packages/own/src', 'home/repo/packages/own', 'a package with settings of its own'],
  ['home/repo/sub/deep', null, 'a repository in another has nothing of that one'],
  ['home/repo/.umpire/sessions/s', 'home/repo', 'a session'],
  ['home/loose/src', 'home/loose', 'settings without git'],
  ['home', 'home', 'the home folder itself'],
  ['home/plain/deep', null, 'the home folder is no project of what is below'],
  ['home/.umpire/sessions', 'home', 'but of its own sessions'],
  ['open', 'open', 'a folder that everybody may write in, itself'],
  ['open/work', null, 'and not found from below'],
  ['open/.umpire/sessions', 'open', 'but of its own sessions'],
])('%s lies in %s: %s', (start, project) => {
  expect(projectAbove(at(start))).toBe(project === null ? null : at(project));
});

it('is found of a session from the folder around it', () => {
  expect(findProject(at('home/.umpire/sessions/s'))).toBe(at('home'));
  expect(findProject(at('home/bare/.workflow/.csv-wave/s'))).toBe(at('home/bare'));
});
