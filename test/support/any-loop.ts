// Makes a loop from the parts that a test is about, and lists the complaints of the check about it.

import { defineLoop } from '@umpire/core/loops/define-loop.js';
import type { LoopInput } from '@umpire/core/loops/define-loop.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { checkLoop } from '@umpire/core/proof/check.js';

type Parts = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, unknown>>;

export const REVIEW = { file: 'review.json', reader: 'json', grade: 'testified', what: 'the review' };
export const NOT_THERE = { id: 'A', when: { review: ['missing', 'unreadable', 'unread'] }, then: 'escalate' };

/** A loop of these parts. Rows and repairs get default texts. */
export function loopOf(parts: Parts, table: readonly Row[]): Loop {
  const { facts, repairs, ...rest } = parts;
  return defineLoop({
    loop: 'any',
    title: 'Any loop.',
    roles: { generator: 'coder', critic: 'reviewer', judge: 'judge' },
    words: { converge: 'DONE', revise: 'AGAIN', accept: 'ACCEPT', escalate: 'ASK' },
    chain: 'session',
    round: { first: 1, counts: 'reviews' },
    cap: { default: 2 },
    columns: {},
    evidence: { review: REVIEW },
    facts: { ...('evidence' in parts ? {} : { review: { state: 'review' } }), ...(facts as object) },
    repairs: ((repairs ?? []) as readonly Row[]).map((repair, index) => ({ id: `P${index}`, why: 'odd', ...repair })),
    table: table.map((row) => ({ why: 'so', next: 'on', ...row })),
    report: [{ heading: 'Verdict', blocks: ['{verdict}'] }],
    ask: { question: 'What?', options: [{ id: 'abort', means: 'stop' }] },
    ...rest,
  } as unknown as LoopInput);
}

export const complaints = (parts: Parts, table: readonly Row[]) =>
  checkLoop(loopOf(parts, table)).complaints.map(({ code, at, about }) => `${code} ${at} ${about}`.trim());

export const vow = (when: object, ...never: readonly string[]) => ({ promises: [{ id: 'V', when, never, why: 'It must not be.' }] });
