// All tests of a project, of every layer and package, run as one suite; and those that changed their mind, run again. Which runner
// is called how is the testing critic's knowledge.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isFailing, isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { MeasuredTest, TestsMeasurement } from '@umpire/core/formats/debt-measurement.js';
import { worstMeasured } from '@umpire/core/formats/check-outcome.js';
import type { CriticJob } from './critic.js';
import type { ToolUse } from './provenance.js';
import type { TestPlace } from './test-runner.js';
import { runTests } from './testing-run.js';
import type { PlaceRun } from './testing-run.js';
import { removeScratch, surveyTests } from './testing-survey.js';
import type { Survey, SurveyedPlace } from './testing-survey.js';

export interface Suite {
  readonly measure: TestsMeasurement;
  readonly uses: readonly ToolUse[];
  /** Runs the files of these tests again, at most so often as the settings say. Ids of those that passed at least once. */
  readonly passingAgain: (
    tests: readonly MeasuredTest[],
  ) => Promise<{ readonly ids: readonly string[]; readonly uses: readonly ToolUse[] }>;
  readonly close: () => void;
}

/** Whoever opens it closes it. */
export async function openSuite(job: CriticJob): Promise<Suite> {
  const survey = await surveyTests(job);
  const suite = { ...survey, places: survey.places.map((place) => withoutCoverage(place, job.project)) };
  try {
    const runs = await runTests(job, suite, () => true, { output: null });
    return {
      measure: measureOf(runs, job.project, [...survey.notes, ...survey.unmeasured.map(({ problem }) => problem)]),
      uses: [...survey.uses, ...runs.flatMap(({ uses }) => uses)],
      passingAgain: (tests) => runAgain(job, suite, tests),
      close: () => removeScratch(survey),
    };
  } catch (error) {
    removeScratch(survey);
    throw error;
  }
}

/** Coverage is no part of debt: where it cannot be read the tests still count. */
function withoutCoverage(surveyed: SurveyedPlace, project: string): SurveyedPlace {
  const { ready, place } = surveyed;
  if (ready === null) return surveyed;
  const call: typeof ready.call = (selection, scratch) => {
    const made = ready.call(selection, scratch);
    return { ...made, env: { ...made.env, ...ownSources(place, project) }, coverage: null };
  };
  return { ...surveyed, ready: { ...ready, call } };
}

/** An environment may have the project installed as a link to another checkout: the sources at hand come first. */
function ownSources({ runner, folder }: TestPlace, project: string): Readonly<Record<string, string>> {
  if (runner !== 'pytest') return {};
  const folders = [join(folder, 'src'), folder, join(project, 'src'), project].filter((path) => existsSync(path));
  const given = process.env['PYTHONPATH'] ?? '';
  return { PYTHONPATH: [...new Set(folders), ...(given === '' ? [] : [given])].join(delimiter) };
}

function measureOf(runs: readonly PlaceRun[], project: string, notes: readonly string[]): TestsMeasurement {
  const outcome = worstMeasured(runs.map((run) => run.outcome));
  const told = runs.filter(({ problem }) => problem !== null).map(({ path, problem }) => `${path === '' ? '' : `${path}: `}${problem}`);
  if (!isMeasured(outcome)) {
    const problem = runs.length === 0 ? 'No tests were found that can be run.' : told.join(' ');
    return { outcome, problem, results: [], flaky: [], notes };
  }
  const results = runs.flatMap((run) =>
    run.results.map(({ id, status, file, line, message }) => ({ id, status, file, line, message: plainly(message, project) })),
  );
  return { outcome, problem: null, results, flaky: [], notes: [...told, ...notes] };
}

/** What went wrong, as one line: without the stack, and without the place of this checkout. */
function plainly(text: string | null, project: string): string | null {
  if (text === null) return null;
  const lines = text
    .replaceAll(`${project}/`, '')
    .split('\n')
    .map((line) => line.trim());
  return lines.filter((line) => line !== '' && line !== 'at' && !line.startsWith('at ')).join(' ');
}

async function runAgain(job: CriticJob, survey: Survey, tests: readonly MeasuredTest[]) {
  const pending = new Map(tests.map((test) => [test.id, test]));
  const passed: string[] = [];
  const uses: ToolUse[] = [];
  for (let round = 1; round <= job.settings.debt.reruns && pending.size > 0 && !job.watch.signal.aborted; round += 1) {
    job.say(`${pending.size} ${pending.size === 1 ? 'test is' : 'tests are'} run again (${round} of ${job.settings.debt.reruns})`);
    const files = new Set([...pending.values()].map(({ file }) => file));
    const runs = await runTests(job, survey, (path) => files.has(null) || files.has(path), { output: null });
    uses.push(...runs.flatMap((run) => run.uses));
    for (const result of runs.flatMap((run) => run.results)) {
      if (isFailing(result) || result.status === 'skipped' || !pending.delete(result.id)) continue;
      passed.push(result.id);
    }
    if (runs.length === 0) break;
  }
  return { ids: passed, uses };
}
