// Many sessions of one project: applied one at a time, listed and cleaned together.

import { chmodSync, cpSync, existsSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { openFolder } from '@umpire/umpire/sessions/session-folder.js';
import { acquireLock } from '@umpire/umpire/sessions/lock.js';
import { SOAK } from './support/campaign.js';
import { REST } from './support/run-evidence.js';
import { cleanUpProjects, makeProject, textOf } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

it('waits while another session is applied', SOAK, async () => {
  const project = makeProject();
  const { session } = await project.umpire('until', 'test -e a.txt', ...project.sh('echo a > a.txt\ncomplete ok'));
  // Another session's `apply` holds the lock.
  const lock = await acquireLock(openFolder(project.worktrees), 0);
  let asked = (_what: string): void => undefined;
  const asks = new Promise<string>((done) => {
    asked = done;
  });
  const watcher = watch(project.worktrees, (_change, name) => {
    if (name?.startsWith('.umpire-lock-') === true) asked('it waits');
  });
  try {
    const applying = project.start('apply', basename(session));
    expect(await Promise.race([asks, applying.ended.then(({ out }) => out)])).toBe('it waits');
    expect(existsSync(join(project.root, 'a.txt'))).toBe(false);
    expect((await project.umpire('status')).out).toContain('umpire apply');
    lock.release();
    expect(await applying.ended).toMatchObject({ exit: 0, out: 'a.txt\n' });
  } finally {
    watcher.close();
  }
  // The output does not ask to apply again.
  const { out } = await project.umpire('status');
  expect(out).toContain(`work     applied, branch umpire/${basename(session)}`);
  expect({ applies: out.includes('umpire apply'), cleans: out.includes(`umpire clean ${basename(session)}`) }).toEqual({
    applies: false,
    cleans: true,
  });
});

it('groups the sessions that clean keeps by reason, and reports unreadable settings once', SOAK, async () => {
  const project = makeProject({ answers: [REST] });
  const { session } = await project.umpire('run', 'debt', 'x', '--mode', 'targeted', '--session', '.umpire/sessions/s-01');
  for (let n = 2; n <= 13; n++)
    cpSync(session, join(project.root, `.umpire/sessions/s-${String(n).padStart(2, '0')}`), { recursive: true });
  const { exit, err } = await project.umpire('clean');
  const lines = err.trimEnd().split('\n');
  expect({ exit, told: lines.length, last: lines.at(-1) }).toEqual({
    exit: 0,
    told: 11,
    last: '3 more kept (not ended): s-11, s-12, s-13.',
  });
  project.write({ 'umpire.config.yaml': 'agentz: x\n' });
  const refused = await project.umpire('clean');
  expect({ exit: refused.exit, err: refused.err }).toEqual({
    exit: 1,
    err: expect.stringMatching(/^umpire: .*umpire\.config\.yaml:1: agentz: [^\n]*\nFix or remove the line\.[^\n]*\n$/) as string,
  });
});

/** The state of each session's work in `list`, by name. */
async function fatesIn(project: RunProject, ...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const { out } = await project.umpire('list', '--json', ...args);
  const { sessions } = JSON.parse(out) as { readonly sessions: readonly { readonly name: string; readonly work: unknown }[] };
  return Object.fromEntries(sessions.map(({ name, work }) => [name, work]));
}

/** A session that writes a file with its own name. */
async function until(project: RunProject, name: string): Promise<void> {
  const agent = project.sh(`echo x > ${name}.txt\ncomplete ok`, `${name}.sh`);
  await project.umpire('until', `test -e ${name}.txt`, '--session', `.umpire/sessions/${name}`, ...agent);
}

it('lists work not applied yet, with as many git calls for many sessions as for one', SOAK, async () => {
  const project = makeProject();
  await until(project, 'a');
  const log = join(project.beside, 'git.log');
  project.write({ '../bin/git': `#!/bin/sh\necho "$*" >> '${log}'\nPATH=\${PATH#*:} exec git "$@"\n` });
  chmodSync(join(project.beside, 'bin/git'), 0o755);
  const watched = { env: { PATH: `${join(project.beside, 'bin')}:${process.env['PATH'] ?? ''}` } };
  const first = await project.umpireWith(watched, 'list');
  expect(first.out).toMatch(/^complete  a  20[0-9: -]+ until .* not applied\b/);
  const asked = textOf(log).split('\n').length;
  for (const name of ['b', 'c', 'd']) await until(project, name);
  await project.umpire('apply', 'b');
  project.git('stash', '-u', '-q');
  project.git('merge', '-q', 'umpire/c');
  await project.umpire('apply', 'd');
  await project.umpire('clean', 'd');
  // A session that has not ended has no work to apply, and the work of a copy belongs to the original.
  await project.umpire('until', 'false', '--session', '.umpire/sessions/e', '--max-rounds', '1', ...project.sh('complete ok'));
  cpSync(join(project.root, '.umpire/sessions/a'), join(project.root, '.umpire/sessions/a-copy'), { recursive: true });
  project.write({ '../git.log': '' });
  const { out, err } = await project.umpireWith(watched, 'list');
  expect(textOf(log).split('\n')).toHaveLength(asked);
  expect(await fatesIn(project)).toEqual({ a: 'not applied', 'a-copy': null, b: 'applied', c: 'applied', d: 'cleared', e: null });
  expect(out.match(/.*not applied/g)).toEqual([expect.stringMatching(/^complete +a  /)]);
  expect(err).toBe('6 sessions: 1 awaiting, 5 complete, 1 not applied.\n');
  expect(await fatesIn(project, '--unapplied')).toEqual({ a: 'not applied' });
  // `status` says the same of what was merged.
  expect((await project.umpire('status', 'c')).out).toContain('work     applied, branch umpire/c');
  expect((await project.umpire('status', 'a')).out).toContain('umpire apply a');
});

it('lists the state of the work in a folder without git', SOAK, async () => {
  const project = makeProject({ plain: true });
  await until(project, 'a');
  await until(project, 'b');
  await project.umpire('apply', 'b');
  await until(project, 'c');
  await project.umpire('apply', 'c');
  await project.umpire('clean', 'c');
  expect(await fatesIn(project)).toEqual({ a: 'not applied', b: 'applied', c: 'cleared' });
});
