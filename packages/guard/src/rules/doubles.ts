// Rules about stand-ins: what is tested is replaced by the test itself.

import type { Evidence, ReadFile } from '../evidence.js';
import { spanOf } from '../findings/finding.js';
import type { Sighting } from '../findings/finding.js';
import type { Place, Value } from '../syntax/nodes.js';
import { print } from '../syntax/print.js';
import { dottedName, eachBelow, lastName, rootName } from '../syntax/walk.js';
import { doubleOf } from '../test-model/walk.js';
import type { Check, Double, Test, Walked } from '../test-model/facts.js';
import type { FoundTests } from '../test-model/find.js';
import { expand } from '../test-model/scope.js';
import type { Rule } from './rule.js';

const unitMocked: Rule = {
  name: 'unit-mocked',
  severity: 'high',
  message: 'What is tested is replaced by the test itself.',
  honest: 'Replace what the unit calls, never the unit.',
  isSuspicion: true,
  example: {
    cheat: "+ jest.spyOn(cart, 'total').mockReturnValue(30)\n  expect(cart.total()).toBe(30)",
    honest: "+ jest.spyOn(api, 'prices').mockReturnValue([10, 20])\n  expect(cart.total()).toBe(30)",
  },
  find: (evidence) => [
    ...evidence.pairing.pairs
      .filter((pair) => evidence.isTouched(pair))
      .flatMap(({ before, after }) => {
        const old = new Set(evidence.before.walk(before).doubles.map(({ target }) => target));
        return findReplaced(evidence, after, (double) => !old.has(double.target));
      }),
    ...evidence.pairing.added.flatMap((test) => findReplaced(evidence, test, () => true)),
  ],
};

function findReplaced(evidence: Evidence, test: Test, isNew: (double: Double) => boolean): readonly Sighting[] {
  const walked = evidence.after.walk(test);
  const fresh = walked.doubles.filter((double) => double.kind === 'member' && isNew(double));
  if (fresh.length === 0) return [];
  return fresh
    .filter(({ target }) => isTargetChecked(walked, target))
    .map((double) => ({ file: test.source.path, before: null, after: spanOf(double.source, double), test: test.path }));
}

/** The test calls what it replaced, or asks about it. */
function isTargetChecked({ calls, checks }: Walked, target: string): boolean {
  const parts = target.split('.');
  const member = parts.at(-1) ?? '';
  const owner = parts.at(-2) ?? '';
  if (owner === 'prototype') return [...calls].some((call) => call.endsWith(`.${member}`));
  const matchesTarget = (path: string): boolean =>
    path === target || path === `${owner}.${member}` || (path === member && parts.length > 1);
  return [...calls].some(matchesTarget) || checks.some((check) => check.relation !== 'called' && isSubject(check, target));
}

/** What is asked about is a part of what was replaced. */
function isSubject(check: Check, target: string): boolean {
  if (dottedName(check.subject) === target) return true;
  const [member = '', owner = ''] = target.split('.').toReversed();
  const subject = outermost(expand(check.subject, check.scope));
  if (subject === null || lastName(subject) !== member) return false;
  const path = dottedName(subject);
  return subject.kind === 'name' || path.split('.').at(-2) === owner || target.endsWith(path) || print(subject).includes(owner);
}

/** The function whose result is asked about. */
function outermost(value: Value): Value | null {
  if (value.kind === 'await') return outermost(value.value);
  if (value.kind === 'call') return value.callee;
  if (value.kind === 'member' || value.kind === 'index') return outermost(value.object);
  return null;
}

const moduleReplaced: Rule = {
  name: 'module-replaced',
  severity: 'high',
  message: 'The module under test is replaced, so its code never runs.',
  honest: 'Test the real module.',
  isSuspicion: true,
  example: {
    cheat: "+ vi.mock('../src/cart', () => ({ total: () => 30 }))",
    honest: "+ vi.mock('../src/api', () => ({ prices: () => [10, 20] }))",
  },
  find: (evidence) =>
    evidence.files.flatMap((file) =>
      file.before === null || file.after === null ? [] : [...mocked(evidence, file), ...importedElsewhere(file)],
    ),
};

function mocked(evidence: Evidence, { change, before, after }: ReadFile): readonly Sighting[] {
  if (before === null || after === null) return [];
  const old = new Set(modulesMocked(before).map(({ target }) => target));
  const fresh = modulesMocked(after).filter(({ target }) => !old.has(target));
  if (fresh.length === 0) return [];
  // Modules whose functions the tests of a file ask about.

  const modules = new Map<string, string>();
  for (const test of before.tests)
    for (const { subject, scope, relation } of evidence['before'].walk(test).checks) {
      if (relation === 'called') continue;
      const root = rootName(expand(subject, scope));
      const module = scope.moduleOf(root);
      if (module !== null && !/^(node:|fs$|path$|os$)/.test(module.path)) modules.set(root, module.path);
    }
  // `./Cart` of `src/Cart.test.tsx`.
  const tested = new Set([...modules.values(), `./${(change.path.split('/').at(-1) ?? '').replace(/[._-](test|spec)\b.*$/, '')}`]);
  return fresh
    .filter(({ target }) => [...tested].some((path) => dropExtension(path) === dropExtension(target)))
    .map((place) => ({ file: change.path, before: null, after: spanOf(after.source, place) }));
}

function modulesMocked({ source, dialect }: FoundTests): readonly (Place & { readonly target: string })[] {
  const found: (Place & { readonly target: string })[] = [];
  for (const statement of source.body) {
    if (statement.kind !== 'expression') continue;
    eachBelow(statement.value, (value) => {
      const double = value.kind === 'call' && dottedName(value.callee) !== '' ? doubleOf(value, source, dialect) : null;
      if (double?.kind === 'module') found.push(double);
      return value.kind !== 'function';
    });
  }
  return found;
}

/** The name of what is tested now comes from a file that stands in for it. */
function importedElsewhere({ change, before, after }: ReadFile): readonly Sighting[] {
  if (before === null || after === null) return [];
  const sightings: Sighting[] = [];
  for (const [name, { module }] of before.scope.definitions()) {
    const path = module?.path;
    const now = after.scope.moduleOf(name)?.path;
    if (path === undefined) continue;
    if (now === undefined || now === path || !STAND_IN.test(now) || STAND_IN.test(path)) continue;
    const statement = after.source.body.find((one) => one.kind === 'import' && one.module === now);
    sightings.push({
      file: change.path,
      before: null,
      after: statement === undefined ? null : spanOf(after.source, statement),
      why: `${name} comes from ${now}`,
    });
  }
  return sightings;
}

const STAND_IN = /fake|mock|stub|dummy|stand-?in/i;

function dropExtension(path: string): string {
  return path.replace(/\.\w+$/, '').replace(/^[./@~]+/, '');
}

export const DOUBLE_RULES: readonly Rule[] = [unitMocked, moduleReplaced];
