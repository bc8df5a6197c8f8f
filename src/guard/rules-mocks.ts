// What tests stand on and the change replaces: the unit, its module, the clock, the assertions.

import type { Evidence, ReadFile } from './evidence.js';
import type { ImportFact, ReplacementFact } from './facts.js';
import type { GuardRule, Sighting } from './finding.js';
import { roleOf } from './paths.js';

const RULES: Readonly<Record<ReplacementFact['kind'], GuardRule>> = {
  unit: 'unit-mocked',
  module: 'module-replaced',
  clock: 'clock-patched',
  assertions: 'assertions-patched',
  failures: 'assertion-swallowed',
};

export function mocksRule(evidence: Evidence): readonly Sighting[] {
  return evidence.files.flatMap((file) => [...replaced(evidence, file), ...swapped(evidence, file), ...manual(evidence, file)]);
}

function replaced(evidence: Evidence, file: ReadFile): readonly Sighting[] {
  const old = movedAway(evidence, file);
  for (const { kind, key } of file.before?.replacements ?? []) old.set(`${kind} ${key}`, (old.get(`${kind} ${key}`) ?? 0) + 1);
  const sightings: Sighting[] = [];
  for (const fact of file.after?.replacements ?? []) {
    const key = `${fact.kind} ${fact.key}`;
    const left = old.get(key) ?? 0;
    if (left > 0) old.set(key, left - 1);
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

/** What other files of the tests replaced before the change and no longer do: it may stand here now. */
function movedAway(evidence: Evidence, file: ReadFile): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { before, after } of evidence.files.filter((other) => other !== file)) {
    for (const { kind, key } of before?.replacements ?? [])
      if (after?.replacements.some((one) => one.kind === kind && one.key === key) !== true)
        counts.set(`${kind} ${key}`, (counts.get(`${kind} ${key}`) ?? 0) + 1);
  }
  return counts;
}

/** A stand-in in `__mocks__` that a test of the module itself now takes. */
function manual(evidence: Evidence, file: ReadFile): readonly Sighting[] {
  const { path, before } = file.change;
  if (before !== null || !path.includes('__mocks__/')) return [];
  const stem = path.replace('__mocks__/', '').replace(/\.\w+$/, '');
  const taken = evidence.files.some(({ after }) => after?.replacements.some(({ kind, key }) => kind === 'module' && key === stem) === true);
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
    if (isAssertionName(now.name)) {
      if (was.asserting && !now.asserting) sightings.push(sightingOf('assertions-patched', file, was, now));
    } else if (isStandIn(evidence, was, now)) sightings.push(sightingOf('module-replaced', file, was, now));
  }
  return sightings;
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
  return (
    fresh ||
    /(^|[/._-])(_*(fakes?|mocks?|stubs?|doubles?|dummy|dummies|stand-?ins?|shims?)_*)([/._-]|$)/i.test(now.source) ||
    roleOf(`${now.source}.ts`) !== 'source'
  );
}
