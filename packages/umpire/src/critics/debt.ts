// The critic of the debt loop: compares tests, types, lint and quality of the project with a baseline commit. core/formats compares the
// two states; docs/pay-down-debt.md states the rules and the score.

import { basename } from 'node:path';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { worstMeasured } from '@umpire/core/formats/check-outcome.js';
import { addWeakenedTests, compareStates } from '@umpire/core/formats/debt-comparison.js';
import type { CheckResult, DebtComparison, WeakenedTest } from '@umpire/core/formats/debt-comparison.js';
import { isBrokenMeasurement, isFailing } from '@umpire/core/formats/debt-measurement.js';
import type { CheckName, DebtMeasurement } from '@umpire/core/formats/debt-measurement.js';
import { buildDebtReport, summarizeDebt, countDebtItems } from '@umpire/core/formats/debt-report.js';
import type { UnverifiedCheck } from '@umpire/core/formats/unverified-checks.js';
import type { GuardFinding } from '@umpire/guard/findings/finding.js';
import { openBase } from './baseline.js';
import type { OpenBase } from './baseline.js';
import { findChange } from './change.js';
import { leave, unmeasured } from './critic.js';
import type { Critic, CriticEnd, CriticJob } from './critic.js';
import { filesAt, filesChanged, filesNow, findProjectRepository } from './commit-copy.js';
import { measureTools } from './debt-measure.js';
import type { WeakenedTests } from './guard-change.js';
import { isToolSettings, noteAbsentTools } from './check-tools.js';
import { describeFailures, describeUnstable } from './failure-lines.js';
import { alignNames, locateTests, movesOf, openTests, settleTests, testsAtBase } from './project-tests.js';
import { provenanceOf, readJudgedContent } from './provenance.js';
import type { Provenance } from '@umpire/core/formats/provenance.js';
import { timeLeft } from '../runners/run-tool.js';

export const VALIDATION_REPORT = 'validation/validation-report.json';
export const BASELINE_COPY = 'validation/baseline.json';

export const debtCritic: Critic = async (job) => {
  const started = job.now();
  // All tools of both states share the job's time.
  timeLeft(job);
  const change = findChange(job.project, job.base);
  const repository = change === null ? null : findProjectRepository(job.project);
  if (change === null || repository === null) return unmeasured('missing', noBaseline(job.base));
  const open = openBase(job, repository, change.base);
  try {
    const measured = await measureBase(job, open);
    if (job.watch.signal.aborted) return unmeasured('error', 'The measurement was stopped.');
    const judged = await readJudgedContent(job);
    job.say('measuring the project as it is now');
    const tools = await measureTools(job, filesNow(job.project));
    // Last, because tests that hang use up the time.
    const tests = await openTests(job);
    try {
      const moves = movesOf(job.project, change.base, change.lines);
      const same = alignNames(measured.state.tests, tests.measure);
      const baseline = { ...measured, state: { ...measured.state, tests: same.before } };
      const settled = await settleTests({ job, open, scope: null }, same.before, { ...tests, measure: same.after }, moves);
      if (job.watch.signal.aborted) return unmeasured('error', 'The measurement was stopped.');
      const uses = [...tools.uses, ...tests.uses, ...settled.uses];
      // A quarantined test counts as little as a flaky one.
      const after = { ...tools.state, tests: { ...settled.state, flaky: [...settled.state.flaky, ...settled.quarantined] } };
      const notes = [...baseline.notes, ...settled.notes];
      const { breaches, problem, unverified: doubts } = await askGuard(job, change.base);
      const comparison = addWeakenedTests(compareStates(baseline.state, after, moves), breaches.map(weakenedTest), problem);
      const unverified = [...describeUnstable(settled.unstable), ...doubts];
      const regressed = new Set(
        comparison.checks.flatMap((check) => (check.name === 'tests' ? check.regressions.map(({ id }) => id) : [])),
      );
      const failed = locateTests(
        job.project,
        after.tests.results.filter((test) => isFailing(test) && regressed.has(test.id)),
      );
      const failing = describeFailures(failed, after.tests.output);
      return leaveReport(
        job,
        change.base,
        { ...baseline, notes, unverified, failing },
        after,
        comparison,
        provenanceOf(job, judged, started, uses),
      );
    } finally {
      tests.close();
    }
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return unmeasured('error', `The baseline ${change.base.slice(0, 10)} could not be checked out: ${error.message}`);
  } finally {
    await open.close();
  }
};

function noBaseline(base: string | null): string {
  if (base !== null) return `No baseline: ${base.slice(0, 80)} is not a commit of this repository.`;
  return 'No baseline: this is not a git repository, or it has no earlier commit. Name a commit with --base.';
}

interface ComparedBaseline extends PinnedBaseline {
  readonly unverified: readonly UnverifiedCheck[];
  readonly failing: string;
}

interface PinnedBaseline {
  readonly state: DebtMeasurement;
  readonly provenance: Provenance;
  readonly notes: readonly string[];
}

async function measureBase(job: CriticJob, open: OpenBase): Promise<PinnedBaseline> {
  const tools = await open.measured('tools', async (own) => {
    const { state, uses } = await measureTools(own, filesAt(job.project, open.commit));
    return { state, uses, isBroken: isBrokenMeasurement(state) };
  });
  const tests = await testsAtBase(open);
  const { provenance } = tools.baseline;
  return {
    state: { ...tools.baseline.state, tests: tests.state },
    provenance: { ...provenance, tools: [...provenance.tools, ...tests.uses] },
    notes: [...new Set([tools.note, tests.note])].filter((note) => note !== null),
  };
}

/** A test that was deleted, skipped or weakened cannot fail any more: the runner alone would not miss it. */
async function askGuard(job: CriticJob, base: string): Promise<WeakenedTests> {
  const { findWeakenedTests } = await import('./guard-change.js');
  return findWeakenedTests(job, 'debt', base);
}

function weakenedTest({ rule, file, line, message, test }: GuardFinding): WeakenedTest {
  const id = test === undefined ? file : `${file} > ${test}`;
  return { id, message: `${id}: ${message}`.slice(0, 500), file, line, rule };
}

/** Settings of test runners: where they or those of other tools changed, findings may come and go without a change of the code. */
const RUNNER_SETTINGS = /^(?:(?:vite|vitest|jest)\.config\..*|vitest\.workspace\..*|\.mocharc\..*|pytest\.ini)$/;
const ALL_KINDS = ['types', 'lint', 'quality'] as const;

function leaveReport(
  job: CriticJob,
  base: string,
  { notes, unverified, failing, ...baseline }: ComparedBaseline,
  after: DebtMeasurement,
  comparison: DebtComparison,
  provenance: ReturnType<typeof provenanceOf>,
): CriticEnd {
  const outcome = worstMeasured(comparison.checks.map((check) => check.outcome));
  const problems = comparison.checks.flatMap((check) => check.problems);
  // An agent's word does not replace tools that are there and broken.
  if (outcome === 'missing' && comparison.checks.some(({ isBrokenBefore }) => isBrokenBefore))
    return { ...unmeasured('error', `Nothing could be measured. ${problems.join(' ')}`), notes: problems };
  if (outcome === 'missing') return { ...unmeasured('missing', NOTHING_TO_MEASURE), notes: [NOTHING_TO_MEASURE, ...problems] };
  const changedSettings = filesChanged(job.project, base)
    .filter((path) => RUNNER_SETTINGS.test(basename(path)) || isToolSettings(path, ALL_KINDS))
    .toSorted();
  const report = buildDebtReport({ before: baseline.state, after, comparison, unverified, failing, base, changedSettings, provenance });
  leave(job, BASELINE_COPY, `${JSON.stringify({ commit: base, ...baseline }, null, 2)}\n`);
  leave(job, VALIDATION_REPORT, `${JSON.stringify(report, null, 2)}\n`);
  const lacking = comparison.checks.filter((check) => check.outcome === 'missing');
  const why = Object.fromEntries(lacking.map((check) => [check.name, whyMissing(check, job.settings.debt)]));
  const told = new Set(Object.values(why));
  const absent = lacking.map(({ name }) => `The ${name} check was not measured: ${why[name]}`);
  const causes = [...problems.filter((one) => !told.has(one)), ...absent];
  const settings = changedSettings.length === 0 ? [] : [`Tool settings differ from the baseline: ${changedSettings.join(', ')}.`];
  return {
    outcome,
    summary: summarizeDebt(report, why),
    outputs: { debt_items_count: String(countDebtItems(after)), artifacts_produced: VALIDATION_REPORT },
    files: [VALIDATION_REPORT, BASELINE_COPY],
    notes: [...notes, ...causes, ...noteAbsentTools(job.project), ...settings],
  };
}

export const NO_TOOL: Readonly<Record<CheckName, string>> = {
  tests: 'there are no runnable tests.',
  types: 'no type checker is configured (TypeScript with a tsconfig.json, or mypy or Pyright with settings).',
  lint: 'no linter is configured and installed.',
  quality: 'no linter, jscpd or knip is configured.',
};

/** What the settings or the tools say; else that nobody could look. */
function whyMissing({ name, problems }: CheckResult, asked: CriticJob['settings']['debt']): string {
  if (name !== 'tests' && asked[name] === false) return 'the settings turn it off.';
  return problems[0] ?? NO_TOOL[name];
}

const NOTHING_TO_MEASURE =
  'Nothing could be measured: the project has no runnable tests and no configured type checker, linter or quality tool.';
