// Compiles a loop once: its conditions to predicates, its texts to templates.

import type { Outcome } from '../model/vocabulary.js';
import type { CellOf } from './fact-cells.js';
import { compileCondition, describeCondition, parseCondition } from './condition.js';
import type { Condition, Params, Predicate } from './condition.js';
import type { FactValue, Facts, Loop, Repair, Row, SetValue, When } from './loop.js';
import { fillTemplate, writeTemplate } from './template.js';

/** Why a row did or did not match. */
export interface RowExplanation {
  readonly row: string;
  readonly holds: boolean;
  /** The first condition that failed, or all conditions. */
  readonly because: string;
}

interface CompiledCondition {
  readonly holds: Predicate;
  readonly failed: RowExplanation;
}

/** A text over facts. */
export type FactText = (facts: Facts, params: Params) => string;

export interface CompiledRow {
  readonly row: Row;
  readonly parts: readonly CompiledCondition[];
  readonly matched: RowExplanation;
  readonly why: FactText;
  readonly strictWhy: FactText;
  readonly anomaly: FactText | null;
  readonly approves: boolean;
}

export interface CompiledRepair {
  readonly repair: Repair;
  readonly holds: Predicate;
  readonly why: FactText;
  readonly assign: readonly (readonly [string, (facts: Facts) => FactValue])[];
  /** It sets a fact by a formula, so the result depends on more than the cell. */
  readonly computes: boolean;
  readonly error: { readonly message: FactText; readonly hint: FactText } | null;
}

/** The result in one cell of the fact space: the repairs that apply, the row that matches, and why. */
export interface CellResult {
  readonly repairs: readonly CompiledRepair[];
  readonly row: CompiledRow;
  readonly explanation: readonly RowExplanation[];
}

/** Results of cells. Used from the second judgement on: the first is often the only one, and not worth generating code. */
export interface CellCache {
  judged: boolean;
  cellOf: CellOf | null;
  /** By cell; null if the result depends on more than the cell. */
  readonly settled: Map<number, CellResult | null>;
}

export interface CompiledLoop {
  readonly loop: Loop;
  readonly repairs: readonly CompiledRepair[];
  readonly rows: readonly CompiledRow[];
  readonly conditions: readonly Condition[];
  /** Whether the round made things worse; null if the loop does not define it. */
  readonly worse: Predicate | null;
  readonly memory: CellCache;
}

const APPROVALS: ReadonlySet<Outcome> = new Set(['converge', 'accept']);

const COMPILED = new WeakMap<Loop, CompiledLoop>();

/** Cached, because a session judges many rounds by the same rules. */
export function compileLoop(loop: Loop): CompiledLoop {
  const known = COMPILED.get(loop);
  if (known !== undefined) return known;
  const compiled = compileParts(loop);
  COMPILED.set(loop, compiled);
  return compiled;
}

function compileParts(loop: Loop): CompiledLoop {
  const conditions = [...loop.repairs, ...loop.table].flatMap((part) => conditionsOf(part.when));
  return {
    loop,
    repairs: loop.repairs.map(compileRepair),
    rows: loop.table.map(compileRow),
    conditions,
    worse: loop.worse === undefined ? null : compileWhen(loop.worse),
    memory: { judged: false, cellOf: null, settled: new Map() },
  };
}

/** Why --strict refuses an approval by this waiver. */
export function strictWords(waiver: string): string {
  return `Only a waiver would approve this (${waiver}), and --strict allows no waivers.`;
}

function compileRow(row: Row): CompiledRow {
  const conditions = conditionsOf(row.when);
  const parts = conditions.map((condition) => ({
    holds: compileCondition(condition),
    failed: { row: row.id, holds: false, because: `not: ${describeCondition(condition)}` },
  }));
  const all = conditions.length === 0 ? 'no earlier row matched' : conditions.map(describeCondition).join(', ');
  return {
    row,
    parts,
    matched: { row: row.id, holds: true, because: all },
    why: compileFactText(row.why),
    strictWhy: compileFactText(`${row.why} ${strictWords(row.waiver ?? '')}`),
    anomaly: row.anomaly === undefined ? null : compileFactText(row.anomaly),
    approves: APPROVALS.has(row.then),
  };
}

function compileRepair(repair: Repair): CompiledRepair {
  return {
    repair,
    holds: compileWhen(repair.when),
    why: compileFactText(repair.why),
    computes: Object.values(repair.set ?? {}).some((value) => typeof value === 'object'),
    assign: Object.entries(repair.set ?? {}).map(([fact, value]) => [fact, compileSet(value)] as const),
    error: repair.error ? { message: compileFactText(repair.error.message), hint: compileFactText(repair.error.hint) } : null,
  };
}

function compileWhen(when: When): Predicate {
  const predicates = conditionsOf(when).map(compileCondition);
  return (facts, params) => predicates.every((holds) => holds(facts, params));
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

/** The conditions of a `when`. Cached. */
export function conditionsOf(when: When | undefined): readonly Condition[] {
  if (when === undefined) return [];
  const known = PARSED.get(when);
  if (known !== undefined) return known;
  const parsed = Object.entries(when).map(([fact, test]) => parseCondition(fact, test));
  PARSED.set(when, parsed);
  return parsed;
}

const PARSED = new WeakMap<When, readonly Condition[]>();

/** Fills the template the first time, and generates code for later calls. */
function compileFactText(text: string): FactText {
  let used = false;
  let written: FactText | null = null;
  return (facts, params) => {
    if (written !== null) return written(facts, params);
    if (used) written = writeTemplate(text, 'facts, params', readOf) as FactText;
    used = true;
    return fillTemplate(text, lookupIn(facts, params));
  };
}

/** `{missing.names}`: the names of the items that the fact counts. */
const NAMES = '.names';

function readOf(name: string): string {
  if (name === 'next') return 'params.round + 1';
  if (name.endsWith(NAMES)) return `params.names?.(${JSON.stringify(name.slice(0, -NAMES.length))})`;
  return name === 'round' || name === 'cap' || name === 'target' ? `params.${name}` : `facts[${JSON.stringify(name)}]`;
}

/** Looks up the names in a loop's texts: facts, round, next, cap and target. */
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
        return name.endsWith(NAMES) ? params.names?.(name.slice(0, -NAMES.length)) : facts[name];
    }
  };
}
