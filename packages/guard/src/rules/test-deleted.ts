// A test is gone, and nothing else checks what it checked.

import { textOf } from '../evidence.js';
import type { Evidence } from '../evidence.js';
import { rootName } from '../syntax/walk.js';
import type { Test } from '../test-model/facts.js';
import { spanOf } from '../findings/finding.js';
import type { Rule } from './rule.js';
import type { Sighting } from '../findings/finding.js';

export const testDeleted: Rule = {
  name: 'test-deleted',
  severity: 'high',
  message: 'A test is gone, and nothing else checks what it checked.',
  honest: 'Keep the test; delete it only with what it tests.',
  levels: 'A note where the change also changes or removes code that the test names, or new tests of the same file ask as much.',
  example: {
    cheat: '- def test_rejects_negative():\n-     with pytest.raises(ValueError):\n-         pay(-1)',
    honest: 'The same, where `pay` is deleted too.',
  },
  find: (evidence) => {
    // By file: how much more new tests ask than removed ones did.

    const sums = new Map<string, number>();
    const addTest = (test: Test, side: 'before' | 'after', sign: number): void => {
      const { claims } = evidence[side].claims(test);
      const sum = claims.reduce((total, { strength }) => total + strength, 0);
      sums.set(test.source.path, (sums.get(test.source.path) ?? 0) + sign * sum);
    };
    for (const test of evidence.pairing.removed) addTest(test, 'before', -1);
    for (const test of evidence.pairing.added) addTest(test, 'after', 1);
    const balance = sums;
    return evidence.pairing.removed.flatMap((test): readonly Sighting[] => {
      const { claims } = evidence.before.claims(test);
      if (
        test.run === null ||
        claims.length === 0 ||
        test.marks.some(({ kind, condition }) => (kind === 'skip' || kind === 'todo') && condition === null)
      )
        return [];
      const open = claims.filter((claim) => !evidence.isAskedElsewhere(claim, null));
      if (open.length === 0) return [];
      const explained = isExplained(evidence, test);
      if (explained === 'gone') return [];
      const isBalanced = (balance.get(test.source.path) ?? 0) >= 0;
      return [
        {
          file: test.source.path,
          level: explained === 'changed' || isBalanced ? 'note' : 'breach',
          before: spanOf(test.source, test),
          after: null,
          test: test.path,
        },
      ];
    });
  },
};

/** `gone`: the code that it names is gone; `changed`: it is another now. */
function isExplained(evidence: Evidence, test: Test): 'gone' | 'changed' | null {
  const { code } = evidence;
  // Where source may not change, its change excuses nothing.
  if (code.files.length === 0 || evidence.isTestingOnly) return null;
  const words = new Set(textOf(test, test).match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu));
  const own = test.scope.definitions();
  const isOwnName = (name: string): boolean => {
    const definition = own.get(name);
    if (definition === undefined || definition.module !== null) return false;
    return definition.value === null || rootName(definition.value) !== 'require';
  };
  const namesTest = (list: ReadonlySet<string>): boolean => [...list].some((name) => words.has(name) && !isOwnName(name));
  if (namesTest(code.removedNames) || namesTest(code.vanishedNames)) return 'gone';
  if (code.files.some(({ after, before, path }) => after === null && before !== null && isNamedInTest(test, path))) return 'gone';
  return namesTest(code.changedNames) || namesTest(code.touchedNames) ? 'changed' : null;
}

/** The test file is named like the source file, or imports it. */
function isNamedInTest(test: Test, path: string): boolean {
  const stem = /([^/]+?)\.\w+$/.exec(path)?.[1] ?? '';
  return stem.length > 2 && (test.source.path.includes(stem) || test.source.text.includes(stem));
}
