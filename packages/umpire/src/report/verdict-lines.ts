// A verdict in two lines, for the person or the program that watches: what was decided and why, and what comes next.

import type { Verdict } from '@umpire/core/model.js';

/** `repeated`: the same evidence was judged before. */
export function verdictLines(verdict: Verdict, { repeated, dryRun }: { readonly repeated: boolean; readonly dryRun: boolean }): string {
  const marks: string[] = [];
  if (verdict.status === 'partial') marks.push('partial');
  if (verdict.unverified) marks.push('unverified');
  if (repeated) marks.push('judged before, nothing written');
  else if (dryRun) marks.push('dry run, nothing written');
  const mark = marks.length === 0 ? '' : ` (${marks.join('; ')})`;
  return `${verdict.loop}: ${verdict.decision}${mark}, round ${verdict.round} of ${verdict.maxRounds}, rule ${verdict.rule}. ${verdict.reason}\nNext: ${verdict.nextStep}\n`;
}
