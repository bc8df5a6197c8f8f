// Tries every tool that a critic will use, once and on little, so that a broken one is known before the first round.

import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { makeScratch } from '../sessions/temporary-folder.js';
import type { CriticJob } from './critic.js';
import { findLintPlaces } from './debt-measure.js';
import { findTests, removeScratch } from '../runners/find-tests.js';
import { runLintTool } from './lint-run.js';
import type { LintTool } from './lint-run.js';
import { findFiles } from '../runners/project-files.js';
import { findQualityTools } from './quality-tools.js';

export interface TriedTool {
  readonly check: 'tests' | 'types' | 'lint' | 'quality';
  readonly name: string;
  readonly version: string | null;
  /** `unsupported`: Umpire cannot measure with it. */
  readonly outcome: 'works' | 'broken' | 'unsupported';
  /** What it says; null where it works. */
  readonly problem: string | null;
}

/** The checks of each loop's critic. Those of other loops use no tool of the project. */
const CHECKS: Readonly<Record<string, readonly TriedTool['check'][]>> = {
  design: ['tests'],
  testing: ['tests'],
  until: ['tests'],
  review: ['types', 'lint', 'tests'],
  debt: ['types', 'lint', 'quality', 'tests'],
};

export function triesTools(loop: string): boolean {
  return Object.hasOwn(CHECKS, loop);
}

/** Never rejects for what a tool does. */
export async function tryTools(loop: string, job: CriticJob): Promise<readonly TriedTool[]> {
  const tried: TriedTool[] = [];
  for (const check of CHECKS[loop] ?? []) {
    if (check === 'tests') tried.push(...(await tryTests(job)));
    else if (check === 'quality') tried.push(...(await tryQualityTools(job)));
    else tried.push(...(await tryLinters(job, check)));
  }
  return tried;
}

async function tryLinters(job: CriticJob, kind: LintTool['kind']): Promise<readonly TriedTool[]> {
  // A command of the settings is tried by the baseline.
  if (job.settings.debt.checks[kind] !== undefined) return [];
  const tried: TriedTool[] = [];
  for (const { path, tool } of findLintPlaces(job.project, kind)) {
    const scratch = makeScratch('try');
    try {
      const project = join(job.project, path);
      const file = findFiles(project, ['**/*']).find((name) => tool.takes(name) && !/(?:^|\/)[.-]/.test(name));
      const run = await runLintTool({ ...job, project }, tool, scratch, file === undefined ? [] : [file]);
      const isBroken = run.outcome === 'error' || run.outcome === 'timeout';
      const name = path === '' ? tool.name : `${tool.name} in ${path}`;
      tried.push({
        check: kind,
        name,
        version: tool.version,
        outcome: isBroken ? 'broken' : 'works',
        problem: isBroken ? run.problem : null,
      });
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  return tried;
}

/** Complexity is measured by a linter, which is tried as such. */
async function tryQualityTools(job: CriticJob): Promise<readonly TriedTool[]> {
  const { checks, complexity } = job.settings.debt;
  if (checks.quality !== undefined) return [];
  const tried: TriedTool[] = [];
  for (const { name, version, isLinter, measure } of findQualityTools(job.project, complexity)) {
    if (isLinter) continue;
    const scratch = makeScratch('try');
    try {
      const { outcome, problem } = (await measure(job, scratch)).measure;
      const isBroken = outcome === 'error' || outcome === 'timeout';
      tried.push({ check: 'quality', name, version, outcome: isBroken ? 'broken' : 'works', problem: isBroken ? problem : null });
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  return tried;
}

/** A runner that lists its test files works; none of them is run. */
async function tryTests(job: CriticJob): Promise<readonly TriedTool[]> {
  if (job.settings.tests === 'none') return [];
  const found = await findTests(job);
  try {
    const runners = found.places.map(({ place, ready, absent, files }): TriedTool => {
      const runner = place.runner === 'node' ? 'node:test' : place.runner;
      const name = place.path === '' ? runner : `${runner} in ${place.path}`;
      const problem = ready === null ? absent : files.length === 0 ? `${name} lists no test files.` : null;
      return {
        check: 'tests',
        name,
        version: place.runner === 'node' ? null : (ready?.version ?? null),
        outcome: problem === null ? 'works' : 'broken',
        problem,
      };
    });
    const unknown = found.unmeasured.map(({ runner, problem }): TriedTool => ({
      check: 'tests',
      name: runner,
      version: null,
      outcome: 'unsupported',
      problem,
    }));
    return [...runners, ...unknown];
  } finally {
    removeScratch(found);
  }
}

/** For people: one line for those that work, one for each that does not. */
export function toolLines(loop: string, tried: readonly TriedTool[], settings: CriticJob['settings']): readonly string[] {
  const named = ({ name, version }: TriedTool) => (version === null ? name : `${name} ${version}`);
  const working = tried.filter(({ outcome }) => outcome === 'works').map(named);
  const broken = tried.filter(({ outcome }) => outcome === 'broken');
  const noTests = settings.tests !== 'none' && CHECKS[loop]?.includes('tests') === true && !tried.some(({ check }) => check === 'tests');
  return [
    ...(working.length === 0 ? [] : [`Tools of the critic: ${working.join(', ')}.`]),
    ...tried.flatMap(({ outcome, problem }) => (outcome === 'unsupported' && problem !== null ? [problem] : [])),
    ...broken.map((tool) => `${named(tool)} is broken and measures nothing: ${tool.problem ?? 'it failed.'}`),
    ...(noTests ? ['No test runner found, so no test is measured. If the project has no tests, set critics.tests: none.'] : []),
  ];
}
