// The critic of the debt loop: compares tests, types, lint and quality of the project with a baseline commit. core/formats compares the
// two states; docs/pay-down-debt.md states the rules and the score.

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isUmpireError } from '@umpire/core/errors.js';
import { isChanged } from '@umpire/core/formats/changed-lines.js';
import { worstMeasured } from '@umpire/core/formats/check-outcome.js';
import { compareStates, differTests } from '@umpire/core/formats/debt-comparison.js';
import type { CheckResult, FileMoves } from '@umpire/core/formats/debt-comparison.js';
import { isBrokenMeasurement, isFailing, isMeasured } from '@umpire/core/formats/debt-measurement.js';
import type { CheckName, DebtMeasurement } from '@umpire/core/formats/debt-measurement.js';
import { buildDebtReport, summarizeDebt, countDebtItems } from '@umpire/core/formats/debt-report.js';
import { baselineHome, baselineKey, keepBaseline, readBaseline } from './baseline.js';
import type { Baseline } from './baseline.js';
import { findChange } from './change.js';
import type { CriticChange } from './change.js';
import { leave, unmeasured } from './critic.js';
import type { Critic, CriticEnd, CriticJob } from './critic.js';
import { copyCommit, filesAt, filesChanged, filesNow, findRepository } from './commit-copy.js';
import type { ProjectRepository } from './commit-copy.js';
import { measureState, STATUS_RULE } from './debt-measure.js';
import type { MeasuredState } from './debt-measure.js';
import { absenceNotes } from './lint-tools.js';
import { provenanceOf, readJudgedContent } from './provenance.js';
import type { ToolUse } from './provenance.js';
import { timeLeft } from './tool.js';

export const VALIDATION_REPORT = 'validation/validation-report.json';
export const BASELINE_COPY = 'validation/baseline.json';

export const debtCritic: Critic = async (job) => {
  const started = job.now();
  // All tools of both states share the job's time.
  timeLeft(job);
  const change = findChange(job.project, job.base);
  const repository = change === null ? null : findRepository(job.project);
  if (change === null || repository === null) return unmeasured('missing', noBaseline(job.base));
  let pinned: PinnedBaseline;
  try {
    pinned = await baselineFor(job, repository, change.base);
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return unmeasured('error', `The baseline ${change.base.slice(0, 10)} could not be checked out: ${error.message}`);
  }
  if (job.watch.signal.aborted) return unmeasured('error', 'The measurement was stopped.');
  const judged = await readJudgedContent(job);
  job.say('measuring the project as it is now');
  const measured = await measureState(job, filesNow(job.project));
  try {
    const moves = movesOf(job.project, change, filesAt(job.project, change.base));
    const settled = await settleTests(measured, pinned.baseline.state, moves);
    if (job.watch.signal.aborted) return unmeasured('error', 'The measurement was stopped.');
    return leaveReport(job, change.base, pinned, settled.state, moves, provenanceOf(job, judged, started, settled.uses));
  } finally {
    measured.suite.close();
  }
};

function noBaseline(base: string | null): string {
  if (base !== null) return `No baseline: ${base.slice(0, 80)} is not a commit of this repository.`;
  return 'No baseline: this is not a git repository, or it has no earlier commit. Name a commit with --base.';
}

interface PinnedBaseline {
  readonly baseline: Baseline;
  readonly notes: readonly string[];
}

async function baselineFor(job: CriticJob, repository: ProjectRepository, commit: string): Promise<PinnedBaseline> {
  // In a run every session has a repository of its own; what was measured holds for all sessions of the project.
  const shared = job.origin === undefined ? null : findRepository(job.origin);
  const home = baselineHome((shared ?? repository).common);
  const key = baselineKey(job, commit, repository.prefix);
  const known = readBaseline(home, key, commit);
  if (known !== null) {
    job.say(`using the stored baseline ${commit.slice(0, 10)}`);
    return { baseline: known, notes: [] };
  }
  job.say(`measuring the baseline ${commit.slice(0, 10)}`);
  const started = job.now();
  const copy = await copyCommit(repository, commit);
  try {
    const own: CriticJob = { ...job, project: copy.project, timeoutMs: timeLeft(job) };
    const measured = await measureState(own, filesAt(job.project, commit));
    try {
      const again = await measured.suite.passingAgain(measured.state.tests.results.filter(isFailing));
      const state = withFlaky(measured.state, again.ids);
      const provenance = provenanceOf(job, { commit, content: null }, started, [...measured.uses, ...again.uses]);
      const baseline = { commit, state: slim(state), provenance };
      // What broke may not break next time: it is not pinned.
      const problem = isBrokenMeasurement(state) || job.watch.signal.aborted ? null : keepBaseline(home, key, baseline);
      return { baseline, notes: problem === null ? [] : [problem] };
    } finally {
      measured.suite.close();
    }
  } finally {
    copy.remove();
  }
}

/** What tests of the baseline said when they failed is of no use later. */
function slim(state: DebtMeasurement): DebtMeasurement {
  return { ...state, tests: { ...state.tests, results: state.tests.results.map((test) => ({ ...test, message: null, line: null })) } };
}

function withFlaky(state: DebtMeasurement, flaky: readonly string[]): DebtMeasurement {
  return { ...state, tests: { ...state.tests, flaky } };
}

/** Tests that changed their mind are run again: one that passes once is flaky, and no regression. */
async function settleTests({ state, suite, uses }: MeasuredState, before: DebtMeasurement, moves: FileMoves) {
  const isComparable = isMeasured(state.tests.outcome) && before.tests.outcome !== 'error' && before.tests.outcome !== 'timeout';
  const { worse } = isComparable ? differTests(before.tests, state.tests, moves) : { worse: [] };
  const again = await suite.passingAgain(worse.filter(({ change }) => change !== 'skipped'));
  const all: readonly ToolUse[] = [...uses, ...again.uses];
  return { state: withFlaky(state, again.ids), uses: all };
}

function movesOf(project: string, { lines }: CriticChange, base: readonly string[]): FileMoves {
  const then = new Set(base);
  return {
    isGone: (path) => then.has(path) && !existsSync(join(project, path)),
    isNew: (path) => !then.has(path),
    isChanged: (path, line, endLine) => isChanged(lines, path, line, endLine),
  };
}

/** What tells tools what to look for: where it changed, findings may come and go without a change of the code. */
const SETTINGS =
  /^(?:eslint\.config\..*|\.eslintrc.*|\.oxlintrc\.json|oxlint\.config\..*|biome\.jsonc?|tsconfig.*\.json|\.?knip\..*|\.jscpd\.json|(?:vite|vitest|jest)\.config\..*|vitest\.workspace\..*|\.mocharc\..*|pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc(?:\.toml)?|\.?mypy\.ini|pyrightconfig\.json|\.?bandit(?:\.ya?ml)?)$/;

function leaveReport(
  job: CriticJob,
  base: string,
  { baseline, notes }: PinnedBaseline,
  after: DebtMeasurement,
  moves: FileMoves,
  provenance: ReturnType<typeof provenanceOf>,
): CriticEnd {
  const comparison = compareStates(baseline.state, after, moves);
  const outcome = worstMeasured(comparison.checks.map((check) => check.outcome));
  const problems = comparison.checks.flatMap((check) => check.problems);
  if (outcome === 'missing') return { ...unmeasured('missing', NOTHING_TO_MEASURE), notes: [NOTHING_TO_MEASURE, ...problems] };
  const changedSettings = filesChanged(job.project, base)
    .filter((path) => SETTINGS.test(basename(path)))
    .toSorted();
  const report = buildDebtReport({ before: baseline.state, after, comparison, base, changedSettings, provenance });
  leave(job, BASELINE_COPY, `${JSON.stringify(baseline, null, 2)}\n`);
  leave(job, VALIDATION_REPORT, `${JSON.stringify(report, null, 2)}\n`);
  const lacking = comparison.checks.filter((check) => check.outcome === 'missing');
  const why = Object.fromEntries(lacking.map((check) => [check.name, whyMissing(check, job.settings.debt.checks)]));
  const told = new Set(Object.values(why));
  const absent = lacking.map(({ name }) => `The ${name} check was not measured: ${why[name]}`);
  const causes = [...problems.filter((one) => !told.has(one)), ...absent];
  const settings = changedSettings.length === 0 ? [] : [`Tool settings differ from the baseline: ${changedSettings.join(', ')}.`];
  return {
    outcome,
    summary: summarizeDebt(report, why),
    outputs: { debt_items_count: String(countDebtItems(after)), artifacts_produced: VALIDATION_REPORT },
    files: [VALIDATION_REPORT, BASELINE_COPY],
    notes: [...notes, ...causes, ...statusNotes(baseline.state, after), ...absenceNotes(job.project), ...settings],
  };
}

/** Commands that fail in both states and say nothing that can be read: what they find now may be old or new. */
function statusNotes(before: DebtMeasurement, after: DebtMeasurement): readonly string[] {
  const speechless = ({ types, lint, quality }: DebtMeasurement) =>
    [...types, ...lint, ...quality]
      .filter(({ findings }) => findings.length > 0 && findings.every(({ rule }) => rule === STATUS_RULE))
      .map(({ tool }) => tool);
  const earlier = new Set(speechless(before));
  return speechless(after)
    .filter((tool) => earlier.has(tool))
    .map((tool) => `${tool} fails as it did at the baseline and prints no known report, so its findings are not compared.`);
}

export const NO_TOOL: Readonly<Record<CheckName, string>> = {
  tests: 'there are no runnable tests.',
  types: 'no type checker is configured (TypeScript with a tsconfig.json, or mypy or Pyright with settings).',
  lint: 'no linter is configured and installed.',
  quality: 'no linter, jscpd or knip is configured.',
};

/** What the settings or the tools say; else that nobody could look. */
function whyMissing({ name, problems }: CheckResult, asked: CriticJob['settings']['debt']['checks']): string {
  if (name !== 'tests' && asked[name] === false) return 'the settings turn it off.';
  return problems[0] ?? NO_TOOL[name];
}

const NOTHING_TO_MEASURE =
  'Nothing could be measured: the project has no runnable tests and no configured type checker, linter or quality tool.';
