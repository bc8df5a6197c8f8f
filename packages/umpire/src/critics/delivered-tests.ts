// What `apply` hands over of a layer: the judged commit without its failing new tests. Its coverage and its tests are what a layer is judged by.

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MeasuredTest } from '@umpire/core/formats/debt-measurement.js';
import { isMeasured } from '@umpire/core/formats/debt-measurement.js';
import { addToList } from '@umpire/core/formats/multimap.js';
import { removeTests } from '@umpire/guard/revert/remove-tests.js';
import type { LeftOut } from '@umpire/guard/revert/remove-tests.js';
import { findTests, removeScratch } from '../runners/find-tests.js';
import { readText } from '../runners/project-files.js';
import { runTestsWithCoverage } from '../runners/run-tests.js';
import type { PlaceRun } from '../runners/run-tests.js';
import { runGitSync } from '../work/git.js';
import { openBase } from './baseline.js';
import { findProjectRepository } from './commit-copy.js';
import type { CriticJob } from './critic.js';
import { layerTest } from './test-layers.js';

export interface DeliveredTests {
  readonly runs: readonly PlaceRun[];
  readonly leftOut: readonly LeftOut[];
}

/** Runs the layer without these tests. Null where there are none, or the project is no commit. */
export async function measureDelivered(
  job: CriticJob,
  layer: string,
  commit: string | null,
  failing: readonly MeasuredTest[],
): Promise<DeliveredTests | null> {
  const repository = commit === null || failing.length === 0 ? null : findProjectRepository(job.project);
  if (commit === null || repository === null) return null;
  const open = openBase(job, repository, commit);
  job.say(
    `running the tests of ${layer} without ${failing.length === 1 ? 'the new test that fails' : `${failing.length} new tests that fail`}`,
  );
  try {
    return await open.inCopy(async (own) => {
      const leftOut = listLeftOut(own.project, failing);
      for (const one of leftOut) leaveOut(own.project, job.base, one);
      const runs = await runLayer(own, layer);
      const files = new Set(leftOut.map(({ file }) => file));
      const isBroken = runs.some((run) => !isMeasured(run.outcome) || run.results.some(({ id, file }) => id === file && files.has(id)));
      if (!isBroken) return { runs, leftOut };
      // What was left of a file was no code.
      const whole = leftOut.map(({ file }) => ({ file, tests: null }));
      for (const one of whole) leaveOut(own.project, job.base, one);
      return { runs: await runLayer(own, layer), leftOut: whole };
    });
  } finally {
    await open.close();
  }
}

async function runLayer(job: CriticJob, layer: string): Promise<readonly PlaceRun[]> {
  const found = await findTests(job);
  try {
    const layerOf = layerTest(job.settings.testing);
    return await runTestsWithCoverage(job, found, (path) => layerOf(path) === layer);
  } finally {
    removeScratch(found);
  }
}

/** By file. A test in no known file cannot be left out. */
export function listLeftOut(project: string, failing: readonly Pick<MeasuredTest, 'id' | 'file'>[]): readonly LeftOut[] {
  const byFile = new Map<string, string[]>();
  for (const { id, file } of failing) if (file !== null) addToList(byFile, file, id);
  return [...byFile].map(([file, ids]) => {
    const text = readText(join(project, file), Infinity);
    const names = ids.map((id) => nameInFile(id, file));
    const isAlone = text !== null && !ids.includes(file) && removeTests(file, text, names) !== null;
    return { file, tests: isAlone ? names : null };
  });
}

export function nameInFile(id: string, file: string | null): string {
  return file !== null && id.startsWith(`${file} > `) ? id.slice(file.length + ' > '.length) : id;
}

/** A file that is left out is as it was at the base. */
function leaveOut(project: string, base: string | null, { file, tests }: LeftOut): void {
  const path = join(project, file);
  const text = tests === null ? null : removeTests(file, readText(path, Infinity) ?? '', tests);
  if (text !== null) return writeFileSync(path, text);
  const old = base === null ? null : runGitSync(project, ['show', `${base}:./${file}`]);
  if (old?.code === 0) writeFileSync(path, old.stdout);
  else if (existsSync(path)) rmSync(path);
}
