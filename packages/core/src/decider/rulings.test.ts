// A person's rulings on findings: judged without the dismissed ones, and which findings can be dismissed.

import { expect, it } from 'vitest';
import { begun, done, told, verdict } from '../../../../test/support/session-events.js';
import { makeFinding } from '../formats/finding.js';
import { countFindings } from '../formats/severity.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import type { Counts, Finding, Reading } from '../model/vocabulary.js';
import { decideVerdict } from './decide-verdict.js';
import type { FoundEvidence, VerdictDraft } from './decide-verdict.js';
import type { Event, FindingRuled } from './events.js';
import { NEW_SESSION } from './evolve.js';
import type { SessionState } from './evolve.js';
import { dismissFinding, isRuledSince, openFindings } from './rulings.js';

const INJECTION = makeFinding({ severity: 'critical', message: 'the query is built from user input', artifact: 'src/db.ts', line: 12 });
const LOGGED = makeFinding({ severity: 'high', message: 'the card number is logged', artifact: 'src/pay.ts', line: 88 });
const REGRESSED = makeFinding({ severity: 'critical', message: 'The test "pays" passed at the base', rule: 'test-regression' });

function rule(of: Finding, more: Partial<FindingRuled> = {}): FindingRuled {
  return {
    ruling: 'dismissed',
    finding: of,
    verdict: 4,
    reason: 'the input is checked',
    by: 'dismiss',
    who: 'ann',
    via: 'terminal',
    ...more,
  };
}

function rulingsOn(...findings: readonly Finding[]): SessionState['rulings'] {
  return new Map(findings.map((one) => [one.fingerprint, rule(one)]));
}

/** The review loop on these findings, in the results file and in the reviewer's row. */
function judged(
  findings: readonly Finding[],
  rulings: SessionState['rulings'],
  row: readonly Finding[] = findings,
  counts = countFindings(findings),
) {
  const found = (listed: readonly Finding[], counted: Counts, values: Reading['values']): FoundEvidence => ({
    state: 'ok',
    ref: null,
    reader: 'review-json',
    problem: null,
    reading: { values, counts: counted, findings: listed, lists: {}, notes: [] },
    record: { state: 'ok' },
    content: null,
  });
  const draft = decideVerdict({
    state: { ...NEW_SESSION, rulings },
    loop: builtinLoop('review') as Loop,
    chain: '1',
    round: 1,
    cap: 3,
    target: 0,
    strict: false,
    tasks: [],
    waves: Int32Array.of(),
    critic: null,
    evidence: {
      results: found(findings, counts, { gc_signal: 'CONVERGED', review_score: 8 }),
      row: found(row, countFindings(row), {}),
    },
    past: null,
    role: { path: 'roles/judge.md', sha256: '' },
    anomalies: [],
    trend: null,
    testimony: null,
  });
  return (draft as VerdictDraft).verdict;
}

it('judges without dismissed findings: neither counts nor tasks have them, and the verdict names them with who and why', () => {
  expect(judged([INJECTION, LOGGED], new Map())).toMatchObject({ outcome: 'revise', rule: 'R6', counts: { critical: 1, high: 1 } });
  const verdictWithout = judged([INJECTION, LOGGED], rulingsOn(INJECTION));
  expect(verdictWithout).toMatchObject({ outcome: 'converge', rule: 'R1', unverified: false, counts: { critical: 0, high: 1 } });
  expect(verdictWithout.findings).toEqual([LOGGED]);
  expect(verdictWithout.dismissed).toEqual([
    { finding: INJECTION, reason: 'the input is checked', by: 'dismiss', who: 'ann', via: 'terminal' },
  ]);
});

it('makes no task of a dismissed finding', () => {
  const other = makeFinding({ severity: 'critical', message: 'the session never expires', artifact: 'src/auth.ts' });
  const { tasks } = judged([INJECTION, other], rulingsOn(INJECTION));
  expect(tasks.map((task) => task['target_files'] ?? null)).toEqual(['src/auth.ts', null]);
  expect(JSON.stringify(tasks)).not.toContain(INJECTION.message);
});

it('takes a dismissed finding out of every source that repeats it, under another rule too', () => {
  const repeated = makeFinding({ ...INJECTION, rule: 'sql-injection' });
  expect(repeated.fingerprint).not.toBe(INJECTION.fingerprint);
  expect(judged([INJECTION], rulingsOn(INJECTION), [repeated])).toMatchObject({ outcome: 'converge', findings: [] });
});

it('counts a finding again that comes back with a higher severity', () => {
  const low = makeFinding({ ...INJECTION, severity: 'low' });
  expect(low.fingerprint).toBe(INJECTION.fingerprint);
  expect(judged([INJECTION], rulingsOn(low))).toMatchObject({ outcome: 'revise', counts: { critical: 1 } });
});

it('keeps what a source counts beyond its list', () => {
  expect(judged([INJECTION], rulingsOn(INJECTION), [], { critical: 2, high: 0, medium: 0, low: 0 })).toMatchObject({
    outcome: 'revise',
    counts: { critical: 1 },
  });
});

it('V2: a ruling on a measured regression has no effect', () => {
  expect(judged([REGRESSED], rulingsOn(REGRESSED))).toMatchObject({ outcome: 'revise', counts: { critical: 1 } });
});

const ROUND = [done('REVIEW-001'), verdict('REVIEW-001', { outcome: 'escalate', findings: [INJECTION, LOGGED, REGRESSED] })];

function after(...events: readonly Event[]): SessionState {
  return told([...begun(), ...ROUND, ...events]).state;
}

const asked = (word: string, reason = 'it is checked above') => ({ finding: word, reason, by: 'dismiss', who: 'ann' });

it('lists the open findings of the last verdict, and why some cannot be dismissed', () => {
  expect(openFindings(after()).map(({ finding: one, refusal }) => [one, refusal])).toEqual([
    [INJECTION, null],
    [REGRESSED, 'Umpire measured it: a test passed at the base and fails now'],
    [LOGGED, null],
  ]);
});

it('dismisses a finding by its fingerprint, a prefix of it, or its place', () => {
  for (const word of [INJECTION.fingerprint, INJECTION.fingerprint.slice(0, 6), 'src/db.ts:12']) {
    const event = dismissFinding(after(), 's', asked(word));
    expect(event.data).toMatchObject({ ruling: 'dismissed', finding: INJECTION, reason: 'it is checked above', who: 'ann' });
    const state = after(event);
    expect(openFindings(state).map(({ finding: one }) => one)).toEqual([REGRESSED, LOGGED]);
    expect([...state.verdicts.values()].flat().map((past) => isRuledSince(past, state))).toEqual([true]);
  }
});

it('refuses a dismissal without a reason, of an unknown or dismissed finding, and of a measured regression', () => {
  const code = (state: SessionState, word: string, reason?: string) => {
    try {
      dismissFinding(state, 's', asked(word, reason));
    } catch (error) {
      return (error as { code: string }).code;
    }
    return 'taken';
  };
  const { fingerprint } = INJECTION;
  expect(code(after(), fingerprint, ' ')).toBe('dismissal-unexplained');
  expect(code(after(), fingerprint.slice(0, 5))).toBe('finding-unknown');
  expect(code(after(), 'src/other.ts:1')).toBe('finding-unknown');
  expect(code(after(), REGRESSED.fingerprint)).toBe('finding-kept');
  const state = after(dismissFinding(after(), 's', asked(fingerprint)));
  expect(code(state, fingerprint)).toBe('finding-dismissed');
  expect(code(state, 'src/db.ts:12')).toBe('finding-dismissed');
});

it('says which findings share a place', () => {
  const other = makeFinding({ ...INJECTION, message: 'the query has no limit' });
  const state = told([...begun(), done('REVIEW-001'), verdict('REVIEW-001', { outcome: 'escalate', findings: [INJECTION, other] })]).state;
  expect(() => dismissFinding(state, 's', asked('src/db.ts:12'))).toThrow(/names 2 open findings/);
});
