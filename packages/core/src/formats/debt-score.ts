// The debt score: points for all that is wrong, per 1,000 lines of source. 0 is no debt. docs/evidence.md states it.

import type { Finding, Severity } from '../model.js';
import { isFailing, isMeasured, type Measurement, type ToolMeasure } from './debt-measurement.js';

export const DEBT_WEIGHTS: Readonly<Record<Severity, number>> = { critical: 10, high: 5, medium: 2, low: 1 };
export const FAILING_TEST_WEIGHT = 10;
const UNIT_LINES = 1000;

export const DEBT_FORMULA =
  '(10 × failing tests + 10 × critical + 5 × high + 2 × medium + 1 × low findings of types, lint and quality) ' +
  '/ max(1, source lines of the baseline / 1000), over what was measured in both states; two decimals, 0 is no debt';

export interface DebtScores {
  readonly before: number;
  readonly after: number;
}

/**
 * Both states are divided by the lines of the baseline: who removes lines does not look worse for it, who adds some does not look
 * better. What one state alone was measured by counts in neither.
 */
export function debtScores(before: Measurement, after: Measurement): DebtScores {
  const share = Math.max(1, before.lines / UNIT_LINES);
  const both = toolsOfBoth(before, after);
  const withTests = isMeasured(before.tests.outcome) && isMeasured(after.tests.outcome);
  const score = (state: Measurement): number => {
    const tools = findingsOf(state, (name) => both.has(name)).reduce((sum, { severity }) => sum + DEBT_WEIGHTS[severity], 0);
    const points = tools + (withTests ? failingTests(state) * FAILING_TEST_WEIGHT : 0);
    return Math.round((points / share) * 100) / 100;
  };
  return { before: score(before), after: score(after) };
}

/** How many things are wrong, whatever they weigh. */
export function debtItems(state: Measurement): number {
  return failingTests(state) + findingsOf(state, () => true).length;
}

/** What lint and quality both say counts once. */
function findingsOf(state: Measurement, isWanted: (name: string) => boolean): readonly Finding[] {
  const linted = new Set(state.lint.flatMap(({ findings }) => findings).map(({ fingerprint }) => fingerprint));
  return toolsOf(state)
    .filter(([name]) => isWanted(name))
    .flatMap(([name, { findings }]) =>
      name.startsWith('quality ') ? findings.filter(({ fingerprint }) => !linted.has(fingerprint)) : findings,
    );
}

/** A flaky test passes, if not always. */
function failingTests({ tests }: Measurement): number {
  const flaky = new Set(tests.flaky);
  return new Set(tests.results.filter((test) => isFailing(test) && !flaky.has(test.id)).map(({ id }) => id)).size;
}

function toolsOfBoth(before: Measurement, after: Measurement): ReadonlySet<string> {
  const names = (state: Measurement) => toolsOf(state).flatMap(([name, { outcome }]) => (isMeasured(outcome) ? [name] : []));
  const earlier = new Set(names(before));
  return new Set(names(after).filter((name) => earlier.has(name)));
}

/** The same tool may serve two checks. */
function toolsOf({ types, lint, quality }: Measurement): readonly (readonly [string, ToolMeasure])[] {
  return Object.entries({ types, lint, quality }).flatMap(([check, tools]) =>
    tools.map((tool) => [`${check} ${tool.tool}`, tool] as const),
  );
}
