// Work of an attempt that failed, was stopped or was postponed. The next attempt starts from the branch; the earlier work is kept as a
// commit, and the run names it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { SOAK } from './support/campaign.js';
import { gitIn } from './support/git-project.js';
import { proseFiles } from './support/run-loop-file.js';
import { cleanUpProjects, endOf, eventsOfType, makeProject, sessionIn, textOf, verdictsOf } from './support/run-project.js';

cleanUpProjects();

const FILES = { ...proseFiles({ tasks: [{ id: 'A' }], writes: ['writer'] }), 'README.md': 'A project.\n' };

/** Writes half of the work and crashes; the next attempt writes all of it. */
const CRASHES = `
ls > "$beside/found-$attempt.txt"
if [ "$attempt" = 1 ]; then echo half > half.txt; echo changed > README.md; exit 3; fi
echo whole > whole.txt; complete done
`;

it.each(['git', 'no git'])('keeps the changes of a failed task as a commit, and names it (%s)', SOAK, async (kind) => {
  const project = makeProject({ files: FILES, plain: kind === 'no git' });
  const { exit, err, session } = await project.umpire('run', './prose.yaml', 'x', ...project.sh(CRASHES));
  expect({ exit, end: endOf(session) }).toEqual({ exit: 1, end: 'failed unverified' });
  const [left] = eventsOfType(session, 'TaskFinished').map((data) => data.left);
  expect(left?.files).toEqual(['README.md', 'half.txt']);
  const commit = left?.commit.slice(0, 12) ?? 'none';
  expect(err).toMatch(new RegExp(`A failed.*[^.]\\. Its changes \\(README.md, half.txt\\) are kept as commit ${commit}$`, 'm'));
  expect((await project.umpire('report', session)).out).toContain(
    `changes of attempt 1 of A kept as commit ${commit}, not merged: 2 files: README.md, half.txt`,
  );
  const repository = kind === 'git' ? [] : [`--git-dir=${join(session, 'snapshot.git')}`];
  expect(gitIn(project.root, ...repository, 'show', commit)).toContain('+half');
  expect((await project.umpire('clean', session)).err).toContain('Not merged: work of A on README.md, half.txt');
  // The next attempt starts from the branch. When it is done, clean no longer keeps the first.
  expect((await project.umpire('resume', session, '--retry')).exit).toBe(0);
  expect(textOf(project.beside, 'found-2.txt')).not.toContain('half.txt');
  await project.umpire('apply', session);
  expect((await project.umpire('clean', session)).exit).toBe(0);
});

it.each([
  ['postponed', 'exit 75', 'A retries in 30 s (retry 1 of 1)', 'TaskPostponed'],
  ['stopped', 'touch "$beside/there"; until_file never', '', 'TaskInterrupted'],
] as const)('keeps the changes of a task that is %s', SOAK, async (_, ends, words, type) => {
  const project = makeProject({ files: FILES, config: { retries: 1 } });
  const running = project.start('run', './prose.yaml', 'x', ...project.sh(`echo half > half.txt; ${ends}`));
  await (words === '' ? vi.waitFor(() => expect(existsSync(join(project.beside, 'there'))).toBe(true), 20_000) : running.says(words));
  running.child.kill('SIGINT');
  const { err } = await running.ended;
  expect(eventsOfType(sessionIn(project), type).map(({ left }) => left?.files)).toEqual([['half.txt']]);
  expect(err).toContain('Its changes (half.txt) are kept as commit ');
});

it('names no commit if a failed task changed nothing', SOAK, async () => {
  const project = makeProject({ files: FILES });
  const { err, session } = await project.umpire('run', './prose.yaml', 'x', ...project.sh('exit 3'));
  expect(eventsOfType(session, 'TaskFinished')[0]).not.toHaveProperty('left');
  expect(err).not.toContain('kept as commit');
});

it('A10: work that ran out of time goes on where it stopped, and spends no round', SOAK, async () => {
  const slow = { command: 'sh slow.sh', timeout_minutes: 0.02, grace_seconds: 0.2 };
  const project = makeProject({ files: FILES, config: { agents: { slow }, agent: 'slow' } });
  project.sh(
    `
ls > "$beside/found-$attempt.txt"
if [ "$attempt" = 1 ]; then echo half > half.txt; while :; do sleep 0.05; done; fi
echo whole > whole.txt; complete done
`,
    'slow.sh',
  );
  project.commit({
    'umpire.config.yaml': textOf(project.root, 'umpire.config.yaml').replace('sh slow.sh', `sh ${project.beside}/slow.sh`),
  });
  const { exit, session, err } = await project.umpire('run', './prose.yaml', 'x');
  expect({ exit, end: endOf(session) }).toMatchObject({ exit: 0 });
  expect(eventsOfType(session, 'TaskInterrupted')).toMatchObject([{ task: 'A', cutOff: true, left: { files: ['half.txt'] } }]);
  expect(err).toContain('timed out after 1.2 seconds');
  expect(textOf(project.beside, 'found-2.txt')).toContain('half.txt');
  expect(eventsOfType(session, 'TaskSubmitted')).toMatchObject([{ files: ['half.txt', 'whole.txt'] }]);
});

it('A10: half of a fix that ran out of time goes on, and the next attempt is told why it was stopped', SOAK, async () => {
  const slow = { command: 'sh slow.sh', timeout_minutes: 0.03, grace_seconds: 0.2 };
  const files = { ...FILES, 'check.sh': 'cat one.txt two.txt\n' };
  const project = makeProject({ files, config: { agents: { slow }, agent: 'slow' } });
  project.sh(
    `
printf '%s' "$prompt" > "$beside/prompt-$attempt.txt"
if [ "$attempt" = 1 ]; then echo 1 > one.txt; while :; do sleep 0.05; done; fi
echo 2 > two.txt; complete done
`,
    'slow.sh',
  );
  project.commit({
    'umpire.config.yaml': textOf(project.root, 'umpire.config.yaml').replace('sh slow.sh', `sh ${project.beside}/slow.sh`),
  });
  const { exit, session, err } = await project.umpire('until', 'sh check.sh');
  expect({ exit, verdicts: verdictsOf(session) }, err).toEqual({ exit: 0, verdicts: ['CHECK-001 retry U8 0/5', 'CHECK-re-1 pass U5 1/5'] });
  expect(eventsOfType(session, 'TaskInterrupted')).toMatchObject([{ task: 'WORK-1', cutOff: true, left: { files: ['one.txt'] } }]);
  expect(textOf(project.beside, 'prompt-2.txt')).toMatch(
    /The working folder contains the changes of an earlier attempt\. It was stopped before it was done: .* timed out after 1\.8 seconds/,
  );
});
