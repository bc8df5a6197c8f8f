// The guard's view of a change with what the retrial found: lost checks that it clears, and findings of its own. Of one test, what running
// showed replaces what reading guessed.

import { weigh } from '@umpire/guard/findings/allowances.js';
import type { GuardAllowance, Weighed } from '@umpire/guard/findings/allowances.js';
import type { GuardFinding } from '@umpire/guard/findings/finding.js';
import { isOnLostChecks, weighByRetrial } from '@umpire/guard/retrial/clear.js';
import type { RetrialOutcome } from '@umpire/guard/retrial/clear.js';
import { pathTest } from '../runners/path-pattern.js';

export interface RetrialFindings {
  readonly findings: readonly GuardFinding[];
  readonly outcome: RetrialOutcome;
}

export function withRetrial<View extends Weighed>(
  view: View,
  { findings, outcome }: RetrialFindings,
  allowances: readonly GuardAllowance[],
  today: string,
): View {
  const weighed = weighByRetrial([...view.findings, ...view.notes], outcome);
  // A breach that shows how the failing test was removed says more, and an allowance may cover it.
  const removals = [...weighed.filter(({ level }) => level === 'breach'), ...view.allowed.map(({ finding }) => finding)];
  const isShown = (finding: GuardFinding): boolean =>
    finding.rule === 'failing-test-removed' && removals.some((other) => isSameTest(finding, other));
  const own = weigh(
    findings.filter((finding) => !isShown(finding)),
    allowances,
    today,
    pathTest,
  );
  const ran = [...own.findings, ...own.notes];
  const read = weighed.filter(
    (finding) => finding.level === 'breach' || !isOnLostChecks(finding) || !ran.some((other) => isSameTest(finding, other)),
  );
  return {
    ...view,
    findings: [...own.findings, ...read.filter(({ level }) => level === 'breach')],
    notes: [...own.notes, ...read.filter(({ level }) => level === 'note')],
    allowed: [...view.allowed, ...own.allowed],
    expired: [...new Set([...view.expired, ...own.expired])],
  };
}

/** Reports name suites in other ways than source does, so the last title decides. */
function isSameTest(one: GuardFinding, other: GuardFinding): boolean {
  const last = ({ test }: GuardFinding): string | undefined => test?.split(' > ').at(-1);
  return one.file === other.file && one.test !== undefined && last(one) === last(other);
}
