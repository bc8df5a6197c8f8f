// What became of each test: deleted, hidden, skipped, made conditional, emptied. What its checks ask is rules/assertions.ts's.

import type { Evidence } from '../evidence.js';
import { failedBefore, idleBefore, isUntouched } from '../evidence.js';
import type { AssertionFact, Span, TestFact, TestMark } from '../facts.js';
import type { GuardRule, Sighting } from '../finding.js';
import { matchAssertions } from '../matching.js';
import { leavesSight } from '../sight.js';
import type { Pair } from '../pairing.js';
import { NewChecks } from '../new-checks.js';
import { idOf } from '../pairing.js';
import { namesSame } from '../properties.js';
import { isInFiles, isRowOf } from '../titled-rows.js';
import { EXACT, keyOf, levelOf, similarity, tokensOf, wantedOf } from '../strength.js';
import { retold, toldOfError } from '../retelling.js';
import type { Extra } from '../retelling.js';
import { isPartOf as isReadFrom } from '../subjects.js';
import type { Told } from './assertions.js';
import { put } from '../keyed-lists.js';

const MARKS: Readonly<Record<TestMark['kind'], GuardRule>> = {
  skipped: 'test-skipped',
  focused: 'test-focused',
  failing: 'failure-expected',
  conditional: 'test-conditional',
};

/** A test that is marked so still runs, and its checks are looked at. */
const GOES_ON: ReadonlySet<GuardRule> = new Set(['assertion-weakened', 'test-conditional', 'test-focused', 'failure-expected']);

/** What leaves rows of a table out. */
const SIFTING = /\.filter\(| for .* if |\.(?:pop|shift|splice|clear|remove)\(|\.length\s*=|^[\w.]+\[[^\]]*:[^\]]*\]$/s;

/** Of the changed files, after the change. */
type Texts = ReadonlyMap<string, string>;

export interface TestSightings extends Told {
  readonly sightings: readonly Sighting[];
}

export function testsRule(evidence: Evidence): TestSightings {
  const texts = new Map(evidence.files.map(({ change }) => [change.path, change.after ?? '']));
  const sightings: Sighting[] = [];
  const stopped = new Set<TestFact>();
  const leaving = new Set<TestFact>();
  for (const pair of evidence.pairing.pairs) {
    if (isUntouched(evidence, pair)) {
      sightings.push(...outOfSight(pair, texts));
      continue;
    }
    const idle = idleBefore(evidence, pair.before);
    const found = [...markSightings(pair.before, pair.after), ...(idle ? [] : fateOf(pair, texts))];
    for (const { rule } of found) if (!GOES_ON.has(rule)) stopped.add(pair.after);
    const early = pair.before.assertions.length === 0 ? [] : returnSightings(pair.before.returns, pair.after);
    if (early.length > 0) leaving.add(pair.after);
    sightings.push(...found, ...early);
  }
  for (const test of evidence.pairing.added) {
    const early = test.hidden === null ? returnSightings(test.branches, test) : [];
    if (early.length > 0) leaving.add(test);
    sightings.push(...markSightings(null, test).filter(({ rule }) => rule !== 'test-conditional'), ...early);
  }
  sightings.push(...removedTests(evidence));
  return { sightings, stopped, leaving };
}

function markSightings(before: TestFact | null, after: TestFact): readonly Sighting[] {
  const old = [...(before?.marks ?? [])];
  const skippedBefore = old.some(({ kind }) => kind === 'skipped');
  const found: Sighting[] = [];
  for (const mark of after.marks) {
    // One that left nothing out does not stand for one that does.
    const index = old.findIndex(({ kind, settled }) => kind === mark.kind && (settled !== true || mark.settled === true));
    if (index >= 0) old.splice(index, 1);
    else if (!(mark.kind === 'conditional' && skippedBefore)) {
      found.push({ rule: MARKS[mark.kind], file: mark.span.file, before: before?.head ?? null, after: mark.span, test: after.path });
    }
  }
  return found;
}

function fateOf({ before, after, how }: Pair, texts: Texts): readonly Sighting[] {
  const sight = (rule: GuardRule, now: Span, file = after.span.file): readonly Sighting[] => [
    { rule, file, before: before.head, after: now, test: after.path },
  ];
  if (after.hidden !== null && before.hidden === null) return sight('test-hidden', after.head);
  const unseen = how === 'renamed' ? [] : outOfSight({ before, after }, texts);
  if (unseen.length > 0) return unseen;
  if (after.marks.some(({ kind }) => kind === 'skipped')) return [];
  const found: Sighting[] = [];
  if (after.condition !== null && before.condition === null) {
    const sifted = before.rows !== null && SIFTING.test(after.condition.text);
    found.push(...sight(sifted ? 'assertion-weakened' : 'test-conditional', after.condition));
  }
  if (before.assertions.length > 0 && after.assertions.length === 0) {
    found.push(...sight('test-emptied', after.span));
    // It still goes through its steps, and asks nothing of what comes of them.
    if (after.body.includes('(')) found.push(...sight('assertion-removed', after.span));
  }
  return found;
}

function outOfSight({ before, after }: Pick<Pair, 'before' | 'after'>, texts: Texts): readonly Sighting[] {
  const { file } = after.span;
  if (file === before.span.file || !leavesSight(before.span.file, file, texts.get(file))) return [];
  return [{ rule: 'test-hidden', file: before.span.file, before: before.head, test: before.path, why: `it moved to ${after.span.file}` }];
}

function returnSightings(old: readonly Span[], test: TestFact): readonly Sighting[] {
  const known = old.map(({ text }) => text);
  const found: Sighting[] = [];
  for (const span of test.returns) {
    const index = known.indexOf(span.text);
    if (index >= 0) known.splice(index, 1);
    else found.push({ rule: 'early-return', file: span.file, after: span, test: test.path });
  }
  return found;
}

/** Tests that are gone: lost, unless another test asks all that they asked. */
function removedTests(evidence: Evidence): readonly Sighting[] {
  const { pairing } = evidence;
  if (pairing.removed.length === 0) return [];
  const fresh = new NewChecks(newAssertions(evidence));
  const losing = new Set(pairing.removed.map(({ span }) => span.file));
  const near = pairing.pairs.filter(({ before }) => losing.has(before.span.file));
  const bodies = new Set(near.map(({ before }) => `${before.span.file}\0${idOf(before)}\0${before.body}`));
  const kept = keptKeys(near);
  const now = testsByFile([...pairing.added, ...near.map(({ after }) => after)]);
  const tables = new Map<string, readonly TestFact[]>();
  const tablesIn = (file: string): readonly TestFact[] => {
    const known = tables.get(file) ?? (now.get(file) ?? []).filter(({ rows }) => rows !== null);
    tables.set(file, known);
    return known;
  };
  const written = evidence.files.flatMap(({ change, role }) => (role === 'fixture' && change.before === null ? [change.after ?? ''] : []));
  const sightings: Sighting[] = [];
  for (const test of pairing.removed) {
    if (idleBefore(evidence, test) && !failedBefore(evidence, test)) continue;
    if (bodies.has(`${test.span.file}\0${idOf(test)}\0${test.body}`)) continue;
    if ((repeats(test, kept) && isSameState(test, evidence)) || askedNothing(test) || isPartOf(test, evidence)) continue;
    if (isRowOf(test, tablesIn(test.span.file)) || isInFiles(test, now.get(test.span.file) ?? [], written)) continue;
    const host = absorbed(test, fresh.near(test.span.file, test.assertions), evidence.vanished);
    if (host === null) sightings.push({ rule: 'test-deleted', file: test.span.file, before: test.span, test: test.path });
    else if (host !== test) sightings.push(...hostFlaws(test, host));
  }
  return sightings;
}

function testsByFile(tests: readonly TestFact[]): ReadonlyMap<string, readonly TestFact[]> {
  const byFile = new Map<string, TestFact[]>();
  for (const test of tests) {
    put(byFile, test.span.file, test);
  }
  return byFile;
}

/** Checks that stand after the change as they did before it, by file. */
function keptKeys(pairs: readonly Pair[]): ReadonlyMap<string, ReadonlySet<string>> {
  const kept = new Map<string, Set<string>>();
  for (const { before, after } of pairs) {
    if (after.hidden !== null || after.marks.some(({ kind }) => kind === 'skipped')) continue;
    const keys = kept.get(before.span.file) ?? new Set();
    for (const fact of after.assertions) {
      if (fact.reach !== 'always' || fact.swallowed !== null) continue;
      keys.add(keyOf(fact));
      if (levelOf(fact) >= EXACT) keys.add(`exact ${fact.subject}`);
    }
    kept.set(before.span.file, keys);
  }
  return kept;
}

/** The test asked nothing that another test of its file does not ask word for word. */
function repeats(test: TestFact, kept: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const keys = kept.get(test.span.file);
  return (
    keys !== undefined &&
    test.assertions.length > 0 &&
    test.assertions.every(
      (fact) => /[(]/.test(fact.subject) && (keys.has(keyOf(fact)) || (levelOf(fact) < EXACT - 10 && keys.has(`exact ${fact.subject}`))),
    )
  );
}

/** What is asked of an object depends on what was done to it before: then another test must take the same steps. */
function isSameState(test: TestFact, { pairing }: Evidence): boolean {
  if (!test.assertions.some(({ subject }) => /^(new |[A-Z]\w*\(|self\.|this\.)/.test(subject))) return true;
  return pairing.pairs.some(({ after }) => after.span.file === test.span.file && after.body.startsWith(test.body));
}

/** A test whose checks could not fail is no loss. */
function askedNothing(test: TestFact): boolean {
  return (
    test.assertions.length > 0 &&
    test.assertions.every(({ tautology, swallowed, reach }) => tautology !== null || swallowed !== null || reach === 'never')
  );
}

/** A test without checks whose every step another test of its file takes now. */
function isPartOf(test: TestFact, evidence: Evidence): boolean {
  if (test.assertions.length > 0) return false;
  const steps = tokensOf(test.body);
  return evidence.pairing.added.some((other) => {
    if (other.span.file !== test.span.file || other.assertions.length === 0) return false;
    const there = new Set(tokensOf(other.body));
    return steps.filter((step) => there.has(step)).length >= steps.length * 0.8;
  });
}

/** Assertions that no test had before. Tests that are as they were have none. */
function newAssertions(evidence: Evidence): readonly Extra[] {
  const old = new Map<string, number>();
  const touched = evidence.pairing.pairs.filter((pair) => !isUntouched(evidence, pair));
  for (const { before } of touched) for (const fact of before.assertions) old.set(keyOf(fact), (old.get(keyOf(fact)) ?? 0) + 1);
  const extra: Extra[] = [];
  const look = (test: TestFact): void => {
    for (const fact of test.assertions) {
      const key = keyOf(fact);
      const left = old.get(key) ?? 0;
      if (left > 0) old.set(key, left - 1);
      else if (fact.reach !== 'never' && fact.tautology === null && fact.swallowed === null)
        extra.push({ fact, test, key, ...(old.has(key) ? { again: true } : {}) });
    }
  };
  for (const { after } of touched) look(after);
  for (const test of evidence.pairing.added) look(test);
  return extra;
}

/** The test that now asks all that `test` asked; null where none does. */
function absorbed(test: TestFact, near: readonly Extra[], vanished: ReadonlySet<string>): TestFact | null {
  if (test.assertions.length === 0) return null;
  const open = test.assertions.filter((fact) => toldOfError(fact, near) === null);
  if (open.length === 0) return toldOfError(test.assertions[0] as AssertionFact, near);
  const keys = new Set(open.map(keyOf));
  const fitting = near.filter(({ fact, key }) => keys.has(key) || open.some((one) => related(one, fact)));
  const matches = matchAssertions(
    open,
    fitting.map(({ fact }) => fact),
  );
  if (
    !matches.every(
      ({ fate, before, after }) => fate === 'kept' && after !== null && (keyOf(before) === keyOf(after) || related(before, after)),
    )
  )
    return retold(test, near, vanished);
  const first = matches[0]?.after;
  return near.find(({ fact }) => fact === first)?.test ?? null;
}

/** Covers it for a reason that has to do with it: the same value, the same template, or the same wanted value of a like value. */
function related(before: AssertionFact, after: AssertionFact): boolean {
  return (
    before.subject === after.subject ||
    before.template === after.template ||
    after.open ||
    (wantedOf(before) !== null && wantedOf(before) === wantedOf(after)) ||
    (levelOf(after) >= EXACT && (isReadOff(before, after) || namesSame(after, before)))
  );
}

/** Of the same thing a part: a property of the whole, or a value that stands in what is wanted of it. */
function isReadOff(before: AssertionFact, after: AssertionFact): boolean {
  if (isReadFrom(before.subject, after.subject)) return true;
  const wanted = (before.expected ?? '').replace(/^"|"$/g, '').replace(/(\\n)+$/, '');
  if (before.expected?.startsWith('"') === true && wanted.length >= 8 && after.expected?.includes(before.expected) === true) return true;
  return wanted.length > 3 && after.expected?.includes(wanted) === true && similarity(before.subject, after.subject) >= 0.5;
}

function hostFlaws(test: TestFact, host: TestFact): readonly Sighting[] {
  if (host.hidden !== null) return [{ rule: 'test-hidden', file: host.span.file, before: test.head, after: host.head, test: test.path }];
  if (host.condition === null || test.condition !== null) return [];
  return [{ rule: 'test-conditional', file: host.span.file, before: test.head, after: host.condition, test: test.path }];
}
