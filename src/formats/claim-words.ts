// Tells from its words whether a line of a report blames or praises what it speaks of. Asked where a heading promises
// findings and a line carries no severity.

import { leadingWord, PhraseList, WordList, wordsOf } from './wording.js';

const PRAISE_MARKS = ['\u2705', '\u2713', '\u2714', '\u2611', '\u{1f44d}', '\u{1f7e2}'];
const BLAME_MARKS = ['\u274c', '\u2717', '\u2718', '\u26a0', '\u{1f534}', '\u{1f7e0}', '\u{1f7e1}', '\u{1f6ab}', '\u2757'];
const PRAISE_STARTS = new WordList('pass passed passes');
const BLAME_STARTS = new WordList('fail failed fails failure');
const NEGATIVE = new PhraseList(
  'missing/lack/lacks/lacking/fail/fails/failed/failing/failure/failures/below/insufficient/undefined/incorrect/invalid/broken',
  'hardcoded/duplicate/duplicated/unclear/not/no/without/incomplete/too/should/must/wrong/poor/weak/absent/never/cannot/unable/only',
  'hard | coded',
);
const NEGATIVE_STEMS = ['inconsisten', 'violat', 'mismatch'];
const POSITIVE = new WordList(
  'meet meets pass passes passed compliant comply complies consistent consistently correct correctly good great excellent valid complete ' +
    'resolve resolves follow follows properly adequate sufficient strong',
);

/** `✅ …`, `Passed: …` */
export function isPraised(text: string): boolean {
  return PRAISE_MARKS.some((mark) => text.startsWith(mark)) || PRAISE_STARTS.has(leadingWord(text));
}

/** `❌ …`, `Fails …` */
export function isBlamed(text: string): boolean {
  return BLAME_MARKS.some((mark) => text.startsWith(mark)) || BLAME_STARTS.has(leadingWord(text));
}

export function isNegative(text: string): boolean {
  const words = wordsOf(text);
  return NEGATIVE.isIn(words) || words.some((word) => NEGATIVE_STEMS.some((stem) => word.startsWith(stem)));
}

export function isPositive(text: string): boolean {
  return POSITIVE.hasAny(wordsOf(text));
}

/** "No failures were found", "Zero duplicates." */
export function isCleared(text: string): boolean {
  const first = leadingWord(text);
  if (first !== 'no' && first !== 'zero') return false;
  const rest = text.slice(first.length).toLowerCase();
  if (/^.{0,120}\b(?:found|detected|identified|present|remain(?:ing)?)\b/.test(rest)) return true;
  return /^.{0,40}\b(?:failures|errors|violations|issues|hard-?coded \w{1,20}|mismatch(?:es)?|duplicates|regressions|inconsistencies|conflicts|gaps)\.?$/.test(
    rest,
  );
}

/** "All findings of round 1 were resolved." */
export function isAllDone(text: string): boolean {
  return /\b(?:all|every)\b.{0,80}\b(?:resolved|fixed|addressed)\b/.test(text.toLowerCase());
}
