// Tries every tool that a critic will use, once and on little, so that a broken one is known before the first round.

import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { makeScratch } from '../sessions/session-folder.js';
import { findTests, guessTests, removeScratch } from '../runners/find-tests.js';
import { runsTests } from '../runners/package-scripts.js';
import { findFiles } from '../runners/project-files.js';
import { describeUnrun, findUnrunTests, suggestTestCommand } from '../runners/unrun-tests.js';
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
      const runner = place.runner === 'node' ? 'node:test' : (ready?.label ?? place.runner);
      const name = place.path === '' ? runner : `${runner} in ${place.path}`;
      const isEmpty = files.length === 0 && place.runner !== 'command';
      const problem = ready === null ? absent : isEmpty ? `${name} lists no test files.` : null;
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

/** For people: one line for those that work, one for each that does not. `command`: of the person, which `until` runs. */
export function toolLines(
  loop: string,
  tried: readonly TriedTool[],
  { project, settings }: Pick<CriticJob, 'project' | 'settings'>,
  command: string | null = null,
): readonly string[] {
  const named = ({ name, version }: TriedTool) => (version === null ? name : `${name} ${version}`);
  const working = tried.filter(({ outcome }) => outcome === 'works').map(named);
  const broken = tried.filter(({ outcome }) => outcome === 'broken');
  // Tests that nothing else runs are perhaps those of the person's own command.
  const isCommand = command !== null && runsTests(command);
  const hasTests = settings.tests !== 'none' && CHECKS[loop]?.includes('tests') === true && !isCommand;
  return [
    ...(working.length === 0 ? [] : [`Checks found: ${working.join(', ')}.`]),
    ...tried.flatMap(({ outcome, problem }) => (outcome === 'unsupported' && problem !== null ? [problem] : [])),
    ...broken.map((tool) => `${named(tool)} is broken and measures nothing: ${tool.problem ?? 'it failed.'}`),
    ...(hasTests
      ? testGaps(
          project,
          settings,
          tried.some(({ check }) => check === 'tests'),
        )
      : []),
  ];
}

/** Tests that no runner runs, and the case that there are none. */
function testGaps(project: string, settings: CriticJob['settings'], isTried: boolean): readonly string[] {
  const places = guessTests(project, settings);
  const unrun = findUnrunTests(project, places);
  const advice = `Name the command that runs them, and its report: critics.tests: ${suggestTestCommand(project)}.`;
  if (unrun.length > 0) return unrun.map((each) => `Not measured: ${describeUnrun(each)}. ${advice}`);
  if (isTried || places.length > 0) return [];
  return [`No tests found, so no test is measured. ${advice} If there are none, set critics.tests: none.`];
}
