// Random loops: small and valid, half of them with faults. For properties that must hold for every loop.

import fc from 'fast-check';
import type { LoopInput } from '@umpire/core/loops/define-loop.js';
import { defineLoop } from '@umpire/core/loops/define-loop.js';
import type { Loop } from '@umpire/core/loops/loop.js';

const FACTS: LoopInput['facts'] = {
  review: { state: 'review' },
  side: { state: 'side' },
  signal: { enum: ['GOOD', 'BAD', 'UGLY'], at: ['review.signal', 'side.signal'] },
  passed: { flag: 'review.passed' },
  score: { number: [0, 10], at: 'review.score' },
  critical: { findings: ['review', 'side'], severity: 'critical' },
  all: { findings: ['review', 'side'] },
  seen: { found: ['review', 'side'] },
  counted: { counted: ['review', 'side'] },
  items: { count: 'review.items' },
  added: { count: 'review.items', change: 'new' },
  net: { count: 'review.items', change: 'net' },
};

const comparison = (low: number, high: number, ...bounds: readonly string[]) =>
  fc
    .tuple(
      fc.constantFrom('<', '<=', '>', '>=', '='),
      fc.oneof(fc.integer({ min: low, max: high }).map(String), ...bounds.map((bound) => fc.constant(bound))),
    )
    .map(([operator, bound]) => `${operator}${bound}`);

const presence = fc.constantFrom('absent', 'present');

const TESTS: Readonly<Record<string, fc.Arbitrary<string | boolean | string[]>>> = {
  review: fc.subarray(['ok', 'missing', 'unreadable', 'unread'], { minLength: 1 }),
  side: fc.subarray(['ok', 'missing', 'unreadable', 'unread'], { minLength: 1 }),
  signal: fc.oneof(presence, fc.subarray(['GOOD', 'BAD', 'UGLY'], { minLength: 1 })),
  passed: fc.oneof(presence, fc.boolean()),
  score: fc.oneof(presence, comparison(1, 9, 'cap')),
  critical: fc.oneof(presence, comparison(0, 2)),
  all: fc.oneof(presence, comparison(0, 3)),
  seen: fc.boolean(),
  counted: fc.boolean(),
  items: fc.oneof(presence, comparison(0, 2, 'cap')),
  added: fc.oneof(presence, comparison(0, 1)),
  net: fc.oneof(presence, comparison(-1, 1)),
  round: comparison(1, 3, 'cap', 'cap'),
};

const when = fc
  .subarray(Object.keys(TESTS), { minLength: 1, maxLength: 3 })
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, TESTS[name] as fc.Arbitrary<string | boolean | string[]>]))));

const outcome = fc.constantFrom('converge', 'revise', 'accept', 'escalate');

const row = fc.record({ when, then: outcome, waived: fc.boolean() });

const set = fc.oneof(
  fc.constantFrom('GOOD', 'BAD').map((signal) => ({ signal })),
  fc.boolean().map((passed) => ({ passed })),
  fc.integer({ min: 0, max: 10 }).map((score) => ({ score })),
  fc.integer({ min: 1, max: 9 }).map((at) => ({ signal: { step: 'score', at, below: 'BAD', else: 'GOOD' } })),
);

const repair = fc.record({ when, set: fc.option(set), error: fc.boolean() });

/** `open`: the last row may have a condition too, so that no row matches some cases. */
function build(
  rows: readonly { when: object; then: string; waived: boolean }[],
  repairs: readonly { when: object; set: object | null; error: boolean }[],
  last: string,
): Loop {
  const approves = (then: string) => then === 'converge' || then === 'accept';
  return defineLoop({
    loop: 'any',
    title: 'Any loop.',
    roles: { generator: 'coder', critic: 'reviewer', judge: 'judge' },
    words: { converge: 'DONE', revise: 'AGAIN', accept: 'ACCEPT', escalate: 'ASK' },
    chain: 'session',
    round: { first: 1, counts: 'reviews' },
    cap: { default: 2 },
    columns: {},
    evidence: {
      review: { file: 'review.json', reader: 'json', grade: 'testified', what: 'the review' },
      side: { file: 'side.json', reader: 'json', grade: 'testified', what: 'the side review' },
    },
    facts: FACTS,
    repairs: repairs.map((one, index) => ({
      id: `P${index}`,
      when: one.when,
      ...(one.error && one.set === null ? { error: { message: 'No.', hint: 'Again.' } } : {}),
      ...(one.set === null ? {} : { set: one.set }),
      why: 'odd',
    })),
    table: [
      ...rows.map((one, index) => ({
        id: `Q${index}`,
        when: one.when,
        then: one.then,
        why: 'so',
        next: 'on',
        ...(one.waived && approves(one.then) ? { waiver: 'meant' } : {}),
      })),
      { id: 'Q-last', then: last, why: 'so', next: 'on' },
    ],
    tasks: [
      { id: 'FIX-{round}', title: 'Mend', description: 'Mend', role: 'coder', after: 'critic' },
      { id: 'REVIEW-re-{round}', title: 'Again', description: 'Again', role: 'reviewer', after: 'previous', recheck: true },
    ],
    report: [{ heading: 'Verdict', blocks: ['{verdict}'] }],
    ask: { question: 'What?', options: [{ id: 'abort', means: 'stop' }] },
  } as unknown as LoopInput);
}

export const randomLoop: fc.Arbitrary<Loop> = fc
  .tuple(fc.array(row, { minLength: 1, maxLength: 5 }), fc.array(repair, { maxLength: 3 }), outcome)
  .map(([rows, repairs, last]) => build(rows, repairs, last));
