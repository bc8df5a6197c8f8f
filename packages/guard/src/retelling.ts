// Whether new tests tell anew what a test asked that is gone: the same of the same function, if with other examples.

import type { AssertionFact, TestFact } from './facts.js';
import { EXACT, levelOf, similarity, tokensOf, wantedOf, weakening } from './strength.js';

/** A check that is new after the change, and the test that it stands in. */
export interface Extra {
  readonly fact: AssertionFact;
  readonly test: TestFact;
  /** As `keyOf` says it. */
  readonly key: string;
  /** The same was asked before by a test that is still there. */
  readonly again?: boolean;
}

/** Values that stand everywhere: they prove nothing by themselves. */
const PLAIN = /^(?:|true|false|null|undefined|-?\d|""|\[\]|\{\}|\(\)|None|True|False)$/;
const NEAR = 0.5;
const LIKE = 0.6;

/** The test that asks anew what `test` asked, each check by a check of its own; null where one finds none. */
export function retold(test: TestFact, extra: readonly Extra[], vanished: ReadonlySet<string>): TestFact | null {
  const taken = new Set<AssertionFact>();
  let host: TestFact | null = null;
  for (const before of test.assertions) {
    const found = extra.find(
      ({ fact, again }) =>
        !taken.has(fact) && !(again === true && isAnother(before, fact)) && (asksAlike(before, fact) || isRenamed(before, fact, vanished)),
    );
    if (found === undefined) return null;
    taken.add(found.fact);
    host ??= found.test;
  }
  return host;
}

/** The same but for names that source no longer has, which others took the place of. */
function isRenamed(before: AssertionFact, after: AssertionFact, vanished: ReadonlySet<string>): boolean {
  if (vanished.size === 0 || before.kind !== after.kind || after.reach !== 'always' || after.waiting === 'floating') return false;
  const wordsOf = (fact: AssertionFact) => tokensOf(`${fact.subject} ${wantedOf(fact) ?? ''} ${fact.thrown?.type ?? ''}`);
  const [old, now] = [wordsOf(before), wordsOf(after)];
  return (
    old.length === now.length &&
    old.some((word) => vanished.has(word)) &&
    old.every((word, index) => vanished.has(word) !== (word === now[index]))
  );
}

/** Another answer of the same: where it was wanted before too, it is of another case. */
function isAnother(before: AssertionFact, { subject, expected }: AssertionFact): boolean {
  return before.subject === subject && before.expected !== expected;
}

function asksAlike(before: AssertionFact, after: AssertionFact): boolean {
  if (after.reach !== 'always' || after.waiting === 'floating' || !before.subject.includes('(')) return false;
  const same = before.subject === after.subject;
  if (!same && bareCall(before.subject) !== bareCall(after.subject)) return false;
  const alike = same ? 1 : similarity(before.subject, after.subject);
  if (before.kind === 'differs')
    return (
      after.kind === 'differs' && before.expected?.includes('(') === true && bareCall(before.expected) === bareCall(after.expected ?? '')
    );
  if (before.kind === 'throws') return after.kind === 'throws' && alike >= NEAR && wantsError(before, after);
  if (levelOf(after) < EXACT || after.kind !== 'equal' || after.expected === null) return false;
  if (same && levelOf(before) >= EXACT) return weakening(before, after) === null;
  const [wanted, now] = [before.expected ?? '', after.expected];
  const told = isText(wanted) && isText(now);
  if (before.kind === 'lacks') return told && wanted.length > 3 && !now.includes(wanted.slice(1, -1));
  if (before.kind === 'contain' || before.kind === 'match') return told && wanted.length > 3 && now.includes(wanted.slice(1, -1));
  if (before.kind !== 'equal') return false;
  if (wanted === now) return alike >= (PLAIN.test(wanted) ? LIKE : NEAR);
  return told && similarity(wanted, now) >= LIKE && wanted.length > 8;
}

/** The same error, with as much of its message. */
function wantsError({ thrown: old }: AssertionFact, { thrown: now }: AssertionFact): boolean {
  if (old === null || now === null || (old.type !== null && old.type !== now.type)) return false;
  return old.detail === null || (now.detail?.includes(old.detail.slice(1, -1)) ?? false);
}

/** The same call has to fail, if by any message, and what is asked of the error after that tells the message that was wanted. */
export function toldOfError(before: AssertionFact, added: readonly Pick<Extra, 'fact' | 'test'>[]): TestFact | null {
  const detail = before.kind === 'throws' ? (before.thrown?.detail ?? null) : null;
  if (detail === null || !isText(detail) || detail.length < 5 || !before.subject.includes('(')) return null;
  const type = before.thrown?.type ?? null;
  const found = added.find(({ fact, test }) => {
    if (fact.kind !== 'throws' || fact.subject !== before.subject || (type !== null && fact.thrown?.type !== type)) return false;
    for (const next of test.assertions.slice(test.assertions.indexOf(fact) + 1)) {
      if (next.kind === 'throws') return false;
      if (/^str\((?:error|err|e)\)$|^error\.(?:message|args\[0\])$/.test(next.subject) && tellsText(next, detail)) return true;
    }
    return false;
  });
  return found?.test ?? null;
}

function tellsText(fact: AssertionFact, text: string): boolean {
  const sound = fact.tautology === null && fact.swallowed === null && fact.reach === 'always';
  const asks = fact.kind === 'equal' || fact.kind === 'match' || fact.kind === 'contain';
  return sound && asks && isText(fact.expected ?? '') && fact.expected?.includes(text.slice(1, -1)) === true;
}

function isText(value: string): boolean {
  return value.startsWith('"') && value.endsWith('"');
}

/** The call without what it is called with. */
export function bareCall(subject: string): string {
  return subject.replace(/\(.*\)/s, '()');
}
