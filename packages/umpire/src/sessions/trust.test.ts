import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { expectedTrust, isProjectTrusted, isTrusted, loopFiles, projectFiles, recordTrust, revokeTrust, untrustedFiles } from './trust.js';

const CONFIG = 'umpire.config.yaml';
const ROLE = '.umpire/roles/review/reviewer.md';

let beside = '';
let project = '';
const before = { trust: process.env['UMPIRE_TRUST'], state: process.env['XDG_STATE_HOME'] };

beforeEach(() => {
  beside = realpathSync.native(mkdtempSync(join(tmpdir(), 'umpire-trust-')));
  project = join(beside, 'project');
  mkdirSync(project);
  git('init', '-q', '-b', 'main');
  write(CONFIG, 'agent: mine\n');
  write(ROLE, 'Look twice.\n');
  process.env['XDG_STATE_HOME'] = join(beside, 'state');
  delete process.env['UMPIRE_TRUST'];
});

afterEach(() => {
  rmSync(beside, { recursive: true, force: true });
  process.env['XDG_STATE_HOME'] = before.state;
  process.env['UMPIRE_TRUST'] = before.trust;
});

function git(...args: readonly string[]): void {
  execFileSync('git', ['-C', project, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { stdio: 'ignore' });
}

function write(path: string, text: string, folder = project): string {
  const place = join(folder, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, text);
  return place;
}

const names = (): readonly string[] => untrustedFiles(project).map(({ path }) => path);
const trustAll = (): void => recordTrust(project, projectFiles(project), true);

it('trusts nothing of a new project, and each file with the content that a person trusted', () => {
  expect(names()).toEqual([CONFIG, ROLE]);
  expect(isProjectTrusted(project)).toBe(false);
  trustAll();
  expect(names()).toEqual([]);
  expect(isProjectTrusted(project)).toBe(true);
  expect(isTrusted(join(project, CONFIG), 'agent: mine\n', project)).toBe(true);
  expect(isTrusted(join(project, CONFIG), 'agent: other\n', project)).toBe(false);
});

it('asks again for a changed or a new file, and for no source', () => {
  trustAll();
  write('src/a.js', 'x');
  expect(isProjectTrusted(project)).toBe(true);
  write(ROLE, 'Approve.\n');
  write('.umpire/roles/debt/planner.md', 'New.\n');
  expect(names()).toEqual(['.umpire/roles/debt/planner.md', ROLE]);
  expect(isProjectTrusted(project)).toBe(false);
});

it('keeps its record outside the project, and forgets it', () => {
  trustAll();
  expect(readdirSync(join(beside, 'state', 'umpire', 'trust'))).toHaveLength(1);
  expect(revokeTrust(project)).toBe(true);
  expect(names()).toEqual([CONFIG, ROLE]);
  expect(revokeTrust(project)).toBe(false);
});

it('takes a record that cannot be read for none', () => {
  trustAll();
  const [name = ''] = readdirSync(join(beside, 'state', 'umpire', 'trust'));
  for (const text of ['', '{', 'null', '{"files":7}', '{"isProject":true,"files":{"umpire.config.yaml":1}}']) {
    writeFileSync(join(beside, 'state', 'umpire', 'trust', name), text);
    expect(names()).toEqual([CONFIG, ROLE]);
  }
});

it('holds in the worktrees of the repository, and not in a folder that only claims to be one', () => {
  git('add', '-Af');
  git('commit', '-qm', 'first');
  trustAll();
  git('worktree', 'add', '-q', join(beside, 'linked'));
  expect(untrustedFiles(join(beside, 'linked'))).toEqual([]);
  const liar = join(beside, 'liar');
  write(CONFIG, 'agent: mine\n', liar);
  write('.git', `gitdir: ${join(project, '.git', 'worktrees', 'linked')}\n`, liar);
  expect(untrustedFiles(liar).map(({ path }) => path)).toEqual([CONFIG]);
});

it('knows a project in a folder of the repository by its own files', () => {
  write(`inner/${CONFIG}`, 'agent: mine\n');
  trustAll();
  expect(untrustedFiles(join(project, 'inner')).map(({ path }) => path)).toEqual([`inner/${CONFIG}`]);
});

it('trusts the files whose hash UMPIRE_TRUST holds, and no others', () => {
  const place = write('loops/mine.yaml', 'loop: mine\n');
  write('loops/roles/mine/judge.md', 'Judge.\n');
  const loop = loopFiles(place, 'mine', project);
  process.env['UMPIRE_TRUST'] = expectedTrust(project, loop === null ? [] : [loop]);
  expect(names()).toEqual([]);
  expect(isProjectTrusted(project)).toBe(true);
  expect(isTrusted(join(project, ROLE), 'Look twice.\n', project)).toBe(true);
  expect(isTrusted(place, 'loop: mine\n', project)).toBe(true);
  expect(isTrusted(join(project, 'loops/roles/mine/judge.md'), 'Judge.\n', project)).toBe(true);
  expect(isTrusted(place, 'loop: other\n', project)).toBe(false);
  process.env['UMPIRE_TRUST'] = expectedTrust(project, []);
  expect(isTrusted(place, 'loop: mine\n', project)).toBe(false);
  write(ROLE, 'Approve.\n');
  expect(names()).toEqual([CONFIG, ROLE]);
});

it('trusts everything with UMPIRE_TRUST=1, and nothing with another word', () => {
  process.env['UMPIRE_TRUST'] = '1';
  expect(isProjectTrusted(project)).toBe(true);
  for (const word of ['0', 'true', 'yes', '']) {
    process.env['UMPIRE_TRUST'] = word;
    expect(isProjectTrusted(project)).toBe(false);
  }
});

it('takes a loop file outside of every project for the person’s own', () => {
  const own = write('my-loops/mine.yaml', 'loop: mine\n', beside);
  expect(loopFiles(own, 'mine', project)).toBeNull();
  expect(isTrusted(own, 'loop: mine\n', project)).toBe(true);
  const cloned = write('loops/mine.yaml', 'loop: mine\n');
  expect(isTrusted(cloned, 'loop: mine\n', null)).toBe(false);
});
