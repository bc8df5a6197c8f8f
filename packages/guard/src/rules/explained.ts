// What in a change explains that a test asks less.

import type { Evidence } from '../evidence.js';
import type { Comparison, Loss, Pair } from '../compare/losses.js';
import { textOf } from '../evidence.js';
import { withoutTexts } from '../project/changed-code.js';

/** The check asked about names that the source no longer has. */
export function isVanished(evidence: Evidence, loss: Loss): boolean {
  return loss.kind === 'removed' && evidence.isDropped(textOf(loss.before, loss.before));
}

/** Other words for the same may weigh a little less. */
const ENOUGH = 0.75;

/** The test asks as much as before about other values: it was rewritten, and only a run can tell. */
export function isRewritten({ lost, gained }: Comparison): boolean {
  return gained > 0 && gained >= lost * ENOUGH;
}

/** The level of a lost check; null where nothing is to be said. */
export function lossLevel(evidence: Evidence, pair: Pair, loss: Loss): 'breach' | 'note' | null {
  if (isVanished(evidence, loss)) return null;
  if (loss.kind === 'removed' && isAboutChangedCode(evidence, loss)) return 'note';
  return isRewritten(evidence.compare(pair)) ? 'note' : 'breach';
}

/** The change also changes code that the check names: behaviour may have changed on purpose, and only a run can tell. */
function isAboutChangedCode(evidence: Evidence, { before }: Loss): boolean {
  if (evidence.isTestingOnly) return false;
  const { changedNames, touchedNames } = evidence.code;
  const words = withoutTexts(textOf(before, before)).match(/[\p{L}_$][\p{L}\p{N}_$]{3,}/gu) ?? [];
  return words.some((word) => changedNames.has(word) || touchedNames.has(word));
}
