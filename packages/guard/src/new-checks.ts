// The checks that are new after a change, and which of them could stand for what is gone. In a change of a thousand files
// most of them have nothing to do with it: asking each would cost more than all the rest.

import type { AssertionFact } from './facts.js';
import { put } from './keyed-lists.js';

/** So many are simply all looked at. */
const FEW = 200;
/** From other files no more than this are worth a look. */
const MOST_ELSEWHERE = 400;

export class NewChecks<T extends { readonly fact: AssertionFact }> {
  private readonly byFile = new Map<string, T[]>();
  private readonly byWord = new Map<string, T[]>();

  constructor(private readonly all: readonly T[]) {
    if (all.length <= FEW) return;
    for (const extra of all) {
      put(this.byFile, extra.fact.span.file, extra);
      for (const word of wordsOf(extra.fact.subject, extra.fact.expected)) put(this.byWord, word, extra);
    }
  }

  /** For checks that are gone from a file: those of that file first, then those of others that speak of the same, the rarest words first. */
  near(file: string, gone: readonly AssertionFact[]): readonly T[] {
    if (this.all.length <= FEW) return this.all;
    const near = new Set(this.byFile.get(file));
    const most = near.size + MOST_ELSEWHERE;
    const words = new Set(gone.flatMap(({ subject, expected }) => [...wordsOf(subject, expected)]));
    const lists = [...words].map((word) => this.byWord.get(word) ?? []);
    for (const list of lists.toSorted((left, right) => left.length - right.length)) {
      for (const extra of list) {
        if (near.size >= most) return [...near];
        near.add(extra);
      }
    }
    return [...near];
  }
}

function wordsOf(subject: string, expected: string | null): ReadonlySet<string> {
  return new Set(`${subject} ${expected ?? ''}`.match(/[\p{L}\p{N}_$]{3,}/gu));
}
