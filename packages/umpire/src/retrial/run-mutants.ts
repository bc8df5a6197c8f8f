// Tries small defects in the source that changed tests import, against the old and the new tests. A defect that only the old tests notice is
// strength that the change lost.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFailing } from '@umpire/core/formats/debt-measurement.js';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import type { Change } from '@umpire/guard/change.js';
import { findingOf } from '@umpire/guard/findings/finding.js';
import { RETRIAL_RULES } from '@umpire/guard/retrial/words.js';
import type { GuardFinding } from '@umpire/guard/findings/finding.js';
import { countMutant, NO_MUTANTS } from '@umpire/guard/retrial/clear.js';
import type { MutantCount } from '@umpire/guard/retrial/clear.js';
import { isTestFile } from '@umpire/guard/retrial/judges.js';
import { changedLines, mutantsIn, sampleMutants, withMutant, testedFiles } from '@umpire/guard/retrial/mutants.js';
import type { Mutant } from '@umpire/guard/retrial/mutants.js';
import { readTestTitle } from '@umpire/guard/retrial/test-text.js';
import { isCode, isRust } from '@umpire/guard/syntax/nodes.js';
import type { CriticJob } from '../critics/critic.js';
import { findTests, removeScratch } from '../runners/find-tests.js';
import type { FoundTests } from '../runners/find-tests.js';
import { runTests } from '../runners/run-tests.js';
import { isFile } from '../sessions/file-system.js';
import type { TreeRun } from './run-tree.js';
import { elapsedMs } from '../sessions/environment.js';

export interface MutantTrial {
  readonly job: CriticJob;
  readonly change: Change;
  /** Decides which mutants are tried. */
  readonly seed: string;
  /** Both on the new code. */
  readonly old: MutantTree;
  readonly now: MutantTree;
}

/** A folder with the old or the new tests, and how they did there. */
export interface MutantTree {
  readonly workdir: string;
  readonly run: TreeRun;
  /** Runs them again. Null: the project's own tests are run file by file. */
  readonly tryOnce: ((timeoutMs: number) => Promise<TreeRun>) | null;
}

export interface MutantReport {
  readonly findings: readonly GuardFinding[];
  readonly counts: ReadonlyMap<string, MutantCount>;
  /** Mutants of the source that the changed tests import. */
  readonly found: number;
  readonly tried: number;
  /** Noticed by the old and the new tests. */
  readonly kept: number;
  /** Noticed by the old tests alone. */
  readonly lost: number;
  readonly durationMs: number;
}

const MOST_MUTANTS = 30;
const ALL_MS = 60_000;
const EXTRA_MS = 5000;
/** So many lost mutants are proof enough. */
const ENOUGH_LOST = 3;

/** A changed test file with the source files that its old version imports. */
interface MutatedTest {
  readonly path: string;
  readonly pathNow: string | null;
  /** Both versions. */
  readonly text: string;
  /** The part of the text that the change is about. */
  readonly changed: string;
  readonly sources: readonly string[];
}

/** Null: no changed test imports source that can be mutated. */
export async function runMutants({ job, change, seed, old, now }: MutantTrial): Promise<MutantReport | null> {
  const readOld = (path: string): string | null => (isFile(join(old.workdir, path)) ? readFileSync(join(old.workdir, path), 'utf8') : null);
  const tests = changedTests(change, readOld);
  const sources = new Map([...new Set(tests.flatMap((test) => test.sources))].map((path) => [path, readOld(path) ?? '']));
  const all = [...sources].flatMap(([path, text]) => mutantsIn(path, text));
  if (all.length === 0) return null;
  const began = elapsedMs();
  const leftMs = (): number => ALL_MS - (elapsedMs() - began);
  const texts = { changed: tests.map(({ changed }) => changed).join('\n'), all: tests.map(({ text }) => text).join('\n') };
  const sides = { old: await openSide(job, old), now: await openSide(job, now) };
  const counts = new Map<string, MutantCount>();
  const lost = new Map<string, Mutant[]>();
  const sum = { kept: 0, lost: 0 };
  let tried = 0;
  try {
    for (const mutant of sampleMutants(all, texts, seed, MOST_MUTANTS)) {
      if (leftMs() <= 0 || sum.lost >= ENOUGH_LOST || job.watch.signal.aborted || sides.old.files?.length === 0) break;
      const own = tests.filter((test) => test.sources.includes(mutant.file));
      const paths = new Set(own.map(({ path }) => path));
      const pathsNow = new Set(own.map(({ pathNow }) => pathNow));
      const mutated = { file: mutant.file, text: withMutant(sources.get(mutant.file) ?? '', mutant) };
      const byOld = await sides.old.notices(mutated, (path) => paths.has(path), leftMs());
      tried += 1;
      if (byOld === null || byOld.size === 0) continue;
      const bySame = await sides.now.notices(mutated, (path) => pathsNow.has(path), leftMs());
      // Another test may have taken the check over.
      const isAll = sides.now.files?.every((path) => pathsNow.has(path)) !== false;
      const byNew = isAll || (bySame !== null && bySame.size > 0) ? bySame : await sides.now.notices(mutated, () => true, leftMs());
      if (byNew === null) continue;
      const isKept = byNew.size > 0;
      sum[isKept ? 'kept' : 'lost'] += 1;
      for (const { path } of own) {
        counts.set(path, countMutant(counts.get(path) ?? NO_MUTANTS, byOld, byNew, sides.now.titles));
        if (!isKept) lost.set(path, [...(lost.get(path) ?? []), mutant]);
      }
    }
  } finally {
    sides.old.close();
    sides.now.close();
  }
  const findings = [...lost].map(([path, mutants]) => {
    const shown = mutants.map((mutant) => {
      const old = (sources.get(mutant.file) ?? '').slice(mutant.from, mutant.to);
      return `${mutant.file}:${mutant.line} with ${JSON.stringify(mutant.text)} for ${JSON.stringify(old)}`;
    });
    return findingOf(RETRIAL_RULES['strength-lost'], { file: path, level: 'breach', why: shown.join('; ') });
  });
  return {
    findings,
    counts,
    found: all.length,
    tried,
    ...sum,
    durationMs: Math.round(elapsedMs() - began),
  };
}

function changedTests({ files }: Change, read: (path: string) => string | null): readonly MutatedTest[] {
  return files.flatMap(({ path, before, after, renamedFrom }) => {
    const old = renamedFrom ?? path;
    if (before === null || before === after || !isTestFile(old) || !isCode(old) || isRust(old)) return [];
    return [
      {
        path: old,
        pathNow: after === null ? null : path,
        text: before,
        changed: changedLines(before, after ?? ''),
        sources: testedFiles(old, before, read),
      },
    ];
  });
}

interface Side {
  /** Null: they run together. */
  readonly files: readonly string[] | null;
  /** Of its tests. */
  readonly titles: ReadonlySet<string>;
  /** Titles of tests that pass without the defect and fail with it; empty for a failure without a name. Null: nobody knows. */
  readonly notices: (
    mutated: { readonly file: string; readonly text: string },
    wanted: (path: string) => boolean,
    ms: number,
  ) => Promise<ReadonlySet<string> | null>;
  readonly close: () => void;
}

async function openSide(job: CriticJob, { workdir, run, tryOnce }: MutantTree): Promise<Side> {
  const quiet: CriticJob = { ...job, project: workdir, say: () => undefined, watch: { ...job.watch, log: () => undefined } };
  const suite: FoundTests | null = tryOnce === null ? await findTests(quiet) : null;
  const passing = new Set(run.results?.flatMap(({ id, status }) => (status === 'passed' ? [id] : [])));
  const noticing = (results: readonly Pick<TestResult, 'id' | 'status'>[]): ReadonlySet<string> =>
    new Set(
      results.filter(isFailing).flatMap((test) => (passing.has(test.id) ? [readTestTitle(test)] : test.status === 'errored' ? [''] : [])),
    );
  // A defect may keep a test from ending.
  const mostMs = run.durationMs * 2 + EXTRA_MS;
  const noticingBySuite = async (tests: FoundTests, wanted: (path: string) => boolean, ms: number) => {
    const runs = await runTests({ ...quiet, timeoutMs: Math.min(mostMs, ms) }, tests, wanted);
    if (runs.some(({ outcome }) => outcome === 'timeout') && ms < mostMs) return null;
    const isBroken = runs.some(({ outcome }) => outcome === 'error' || outcome === 'timeout');
    return isBroken ? UNNAMED : noticing(runs.flatMap((one) => one.results));
  };
  const noticingByCommand = async (again: NonNullable<MutantTree['tryOnce']>, ms: number) => {
    const { passed, results } = await again(Math.min(mostMs, ms));
    if (passed === null) return ms < mostMs ? null : UNNAMED;
    if (results !== null && run.results !== null) return noticing(results);
    return passed ? NONE : UNNAMED;
  };
  return {
    files: suite?.places.flatMap((place) => place.files) ?? null,
    titles: new Set(run.results?.map(readTestTitle)),
    notices: async ({ file, text }, wanted, ms) => {
      if (ms <= 0) return null;
      const place = join(workdir, file);
      const original = readFileSync(place, 'utf8');
      writeFileSync(place, text);
      try {
        return await (tryOnce === null ? noticingBySuite(suite as FoundTests, wanted, ms) : noticingByCommand(tryOnce, ms));
      } finally {
        writeFileSync(place, original);
      }
    },
    close: () => (suite === null ? undefined : removeScratch(suite)),
  };
}

const NONE: ReadonlySet<string> = new Set();
/** Something failed, and nothing says which test. */
const UNNAMED: ReadonlySet<string> = new Set(['']);
