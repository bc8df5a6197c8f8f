// What became of the assertions of each test that is there on both sides, and whether new ones can fail at all.

import type { Evidence } from '../evidence.js';
import { failedBefore, idleBefore, isUntouched } from '../evidence.js';
import type { AssertionFact, Span, TestFact } from '../facts.js';
import type { GuardRule, Sighting } from '../finding.js';
import { isTakenBack, isTakenOut, isWritten, quietLoss, saysMore } from '../losses.js';
import { matchAssertions } from '../matching.js';
import type { Match } from '../matching.js';
import { isRetold, movesWithInput } from '../moved-inputs.js';
import type { Pair } from '../pairing.js';
import { isShrunk } from '../properties.js';
import { EXACT, isOpposed, keyOf, levelOf, tokensOf, wantedOf } from '../strength.js';
import { isWithin } from '../subjects.js';
import { put } from '../keyed-lists.js';

/** What the rules about tests found out already, so that one cause is told once. */
export interface Told {
  /** Tests that no longer run: their assertions are not looked at. */
  readonly stopped: ReadonlySet<TestFact>;
  /** Tests with a new early return: what is behind it need not be told again. */
  readonly leaving: ReadonlySet<TestFact>;
}

export interface AssertionSightings {
  readonly sightings: readonly Sighting[];
  /** Tests whose checks were lost or turned round. */
  readonly poorer: ReadonlySet<TestFact>;
}

export function assertionsRule(evidence: Evidence, told: Told): AssertionSightings {
  const sightings: Sighting[] = [];
  const poorer = new Set<TestFact>();
  const added = evidence.sourceChanged ? bySubject(evidence.pairing.added) : NO_SUBJECTS;
  for (const pair of evidence.pairing.pairs) {
    if (told.stopped.has(pair.after) || isUntouched(evidence, pair)) continue;
    const found = comparePair(evidence, pair, told, added);
    if (found.poorer) poorer.add(pair.after);
    sightings.push(...found.sightings);
  }
  for (const test of evidence.pairing.added) {
    const checked = test.assertions.some(({ tautology }) => tautology === null);
    for (const fact of test.assertions) {
      if (
        fact.marker === true ||
        (isLabel(fact) && test.assertions.some(canFail)) ||
        (checked && fact.tautology === 'both sides are the same')
      )
        continue;
      sightings.push(...flaws(fact, null, test, told.leaving.has(test), evidence.changed));
    }
  }
  sightings.push(...helpers(evidence));
  return { sightings, poorer };
}

/** Said before with `t.pass('reached')`, now with `t.assert.ok('reached')`. */
const OF_CONSTANT = 'it compares a constant with itself';

/** `assert.ok('connected')` says in words how far the test came: no lie beside checks that can fail. */
function isLabel({ tautology, kind, subject }: AssertionFact): boolean {
  return tautology === OF_CONSTANT && kind === 'truthy' && /^"[^"]/.test(subject);
}

function canFail({ tautology, reach, swallowed, guard }: AssertionFact): boolean {
  return tautology === null && reach !== 'never' && swallowed === null && guard !== true;
}

function comparePair(
  evidence: Evidence,
  pair: Pair,
  told: Told,
  added: BySubject,
): { readonly sightings: readonly Sighting[]; readonly poorer: boolean } {
  const { before, after } = pair;
  const failed = failedBefore(evidence, before);
  const found = matchAssertions(...withoutGuards(before.assertions, after.assertions));
  const matches = evidence.sourceChanged ? found.map((match) => turnedRound(match, pair, evidence, added)) : found;
  const partner = new Map<AssertionFact, AssertionFact>();
  const sightings: Sighting[] = [];
  let poorer = false;
  const listed = countsOfLists(matches);
  const retold = evidence.input.everyRewrite === true ? null : evidence.devices.retold(pair, matches);
  for (const match of matches) {
    if (match.after !== null && !partner.has(match.after)) partner.set(match.after, match.before);
    const lost = retold?.has(match.before) === true ? null : lossOf(match, pair, failed, evidence, listed);
    if (lost !== null && !idleBefore(evidence, before)) {
      poorer = true;
      if (match.after === null || flaws(match.after, match.before, after, false, evidence.changed).length === 0) sightings.push(lost);
    }
    if (
      match.fate === 'rewritten' &&
      !failed &&
      !saysMore(match) &&
      wantedOf(match.before) !== null &&
      (wantedOf(match.after ?? match.before) !== null || isTakenBack(match))
    ) {
      if (!evidence.sourceChanged && match.after !== null && isShrunk(match.before, match.after))
        sightings.push(sighting('assertion-weakened', { ...match, why: 'fewer properties are wanted' }, pair, evidence.changed));
      else if (!evidence.sourceChanged && !isTold(match, evidence, before))
        poorer ||= match.before.subject === match.after?.subject && isWritten(match.before) && isWritten(match.after);
      else if (!onlyRenamed(match, evidence.vanished) && !isAnother(match, pair))
        sightings.push(sighting('rebaselined', match, pair, evidence.changed));
    }
  }
  const again = idleBefore(evidence, before) ? null : repeated(before.assertions, after.assertions);
  if (again !== null) sightings.push(sighting('assertion-weakened', again, pair, evidence.changed));
  let passes = poorer ? 0 : before.body.split('.pass(').length - 1;
  for (const fact of after.assertions) {
    const old = partner.get(fact) ?? twin(fact, before);
    const passed =
      old === null && fact.tautology === OF_CONSTANT && ((isLabel(fact) && after.assertions.some(canFail)) || (passes -= 1) >= 0);
    if ((fact.marker !== true && !passed) || old !== null || poorer)
      sightings.push(...flaws(fact, old, after, told.leaving.has(after), evidence.changed));
    if (poorer && old === null && fact.reach === 'maybe' && fact.guard !== true && !told.leaving.has(after))
      sightings.push(unreached(fact, after, evidence.changed));
  }
  return { sightings, poorer };
}

/** One value is tried several times, where as many different ones were tried before. */
function repeated(before: readonly AssertionFact[], after: readonly AssertionFact[]): Match | null {
  const seen = new Set<string>();
  const twice = after.find((fact) => {
    const key = `${fact.span.from} ${keyOf(fact)}`;
    return isOfRow(fact) && (seen.has(key) || seen.add(key).size === 0);
  });
  if (twice === undefined) return null;
  const now = new Set(after.map(keyOf));
  const old = before.filter((fact) => isOfRow(fact) && fact.template === twice.template);
  const kinds = new Set(old.map(keyOf));
  const gone = old.find((fact) => !now.has(keyOf(fact)));
  const kept = new Set(after.filter(({ template }) => template === twice.template).map(keyOf));
  if (gone === undefined || kinds.size < old.length || kept.size >= kinds.size) return null;
  return { before: gone, after: twice, fate: 'weakened', why: 'the same values are tried again, and others no longer' };
}

/** Tried on the rows of a table: it is written once for all of them. */
function isOfRow({ template, subject, kind, expected, open }: AssertionFact): boolean {
  return !open && template !== `${subject} ${kind} ${expected ?? ''}`;
}

/** What tests ask, by what they ask it of. */
type BySubject = ReadonlyMap<string, readonly AssertionFact[]>;
const NO_SUBJECTS: BySubject = new Map();

function bySubject(tests: readonly TestFact[]): BySubject {
  const found = new Map<string, AssertionFact[]>();
  for (const fact of tests.flatMap(({ assertions }) => assertions)) {
    put(found, fact.subject, fact);
  }
  return found;
}

/** With the source, a call that had to fail now has to give something, or the other way round, if in another test. */
function turnedRound(match: Match, { after }: Pair, { vanished }: Evidence, added: BySubject): Match {
  const { kind, subject } = match.before;
  if (isTakenBack(match) || isTakenOut(match, vanished)) return { ...match, fate: 'rewritten', why: '' };
  if (match.fate !== 'removed' || levelOf(match.before) < ERROR || !subject.includes('(')) return match;
  const isTurned = (fact: AssertionFact): boolean =>
    fact.subject === subject && (fact.kind === 'throws') !== (kind === 'throws') && levelOf(fact) >= ERROR && canFail(fact);
  const turned = after.assertions.find(isTurned) ?? added.get(subject)?.find(isTurned);
  return turned === undefined ? match : { ...match, after: turned, fate: 'rewritten' };
}

/** An error of a class is wanted, or more. */
const ERROR = 34;

/** Without source that changed, a wanted value is no lie by itself: the test may have been wrong. */
function isTold({ before, after }: Match, { input, ranBefore }: Evidence, test: TestFact): boolean {
  if (after === null || before.subject !== after.subject || !isWritten(before) || !isWritten(after)) return false;
  if (input.everyRewrite === true) return true;
  // One that is expected to fail passes by failing.
  if (before.reach !== 'always' || test.marks.some(({ kind }) => kind === 'failing')) return false;
  const results = ranBefore?.of(test) ?? [];
  return results.length > 0 && results.every(({ status }) => status === 'passed');
}

/** Guards only stand for what was checked before: those of before are left out, and those that were there already. */
function withoutGuards(
  before: readonly AssertionFact[],
  after: readonly AssertionFact[],
): readonly [readonly AssertionFact[], readonly AssertionFact[]] {
  if (!before.some(({ guard }) => guard === true)) return [before, after];
  const known = new Set(before.filter(({ guard }) => guard === true).map(keyOf));
  return [before.filter(({ guard }) => guard !== true), after.filter((fact) => fact.guard !== true || !known.has(keyOf(fact)))];
}

/** The wanted value is the same but for names that source no longer has, or for what the test is given. */
function onlyRenamed(match: Match, vanished: ReadonlySet<string>): boolean {
  const { before, after } = match;
  if (after !== null && (isOpposed(before, after) || isTakenBack(match))) return false;
  if (after !== null && (movesWithInput(before, after) || isRetold(before, after))) return true;
  const texts = [wantedOf(before) ?? '', after === null ? '' : (wantedOf(after) ?? '')];
  const [old = '', now = ''] = texts.map((text) => (text.match(/"[^"]*"|[0-9][\w.]*/g) ?? []).join(' '));
  if (old !== now) return false;
  const names = new Set(tokensOf((texts[1] ?? '').replace(/"[^"]*"/g, '')));
  return tokensOf((texts[0] ?? '').replace(/"[^"]*"/g, '')).every((name) => names.has(name) || vanished.has(name));
}

/** A test under another name that asks something else: what is wanted there was not wanted before. */
function isAnother({ before, after }: Match, { how }: Pair): boolean {
  return how === 'renamed' && after !== null && before.subject !== after.subject;
}

/** The same statement before the change, where it was not needed for another. */
function twin(fact: AssertionFact, before: TestFact): AssertionFact | null {
  return before.assertions.find((other) => other.span.text === fact.span.text) ?? null;
}

function sighting(rule: GuardRule, match: Match, { before, after }: Pair, changed: ReadonlySet<string>): Sighting {
  const now = match.after === null ? null : seenFrom(match.after.span, after, changed);
  const old = seenFrom(match.before.span, before, changed);
  return { rule, file: (now ?? old).file, before: old, after: now, test: after.path, why: match.why };
}

/** A helper that the change does not touch is not to blame: the test that calls it is. */
function seenFrom(span: Span, test: TestFact, changed: ReadonlySet<string>): Span {
  return changed.has(span.file) ? span : test.span;
}

function lossOf(
  match: Match,
  pair: Pair,
  failed: boolean,
  { changed, vanished, spares }: Evidence,
  listed: ReadonlySet<AssertionFact>,
): Sighting | null {
  if (match.after?.guard === true && match.after.swallowed !== null)
    return sighting('assertion-swallowed', { ...match, why: match.after.swallowed }, pair, changed);
  const quiet = quietLoss(match);
  if (quiet !== null) return { ...sighting('assertion-weakened', { ...match, why: quiet }, pair, changed), paired: true };
  if (match.fate === 'kept' || match.fate === 'rewritten' || listed.has(match.before)) return null;
  if (match.before.reach === 'never' || match.before.tautology !== null || match.before.swallowed !== null) return null;
  const key = keyOf(match.before);
  if (spares.take(match.before)) return null;
  if (match.fate === 'weakened') {
    if (failed && match.after !== null && levelOf(match.after) >= 40) return null;
    return { ...sighting('assertion-weakened', match, pair, changed), paired: isOfSame(match) };
  }
  if (tokensOf(match.before.subject).some((name) => vanished.has(name))) return null;
  const line = match.before.span.line;
  const twice = pair.before.assertions.some(
    (other) =>
      other !== match.before && keyOf(other) === key && Math.abs(other.span.line - line) <= 1 && other.span.from !== match.before.span.from,
  );
  if (twice && pair.after.assertions.some((other) => keyOf(other) === key)) return null;
  if (isSameTable(pair) && pair.after.assertions.some((other) => keyOf(other) === key)) return null;
  const fewer = pair.after.assertions.some((other) => other.template === match.before.template);
  const found = sighting(fewer ? 'assertion-weakened' : 'assertion-removed', match, pair, changed);
  return fewer ? { ...found, why: 'fewer values are tried' } : { ...found, file: pair.after.span.file };
}

/** Its table has the rows that it had, if not each as often: one that stood there twice was tried twice. */
function isSameTable({ before, after }: Pair): boolean {
  if (before.rows === null || after.rows === null || before.rows.length <= after.rows.length) return false;
  const [old, now] = [new Set(before.rows), new Set(after.rows)];
  return old.size === now.size && [...old].every((row) => now.has(row));
}

/** How often something was done, where the list of it is still wanted: the list says that too. */
function countsOfLists(matches: readonly Match[]): ReadonlySet<AssertionFact> {
  const kept = new Set(matches.flatMap(({ fate, before }) => (fate === 'kept' && before.kind === 'equal' ? [before.span.from] : [])));
  return new Set(matches.flatMap(({ before }) => (before.kind === 'calledTimes' && kept.has(before.span.from) ? [before] : [])));
}

/** Asks about the same value, or about what is made from it. */
function isOfSame({ before, after }: Match): boolean {
  return after !== null && (before.subject === after.subject || isWithin(after.subject, before.subject));
}

/** Why an assertion cannot do its work, where that is new. */
function flaws(
  fact: AssertionFact,
  old: AssertionFact | null,
  test: TestFact,
  leaving: boolean,
  changed: ReadonlySet<string>,
): readonly Sighting[] {
  const found: Sighting[] = [];
  if (fact.guard === true) return found;
  const span = seenFrom(fact.span, test, changed);
  const sight = (rule: GuardRule, why: string | null): void => {
    found.push({ rule, file: span.file, before: old?.span ?? null, after: span, test: test.path, ...(why === null ? {} : { why }) });
  };
  if (fact.tautology !== null && (old === null || old.tautology === null)) sight('assertion-tautological', fact.tautology);
  else if (fact.echo === true && old !== null && old.echo !== true && isWritten(old, true) && levelOf(old) >= EXACT - 3)
    sight('assertion-tautological', 'both sides come from the same place');
  if (fact.swallowed !== null && fact.tautology === null && (old === null || old.swallowed === null)) {
    sight('assertion-swallowed', fact.swallowed);
    const at = fact.swallowedAt;
    if (at !== undefined && changed.has(at.file))
      found.push({ rule: 'assertion-swallowed', file: at.file, after: at, why: fact.swallowed });
  }
  if (fact.waiting === 'floating' && (old === null || old.waiting !== 'floating')) sight('assertion-unawaited', null);
  if (found.length > 0 || leaving) return found;
  if (fact.reachWhy?.startsWith('in a loop') === true && old?.subject.includes('.every(') === true) return found;
  const looped = old?.reach === 'maybe' && old.reachWhy?.startsWith('in a loop') === true && fact.reachWhy === 'under a condition';
  const worse =
    fact.reach === 'never' ? old?.reach !== 'never' : fact.reach === 'maybe' && old !== null && (old.reach === 'always' || looped);
  if (worse) sight('assertion-unreached', fact.reachWhy);
  return found;
}

/** A new check that need not run, where others were lost. */
function unreached(fact: AssertionFact, test: TestFact, changed: ReadonlySet<string>): Sighting {
  const span = seenFrom(fact.span, test, changed);
  return {
    rule: 'assertion-unreached',
    file: span.file,
    after: span,
    test: test.path,
    ...(fact.reachWhy === null ? {} : { why: fact.reachWhy }),
  };
}

/** Helpers that tests share, in files of their own. */
function helpers(evidence: Evidence): readonly Sighting[] {
  const sightings: Sighting[] = [];
  for (const { before, after } of evidence.files) {
    for (const now of after?.helpers ?? []) {
      const was = before?.helpers.find(({ name }) => name === now.name);
      if (was === undefined || was.assertions.length === 0) continue;
      if (now.assertions.length === 0 && /^(expect|assert|should)\b/.test(now.name)) {
        sightings.push({ rule: 'assertions-patched', file: now.span.file, before: was.span, after: now.span, test: [now.name] });
        continue;
      }
      const test: TestFact = { ...EMPTY_TEST, path: [now.name], span: now.span, head: now.span, assertions: now.assertions };
      const old: TestFact = { ...test, span: was.span, assertions: was.assertions };
      const pair: Pair = { before: old, after: test, how: 'same' };
      const told: Told = { stopped: new Set(), leaving: new Set() };
      sightings.push(...comparePair({ ...evidence, sourceChanged: false }, pair, told, NO_SUBJECTS).sightings);
      const count = was.returns.length;
      for (const span of now.returns.slice(count)) sightings.push({ rule: 'early-return', file: span.file, after: span, test: [now.name] });
    }
  }
  return sightings;
}

const EMPTY_TEST: Omit<TestFact, 'path' | 'span' | 'head' | 'assertions'> = {
  marks: [],
  outer: [],
  condition: null,
  hidden: null,
  empty: false,
  rows: null,
  returns: [],
  branches: [],
  body: '',
};
