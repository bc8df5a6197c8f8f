// A test that was found. Walking through its body is dear, and most tests of a change are as they were: it is walked through when
// somebody asks.

import type { AssertionFact, Span, TestFact, TestMark } from './facts.js';

/** What is known of a test without a walk. */
export type Outline = Pick<TestFact, 'path' | 'span' | 'head' | 'outer' | 'condition' | 'hidden' | 'empty'>;

/** What a walk tells. */
export interface Walked {
  readonly marks: readonly TestMark[];
  readonly assertions: readonly AssertionFact[];
  readonly returns: readonly Span[];
  readonly branches: readonly Span[];
}

/** How to learn the rest. */
export interface Ways {
  readonly walk: () => Walked;
  /** Few ask for them. */
  readonly rows: () => readonly string[] | null;
  readonly body: () => string;
}

export class FoundTest implements TestFact {
  readonly path: readonly string[];
  readonly span: Span;
  readonly head: Span;
  readonly outer: readonly TestMark[];
  readonly condition: Span | null;
  readonly hidden: Span | null;
  readonly empty: boolean;
  private walked: Walked | null = null;
  private text: string | null = null;
  private told: { readonly rows: readonly string[] | null } | null = null;

  constructor(
    outline: Outline,
    private readonly ways: Ways,
  ) {
    this.path = outline.path;
    this.span = outline.span;
    this.head = outline.head;
    this.outer = outline.outer;
    this.condition = outline.condition;
    this.hidden = outline.hidden;
    this.empty = outline.empty;
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

  get branches(): readonly Span[] {
    return this.look().branches;
  }

  get rows(): readonly string[] | null {
    this.told ??= { rows: this.ways.rows() };
    return this.told.rows;
  }

  get body(): string {
    this.text ??= this.ways.body();
    return this.text;
  }

  private look(): Walked {
    this.walked ??= this.ways.walk();
    return this.walked;
  }
}
