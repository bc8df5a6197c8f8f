// The complaints of `umpire check`: their codes, the most severe first, their shape and their texts.

import type { Anomaly, Outcome } from '../model/vocabulary.js';
import type { FactValue, Loop } from '../loops/loop.js';

export const CODES = [
  'no-row',
  'never-ends',
  'approves-critical',
  'approves-missing',
  'approves-unreadable',
  'approves-unread',
  'approves-uncounted',
  'approves-absent',
  'promise-broken',
  'accepts-unwaived',
  'strict-approves',
  'no-way-out',
  'round-falls',
  'repair-unsettled',
  'dead-row',
  'dead-repair',
  'dead-worse',
  'dead-promise',
] as const;

export type ComplaintCode = (typeof CODES)[number];

/** One verdict of an explanation. */
export interface ExplainedVerdict {
  readonly round: number;
  /** The facts from the evidence that matter here. */
  readonly facts: readonly (readonly [fact: string, value: FactValue])[];
  readonly lacking: readonly (readonly [source: string, state: string])[];
  /** The case is not reachable round by round, but the session's files can claim it. */
  readonly forged: boolean;
  /** The repairs that applied. */
  readonly anomalies: readonly Anomaly[];
  /** The row that matched, or the repair that stopped with an error; null if nothing matched. */
  readonly rule: string | null;
  readonly outcome: Outcome | null;
  readonly reason: string;
}

/** The verdicts that lead to a complaint, round by round. */
export interface Explanation {
  readonly cap: number;
  readonly target: number | null;
  readonly scenes: readonly ExplainedVerdict[];
}

export interface Refutation {
  readonly code: ComplaintCode;
  /** The id of the row, repair, promise or task that is wrong (`R6#2`: the second of that id), or `table`. */
  readonly at: string;
  /** The fact, evidence or promise that it depends on; empty if there is none. */
  readonly about: string;
  /** False: it cannot be ruled out, but no example was found. */
  readonly certain: boolean;
  /** The fault in one sentence. */
  readonly says: string;
  /** Null for a rule that never applies. */
  readonly story: Explanation | null;
  /** How to fix it. */
  readonly mend: string;
  /** Keys and indexes from the top of the file. */
  readonly path: readonly (string | number)[];
}

/** A row or error in which cases end, at the loop's own cap. */
export interface ReachableEnd {
  readonly id: string;
  /** Null: an error. */
  readonly outcome: Outcome | null;
  readonly waived: boolean;
  /** The rounds in which it can be reached. The cap stands for all rounds from there on. */
  readonly rounds: readonly number[];
}

/** `R6`, and for the second of that id `R6#2`. */
export function idAt(list: readonly { readonly id: string }[], index: number): string {
  const id = list[index]?.id ?? '';
  const before = list.slice(0, index).filter((other) => other.id === id).length;
  return before === 0 ? id : `${id}#${before + 1}`;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'];

/** The same for people: `R6 (the second of that id)`. */
export function displayId(at: string): string {
  return at.replace(
    /#(\d+)$/,
    (_, nth: string) =>
      ` (${ORDINALS[Number(nth) - 1] === undefined ? `number ${nth}` : `the ${ORDINALS[Number(nth) - 1] as string}`} of that id)`,
  );
}

export interface ComplaintText {
  readonly says: string;
  readonly mend: string;
}

const STATE_WORDS = { 'approves-missing': 'missing', 'approves-unreadable': 'unreadable', 'approves-unread': 'not read in time' } as const;

/** `row`: the row in which the explanation ends. `endless`: it continues beyond the cap forever. */
export function describeComplaint(
  loop: Loop,
  violation: Pick<Refutation, 'code' | 'at' | 'about'>,
  row: string | null,
  endless = false,
): ComplaintText {
  const { about } = violation;
  const at = displayId(violation.at);
  const word = (outcome: keyof Loop['words']) => loop.words[outcome];
  switch (violation.code) {
    case 'no-row':
      return {
        says: 'There is a case that no row matches.',
        mend: 'Close the gap between the rows, or end the table with a row without "when" that escalates.',
      };
    case 'never-ends':
      return {
        says: `Row ${at} asks for another round (${word('revise')}) at the cap${endless ? ', so a critic that always complains is never stopped.' : ', one more than the cap allows.'}`,
        mend: `Add the test round: "<cap" to row ${at}, and let a row after it escalate or accept. (At run time rule E9 calls a person instead.)`,
      };
    case 'approves-critical':
      return {
        says: `Row ${at} approves despite a Critical finding (${about}), and has no waiver.`,
        mend: `Let a row before ${at} revise or escalate if ${about} is above 0, or let a repair change the fact that approves. (At run time rule E8 calls a person instead.)`,
      };
    case 'approves-missing':
    case 'approves-unreadable':
    case 'approves-unread':
      return {
        says: `Row ${at} approves without ${loop.evidence[about]?.what ?? about} (${STATE_WORDS[violation.code]}), and has no waiver.`,
        mend: `Stop this case before row ${at}, with a repair that stops with an error if the evidence is not "ok", or with a row that revises or escalates. If the approval is intended, add a waiver.${violation.code === 'approves-unread' ? ' (At run time rule E1 gives a partial verdict instead.)' : ''}`,
      };
    case 'approves-uncounted': {
      const what = loop.evidence[about]?.what ?? about;
      const counts = Object.entries(loop.facts).filter(
        ([, spec]) => 'findings' in spec && spec.findings.length > 1 && spec.findings.includes(about),
      );
      const facts = counts.map(([name]) => name).join(', ');
      return {
        says: `Row ${at} approves although ${what} has no counts. Only the other sources are counted (${facts}), so its findings are missed.`,
        mend: `Add a fact that counts ${what} alone (findings: ${about}) and test it too, or stop this case before row ${at} with a fact such as counted: ${about}. If all sources repeat the same findings, list them in "agree".`,
      };
    }
    case 'approves-absent':
      return {
        says: `Row ${at} approves although ${about} is absent and the rules test it, so a missing measurement counts as good.`,
        mend: `Handle an absent ${about}: with a repair that sets it to a bad value or stops with an error, or with a row before ${at} that revises or escalates. If the approval is intended, add a waiver.`,
      };
    case 'promise-broken': {
      const promise = loop.promises?.find((_, index, all) => idAt(all, index) === about);
      return {
        says: `The promise ${at} is broken: ${promise?.why ?? ''}`,
        mend: `Change row ${row ?? '(none)'} or the repairs above, or remove the promise.`,
      };
    }
    case 'accepts-unwaived':
      return {
        says: `Row ${at} accepts (${word('accept')}) work that did not pass and has no waiver, so the verdict looks clean.`,
        mend: `Add a waiver to row ${at} that explains why this is acceptable. The verdict is then marked unverified.`,
      };
    case 'strict-approves':
      return {
        says: `With --strict, row ${at} still approves by its waiver.`,
        mend: 'This is a bug in Umpire, not in the loop. Please report it.',
      };
    case 'no-way-out':
      return {
        says: 'At the cap, no reachable row escalates, accepts, or converges by waiver, so open findings are lost.',
        mend: `Add a row with round: ">=cap" that escalates, or accepts with a waiver.`,
      };
    case 'repair-unsettled':
      return {
        says: `The repairs are not stable: a second run over their own result would let ${at} change a fact again.`,
        mend: `Repairs run once, in order. Change the test of ${at} so that it does not hold after it applied, and place it after the repairs that set the facts it tests.`,
      };
    case 'round-falls':
    case 'dead-row':
    case 'dead-repair':
    case 'dead-worse':
    case 'dead-promise':
      return { says: about, mend: '' };
  }
}
