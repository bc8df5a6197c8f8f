// Detects statements that there is no finding: "None", "No issues found", a placeholder of a template. In doubt it is a finding:
// "No focus state is defined" and "None of the buttons have labels" are findings.

import { isNegative, isPositive } from './line-sentiment.js';
import { endMarksLength, hasLetterOrNumber, letterWords, marksLength } from './characters.js';
import { leadingWord, WordList } from './word-lists.js';

/** Nouns that "no …" denies. */
const NOUNS = new WordList(
  'issue issues finding findings problem problems violation violations concern concerns defect defects blocker blockers regression regressions critiques challenges',
);

/** Words allowed before such a noun. */
const ADJECTIVES = new WordList(
  'critical high medium low severity priority blocking major minor significant serious new open remaining outstanding unresolved other further additional known or and accessibility consistency design token more such level actionable material',
);

/** Words allowed after it. */
const TAIL = new WordList(
  'were was are is have has been found identified detected remain remaining remains reported outstanding noted observed at this that the time level severity in audit review round iteration report here currently exist present to for now so far yet applicable and or all good discovered critical high medium low issues findings from any recorded pass category section cycle as of these',
);

const NOTHING = new WordList(
  'none nil nothing na tbd todo zero 0 \u65e0 \u6ca1\u6709 \u6682\u65e0 \u306a\u3057 \uc5c6\uc74c keine aucun aucune ninguno',
);

/** "There are no issues", "I found nothing". */
const OPENERS = new WordList('there i we found');
/** All words that can start such a statement. `n` is from n/a. */
const FIRST_WORDS = new WordList('no without not none nil nothing n na tbd todo zero 0 there i we found keine aucun aucune ninguno');
/** Words that start one only if a negation follows. */
const LATE_WORDS = new WordList('the this our it all');
/** "The audit did not reveal any critical defects." */
const SUBJECTS = new WordList('the this our it i we audit review report analysis inspection check did does do has have team pass');
const REVEALS = new WordList(
  'reveal find found identify identified uncover show surface detect detected expose discover contain raise have',
);
/** Words that turn a denial into a finding. */
const TURNS = new WordList('but however except although though still yet');
const EMPHASIS = '*_`';
const MOST_MARKS = 10;

/** Whether the text says that there is nothing to report. Anything added may only be praise. */
export function saysNone(text: string): boolean {
  if (text.length > 300 || beginsOtherwise(text)) return false;
  if (text.length <= 120 && deniesAll(text)) return true;
  if (!ENDS.some((end) => text.includes(end))) return false;
  const parts = text.split(SENTENCE_END).filter(hasLetterOrNumber);
  const denial = parts.findIndex((part) => deniesAll(part));
  return denial >= 0 && parts.length > 1 && parts.every((part, at) => at === denial || deniesAll(part) || isHarmless(part, at < denial));
}

/** Cheap test for SENTENCE_END. */
const ENDS = ['. ', '! ', '; ', '.*', '!*', ' \u2014', ' \u2013', ' - ', '('];
const SENTENCE_END = /[.!;](?:\s|$)|\s[\u2014\u2013-]\s|\s?[()]/;

/** Only praise may come before a denial: "All checks passed. No issues found." */
function isHarmless(part: string, before: boolean): boolean {
  const words = letterWords(part.toLowerCase());
  if (isNegative(part) || TURNS.hasAny(words)) return false;
  return before ? isPositive(part) && words[0] === 'all' : true;
}

function deniesAll(text: string): boolean {
  const [first, ...others] = statementWords(text.toLowerCase().replace('n/a', 'na'));
  if (first === undefined) return false;
  if (first === 'not' && others[0] === 'applicable') return others.length === 1;
  if (NOTHING.has(first)) {
    const noun = first === 'zero' || first === '0' ? others.findIndex((word) => NOUNS.has(word)) : -1;
    return others.every((word, at) => TAIL.has(word) || at === noun || (at < noun && ADJECTIVES.has(word)));
  }
  if (SUBJECTS.has(first)) return revealsNothing([first, ...others]);
  return (first === 'no' || first === 'without') && deniesNoun(others);
}

function deniesNoun(words: readonly string[]): boolean {
  const noun = words.findIndex((word) => NOUNS.has(word));
  if (noun < 0) return false;
  return words.every((word, at) => at === noun || (at < noun ? ADJECTIVES : TAIL).has(word) || NOUNS.has(word));
}

/** "The audit did not reveal any critical defects", "We found no issues". */
function revealsNothing(words: readonly string[]): boolean {
  const verb = words.findIndex((word) => REVEALS.has(word) && !SUBJECTS.has(word));
  if (verb < 0) return false;
  const before = words.slice(0, verb).filter((word) => word !== 'not' && word !== 't' && word !== 'didn' && word !== 'doesn');
  if (!before.every((word) => SUBJECTS.has(word))) return false;
  const denied = words.slice(0, verb).some((word) => word === 'not' || word === 'didn' || word === 'doesn');
  const next = words[verb + 1];
  return (denied ? next === 'any' : next === 'no') && deniesNoun(words.slice(verb + 2));
}

/** Cheap test: the first word cannot start such a statement. */
function beginsOtherwise(text: string): boolean {
  const first = leadingWord(text);
  if (first === '' || first.includes('_') || FIRST_WORDS.has(first)) return false;
  if (!LATE_WORDS.has(first)) return true;
  return !text.includes(' any ') && !text.includes('found no ') && !text.includes(' No ');
}

function statementWords(statement: string): readonly string[] {
  const words = letterWords(statement);
  if (!OPENERS.has(words[0] ?? '')) return words;
  return letterWords(statement.replace(/^\W{0,4}(?:there (?:are|is|were|was)|(?:i|we)(?: have)? (?:found|see)|found)\s{1,3}/, ''));
}

/** Only punctuation, or a placeholder such as `[finding with artifact:line reference]`. */
export function isPlaceholder(text: string): boolean {
  const bare = trimMarks(text);
  if (!hasLetterOrNumber(bare)) return true;
  if (bare.startsWith('{') || bare.startsWith('$')) return /^\$?\{[^{}]{0,200}\}\.?$/.test(bare);
  if (bare.startsWith('<')) return /^<[^<>]{0,200}>\.?$/.test(bare);
  // With a digit it is real: a line number, a ratio.
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
