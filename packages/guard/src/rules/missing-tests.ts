// Rules about tests that are gone, that the runner never sees, or that nobody can read.

import { isUnread, sliceSource } from '../evidence.js';
import type { Evidence } from '../evidence.js';
import { spanOf, differing } from '../findings/finding.js';
import type { Sighting, Span } from '../findings/finding.js';
import { roleOf } from '../project/paths.js';
import { isCode } from '../syntax/nodes.js';
import type { Source } from '../syntax/nodes.js';
import { printBody } from '../syntax/print.js';
import { eachStatement, rootName } from '../syntax/walk.js';
import type { Test } from '../test-model/facts.js';
import type { Rule } from './rule.js';

const testDeleted: Rule = {
  name: 'test-deleted',
  severity: 'high',
  message: 'A test is gone, and nothing else checks what it checked.',
  honest: 'Keep the test; delete it only with what it tests.',
  levels: 'Nothing is said where the source no longer has what the test names.',
  isSuspicion: true,
  example: {
    cheat: '- def test_rejects_negative():\n-     with pytest.raises(ValueError):\n-         pay(-1)',
    honest: 'The same, where `pay` is deleted too.',
  },
  find: (evidence) =>
    evidence.pairing.removed.flatMap((test): readonly Sighting[] => {
      const { claims } = evidence.before.claims(test);
      const neverRan = test.marks.some(({ kind, condition }) => (kind === 'skip' || kind === 'todo') && condition === null);
      if (test.run === null || neverRan || claims.every((claim) => evidence.isAskedElsewhere(claim, null)) || isGone(evidence, test))
        return [];
      return [{ file: test.source.path, before: spanOf(test.source, test), after: null, test: test.path }];
    }),
};

/** The code that the test names is gone. */
function isGone({ code, isTestingOnly }: Evidence, test: Test): boolean {
  // Where source may not change, its change excuses nothing.
  if (code.files.length === 0 || isTestingOnly) return false;
  const words = new Set(sliceSource(test, test).match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu));
  const own = test.scope.definitions();
  const isOwnName = (name: string): boolean => {
    const definition = own.get(name);
    if (definition === undefined || definition.module !== null) return false;
    return definition.value === null || rootName(definition.value) !== 'require';
  };
  return (
    [...code.removedNames, ...code.vanishedNames].some((name) => words.has(name) && !isOwnName(name)) ||
    code.files.some(({ after, before, path }) => after === null && before !== null && isNamedInTest(test, path))
  );
}

/** The test file is named like the source file, or imports it. */
function isNamedInTest(test: Test, path: string): boolean {
  const stem = /([^/]+?)\.\w+$/.exec(path)?.[1] ?? '';
  return stem.length > 2 && (test.source.path.includes(stem) || test.source.text.includes(stem));
}

const testHidden: Rule = {
  name: 'test-hidden',
  severity: 'high',
  message: 'The test is still written but the runner never sees it.',
  honest: 'Keep it where the runner finds and runs it.',
  example: { cheat: '- def test_total():\n+ def _test_total():', honest: '- def test_total():\n+ def test_total_of_cart():' },
  find: (evidence) => [...unseen(evidence), ...shadowed(evidence), ...movedAway(evidence), ...findTestsNotRun(evidence)],
};

/** A test that is gone while a function with its body is still there. */
function unseen(evidence: Evidence): readonly Sighting[] {
  const bodies = new Map<string, { readonly source: Source; readonly span: Span }>();
  for (const { after } of evidence.files) {
    if (after === null || evidence.pairing.removed.length === 0) continue;
    const tests = new Set(after.tests.map(({ run }) => run));
    eachStatement(after.source.body, (statement) => {
      if (statement.kind === 'function' && !tests.has(statement.value))
        bodies.set(printBody(statement.value.body), { source: after.source, span: spanOf(after.source, statement.head) });
    });
  }
  return evidence.pairing.removed.flatMap((test) => {
    const found = test.run === null ? undefined : bodies.get(printBody(test.run.body));
    if (found === undefined || evidence.before.claims(test).claims.length === 0) return [];
    return [{ file: found.source.path, before: spanOf(test.source, test.head), after: found.span, test: test.path }];
  });
}

/** In Python a second function of the same name replaces the first. */
function shadowed(evidence: Evidence): readonly Sighting[] {
  return evidence.files.flatMap(({ change, before, after }) => {
    if (after === null || after.source.language !== 'python') return [];
    const doubled = (tests: typeof after.tests): ReadonlySet<string> =>
      new Set(tests.filter(({ path }) => / \(\d+\)$/.test(path.at(-1) ?? '')).map(({ path }) => path.join('.')));
    const old = doubled(before?.tests ?? []);
    return after.tests
      .filter(
        ({ path, marks }) =>
          doubled(after.tests).has(path.join('.')) && !old.has(path.join('.')) && marks.every(({ condition }) => condition === null),
      )
      .map((test) => ({
        file: change.path,
        before: null,
        after: spanOf(test.source, test.head),
        test: test.path,
        why: 'another test of the same name stands below it',
      }));
  });
}

/** A test file under a name that no runner looks for. */
function movedAway(evidence: Evidence): readonly Sighting[] {
  return evidence.files.flatMap(({ change, before }) => {
    const { renamedFrom, path, after } = change;
    if (renamedFrom === undefined || after === null || roleOf(renamedFrom) !== 'test' || (before?.tests ?? []).length === 0) return [];
    if (roleOf(path) === 'test' && isCode(path)) return [];
    return [{ file: path, before: null, after: null, why: `it was ${renamedFrom}` }];
  });
}

/** Tests that passed before and did not run after, whatever the code looks like. */
function findTestsNotRun({ input, pairing, files }: Evidence): readonly Sighting[] {
  const { before, after } = input.ran ?? {};
  if (before === undefined || after === undefined) return [];
  const ran = new Map(after.map((result) => [result.id, result.status]));
  const joinTitle = (file: string, path: readonly string[]): string => [file, ...path].join(' > ');
  const renamed = new Map(
    pairing.pairs.map(({ before: old, after: now }) => [joinTitle(old.source.path, old.path), joinTitle(now.source.path, now.path)]),
  );
  const changed = new Set(files.flatMap(({ change }) => [change.path, change.renamedFrom ?? change.path]));
  const removed = new Set(pairing.removed.map(({ source, path }) => joinTitle(source.path, path)));
  return before.flatMap((result): readonly Sighting[] => {
    if (result.status !== 'passed' || removed.has(result.id)) return [];
    if (changed.has(result.file ?? result.id.split(' > ')[0] ?? '') && !renamed.has(result.id)) return [];
    // A test that became a table has an id for each row.
    const now = renamed.get(result.id) ?? result.id;
    const status = ran.get(result.id) ?? ran.get(now) ?? [...ran].find(([id]) => id.startsWith(`${now}[`))?.[1];
    if (status !== undefined && status !== 'skipped') return [];
    const file = result.file ?? result.id.split(' > ')[0] ?? '';
    const why = status === undefined ? 'it passed before and was not run after the change' : 'the runner skipped it after the change';
    return [{ file, before: null, after: null, test: result.id.split(' > ').slice(1), why }];
  });
}

const testUnread: Rule = {
  name: 'test-unread',
  severity: 'high',
  message: 'Tests can no longer be read as code, so nobody can say what they check.',
  honest: 'Keep them valid code in UTF-8, in a file of their own that is no link and smaller than 2 MB.',
  example: { cheat: 'A test file that is a link, or no code any more.', honest: 'A test file that can be read.' },
  find: (evidence) => {
    if (evidence.input.mustBeRead !== true) return [];
    return evidence.files
      .filter((file) => (file.before?.tests.length ?? 0) > 0 && (isUnread(file) || file.change.unread !== undefined))
      .map(({ change }) => ({ file: change.path, ...differing(change) }));
  },
};

export const MISSING_TEST_RULES: readonly Rule[] = [testDeleted, testHidden, testUnread];
