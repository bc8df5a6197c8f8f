// Functions of test files and their support that check something: what they ask is compared like a test, for the tests that call them.

import type { Statement } from '../syntax/nodes.js';
import type { Test } from './facts.js';
import type { FoundTests } from './find.js';
import { mayCheck } from './walk.js';

export function findHelpers(file: FoundTests | null): readonly Test[] {
  if (file === null) return [];
  const { source, scope, dialect, tests } = file;
  const runs = new Set(tests.map(({ run }) => run));
  const found: Test[] = [];
  const collectFunctions = (body: readonly Statement[], path: readonly string[]): void => {
    for (const statement of body) {
      if (statement.kind === 'class') collectFunctions(statement.body, [...path, statement.name]);
      const run =
        statement.kind === 'function'
          ? statement.value
          : statement.kind === 'assign' && statement.value?.kind === 'function'
            ? statement.value
            : null;
      const [target] = statement.kind === 'assign' ? statement.targets : [];
      const name = statement.kind === 'function' ? statement.name : target?.kind === 'name' ? target.name : '';
      if (run === null || name === '' || runs.has(run) || !mayCheck(run, dialect)) continue;
      const place = { from: statement.from, to: statement.to };
      found.push({ ...place, source, path: [...path, name], head: place, run, marks: [], tables: [], columns: null, scope, hooks: [] });
    }
  };
  collectFunctions(source.body, []);
  return found;
}
