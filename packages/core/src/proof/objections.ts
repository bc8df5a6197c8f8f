// What is wrong with one case: every rule that an approval, a revision or a promise must keep, asked of the case's end.

import { conditionsOf } from '../loops/compile.js';
import type { Condition } from '../loops/condition.js';
import { evidenceOf } from '../loops/facts.js';
import type { EvidenceState, Loop, Row } from '../loops/loop.js';
import { lowest } from './cells.js';
import { idAt } from './refutation.js';
import type { Code } from './refutation.js';
import { aboveZero, cellsWhere, criticalFacts } from './space.js';
import { NOT_OK, STATE_BITS, UNCOUNTED } from './variables.js';
import type { Space } from './space.js';
import type { Masks, Variable } from './variables.js';
import { narrowed, whereGiven, whereHolds } from './walk.js';
import type { Binding, Case, End, Passed } from './walk.js';

/** A complaint before its story is told. `about` names the fact, source or promise that it hangs on. */
export interface Objection {
  readonly code: Code;
  readonly at: string;
  readonly path: readonly (string | number)[];
  readonly about: string;
  /** The part of the case that shows it. */
  readonly masks: Masks;
}

export function objectionsTo(space: Space, at: Case, end: End): readonly Objection[] {
  if (end.kind === 'nowhere') return [{ code: 'no-row', at: 'table', path: ['table'], about: '', masks: at.masks }];
  if (end.kind === 'refused') return [];
  const row = space.loop.table[end.row] as Row;
  const place = { at: idAt(space.loop.table, end.row), path: ['table', end.row] };
  const out: Objection[] = brokenPromises(space, at.masks, row);
  if (row.then === 'revise') {
    const late = narrowed(space, at.masks, space.of.get('round') as number, roundsFrom(space, space.params.cap));
    if (late !== null) out.push({ code: 'never-ends', ...place, about: '', masks: late });
  }
  if (row.then === 'accept' && row.waiver === undefined) out.push({ code: 'accepts-unwaived', ...place, about: '', masks: at.masks });
  if (!approves(row) || row.waiver !== undefined) return out;
  out.push(...overCritical(space, at.masks, place), ...onNothing(space, at.masks, place));
  out.push(...onUncounted(space, at.masks, place), ...onAbsent(space, at, place, row));
  return out;
}

type Place = Pick<Objection, 'at' | 'path'>;

export function approves(row: Row): boolean {
  return row.then === 'converge' || row.then === 'accept';
}

/** The cells of the round from a number upwards. */
export function roundsFrom(space: Space, number: number): number {
  let mask = 0;
  const { cells } = (space.variables[space.of.get('round') as number] as Variable).axis;
  cells.forEach((cell, bit) => {
    if (cell.kind === 'span' && lowest(cell) >= number) mask |= 1 << bit;
  });
  return mask;
}

function overCritical(space: Space, masks: Masks, place: Place): readonly Objection[] {
  return criticalFacts(space.loop).flatMap((fact) => {
    const found = narrowed(space, masks, space.of.get(fact) as number, cellsWhere(space, aboveZero(fact)));
    return found === null ? [] : [{ code: 'approves-critical', ...place, about: fact, masks: found } as const];
  });
}

/** Where a fact may be absent, that is its first cell. */
const ABSENT = 1;

const LACKS: readonly (readonly [EvidenceState, Code])[] = [
  ['missing', 'approves-missing'],
  ['unreadable', 'approves-unreadable'],
  ['unread', 'approves-unread'],
];

/**
 * Sources of one fact stand for each other; where none of them was read, nothing speaks for the approval. That an optional one is
 * missing is no news; that it cannot be read is.
 */
function onNothing(space: Space, masks: Masks, place: Place): readonly Objection[] {
  const { loop } = space;
  const groups = new Map(Object.values(loop.facts).map((spec) => [[...evidenceOf(spec)].toSorted().join(' '), evidenceOf(spec)]));
  const out: Objection[] = [];
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

/** A count of several sources is there where one of them counts: who speaks for himself and was not heard is not seen in it. */
function onUncounted(space: Space, masks: Masks, place: Place): readonly Objection[] {
  const { loop } = space;
  const out: Objection[] = [];
  for (const [fact, spec] of Object.entries(loop.facts)) {
    if (!('findings' in spec)) continue;
    for (const name of ownVoices(loop, spec.findings)) {
      const source = space.sources.get(name) as number;
      const counted = narrowed(space, masks, space.of.get(fact) as number, ~ABSENT);
      const lacks = LACKS.filter(([state]) => state !== 'missing' || loop.evidence[name]?.optional !== true);
      for (const [cells, code] of [...lacks.map(([state, lack]) => [STATE_BITS[state], lack] as const), SILENT]) {
        const left = counted === null ? null : narrowed(space, counted, source, cells);
        if (left !== null) out.push({ code, ...place, about: name, masks: left });
      }
    }
  }
  return out;
}

const SILENT = [UNCOUNTED, 'approves-uncounted'] as const;

/**
 * The sources of a count that no other speaks for. The critic's row and its cells say once more what its report says, sources that
 * should agree say the same, and a stand-in is asked only where the one it stands in for is not there.
 */
function ownVoices({ evidence, agree }: Loop, sources: readonly string[]): readonly string[] {
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
 * What is absent and still approved: a value that a rule before this row asked for in vain and might have applied by, one that a
 * repair counted from as if it were 0, or one whose absence the row itself takes for an approval.
 */
function onAbsent(space: Space, at: Case, place: Place, row: Row): readonly Objection[] {
  const out: Objection[] = [];
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
      // Another that is absent as well is no better a reason to have passed the rule over.
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

/** The part of it in which the evidence does not give this fact; null where it always does. */
function whereAbsent(space: Space, masks: Masks, fact: string): Masks | null {
  const variable = space.of.get(fact) as number;
  if ((space.variables[variable] as Variable).axis.cells[0]?.kind !== 'absent') return null;
  return narrowed(space, masks, variable, ABSENT);
}

function brokenPromises(space: Space, masks: Masks, row: Row): Objection[] {
  const unwaived = approves(row) && row.waiver === undefined;
  return (space.loop.promises ?? []).flatMap((vow, index) => {
    if (!vow.never.includes(row.then) && !(unwaived && vow.never.includes('approved'))) return [];
    const left = whereGiven(space, masks, conditionsOf(vow.when));
    if (left === null) return [];
    const at = idAt(space.loop.promises ?? [], index);
    return [{ code: 'promise-broken', at, path: ['promises', index], about: at, masks: left } as const];
  });
}
