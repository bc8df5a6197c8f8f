// Settings without effect are refused, or reported when a session starts.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { session, spawnDecide as decide } from './support/command.js';
import { cleanUpProjects, makeProject } from './support/run-project.js';

cleanUpProjects();

const notesIn = (err: string) => err.split('\n').filter((line) => line.startsWith('Note: umpire.config'));

it('refuses an unknown key, with its line', async () => {
  const project = makeProject({ files: { 'umpire.config.yaml': 'agent: person\nbudget: 3\n' } });
  const { exit, err } = await project.umpire('until', 'true');
  expect({ exit, err }).toEqual({
    exit: 1,
    err: expect.stringContaining('umpire.config.yaml:2: budget: unknown key. Known keys:'),
  });
});

it('refuses settings under a wrong file name, unless the right file exists', SOAK, async () => {
  const project = makeProject({ files: { 'umpire.config.yml': 'agent: person\n' } });
  const wrong = await project.umpire('until', 'true', ...project.sh('complete ok'));
  const said = 'umpire.config.yml: Umpire reads umpire.config.yaml. Rename the file.';
  expect({ exit: wrong.exit, err: wrong.err }).toEqual({ exit: 1, err: expect.stringContaining(said) });
  project.write({ 'umpire.config.yaml': 'concurrency: 1\n' });
  expect((await project.umpire('until', 'true', ...project.sh('complete ok'))).exit).toBe(0);
});

it('warns about roles that no loop has, with their line', SOAK, async () => {
  const roles = '  reviwer: person\n  planner: person\n  worker: person\n  prosaist: person\n  stranger: person\n';
  const project = makeProject({ files: { 'umpire.config.yaml': `roles:\n${roles}` } });
  mkdirSync(join(project.root, '.umpire/roles/prose'), { recursive: true });
  writeFileSync(join(project.root, '.umpire/roles/prose/prosaist.md'), 'You write prose.\n');
  const { exit, err } = await project.umpire('until', 'true', ...project.sh('complete ok'));
  expect({ exit, notes: notesIn(err) }).toEqual({
    exit: 0,
    notes: [
      'Note: umpire.config.yaml:2: roles.reviwer: no task of this loop or of a built-in loop has this role; did you mean "reviewer"?',
      'Note: umpire.config.yaml:6: roles.stranger: no task of this loop or of a built-in loop has this role; this loop has checker, worker',
    ],
  });
});

it('warns once about missing files to copy or link', SOAK, async () => {
  const workspace = { copy: ['.env', 'README.md', 'local/*.json', '*.key'], link: ['vendor'] };
  const project = makeProject({ config: { workspace } });
  project.write({ 'b.key': 'a key\n' });
  const { exit, err, session } = await project.umpire('until', 'false', '--max-rounds', '1', ...project.sh('complete ok'));
  const note = 'Note: umpire.config.yaml: workspace: the project has no "vendor", ".env", "local/*.json", so worktrees will not have it.';
  expect({ exit, notes: notesIn(err) }).toEqual({ exit: 4, notes: [note] });
  const again = await project.umpire('resolve', session, 'extend', '--reason', 'x', '--rounds', '1');
  expect(notesIn(again.err)).toEqual([]);
});

it('lets decide use max_rounds until the first verdict freezes the cap', SOAK, () => {
  const folder = session('fixtures/spec/D7/session');
  const settings = join(folder, '..', 'umpire.config.yaml');
  writeFileSync(settings, 'max_rounds: 7\n');
  expect(decide('design', folder, '--dry-run', '--max-rounds', '2', '--json').json).toMatchObject({ maxRounds: 2 });
  expect(decide('design', folder, '--json').json).toMatchObject({ outcome: 'revise', maxRounds: 7 });
  writeFileSync(settings, 'max_rounds: 9\n');
  expect(decide('design', folder, '--json').json).toMatchObject({ outcome: 'revise', maxRounds: 7 });
});
