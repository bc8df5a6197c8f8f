// The guard's view of a change with what the retrial found: lost checks that it clears, and findings of its own.

import { weigh } from '@umpire/guard/allowances.js';
import type { GuardAllowance } from '@umpire/guard/allowances.js';
import { weighByRetrial } from '@umpire/guard/retrial/clear.js';
import type { GuardView } from '../critics/guard-change.js';
import { pathTest } from '../critics/path-pattern.js';
import type { Retrial } from './retrial.js';

export function withRetrial<View extends Pick<GuardView, 'findings' | 'notes' | 'allowed' | 'expired'>>(
  view: View,
  { findings, outcome }: Pick<Retrial, 'findings' | 'outcome'>,
  allowances: readonly GuardAllowance[],
  today: string,
): View {
  const read = weighByRetrial([...view.findings, ...view.notes], outcome);
  const own = weigh(findings, allowances, today, pathTest);
  return {
    ...view,
    findings: [...own.findings, ...read.filter(({ level }) => level === 'breach')],
    notes: [...own.notes, ...read.filter(({ level }) => level === 'note')],
    allowed: [...view.allowed, ...own.allowed],
    expired: [...new Set([...view.expired, ...own.expired])],
  };
}
