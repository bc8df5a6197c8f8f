// What tests stand on and the change replaces: the unit, its module, the clock, the assertions.

import type { Evidence, ReadFile } from '../evidence.js';
import type { AssertionFact, FileFacts, ImportFact, ReplacementFact } from '../facts.js';
import type { GuardRule, Sighting } from '../finding.js';
import { roleOf } from '../paths.js';

const RULES: Readonly<Record<ReplacementFact['kind'], GuardRule>> = {
  unit: 'unit-mocked',
  module: 'module-replaced',
  clock: 'clock-patched',
  assertions: 'assertions-patched',
  failures: 'assertion-swallowed',
};

export function mocksRule(evidence: Evidence): readonly Sighting[] {
  const gone = new Gone(evidence.files);
  return evidence.files.flatMap((file) => [...replaced(evidence, file, gone), ...swapped(evidence, file), ...manual(evidence, file)]);
}

/** What the files of the change replaced before it and no longer do. In another file it may stand now. */
class Gone {
  private counts: ReadonlyMap<string, number> | null = null;

  constructor(private readonly files: readonly ReadFile[]) {}

  /** All is counted when somebody asks, and once: each file has a say in any number of facts. */
  of({ kind, key }: ReplacementFact): number {
    return (this.counts ??= this.count()).get(idOf(kind, key)) ?? 0;
  }

  private count(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { before, after } of this.files) {
      const old = before?.replacements() ?? [];
      if (old.length === 0) continue;
      const now = new Set(after?.replacements().map(({ kind, key }) => idOf(kind, key)));
      for (const id of old.map(({ kind, key }) => idOf(kind, key))) if (!now.has(id)) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return counts;
  }
}

function idOf(kind: string, key: string): string {
  return `${kind} ${key}`;
}

/** Tests moved this clock before, and none of them does any more. */
function stopped({ key }: ReplacementFact, { before, after }: ReadFile): boolean {
  const moved = (facts: FileFacts | null): boolean => facts?.replacements().some((one) => one.moving === true && one.key === key) === true;
  return moved(before) && !moved(after);
}

function replaced(evidence: Evidence, file: ReadFile, gone: Gone): readonly Sighting[] {
  const now = file.after?.replacements() ?? [];
  if (now.length === 0) return [];
  const old = new Map<string, number>();
  for (const { kind, key, moving } of file.before?.replacements() ?? [])
    if (moving !== true) old.set(idOf(kind, key), (old.get(idOf(kind, key)) ?? 0) + 1);
  const left = new Map<string, number>();
  const sightings: Sighting[] = [];
  for (const fact of now) {
    const id = idOf(fact.kind, fact.key);
    if (fact.moving === true || (fact.faint === true && !stopped(fact, file))) continue;
    // A fixture is a program of its own, which tests start: how it ends is what they ask about.
    if (fact.kind === 'failures' && file.role === 'fixture') continue;
    const here = old.get(id) ?? 0;
    const elsewhere = here > 0 ? 0 : (left.get(id) ?? gone.of(fact));
    if (here > 0) old.set(id, here - 1);
    else if (elsewhere > 0) left.set(id, elsewhere - 1);
    else if (fact.gives !== undefined && !wantedBefore(evidence, fact, file)) continue;
    else if (fact.kind !== 'clock' || touchesOldTests(evidence, fact, file)) {
      sightings.push({
        rule: RULES[fact.kind],
        file: file.change.path,
        after: fact.span,
        ...(fact.test === null ? {} : { test: fact.test }),
      });
    }
  }
  return sightings;
}

/** A test wanted this very answer before, and still does: now it gets it from the test itself. */
function wantedBefore({ pairing }: Evidence, { test, gives = '' }: ReplacementFact, { change }: ReadFile): boolean {
  const given = ({ expected }: AssertionFact): boolean =>
    expected !== null && (expected === gives || (expected.length > 3 && gives.includes(expected)));
  return pairing.pairs.some(
    ({ before, after }) =>
      after.span.file === change.path &&
      (test === null || after.path.join('\0') === test.join('\0')) &&
      before.assertions.some(given) &&
      after.assertions.some(given),
  );
}

/** A stand-in in `__mocks__` that a test of the module itself now takes. */
function manual(evidence: Evidence, file: ReadFile): readonly Sighting[] {
  const { path, before } = file.change;
  if (before !== null || !path.includes('__mocks__/')) return [];
  const stem = path.replace('__mocks__/', '').replace(/\.\w+$/, '');
  const taken = evidence.files.some(
    ({ after }) => after?.replacements().some(({ kind, key }) => kind === 'module' && key === stem) === true,
  );
  return taken ? [{ rule: 'module-replaced', file: path }] : [];
}

/** A clock set still in a new test is that test's own way to speak of time. */
function touchesOldTests(evidence: Evidence, fact: ReplacementFact, file: ReadFile): boolean {
  if (file.before === null && (file.after?.tests.length ?? 0) > 0) return false;
  if ((file.after?.tests.length ?? 0) === 0) return true;
  const around = fact.test ?? fact.suite ?? [];
  return evidence.pairing.pairs.some(
    ({ after }) => after.span.file === file.change.path && around.every((title, index) => after.path[index] === title),
  );
}

/** The same name is imported from elsewhere: a stand-in for the unit, or assertions that do not assert. */
function swapped(evidence: Evidence, file: ReadFile): readonly Sighting[] {
  const before = new Map((file.before?.imports ?? []).map((one) => [one.name, one] as const));
  const sightings: Sighting[] = [];
  for (const now of file.after?.imports ?? []) {
    const was = before.get(now.name);
    if (was === undefined || was.source === now.source) {
      if (was === undefined && isAssertionName(now.name) && !now.asserting)
        sightings.push(sightingOf('assertions-patched', file, null, now));
      continue;
    }
    if (now.local === true) {
      if (was.local !== true && isShadow(evidence, file, was, now) && isAsked(askedNames(file.before), now))
        sightings.push(sightingOf('unit-mocked', file, was, now));
    } else if (isAssertionName(now.name)) {
      if (was.asserting && !now.asserting) sightings.push(sightingOf('assertions-patched', file, was, now));
    } else if (isStandIn(evidence, was, now)) sightings.push(sightingOf('module-replaced', file, was, now));
  }
  return sightings;
}

/** What the assertions of a file asked about: the names at the head of their subjects. Dear, as it walks through every test. */
function askedNames(facts: FileFacts | null): ReadonlySet<string> {
  const subjects = (facts?.tests ?? []).flatMap(({ assertions }) => assertions).filter(({ kind }) => !kind.startsWith('called'));
  return new Set(subjects.map(({ subject }) => /^(?:new )?([\w$]+)[.(]/.exec(subject)?.[1] ?? ''));
}

/** A whole module is asked through its members: the stand-in has one of the same name. */
function isAsked(asked: ReadonlySet<string>, { name, span }: ImportFact): boolean {
  return asked.has(name) || [...span.text.matchAll(/[{,]\s*(?:async )?([\w$]+)\s*[:(]/g)].some(([, key = '']) => asked.has(key));
}

/** Code of the tests under the name of the unit, which does not lead on to it, where a test of before would take it. */
function isShadow(evidence: Evidence, { before, after }: ReadFile, was: ImportFact, now: ImportFact): boolean {
  if (evidence.vanished.has(was.name) || !isStandIn(evidence, was, now)) return false;
  const words = new Set(now.span.text.match(/[\w$]+/g) ?? []);
  const real = (after?.imports ?? []).filter(({ source, local }) => source === was.source && local !== true);
  if (real.some(({ name }) => name !== now.name && words.has(name))) return false;
  const around = after?.tests.find(({ span }) => span.file === now.span.file && span.from <= now.span.from && now.span.to <= span.to);
  return around === undefined || before?.tests.some(({ path }) => path.join('\0') === around.path.join('\0')) === true;
}

function isAssertionName(name: string): boolean {
  return name === 'expect' || name === 'assert' || name === 'should';
}

function sightingOf(rule: GuardRule, file: ReadFile, was: ImportFact | null, now: ImportFact): Sighting {
  return { rule, file: file.change.path, before: was?.span ?? null, after: now.span };
}

function isStandIn(evidence: Evidence, was: ImportFact, now: ImportFact): boolean {
  if (!was.source.includes('/') || roleOf(`${was.source}.ts`) !== 'source' || was.source.startsWith('@')) return false;
  const gone = evidence.files.some(({ change }) => change.after === null && change.path.startsWith(`${was.source}.`));
  const moved = evidence.files.some(({ change }) => change.renamedFrom?.startsWith(`${was.source}.`) === true);
  if (gone || moved) return false;
  const fresh = evidence.files.some(
    ({ change, role }) => change.before === null && role !== 'source' && change.path.startsWith(`${now.source}.`),
  );
  const beside = evidence.files.some(({ change }) => change.before === null && change.path.startsWith(`${now.source}.`));
  return (
    fresh ||
    (beside && /[._-](fixtures?|copy|local|samples?|replica)$/i.test(now.source) && now.source.startsWith(was.source)) ||
    /(^|[/._-])(_*(fakes?|mocks?|stubs?|doubles?|dummy|dummies|stand-?ins?|shims?)_*)([/._-]|$)/i.test(now.source) ||
    roleOf(`${now.source}.ts`) !== 'source'
  );
}
