// Detects statements that there is no finding: "None", "No issues found", a placeholder of a template. In doubt it is a finding:
// "No focus state is defined" and "None of the buttons have labels" are findings.

import { endMarksLength, hasLetterOrNumber, letterWords, marksLength } from './characters.js';
import { parseSeverity } from './severity.js';
import { WordList } from './word-lists.js';

/** They deny alone. */
const NOTHING = new WordList(
  'none nil nothing na tbd todo zero 0 无 没有 暂无 无问题 没有问题 没有发现问题 未发现问题 なし 問題なし 指摘なし 없음 keine aucun aucune ninguno ninguna',
);
/** They deny only a noun. */
const NO = new WordList('no without zero 0 keine aucun aucune ningún ninguna sin');
const NOUNS = new WordList(
  'issue issues finding findings problem problems violation violations concern concerns defect defects blocker blockers regression regressions ' +
    'critiques challenges befunde probleme mängel constat problème hallazgo problema',
);
/** Severities may stand beside them too. */
const NEIGHBOURS = new WordList(
  'severity priority blocking significant new open remaining outstanding unresolved other further additional known or and accessibility consistency ' +
    'design token actionable material were was are is have has been found identified detected remain remains reported noted observed discovered at ' +
    'this that the time level in audit review round iteration report here currently exist present to for now so far yet pass category section any ' +
    'recorded',
);
/** "There are no …", "The audit did not reveal any …" */
const OPENING =
  /^(?:there (?:is|are|was|were)|(?:i|we|the|this|our)(?: \w+){0,3}? (?:found|see|identified|revealed|did not (?:find|reveal|identify|uncover)(?= any\b)))\s/;
const ALL_DONE =
  /^(?:all|every|both)\b.*\b(?:issues?|findings?|problems?|violations?|concerns?)\b.*\b(?:been|now|were|was|are|is|all|fully) (?:resolved|fixed|addressed|closed|remediated)\b/;
const EXCEPTION = /\b(?:not|except|but|however|only|partially|unless|until|one)\b/;
const SENTENCE_END = /[.!;\u3002](?:\s|$)|\s[\u2014\u2013-]\s|\s?[()]/;
const EMPHASIS = '*_`';
const MOST_MARKS = 10;

/** `all`: the text says nothing but that there is nothing. `partly`: one of its sentences does. */
export function denialIn(text: string): 'all' | 'partly' | null {
  if (text.length > 300) return null;
  if (denies(text)) return 'all';
  const parts = text.split(SENTENCE_END).filter(hasLetterOrNumber);
  const denials = parts.filter(denies).length;
  return denials === 0 ? null : denials === parts.length ? 'all' : 'partly';
}

function denies(sentence: string): boolean {
  const lower = sentence.toLowerCase().replace('n/a', 'na').replaceAll(/[*_`]/g, '').trim();
  if (/^(?:all|every|both)\b/.test(lower)) return ALL_DONE.test(lower) && !EXCEPTION.test(lower);
  const opened = /^[itwo]/.test(lower) ? lower.replace(OPENING, '').replace(/^any\b/, 'no') : lower;
  const [first = '', ...others] = letterWords(opened);
  if (first === 'not' && others[0] === 'applicable') return others.length === 1;
  const nouns = others.filter((word) => NOUNS.has(word)).length;
  const isPlain = others.every((word) => NOUNS.has(word) || NEIGHBOURS.has(word) || parseSeverity(word) !== null);
  if (NO.has(first) && nouns > 0) return isPlain;
  if (first === 'nothing' && others.join(' ') === 'to report') return true;
  return NOTHING.has(first) && nouns === 0 && isPlain;
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
  return isPlaceholder(text) || denialIn(text) === 'all';
}

function trimMarks(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length > 400) return trimmed;
  const start = trimmed.slice(marksLength(trimmed, EMPHASIS, MOST_MARKS));
  return start.slice(0, start.length - endMarksLength(start, EMPHASIS, MOST_MARKS));
}
