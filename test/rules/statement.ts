// What one of the independent statements of the rules says, and how its space of facts is walked.
// Nothing here knows the product's tables: the statements are read off the specification alone.

import type { Facts, FactValue } from '@umpire/core/loops/loop.js';
import type { Outcome } from '@umpire/core/model/vocabulary.js';

export interface Terms {
  readonly round: number;
  readonly cap: number;
  readonly target: number;
  readonly strict?: boolean;
}

export interface Decided {
  readonly rule: string;
  readonly outcome: Outcome;
  /** Ids of the rows that took a fact for something else than it said. Order does not matter. */
  readonly anomalies: readonly string[];
  readonly unverified: boolean;
}

/** `error` is the id of the row that makes a verdict impossible. */
export type Statement = Decided | { readonly error: string };

export type Space = Readonly<Record<string, readonly FactValue[]>>;

/** What bounds a loop, and which numbers count as such. */
export interface Limits {
  readonly first: 0 | 1;
  readonly cap: number;
  readonly target: number | null;
  /** Facts that are numbers: what lies outside is none. */
  readonly ranges: Readonly<Record<string, readonly [number, number]>>;
  /** Facts that count low scores: from here on a score without a threshold of its own is not low. */
  readonly thresholds: Readonly<Record<string, number>>;
}

/** What must never come of a case. */
export interface Vowed {
  readonly id: string;
  readonly when: (facts: Facts, terms: Terms) => boolean;
  readonly never: readonly (Outcome | 'approved')[];
}

export interface Rules {
  readonly states: (facts: Facts, terms: Terms) => Statement;
  readonly space: Space;
  /** False where evidence could never yield these facts together. */
  readonly possible: (facts: Facts) => boolean;
  readonly limits: Limits;
  /** What a missing or contradictory fact is taken for. Asked only where there is a verdict. */
  readonly repaired: (facts: Facts) => Facts;
  readonly vows: readonly Vowed[];
  /** Did the work that was judged make things worse? Left out where the rules do not say. */
  readonly worse?: (facts: Facts) => boolean;
  /** Of several things that are wrong, the one that a refusal or an anomaly must name. */
  readonly names: (facts: Facts) => RegExp | null;
}

/** A verdict that rests on clean evidence. */
export function clean(rule: string, outcome: Outcome, anomalies: readonly string[] = []): Decided {
  return { rule, outcome, anomalies, unverified: false };
}

/** An approval that a waiver allows: marked, or with --strict handed to a person instead. */
export function waived(rule: string, outcome: 'converge' | 'accept', anomalies: readonly string[], terms: Terms): Decided {
  if (terms.strict === true) return { rule, outcome: 'escalate', anomalies, unverified: false };
  return { rule, outcome, anomalies, unverified: true };
}

/** Every combination of the space that evidence could yield. */
export function* combinations(space: Space, possible: (facts: Facts) => boolean): Generator<Facts> {
  const names = Object.keys(space);
  const walk = function* (index: number, facts: Record<string, FactValue>): Generator<Facts> {
    const name = names[index];
    if (name === undefined) {
      if (possible(facts)) yield facts;
      return;
    }
    for (const value of space[name] ?? []) yield* walk(index + 1, { ...facts, [name]: value });
  };
  yield* walk(0, {});
}

/** A count that must be there: asking for one that is absent is a mistake in the statement, not a zero. */
export function number(facts: Facts, name: string): number {
  const value = facts[name];
  if (typeof value !== 'number') throw new Error(`The statement asked for the number "${name}", which is ${String(value)}.`);
  return value;
}

/** Is this number there, and above that one? */
export function above(facts: Facts, name: string, bound: number): boolean {
  const value = facts[name];
  return typeof value === 'number' && value > bound;
}

/** A number, or null where it is absent. */
export function maybeNumber(facts: Facts, name: string): number | null {
  return facts[name] === null ? null : number(facts, name);
}
