// Agents whose program is not installed: `run`, `resume` and `resolve` refuse before anything runs or is recorded.

import { chmodSync, mkdirSync, writeFileSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '@umpire/umpire/index.js';
import { SOAK } from './support/campaign.js';
import { proseFiles } from './support/run-loop-file.js';
import { cleanUpProjects, eventsOf, makeProject, rowsOf } from './support/run-project.js';

cleanUpProjects();

const TWO = { tasks: [{ id: 'A' }, { id: 'B', deps: ['A'] }] };

function program(place: string, text = '#!/bin/sh\n', mode = 0o755): string {
  writeFileSync(place, text);
  chmodSync(place, mode);
  return place;
}

it('refuses an agent whose program is not installed, with its role and the installed agents', SOAK, async () => {
  const project = makeProject({
    config: {
      agents: {
        mine: { command: './tools/mine.sh' },
        talker: { acp: 'no-such-talker --acp' },
        moved: { command: 'found-there', env: { PATH: '/nowhere' } },
        // A role that the until loop does not have.
        unused: { command: 'no-such-agent' },
      },
      roles: { reviewer: 'unused' },
    },
  });
  const bin = join(project.beside, 'bin');
  mkdirSync(bin);
  program(join(bin, 'codex'));
  program(join(bin, 'found-there'));
  program(join(bin, 'closed'), 'no program', 0o644);
  mkdirSync(join(bin, 'folder'));
  const env = { PATH: `${bin}:/usr/bin:/bin` };
  const cases: readonly (readonly [flags: readonly string[], said: string])[] = [
    [['--agent', 'claude'], 'Cannot start the agent "claude", chosen for the role worker: no program "claude" on the PATH.'],
    [['--agent', 'worker=gemini-acp'], 'no program "gemini" on the PATH'],
    [['--agent', 'mine'], `no program at "${join(project.root, 'tools/mine.sh')}"`],
    [['--agent', 'talker'], 'no program "no-such-talker" on the PATH'],
    [['--agent', 'moved'], 'no program "found-there" on the PATH'],
    [['--agent-command', 'closed x'], `"${join(bin, 'closed')}" is not executable`],
    [['--agent-command', 'folder'], `"${join(bin, 'folder')}" is not executable`],
  ];
  for (const [flags, said] of cases) {
    const { exit, err } = await project.umpireWith({ env }, 'until', 'true', ...flags);
    expect({ flags, exit, err }).toEqual({ flags, exit: 1, err: expect.stringContaining(said) });
    expect(err).toContain('(installed: codex)');
    expect(err).toContain('--agent person');
  }
  expect((await project.umpire('list')).out).toBe('No sessions here. Start one with: umpire run <loop> "<goal>"\n');
  const library = run({ loop: 'until', command: 'true', project: project.root, agent: ['talker'] });
  await expect(library).rejects.toMatchObject({ code: 'agent-not-there' });
  expect((await project.umpireWith({ env }, 'until', 'true', '--agent-command', 'found-there')).exit).toBe(0);
});

it('lists the installed agents if none is named', SOAK, async () => {
  const project = makeProject({});
  const bin = join(project.beside, 'bin');
  mkdirSync(bin);
  const words = ['until', 'true'];
  const none = await project.umpireWith({ env: { PATH: '/usr/bin:/bin' } }, ...words);
  program(join(bin, 'gemini'));
  const one = await project.umpireWith({ env: { PATH: `${bin}:/usr/bin:/bin` } }, ...words);
  expect([none.exit, one.exit]).toEqual([2, 2]);
  expect(none.err).toContain('(none of claude, codex, gemini, opencode is installed). To do the work yourself: --agent person');
  expect(one.err).toContain('(installed: gemini, gemini-acp). To do the work yourself: --agent person');
});

it('fails the task if its program disappears, and refuses to continue without it', SOAK, async () => {
  const project = makeProject({ files: proseFiles(TWO) });
  const body = '#!/bin/sh\ncat > /dev/null\nrm -f "$0"\n';
  const place = program(join(project.beside, 'once'), `${body}echo '{"status":"completed","findings":"done"}'\n`);
  const first = await project.umpire('run', './prose.yaml', 'x', '--agent-command', place);
  expect({ exit: first.exit, rows: rowsOf(first.session) }).toMatchObject({
    exit: 1,
    rows: { A: { status: 'completed' }, B: { status: 'failed', error: expect.stringContaining('program not found') } },
  });
  const before = eventsOf(first.session).length;
  const again = await project.umpire('resume', first.session, '--retry');
  expect({ exit: again.exit, err: again.err }).toEqual({ exit: 1, err: expect.stringContaining('chosen for the role') });
  expect(eventsOf(first.session)).toHaveLength(before);
  const seen = await project.umpire('resume', first.session);
  expect(seen.err).toContain(
    `The session has ended: failed. Run the failed tasks again with: umpire resume ${basename(first.session)} --retry`,
  );
  // From another folder, the relative path does not exist.
  const elsewhere = await project.umpireWith({ cwd: project.beside }, 'resume', first.session);
  expect(elsewhere.err).toContain(`with: umpire resume ${relative(project.beside, first.session)} --retry`);
  const other = await project.umpire('resume', first.session, '--retry', ...project.sh('complete ok'));
  expect({ exit: other.exit, err: other.err }).toEqual({ exit: 0, err: expect.not.stringContaining('has ended as failed') });
});

it('takes an answer only when the program is installed, but aborts without it', SOAK, async () => {
  const project = makeProject({});
  const place = program(join(project.beside, 'mine'), `#!/bin/sh\ncat > /dev/null\necho '{"status":"completed"}'\n`);
  const { exit, session } = await project.umpire('until', 'false', '--max-rounds', '1', '--agent-command', place);
  expect(exit).toBe(4);
  rmSync(place);
  const before = eventsOf(session).length;
  const extended = await project.umpire('resolve', session, 'extend', '--reason', 'x', '--rounds', '1');
  expect({ exit: extended.exit, err: extended.err }).toEqual({
    exit: 1,
    err: expect.stringContaining(`no program at "${place}"`),
  });
  expect(eventsOf(session)).toHaveLength(before);
  expect((await project.umpire('resolve', session, 'abort', '--reason', 'x')).exit).toBe(0);
});
