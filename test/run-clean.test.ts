// `umpire clean` keeps work that was never merged into a session's branch. `umpire list --unapplied` shows the same work.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { clean } from '@umpire/umpire/engine/clean.js';
import { SOAK } from './support/campaign.js';
import { gitIn } from './support/git-project.js';
import { GOOD_RUN, REST, testRun } from './support/run-evidence.js';
import { cleanUpProjects, endOf, makeProject, textOf } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

const BOTH = [
  { task: 'TESTGEN-001', write: { 'test/shared.txt': 'one\n' }, result: { findings: 'wrote one' } },
  { task: 'TESTGEN-002', attempt: 1, write: { 'test/shared.txt': 'two\n', 'test/b.txt': 'b\n' }, result: { findings: 'wrote two' } },
  { task: 'TESTGEN-002', attempt: 2, fail: 'exit' },
  ...['L1', 'L2', 'L3'].map((layer, n) => testRun(layer, GOOD_RUN, { task: `TESTRUN-00${n + 1}` })),
  REST,
];

async function unapplied(project: RunProject): Promise<readonly string[]> {
  const { out } = await project.umpire('list', '--unapplied', '--json');
  return (JSON.parse(out) as { sessions: readonly { name: string }[] }).sessions.map(({ name }) => name);
}

it('keeps the work of a task in conflict', SOAK, async () => {
  const project = makeProject({ answers: BOTH });
  const { session } = await project.umpire('run', 'testing', 'x', '--mode', 'comprehensive');
  const name = basename(session);
  await project.umpire('resolve', name, 'abort', '--reason', 'fine');
  const before = await project.umpire('clean', name);
  expect({ exit: before.exit, err: before.err }).toEqual({
    exit: 1,
    err: expect.stringMatching(/apply .*unmerged work: work of TESTGEN-002/s),
  });
  await project.umpire('apply', name, '--force');
  const all = await project.umpire('clean');
  expect(all.err).toMatch(/: kept\. Not merged: work of TESTGEN-002 on test\/b\.txt, test\/shared\.txt \(`git show \w{10}`\)\. /);
  expect(await unapplied(project)).toEqual([name]);
  const shown = /`git (show \w+)`/.exec(all.err)?.[1] ?? '';
  expect(project.git(...shown.split(' '))).toContain('+two');
  const cleaned = await project.umpire('clean', name, '--force');
  expect(cleaned.err).toBe(`${name}: worktrees and branch removed.\n`);
});

const ASKS = `
case $role in
  planner) complete "a plan" ;;
  *) echo one > part.txt; printf '{"id":"%s","question":"Which one?"}' "$id" > "$UMPIRE_RESULT_FILE" ;;
esac
`;

it.each(['git', 'no git'])('keeps the work of a task that asked, if the session was then aborted (%s)', SOAK, async (kind) => {
  const project = makeProject({ plain: kind === 'no git' });
  const { session } = await project.umpire('run', 'debt', 'x', '--mode', 'targeted', ...project.sh(ASKS));
  const name = basename(session);
  const tasks = join(session, 'tasks.csv');
  writeFileSync(tasks, textOf(tasks).replace(/^(TDFIX-001,.*),csv-wave,/m, '$1,interactive,'));
  expect((await project.umpire('resolve', name, 'approve', '--reason', 'fine')).exit).toBe(4);
  await project.umpire('resolve', name, 'abort', '--reason', 'fine');
  expect(endOf(session)).toBe('aborted unverified');
  const { exit, err } = await project.umpire('clean');
  expect({ exit, err }).toEqual({
    exit: 0,
    err: expect.stringMatching(/kept\. Not merged: work of TDFIX-001 on part\.txt \(`git /),
  });
  expect(err).not.toContain('resume');
  expect(await unapplied(project)).toEqual([name]);
  const shown = /`git ([^`]+)`/.exec(err)?.[1]?.replaceAll('"', '') ?? '';
  expect(gitIn(project.root, ...shown.split(' '))).toContain('+one');
  const forced = await project.umpire('clean', name, '--force');
  expect({ exit: forced.exit, left: await unapplied(project) }).toEqual({ exit: 0, left: [] });
});

const MADE = `
case $role in
  worker) mkdir -p out; echo $id > out/$(basename "$UMPIRE_SESSION").txt; complete "made it" ;;
esac
`;

async function made(project: RunProject, goal: string): Promise<string> {
  const { session, exit, err } = await project.umpire('until', 'test -d out', goal, ...project.sh(MADE));
  expect({ exit, err }).toMatchObject({ exit: 0 });
  return session;
}

it('cleans up after deleted session folders, but keeps work that exists nowhere else', SOAK, async () => {
  const project = makeProject();
  const [lost, applied, bare, there] = [
    await made(project, 'a'),
    await made(project, 'b'),
    await made(project, 'c'),
    await made(project, 'd'),
  ];
  await project.umpire('apply', basename(applied));
  for (const session of [lost, applied, bare]) rmSync(session, { recursive: true });
  // Only the branch of this session is left.
  rmSync(join(project.worktrees, basename(bare)), { recursive: true });
  project.git('worktree', 'prune');
  const { exit, err } = await project.umpire('clean');
  expect({ exit, lines: err.trimEnd().split('\n') }).toEqual({
    exit: 0,
    lines: [
      expect.stringMatching(new RegExp(`^${basename(there)}: kept\\. Its work was not applied`)),
      expect.stringMatching(new RegExp(`^${basename(lost)} \\(session folder deleted\\): kept\\. .* out/${basename(lost)}\\.txt\\.`)),
      `${basename(applied)} (session folder deleted): worktrees and branch removed.`,
      expect.stringMatching(new RegExp(`^Branches without a session in this project: umpire/${basename(bare)}\\. `)),
    ],
  });
  expect((await project.umpire('clean', basename(bare))).exit).toBe(1);
  // The printed command works.
  project.git('add', '-A');
  project.git('commit', '-q', '-m', 'applied');
  project.git('merge', '-q', '-m', 'kept', `umpire/${basename(lost)}`);
  expect((await project.umpire('clean', basename(lost))).exit).toBe(0);
  expect((await project.umpire('clean', basename(bare), '--force')).exit).toBe(0);
  expect(project.git('branch', '--format=%(refname:short)').trim().split('\n')).toEqual(['main', `umpire/${basename(there)}`]);
  expect(readdirSync(project.worktrees).filter((name) => !name.startsWith('.'))).toEqual([basename(there)]);
});

it('does not touch the work of a session whose folder was renamed', SOAK, async () => {
  const project = makeProject();
  const flags = ['--max-rounds', '1', '--session', '.umpire/sessions/before', ...project.sh('complete "nothing done"')];
  expect((await project.umpire('until', 'test -d out', ...flags)).exit).toBe(4);
  renameSync(join(project.root, '.umpire', 'sessions', 'before'), join(project.root, '.umpire', 'sessions', 'after'));
  const { err } = await project.umpire('clean');
  expect(err).toMatch(/^after: kept\. It has not ended\..*\n$/);
  expect(await project.umpire('clean', 'before', '--force')).toMatchObject({ exit: 1 });
  expect(existsSync(join(project.worktrees, 'before', 'session'))).toBe(true);
  expect(project.git('branch', '--list', 'umpire/*')).toContain('before');
});

it('without git, keeps the files until --force if the private repository is missing', SOAK, async () => {
  const project = makeProject({ plain: true });
  const name = basename(await made(project, 'a'));
  rmSync(join(project.root, '.umpire'), { recursive: true });
  const { err } = await project.umpire('clean');
  const place = join(project.worktrees, name, 'session');
  expect(err).toContain(`${name} (session folder deleted): kept. Only its worktree has these changes: ${place}. `);
  expect(textOf(place, 'out', `${name}.txt`)).toBe('WORK-1\n');
  expect((await project.umpire('clean', name, '--force')).exit).toBe(0);
  expect(existsSync(place)).toBe(false);
});

it('removes the work of a session with a broken journal only with --force', async () => {
  const project = makeProject();
  const session = await made(project, 'a');
  const journal = join(session, 'journal.ndjson');
  writeFileSync(journal, textOf(journal).replace('"seq":3', '"seq":4'));
  const name = basename(session);
  expect((await project.umpire('clean', name)).err).toContain('is damaged at line 3');
  expect(project.git('branch', '--list', 'umpire/*')).toContain(name);
  expect(await project.umpire('clean', name, '--force')).toMatchObject({ exit: 0, err: `${name}: worktrees and branch removed.\n` });
  expect(project.git('branch', '--list', 'umpire/*')).toBe('');
});

it.skipIf(process.platform !== 'linux')('frees space on a full disk', SOAK, async () => {
  const project = makeProject({ config: { workspace: { home: '../worktrees' } } });
  const session = await made(project, 'a');
  await project.umpire('apply', basename(session));
  // The lock is the first file to be written.
  symlinkSync('/dev/full', join(session, `.umpire-lock-${process.pid}`));
  expect(await clean(session)).toMatchObject({ ok: true, branch: null });
  expect(project.git('branch', '--list', 'umpire/*')).toBe('');
});

it('cleans nothing without a session and without git', SOAK, async () => {
  const project = makeProject({ plain: true });
  const { exit, err } = await project.umpireWith({ env: { PATH: project.beside } }, 'clean');
  expect({ exit, err }).toEqual({ exit: 0, err: 'Nothing to clean.\n' });
});

it('follows no link to a session elsewhere', async () => {
  const [theirs, own] = [makeProject(), makeProject()];
  const { session } = await theirs.umpire('until', 'true', 'x', '--mode', 'check-first', ...theirs.sh('complete done'));
  const link = join(own.root, '.umpire', 'sessions', basename(session));
  mkdirSync(join(link, '..'), { recursive: true });
  symlinkSync(session, link);
  const branches = theirs.git('for-each-ref');
  await expect(clean(link)).rejects.toMatchObject({ code: 'session-link' });
  const { err } = await own.umpire('clean');
  expect(err).toContain(`${basename(session)}: kept. The session folder ${basename(session)} is a link.`);
  expect(theirs.git('for-each-ref')).toBe(branches);
});
