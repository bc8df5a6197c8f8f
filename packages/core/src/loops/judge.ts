// Applies a compiled loop to facts: repairs in order, then the first row that matches.

import type { Anomaly, Outcome } from '../model/vocabulary.js';
import { compileCells } from './fact-cells.js';
import type { CompiledLoop, CompiledRepair, CellResult, RowExplanation } from './compile.js';
import type { Params } from './condition.js';
import type { Facts, FactValue, Row } from './loop.js';

export type { Params } from './condition.js';

export interface Judgement {
  readonly ok: true;
  readonly row: Row;
  readonly outcome: Outcome;
  readonly reason: string;
  /** The facts after the repairs. */
  readonly facts: Facts;
  readonly anomalies: readonly Anomaly[];
  /** Approved by waiver. */
  readonly unverified: boolean;
  /** Every row that was tried, in order, and why it did or did not match. */
  readonly explanation: readonly RowExplanation[];
}

/** No verdict is possible on these facts. */
export interface Refusal {
  readonly ok: false;
  readonly rule: string;
  readonly message: string;
  readonly hint: string;
}

const NONE: readonly Anomaly[] = [];

export function judge(compiled: CompiledLoop, raw: Facts, params: Params): Judgement | Refusal {
  const { memory } = compiled;
  if (memory.cellOf === null && memory.judged) memory.cellOf = compileCells(compiled.conditions);
  memory.judged = true;
  const cell = memory.cellOf === null ? -1 : memory.cellOf(raw, params);
  const known = cell < 0 ? null : memory.settled.get(cell);
  if (known) return conclude(known, raw, params);
  const found = evaluate(compiled, raw, params);
  if ('ok' in found) return found;
  if (cell >= 0 && known === undefined) memory.settled.set(cell, found.repairs.some((repair) => repair.computes) ? null : found);
  return conclude(found, raw, params);
}

/** Applies repairs and table without the cache. */
function evaluate(compiled: CompiledLoop, raw: Facts, params: Params): CellResult | Refusal {
  let facts = raw;
  const repairs: CompiledRepair[] = [];
  for (const repair of compiled.repairs) {
    if (!repair.holds(facts, params)) continue;
    if (repair.error !== null) {
      return { ok: false, rule: repair.repair.id, message: repair.error.message(facts, params), hint: repair.error.hint(facts, params) };
    }
    repairs.push(repair);
    facts = applyRepair(repair, facts);
  }
  const explanation: RowExplanation[] = [];
  for (const row of compiled.rows) {
    const failed = row.parts.find((part) => !part.holds(facts, params));
    explanation.push(failed === undefined ? row.matched : failed.failed);
    if (failed === undefined) return { repairs, row, explanation };
  }
  throw new Error(`No row of the ${compiled.loop.loop} loop matches: its last row must not have a "when".`);
}

function applyRepair(repair: CompiledRepair, facts: Facts): Facts {
  if (repair.assign.length === 0) return facts;
  const mended: Record<string, FactValue> = { ...facts };
  for (const [fact, value] of repair.assign) mended[fact] = value(facts);
  return mended;
}

function conclude({ repairs, row, explanation }: CellResult, raw: Facts, params: Params): Judgement {
  let facts = raw;
  let anomalies = NONE;
  if (repairs.length > 0 || row.anomaly !== null) {
    const noted: Anomaly[] = [];
    for (const repair of repairs) {
      noted.push({ rule: repair.repair.id, message: repair.why(facts, params) });
      facts = applyRepair(repair, facts);
    }
    if (row.anomaly !== null) noted.push({ rule: row.row.id, message: row.anomaly(facts, params) });
    anomalies = noted;
  }
  const waived = row.approves && row.row.waiver !== undefined;
  const refused = waived && params.strict === true;
  return {
    ok: true,
    row: row.row,
    outcome: refused ? 'escalate' : row.row.then,
    reason: (refused ? row.strictWhy : row.why)(facts, params),
    facts,
    anomalies,
    unverified: waived && !refused,
    explanation,
  };
}
