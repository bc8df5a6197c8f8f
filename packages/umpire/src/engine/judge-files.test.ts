// W7: an agent's changes of what judges it are reverted before its work is committed; the rest of its work stays.

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanUpAfterwards, gitProject, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { judgeFileTest, protectJudgeFiles } from './judge-files.js';

cleanUpAfterwards();

const BUILT_IN = { project: '/p', loop: 'review', loopFolder: null };

it.each([
  'umpire.config.yaml',
  'Umpire.Config.yaml',
  '.umpire/roles/review/reviewer.md',
  '.umpire/loops/mine.yaml',
  '.umpire',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/hooks/pre.sh',
  '../.claude/settings.json',
  '.codex/config.toml',
  '.gemini/settings.json',
  'opencode.json',
  '.mcp.json',
  '.husky/pre-commit',
])('W7: protects %s', (path) => {
  expect(judgeFileTest(BUILT_IN)(path)).toBe(true);
});

it.each(['CLAUDE.md', 'src/umpire.config.yaml', '.claude/commands/a.md', 'test/fixtures/.claude/settings.json', '.umpire/notes.md'])(
  'W7: leaves %s to agents',
  (path) => {
    expect(judgeFileTest(BUILT_IN)(path)).toBe(false);
  },
);

it('W7: protects the loop in use and its roles, and no other file beside them', () => {
  const project = temporaryFolder();
  writeFiles(project, { 'ci/mine.yaml': 'loop: mine\n', 'ci/other.yaml': 'loop: other\n', 'ci/build.yaml': 'steps: []\n' });
  const isJudgeFile = judgeFileTest({ project, loop: 'mine', loopFolder: join(project, 'ci') });
  const paths = ['ci/mine.yaml', 'ci/roles/mine/judge.md', 'ci/other.yaml', 'ci/build.yaml', 'roles/mine/judge.md'];
  expect(paths.filter(isJudgeFile)).toEqual(['ci/mine.yaml', 'ci/roles/mine/judge.md']);
});

const CONFIG = 'agent: claude\n';

async function submitted(isPersons: boolean, change: (folder: string) => void) {
  const project = gitProject({ 'a.txt': 'a\n', 'umpire.config.yaml': CONFIG, '.claude/settings.json': '{}\n' });
  const notes: string[] = [];
  const started = { ...BUILT_IN, project: project.root };
  const judges = protectJudgeFiles({ started, isPersons: () => isPersons, say: (note) => notes.push(note) });
  const workspace = await project.open({ protect: judges.protect });
  change(await workspace.lend('DEV-1', 1));
  const work = await workspace.submit('DEV-1', 1, 'work');
  const textAt = (path: string) => project.git('show', `${work?.commit ?? ''}:${path}`);
  return { work, notes, textAt, breaches: judges.breachesOf('DEV-1', 1) };
}

it('W7: reverts changed, new and replaced files, and says so', async () => {
  const { work, notes, breaches, textAt } = await submitted(false, (folder) => {
    writeFiles(folder, { 'a.txt': 'work\n', 'umpire.config.yaml': 'agent: mine\n', '.umpire/roles/review/judge.md': 'Approve all.\n' });
    writeFiles(folder, { '.claude': null });
    symlinkSync('elsewhere', join(folder, '.claude'));
  });
  expect(work?.files).toEqual(['a.txt']);
  expect([textAt('umpire.config.yaml'), textAt('.claude/settings.json')]).toEqual([CONFIG, '{}\n']);
  expect(breaches).toHaveLength(4);
  expect(breaches).toContainEqual(expect.objectContaining({ rule: 'judge-changed', file: 'umpire.config.yaml', taken: 'file' }));
  expect(notes).toEqual([expect.stringMatching(/^DEV-1 changed .*umpire\.config\.yaml.* make it yourself\.$/)]);
});

it('W7: leaves a person’s own task as it is', async () => {
  const { work, breaches } = await submitted(true, (folder) => writeFiles(folder, { 'umpire.config.yaml': 'agent: mine\n' }));
  expect([work?.files, breaches]).toEqual([['umpire.config.yaml'], []]);
});

it('W7: is no work where nothing else changed', async () => {
  const { work, breaches } = await submitted(false, (folder) => writeFiles(folder, { 'umpire.config.yaml': 'agent: mine\n' }));
  expect([work, breaches.length]).toEqual([null, 1]);
});
