// Tests that were written anew. Where most checks of a file are spelt otherwise than before, which of them became which cannot be told;
// so they are counted: as many exact ones as there were, and nothing is lost. Also tests whose wanted values went into new ones.

import type { Evidence } from './evidence.js';
import type { AssertionFact, FileFacts, TestFact } from './facts.js';
import type { GuardRule, Sighting } from './finding.js';
import { broughtIn, WORDS, wordsOutside } from './spoken-words.js';
import { EXACT, keyOf, levelOf, wantedOf } from './strength.js';
import { put } from './keyed-lists.js';

export interface Rewriting {
  readonly file: string;
  /** Exact checks in it and in the files that its tests came from, and how many there are now. */
  readonly before: number;
  readonly after: number;
}

export interface Weighed {
  readonly sightings: readonly Sighting[];
  readonly rewritten: readonly Rewriting[];
}

/** What these tell is that a check found no partner; they are right where the rest of the file did. */
const UNPAIRED: ReadonlySet<GuardRule> = new Set(['test-deleted', 'test-renamed', 'assertion-removed', 'assertion-weakened']);
/** So much of what was asked is asked in no such words any more. */
const MOST = 0.6;
/** A file of fewer checks is no file that was written anew. */
const LEAST = 4;
/** Checks may be gathered in fewer. */
const GATHERED = 0.7;
/** What is wanted may be told with a value less here and there. */
const NEARLY = 0.9;
/** A long text or record is one thing that is asked. */
const MOST_VALUES = 8;
/** Values that stand everywhere: they prove nothing about where a check went. */
const COMMON = /^(?:|true|false|null|undefined|empty|-?\d|None|True|False)$/;
/** A text of so many signs is not found by chance within another. */
const LONG = 4;

/** In a run nobody asked for tests in other words, and nobody looks at them: there every check is held against its own. */
export function weighRewriting(evidence: Evidence, sightings: readonly Sighting[]): Weighed {
  const isWatched = evidence.input.everyRewrite !== true;
  if (!isWatched || !sightings.some(({ rule }) => UNPAIRED.has(rule))) return { sightings, rewritten: [] };
  const families = new Families(evidence);
  const speech = new Speech(evidence);
  const rewritten: Rewriting[] = [];
  const isOpen = ({ rule, paired }: Sighting): boolean => UNPAIRED.has(rule) && paired !== true;
  const left = new Set(sightings.filter((one) => !isOpen(one)));
  const removed = new Removed(evidence.pairing.removed);
  for (const [family, own] of families.groupsOf(sightings.filter(isOpen))) {
    const counts = countsOf(family);
    if (counts !== null && speech.hasAll(family)) rewritten.push({ file: own[0]?.after?.file ?? own[0]?.file ?? '', ...counts });
    else for (const sighting of stillOpen(own, family, evidence, removed)) left.add(sighting);
  }
  return { sightings: sightings.filter((one) => left.has(one)), rewritten };
}

/** Without the tests that new checks tell, in other words or by other means. */
function stillOpen(sightings: readonly Sighting[], family: Family, { devices }: Evidence, removed: Removed): readonly Sighting[] {
  const deleted = sightings.filter(({ rule }) => rule === 'test-deleted');
  if (deleted.length === 0) return sightings;
  const fresh = new FreshValues(family);
  const open = deleted.filter(({ before }) => {
    const test = removed.at(before);
    return test === undefined || !fresh.takeUp(test) || !devices.isStillGiven(test);
  });
  const places = new Set(open.map(({ before }) => placeOf(before?.file ?? '', before?.from)));
  const tests = family.before.filter((test) => removed.has(test) && places.has(placeOf(test.span.file, test.span.from)));
  const retold = devices.retoldTests(tests, family.before, family.after);
  return [...sightings.filter(({ rule }) => rule !== 'test-deleted'), ...(retold ? [] : open)];
}

function placeOf(file: string, from: number | undefined): string {
  return `${file} ${from ?? ''}`;
}

/** Tests that are gone, by where they began. */
class Removed {
  private readonly all: ReadonlySet<TestFact>;
  private readonly byPlace = new Map<string, TestFact>();

  constructor(tests: readonly TestFact[]) {
    this.all = new Set(tests);
    for (const test of tests)
      for (const { from } of [test.span, test.head]) {
        const place = placeOf(test.span.file, from);
        if (!this.byPlace.has(place)) this.byPlace.set(place, test);
      }
  }

  has(test: TestFact): boolean {
    return this.all.has(test);
  }

  at(place: Sighting['before']): TestFact | undefined {
    return place === null || place === undefined ? undefined : this.byPlace.get(placeOf(place.file, place.from));
  }
}

/** Files that tests went from and to. */
interface Family {
  readonly before: TestFact[];
  readonly after: TestFact[];
}

class Families {
  private readonly parents = new Map<string, string>();
  private readonly all = new Map<string, Family>();

  constructor({ files, pairing }: Evidence) {
    for (const { change } of files) this.join(change.renamedFrom ?? change.path, change.path);
    for (const { before, after } of pairing.pairs) this.join(before.span.file, after.span.file);
    for (const { before, after } of files) {
      for (const test of before?.tests ?? []) this.familyOf(test.span.file).before.push(test);
      for (const test of after?.tests ?? []) this.familyOf(test.span.file).after.push(test);
    }
  }

  groupsOf(sightings: readonly Sighting[]): ReadonlyMap<Family, readonly Sighting[]> {
    const groups = new Map<Family, Sighting[]>();
    for (const sighting of sightings) {
      const family = this.familyOf(sighting.file);
      put(groups, family, sighting);
    }
    return groups;
  }

  private familyOf(file: string): Family {
    const root = this.rootOf(file);
    const family = this.all.get(root) ?? { before: [], after: [] };
    this.all.set(root, family);
    return family;
  }

  private join(one: string, other: string): void {
    const [left, right] = [this.rootOf(one), this.rootOf(other)];
    if (left !== right) this.parents.set(left, right);
  }

  private rootOf(file: string): string {
    let root = file;
    for (let next = this.parents.get(root); next !== undefined; next = this.parents.get(root)) root = next;
    return root;
  }
}

/** Exact checks before and after, where the tests were written anew and no fewer are exact; else null. */
function countsOf({ before, after }: Family): Pick<Rewriting, 'before' | 'after'> | null {
  if (isMostlySame(before, after)) return null;
  const [old, now] = [soundIn(before), soundIn(after)];
  const exact = { before: old.filter(isExact).length, after: now.filter(isExact).length };
  const isKept = old.length >= LEAST && exact.after >= exact.before && now.length >= old.length * GATHERED;
  return isKept &&
    valuesOf(now) >= valuesOf(old) * NEARLY &&
    !isOneSided(old, now) &&
    detailed(now) >= detailed(old) &&
    lostShare(old, now) >= MOST
    ? exact
    : null;
}

/** Whatever of the project was asked before is still spoken of, outside imports: a file is not told anew by checks of something else. */
class Speech {
  private spoken: ReadonlySet<string> | null = null;
  private readonly before: ReadonlyMap<string, FileFacts>;

  constructor(private readonly evidence: Evidence) {
    this.before = new Map(evidence.files.flatMap(({ before }) => (before === null ? [] : [[before.file, before]])));
  }

  hasAll({ before }: Family): boolean {
    const own = new Set(before.map(({ span }) => span.file));
    const names = new Set([...own].flatMap((file) => broughtIn(this.before.get(file) ?? null).map(({ name }) => name)));
    const asked = new Set(soundIn(before).flatMap(({ subject }) => (subject.match(WORDS) ?? []).filter((word) => names.has(word))));
    const spoken = (this.spoken ??= new Set(
      this.evidence.files.flatMap(({ change, after }) => wordsOutside(change.after ?? '', broughtIn(after))),
    ));
    return [...asked].every((name) => spoken.has(name));
  }
}

/** Most of the tests are as they were, by their text: to look into each of them would be dear. */
function isMostlySame(before: readonly TestFact[], after: readonly TestFact[]): boolean {
  const now = new Set(after.map(({ span }) => span.text));
  const checksIn = ({ span }: TestFact): number => span.text.match(/\b(?:expect|assert\w*|should)\b/g)?.length ?? 1;
  const count = (tests: readonly TestFact[]): number => tests.reduce((sum, test) => sum + checksIn(test), 0);
  return count(before.filter(({ span }) => now.has(span.text))) > count(before) / 2;
}

/** Errors that are wanted by their text or shape. */
function detailed(facts: readonly AssertionFact[]): number {
  return facts.filter(({ kind, thrown }) => kind === 'throws' && (thrown?.detail ?? null) !== null).length;
}

/** A function was asked for yes and for no, and is asked for one of the two alone now. */
function isOneSided(before: readonly AssertionFact[], after: readonly AssertionFact[]): boolean {
  const [old, now] = [answersIn(before), answersIn(after)];
  return [...old].some(([name, answers]) => answers.size === 2 && now.get(name)?.size === 1);
}

/** What each function that says yes or no is wanted to say, by its name. */
function answersIn(facts: readonly AssertionFact[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { kind, subject, expected } of facts) {
    const name =
      kind === 'equal' && /^(true|false|True|False)$/.test(expected ?? '') ? /([\p{L}\p{N}_$]+)\([^()]*\)$/u.exec(subject)?.[1] : undefined;
    if (name !== undefined) found.set(name, (found.get(name) ?? new Set()).add((expected ?? '').toLowerCase()));
  }
  return found;
}

/** Checks that run, are waited for and can fail. */
function soundIn(tests: readonly TestFact[]): readonly AssertionFact[] {
  return tests
    .filter(({ hidden, marks }) => hidden === null && marks.every(({ kind }) => kind === 'conditional'))
    .flatMap(({ assertions }) => assertions.filter(isSound));
}

function isSound({ reach, tautology, swallowed, waiting, wildcards }: AssertionFact): boolean {
  return reach !== 'never' && tautology === null && swallowed === null && waiting !== 'floating' && wildcards === 0;
}

/** How many values exact checks want: a list of three is more than its length. */
function valuesOf(facts: readonly AssertionFact[]): number {
  const values = (fact: AssertionFact): number => wantedOf(fact)?.match(/[\p{L}\p{N}_$.]+/gu)?.length ?? 1;
  return facts.filter(isExact).reduce((sum, fact) => sum + Math.min(MOST_VALUES, Math.max(1, values(fact))), 0);
}

function isExact(fact: AssertionFact): boolean {
  return fact.loose !== true && levelOf(fact) >= EXACT;
}

/** How much of what was asked is not asked in the same words. */
function lostShare(before: readonly AssertionFact[], after: readonly AssertionFact[]): number {
  const left = new Map<string, number>();
  for (const fact of after) left.set(keyOf(fact), (left.get(keyOf(fact)) ?? 0) + 1);
  let same = 0;
  for (const fact of before) {
    const many = left.get(keyOf(fact)) ?? 0;
    if (many > 0) same += 1;
    left.set(keyOf(fact), many - 1);
  }
  return before.length === 0 ? 0 : 1 - same / before.length;
}

/** What the new exact checks of a family want. It is learned once: any number of its tests may be gone. */
class FreshValues {
  private readonly count: number;
  private readonly weight: number;
  private readonly values: ReadonlySet<string>;
  private readonly texts: readonly string[];

  constructor({ before, after }: Family) {
    const known = new Set(soundIn(before).map(keyOf));
    const fresh = soundIn(after).filter((fact) => isExact(fact) && !known.has(keyOf(fact)));
    this.count = fresh.length;
    this.weight = valuesOf(fresh);
    this.values = new Set(fresh.flatMap(({ subject, expected }) => [...valuesIn(expected ?? ''), ...valuesIn(subject)]));
    this.texts = [...this.values].filter((value) => value.length > LONG);
  }

  /** Every value that the deleted test wanted is wanted by them, and there are as many of them. */
  takeUp({ assertions }: TestFact): boolean {
    if (this.count < assertions.length && this.weight < assertions.length * 2) return false;
    const wanted = assertions.flatMap((fact) => valuesIn(wantedOf(fact) ?? ''));
    return wanted.length > 0 && wanted.every((value) => this.has(value));
  }

  private has(value: string): boolean {
    return this.values.has(value) || (value.length >= LONG && this.texts.some((text) => text.includes(value)));
  }
}

/**
 * Texts, numbers and names in a wanted value, those left out that stand everywhere, and what values are made with: `Decimal("1.50")` is
 * "1.50", and a date is the same in numbers and as text.
 */
function valuesIn(text: string): readonly string[] {
  const dated = text.replace(DATE, (_all, numbers: string) => JSON.stringify(dateOf(numbers)));
  const found = dated.match(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|[\p{L}_$][\p{L}\p{N}_$.]*\(?/gu) ?? [];
  const values = found.filter((one) => !MAKING.test(one)).map((one) => (one.startsWith('"') ? one.slice(1, -1) : one));
  return values.map((one) => (ISO.test(one) ? dateOf(one) : one)).filter((one) => !COMMON.test(one));
}

const MAKING = /^(?:[\w.]*\.)?(?:[A-Z]\w*|datetime|date|timedelta|set|frozenset|dict|list|tuple|bytes)\($/;
const DATE = /\b(?:datetime|date)\((\d{4},\d+,\d+(?:,\d+)*)(?:,tzinfo=[\w.]+)?\)/g;
const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)?)?$/;

/** A date by its numbers, those at the end left out that are nought. */
function dateOf(text: string): string {
  const numbers = (text.replace(/\+00:00$/, '').match(/\d+/g) ?? []).map(Number);
  while (numbers.length > 3 && numbers.at(-1) === 0) numbers.pop();
  return `on ${numbers.join(' ')}`;
}
