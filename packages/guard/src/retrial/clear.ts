// What the retrial says of findings that came from reading alone: it clears lost checks that lost no strength, and it takes away the excuse
// that the tested code changed.

import type { GuardFinding, GuardRule } from '../finding.js';

/** Rules on lost or rewritten checks. Never marks that keep a test from running, settings, or files outside the scope. */
const ON_LOST_CHECKS: ReadonlySet<GuardRule> = new Set([
  'test-deleted',
  'case-removed',
  'assertion-tautological',
  'test-emptied',
  'assertion-removed',
  'assertion-weakened',
  'rebaselined',
]);

/** So many mutants must be killed by both versions of a file's tests before its findings are cleared. */
export const ENOUGH_MUTANTS = 4;

export interface MutantCount {
  /** Killed by the old tests and by the new ones. */
  readonly kept: number;
  /** Killed by the old tests alone. */
  readonly lost: number;
}

export interface RetrialOutcome {
  /** The old tests pass on the new code, as far as they passed at the base. */
  readonly oldTestsPass: boolean;
  /** The old tests do not pass on the new code, and nothing says which. */
  readonly failsUnnamed: boolean;
  /** Mutants by test file, old path. Files that are not in it had none. */
  readonly mutants: ReadonlyMap<string, MutantCount>;
}

export function isOnLostChecks({ rule }: Pick<GuardFinding, 'rule'>): boolean {
  return ON_LOST_CHECKS.has(rule);
}

export function weighByRetrial(
  findings: readonly GuardFinding[],
  { oldTestsPass, failsUnnamed, mutants }: RetrialOutcome,
): readonly GuardFinding[] {
  return findings.map((finding) => {
    if (!isOnLostChecks(finding)) return finding;
    const { kept, lost } = mutants.get(finding.file) ?? { kept: 0, lost: 0 };
    if (finding.level === 'breach' && oldTestsPass && lost === 0 && kept >= ENOUGH_MUTANTS) return cleared(finding, kept);
    // The tested code changed, so reading found an excuse; but the old tests do not pass on it.
    return failsUnnamed && finding.rule === 'test-deleted' ? { ...finding, level: 'breach' } : finding;
  });
}

function cleared(finding: GuardFinding, kept: number): GuardFinding {
  const message = `${finding.message} Cleared by the retrial: the old tests pass on the new code, and the new tests notice the same ${kept} defects.`;
  return { ...finding, level: 'note', message };
}
