// A repository that git cannot read is told as such: work that went into a private one instead would be in nobody's history.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { cleanUpAfterwards, gitProject, plainProject } from '../../../../test/support/git-project.js';
import type { Project } from '../../../../test/support/git-project.js';
import { findRepository } from './repository.js';

cleanUpAfterwards();

function found({ root, options }: Project, project = root): string {
  try {
    return findRepository(project, options.sessionFolder, null).kind;
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

function objectOf({ root, git }: Project, name: string): string {
  const id = git('rev-parse', name).trim();
  return join(root, '.git', 'objects', id.slice(0, 2), id.slice(2));
}

test.each<[damage: string, harm: (project: Project) => void, said: string]>([
  ['HEAD is missing', ({ root }) => rmSync(join(root, '.git', 'HEAD')), 'not a git repository'],
  ['HEAD holds anything', ({ root }) => writeFileSync(join(root, '.git', 'HEAD'), 'x\n'), 'not a git repository'],
  ['the branch is empty', ({ root }) => writeFileSync(join(root, '.git', 'refs', 'heads', 'main'), ''), 'appears to be broken'],
  ['the commit is missing', (project) => rmSync(objectOf(project, 'HEAD')), 'bad object HEAD'],
  ['its files are missing', (project) => rmSync(objectOf(project, 'HEAD^{tree}')), 'unable to read tree'],
  [
    'it is elsewhere, and not there',
    ({ root }) => {
      rmSync(join(root, '.git'), { recursive: true });
      writeFileSync(join(root, '.git'), 'gitdir: /nowhere/at/all\n');
    },
    'not a git repository: /nowhere/at/all',
  ],
])('%s: refused, with what git says of it', (_, harm, said) => {
  const project = gitProject();
  mkdirSync(join(project.root, 'src', 'deep'));
  harm(project);
  for (const folder of [project.root, join(project.root, 'src', 'deep')]) {
    const told = found(project, folder);
    expect(told).toContain(`git-damaged: git cannot read ${join(project.root, '.git')} as a repository: `);
    expect(told).toContain(said);
  }
});

test('an outer repository does not replace a damaged one', () => {
  const outer = gitProject();
  const inner = join(outer.root, 'src');
  mkdirSync(join(inner, '.git'));
  expect(found(outer, inner)).toBe('git');
  writeFileSync(join(inner, '.git', 'config'), '');
  expect(found(outer, inner)).toContain(`git-damaged: git cannot read ${join(inner, '.git')}`);
  expect(found(outer)).toBe('git');
});

test('no git, an empty .git folder and a branch without a commit are no damage', () => {
  const plain = plainProject({ 'a.txt': 'a\n' });
  expect(found(plain)).toBe('snapshot');
  mkdirSync(join(plain.root, '.git'));
  expect(found(plain)).toBe('snapshot');
  plain.git('init', '-q');
  expect(found(plain)).toBe('snapshot');
  const orphan = gitProject();
  orphan.git('switch', '-q', '--orphan', 'anew');
  expect(found(orphan)).toBe('snapshot');
});

test('finds a repository whose files lie in a parent folder', () => {
  const project = plainProject({ 'a.txt': 'a\n' });
  mkdirSync(join(project.root, 'in'));
  project.git('init', '-q', '-b', 'main', 'in');
  project.git('-C', 'in', 'config', 'core.worktree', project.root);
  project.git('-C', 'in', 'add', join(project.root, 'a.txt'));
  project.git('-C', 'in', 'commit', '-q', '-m', 'first');
  expect(found(project, join(project.root, 'in'))).toBe('snapshot');
});
