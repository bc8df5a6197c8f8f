// Checks the end of one case against the rules for approvals, revisions and promises.

import { conditionsOf } from '../loops/compile.js';
import type { Condition } from '../loops/condition.js';
import { evidenceOf } from '../loops/facts.js';
import type { EvidenceState, Loop, Row } from '../loops/loop.js';
import { lowest, NOT_OK, STATE_BITS, UNCOUNTED } from './cells.js';
import type { Masks, Variable } from './cells.js';
import { idAt } from './refutation.js';
import type { ComplaintCode } from './refutation.js';
import { aboveZero, cellsWhere, criticalFacts } from './space.js';
import type { FactSpace } from './space.js';
import { narrowed, whereGiven, whereHolds } from './walk.js';
import type { Binding, Case, End, Passed } from './walk.js';

/** A complaint without its explanation. `about`: the fact, source or promise that it depends on. */
export interface Violation {
  readonly code: ComplaintCode;
  readonly at: string;
  readonly path: readonly (string | number)[];
  readonly about: string;
  /** The part of the case that shows it. */
  readonly masks: Masks;
}

export function findViolations(space: FactSpace, at: Case, end: End): readonly Violation[] {
  if (end.kind === 'nowhere') return [{ code: 'no-row', at: 'table', path: ['table'], about: '', masks: at.masks }];
  if (end.kind === 'refused') return [];
  const row = space.loop.table[end.row] as Row;
  const place = { at: idAt(space.loop.table, end.row), path: ['table', end.row] };
  const out: Violation[] = brokenPromises(space, at.masks, row);
  if (row.then === 'revise') {
    const late = narrowed(space, at.masks, space.of.get('round') as number, roundsFrom(space, space.params.cap));
    if (late !== null) out.push({ code: 'never-ends', ...place, about: '', masks: late });
  }
  if (row.then === 'accept' && row.waiver === undefined) out.push({ code: 'accepts-unwaived', ...place, about: '', masks: at.masks });
  if (!approves(row) || row.waiver !== undefined) return out;
  out.push(...approvedDespiteCritical(space, at.masks, place), ...approvedWithoutEvidence(space, at.masks, place));
  out.push(...approvedUncounted(space, at.masks, place), ...approvedOnAbsent(space, at, place, row));
  return out;
}

type RuleRef = Pick<Violation, 'at' | 'path'>;

export function approves(row: Row): boolean {
  return row.then === 'converge' || row.then === 'accept';
}

/** The cells of the round from a number upwards. */
export function roundsFrom(space: FactSpace, number: number): number {
  let mask = 0;
  const { cells } = (space.variables[space.of.get('round') as number] as Variable).axis;
  cells.forEach((cell, bit) => {
    if (cell.kind === 'span' && lowest(cell) >= number) mask |= 1 << bit;
  });
  return mask;
}

function approvedDespiteCritical(space: FactSpace, masks: Masks, place: RuleRef): readonly Violation[] {
  return criticalFacts(space.loop).flatMap((fact) => {
    const found = narrowed(space, masks, space.of.get(fact) as number, cellsWhere(space, aboveZero(fact)));
    return found === null ? [] : [{ code: 'approves-critical', ...place, about: fact, masks: found } as const];
  });
}

/** If a fact can be absent, its first cell is "absent". */
const ABSENT = 1;

const LACKS: readonly (readonly [EvidenceState, ComplaintCode])[] = [
  ['missing', 'approves-missing'],
  ['unreadable', 'approves-unreadable'],
  ['unread', 'approves-unread'],
];

/**
 * If none of the sources of a fact was read, nothing supports the approval. One of several sources is enough. An optional source may be
 * missing, but not unreadable.
 */
function approvedWithoutEvidence(space: FactSpace, masks: Masks, place: RuleRef): readonly Violation[] {
  const { loop } = space;
  const groups = new Map(Object.values(loop.facts).map((spec) => [[...evidenceOf(spec)].toSorted().join(' '), evidenceOf(spec)]));
  const out: Violation[] = [];
  for (const from of groups.values()) {
    for (const [state, code] of LACKS) {
      for (const needed of from.filter((name) => state !== 'missing' || loop.evidence[name]?.optional !== true)) {
        let left: Masks | null = masks;
        for (const name of from) {
          const cells = name === needed ? STATE_BITS[state] : NOT_OK;
          left = left === null ? null : narrowed(space, left, space.sources.get(name) as number, cells);
        }
        if (left !== null) out.push({ code, ...place, about: needed, masks: left });
      }
    }
  }
  return out;
}

/** A count over several sources is present if one of them has counts, so it hides an independent source that was not counted. */
function approvedUncounted(space: FactSpace, masks: Masks, place: RuleRef): readonly Violation[] {
  const { loop } = space;
  const out: Violation[] = [];
  for (const [fact, spec] of Object.entries(loop.facts)) {
    if (!('findings' in spec)) continue;
    for (const name of independentSources(loop, spec.findings)) {
      const source = space.sources.get(name) as number;
      const counted = narrowed(space, masks, space.of.get(fact) as number, ~ABSENT);
      const lacks = LACKS.filter(([state]) => state !== 'missing' || loop.evidence[name]?.optional !== true);
      for (const [cells, code] of [...lacks.map(([state, lack]) => [STATE_BITS[state], lack] as const), WITHOUT_COUNTS]) {
        const left = counted === null ? null : narrowed(space, counted, source, cells);
        if (left !== null) out.push({ code, ...place, about: name, masks: left });
      }
    }
  }
  return out;
}

const WITHOUT_COUNTS = [UNCOUNTED, 'approves-uncounted'] as const;

/**
 * The sources of a count that no other source repeats. The critic's row and its columns repeat its report, sources in `agree` repeat each
 * other, and a substitute is used only if its source is missing.
 */
function independentSources({ evidence, agree }: Loop, sources: readonly string[]): readonly string[] {
  const names = [...new Set(sources)];
  const standIns = new Set(names.map((name) => evidence[name]?.else));
  const agreed = names.filter((name) => agree?.sources.includes(name));
  return names.filter((name) => {
    const source = evidence[name];
    if (names.length < 2 || source === undefined || 'row' in source || 'column' in source) return false;
    return !standIns.has(name) && !(agreed.length > 1 && agreed.includes(name));
  });
}

/**
 * Approvals with an absent fact: one that an earlier rule tested and that might have made it apply, one that a repair's sum counted as 0,
 * or one that the row itself tests for `absent`.
 */
function approvedOnAbsent(space: FactSpace, at: Case, place: RuleRef, row: Row): readonly Violation[] {
  const out: Violation[] = [];
  const object = (about: string, masks: Masks | null) => {
    if (masks !== null) out.push({ code: 'approves-absent', ...place, about, masks });
  };
  for (let passed: Passed | null = at.passed; passed !== null; passed = passed.before) {
    const test = passed.rule.tests[passed.failed] as Condition;
    if (test.kind === 'absent') continue;
    if (now(at, test.fact)?.kind !== 'raw' || passed.bindings.get(test.fact)?.kind !== 'raw') continue;
    let left = whereAbsent(space, at.masks, test.fact);
    for (const other of passed.rule.tests) {
      if (other === test || left === null) continue;
      const then: Case = { ...at, masks: left, bindings: passed.bindings };
      // If another tested fact is absent too, the rule was not skipped for a better reason.
      left =
        whereHolds(space, then, [other]) ?? (passed.bindings.get(other.fact)?.kind === 'raw' ? whereAbsent(space, left, other.fact) : null);
    }
    object(test.fact, left);
  }
  for (const fact of at.used) object(fact, whereAbsent(space, at.masks, fact));
  for (const test of conditionsOf(row.when)) {
    if (test.kind === 'absent' && now(at, test.fact)?.kind === 'raw') object(test.fact, whereAbsent(space, at.masks, test.fact));
  }
  return out;
}

function now(at: Case, fact: string): Binding | undefined {
  return at.bindings.get(fact);
}

/** The part in which this fact is absent; null if it never is. */
function whereAbsent(space: FactSpace, masks: Masks, fact: string): Masks | null {
  const variable = space.of.get(fact) as number;
  if ((space.variables[variable] as Variable).axis.cells[0]?.kind !== 'absent') return null;
  return narrowed(space, masks, variable, ABSENT);
}

function brokenPromises(space: FactSpace, masks: Masks, row: Row): Violation[] {
  const unwaived = approves(row) && row.waiver === undefined;
  return (space.loop.promises ?? []).flatMap((promise, index) => {
    if (!promise.never.includes(row.then) && !(unwaived && promise.never.includes('approved'))) return [];
    const left = whereGiven(space, masks, conditionsOf(promise.when));
    if (left === null) return [];
    const at = idAt(space.loop.promises ?? [], index);
    return [{ code: 'promise-broken', at, path: ['promises', index], about: at, masks: left } as const];
  });
}
