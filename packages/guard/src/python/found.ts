// What a walk through a Python test comes to, with what is written around its body.

import type { TestMark } from '../facts.js';
import type { Walked } from '../found-test.js';
import type { BodyWalk } from './body.js';

/** `isShadowed`: another stands in its place. `isIdle`: nobody awaits it. */
export function walkedOf(walk: BodyWalk, outer: readonly TestMark[], isShadowed: boolean, isIdle: boolean): Walked {
  const skips = walk.skips.map(({ span, kind }): TestMark => ({ kind, span, key: 'skip()' }));
  const failing = walk.reversed.map((span): TestMark => ({ kind: 'failing', span, key: 'must raise' }));
  const assertions = isIdle ? walk.assertions.map((one) => ({ ...one, waiting: 'floating' as const })) : walk.assertions;
  return {
    marks: distinctMarks([...outer, ...skips, ...failing]),
    assertions: isShadowed ? [] : assertions,
    returns: walk.returns.filter((span, index) => walk.returns.findIndex((other) => other.from === span.from) === index),
    branches: walk.branched,
  };
}

export function distinctMarks(marks: readonly TestMark[]): readonly TestMark[] {
  return marks.filter(
    (mark, index) =>
      marks.findIndex((other) => other.span.from === mark.span.from && other.span.file === mark.span.file && other.kind === mark.kind) ===
      index,
  );
}
