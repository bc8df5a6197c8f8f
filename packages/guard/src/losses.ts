// What a check loses though it asks about the same and wants the same: by rounding, by a spare value, by its order, or because what is
// wanted is now read off the value itself.

import type { AssertionFact } from './facts.js';
import type { Match } from './matching.js';
import { EXACT, levelOf, wantedOf } from './strength.js';
import { isWithin } from './subjects.js';

/** Why a check that seems to be kept asks for less; null where it does not. */
export function quietLoss({ before, after }: Match): string | null {
  if (after === null || before.subject === '') return null;
  if (fallsBack(before, after)) return 'where nothing is there, the wanted value takes its place';
  if (isRounded(before, after)) return 'the value is rounded before it is compared';
  if (unorders(before, after) || reorders(before, after)) return 'the order no longer counts';
  if (onlyShape(before, after)) return 'only its shape is looked at';
  if (isNarrowed(before, after)) return 'only a part of the value is looked at';
  if (readsOff(before, after)) return 'the wanted value is read off the actual one';
  return null;
}

/** The wanted value is written down there and then: no names in it, but (`made`) of classes that it is made with. */
export function isWritten(fact: AssertionFact, made = false): boolean {
  const plain = (wantedOf(fact) ?? '').replace(/"[^"]*"/g, '').replace(/\b(true|false|null|undefined)\b|[\w$]+:/g, '');
  const bare = made ? plain.replace(/\b(True|False|None)\b|\b(new )?[A-Z][\w$]*\(|\b[\w$]+=/g, '') : plain;
  return !/\p{L}/u.test(bare);
}

/** The value is now read with the wanted one as its spare: `row.get('city', 'Rome') == 'Rome'`. */
function fallsBack(before: AssertionFact, after: AssertionFact): boolean {
  const wanted = after.expected;
  if (wanted === null || before.expected !== wanted || before.subject === after.subject) return false;
  const spare = /\.(get|pop|setdefault)\(|\b(getattr|next)\(/.test(after.subject) && after.subject.endsWith(`,${wanted})`);
  const other = [' or ', '||', '??'].some((sign) => after.subject.endsWith(`${sign}${wanted}`));
  return (spare || other) && !before.subject.includes(wanted);
}

/** The same value is wanted of the same subject, now rounded. */
function isRounded(before: AssertionFact, after: AssertionFact): boolean {
  if (before.kind !== 'equal' || after.kind !== 'equal' || before.expected !== after.expected) return false;
  return ['round', 'floor', 'ceil', 'trunc'].some((name) => after.subject === `Math.${name}(${before.subject})`);
}

/** A list of Python was wanted as it is, and a set with its entries is wanted now. */
function unorders(before: AssertionFact, after: AssertionFact): boolean {
  if (before.kind !== 'equal' || after.kind !== 'equal' || /^(sorted|set|frozenset|Counter|\{)/.test(before.subject)) return false;
  const [list, set] = [before.expected ?? '', after.expected ?? ''];
  if (!/^\[.*,.*\]$/s.test(list) || !/^\{[^:]*\}$/s.test(set)) return false;
  const texts = (text: string) => (text.match(/"[^"]*"|[\w.]+/g) ?? []).toSorted().join();
  return texts(list) === texts(set);
}

/** The entries of a list are wanted in another order, now that they are sorted before they are compared. */
function reorders(before: AssertionFact, after: AssertionFact): boolean {
  if (before.kind !== 'equal' || after.kind !== 'equal' || before.expected === after.expected) return false;
  if (!after.subject.startsWith(before.subject) || !/^\.(sort|toSorted)\(/.test(after.subject.slice(before.subject.length))) return false;
  const signs = (text: string | null) =>
    (text ?? '')
      .split(/[[\],]/)
      .toSorted()
      .join();
  return signs(before.expected) === signs(after.expected);
}

/** What is in an array was compared, and how large it is now. */
function onlyShape(before: AssertionFact, after: AssertionFact): boolean {
  const array = /^(.*)\.(?:shape|size|ndim|dtype|columns)$/s.exec(after.subject)?.[1];
  if (array === undefined || array.length < 2 || /\.(shape|size|ndim|dtype|columns)\b/.test(before.subject)) return false;
  return levelOf(before) >= EXACT && before.subject.startsWith(array);
}

/** The value was compared as it is, and only whether there is any, or how much, now. */
function isNarrowed(before: AssertionFact, after: AssertionFact): boolean {
  return before.kind === 'equal' && after.subject === `bool(${before.subject})`;
}

/** The same of the same, and more of its message or text than before. */
export function saysMore({ before, after }: Pick<Match, 'before' | 'after'>): boolean {
  if (after === null || before.kind !== after.kind || !['throws', 'match', 'contain'].includes(before.kind)) return false;
  const [old, now] = [wantedOf(before), wantedOf(after)];
  return old !== null && now !== null && old.length > 4 && now.includes(old.replace(/^"|"$/g, '')) && before.subject === after.subject;
}

/** A value was written down, and now is made from what is asked about: `x == sorted(x)`. */
function readsOff(before: AssertionFact, after: AssertionFact): boolean {
  if (before.kind !== 'equal' || after.kind !== 'equal' || before.expected === null || after.expected === null) return false;
  if (levelOf(before) < EXACT || !isWritten(before, true) || !after.subject.includes('(')) return false;
  const made = /^(?!(?:copy\.)?(?:copy|deepcopy|list|dict)\()[\w.]+\(/.test(after.expected) && !after.expected.startsWith(after.subject);
  return made && isWithin(after.expected, after.subject) && !isWithin(before.expected, before.subject);
}

/** Nothing had to be there, and now something has to: the opposite is wanted. */
export function isTakenBack({ before, after }: Match): boolean {
  if (after?.kind !== 'exists' || before.kind !== 'equal' || before.subject !== after.subject || before.subject === '') return false;
  return /^(None|null|undefined)$/.test(before.expected ?? '');
}

/** Fewer words are wanted of the same kind of value, and source no longer has those that are missing: what they tell of was taken out. */
export function isTakenOut({ before, after, fate }: Match, vanished: ReadonlySet<string>): boolean {
  if (fate !== 'weakened' || after === null || before.kind !== after.kind || after.wildcards > before.wildcards) return false;
  const [old, now] = [wantedOf(before), wantedOf(after)];
  if (vanished.size === 0 || old === null || now === null) return false;
  const left = new Set(wordsOf(now));
  const missing = wordsOf(old).filter((word) => !left.has(word));
  return missing.length > 0 && missing.every((word) => vanished.has(word));
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? [];
}
