// One check says what another asked, in other words: as an entry of a whole, as a call that was written down, as a list that was sifted.
// Each way is a question of its own, in the file of what it is about.

import type { AssertionFact } from './facts.js';
import { gathersCall, listsAll, siftsSame } from './gathering.js';
import { composes, comprehendsMore, leavesAway, looksUp, mapsSame, namesSame, recordsCall, wantsMore } from './properties.js';
import { provesEntry, showsMarkup } from './subjects.js';
import { readsPiece } from './wanted-texts.js';

const WAYS = [
  looksUp,
  wantsMore,
  composes,
  recordsCall,
  namesSame,
  mapsSame,
  comprehendsMore,
  leavesAway,
  listsAll,
  provesEntry,
  showsMarkup,
  siftsSame,
  gathersCall,
  readsPiece,
];

export function saysToo(other: AssertionFact, fact: AssertionFact): boolean {
  return WAYS.some((says) => says(other, fact));
}
