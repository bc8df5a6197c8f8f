// How a test of JavaScript is walked through: once, or once for each row of the loops around.

import type { AssertionFact, Span, TestMark } from '../facts.js';
import type { Walked } from '../found-test.js';
import type { BodyWalk } from './body.js';

/** One way through the body. */
export interface Passage {
  readonly walk: () => BodyWalk;
  readonly rows: () => readonly string[] | null;
}

const MOST_ASSERTIONS = 1000;

/** `around`: the marks and returns that are known without it. */
export function walkThrough(
  passages: readonly Passage[],
  around: { readonly marks: readonly TestMark[]; readonly returns: readonly Span[] },
): Walked {
  const { marks, returns } = around;
  const [first, ...more] = passages;
  if (first === undefined) return { assertions: [], marks, returns, branches: [] };
  const walk = first.walk();
  const assertions: AssertionFact[] = [...walk.assertions];
  for (const passage of more) if (assertions.length < MOST_ASSERTIONS) assertions.push(...passage.walk().assertions);
  return { assertions, marks: [...marks, ...bodyMarks(walk)], returns: distinct([...returns, ...walk.returns]), branches: [] };
}

/** The rows of all passages; as the first has them, where one is not known. */
export function joinedRows(passages: readonly Passage[]): readonly string[] | null {
  const all = passages.map((passage) => passage.rows());
  const [first = null] = all;
  return first === null ? null : all.flatMap((rows) => rows ?? []);
}

function distinct(spans: readonly Span[]): readonly Span[] {
  return spans.filter((span, index) => spans.findIndex((other) => other.from === span.from && other.file === span.file) === index);
}

function bodyMarks(walk: BodyWalk): readonly TestMark[] {
  const skips = walk.skips.map(({ span, conditional }): TestMark => ({
    kind: conditional ? 'conditional' : 'skipped',
    span,
    key: 'skip()',
  }));
  return [...skips, ...walk.reversed.map((span): TestMark => ({ kind: 'failing', span, key: 'must throw' }))];
}
