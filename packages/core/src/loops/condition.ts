// One condition of a `when`: parsing, compiling and describing it.

import type { FactValue, Facts, Test } from './loop.js';

export interface Params {
  readonly round: number;
  readonly cap: number;
  readonly target: number;
  /** An approval by waiver escalates instead. */
  readonly strict?: boolean;
  /** For texts: the names of the items that a fact counts, as in `{missing.names}`. */
  readonly names?: (fact: string) => string | null;
}

export type Operator = '<' | '<=' | '>' | '>=' | '=';
export type Bound = number | 'cap' | 'target';

export type Condition =
  | { readonly kind: 'absent' | 'present'; readonly fact: string }
  | { readonly kind: 'words'; readonly fact: string; readonly words: readonly string[] }
  | { readonly kind: 'flag'; readonly fact: string; readonly value: boolean }
  | { readonly kind: 'compare'; readonly fact: string; readonly operator: Operator; readonly bound: Bound };

const COMPARISON = /^(<=|>=|<|>|=)\s*(-?\d+(?:\.\d+)?|cap|target)$/;

export function parseCondition(fact: string, test: Test): Condition {
  if (typeof test === 'boolean') return { kind: 'flag', fact, value: test };
  if (typeof test === 'number') return { kind: 'compare', fact, operator: '=', bound: test };
  if (typeof test !== 'string') return { kind: 'words', fact, words: test };
  if (test === 'absent' || test === 'present') return { kind: test, fact };
  const match = COMPARISON.exec(test);
  if (match === null) return { kind: 'words', fact, words: [test] };
  const bound = match[2] as string;
  return { kind: 'compare', fact, operator: match[1] as Operator, bound: bound === 'cap' || bound === 'target' ? bound : Number(bound) };
}

export type Predicate = (facts: Facts, params: Params) => boolean;

/** A comparison of an absent fact never holds. */
export function compileCondition(condition: Condition): Predicate {
  const { fact } = condition;
  switch (condition.kind) {
    case 'absent':
      return (facts) => (facts[fact] ?? null) === null;
    case 'present':
      return (facts) => (facts[fact] ?? null) !== null;
    case 'flag': {
      const { value } = condition;
      return (facts) => facts[fact] === value;
    }
    case 'words': {
      const [only, ...others] = condition.words;
      if (others.length === 0) return (facts) => facts[fact] === only;
      const words = new Set<FactValue | undefined>(condition.words);
      return (facts) => words.has(facts[fact]);
    }
    case 'compare':
      return compileComparison(fact, condition.operator, condition.bound);
  }
}

function compileComparison(fact: string, operator: Operator, bound: Bound): Predicate {
  const value = fact === 'round' ? (_: Facts, params: Params) => params.round : (facts: Facts) => facts[fact];
  const limit =
    typeof bound === 'number' ? () => bound : bound === 'cap' ? (params: Params) => params.cap : (params: Params) => params.target;
  const holds = COMPARE[operator];
  return (facts, params) => {
    const left = value(facts, params);
    return typeof left === 'number' && holds(left, limit(params));
  };
}

const COMPARE: Readonly<Record<Operator, (left: number, right: number) => boolean>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
  '=': (left, right) => left === right,
};

/** `score >= 7`, `signal is CONVERGED`, `coverage is absent`. */
export function describeCondition(condition: Condition): string {
  const { fact } = condition;
  switch (condition.kind) {
    case 'absent':
    case 'present':
      return `${fact} is ${condition.kind}`;
    case 'flag':
      return `${fact} is ${condition.value ? 'true' : 'false'}`;
    case 'words':
      return `${fact} is ${condition.words.join(' or ')}`;
    case 'compare':
      return `${fact} ${condition.operator} ${condition.bound}`;
  }
}
