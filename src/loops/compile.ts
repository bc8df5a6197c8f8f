// From a loop's data to functions: conditions to predicates, texts to templates. Done once per loop, then judged with.

import type { Outcome } from '../model.js';
import { compileCells } from './cells.js';
import type { CellOf } from './cells.js';
import { compileCondition, describeCondition, parseCondition } from './condition.js';
import type { Params, Predicate } from './condition.js';
import type { FactValue, Facts, Loop, Repair, Row, SetValue, When } from './loop.js';
import { compileTemplate } from './template.js';
import type { Template } from './template.js';

/** Why a row was passed over: the first of its conditions that did not hold. */
export interface Step {
  readonly row: string;
  readonly holds: boolean;
  /** The condition that failed, or all that held. */
  readonly because: string;
}

interface Part {
  readonly holds: Predicate;
  readonly failed: Step;
}

export interface CompiledRow {
  readonly row: Row;
  readonly parts: readonly Part[];
  readonly matched: Step;
  readonly why: Template;
  readonly strictWhy: Template;
  readonly anomaly: Template | null;
  readonly approves: boolean;
}

export interface CompiledRepair {
  readonly repair: Repair;
  readonly holds: Predicate;
  readonly why: Template;
  readonly assign: readonly (readonly [string, (facts: Facts) => FactValue])[];
  /** It sets a fact by a formula, so what follows hangs on more than the cell. */
  readonly computes: boolean;
  readonly error: { readonly message: Template; readonly hint: Template } | null;
}

/** What one cell of the fact space comes to: the repairs that apply in it, the row that matches, and why. */
export interface Settled {
  readonly repairs: readonly CompiledRepair[];
  readonly row: CompiledRow;
  readonly explanation: readonly Step[];
}

export interface CompiledLoop {
  readonly loop: Loop;
  readonly repairs: readonly CompiledRepair[];
  readonly rows: readonly CompiledRow[];
  readonly cellOf: CellOf;
  /** Cells judged before: what they came to, or null where that hangs on more than the cell. Filled as they are met. */
  readonly settled: Map<number, Settled | null>;
}

const APPROVALS: ReadonlySet<Outcome> = new Set(['converge', 'accept']);

export function compileLoop(loop: Loop): CompiledLoop {
  const conditions = [...loop.repairs, ...loop.table].flatMap((part) => conditionsOf(part.when));
  return { loop, repairs: loop.repairs.map(compileRepair), rows: loop.table.map(compileRow), cellOf: compileCells(conditions), settled: new Map() };
}

function compileRow(row: Row): CompiledRow {
  const conditions = conditionsOf(row.when);
  const parts = conditions.map((condition) => ({
    holds: compileCondition(condition),
    failed: { row: row.id, holds: false, because: `not: ${describeCondition(condition)}` },
  }));
  const all = conditions.length === 0 ? 'no row before it matched' : conditions.map(describeCondition).join(', ');
  return {
    row,
    parts,
    matched: { row: row.id, holds: true, because: all },
    why: compileTemplate(row.why),
    strictWhy: compileTemplate(`${row.why} This would be approved by waiver only (${row.waiver ?? ''}), and strict judging does not waive.`),
    anomaly: row.anomaly === undefined ? null : compileTemplate(row.anomaly),
    approves: APPROVALS.has(row.then),
  };
}

function compileRepair(repair: Repair): CompiledRepair {
  const predicates = conditionsOf(repair.when).map(compileCondition);
  return {
    repair,
    holds: (facts, params) => predicates.every((holds) => holds(facts, params)),
    why: compileTemplate(repair.why),
    computes: Object.values(repair.set ?? {}).some((value) => typeof value === 'object'),
    assign: Object.entries(repair.set ?? {}).map(([fact, value]) => [fact, compileSet(value)] as const),
    error: repair.error ? { message: compileTemplate(repair.error.message), hint: compileTemplate(repair.error.hint) } : null,
  };
}

function compileSet(value: SetValue): (facts: Facts) => FactValue {
  if (typeof value !== 'object') return () => value;
  if ('step' in value) {
    const { step, at, below } = value;
    return (facts) => {
      const input = facts[step];
      return typeof input === 'number' && input >= at ? value.else : below;
    };
  }
  const weights = Object.entries(value.linear);
  const [low, high] = value.within;
  return (facts) => {
    let sum = value.base;
    for (const [fact, weight] of weights) sum += weight * Number(facts[fact] ?? 0);
    return Math.min(high, Math.max(low, sum));
  };
}

function conditionsOf(when: When | undefined) {
  return Object.entries(when ?? {}).map(([fact, test]) => parseCondition(fact, test));
}

/** The names that a loop's texts may use: its facts, and the round, cap and target. */
export function lookupIn(facts: Facts, params: Params): (name: string) => unknown {
  return (name) => {
    switch (name) {
      case 'round':
        return params.round;
      case 'next':
        return params.round + 1;
      case 'cap':
        return params.cap;
      case 'target':
        return params.target;
      default:
        return facts[name];
    }
  };
}
