// Rules that would be proven only because nothing tests them: promises that cover no case, and ignored sources.

import { describe, expect, it } from 'vitest';
import { complaints, loopOf, NOT_THERE, REVIEW, vow } from '../../../../test/support/any-loop.js';
import { checkLoop } from './check.js';

describe('a promise that covers no case', () => {
  const facts = { critical: { findings: 'review', severity: 'critical' }, high: { findings: 'review', severity: 'high' } };
  const rows = [NOT_THERE, { id: 'Z', then: 'escalate' }];

  it('is refuted as dead', () => {
    const both = vow({ review: 'missing', critical: '>0' }, 'converge');
    expect(complaints({ facts, ...both }, rows)).toEqual(['dead-promise V']);
    expect(checkLoop(loopOf({ facts, ...both }, rows)).complaints[0]?.says).toMatch(/never applies: no facts pass its tests \(/);
    const all = { ...facts, findings: { findings: 'review' } };
    expect(complaints({ facts: all, ...vow({ findings: 0, high: '>0' }, 'converge') }, rows)).toEqual(['dead-promise V']);
    expect(complaints({ facts, ...vow({ critical: '>0' }, 'converge') }, rows)).toEqual([]);
  });

  it('counts if a larger cap reaches it', () => {
    expect(complaints({ facts, ...vow({ round: '<=3', high: 3 }, 'converge') }, rows)).toEqual([]);
    expect(complaints({ facts, ...vow({ round: '<1' }, 'converge') }, rows)).toEqual(['dead-promise V']);
  });

  it('is noted if every case of it ends in an error', () => {
    const error = { when: { review: ['missing', 'unreadable', 'unread'] }, error: { message: 'No review.', hint: 'Review it.' } };
    const proof = checkLoop(
      loopOf({ facts, repairs: [error], ...vow({ review: 'missing' }, 'converge') }, [{ id: 'Z', then: 'escalate' }]),
    );
    expect(proof.complaints).toEqual([]);
    expect(proof.notes).toEqual(['The promise V applies to no row: every case of it ends in the error of P0.']);
    const met = checkLoop(loopOf({ facts, ...vow({ review: 'missing' }, 'converge') }, rows));
    expect(met.notes).toEqual([]);
  });

  it('is distinguished from another with the same id', () => {
    const promises = [
      { id: 'V', when: { critical: '>0' }, never: ['converge'], why: 'First.' },
      { id: 'V', when: { high: '>0' }, never: ['escalate'], why: 'Second.' },
    ];
    const [complaint] = checkLoop(loopOf({ facts, promises }, rows)).complaints;
    expect([complaint?.at, complaint?.says]).toEqual(['V#2', 'The promise V (the second of that id) is broken: Second.']);
  });
});

describe('a count of several sources', () => {
  const LAWYER = { ...REVIEW, file: 'legal.json', what: 'the opinion' };
  const of = (findings: readonly string[]) => ({ critical: { findings, severity: 'critical' } });
  const rows = [
    { id: 'B', when: { critical: 0 }, then: 'converge' },
    { id: 'Z', then: 'escalate' },
  ];
  const unheard = ['missing', 'unreadable', 'unread', 'uncounted'].map((how) => `approves-${how} B legal`);
  const evidence = { review: REVIEW, legal: LAWYER };

  it('is refuted if an independent source was not counted', () => {
    const review = { facts: { ...of(['review', 'legal']), review: { findings: 'review' } }, evidence };
    const tested = [
      { ...rows[0], when: { critical: 0, review: '>=0' } },
      { id: 'Z', then: 'escalate' },
    ];
    expect(complaints(review, tested)).toEqual(unheard);
    expect(checkLoop(loopOf(review, tested)).complaints.at(-1)?.says).toBe(
      'Row B approves although the opinion has no counts. Only the other sources are counted (critical), so its findings are missed.',
    );
  });

  it('is proven if each source is also counted alone', () => {
    const own = { review: { findings: 'review' }, legal: { findings: 'legal' } };
    const tested = [
      { ...rows[0], when: { critical: 0, review: '>=0', legal: '>=0' } },
      { id: 'Z', then: 'escalate' },
    ];
    expect(complaints({ facts: { ...of(['review', 'legal']), ...own }, evidence }, tested)).toEqual([]);
  });

  it('is one count if sources agree, replace each other, or repeat the report', () => {
    const missing = { id: 'A', when: { seen: false }, then: 'escalate' };
    const facts = { ...of(['review', 'legal']), seen: { found: ['review', 'legal'] } };
    const agree = { sources: ['review', 'legal'], id: 'G', why: 'They disagree: {detail}' };
    expect(complaints({ facts, evidence, agree }, [missing, ...rows])).toEqual([]);
    const cell = { column: 'tally', reader: 'severity-summary', grade: 'testified', what: 'the tally' };
    const told = { review: { ...REVIEW, reader: 'review-json' }, legal: cell };
    const there = { id: 'A', when: { review: ['missing', 'unreadable', 'unread'] }, then: 'escalate' };
    expect(
      complaints({ facts: { ...of(['review', 'legal']), review: { state: 'review' } }, evidence: told, columns: { out: ['tally'] } }, [
        there,
        ...rows,
      ]),
    ).toEqual([]);
    const standIn = { review: { ...REVIEW, else: 'legal' }, legal: { ...REVIEW, file: 'b.json' } };
    const ready = { ...of(['review', 'legal']), review: { state: 'review' }, counted: { counted: 'review' } };
    const uncounted = { id: 'A', when: { counted: false }, then: 'escalate' };
    expect(complaints({ facts: ready, evidence: standIn }, [there, uncounted, ...rows])).toEqual([]);
  });

  it('ignores a missing optional source, but counts a present one', () => {
    const own = { review: { findings: 'review' } };
    const tested = [
      { ...rows[0], when: { critical: 0, review: '>=0' } },
      { id: 'Z', then: 'escalate' },
    ];
    const beside = { review: REVIEW, legal: { ...LAWYER, optional: true } };
    expect(complaints({ facts: { ...of(['review', 'legal']), ...own }, evidence: beside }, tested)).toEqual(unheard.slice(1));
  });
});

it('notes a second critic that is ignored because another place has the value', () => {
  const evidence = {
    review: REVIEW,
    more: { ...REVIEW, file: 'more.json', what: 'the rest' },
    legal: { ...REVIEW, file: 'legal.json', by: 'lawyer', what: 'the opinion' },
  };
  const task = (id: string, role: string) => ({ id: `${id}-{next}`, title: 'x', description: 'x', role, after: 'previous' });
  const tasks = [{ ...task('A', 'coder'), after: 'critic' }, task('B', 'lawyer'), { ...task('C', 'reviewer'), recheck: true }];
  const notes = (facts: object) => checkLoop(loopOf({ evidence, facts, tasks }, [{ id: 'Z', then: 'escalate' }])).notes.join('\n');
  expect(notes({ ok: { flag: ['review.ok', 'legal.ok'] } })).toContain(
    'The fact ok comes from the review; the opinion is used only if it has no value.',
  );
  expect(notes({ ok: { flag: ['review.ok', 'more.ok', 'legal.ok'] } })).toContain('comes from the review; the opinion is used');
  expect(notes({ ok: { flag: 'review.ok' }, fine: { flag: 'legal.ok' } })).not.toContain('not heard');
});
