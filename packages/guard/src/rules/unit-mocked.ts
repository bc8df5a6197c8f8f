// What is tested is replaced by the test itself.

import { print } from '../syntax/print.js';
import { dottedName, lastName } from '../syntax/walk.js';
import type { Evidence } from '../evidence.js';
import type { Value } from '../syntax/nodes.js';
import type { Check, Double, Test, Walked } from '../test-model/facts.js';
import { expand } from '../test-model/scope.js';
import { spanOf } from '../findings/finding.js';
import type { Rule } from './rule.js';
import type { Sighting } from '../findings/finding.js';

export const unitMocked: Rule = {
  name: 'unit-mocked',
  severity: 'high',
  message: 'What is tested is replaced by the test itself.',
  honest: 'Replace what the unit calls, never the unit.',
  levels: 'A note in a test that is new.',
  example: {
    cheat: "+ jest.spyOn(cart, 'total').mockReturnValue(30)\n  expect(cart.total()).toBe(30)",
    honest: "+ jest.spyOn(api, 'prices').mockReturnValue([10, 20])\n  expect(cart.total()).toBe(30)",
  },
  isBreachInTesting: true,
  find: (evidence) => [
    ...evidence.pairing.pairs
      .filter((pair) => evidence.isTouched(pair))
      .flatMap(({ before, after }) => {
        const old = new Set(evidence.before.walk(before).doubles.map(({ target }) => target));
        return findReplaced(evidence, after, (double) => !old.has(double.target), 'breach');
      }),
    ...evidence.pairing.added.flatMap((test) => findReplaced(evidence, test, () => true, 'note')),
  ],
};

function findReplaced(evidence: Evidence, test: Test, isNew: (double: Double) => boolean, level: Sighting['level']): readonly Sighting[] {
  const walked = evidence.after.walk(test);
  const fresh = walked.doubles.filter((double) => double.kind === 'member' && isNew(double));
  if (fresh.length === 0) return [];
  return fresh
    .filter(({ target }) => isTargetChecked(walked, target))
    .map((double) => ({ file: test.source.path, level, before: null, after: spanOf(double.source, double), test: test.path }));
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
