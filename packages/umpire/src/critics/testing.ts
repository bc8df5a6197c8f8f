// The critic of the testing loop: runs the tests of a layer with coverage and writes results/run-{layer}.json and
// results/output-{layer}.txt. Finding and running the runners is left to the testing-* files beside this one.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { worstOutcome } from '@umpire/core/formats/check-outcome.js';
import { openFolder, placeFor } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import { leave, unmeasured } from './critic.js';
import type { Critic, CriticEnd, CriticJob } from './critic.js';
import { provenanceOf, whatIsJudged } from './provenance.js';
import type { JudgedState } from './provenance.js';
import { evidenceOf } from './testing-evidence.js';
import type { RunEvidence } from './testing-evidence.js';
import { isLayerName, layersOf, layerTest } from './testing-layers.js';
import { notRun, runTests } from './testing-run.js';
import { removeScratch, surveyTests } from './testing-survey.js';
import type { Survey } from './testing-survey.js';

/** The layer of the critic's row; without a row, every layer that has a test. */
export const testingCritic: Critic = async (job) => {
  const folder = openFolder(job.session);
  const named = (job.row['layer'] ?? '').trim();
  if (named !== '' && !isLayerName(named)) return refused(named);
  if (named !== '') removeOld(folder, named);
  const started = job.now();
  const judged = await whatIsJudged(job);
  job.say('looking for the test runner and its tests');
  const survey = await surveyTests(job);
  try {
    const layerOf = layerTest(job.settings.testing);
    const layers =
      named === ''
        ? layersOf([...survey.places.flatMap((place) => place.files), ...survey.unmeasured.map(({ likely }) => likely)], layerOf)
        : [named];
    if (layers.length === 0) return unmeasured('missing', survey.places.length === 0 ? NO_RUNNER : NO_TESTS);
    const written: RunEvidence[] = [];
    for (const layer of layers) {
      removeOld(folder, layer);
      written.push(await runLayer(job, survey, { layer, layerOf, judged, started }));
    }
    return survey.places.length === 0 ? { ...endOf(written), unable: true } : endOf(written);
  } finally {
    removeScratch(survey);
  }
};

/** What an earlier run left is no evidence of this one, however this one ends. */
function removeOld(folder: SessionFolder, layer: string): void {
  for (const path of [resultPath(layer), outputPath(layer)]) rmSync(placeFor(folder, path), { force: true });
}

function resultPath(layer: string): string {
  return `results/run-${layer}.json`;
}

function outputPath(layer: string): string {
  return `results/output-${layer}.txt`;
}

interface LayerJob {
  readonly layer: string;
  readonly layerOf: (path: string) => string | null;
  readonly judged: JudgedState;
  readonly started: Date;
}

async function runLayer(job: CriticJob, survey: Survey, { layer, layerOf, judged, started }: LayerJob): Promise<RunEvidence> {
  const output = join(survey.scratch, `output-${layer}.txt`);
  const count = survey.places.flatMap((place) => place.files.filter((file) => layerOf(file) === layer)).length;
  job.say(`running ${count} test ${count === 1 ? 'file' : 'files'} of ${layer}`);
  const measured = await runTests(job, survey, (path) => layerOf(path) === layer, { output });
  const runs = [...measured, ...survey.unmeasured.filter(({ likely }) => layerOf(likely) === layer).map(notRun)];
  const after = await whatIsJudged(job);
  const cause = survey.places.length + survey.unmeasured.length === 0 ? NO_RUNNER : null;
  const notes = [
    ...(cause === null ? [] : [cause]),
    ...survey.notes,
    ...survey.unmeasured.filter(({ likely }) => layerOf(likely) !== layer).map(({ problem }) => problem),
    ...(after.content === judged.content && after.commit === judged.commit ? [] : ['Files of the project changed while the tests ran.']),
  ];
  const uses = [...survey.uses, ...runs.flatMap((run) => run.uses)];
  const isInterrupted = job.watch.signal.aborted;
  const evidence = evidenceOf({ layer, runs, notes, cause, isInterrupted }, provenanceOf(job, judged, started, uses));
  leave(job, resultPath(layer), `${JSON.stringify(evidence, null, 2)}\n`);
  leave(job, outputPath(layer), existsSync(output) ? readFileSync(output) : `${evidence.problem ?? 'Nothing was printed.'}\n`);
  return evidence;
}

const NO_TESTS = 'The test runner knows of no test file, so there is nothing to run.';

export const NO_RUNNER =
  'No test runner was found: Vitest, Jest, Mocha, node:test and pytest are looked for in scripts, configuration and dependencies. Name one with critics.testing.runner.';

function endOf(written: readonly RunEvidence[]): CriticEnd {
  const [only] = written.length === 1 ? written : [];
  return {
    outcome: worstOutcome(written.map((each) => each.outcome)),
    summary: written.map(sentence).join(' ').slice(0, 500),
    outputs:
      only === undefined
        ? {}
        : {
            pass_rate: only.pass_rate === null ? '' : String(only.pass_rate),
            coverage_achieved: only.coverage === null ? '' : String(only.coverage),
            test_files: only.test_files.slice(0, 50).join(';'),
          },
    files: written.flatMap(({ layer }) => [resultPath(layer), outputPath(layer)]),
    notes: [...new Set(written.flatMap((each) => each.notes))],
  };
}

function sentence(evidence: RunEvidence): string {
  const { layer, problem, passed, total, skipped, coverage, coverage_problem: blind, failures } = evidence;
  if (problem !== undefined) return `${layer}: ${problem}`;
  const left = (skipped ?? 0) === 0 ? '' : `, ${skipped} skipped`;
  const covered =
    coverage === null
      ? `coverage was not measured${blind === undefined ? '' : ` (${blind.replace(/\.$/, '')})`}`
      : `coverage is ${coverage}%`;
  const names = failures.slice(0, 3).map(({ name }) => name);
  const failing = names.length === 0 ? '' : ` Failing: ${names.join('; ')}${failures.length > names.length ? '; …' : ''}.`;
  return `${layer}: ${passed} of ${total} ${total === 1 ? 'test passes' : 'tests pass'}${left}; ${covered}.${failing}${openLines(evidence)}`;
}

const MOST_NAMED = 3;

/** Whoever writes the next tests begins here; all of it is in the run's file. */
function openLines({ uncovered }: RunEvidence): string {
  if (uncovered.length === 0) return '';
  const places = uncovered.slice(0, MOST_NAMED).map(({ file, lines }) => {
    const ranges = rangesOf(lines);
    return `${file}:${ranges.slice(0, MOST_NAMED).join(',')}${ranges.length > MOST_NAMED ? ',…' : ''}`;
  });
  return ` Not covered: ${places.join(' ')}${uncovered.length > MOST_NAMED ? ' …' : '.'}`;
}

/** `3-5` for three lines in a row. */
function rangesOf(lines: readonly number[]): readonly string[] {
  const starts = lines.filter((line) => !lines.includes(line - 1));
  const ends = lines.filter((line) => !lines.includes(line + 1));
  return starts.map((start, index) => (start === ends[index] ? `${start}` : `${start}-${ends[index] ?? start}`));
}

function refused(layer: string): CriticEnd {
  const summary = `The layer ${JSON.stringify(layer.slice(0, 60))} cannot be run: a layer's name has letters, digits, dashes and underscores, as L1.`;
  return { outcome: 'error', summary, outputs: {}, files: [], notes: [summary] };
}
