// Marks that a test has now and did not have before.

import type { Evidence } from '../evidence.js';
import type { Pair } from '../compare/losses.js';
import { textOf } from '../evidence.js';
import type { Mark, MarkKind, Test } from '../test-model/facts.js';
import { truthOf } from '../syntax/fold.js';
import { expand } from '../test-model/scope.js';

export interface NewMark {
  readonly mark: Mark;
  readonly test: Test;
  /** Null: the test is new. */
  readonly pair: Pair | null;
}

export function newMarks(evidence: Evidence, kind: MarkKind): readonly NewMark[] {
  const paired = evidence.pairing.pairs
    .filter((pair) => evidence.isTouched(pair))
    .flatMap((pair) => {
      const old = findMarks(evidence, 'before', pair.before, kind);
      const now = findMarks(evidence, 'after', pair.after, kind);
      // A test that never ran does not stop running; a condition that was there may be worded anew.
      if (old.some(({ condition }) => condition === null)) return [];
      const known = new Set(old.map((mark) => textOf(pair.before, mark)));
      const fresh = now.filter((mark) => !known.has(textOf(pair.after, mark)));
      return fresh
        .slice(0, Math.max(0, now.length - old.length) || (fresh.some(({ condition }) => condition === null) ? fresh.length : 0))
        .map((mark) => ({ mark, test: pair.after, pair }));
    });
  const added = evidence.pairing.added.flatMap((test) =>
    findMarks(evidence, 'after', test, kind).map((mark) => ({ mark, test, pair: null })),
  );
  return [...paired, ...added];
}

function findMarks(evidence: Evidence, side: 'before' | 'after', test: Test, kind: MarkKind): readonly Mark[] {
  const inner = test.run === null ? [] : evidence[side].walk(test).marks;
  return [...test.marks, ...inner].flatMap((mark) => {
    if (mark.kind !== kind && !(kind === 'skip' && mark.kind === 'todo' && test.run !== null)) return [];
    if (mark.condition === null) return [mark];
    const truth = truthOf(expand(mark.condition, test.scope));
    return [truth === 'unknown' || isRunCondition(test, mark) ? mark : { ...mark, condition: null }].filter(
      () => truth !== 'false' || isRunCondition(test, mark),
    );
  });
}

/** Of `runIf`, `skipUnless` and `if` around a test: it runs when the condition holds. */
function isRunCondition(test: Test, mark: Mark): boolean {
  return !/skipIf|skipif|skip_if/.test(test.source.text.slice(Math.max(0, mark.from - 4), mark.to).slice(0, 60));
}
