// Kills the work of a session with SIGKILL at one step after another and resumes it: no step is lost or done twice, and the person's
// files are not touched. UMPIRE_KILLS=all tries every step, else a part of them.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  cleanUpAfterwards,
  filesUnder,
  gitIn,
  gitProject,
  ownThings,
  plainProject,
  removeTemporaryFolders,
} from '../support/git-project.js';
import { SOAK, amountOf, isSoak } from '../support/campaign.js';
import type { Project } from '../support/git-project.js';

cleanUpAfterwards();

const FILES = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'src/c.txt': 'c\n' };
const runner = join(import.meta.dirname, '..', 'support', 'workspace-run.cjs');
const folder = mkdtempSync(join(tmpdir(), 'umpire-kills-'));
const bundle = join(folder, 'workspace.cjs');

afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(async () => {
  const source = join(import.meta.dirname, '..', '..', 'packages', 'umpire', 'src', 'work', 'workspace.ts');
  await build({
    entryPoints: [source],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    outfile: bundle,
    logLevel: 'warning',
  });
});

interface Ran {
  readonly isKilled: boolean;
  readonly count: number;
  readonly gits: number;
}

function runOnce(project: Project, kill: string): Ran {
  const log = join(project.options.sessionFolder, 'steps.ndjson');
  const { signal, status, stdout, stderr } = spawnSync(process.execPath, [runner, bundle, JSON.stringify(project.options), log], {
    encoding: 'utf8',
    env: { ...process.env, UMPIRE_KILL: kill },
  });
  if (signal === 'SIGKILL') return { isKilled: true, count: 0, gits: 0 };
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return { isKilled: false, ...(JSON.parse(stdout) as { count: number; gits: number }) };
}

function checkEnd(project: Project, gitDir: string): void {
  const path = join(project.options.home, 'review-1', 'session');
  expect(filesUnder(path, (name) => name === '.git')).toEqual({ ...FILES, 'by-hand.txt': 'h\n', 'src/c.txt': 'two, edited\n' });
  expect(gitIn(path, 'status', '--porcelain', '-b')).toBe('## umpire/review-1\n');
  const subjects = gitIn(gitDir, 'log', '--first-parent', '--format=%s', 'umpire/review-1').trim().split('\n').slice(0, -1);
  expect(subjects).toEqual(['Revert: The work of T1', "A person's edit", 'Merge the work of T2', 'The work of T1']);
  const steps = readFileSync(join(project.options.sessionFolder, 'steps.ndjson'), 'utf8').trim().split('\n');
  const done = Object.assign({}, ...steps.map((line) => JSON.parse(line) as object)) as Record<
    string,
    { ok?: boolean; files?: readonly string[] }
  >;
  expect([done['mergeT1']?.ok, done['mergeT2']?.ok, done['mergeT3'], done['none'], done['revert']?.ok]).toEqual([
    true,
    true,
    { ok: false, files: ['a.txt'] },
    null,
    true,
  ]);
}

/** The steps to try, from 1 to `last`. */
function chosen(last: number, part: number): readonly number[] {
  const every = Math.max(1, Math.floor(last / amountOf(1, part)));
  return Array.from({ length: last }, (_, at) => at + 1).filter((number) => number % every === 0);
}

function checkKills(kind: string, part: number, make: () => Project, gitDirOf: (project: Project) => string): void {
  const whole = make();
  const { count, gits } = runOnce(whole, 'never:0');
  checkEnd(whole, gitDirOf(whole));
  for (const at of chosen(kind === 'before' ? count : gits, part)) {
    const project = make();
    const own = ownThings(project.root);
    expect(runOnce(project, `${kind}:${at}`).isKilled, `${kind}:${at}`).toBe(true);
    expect(runOnce(project, 'never:0').isKilled).toBe(false);
    checkEnd(project, gitDirOf(project));
    expect(ownThings(project.root), `${kind}:${at}`).toEqual(own);
    removeTemporaryFolders();
  }
}

test.each(isSoak ? ['before', 'alone', 'both'] : ['both'])('loses no work when killed: %s', { timeout: 1_800_000 }, (kind) => {
  checkKills(
    kind,
    12,
    () => gitProject(FILES),
    ({ root }) => root,
  );
});

test('loses no work when killed in a folder without git', { ...SOAK, timeout: 1_800_000 }, () => {
  const isOurs = (path: string): boolean => path === '.umpire';
  const make = (): Project => plainProject(FILES);
  const { count } = runOnce(make(), 'never:0');
  for (const at of chosen(count, 6)) {
    const project = make();
    expect(runOnce(project, `before:${at}`).isKilled, `before:${at}`).toBe(true);
    runOnce(project, 'never:0');
    checkEnd(project, join(project.options.sessionFolder, 'snapshot.git'));
    expect(filesUnder(project.root, isOurs)).toEqual(FILES);
    removeTemporaryFolders();
  }
});
