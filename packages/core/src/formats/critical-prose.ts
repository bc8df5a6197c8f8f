// Detects sentences that report something critical or count findings, where no structured reading matched. Denials, rules, conditions
// and past findings do not count. In doubt, the sentence counts.

import type { Severity } from '../model/vocabulary.js';
import { hasDigit, isDigit } from './characters.js';
import { PhraseList, WordList, wordsOf } from './word-lists.js';

export interface CriticalProse {
  /** The sentence reports something critical. */
  readonly critical: boolean;
  /** The sentence denies anything critical. */
  readonly denied: boolean;
  readonly counts: readonly (readonly [Severity, number])[];
}

const NOTHING_FOUND: CriticalProse = { critical: false, denied: false, counts: [] };

/** Words that count beside one of NOUNS. */
const ADJECTIVES = new WordList('critical blocking catastrophic severe fatal crit');
const EMPHASIZED = new WordList('critical blocking');
const CRITICAL_NOUNS = new WordList('blocker blockers showstopper showstoppers stopper stoppers p0 criticals');
const NOUNS = new WordList(
  'issue issues finding findings problem problems bug bugs defect defects failure failures violation violations flaw flaws concern concerns ' +
    'vulnerability vulnerabilities error errors regression regressions gap gaps risk risks barrier barriers mistake mistakes fault faults ' +
    'weakness weaknesses challenge challenges item items',
);
const COUNTED: readonly (readonly [Severity, WordList])[] = [
  ['critical', new WordList('critical criticals blocker blockers blocking showstopper showstoppers p0')],
  ['high', new WordList('high highs major p1')],
  ['medium', new WordList('medium moderate p2')],
  ['low', new WordList('low minor p3')],
];
const NEGATIONS = new WordList('no not without zero none never nor neither nothing 0 free isn aren wasn weren don didn doesn hasn haven');
/** Words allowed between a negation and the word it denies, across a comma. */
const BETWEEN = new WordList('critical high medium low major minor blocker blockers blocking severity or and nor any');
const NOTHING = new WordList('none no zero nil 0 n');
const HYPOTHETICAL = new WordList(
  'if whether would could any each every when unless until threshold maximum max limit allowed acceptable than target',
);
const PAST = new WordList('previous previously earlier last prior former past formerly initial initially');
const DONE = new WordList('fixed resolved addressed closed gone mitigated remediated eliminated cleared');
const NOT_DONE = new WordList('not be yet never un only partially partly');
/** "Not all critical issues are fixed": some remain. */
const REST = new PhraseList('not all', 'one/some/two/most/half of');
const PRESENT = new WordList('the a an one this that these those its our following');
const RULE = new PhraseList(
  'must/should/shall/have/need/needs be/to',
  'must/should fix/block',
  'block/blocks release/merge/the/a/shipping',
);
const STALE_NUMBERS = new WordList('round iteration level phase wave step version wcag section item no part cycle sprint pass');
const NUMBERS: readonly string[] = 'zero one two three four five six seven eight nine ten'.split(' ');
const QUALIFIERS = new WordList('new open remaining more unresolved outstanding additional severity total of other unique distinct');
const AFTER_WORD = new WordList('found identified detected count counts total reported remaining open number severity');
/** Cheap first test: false for nearly every line. */
const STEMS = ['crit', 'block', 'catastroph', 'severe', 'fatal', 'stopper', 'p0'];
const COUNT_STEMS = ['high', 'major', 'medium', 'moderate', 'low', 'minor', 'p1', 'p2', 'p3'];
const MOST_CHARACTERS = 2000;
const WINDOW = 8;

export function findCriticalProse(line: string): CriticalProse {
  const lower = line.slice(0, MOST_CHARACTERS).toLowerCase();
  const counts = hasDigit(lower) && COUNT_STEMS.some((stem) => lower.includes(stem));
  return counts || STEMS.some((stem) => lower.includes(stem)) ? readClauses(lower, isEmphasized(line, lower)) : NOTHING_FOUND;
}

/** `CRITICAL Button burns`, `Finding 1 (Critical) …`, `Critical! …`: the word is a severity whatever follows. */
function isEmphasized(line: string, lower: string): boolean {
  return line.includes('CRITICAL') || line.includes('BLOCKER') || lower.includes('(critical)') || lower.includes('critical!');
}

function readClauses(lower: string, emphasized: boolean): CriticalProse {
  let isCritical = false;
  let denied = false;
  const counts: (readonly [Severity, number])[] = [];
  for (const clause of clausesOf(lower)) {
    const words = wordsOf(clause).filter((word) => word !== '');
    if (isAboutFixed(words)) continue;
    const said = countsIn(words);
    counts.push(...said);
    const critical = said.find(([severity]) => severity === 'critical');
    if (critical !== undefined) denied ||= critical[1] === 0;
    else if (said.length === 0) {
      const found = criticalIn(words, emphasized);
      isCritical ||= found === 'critical';
      denied ||= found === 'denial';
    }
  }
  return { critical: isCritical, denied, counts };
}

/** Splits sentences and their clauses. Hyphens and full stops inside names or numbers do not split. */
function clausesOf(lower: string): readonly string[] {
  let text = `${lower.replaceAll('*', '').replaceAll('`', '').replaceAll('-', ' ').replaceAll('\u2019', "'")} `;
  for (const end of ['. ', '; ', '! ', '? ', ' but ', ' however ', ' although ', ' yet ', ' while ']) text = text.replaceAll(end, '\n');
  return text.split('\n');
}

/** Whether the clause is about fixed findings. */
function isAboutFixed(words: readonly string[]): boolean {
  if (REST.isIn(words)) return false;
  const at = words.findIndex((word) => DONE.has(word));
  return at >= 0 && !words.slice(Math.max(at - 3, 0), at).some((word) => NOT_DONE.has(word)) && !NEGATIONS.has(words[at + 1] ?? '');
}

function criticalIn(words: readonly string[], emphasized: boolean): 'critical' | 'denial' | null {
  let denial: 'denial' | null = null;
  for (const [at, word] of words.entries()) {
    if (
      !CRITICAL_NOUNS.has(word) &&
      !(ADJECTIVES.has(word) && ((emphasized && EMPHASIZED.has(word)) || isPredicate(words, at) || hasNoun(words, at)))
    )
      continue;
    if (isDenied(words, at)) denial = 'denial';
    else if (!isHypothetical(words, at)) return 'critical';
  }
  return denial;
}

/** "…, which is critical." Not "it is critical that …". */
function isPredicate(words: readonly string[], at: number): boolean {
  return ['is', 'are', 'remains'].includes(words[at - 1] ?? '') && ['', '|', 'for', 'and', 'because'].includes(words[at + 1] ?? '');
}

/** "a critical focus problem", "the issue is critical", "severity: critical". */
function hasNoun(words: readonly string[], at: number): boolean {
  if (words.slice(at + 1, at + 5).some((word) => NOUNS.has(word))) return true;
  const before = words.slice(Math.max(at - 5, 0), at).filter((word) => word !== '|');
  if (['severity', 'sev', 'priority'].includes(before.at(-1) ?? '')) return words.filter((word) => isSeverityWord(word)).length < 3;
  return (
    before.some((word) => NOUNS.has(word)) && before.some((word) => word === 'is' || word === 'are' || word === 'as' || word === 'remains')
  );
}

function isSeverityWord(word: string): boolean {
  return COUNTED.some(([, list]) => list.has(word));
}

function isDenied(words: readonly string[], at: number): boolean {
  let parted = false;
  for (let back = at - 1; back >= 0 && back >= at - WINDOW; back -= 1) {
    const word = words[back] ?? '';
    if (NEGATIONS.has(word) && words[back + 1] !== 'all') return true;
    if (word === '|') parted = true;
    else if (parted && !BETWEEN.has(word) && word !== 't') break;
  }
  const after = words.slice(at + 1, at + WINDOW);
  const noun = after.findLastIndex((word) => NOUNS.has(word) || AFTER_WORD.has(word));
  const next = after.slice(noun + 1).filter((word) => word !== '|');
  if (NOTHING.has(next[0] ?? '')) return true;
  return (
    ['is', 'are', 'was', 'were', 'have', 'has'].includes(next[0] ?? '') &&
    (next[1] === 'none' || (next[1] === 'not' && AFTER_WORD.hasAny(next)))
  );
}

/** "Critical issues must be fixed", "if a blocker appears", "the previous critical issue". */
function isHypothetical(words: readonly string[], at: number): boolean {
  const before = words.slice(0, at);
  if (
    HYPOTHETICAL.hasAny(before) ||
    HYPOTHETICAL.hasAny(words.slice(at + 1, at + 4)) ||
    PAST.hasAny(before.slice(-4)) ||
    PAST.hasAny(words.slice(at + 1, at + 6))
  )
    return true;
  return RULE.isIn(words.slice(at + 1)) && !before.some((word) => PRESENT.has(word) || isCount(word));
}

function isCount(word: string): boolean {
  return (word.length <= 4 && word !== '' && isDigit(word.charCodeAt(0)) && Number.isSafeInteger(Number(word))) || NUMBERS.includes(word);
}

function countOf(word: string): number {
  return NUMBERS.includes(word) ? NUMBERS.indexOf(word) : Number(word);
}

/** `3 critical, 2 high and 1 low issues`, `critical issues found: 3`. */
function countsIn(words: readonly string[]): readonly (readonly [Severity, number])[] {
  const counts: (readonly [Severity, number])[] = [];
  if (HYPOTHETICAL.hasAny(words)) return counts;
  for (const [at, word] of words.entries()) {
    const severity = COUNTED.find(([, list]) => list.has(word))?.[0];
    if (severity === undefined) continue;
    const number = numberBefore(words, at) ?? numberAfter(words, at);
    if (number !== null) counts.push([severity, number]);
  }
  const named = words.some((word) => NOUNS.has(word) && word !== 'item' && word !== 'items') || counts.length > 1;
  return named || words.some((word) => CRITICAL_NOUNS.has(word)) ? counts : [];
}

function numberBefore(words: readonly string[], at: number): number | null {
  let back = at - 1;
  while (back > at - 3 && QUALIFIERS.has(words[back] ?? '')) back -= 1;
  const word = words[back] ?? '';
  if (!isCount(word) || STALE_NUMBERS.has(words[back - 1] ?? '')) return null;
  // "WCAG 2.1 critical issues": the end of a figure is no count.
  return words[back - 1] === '|' && isCount(words[back - 2] ?? '') ? null : countOf(word);
}

function numberAfter(words: readonly string[], at: number): number | null {
  let next = at + 1;
  while (next < at + 5 && (NOUNS.has(words[next] ?? '') || AFTER_WORD.has(words[next] ?? ''))) next += 1;
  if (next === at + 1 || words[next] !== '|') return null;
  const number = words[next + 1] ?? '';
  const ends = words[next + 2] === undefined || words[next + 2] === '|';
  return isCount(number) && ends ? countOf(number) : null;
}
