// A conductor's branch on a remote, beside the same session in a checkout: the same files come out, repeated steps make the same commits, and
// commits of strangers are refused.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SOAK } from '../../../../test/support/campaign.js';
import { cleanUpAfterwards, gitIn, gitProject, runTask, temporaryFolder } from '../../../../test/support/git-project.js';
import type { Files, Project } from '../../../../test/support/git-project.js';
import { openBranch } from './branch-without-checkout.js';
import type { Workspace } from '@umpire/core/model/ports.js';
import type { BranchOptions } from './branch-without-checkout.js';
import { openMirror, pushAttempt, pushBase } from './remote-repository.js';
import type { BranchMove } from './remote-repository.js';
import type { GitWorkspace } from './workspace.js';

cleanUpAfterwards();

const session = 'review-1';
const branch = 'umpire/review-1';

interface Fleet {
  readonly project: Project;
  readonly remote: string;
  readonly base: string;
  /** The same session in a checkout. It makes the tasks' commits. */
  readonly workspace: GitWorkspace;
  readonly moves: readonly BranchMove[];
  readonly conductor: (options?: Partial<BranchOptions>) => Promise<Workspace>;
  /** A task's work at the checkout's head, handed in. */
  readonly handIn: (task: string, files: Files) => Promise<string>;
  readonly push: (commit: string, task?: string) => Promise<string>;
}

async function fleet(): Promise<Fleet> {
  const project = gitProject();
  const remote = join(temporaryFolder(), 'team.git');
  mkdirSync(remote);
  gitIn(remote, 'init', '-q', '--bare');
  const base = project.git('rev-parse', 'HEAD').trim();
  const moves: BranchMove[] = [];
  const push = (commit: string, task = 'X') => pushAttempt(project.root, remote, { session, task, attempt: 1, commit });
  await pushBase(project.root, remote, { session, commit: base });
  const workspace = await project.open();
  return {
    project,
    remote,
    base,
    workspace,
    moves,
    push,
    conductor: async (options = {}) => {
      const mirror = await openMirror({ remote, home: temporaryFolder(), say: () => undefined });
      const onMove = (move: BranchMove) => void moves.push(move);
      return openBranch(mirror, { session, branch, base, head: base, onMove, ...options });
    },
    handIn: async (task, files) => {
      const work = await runTask(workspace, task, files);
      await push(work!.commit, task);
      return work!.commit;
    },
  };
}

function tipOf(remote: string): string {
  return gitIn(remote, 'rev-parse', branch).trim();
}

function treeIn(repository: string, commit: string): string {
  return gitIn(repository, 'rev-parse', `${commit}^{tree}`).trim();
}

describe('a branch without a checkout', () => {
  test('merges, reverts and restores as a checkout does', async () => {
    const at = await fleet();
    const conductor = await at.conductor();
    expect(await conductor.open()).toEqual({ base: at.base, head: at.base });
    const one = await at.handIn('T1', { 'a.txt': 'one\n', 'made.txt': '1\n' });
    const two = await at.handIn('T2', { 'b.txt': 'two\n', 'src/c.txt': null });
    const steps: ((workspace: Pick<GitWorkspace, 'merge' | 'revert' | 'restore'>) => Promise<unknown>)[] = [
      (workspace) => workspace.merge('T1', one),
      (workspace) => workspace.merge('T2', two),
      (workspace) => workspace.restore(['made.txt', 'src/c.txt'], at.base, 'Put back', false),
      (workspace) => workspace.revert([one, two], 'They failed'),
      (workspace) => workspace.revert([one, two], 'They failed'),
      (workspace) => workspace.merge('T1', one),
    ];
    for (const step of steps) {
      const [remote, local] = [await step(conductor), await step(at.workspace)] as { ok: boolean; head: string; files: string[] }[];
      expect({ ...remote, head: '' }).toEqual({ ...local, head: '' });
      expect(treeIn(at.remote, branch)).toBe(treeIn(at.project.root, branch));
      expect(tipOf(at.remote)).toBe(remote?.head);
    }
    const titles = (repository: string) => gitIn(repository, 'log', '--format=%B', branch);
    expect(titles(at.remote)).toBe(titles(at.project.root));
    expect(at.moves.map(({ from }) => from)).toEqual([null, ...at.moves.slice(0, -1).map(({ to }) => to)]);
    expect(await conductor.sweep()).toEqual([]);
    await expect(conductor.lend('T3', 1)).rejects.toMatchObject({ code: 'internal' });
  });

  test('two conductors that repeat the same steps make the same commits, whatever the clock and the settings', SOAK, async () => {
    const at = await fleet();
    const one = await at.handIn('T1', { 'a.txt': 'one\n', '.gitattributes': 'a.txt merge=ours\n' });
    const [two, three] = [await at.handIn('T2', { 'b.txt': 'two\n' }), await at.handIn('T3', { 'a.txt': 'three\n' })];
    const settings = join(temporaryFolder(), 'config');
    writeFileSync(settings, '[merge "ours"]\n\tdriver = true\n[user]\n\tname = Other\n\temail = other@example.com\n');
    const variables = ['GIT_COMMITTER_DATE', 'GIT_CONFIG_GLOBAL'] as const;
    const before = variables.map((name) => process.env[name]);
    const run = async (...values: readonly string[]) => {
      variables.forEach((name, index) => (process.env[name] = values[index]));
      const conductor = await at.conductor();
      const merges = [await conductor.merge('T1', one), await conductor.merge('T2', two), await conductor.merge('T3', three)];
      const reverted = await conductor.revert([two], 'It failed');
      return [...merges, reverted, await conductor.restore(['a.txt'], at.base, 'Put back', false)];
    };
    try {
      const first = await run('1600000000 +0000', '/dev/null');
      expect(first.map(({ ok, files }) => ({ ok, files }))).toEqual([
        { ok: true, files: ['.gitattributes', 'a.txt'] },
        { ok: true, files: ['b.txt'] },
        { ok: false, files: ['a.txt'] },
        { ok: true, files: ['b.txt'] },
        { ok: true, files: ['a.txt'] },
      ]);
      gitIn(at.remote, 'update-ref', '-d', `refs/heads/${branch}`);
      expect(await run('1800000000 +0000', settings)).toEqual(first);
    } finally {
      variables.forEach((name, index) => {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      });
    }
  });

  test('a step that reached the remote, but not the journal, is repeated', SOAK, async () => {
    const at = await fleet();
    const [one, two] = [await at.handIn('T1', { 'a.txt': 'one\n' }), await at.handIn('T2', { 'b.txt': 'two\n' })];
    const first = await at.conductor();
    await first.merge('T1', one);
    const merged = await first.merge('T2', two);
    const second = await at.conductor({ head: one });
    expect(await second.merge('T2', two)).toEqual(merged);
    expect(await second.merge('T2', two)).toEqual(merged);
    expect(tipOf(at.remote)).toBe(merged.ok && merged.head);
  });

  test('a conflict changes nothing', SOAK, async () => {
    const at = await fleet();
    const [one, two] = [await at.handIn('T1', { 'a.txt': 'one\n' }), await at.handIn('T2', { 'a.txt': 'two\n', 'b.txt': 'two\n' })];
    const conductor = await at.conductor();
    await conductor.merge('T1', one);
    expect(await conductor.merge('T2', two)).toEqual({ ok: false, files: ['a.txt'] });
    expect([tipOf(at.remote), at.moves]).toEqual([one, [{ branch, from: null, to: one }]]);
  });

  test('names files from the project, which may be a folder of the repository', SOAK, async () => {
    const at = await fleet();
    const one = await at.handIn('T1', { 'src/c.txt': 'one\n' });
    const conductor = await at.conductor({ prefix: 'src' });
    expect(await conductor.merge('T1', one)).toMatchObject({ ok: true, files: ['c.txt'] });
    expect(await conductor.restore(['c.txt'], at.base, 'Put back', false)).toMatchObject({ ok: true, files: ['c.txt'] });
  });

  test('a branch that another moved stays where it is', async () => {
    const at = await fleet();
    const [one, two] = [await at.handIn('T1', { 'a.txt': 'one\n' }), await at.handIn('T2', { 'b.txt': 'two\n' })];
    const conductor = await at.conductor();
    await conductor.merge('T1', one);
    gitIn(at.remote, 'update-ref', `refs/heads/${branch}`, two);
    expect(await conductor.merge('T2', two)).toMatchObject({
      ok: false,
      reason: expect.stringContaining(`it should be at ${one}, but is at ${two}`) as string,
    });
    expect(tipOf(at.remote)).toBe(two);
    gitIn(at.remote, 'update-ref', `refs/heads/${branch}`, one);
    expect(await conductor.merge('T2', two)).toMatchObject({ ok: true });
  });
});

describe('a commit that a worker hands in', () => {
  test('is refused with a reason, unless it is one commit on a head of the branch', async () => {
    const at = await fleet();
    const { git } = at.project;
    const rootless = git('commit-tree', '-m', 'x', 'HEAD^{tree}').trim();
    const merge = git('commit-tree', '-m', 'x', '-p', at.base, '-p', rootless, 'HEAD^{tree}').trim();
    const hidden = at.project.commit({ 'a.txt': 'hidden\n' });
    const shown = at.project.commit({ 'b.txt': 'shown\n' });
    for (const [index, commit] of [merge, shown].entries()) await at.push(commit, `X${index}`);
    const conductor = await at.conductor();
    for (const [commit, reason] of [
      ['f'.repeat(40), /does not have commit f{40}/],
      ['--all', /does not have commit --all/],
      ['HEAD', /does not have commit HEAD/],
      [treeIn(at.project.root, hidden), /does not have commit/],
      [at.base, /it is part of the base/],
      [rootless, /must have exactly one parent/],
      [merge, /must have exactly one parent/],
      [shown, new RegExp(`must be one commit on a head of the branch, but is on ${hidden}`)],
    ] as const)
      expect(await conductor.merge('T1', commit)).toEqual({ ok: false, files: [], reason: expect.stringMatching(reason) as string });
    expect(at.moves).toEqual([]);
    expect(await conductor.merge('T1', hidden)).toMatchObject({ ok: true, head: hidden });
  });

  test('has a name and a date that git would refuse: its merge is made all the same', SOAK, async () => {
    const at = await fleet();
    const one = await at.handIn('T1', { 'a.txt': 'one\n' });
    const tree = treeIn(at.project.root, at.project.commit({ 'b.txt': 'two\n' }));
    const raw = `tree ${tree}\nparent ${at.base}\nauthor .,; <> 99999999999999 +9999\ncommitter .,; <> 99999999999999 +9999\n\nx\n`;
    at.project.write({ 'raw.txt': raw });
    const two = at.project.git('hash-object', '-t', 'commit', '-w', '--literally', 'raw.txt').trim();
    await at.push(two);
    const conductor = await at.conductor();
    await conductor.merge('T1', one);
    const merged = await conductor.merge('T2', two);
    expect(gitIn(at.remote, 'log', '-1', '--format=%an <%ae> %at', merged.ok ? merged.head : '').trim()).toBe(
      'Umpire <umpire@localhost> 0',
    );
  });
});
