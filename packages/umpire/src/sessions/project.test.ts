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
    'home/slip/src',
    'home/set/.git',
    'home/set/src/deep',
    'home/set/sub/.git',
    'home/set/sub/deep',
    'home/bare/.git',
    'home/bare/src',
    'home/bare/.workflow/.csv-wave/s',
    'open/work',
    'open/.umpire/sessions/s',
  ])
    mkdirSync(at(path), { recursive: true });
  writeFileSync(at(`home/repo/packages/own/${CONFIG}`), '');
  writeFileSync(at(`home/loose/${CONFIG}`), '');
  writeFileSync(at(`home/set/${CONFIG}`), '');
  writeFileSync(at('home/slip/umpire.config.yml'), '');
  for (const place of ['.', 'home', 'open']) writeFileSync(at(join(place, CONFIG)), '');
  chmodSync(at('open'), 0o1777);
});

afterAll(() => {
  if (before === undefined) delete process.env['HOME'];
  else process.env['HOME'] = before;
  rmSync(base, { recursive: true, force: true });
});

it.each<[string, string | null, string]>([
  ['home/repo', null, 'sessions alone are no settings: whoever starts work in a folder means that folder'],
  ['home/repo/packages/own/src', 'home/repo/packages/own', 'a package with settings of its own'],
  ['home/set/src/deep', 'home/set', 'a folder of a repository with settings'],
  ['home/set/sub/deep', null, 'a repository in another has nothing of that one'],
  ['home/loose/src', 'home/loose', 'settings without git'],
  ['home/slip/src', 'home/slip', 'settings by the wrong name, which are refused then'],
  ['home/plain/deep', null, 'settings of the home folder are not of what is below'],
  ['open', 'open', 'a folder that everybody may write in, itself'],
  ['open/work', null, 'and not found from below'],
])('%s: the work is done in %s: %s', (start, project) => {
  expect(projectAbove(at(start))).toBe(project === null ? null : at(project));
});

it.each([
  ['home/repo/.umpire/sessions/s', 'home/repo'],
  ['home/bare/.workflow/.csv-wave/s', 'home/bare'],
  ['home/repo/src/deep/s', 'home/repo'],
])('%s lies in %s', (session, project) => {
  expect(findProject(at(session))).toBe(at(project));
});
