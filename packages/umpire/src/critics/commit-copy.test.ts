// A commit as a folder of its own: its files as they were, the packages of the project, and a repository that nobody wrote to.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import {
  cleanUpAfterwards,
  gitProject,
  ownThings,
  plainProject,
  temporaryFolder,
  writeFiles,
} from '../../../../test/support/git-project.js';
import type { Project } from '../../../../test/support/git-project.js';
import { environmentIn } from '../sessions/python-environment.js';
import { copyCommit, filesAt, filesChanged, filesNow, findProjectRepository } from './commit-copy.js';
import type { ProjectRepository } from './commit-copy.js';

cleanUpAfterwards();
afterEach(() => vi.unstubAllEnvs());

function found(folder: string): ProjectRepository {
  const repository = findProjectRepository(folder);
  if (repository === null) throw new Error('there is no repository');
  return repository;
}

function head(project: Project): string {
  return project.git('rev-parse', 'HEAD').trim();
}

it('has the files of the commit, also those that an archive leaves out, and touches nothing', async () => {
  const project = gitProject({
    '.gitattributes': '/test export-ignore\n',
    'a.js': 'old\n',
    'test/a.js': 'test\n',
    '.gitignore': 'node_modules\n',
  });
  writeFiles(project.root, { 'node_modules/pad/index.js': 'pad\n' });
  const commit = head(project);
  project.write({ 'a.js': 'new\n', 'b.js': 'b\n', 'test/a.js': null });
  const own = ownThings(project.root);
  const copy = await copyCommit(found(project.root), commit);
  const read = (path: string) => readFileSync(join(copy.project, path), 'utf8');
  expect(readdirSync(copy.project).toSorted()).toEqual(['.git', '.gitattributes', '.gitignore', 'a.js', 'node_modules', 'test']);
  expect([read('a.js'), read('test/a.js'), read('node_modules/pad/index.js')]).toEqual(['old\n', 'test\n', 'pad\n']);
  expect(ownThings(project.root)).toEqual(own);
  expect(filesAt(project.root, commit)).toEqual(['.gitattributes', '.gitignore', 'a.js', 'test/a.js']);
  expect(filesNow(project.root).toSorted()).toEqual(['.gitattributes', '.gitignore', 'a.js', 'b.js']);
  expect(filesChanged(project.root, commit).toSorted()).toEqual(['a.js', 'b.js', 'test/a.js']);
  copy.remove();
  expect(existsSync(dirname(copy.project))).toBe(false);
});

it.each(['sha1', 'sha256'])('is a repository of its own (%s) that ignores what the project ignores', async (format) => {
  const project = plainProject({ '.gitignore': 'node_modules\n', 'a.js': 'old\n' });
  for (const args of [
    ['init', '-q', `--object-format=${format}`],
    ['add', '-A'],
    ['commit', '-q', '-m', 'first'],
  ])
    project.git(...args);
  writeFileSync(join(project.root, '.git', 'info', 'exclude'), '/secret.txt\n');
  writeFiles(project.root, { 'node_modules/pad/index.js': 'pad\n' });
  const first = head(project);
  project.write({ 'a.js': 'new\n' });
  project.git('commit', '-q', '-a', '-m', 'second');
  const own = ownThings(project.root);
  const copy = await copyCommit(found(project.root), first);
  writeFiles(copy.project, { 'secret.txt': 'x\n', 'seen.txt': 'x\n' });
  const there = (...args: string[]) => project.git('-C', copy.project, ...args).trim();
  expect([there('rev-parse', 'HEAD'), there('log', '--format=%s'), there('rev-parse', '--show-toplevel')]).toEqual([
    first,
    'first',
    realpathSync.native(copy.project),
  ]);
  expect(there('status', '--porcelain')).toBe('?? seen.txt');
  there('commit', '-q', '--allow-empty', '-m', 'by a test');
  expect(ownThings(project.root)).toEqual(own);
  copy.remove();
});

it('ignores installed packages as the project does now, also at a commit from before it said so', async () => {
  const project = gitProject({ 'a.js': 'old\n', 'parts/[b]/b.js': 'b\n', 'open/c.js': 'c\n' });
  const first = head(project);
  project.write({ '.gitignore': '/node_modules/\n/parts/*/node_modules/\n.venv/\n' });
  project.git('add', '-A');
  project.git('commit', '-q', '-m', 'second');
  for (const at of ['node_modules', 'parts/[b]/node_modules', '.venv', 'open/node_modules'])
    writeFiles(project.root, { [`${at}/pad/index.js`]: 'pad\n' });
  const copy = await copyCommit(found(project.root), first);
  expect(readFileSync(join(copy.project, 'parts/[b]/node_modules/pad/index.js'), 'utf8')).toBe('pad\n');
  expect(project.git('-C', copy.project, 'status', '--porcelain').trim()).toBe('?? open/node_modules/');
  copy.remove();
});

it('leads packages of the project to its own sources, in every package', async () => {
  const project = gitProject({
    '.gitignore': 'node_modules\n.venv\n',
    'packages/a/index.js': 'old a\n',
    'packages/b/index.js': 'b\n',
  });
  writeFiles(project.root, {
    'node_modules/pad/index.js': 'pad\n',
    'packages/b/node_modules/odd/index.js': 'odd\n',
    '.venv/bin/python': '',
  });
  symlinkSync('../packages/a', join(project.root, 'node_modules', 'a'));
  const commit = head(project);
  writeFiles(project.root, { 'packages/a/index.js': 'new a\n', 'packages/c/node_modules/late/index.js': '' });
  const repository = found(join(project.root, 'packages', 'b'));
  expect(repository.prefix).toBe('packages/b');
  const copy = await copyCommit(repository, commit);
  const root = join(copy.project, '..', '..');
  expect(readFileSync(join(root, 'node_modules', 'a', 'index.js'), 'utf8')).toBe('old a\n');
  expect(readFileSync(join(copy.project, 'node_modules', 'odd', 'index.js'), 'utf8')).toBe('odd\n');
  expect(readlinkSync(join(root, '.venv'))).toBe(join(project.root, '.venv'));
  expect(existsSync(join(root, 'packages', 'c'))).toBe(false);
  expect(filesAt(join(project.root, 'packages', 'b'), commit)).toEqual(['index.js']);
  copy.remove();
});

it('finds packages that lie above the repository', async () => {
  const outer = plainProject({ 'node_modules/pad/index.js': 'pad\n' });
  const inner = join(outer.root, 'inner');
  mkdirSync(inner);
  writeFiles(inner, { 'a.js': 'a\n' });
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-q', '-m', 'first'],
  ])
    outer.git('-C', inner, ...args);
  const copy = await copyCommit(found(inner), 'HEAD');
  expect(realpathSync.native(join(copy.project, '..', 'node_modules'))).toBe(join(outer.root, 'node_modules'));
  copy.remove();
});

it('says where there is none', async () => {
  expect(findProjectRepository(plainProject({ 'a.txt': 'a' }).root)).toBe(null);
  const project = gitProject();
  await expect(copyCommit(found(project.root), 'f'.repeat(40))).rejects.toMatchObject({ code: 'git-failed' });
});

const hasPython = spawnSync('python3', ['-c', 'import venv']).status === 0;

it.skipIf(!hasPython)(
  'has packages of Python that are installed for editing as they were, of a worktree too (skipped without Python)',
  async () => {
    const project = gitProject({ '.gitignore': '.venv\n', 'src/shop.py': "said = 'old'\n" });
    execFileSync('python3', ['-m', 'venv', '--without-pip', join(project.root, '.venv')]);
    const [python = ''] = readdirSync(join(project.root, '.venv/lib'));
    writeFiles(join(project.root, '.venv/lib', python, 'site-packages'), { 'editing.pth': `${project.root}/src\n` });
    const commit = head(project);
    const workspace = await project.open();
    for (const place of [project.root, workspace.path]) {
      writeFiles(place, { 'src/shop.py': "said = 'new'\n" });
      const copy = await copyCommit(found(place), commit);
      const [now, then] = [place, copy.project].map((cwd) =>
        execFileSync(join(cwd, '.venv/bin/python'), ['-c', 'import shop; print(shop.said)'], { cwd, encoding: 'utf8' }).trim(),
      );
      expect([now, then]).toEqual(['new', 'old']);
      copy.remove();
    }
  },
);

it.skipIf(!hasPython)(
  'has those of an environment that is switched on and lies elsewhere as they were (skipped without Python)',
  async () => {
    const project = gitProject({ 'src/shop.py': "said = 'old'\n" });
    const outer = join(temporaryFolder(), 'shop-env');
    execFileSync('python3', ['-m', 'venv', '--without-pip', outer]);
    const [python = ''] = readdirSync(join(outer, 'lib'));
    writeFiles(join(outer, 'lib', python, 'site-packages'), { 'editing.pth': `${project.root}/src\n` });
    vi.stubEnv('VIRTUAL_ENV', outer);
    const commit = head(project);
    const workspace = await project.open();
    for (const place of [project.root, workspace.path]) {
      writeFiles(place, { 'src/shop.py': "said = 'new'\n" });
      const copy = await copyCommit(found(place), commit);
      const { VIRTUAL_ENV: there = '' } = environmentIn({ PATH: '', VIRTUAL_ENV: outer })(copy.project);
      expect(execFileSync(join(there, 'bin/python'), ['-c', 'import shop; print(shop.said)'], { encoding: 'utf8' })).toBe('old\n');
      copy.remove();
    }
  },
);

it('goes without packages whose link leads nowhere', async () => {
  const project = gitProject({ 'a.js': 'old\n' });
  for (const name of ['.venv', 'node_modules']) symlinkSync('/nowhere/at/all', join(project.root, name));
  const copy = await copyCommit(found(project.root), head(project));
  expect(readdirSync(copy.project).toSorted()).toEqual(['.git', 'a.js']);
  copy.remove();
});
