// Applies a compiled loop to facts: repairs in order, then the first row that matches. Pure, and never without a reason.

import type { Anomaly, Outcome } from '../model.js';
import { lookupIn } from './compile.js';
import type { CompiledLoop, Step } from './compile.js';
import type { Params } from './condition.js';
import type { Facts, FactValue, Row } from './loop.js';

export type { Params } from './condition.js';

export interface Judgement {
  readonly ok: true;
  readonly row: Row;
  readonly outcome: Outcome;
  readonly reason: string;
  /** The facts as the table saw them, after the repairs. */
  readonly facts: Facts;
  readonly anomalies: readonly Anomaly[];
  /** Approved by waiver. */
  readonly unverified: boolean;
  /** Every row that was tried, in order, and why it did not or did match. */
  readonly explanation: readonly Step[];
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
  let facts = raw;
  let anomalies: Anomaly[] | null = null;
  for (const repair of compiled.repairs) {
    if (!repair.holds(facts, params)) continue;
    const before = lookupIn(facts, params);
    if (repair.error !== null) {
      return { ok: false, rule: repair.repair.id, message: repair.error.message.fill(before), hint: repair.error.hint.fill(before) };
    }
    const message = repair.why.fill(before);
    if (repair.assign.length > 0) {
      const mended: Record<string, FactValue> = { ...facts };
      for (const [fact, value] of repair.assign) mended[fact] = value(facts);
      facts = mended;
    }
    (anomalies ??= []).push({ rule: repair.repair.id, message });
  }
  const explanation: Step[] = [];
  for (const row of compiled.rows) {
    let failed: Step | null = null;
    for (const part of row.parts) {
      if (!part.holds(facts, params)) {
        failed = part.failed;
        break;
      }
    }
    if (failed !== null) {
      explanation.push(failed);
      continue;
    }
    explanation.push(row.matched);
    if (row.anomaly !== null) (anomalies ??= []).push(row.anomaly(facts, params));
    const waived = row.approves && row.row.waiver !== undefined;
    const refused = waived && params.strict === true;
    return {
      ok: true,
      row: row.row,
      outcome: refused ? 'escalate' : row.row.then,
      reason: (refused ? row.strictWhy : row.why).fill(lookupIn(facts, params)),
      facts,
      anomalies: anomalies ?? NONE,
      unverified: waived && !refused,
      explanation,
    };
  }
  throw new Error(`No row of the ${compiled.loop.loop} loop matches: its last row must have no "when".`);
}
