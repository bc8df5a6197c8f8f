// W5: a check runs on the judged commit alone, and one that changes tracked files or HEAD counts for nothing.

import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assignmentOf } from '../../../../test/support/assignment.js';
import { cleanUpAfterwards, gitProject, runTask, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { startGuardian } from '../agents/guardian.js';
import type { Guardian } from '../agents/guardian.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import { checkCommand, RESULT } from './check-command.js';
import { createJob } from './critic.js';

cleanUpAfterwards();

let guardian: Guardian;
beforeAll(() => {
  guardian = startGuardian(randomUUID());
});
afterAll(() => guardian.close());

/** The command fails on purpose, so that nobody asks for the project's tests. */
async function checked(command: string) {
  const project = gitProject({ 'a.txt': 'a\n', '.gitignore': 'out\n' });
  const workspace = await project.open();
  const base = project.git('rev-parse', 'HEAD').trim();
  const submitted = await runTask(workspace, 'T1', { 'work.txt': 'done\n' });
  await workspace.merge('T1', submitted?.commit ?? '');
  writeFiles(workspace.path, { 'stray.txt': 'stray\n', 'a.txt': 'swapped\n' });
  const session = temporaryFolder();
  const openCheck = (commit: string | null) => workspace.check(commit);
  const agent = checkCommand(
    {
      command: `${command}\nexit 3`,
      report: null,
      trustsExitStatus: false,
      allowsTestEdits: false,
      openCheck,
      createJob: ({ workdir }, watch, rewrittenAtBase) => ({
        ...createJob(DEFAULT_SETTINGS, { project: workdir, guardian, timeoutMs: 60_000, session, base, origin: project.root }),
        watch,
        rewrittenAtBase,
      }),
    },
    guardian,
  );
  const assignment = assignmentOf({ session, workdir: workspace.path, timeoutMs: 60_000 });
  const ending = await agent.run(assignment, { signal: new AbortController().signal, log: () => undefined });
  const place = join(session, RESULT);
  const result = existsSync(place) ? (JSON.parse(readFileSync(place, 'utf8')) as Record<string, unknown>) : null;
  const folders = readdirSync(join(workspace.path, '..')).filter((name) => name.startsWith('check-'));
  return { ending, result, folders };
}

it('W5: runs on the committed files alone, in a folder that is removed', async () => {
  const { result, folders } = await checked('ls; cat a.txt; git status --short; mkdir out; echo x > out/log; echo x > new.txt');
  expect({ result, folders }).toEqual({ result: expect.objectContaining({ output_tail: 'a.txt\nwork.txt\na\n' }), folders: [] });
});

it('W5: fails a check that changes a tracked file, even if git in that folder is told to ignore it', async () => {
  const hide =
    'touch -r a.txt out; echo b > a.txt; touch -r out a.txt; git update-index --assume-unchanged a.txt; echo "*" > .git/info/exclude';
  const { ending, result } = await checked(`test ! -e work.txt || { ${hide}; }`);
  expect({ ending, result }).toEqual({
    ending: expect.objectContaining({
      kind: 'failed',
      error: expect.stringMatching(/^error: a\.txt changed while the check ran, and not at the base\./),
    }),
    result: null,
  });
});

it('W5: lists a file that the command rewrites at the base too', async () => {
  const { ending, result } = await checked('echo rewritten > a.txt');
  expect({ ending, result }).toMatchObject({
    ending: { kind: 'completed', findings: expect.stringContaining('The check rewrites tracked files, at the base too: a.txt.') },
    result: { rewritten_files: ['a.txt'] },
  });
});

it('W5: is an error where the check commits', async () => {
  const { ending } = await checked('git add -A && git commit -q --allow-empty -m more');
  expect(ending).toMatchObject({ kind: 'failed', error: expect.stringMatching(/^error: HEAD moved while the check ran\./) });
});
