// What a rule is, and what it sees.

import type { Evidence } from '../evidence.js';
import { spanOf } from '../findings/finding.js';
import type { Level, RuleWords, Sighting } from '../findings/finding.js';
import type { Loss, Pair } from '../compare/losses.js';

export interface Rule extends RuleWords {
  /** When it is a breach and when a note, where that differs. */
  readonly levels?: string;
  readonly example: { readonly cheat: string; readonly honest: string };
  /** Where only tests may change, its notes are breaches. */
  readonly isBreachInTesting?: true;
  find(evidence: Evidence): readonly Sighting[];
}

/** Pairs of tests and of helpers that differ. */
export function touchedPairs(evidence: Evidence): readonly Pair[] {
  return [...evidence.pairing.pairs, ...evidence.helpers.pairs].filter((pair) => evidence.isTouched(pair));
}

/** Losses of one kind, with the pair they belong to. */
export function lossesOf(evidence: Evidence, counts: (loss: Loss) => boolean): readonly { readonly pair: Pair; readonly loss: Loss }[] {
  return touchedPairs(evidence).flatMap((pair) =>
    evidence
      .compare(pair)
      .losses.filter(counts)
      .map((loss) => ({ pair, loss })),
  );
}

export function sightingOf(pair: Pair, loss: Loss, level: Level, why?: string): Sighting {
  return {
    file: pair.after.source.path,
    level,
    before: spanOf(loss.before.source, loss.before),
    after: loss.after === null ? null : spanOf(loss.after.source, loss.after),
    test: pair.after.path,
    ...(why === undefined ? {} : { why }),
  };
}
