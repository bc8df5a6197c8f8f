// A test that was found. Walking through its body is dear, and most tests of a change are as they were: it is walked through when
// somebody asks.

import type { AssertionFact, Span, TestFact, TestMark } from '../facts.js';
import type { BodyWalk } from './body.js';

export interface Outline {
  readonly path: readonly string[];
  readonly span: Span;
  readonly head: Span;
  readonly marks: readonly TestMark[];
  readonly condition: Span | null;
  readonly hidden: Span | null;
  readonly empty: boolean;
  readonly returns: readonly Span[];
}

/** One way through the body: once, or once for each row of the loops around. */
export interface Passage {
  readonly walk: () => BodyWalk;
  readonly rows: () => readonly string[] | null;
}

const MOST_ASSERTIONS = 1000;

export class FoundTest implements TestFact {
  readonly path: readonly string[];
  readonly span: Span;
  readonly head: Span;
  readonly condition: Span | null;
  readonly hidden: Span | null;
  readonly empty: boolean;
  private readonly passages: Passage[] = [];
  private seen: Seen | null = null;
  private squeezed: string | null = null;
  private told: { readonly rows: readonly string[] | null } | null = null;

  constructor(
    private readonly outline: Outline,
    private readonly text: () => string,
  ) {
    this.path = outline.path;
    this.span = outline.span;
    this.head = outline.head;
    this.condition = outline.condition;
    this.hidden = outline.hidden;
    this.empty = outline.empty;
  }

  add(passage: Passage): void {
    this.passages.push(passage);
  }

  get assertions(): readonly AssertionFact[] {
    return this.look().assertions;
  }

  get marks(): readonly TestMark[] {
    return this.look().marks;
  }

  get returns(): readonly Span[] {
    return this.look().returns;
  }

  /** Few ask for them. */
  get rows(): readonly string[] | null {
    this.told ??= { rows: joined(this.passages.map((passage) => passage.rows())) };
    return this.told.rows;
  }

  get body(): string {
    this.squeezed ??= this.text();
    return this.squeezed;
  }

  /** It was walked through already. */
  get isSeen(): boolean {
    return this.seen !== null;
  }

  look(): Seen {
    this.seen ??= this.walkThrough();
    return this.seen;
  }

  private walkThrough(): Seen {
    const { marks, returns } = this.outline;
    const [first, ...more] = this.passages;
    if (first === undefined) return { assertions: [], marks, returns };
    const walk = first.walk();
    const assertions = [...walk.assertions];
    for (const passage of more) if (assertions.length < MOST_ASSERTIONS) assertions.push(...passage.walk().assertions);
    return {
      assertions,
      marks: [...marks, ...bodyMarks(walk)],
      returns: distinct([...returns, ...walk.returns]),
    };
  }
}

/** The rows of all passages; as the first has them, where one is not known. */
function joined(all: readonly (readonly string[] | null)[]): readonly string[] | null {
  const [first = null] = all;
  return first === null ? null : all.flatMap((rows) => rows ?? []);
}

interface Seen {
  readonly assertions: readonly AssertionFact[];
  readonly marks: readonly TestMark[];
  readonly returns: readonly Span[];
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
