// What a replay comes to: how many verdicts came out how, and the one word that weighs most.

import type { ChainCheck, ProjectCounts, ReplayCounts, ReplayResult, ReplayedVerdict, SessionReplay } from './replay-page.js';

export function countsOf(verdicts: readonly ReplayedVerdict[]): ReplayCounts {
  const count = (status: ReplayedVerdict['status']) => verdicts.filter((one) => one.status === status).length;
  const asked = verdicts.flatMap(({ other }) => (other === undefined ? [] : [other]));
  return {
    verdicts: verdicts.length,
    same: count('same'),
    differs: count('differs'),
    lost: count('lost'),
    asked: asked.length,
    other: asked.filter((one) => one.status !== 'same').length,
  };
}

export function resultOf(counts: ReplayCounts, chain: ChainCheck, unknownPages: readonly string[]): ReplayResult {
  return weigh(!chain.unbroken || unknownPages.length > 0, counts, counts.lost > 0);
}

export function projectSum(sessions: readonly SessionReplay[]): { readonly result: ReplayResult; readonly counts: ProjectCounts } {
  const replayed = sessions.filter((one) => one.state === 'replayed');
  const counts: ProjectCounts = {
    sessions: sessions.length,
    neverJudged: sessions.filter((one) => one.state === 'never judged').length,
    unreadable: sessions.filter((one) => one.state === 'unreadable').length,
    broken: replayed.filter((one) => !one.chain.unbroken).length,
    cutBack: sessions.filter((one) => one.state !== 'unreadable' && one.unknownPages.length > 0).length,
    ...countsOf(replayed.flatMap((one) => one.verdicts)),
  };
  return { counts, result: weigh(counts.broken + counts.cutBack > 0, counts, counts.lost + counts.unreadable > 0) };
}

/** A broken history says more than a difference, and a difference more than what cannot be judged again. */
function weigh(isBroken: boolean, { differs, other }: ReplayCounts, isLost: boolean): ReplayResult {
  if (isBroken) return 'broken';
  if (differs + other > 0) return 'differs';
  return isLost ? 'lost' : 'same';
}
