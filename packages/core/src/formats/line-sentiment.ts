// Whether a line of a report praises or criticises, judged by its words. Used for lines without a severity under a heading of findings.

import { marksLength } from './characters.js';
import { leadingWord, PhraseList, WordList, wordsOf } from './word-lists.js';

const PRAISE_MARKS = ['\u2705', '\u2713', '\u2714', '\u2611', '\u{1f44d}', '\u{1f7e2}'];
const BLAME_MARKS = ['\u274c', '\u2717', '\u2718', '\u26a0', '\u{1f534}', '\u{1f7e0}', '\u{1f7e1}', '\u{1f6ab}', '\u2757'];
const PRAISE_STARTS = new WordList('pass passed passes');
const BLAME_STARTS = new WordList('fail failed fails failure');
const NEGATIVE = new PhraseList(
  'missing/lack/lacks/lacking/fail/fails/failed/failing/failure/failures/below/insufficient/undefined/incorrect/invalid/broken',
  'hardcoded/duplicate/duplicated/unclear/not/no/without/incomplete/too/should/must/wrong/poor/weak/absent/never/cannot/unable/only',
  'hard | coded',
);
const FAILURE = new PhraseList(
  'fail/fails/failed/failing/missing/lack/lacks/lacking/below/insufficient/broken/invalid/violates/violate/violation/unreadable',
  'has/have no',
  'does/do/is/are not',
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

/** Stricter than isNegative: something is wrong, not only recommended. */
export function isFailure(text: string): boolean {
  return FAILURE.isIn(wordsOf(text.slice(0, 1000)));
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

const DONE = 'resolved/fixed/addressed/closed/remediated';
const FINDINGS = new WordList(
  'issue issues finding findings problem problems violation violations concern concerns defect defects blockers criticals',
);
const RESOLVED = new PhraseList(
  `have/has been ${DONE}`,
  `have/has now been ${DONE}`,
  `were/was/are/is ${DONE}`,
  `are/were now/all/fully ${DONE}`,
);
const ALL = new WordList('all every both');
const EXCEPTIONS = new WordList('not except but however only partially unless until one');
const DONE_WORDS = new WordList('resolved fixed closed done addressed verified');
const DONE_WORDS_LAST: readonly string[] = ['resolved', 'fixed', 'addressed', 'done'];
const OPEN = new PhraseList(
  'still open/present/fails/failing/broken/there/exists/unresolved/occurs',
  'not fixed/resolved/addressed/closed/done',
  'not yet fixed/resolved/addressed',
  'remains/remain open/unresolved/unfixed/present',
  'unresolved/unfixed/unaddressed/reopened/regressed',
  'status | open',
);
/** Words about when to fix something, not about the problem. */
const GENERIC = new WordList(
  'must should can may could will to be fixed addressed resolved deferred corrected fix nice have blocks block blocking release releases merge ' +
    'merging shipping launch the a before after next immediately now soon when if possible time permits this in it is as later sprint round ' +
    'iteration and or required optional needs need considered',
);

/** "All findings of round 1 were resolved." Not "All buttons use a fixed width". */
export function isAllDone(text: string): boolean {
  const start = text.slice(marksLength(text, '*_>', 6));
  if (!ALL.has(leadingWord(start))) return false;
  const words = wordsOf(start.slice(0, 400));
  return FINDINGS.hasAny(words.slice(0, 8)) && RESOLVED.isIn(words) && !EXCEPTIONS.hasAny(words);
}

/** `\u2705 [CRITICAL] contrast`, `[RESOLVED] \u2026`, `\u2026 \u2014 fixed`: the report calls the finding resolved. */
export function isResolved(text: string): boolean {
  return looksDone(text) && !isOpen(text);
}

function looksDone(text: string): boolean {
  if (PRAISE_MARKS.slice(0, 4).some((mark) => text.startsWith(mark))) return true;
  if (text.startsWith('[') && DONE_WORDS.has(text.slice(1, text.indexOf(']')).trim().toLowerCase())) return true;
  const body = text.trim().slice(-40).toLowerCase();
  const last = DONE_WORDS_LAST.find((word) => body.endsWith(word) || body.endsWith(`${word}.`) || body.endsWith(`${word})`));
  if (last === undefined) return false;
  const before = body.slice(0, body.lastIndexOf(last)).trimEnd().slice(-1);
  // `position: fixed` is a style. Only a dash before the word marks it as a status.
  return before === '\u2014' || before === '\u2013' || before === '-' || before === '\u2192' || (before === '(' && last !== 'fixed');
}

/** "(still open)", "not fixed" */
export function isOpen(text: string): boolean {
  return OPEN.isIn(wordsOf(text.slice(0, 1000)));
}

/** `Critical: must be fixed before release`: the meaning of the word, not a finding. */
export function isDefinition(text: string): boolean {
  if (text.length > 100 || !GENERIC.has(leadingWord(text))) return false;
  const words = wordsOf(text).filter((word) => word !== '' && word !== '|');
  return words.length > 1 && words.every((word) => GENERIC.has(word));
}
