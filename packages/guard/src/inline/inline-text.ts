// What every kind of inline tests is read into: the parts of a file that judge it, and the places where such a part may stand.

import type { Place } from '../syntax/nodes.js';

export interface InlineTest extends Place {
  /** As its runner names it inside the file: `tests::adds`, `Cart.total`. */
  readonly name: string;
}

export interface InlinePart extends Place {
  /** The same for the same part of another version of the file, and for no other part. */
  readonly key: string;
  /** Places where it may stand in a version that lacks it, best first. */
  readonly places: readonly string[];
  readonly tests: readonly InlineTest[];
}

export interface Opening {
  readonly at: number;
  /** What must stand around a part there: the quotes of a docstring. */
  readonly around?: readonly [string, string];
}

export interface InlineText {
  /** In order; none overlaps another. */
  readonly parts: readonly InlinePart[];
  /** Where parts can be put in. */
  readonly places: ReadonlyMap<string, Opening>;
  /** Pieces of product code by the keys that they would have as parts: a test that lost its mark is one. */
  readonly pieces: ReadonlyMap<string, Place>;
}

/** One kind of tests inside source files. */
export interface InlineKind {
  readonly language: string;
  /** For the table of languages. */
  readonly what: string;
  readonly files: RegExp;
  /** Without these words a file has none: it need not be read. */
  readonly mark: RegExp;
  /** Null: the file cannot be read. */
  readonly read: (text: string, path: string) => InlineText | null;
}

/** Numbers the keys of things with the same name. */
export function numberKeys(): (key: string) => string {
  const counts = new Map<string, number>();
  return (key) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? key : `${key} (${count})`;
  };
}
