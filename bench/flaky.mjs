// How often flaky tests blame a change that breaks nothing, and what the reruns cost: the trial of regression-trial.ts and one rerun alone, in a
// model of real suites. fixtures/flaky-suites.json has, for 23 Java projects, how often each of their 811 flaky tests failed in 10,000 reruns, as
// FlakeFlagger (ICSE 2021) published it, as [share, tests]. Tests of one project with the same share have one cause and fail together.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { atMost, importSources, line, ROOT, seededRandom } from './harness.mjs';

const MEASUREMENTS = 2000;
const NONE = { measurements: 0, touched: 0, once: 0, blamed: 0, unverified: 0, files: 0, all: 0 };

export async function run() {
  const { trySuspects } = await importSources({ 'packages/core/src/formats/regression-trial.ts': ['trySuspects'] });
  const suites = Object.values(JSON.parse(readFileSync(join(ROOT, 'fixtures', 'flaky-suites.json'), 'utf8')));
  const together = await model(trySuspects, suites);
  const each = await model(
    trySuspects,
    suites.map((causes) => causes.flatMap(([share, tests]) => Array.from({ length: tests }, () => [share, 1]))),
  );
  return [...linesOf('tests of one cause fail together', together, atMost(MOST_BLAMED)), ...linesOf('each test fails by itself', each)];
}

async function model(trySuspects, suites) {
  const sum = { ...NONE };
  const random = seededRandom(8);
  for (const causes of suites) {
    for (let count = 0; count < MEASUREMENTS; count += 1) await measure(causes, { trySuspects, random, sum });
  }
  return sum;
}

/** Percent. One rerun alone blames 12. */
const MOST_BLAMED = 2;

function linesOf(how, sum, bar = null) {
  const share = (key) => (100 * sum[key]) / sum.measurements;
  const perTouched = (key) => (sum[key] / sum.touched).toFixed(1);
  return [
    line({
      name: `${how} : blamed falsely with one rerun alone`,
      ours: `${share('blamed').toFixed(2)} %`,
      theirs: `${share('once').toFixed(2)} %`,
      ratio: share('blamed'),
      bar,
    }),
    line({ name: `${how} : approved as unverified`, ours: `${share('unverified').toFixed(2)} %` }),
    line({ name: `${how} : measurements where a test failed`, ours: `${share('touched').toFixed(2)} %` }),
    line({ name: `${how} : there, runs of files alone and whole runs`, ours: `${perTouched('files')} and ${perTouched('all')}` }),
  ];
}

/** A change that breaks nothing: what fails, fails by chance. */
async function measure(causes, { trySuspects, random, sum }) {
  const draw = () => causes.map(([p]) => random() < p);
  const [base, alone, whole, now] = [draw(), draw(), draw(), draw()];
  const failing = causes.flatMap((_, at) => (now[at] && !(base[at] && alone[at] && whole[at]) ? [at] : []));
  sum.measurements += 1;
  if (failing.length === 0) return;
  sum.touched += 1;
  const suspects = failing.map((at) => ({ id: String(at), file: `${at}`, atBase: base[at] ? 'unsteady' : 'passed' }));
  const rerun = draw();
  if (failing.some((at) => rerun[at])) sum.once += 1;
  const settled = await trySuspects(
    suspects,
    async ({ scope }) => {
      sum[scope] += 1;
      return new Map(draw().map((failed, at) => [String(at), failed ? 'failed' : 'passed']));
    },
    (id) => (base[Number(id)] ? null : { id, file: id, atBase: 'passed' }),
  );
  if (settled.some(({ result }) => result === 'fails' || result === 'in-order')) sum.blamed += 1;
  else if (settled.some(({ result }) => result === 'unstable')) sum.unverified += 1;
}
