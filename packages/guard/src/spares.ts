// Checks that are new after the change. What one test lost and another has now was moved: it is not lost.

import type { Evidence } from './evidence.js';
import { isUntouched } from './evidence.js';
import type { AssertionFact, TestFact } from './facts.js';
import { excludes, skeleton } from './kinship.js';
import { saysMore } from './losses.js';
import { matchAssertions } from './matching.js';
import { NewChecks } from './new-checks.js';
import type { Pairing } from './pairing.js';
import { entriesOf } from './properties.js';
import { bareCall, toldOfError } from './retelling.js';
import { keyOf, levelOf, settles, wantedOf, weakening } from './strength.js';
import { wantedText } from './wanted-texts.js';

/** Wanted values that stand everywhere: they prove nothing about where a check went. */
const COMMON = /^(?:|true|false|null|undefined|empty|[01]|""|\[\]|\{\}|None|True|False|in the document)$/;
/** A wanted value of so many signs is not found by chance, nor asked for by a check that lets most pass. */
const LONG = 8;
const TELLING = 30;

/** A new check, its test, and what that was before. */
interface Fresh {
  readonly fact: AssertionFact;
  readonly test: TestFact;
  readonly home: TestFact | null;
}

interface Surplus {
  readonly counts: Map<string, number>;
  readonly fresh: NewChecks<Fresh>;
  /** Where the checks of before stood. */
  readonly homes: ReadonlyMap<AssertionFact, TestFact>;
}

export class Spares {
  private readonly taken = new Set<AssertionFact>();
  private surplus: Surplus | null = null;

  constructor(
    private readonly pairing: Pairing,
    private readonly steady: Evidence['steady'],
  ) {}

  /** Takes a new check that stands for `fact`. False: there is none. Counting is dear, and only asked for where a check was lost. */
  take(fact: AssertionFact): boolean {
    this.surplus ??= surplusOf(this.pairing, this.steady);
    const key = keyOf(fact);
    const left = this.surplus.counts.get(key) ?? 0;
    if (left > 0) this.surplus.counts.set(key, left - 1);
    if (left > 0) return true;
    const home = this.surplus.homes.get(fact);
    const near = this.surplus.fresh.near(fact.span.file, [fact]);
    const all = near.map((one) => one.fact);
    // In its own test it was held against every check already.
    const others = near.filter((one) => one.home === null || one.home !== home).map((one) => one.fact);
    if (others.some((other) => standsFor(other, fact)) || isSpread(fact, all) || this.asks(fact, others)) return true;
    if (toldOfError(fact, near) !== null) return true;
    return home !== undefined && isOfError(fact) && near.some(({ fact: other, test }) => asksError(other, test, fact, home));
  }

  /** A new test asks for it in other words: what it wants is told by a check that stands for no other. */
  private asks(fact: AssertionFact, added: readonly AssertionFact[]): boolean {
    const wanted = wantedText(fact);
    if (wanted === null || wanted.length < LONG || COMMON.test(wanted)) return false;
    const tells = (other: AssertionFact): boolean => (wantedOf(other) ?? '').includes(wanted) && levelOf(other) >= TELLING;
    const open = added.filter((other) => tells(other) && !this.taken.has(other) && isSound(other));
    const [match] = open.length === 0 ? [] : matchAssertions([fact], open);
    if (match === undefined || match.after === null || match.fate !== 'kept') return false;
    this.taken.add(match.after);
    return true;
  }
}

/** A record that was wanted as a whole is wanted value by value, in whatever tests: `user == {name: "Ada"}` by `user.name == "Ada"`. */
function isSpread(fact: AssertionFact, added: readonly AssertionFact[]): boolean {
  if (fact.kind !== 'equal' || fact.expected?.startsWith('{') !== true || fact.wildcards > 0) return false;
  const about = added.filter((other) => other.kind === 'equal' && other.subject.startsWith(fact.subject) && isSound(other));
  const asked = new Set(about.map(({ subject, expected }) => `${subject} ${expected ?? ''}`));
  const said = (subject: string, wanted: string, depth: number): boolean => {
    if (asked.has(`${subject} ${wanted}`)) return true;
    const entries = depth < 4 && wanted.startsWith('{') ? entriesOf(wanted) : null;
    if (entries === null || entries.size === 0) return false;
    return [...entries].every(
      ([key, value]) => said(`${subject}["${key}"]`, value, depth + 1) || said(`${subject}.${key}`, value, depth + 1),
    );
  };
  return asked.size > 0 && said(fact.subject, fact.expected, 0);
}

/** Asks about an error that was caught before. */
function isOfError({ subject }: AssertionFact): boolean {
  return /^(?:str\()?(?:error|err|e|caught|thrown)\b/.test(subject);
}

/** The same error is caught in another test now, and no less is asked of it there. */
function asksError(other: AssertionFact, test: TestFact, fact: AssertionFact, home: TestFact): boolean {
  if (other.subject !== fact.subject || !isSound(other) || !settles(other, fact) || weakening(fact, other) !== null) return false;
  const thrown = new Set(home.assertions.filter(({ kind }) => kind === 'throws').map(({ subject }) => subject));
  return test.assertions.some(({ kind, subject }) => kind === 'throws' && thrown.has(subject));
}

/** A check of a new test that asks the same of the same value or more, or wants the same value of a like call. */
function standsFor(other: AssertionFact, fact: AssertionFact): boolean {
  if (!isSound(other)) return false;
  if (other.subject === fact.subject) {
    const more = levelOf(other) > levelOf(fact) || (saysMore({ before: fact, after: other }) && sameError(fact, other));
    return other.subject.includes('(') && more && settles(other, fact) && weakening(fact, other) === null;
  }
  if (fact.kind === 'lacks' && skeleton(other) === skeleton(fact).replace(/\[\*\]$/, '')) return excludes(other, fact);
  const wanted = wantedOf(fact);
  return (
    wanted !== null &&
    !COMMON.test(wanted) &&
    wantedOf(other) === wanted &&
    other.kind === fact.kind &&
    bareCall(other.subject) === bareCall(fact.subject) &&
    weakening(fact, other) === null
  );
}

function sameError({ thrown: old }: AssertionFact, { thrown: now }: AssertionFact): boolean {
  return old?.type === now?.type;
}

function isSound({ tautology, swallowed, waiting, reach }: AssertionFact): boolean {
  return tautology === null && swallowed === null && waiting !== 'floating' && reach === 'always';
}

function surplusOf({ pairs, added }: Pairing, steady: Evidence['steady']): Surplus {
  const counts = new Map<string, number>();
  const fresh: Fresh[] = [];
  const homes = new Map<AssertionFact, TestFact>();
  const count = (before: TestFact | null, after: TestFact): void => {
    const own = new Map<string, number>();
    for (const fact of before?.assertions ?? []) {
      own.set(keyOf(fact), (own.get(keyOf(fact)) ?? 0) + 1);
      if (before !== null) homes.set(fact, before);
    }
    for (const fact of after.assertions) {
      const key = keyOf(fact);
      const left = own.get(key) ?? 0;
      if (left > 0) own.set(key, left - 1);
      else if (after.hidden === null && fact.reach !== 'never') {
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (!after.marks.some(({ kind }) => kind === 'skipped')) fresh.push({ fact, test: after, home: before });
      }
    }
  };
  for (const test of added) count(null, test);
  for (const pair of pairs) if (!isUntouched({ steady }, pair)) count(pair.before, pair.after);
  return { counts, fresh: new NewChecks(fresh), homes };
}
