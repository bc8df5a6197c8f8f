// Whether the new tests of a layer notice anything: small defects in the lines that they run, one at a time, in a copy of the judged commit. A
// test that calls everything and checks nothing reaches every target but this one.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { MeasuredTest } from '@umpire/core/formats/debt-measurement.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import type { FileCoverage } from '@umpire/core/model/vocabulary.js';
import { splitInlineTests } from '@umpire/guard/inline/split.js';
import { isJudge } from '@umpire/guard/retrial/judges.js';
import { mutantsIn, sampleMutants, withMutant } from '@umpire/guard/retrial/mutants.js';
import type { Mutant } from '@umpire/guard/retrial/mutants.js';
import { findTests, removeScratch } from '../runners/find-tests.js';
import { readText } from '../runners/project-files.js';
import { runTests, runTestsWithCoverage } from '../runners/run-tests.js';
import { elapsedMs } from '../sessions/environment.js';
import { openBase } from './baseline.js';
import { findProjectRepository } from './commit-copy.js';
import type { CriticJob } from './critic.js';

export interface TestStrength {
  readonly tried: number;
  readonly noticed: number;
  /** Places of defects that no new test noticed, and what they were. */
  readonly missed: readonly string[];
  readonly uses: readonly ToolUse[];
}

/** So many noticed defects are enough, of at most so many. */
const ENOUGH_NOTICED = 2;
const MOST_TRIED = 10;
/** Fewer say little: a short function may have no defect that can be seen. */
const LEAST_TRIED = 5;
const ALL_MS = 120_000;
const EXTRA_MS = 5000;

export function isWeak({ tried, noticed }: TestStrength): boolean {
  return tried >= LEAST_TRIED && noticed < ENOUGH_NOTICED;
}

/** Null: nothing could be tried. `commit`: the judged one. `added`: tests that the base lacks, and that pass. */
export async function measureStrength(job: CriticJob, commit: string, added: readonly MeasuredTest[]): Promise<TestStrength | null> {
  const repository = findProjectRepository(job.project);
  const files = new Set(added.flatMap(({ file }) => file ?? []));
  if (repository === null || files.size === 0) return null;
  const open = openBase(job, repository, commit);
  try {
    return await open.inCopy((own) => tryDefects(own, files, new Set(added.map(({ id }) => id)), commit));
  } finally {
    await open.close();
  }
}

async function tryDefects(
  job: CriticJob,
  files: ReadonlySet<string>,
  added: ReadonlySet<string>,
  seed: string,
): Promise<TestStrength | null> {
  job.say('trying small defects against the new tests');
  const found = await findTests(job);
  try {
    const isWanted = (path: string): boolean => files.has(path);
    const began = elapsedMs();
    const runs = await runTestsWithCoverage(job, found, isWanted);
    const onceMs = elapsedMs() - began;
    const uses: ToolUse[] = runs.flatMap((run) => run.uses);
    const texts = [...files].map((file) => readText(join(job.project, file), Infinity) ?? '').join('\n');
    const all = runs.flatMap((run) => run.coverage ?? []).flatMap((covered) => defectsIn(job.project, covered));
    const sample = sampleMutants(all, { changed: texts, all: texts }, seed, MOST_TRIED);
    const missed: string[] = [];
    let noticed = 0;
    for (const mutant of sample) {
      if (job.watch.signal.aborted) return null;
      if (noticed >= ENOUGH_NOTICED || elapsedMs() - began > ALL_MS) break;
      const place = join(job.project, mutant.file);
      const original = readFileSync(place, 'utf8');
      writeFileSync(place, withMutant(original, mutant));
      try {
        const tried = await runTests({ ...job, timeoutMs: onceMs * 2 + EXTRA_MS }, found, isWanted);
        uses.push(...tried.flatMap((run) => run.uses));
        const results = tried.flatMap((run) => run.results);
        const isKilled = results.some(({ id, status }) => status === 'failed' && added.has(id));
        // It could not be built, or it never ends: that says nothing of the tests.
        if (!isKilled && (!tried.every(({ outcome }) => isMeasured(outcome)) || results.some(({ status }) => status === 'errored')))
          continue;
        if (isKilled) noticed += 1;
        else missed.push(`${mutant.file}:${mutant.line} \`${mutant.text}\` for \`${original.slice(mutant.from, mutant.to)}\``);
      } finally {
        writeFileSync(place, original);
      }
    }
    const tried = noticed + missed.length;
    return tried === 0 ? null : { tried, noticed, missed, uses };
  } finally {
    removeScratch(found);
  }
}

/** In the lines of product code that ran. To return nothing at all is noticed by tests that only ask for something. */
export function defectsIn(project: string, { path, lines, uncovered }: FileCoverage): readonly Mutant[] {
  if (lines === undefined || lines.covered === 0 || isJudge(path)) return [];
  const text = readText(join(project, path), Infinity);
  if (text === null) return [];
  const [missed, inner] = [new Set(uncovered), splitInlineTests(path, text)?.parts ?? []];
  return mutantsIn(path, text).filter(
    ({ line, from, what }) => what !== 'returns nothing' && !missed.has(line) && !inner.some((part) => from >= part.from && from < part.to),
  );
}
