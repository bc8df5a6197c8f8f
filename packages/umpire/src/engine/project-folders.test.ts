import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { cleanUpAfterwards, temporaryFolder } from '../../../../test/support/git-project.js';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { makeSessionFolder, openProject, worktreeHome } from './project-folders.js';

cleanUpAfterwards();
afterEach(() => vi.unstubAllEnvs());

const DAY = new Date('2026-03-01T00:00:00Z');

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (isUmpireError(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'taken';
}

it('refuses a project that is no folder, or lies below a file', () => {
  const base = temporaryFolder();
  writeFileSync(join(base, 'file'), '');
  for (const path of ['file', 'file/x', 'file/x/y', 'nowhere'])
    expect(refusal(() => openProject(join(base, path)))).toBe(`project-missing: No folder at "${join(base, path)}".`);
});

it('tells what went wrong in looking whether a name is taken as that', () => {
  const isTaken = () => {
    throw new UmpireError('git-missing');
  };
  expect(refusal(() => makeSessionFolder(temporaryFolder(), 'until', 'goal', DAY, undefined, isTaken))).toContain(
    'git-missing: git not found',
  );
});

it('refuses a session that can be no folder, and says why', () => {
  const base = temporaryFolder();
  writeFileSync(join(base, 'file'), '');
  const asked = (path: string) => refusal(() => makeSessionFolder(base, 'review', '', DAY, join(base, path)));
  expect(asked('file')).toContain('it is a file; a session needs a folder');
  expect(asked('file/x')).toContain('a part of its path is a file');
  expect(asked('n'.repeat(300))).toContain('its name is too long');
  expect(readdirSync(base)).toEqual(['file']);
});

it('makes a folder by loop, goal and day, and numbers it where that is taken', () => {
  const base = temporaryFolder();
  const made = (asked?: string) => makeSessionFolder(base, 'review', 'Mend ÄLL, Größe!', DAY, asked);
  const sessions = join(base, '.umpire', 'sessions');
  const name = 'review-mend-all-grosse-2026-03-01';
  expect([made(), made(), made(join(base, 'own', 'place'))]).toEqual([
    join(sessions, name),
    join(sessions, `${name}-2`),
    join(base, 'own', 'place'),
  ]);
  mkdirSync(join(sessions, `${name}-3`));
  expect([made(), existsSync(join(base, '.umpire', '.gitignore'))]).toEqual([join(sessions, `${name}-4`), true]);
});

it('V19: puts worktrees into a folder of the home that no tool skips: no part begins with a dot, whatever the project is called', () => {
  const home = temporaryFolder();
  for (const [name, value] of Object.entries({ HOME: home, UMPIRE_WORKTREES: '', XDG_CACHE_HOME: '' })) vi.stubEnv(name, value);
  const projects = ['/work/shop', '/work/.dotfiles', '/work/.', '/.x/..y', `/work/${'long'.repeat(60)}`, '/work/two words', '/other/shop'];
  const places = projects.map((project) => relative(home, worktreeHome(project, null)));
  expect(places.flatMap((place) => place.split('/')).filter((part) => part.startsWith('.') || part.length > 60)).toEqual([]);
  expect(places[0]).toMatch(/^umpire-worktrees\/shop-[0-9a-f]{12}$/);
  expect(new Set(places).size).toBe(projects.length);
});

it('V19: takes the folder for worktrees from the settings, else from UMPIRE_WORKTREES', () => {
  vi.stubEnv('UMPIRE_WORKTREES', '/somewhere');
  expect([worktreeHome('/work/shop', '../wt'), worktreeHome('/work/shop', null)]).toEqual(['/work/wt', '/somewhere']);
});

it('V19: without a home folder outside the project, puts worktrees where a reboot leaves them', () => {
  vi.stubEnv('UMPIRE_WORKTREES', '');
  const home = temporaryFolder();
  writeFileSync(join(home, 'file'), '');
  for (const [own, project] of [
    ['/nonexistent', '/work/shop'],
    [join(home, 'file'), '/work/shop'],
    [home, home],
    [home, '/'],
  ] as const) {
    vi.stubEnv('HOME', own);
    expect(worktreeHome(project, null)).toMatch(/^\/var\/tmp\/umpire-worktrees-\d+\/\w[^/]*$/);
  }
});
