// Writes validation-report.json for the debt critic, with the debt score and a summary sentence. validation-report.ts reads it back.

import { worstMeasured } from './check-outcome.js';
import type { CheckResult, DebtComparison, DebtItem } from './debt-comparison.js';
import { isFailing, isMeasured } from './debt-measurement.js';
import type { CheckName, DebtMeasurement, TestsMeasurement, ToolMeasurement } from './debt-measurement.js';
import type { CheckOutcome, Finding, Severity } from '../model/vocabulary.js';
import type { Provenance } from './provenance.js';
import type { UnverifiedCheck } from './unverified-checks.js';

/** Lists stop here. The counts include everything. */
const MOST_ITEMS = 1000;

export interface FlakyTest {
  readonly id: string;
  readonly file: string | null;
  /** The state in which the test failed and passed. */
  readonly in: 'baseline' | 'now';
}

interface DebtFindings {
  readonly before: DebtMeasurement;
  readonly after: DebtMeasurement;
  readonly comparison: DebtComparison;
  readonly unverified: readonly UnverifiedCheck[];
  /** What failing tests said; empty where none failed. */
  readonly failing: string;
  readonly base: string;
  /** Tool configuration that differs from the baseline. */
  readonly changedSettings: readonly string[];
  readonly provenance: Provenance;
}

export interface DebtReport {
  readonly passed: boolean;
  readonly total_regressions: number;
  /** Tests that passed at the baseline and fail or are skipped now, by Umpire's own runs, and tests that the change weakened. */
  readonly regressions_measured: number;
  readonly checks: Readonly<Record<CheckName, DebtCheck>>;
  readonly debt_score_before: number;
  readonly debt_score_after: number;
  readonly formula: string;
  readonly regressions: readonly DebtItem[];
  readonly fixed: readonly DebtItem[];
  readonly flaky: readonly FlakyTest[];
  readonly unverified_checks: readonly UnverifiedCheck[];
  /** For the fix task: each test that regressed with its whole message, and the end of the output. */
  readonly failing_output?: string;
  readonly old_failures: readonly string[];
  /** Whether a check or a part of one was not measured. */
  readonly partial: boolean;
  readonly changed_settings: readonly string[];
  readonly base: string;
  readonly provenance: Provenance;
}

interface DebtCheck {
  readonly status: 'passed' | 'failed' | 'missing';
  /** The outcome compared with the baseline. */
  readonly measured: CheckOutcome;
  /** The number of regressions; absent if not measured. */
  readonly errors?: number;
  readonly problems?: readonly string[];
}

export function buildDebtReport(found: DebtFindings): DebtReport {
  const { before, after, comparison, unverified, failing, base, changedSettings, provenance } = found;
  const { checks, oldFailures, regressedTests } = comparison;
  const regressions = checks.flatMap((check) => check.regressions);
  const scores = computeDebtScores(before, after);
  const entries = checks.map((check) => [check.name, describeCheck(check)] as const);
  return {
    passed: isPassed(checks),
    total_regressions: regressions.length,
    regressions_measured: regressedTests.length,
    checks: Object.fromEntries(entries) as Readonly<Record<CheckName, DebtCheck>>,
    debt_score_before: scores.before,
    debt_score_after: scores.after,
    formula: DEBT_FORMULA,
    regressions: regressions.slice(0, MOST_ITEMS),
    fixed: checks.flatMap((check) => check.fixed).slice(0, MOST_ITEMS),
    flaky: flakyTests(before.tests, after.tests).slice(0, MOST_ITEMS),
    unverified_checks: unverified,
    ...(failing === '' ? {} : { failing_output: failing }),
    old_failures: oldFailures.slice(0, MOST_ITEMS),
    partial: checks.some(({ isPartial }) => isPartial),
    changed_settings: changedSettings,
    base,
    provenance,
  };
}

/** Nothing regressed and something was measured. */
function isPassed(checks: readonly CheckResult[]): boolean {
  return worstMeasured(checks.map(({ outcome }) => outcome)) === 'pass' && checks.every(({ regressions }) => regressions.length === 0);
}

function describeCheck({ outcome, regressions, problems }: CheckResult): DebtCheck {
  return {
    status: outcome === 'pass' ? 'passed' : outcome === 'missing' ? 'missing' : 'failed',
    measured: outcome,
    ...(outcome === 'pass' || outcome === 'fail' ? { errors: regressions.length } : {}),
    ...(problems.length === 0 ? {} : { problems }),
  };
}

export function flakyTests(before: TestsMeasurement, after: TestsMeasurement): readonly FlakyTest[] {
  const states = [['baseline', before] as const, ['now', after] as const];
  return states.flatMap(([state, { flaky, results }]) => {
    const files = new Map(results.map(({ id, file }) => [id, file]));
    return flaky.map((id) => ({ id, file: files.get(id) ?? null, in: state }));
  });
}

/** Why checks were not measured, by name. */
type WhyMissing = Partial<Readonly<Record<string, string>>>;

/** At most 500 characters. */
export function summarizeDebt(
  { total_regressions: total, regressions, fixed, checks, partial, flaky, ...report }: DebtReport,
  why: WhyMissing = {},
): string {
  const scores = `debt score ${report.debt_score_before} before, ${report.debt_score_after} after`;
  const many = total === 1 ? '1 regression' : `${total === 0 ? 'no' : total} regressions`;
  const head = `Against ${report.base.slice(0, 10)}: ${many}, ${fixed.length} fixed; ${scores}.`;
  const lacking = Object.entries(checks).flatMap(([name, { status }]) => (status === 'missing' ? [missingWords(name, why[name])] : []));
  const without = partial && lacking.length > 0 ? ` Not measured: ${lacking.join(', ')}.` : '';
  const unsteady = flaky.length === 0 ? '' : ` Flaky: ${flaky.length}.`;
  const [setting, ...others] = report.changed_settings;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const settings = setting === undefined ? '' : ` Tool settings changed: ${setting}${more}.`;
  const [first] = regressions;
  const place = first === undefined || first.file === null ? '' : ` (${first.file}${first.line === null ? '' : `:${first.line}`})`;
  const worst = first === undefined ? '' : ` First: ${first.message.replace(/\.$/, '')}${place}.`;
  return `${head}${without}${unsteady}${settings}${worst}`.slice(0, 500);
}

/** `types (no type checker is set up)`. */
function missingWords(name: string, why: string | undefined): string {
  return why === undefined ? name : `${name} (${why.replace(/\.$/, '')})`;
}

const DEBT_WEIGHTS: Readonly<Record<Severity, number>> = { critical: 10, high: 5, medium: 2, low: 1 };
const FAILING_TEST_WEIGHT = 10;
const UNIT_LINES = 1000;

export const DEBT_FORMULA =
  '(10 × failing tests + 10 × critical + 5 × high + 2 × medium + 1 × low findings of types, lint and quality) ' +
  '/ max(1, source lines of the baseline / 1000), over what was measured in both states; two decimals, 0 is no debt';

interface DebtScores {
  readonly before: number;
  readonly after: number;
}

/**
 * The debt score: points per 1,000 lines of source, 0 is no debt (docs/pay-down-debt.md). Both states are divided by the lines of the
 * baseline, so that removing or adding lines does not change the score. Tools measured in only one state do not count.
 */
export function computeDebtScores(before: DebtMeasurement, after: DebtMeasurement): DebtScores {
  const share = Math.max(1, before.lines / UNIT_LINES);
  const both = toolsOfBoth(before, after);
  const withTests = isMeasured(before.tests.outcome) && isMeasured(after.tests.outcome);
  const score = (state: DebtMeasurement): number => {
    const tools = collectFindings(state, (name) => both.has(name)).reduce((sum, { severity }) => sum + DEBT_WEIGHTS[severity], 0);
    const points = tools + (withTests ? failingTests(state) * FAILING_TEST_WEIGHT : 0);
    return Math.round((points / share) * 100) / 100;
  };
  return { before: score(before), after: score(after) };
}

/** The number of problems, unweighted. */
export function countDebtItems(state: DebtMeasurement): number {
  return failingTests(state) + collectFindings(state, () => true).length;
}

/** A problem reported by both lint and quality counts once. */
function collectFindings(state: DebtMeasurement, isWanted: (name: string) => boolean): readonly Finding[] {
  const linted = new Set(state.lint.flatMap(({ findings }) => findings).map(({ fingerprint }) => fingerprint));
  return toolsOf(state)
    .filter(([name]) => isWanted(name))
    .flatMap(([name, { findings }]) =>
      name.startsWith('quality ') ? findings.filter(({ fingerprint }) => !linted.has(fingerprint)) : findings,
    );
}

/** A flaky test passes, but not always. */
function failingTests({ tests }: DebtMeasurement): number {
  const flaky = new Set(tests.flaky);
  return new Set(tests.results.filter((test) => isFailing(test) && !flaky.has(test.id)).map(({ id }) => id)).size;
}

function toolsOfBoth(before: DebtMeasurement, after: DebtMeasurement): ReadonlySet<string> {
  const names = (state: DebtMeasurement) => toolsOf(state).flatMap(([name, { outcome }]) => (isMeasured(outcome) ? [name] : []));
  const earlier = new Set(names(before));
  return new Set(names(after).filter((name) => earlier.has(name)));
}

/** Two checks may use the same tool. */
function toolsOf({ types, lint, quality }: DebtMeasurement): readonly (readonly [string, ToolMeasurement])[] {
  return Object.entries({ types, lint, quality }).flatMap(([check, tools]) =>
    tools.map((tool) => [`${check} ${tool.tool}`, tool] as const),
  );
}
