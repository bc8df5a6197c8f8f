// Tries every tool that a critic will use, once and on little, so that a broken one is known before the first round.

import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { makeScratch } from '../sessions/session-folder.js';
import { findTests, removeScratch } from '../runners/find-tests.js';
import { findFiles } from '../runners/project-files.js';
import type { ToolKind } from './check-tools.js';
import type { CriticJob } from './critic.js';
import { findToolPlaces } from './debt-measure.js';
import { runCheckTool } from './run-check-tool.js';

export interface TriedTool {
  readonly check: ToolKind | 'tests';
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
  for (const check of CHECKS[loop] ?? []) tried.push(...(check === 'tests' ? await tryTests(job) : await tryCheckTools(job, check)));
  return tried;
}

async function tryCheckTools(job: CriticJob, check: ToolKind): Promise<readonly TriedTool[]> {
  const { [check]: command, complexity } = job.settings.debt;
  // A command of the settings is tried by the baseline.
  if (command !== undefined) return [];
  const tried: TriedTool[] = [];
  for (const { path, tool } of findToolPlaces(job.project, check, complexity)) {
    // Complexity is measured by a linter, which is tried as such.
    if (tool.program !== undefined) continue;
    const scratch = makeScratch('try');
    try {
      const project = join(job.project, path);
      const file = findFiles(project, ['**/*']).find((name) => tool.takes(name) && !/(?:^|\/)[.-]/.test(name));
      const { outcome, problem } = await runCheckTool({ ...job, project }, tool, scratch, file === undefined ? [] : [file]);
      const isBroken = outcome === 'error' || outcome === 'timeout';
      const found = { check, name: path === '' ? tool.name : `${tool.name} in ${path}`, version: tool.version };
      tried.push({ ...found, outcome: isBroken ? 'broken' : 'works', problem: isBroken ? problem : null });
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
