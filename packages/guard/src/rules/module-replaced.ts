// The module under test is replaced, so its code never runs.

import { dottedName, eachBelow, rootName } from '../syntax/walk.js';
import type { Evidence, ReadFile } from '../evidence.js';
import type { Place } from '../syntax/nodes.js';
import { doubleOf } from '../test-model/doubles.js';
import type { FoundTests } from '../test-model/find.js';
import { expand } from '../test-model/scope.js';
import { spanOf } from '../findings/finding.js';
import type { Rule } from './rule.js';
import type { Sighting } from '../findings/finding.js';

export const moduleReplaced: Rule = {
  name: 'module-replaced',
  severity: 'high',
  message: 'The module under test is replaced, so its code never runs.',
  honest: 'Test the real module.',
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
    .map((place) => ({ file: change.path, level: 'breach', before: null, after: spanOf(after.source, place) }));
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
      level: 'breach',
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
