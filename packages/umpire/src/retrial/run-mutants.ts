// Tries small defects in the source that suspected tests run, against the old and the new tests. A defect that only the old tests notice is
// strength that the change lost, whether the source changed or not.

import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FileCoverage, TestResult } from '@umpire/core/model/vocabulary.js';
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
import { isCode } from '@umpire/guard/syntax/nodes.js';
import type { CriticJob } from '../critics/critic.js';
import { defectsIn } from '../critics/test-strength.js';
import { findTests, removeScratch } from '../runners/find-tests.js';
import type { FoundTests } from '../runners/find-tests.js';
import { readText } from '../runners/project-files.js';
import { runTests, runTestsWithCoverage } from '../runners/run-tests.js';
import type { TreeRun } from './run-tree.js';
import { elapsedMs } from '../sessions/environment.js';

export interface MutantTrial {
  readonly job: CriticJob;
  readonly change: Change;
  /** Files whose tests may ask for less than before, by their old paths. */
  readonly suspects: readonly string[];
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
  /** Mutants of the lines that the suspected tests run, or of the files that they import. */
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

/** A changed test file, or one that tests use. */
interface SuspectedFile {
  readonly path: string;
  readonly pathNow: string | null;
  /** Before the change. */
  readonly text: string;
  /** The part of the text that the change is about. */
  readonly changed: string;
}

/** Null: no suspected test runs source that can be mutated. */
export async function runMutants({ job, change, suspects: paths, seed, old, now }: MutantTrial): Promise<MutantReport | null> {
  const suspects = findSuspects(change, paths);
  if (suspects.length === 0) return null;
  const began = elapsedMs();
  const leftMs = (): number => ALL_MS - (elapsedMs() - began);
  const sides = { old: await openSide(job, old), now: await openSide(job, now) };
  const counts = new Map<string, MutantCount>();
  const lost = new Map<string, Mutant[]>();
  const sum = { kept: 0, lost: 0 };
  let tried = 0;
  try {
    const wanted = {
      old: collectUsers(suspects, sides.old, old.workdir, ({ path }) => path),
      now: collectUsers(suspects, sides.now, now.workdir, ({ pathNow }) => pathNow),
    };
    const all = await findMutants(sides.old, suspects, wanted.old, old.workdir, leftMs());
    if (all.length === 0) return null;
    const texts = { changed: suspects.map(({ changed }) => changed).join('\n'), all: suspects.map(({ text }) => text).join('\n') };
    for (const mutant of sampleMutants(all, texts, seed, MOST_MUTANTS)) {
      if (leftMs() <= 0 || sum.lost >= ENOUGH_LOST || job.watch.signal.aborted) break;
      const byOld = await sides.old.notices(mutant, (path) => wanted.old.has(path), leftMs());
      tried += 1;
      if (byOld === null || byOld.titles.size === 0) continue;
      const bySame = await sides.now.notices(mutant, (path) => wanted.now.has(path), leftMs());
      // Another test may have taken the check over.
      const isAll = sides.now.files?.every((path) => wanted.now.has(path)) !== false;
      const byNew = isAll || bySame === null || bySame.titles.size > 0 ? bySame : await sides.now.notices(mutant, () => true, leftMs());
      if (byNew === null) continue;
      const isKept = byNew.titles.size > 0;
      sum[isKept ? 'kept' : 'lost'] += 1;
      const own = suspects.filter(({ path }) => byOld.files.has(path));
      for (const { path } of own.length === 0 ? suspects : own) {
        counts.set(path, countMutant(counts.get(path) ?? NO_MUTANTS, byOld.titles, byNew.titles, sides.now.titles));
        if (!isKept) lost.set(path, [...(lost.get(path) ?? []), mutant]);
      }
    }
    const findings = [...lost].map(([path, mutants]) => {
      const shown = mutants.map(({ file, from, to, line, text }) => {
        const was = (readText(join(old.workdir, file), Infinity) ?? '').slice(from, to);
        return `${file}:${line} with ${JSON.stringify(text)} for ${JSON.stringify(was)}`;
      });
      return findingOf(RETRIAL_RULES['strength-lost'], { file: path, level: 'breach', why: shown.join('; ') });
    });
    return { findings, counts, found: all.length, tried, ...sum, durationMs: Math.round(elapsedMs() - began) };
  } finally {
    sides.old.close();
    sides.now.close();
  }
}

function findSuspects({ files }: Change, paths: readonly string[]): readonly SuspectedFile[] {
  return files.flatMap(({ path, before, after, renamedFrom = path }) =>
    before === null || before === after || !(paths.includes(renamedFrom) || paths.includes(path))
      ? []
      : [{ path: renamedFrom, pathNow: after === null ? null : path, text: before, changed: changedLines(before, after ?? '') }],
  );
}

/** The suspected test files, and the test files that name another suspected file. */
function collectUsers(
  suspects: readonly SuspectedFile[],
  { files }: Side,
  workdir: string,
  pathOf: (suspect: SuspectedFile) => string | null,
): ReadonlySet<string> {
  const paths = suspects.flatMap((suspect) => pathOf(suspect) ?? []);
  const helpers = paths.filter((path) => !isTestFile(path)).map((path) => basename(path).replace(/\.\w+$/, ''));
  const users = helpers.flatMap((name) => {
    const naming = (files ?? []).filter((file) => readText(join(workdir, file))?.includes(name) === true);
    // The runner loads it, before all tests.
    return naming.length === 0 ? (files ?? []) : naming;
  });
  return new Set([...paths.filter(isTestFile), ...users]);
}

/** In the lines that the old tests run; where no coverage can be measured, in the files that they import. */
async function findMutants(
  side: Side,
  suspects: readonly SuspectedFile[],
  wanted: ReadonlySet<string>,
  workdir: string,
  ms: number,
): Promise<readonly Mutant[]> {
  const covered = await side.cover((path) => wanted.has(path), ms);
  const inCovered = (covered ?? []).flatMap((one) => defectsIn(workdir, one));
  if (inCovered.length > 0) return inCovered;
  const read = (path: string): string | null => readText(join(workdir, path), Infinity);
  const tests = [...new Set([...wanted, ...suspects.map(({ path }) => path)])].filter(isCode);
  const sources = new Set(tests.flatMap((path) => testedFiles(path, read(path) ?? '', read)));
  return [...sources].flatMap((path) => mutantsIn(path, read(path) ?? ''));
}

/** Tests that pass without a defect and fail with it. */
interface Noticed {
  /** A failure without a name has an empty one. */
  readonly titles: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
}

interface Side {
  /** Null: they run together. */
  readonly files: readonly string[] | null;
  /** Of its tests. */
  readonly titles: ReadonlySet<string>;
  /** Null: nobody knows. The defect could not be built, or it keeps the tests from ending. */
  readonly notices: (mutant: Mutant, wanted: (path: string) => boolean, ms: number) => Promise<Noticed | null>;
  /** The product lines that these tests run. Null: that cannot be measured. */
  readonly cover: (wanted: (path: string) => boolean, ms: number) => Promise<readonly FileCoverage[] | null>;
  readonly close: () => void;
}

async function openSide(job: CriticJob, { workdir, run, tryOnce }: MutantTree): Promise<Side> {
  const quiet: CriticJob = { ...job, project: workdir, say: () => undefined, watch: { ...job.watch, log: () => undefined } };
  const suite: FoundTests | null = tryOnce === null ? await findTests(quiet) : null;
  const passing = new Set(run.results?.flatMap(({ id, status }) => (status === 'passed' ? [id] : [])));
  const noticing = (results: readonly Pick<TestResult, 'id' | 'status' | 'file'>[]): Noticed | null => {
    const failed = results.filter(({ id, status }) => status === 'failed' && passing.has(id));
    if (failed.length === 0 && results.some(({ status }) => status === 'errored')) return null;
    return { titles: new Set(failed.map(readTestTitle)), files: new Set(failed.flatMap(({ file }) => file ?? [])) };
  };
  // A defect may keep a test from ending.
  const mostMs = run.durationMs * 2 + EXTRA_MS;
  const runSuite = async (tests: FoundTests, wanted: (path: string) => boolean, ms: number): Promise<Noticed | null> => {
    const runs = await runTests({ ...quiet, timeoutMs: Math.min(mostMs, ms) }, tests, wanted);
    const noticed = noticing(runs.flatMap((one) => one.results));
    const isBroken = runs.some(({ outcome }) => outcome === 'error' || outcome === 'timeout');
    return isBroken && noticed?.titles.size === 0 ? null : noticed;
  };
  const runCommand = async (again: NonNullable<MutantTree['tryOnce']>, { file }: Mutant, ms: number): Promise<Noticed | null> => {
    const { passed, results } = await again(Math.min(mostMs, ms));
    if (passed === null) return null;
    if (results !== null && run.results !== null) return noticing(results);
    // Of what is compiled nobody can say whether the defect could be built.
    return passed ? NONE : isCode(file) ? UNNAMED : null;
  };
  return {
    files: suite?.places.flatMap((place) => place.files) ?? null,
    titles: new Set(run.results?.map(readTestTitle)),
    notices: async (mutant, wanted, ms) => {
      const place = join(workdir, mutant.file);
      const original = readText(place, Infinity);
      if (ms <= 0 || original === null) return null;
      writeFileSync(place, withMutant(original, mutant));
      try {
        return await (tryOnce === null ? runSuite(suite as FoundTests, wanted, ms) : runCommand(tryOnce, mutant, ms));
      } finally {
        writeFileSync(place, original);
      }
    },
    cover: async (wanted, ms) => {
      if (suite === null || ms <= 0) return null;
      const runs = await runTestsWithCoverage({ ...quiet, timeoutMs: Math.min(mostMs * 2, ms) }, suite, wanted);
      return runs.flatMap(({ coverage }) => coverage ?? []);
    },
    close: () => (suite === null ? undefined : removeScratch(suite)),
  };
}

const NO_FILES: ReadonlySet<string> = new Set();
const NONE: Noticed = { titles: new Set(), files: NO_FILES };
/** Something failed, and nothing says which test. */
const UNNAMED: Noticed = { titles: new Set(['']), files: NO_FILES };
