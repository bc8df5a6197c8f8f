import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanUpAfterwards, gitIn, gitProject, plainProject, writeFiles } from '../../../../test/support/git-project.js';
import { shownWord, shownWords } from '../runners/run-tool.js';
import { readJudgedContent } from './provenance.js';

cleanUpAfterwards();

const judged = (project: string, session = join(project, '.umpire', 'sessions', 's')) => readJudgedContent({ project, session });

test('a clean checkout is its commit', async () => {
  const project = gitProject();
  const commit = project.git('rev-parse', 'HEAD').trim();
  expect(await judged(project.root)).toEqual({ commit, content: null });
});

test('whatever differs from the commit changes the content, and going back brings it back', async () => {
  const project = gitProject({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n', '.gitignore': 'ignored\nnode_modules\n' });
  const seen = new Set<string | null>();
  const look = async (): Promise<string | null> => (await judged(project.root)).content;
  const changes: readonly Readonly<Record<string, string | null>>[] = [
    { 'a.txt': 'b\n' },
    { 'a.txt': null },
    { 'new.txt': '' },
    { 'sub/deep/new.txt': '' },
    { 'odd \u00e4 name.txt': 'x' },
  ];
  for (const change of changes) {
    writeFiles(project.root, change);
    const content = await look();
    expect(content).toMatch(/^[0-9a-f]{64}$/);
    expect(seen).not.toContain(content);
    seen.add(content);
  }
  project.git('clean', '-fdq', '-e', '.umpire');
  project.git('checkout', '-q', '.');
  expect(await look()).toBeNull();
  writeFiles(project.root, { ignored: 'x', 'node_modules/p/index.js': 'x', '.umpire/sessions/s/tasks.csv': 'x' });
  expect(await look()).toBeNull();
  symlinkSync('a.txt', join(project.root, 'link'));
  expect(await look()).toMatch(/^[0-9a-f]{64}$/);
});

test('a folder of a repository is judged by its own files; a session inside is no part of it', async () => {
  const project = gitProject({ 'one/a.txt': 'a\n', 'two/b.txt': 'b\n' });
  const one = join(project.root, 'one');
  writeFiles(project.root, { 'two/b.txt': 'changed\n' });
  expect((await judged(one)).content).toBeNull();
  writeFiles(one, { 'evidence/run.json': '{}' });
  expect((await judged(one, join(one, 'evidence'))).content).toBeNull();
  expect((await judged(one)).content).not.toBeNull();
});

test('without git, and before the first commit, all files are the content', async () => {
  const files = { 'a.txt': 'a\n', 'sub/b.txt': 'b\n' };
  const plain = plainProject(files);
  const without = await judged(plain.root);
  expect(without).toEqual({ commit: null, content: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
  const same = plainProject(files);
  gitIn(same.root, 'init', '-q');
  expect(await judged(same.root)).toEqual(without);
  writeFiles(same.root, { 'a.txt': 'b\n' });
  expect((await judged(same.root)).content).not.toBe(without.content);
});

test('commands name no place of this machine, and have an end', () => {
  const places = { project: '/home/me/shop', scratch: '/tmp/r-1' };
  const argv = [process.execPath, '/home/me/shop/node_modules/a.js', '--out=/tmp/r-1/a.json', '/home/me/shop', '-x'];
  expect(shownWords(argv, places)).toEqual(['node', 'node_modules/a.js', '--out=<reports>/a.json', '.', '-x']);
  expect(shownWord('/home/me/shop/packages/a', places)).toBe('packages/a');
  const many = shownWords(
    Array.from({ length: 100 }, (_, at) => `f${at}`),
    places,
  );
  expect([many.length, many.at(-1)]).toEqual([61, '… and 40 more']);
});
