// Tells a finding from its absence: "None", "No issues found", a template's placeholder. Careful in one direction:
// "No focus state is defined" and "None of the buttons have labels" are findings.

import { endMarksLength, hasLetterOrNumber, letterWords, marksLength } from './letters.js';
import { leadingWord, WordList } from './wording.js';

/** Nouns that "no …" denies. */
const NOUNS = new WordList(
  'issue issues finding findings problem problems violation violations concern concerns defect defects blocker blockers regression regressions critiques challenges',
);

/** Words that may stand before such a noun. */
const ADJECTIVES = new WordList(
  'critical high medium low severity priority blocking major minor significant serious new open remaining outstanding unresolved other further additional known or and accessibility consistency design token more such level actionable material',
);

/** Words that may follow it. */
const TAIL = new WordList(
  'were was are is have has been found identified detected remain remaining remains reported outstanding noted observed at this that the time level severity in audit review round iteration report here currently exist present to for now so far yet applicable and or all good discovered critical high medium low issues findings from any recorded',
);

const NOTHING = new WordList('none nil nothing na tbd todo zero 0');

/** "There are no issues", "I found nothing". */
const OPENERS = new WordList('there i we found');
/** All words that can begin such a statement; `n` is that of n/a. */
const FIRST_WORDS = new WordList('no without not none nil nothing n na tbd todo zero 0 there i we found');
const EMPHASIS = '*_`';
const MOST_MARKS = 10;

/** A statement that there is nothing to report. */
export function saysNone(text: string): boolean {
  if (text.length > 120 || beginsOtherwise(text)) return false;
  const [first, ...others] = statementWords(text.toLowerCase().replace('n/a', 'na'));
  if (first === undefined) return false;
  if (first === 'not' && others[0] === 'applicable') return others.length === 1;
  if (NOTHING.has(first)) {
    const noun = first === 'zero' || first === '0' ? others.findIndex((word) => NOUNS.has(word)) : -1;
    return others.every((word, at) => TAIL.has(word) || at === noun || (at < noun && ADJECTIVES.has(word)));
  }
  if (first !== 'no' && first !== 'without') return false;
  const noun = others.findIndex((word) => NOUNS.has(word));
  if (noun < 0) return false;
  return others.every((word, at) => at === noun || (at < noun ? ADJECTIVES : TAIL).has(word) || NOUNS.has(word));
}

/** Seen without cutting the text: it begins with a word that no such statement begins with. */
function beginsOtherwise(text: string): boolean {
  const first = leadingWord(text);
  return first !== '' && !first.includes('_') && !FIRST_WORDS.has(first);
}

function statementWords(statement: string): readonly string[] {
  const words = letterWords(statement);
  if (!OPENERS.has(words[0] ?? '')) return words;
  return letterWords(statement.replace(/^\W{0,4}(?:there (?:are|is|were|was)|(?:i|we)(?: have)? (?:found|see)|found)\s{1,3}/, ''));
}

/** Nothing but marks, or a template's `[finding with artifact:line reference]`. */
export function isPlaceholder(text: string): boolean {
  const bare = trimMarks(text);
  if (!hasLetterOrNumber(bare)) return true;
  if (bare.startsWith('{') || bare.startsWith('$')) return /^\$?\{[^{}]{0,200}\}\.?$/.test(bare);
  if (bare.startsWith('<')) return /^<[^<>]{0,200}>\.?$/.test(bare);
  // A digit makes it the real thing: a line number, a ratio.
  return bare.startsWith('[') && /^\[[^[\]\d]{0,200}\]\.?$/.test(bare);
}

export function isNoFinding(text: string): boolean {
  return isPlaceholder(text) || saysNone(text);
}

function trimMarks(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length > 400) return trimmed;
  const start = trimmed.slice(marksLength(trimmed, EMPHASIS, MOST_MARKS));
  return start.slice(0, start.length - endMarksLength(start, EMPHASIS, MOST_MARKS));
}
