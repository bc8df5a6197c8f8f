// What a rule is, and what it sees.

import type { Evidence } from '../evidence.js';
import type { Place, Source } from '../syntax/nodes.js';
import type { Loss, Pair } from '../compare/losses.js';

/** A breach fails the check and may be reverted. A note is only shown. */
export type Level = 'breach' | 'note';
export type Severity = 'critical' | 'high' | 'medium' | 'low';
export type RuleGroup = 'files' | 'marks' | 'tests' | 'assertions' | 'mocks' | 'expectations' | 'source';

export interface Span extends Place {
  readonly line: number;
  readonly text: string;
}

export interface Sighting {
  readonly file: string;
  readonly level: Level;
  readonly before?: Span | null;
  readonly after?: Span | null;
  readonly test?: readonly string[];
  /** More about why, as half a sentence; follows the rule's own. */
  readonly why?: string;
}

export interface Rule {
  readonly name: string;
  readonly group: RuleGroup;
  readonly severity: Severity;
  /** One sentence: what is wrong with it. */
  readonly message: string;
  /** One sentence: what an honest change would be. */
  readonly honest: string;
  /** When it is a breach and when a note, where that differs. */
  readonly levels?: string;
  readonly example: { readonly cheat: string; readonly honest: string };
  /** Where only tests may change, its notes are breaches. */
  readonly isBreachInTesting?: true;
  find(evidence: Evidence): readonly Sighting[];
}

export function spanOf({ text }: Pick<Source, 'text'>, { from, to }: Place): Span {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < from; at = text.indexOf('\n', at + 1)) line += 1;
  return { from, to, line, text: text.slice(from, to) };
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
