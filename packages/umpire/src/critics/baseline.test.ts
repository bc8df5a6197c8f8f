// The pinned baseline: kept once, found by what it was measured with, worth nothing where it is damaged.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { endGuardianAfterwards, jobFor } from '../../../../test/support/critic-job.js';
import { cleanUpAfterwards, gitProject, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import { baselineHome, baselineKey, keepBaseline, openBase, readBaseline } from './baseline.js';
import type { Baseline } from './baseline.js';
import { findProjectRepository } from './commit-copy.js';
import type { ProjectRepository } from './commit-copy.js';

cleanUpAfterwards();
endGuardianAfterwards();
const cacheBefore = process.env['XDG_CACHE_HOME'];
afterEach(() => {
  if (cacheBefore === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = cacheBefore;
});

const BASELINE: Baseline<unknown> = {
  commit: 'c0ffee',
  state: { types: [], lint: [], quality: [], lines: 12 },
  provenance: { commit: 'c0ffee', content: null, started: '', ended: '', tools: [] },
  rewritten: ['snapshot.txt'],
};

it('comes back as it was kept; damaged, or of another commit, it does not', () => {
  const home = join(temporaryFolder(), 'deep', 'home');
  expect(readBaseline(home, 'key', 'c0ffee')).toBe(null);
  expect(keepBaseline(home, 'key', BASELINE)).toBe(null);
  expect(readBaseline(home, 'key', 'c0ffee')).toEqual(BASELINE);
  expect(readBaseline(home, 'key', 'decade')).toBe(null);
  for (const text of ['', '3', '{"baseline": 3}', JSON.stringify({ sha256: 'x', baseline: BASELINE }), '{"sha256": "x", "baseline": {']) {
    writeFileSync(join(home, 'key.json'), text);
    expect(readBaseline(home, 'key', 'c0ffee')).toBe(null);
  }
});

it('keeps the latest only, and says where it cannot keep one', () => {
  const home = temporaryFolder();
  for (let number = 0; number < 45; number += 1) keepBaseline(home, `key-${number}`, BASELINE);
  expect(readdirSync(home)).toHaveLength(40);
  expect(readBaseline(home, 'key-44', 'c0ffee')).toEqual(BASELINE);
  const file = join(home, 'key-44.json');
  expect(keepBaseline(file, 'key', BASELINE)).toMatch(/^The baseline could not be stored and will be measured again: /);
});

it('lies in the cache of the person, by repository', () => {
  process.env['XDG_CACHE_HOME'] = '/cache';
  expect(baselineHome('/a/.git')).toMatch(/^\/cache\/umpire\/baselines-[0-9a-f]{12}$/);
  expect(baselineHome('/b/.git')).not.toBe(baselineHome('/a/.git'));
  process.env['XDG_CACHE_HOME'] = '';
  expect(baselineHome('/a/.git')).toMatch(/\/\.cache\/umpire\/baselines-/);
});

it('is of one commit, folder, set of tools and settings', () => {
  const project = temporaryFolder();
  const install = (version: string) => writeFiles(project, { 'node_modules/eslint/package.json': JSON.stringify({ version }) });
  install('1.0.0');
  const settings = DEFAULT_SETTINGS.critics;
  const key = baselineKey('tools', { project, settings }, 'c0ffee', '');
  expect(baselineKey('tools', { project, settings }, 'c0ffee', '')).toBe(key);
  const others = [
    baselineKey('tools', { project, settings }, 'decade', ''),
    baselineKey('tools', { project, settings }, 'c0ffee', 'packages/a'),
    baselineKey('tools', { project, settings: { ...settings, debt: { ...settings.debt, complexity: 9 } } }, 'c0ffee', ''),
    baselineKey('tests', { project, settings }, 'c0ffee', ''),
    baselineKey('tests', { project, settings: { ...settings, testing: { ...settings.testing, runner: 'jest' } } }, 'c0ffee', ''),
  ];
  install('2.0.0');
  expect(new Set([key, ...others, baselineKey('tools', { project, settings }, 'c0ffee', '')]).size).toBe(7);
});

it('is measured again where other packages are installed, of Python too, in the folder or above it', () => {
  const top = temporaryFolder();
  const project = join(top, 'packages', 'a');
  const key = () => baselineKey('tools', { project, settings: DEFAULT_SETTINGS.critics }, 'c0ffee', 'packages/a');
  const keys = [key()];
  for (const files of [
    { 'packages/a/node_modules/.package-lock.json': '{"packages": {"left-pad": 1}}' },
    { 'node_modules/.modules.yaml': 'hoisted: true\n' },
    { '.venv/lib/python3.12/site-packages/pytest-8.3.4.dist-info/METADATA': '' },
    { 'packages/a/venv/lib/python3.12/site-packages/ruff-0.9.0.dist-info/METADATA': '' },
  ]) {
    writeFiles(top, files);
    expect(key()).toBe(key());
    keys.push(key());
  }
  expect(new Set(keys).size).toBe(5);
});

it('W5: knows which tracked files the tools rewrite at the base, also from the stored baseline', async () => {
  process.env['XDG_CACHE_HOME'] = temporaryFolder();
  const project = gitProject({ 'snapshot.txt': 'one\n', 'b.txt': 'b\n' });
  const base = project.git('rev-parse', 'HEAD').trim();
  let measurements = 0;
  const rewritten = async () => {
    const rewrittenAtBase = new Set<string>();
    const { job } = jobFor(project.root, { base, rewrittenAtBase });
    const open = openBase(job, findProjectRepository(project.root) as ProjectRepository, base);
    await open.measured('tests', (own) => {
      measurements += 1;
      writeFiles(own.project, { 'snapshot.txt': 'two\n', 'b.txt': 'b\n', 'new.txt': 'new\n' });
      return Promise.resolve({ state: null, uses: [], isBroken: false });
    });
    await open.close();
    return [...rewrittenAtBase];
  };
  expect([await rewritten(), await rewritten(), measurements]).toEqual([['snapshot.txt'], ['snapshot.txt'], 1]);
});
