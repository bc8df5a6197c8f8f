// The test is still written but the runner never sees it.

import { eachStatement } from '../syntax/walk.js';
import { printBody } from '../syntax/print.js';
import type { Evidence } from '../evidence.js';
import type { Source } from '../syntax/nodes.js';
import { spanOf } from '../findings/finding.js';
import type { Rule } from './rule.js';
import type { Sighting, Span } from '../findings/finding.js';
import { roleOf } from '../project/paths.js';
import { isCode } from '../syntax/languages.js';

export const testHidden: Rule = {
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
    return [
      { file: found.source.path, level: 'breach' as const, before: spanOf(test.source, test.head), after: found.span, test: test.path },
    ];
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
        level: 'breach' as const,
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
    return [{ file: path, level: 'breach' as const, before: null, after: null, why: `it was ${renamedFrom}` }];
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
    const status = ran.get(result.id) ?? ran.get(renamed.get(result.id) ?? '');
    if (status !== undefined && status !== 'skipped') return [];
    const file = result.file ?? result.id.split(' > ')[0] ?? '';
    const why = status === undefined ? 'it passed before and was not run after the change' : 'the runner skipped it after the change';
    return [{ file, level: 'breach', before: null, after: null, test: result.id.split(' > ').slice(1), why }];
  });
}
