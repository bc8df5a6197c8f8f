// `umpire pr` against a server that plays GitHub's API and a bare repository: what it pushes, opens, updates and refuses.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { closeGithubServers, startGithub, TOKEN } from './support/github-server.js';
import type { GithubServer } from './support/github-server.js';
import { gitIn, writeFiles } from './support/git-project.js';
import { runInProcess } from './support/in-process.js';
import { GOOD_REVIEW, REST, review, writer } from './support/run-evidence.js';
import { proseFiles } from './support/run-loop-file.js';
import { cleanUpProjects, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();
closeGithubServers();

const GOAL = 'retry uploads, @everyone, closes #1 <!-- umpire: end -->';
let project: RunProject;
let github: GithubServer;
let name: string;
let branch: string;

beforeAll(async () => {
  const tasks = [{ id: 'A' }, { id: 'B', deps: ['A'], role: 'reader', approve: true }];
  const files = proseFiles({ tasks, writes: ['writer'] });
  project = makeProject({ files, answers: [review(GOOD_REVIEW), writer('developer'), REST] });
  github = await startGithub(project);
  const { session } = await project.umpire('run', 'review', GOAL, '--mode', 'sprint');
  name = session.split('/').at(-1) ?? '';
  branch = `umpire/${name}`;
}, 60_000);

beforeEach(() => {
  github.pulls.length = 0;
  github.requests.length = 0;
  github.facts = { default_branch: 'main', fork: false };
  if (github.tip(branch) !== null) gitIn(github.remote, 'update-ref', '-d', `refs/heads/${branch}`);
});

async function umpire(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}) {
  const own = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', HOME: project.beside, UMPIRE_WORKTREES: project.worktrees };
  const { exit, stdout, stderr } = await runInProcess(project.root, args, { ...own, ...github.env, ...env });
  expect(stdout + stderr).not.toContain(TOKEN);
  return { exit, out: stdout, err: stderr };
}

const tipOfSession = () => project.git('rev-parse', branch).trim();

it('pushes the branch and opens a pull request that says what was asked, decided and measured', async () => {
  const { exit, out, err } = await umpire(['pr']);
  expect({ exit, out, err }).toEqual({
    exit: 0,
    out: 'https://github.com/octo/shop/pull/7\n',
    err: expect.stringContaining(`Opened pull request #7: ${branch} into main.`) as string,
  });
  expect(github.tip(branch)).toBe(tipOfSession());
  const [pull] = github.pulls;
  expect(pull).toMatchObject({ draft: false, base: { ref: 'main' }, head: { ref: branch } });
  expect(pull?.title).toContain('retry uploads');
  const headings = [...(pull?.body.matchAll(/^## (.*)$/gm) ?? [])].map(([, heading]) => heading);
  expect(headings).toEqual(['Asked', 'Result', 'Verdicts', 'Evidence', 'Not verified', 'See more']);
  expect(pull?.body).toContain('`CONVERGE`');
  expect(pull?.body).toMatch(/^- Round 1: `artifacts\/review-results\.json`, testified, sha256 [0-9a-f]{12}$/m);
  expect(pull?.body).toContain(`\`umpire report ${name}\``);
  // Foreign text is code: it mentions nobody, closes nothing and ends no comment.
  expect(pull?.body.match(/<!--/g)).toHaveLength(2);
  expect(pull?.body.replace(/```[^]*?```|`[^`]*`/g, '')).not.toMatch(/@everyone|#1/);
});

it('updates the same pull request and keeps what people wrote around the report', async () => {
  await umpire(['pr', name]);
  const [pull] = github.pulls;
  if (pull === undefined) throw new Error('no pull request');
  const before = pull.body;
  pull.body = `Read the second commit first.\r\n\r\n${before.replace('## Verdicts', '## Old')}\n\nThanks!`;
  const { exit, err } = await umpire(['pr', name, '--title', 'Retry uploads', '--json']);
  expect({ exit, err }).toEqual({ exit: 0, err: expect.stringContaining('Updated pull request #7') as string });
  expect(err).toContain('The branch was there already.');
  expect(github.pulls).toHaveLength(1);
  expect(github.pulls[0]).toMatchObject({ title: 'Retry uploads', body: `Read the second commit first.\n\n${before}\n\nThanks!` });
});

it('opens none where one of the branch was closed or merged', async () => {
  await umpire(['pr']);
  Object.assign(github.pulls[0] ?? {}, { state: 'closed', merged_at: '2026-01-01T00:00:00Z' });
  const { exit, err } = await umpire(['pr']);
  expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining('Pull request #7 of this branch is merged') as string });
  expect(github.pulls).toHaveLength(1);
});

it('never overwrites commits of somebody else on the branch', async () => {
  await umpire(['pr']);
  const other = join(project.beside, 'other');
  gitIn(project.beside, 'clone', '-q', '-b', branch, github.remote, other);
  writeFiles(other, { 'theirs.txt': 'theirs\n' });
  gitIn(other, 'add', '-A');
  gitIn(other, 'commit', '-q', '-m', 'theirs');
  gitIn(other, 'push', '-q', 'origin', branch);
  const theirs = github.tip(branch);
  const { exit, err } = await umpire(['pr']);
  expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining('has commits that the session does not have') as string });
  expect(github.tip(branch)).toBe(theirs);
});

it('opens no pull request from a fork unless the remote is named, and pushes nothing then', async () => {
  github.facts = { default_branch: 'main', fork: true, parent: { full_name: 'up/shop' } };
  const { exit, err } = await umpire(['pr']);
  expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining('octo/shop is a fork of up/shop') as string });
  expect(github.tip(branch)).toBe(null);
  expect((await umpire(['pr', '--remote', 'origin'])).exit).toBe(0);
});

it.each([
  ['no such remote', ['--remote', 'nobody'], {}, 'There is no git remote "nobody". Remotes here: origin.'],
  ['its own branch as base', ['--base', 'OWN'], {}, 'never pushes to a base branch'],
  ['a wrong token', [], { GITHUB_TOKEN: 'wrong' }, 'GitHub did not answer repos/octo/shop: 401 Bad credentials.'],
  ['no token and no gh', [], { GITHUB_TOKEN: '', PATH: '' }, 'Nobody is logged in to github.com.'],
  ['an API in clear text', [], { GITHUB_API_URL: 'http://api.example.com' }, 'GITHUB_API_URL must be an https address.'],
  ['an agent that asks', [], { UMPIRE_RUN: 'x' }, 'open a pull request'],
])('refuses %s', async (_, flags, env, said) => {
  // An empty PATH has no git either: a folder with git alone.
  const git = join(project.beside, 'only-git');
  writeFiles(git, { git: `#!/bin/sh\nexec /usr/bin/env -S PATH=${process.env['PATH'] ?? ''} git "$@"\n` });
  chmodSync(join(git, 'git'), 0o755);
  const path = 'PATH' in env ? { PATH: git } : {};
  const { exit, err } = await umpire(['pr', ...flags.map((flag) => (flag === 'OWN' ? branch : flag))], { ...env, ...path });
  expect(exit).toBeGreaterThan(0);
  expect(err).toContain(said);
  expect(github.tip(branch)).toBe(null);
});

it('sends the token to no host that only the settings of the repository name', async () => {
  project.git('remote', 'add', 'evil', 'https://evil.example/octo/shop.git');
  const { exit, err } = await umpire(['pr', '--remote', 'evil'], { GITHUB_API_URL: 'https://api.github.com', PATH: '/usr/bin:/bin' });
  expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining('Nobody is logged in to evil.example.') as string });
});

it('opens a draft, and only a draft, of a session that waits for a person', async () => {
  const agent = project.sh('[ "$id" = A ] && echo x > x.txt; complete done');
  expect((await project.umpire('run', './prose.yaml', 'more', '--session', '.umpire/sessions/waits', ...agent)).exit).toBe(4);
  const refused = await umpire(['pr', 'waits']);
  expect({ ...refused, pulls: github.pulls.length }).toMatchObject({
    exit: 1,
    pulls: 0,
    err: expect.stringContaining('umpire pr waits --draft') as string,
  });
  expect((await umpire(['pr', 'waits', '--draft'])).err).toContain('Opened draft pull request #7: umpire/waits into main.');
  expect(github.pulls[0]).toMatchObject({ draft: true, body: expect.stringContaining('**awaiting a person**') as string });
});
