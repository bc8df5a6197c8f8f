// Hooks of the runner that are new in the change: they are settings of the tests, written as code.

import type { Evidence, ReadFile } from '../evidence.js';
import type { HookFact } from '../facts.js';
import type { GuardRule, Sighting } from '../finding.js';

export function hooksRule(evidence: Evidence): readonly Sighting[] {
  const sightings: Sighting[] = [];
  const gone = evidence.files.flatMap(({ after, before }) => (after === null ? (before?.hooks ?? []) : []));
  for (const file of evidence.files) {
    const { change, before, after } = file;
    for (const hook of after?.hooks ?? []) {
      if (hook.mark !== undefined) {
        sightings.push(...markTaken(hook, file));
        continue;
      }
      if (isOld(hook, file) || (before === null && gone.some(({ key, count }) => key === hook.key && (count ?? 0) >= (hook.count ?? 0))))
        continue;
      const was = before?.hooks?.find(({ name }) => name === hook.name)?.span ?? null;
      sightings.push({
        rule: 'config-changed',
        file: change.path,
        before: was,
        after: hook.span,
        why: `${hook.name} decides which tests run, or how they end`,
      });
    }
  }
  return sightings;
}

const RULES: Readonly<Record<NonNullable<HookFact['mark']>, GuardRule>> = {
  conditional: 'test-conditional',
  failing: 'failure-expected',
  skipped: 'test-skipped',
};

/** A mark that tests of other files bear did less to them before. One that nobody knew is told where tests take it. */
function markTaken({ name, mark = 'skipped', span }: HookFact, { change, before }: ReadFile): readonly Sighting[] {
  const was = before?.hooks?.find((hook) => hook.mark !== undefined && hook.name === name) ?? null;
  const isKnown = was !== null || new RegExp(`^(?:(?:async )?def ${name}\\(|${name}\\s*[:=])`, 'm').test(change.before ?? '');
  if (!isKnown || was?.mark === mark || was?.mark === 'skipped') return [];
  return [{ rule: RULES[mark], file: change.path, before: was?.span ?? null, after: span, why: `${name} does it to whoever bears it` }];
}

/** It was there before. Of what is counted: no less often, and not for tests that did without. */
function isOld({ key, count, title }: HookFact, { before }: ReadFile): boolean {
  const known = (before?.hooks ?? []).filter((hook) => hook.key === key);
  if (count === undefined || known.length === 0) return known.length > 0;
  if (count > Math.max(...known.map((hook) => hook.count ?? 0))) return false;
  // What the whole file had, any part of it may have.
  if (known.some((hook) => hook.title === undefined || hook.title === title)) return true;
  return title !== undefined && before?.tests.some(({ path }) => path.includes(title)) !== true;
}
