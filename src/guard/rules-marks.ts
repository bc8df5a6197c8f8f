// Comments and types that are new in the change and keep a tool from looking. Marks on tests are rules-tests.ts's.

import type { Evidence, ReadFile } from './evidence.js';
import type { SuppressionFact } from './facts.js';
import type { GuardRule, Sighting } from './finding.js';

const RULES: Readonly<Record<SuppressionFact['kind'], GuardRule>> = {
  type: 'type-suppressed',
  any: 'any-used',
  lint: 'lint-disabled',
  coverage: 'coverage-ignored',
};

/** What was there before, in this file or another one of the change, is not new. */
export function marksRule(evidence: Evidence): readonly Sighting[] {
  const moved = new Map<string, number>();
  const fresh: { readonly fact: SuppressionFact; readonly file: ReadFile }[] = [];
  for (const file of evidence.files) {
    const old = counts(file.before?.suppressions ?? []);
    for (const fact of file.after?.suppressions ?? []) {
      const key = keyOf(fact);
      const left = old.get(key) ?? 0;
      if (left > 0) old.set(key, left - 1);
      else if (!isTypeTest(fact, file)) fresh.push({ fact, file });
    }
    for (const [key, left] of old) if (left > 0) moved.set(key, (moved.get(key) ?? 0) + left);
  }
  const sightings: Sighting[] = [];
  for (const { fact, file } of fresh) {
    const key = keyOf(fact);
    const left = moved.get(key) ?? 0;
    if (left > 0) moved.set(key, left - 1);
    else sightings.push({ rule: RULES[fact.kind], file: file.change.path, after: fact.span });
  }
  return sightings;
}

function keyOf({ kind, key }: SuppressionFact): string {
  return kind === 'any' ? kind : `${kind} ${key}`;
}

/** In a test of types, an expected error is the check itself. */
function isTypeTest(fact: SuppressionFact, file: ReadFile): boolean {
  return fact.key === '@ts-expect-error' && /\.(test|spec)-d\.[cm]?tsx?$/.test(file.change.path);
}

function counts(facts: readonly SuppressionFact[]): Map<string, number> {
  const map = new Map<string, number>();
  for (const fact of facts) map.set(keyOf(fact), (map.get(keyOf(fact)) ?? 0) + 1);
  return map;
}
