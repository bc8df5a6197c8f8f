// V2, V3: where the built-in critic could not measure, an agent's word approves by waiver only.

import { expect, it } from 'vitest';
import { begun, done, row, start, told, verdict } from '../../../../test/support/session-events.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import type { Task } from '../model/vocabulary.js';
import { decideVerdict } from './decide-verdict.js';
import type { FoundEvidence, Round, VerdictDraft } from './decide-verdict.js';
import type { SessionStarted, TaskFinished } from './events.js';
import { NEW_SESSION } from './evolve.js';
import { pendingEffects } from './pending-effects.js';
import { findTask, testimonyOf } from './run-state.js';
import type { RunState } from './run-state.js';

const WHY = "TESTRUN-001 was not measured: No test runner found. The agent's word decided.";
const GOOD = { pass_rate: 1, coverage: 95 };

function judged(testimony: string | null, values: Readonly<Record<string, number>> = GOOD, more: Partial<Round> = {}) {
  const run: FoundEvidence = {
    state: 'ok',
    ref: null,
    reader: 'run-json',
    problem: null,
    reading: { values, lists: { regressions_measured: [], lost_tests: [], weak_tests: [], old_failures: [] }, findings: [], notes: [] },
    record: { state: 'ok' },
    content: null,
  };
  const draft = decideVerdict({
    state: NEW_SESSION,
    loop: builtinLoop('testing') as Loop,
    chain: 'L1',
    round: 0,
    cap: 3,
    target: 80,
    strict: false,
    tasks: [],
    waves: Int32Array.of(),
    critic: null,
    evidence: { run },
    past: null,
    role: { path: 'roles/judge.md', sha256: '' },
    anomalies: [],
    trend: null,
    testimony,
    ...more,
  });
  return (draft as VerdictDraft).verdict;
}

it('V3: approves by waiver if an agent’s word replaced the measurement, and says why', () => {
  expect(judged(WHY)).toMatchObject({
    outcome: 'converge',
    rule: 'T2',
    unverified: true,
    waivers: [WHY.slice(0, -1)],
    reason: `100% of the tests pass (95% needed) and coverage is 95% (target 80%). ${WHY}`,
  });
  expect(judged(null)).toMatchObject({ outcome: 'converge', unverified: false, waivers: [] });
});

it('A7: approves by waiver if a line that carries a severity was not read', () => {
  const reading = {
    values: GOOD,
    lists: { regressions_measured: [], lost_tests: [], weak_tests: [], old_failures: [] },
    findings: [],
    unread: ['we found 3 high issues'],
    notes: [],
  };
  const run: FoundEvidence = { state: 'ok', ref: null, reader: 'run-json', problem: null, reading, record: { state: 'ok' }, content: null };
  const why = '1 line of the report that carries a severity could not be read';
  expect(judged(null, GOOD, { evidence: { run } })).toMatchObject({ outcome: 'converge', unverified: true, waivers: [why] });
  expect(judged(null, GOOD, { evidence: { run }, strict: true })).toMatchObject({ outcome: 'escalate', unverified: false });
});

it('V3: with --strict, a person decides instead', () => {
  expect(judged(WHY, GOOD, { strict: true })).toMatchObject({
    outcome: 'escalate',
    rule: 'T2',
    unverified: false,
    waivers: [],
    reason: expect.stringContaining(`Only a waiver would approve this (${WHY.slice(0, -1)}), and --strict allows no waivers.`) as string,
  });
  expect(judged(null, GOOD, { strict: true })).toMatchObject({ outcome: 'converge', unverified: false });
});

it('V3: names both waivers, and changes nothing of a verdict that does not approve', () => {
  const blind = 'no coverage was measured, so the pass rate alone decided';
  expect(judged(WHY, { pass_rate: 1 }).waivers).toEqual([blind, WHY.slice(0, -1)]);
  expect(judged(WHY, { pass_rate: 0.5 })).toEqual(judged(null, { pass_rate: 0.5 }));
});

it('V18: testimony at the cap does not cover work that failed', () => {
  const gen: Task = { ...row('TESTGEN-001', 'generator'), id: 'TESTGEN-001', role: 'generator', status: 'failed', deps: [] } as never;
  const critic = { task: { ...gen, id: 'TESTRUN-001', role: 'executor', status: 'completed', deps: ['TESTGEN-001'] } as Task, wave: 2 };
  const more = { round: 3, tasks: [gen], waves: Int32Array.of(1), critic };
  expect(judged(WHY, GOOD, more)).toMatchObject({ outcome: 'escalate', rule: 'V18' });
  expect(judged(null, GOOD, more)).toMatchObject({ outcome: 'converge' });
});

const review = builtinLoop('review') as Loop;
const frozenBy = (rules: Loop) => ({ hash: 'h', rules, cap: 3, chains: ['1'], targets: {} });
const TRUSTED = 'The exit status of the command may hide a failure (--trust-exit-status).';
const UNMEASURED = { unmeasured: 'No linter found.' };
const SAID = "REVIEW-001 was not measured: No linter found. The agent's word decided.";

function reviewed(more: Partial<TaskFinished>, unverified: boolean, started: Partial<SessionStarted> = {}) {
  const rows = [row('DEV-001', 'developer'), row('REVIEW-001', 'reviewer', 'DEV-001')];
  const work = [start('DEV-001'), done('DEV-001'), start('REVIEW-001'), done('REVIEW-001', more)];
  return told([...begun(rows, { frozen: frozenBy(review), ...started }), ...work, verdict('REVIEW-001', { unverified })]).state;
}

it('V2: the session ends as unverified, with the reason', () => {
  expect(pendingEffects(reviewed(UNMEASURED, true))).toMatchObject([
    { type: 'EndSession', outcome: 'complete', unverified: true, reason: expect.stringMatching(new RegExp(` ${SAID}$`)) as string },
  ]);
});

it('the session ends as verified where its verdict says so', () => {
  expect(pendingEffects(reviewed({}, false))).toMatchObject([{ type: 'EndSession', unverified: false, reason: 'Nothing was changed.' }]);
});

it.each<[string, Partial<TaskFinished>, Partial<SessionStarted>, string | null]>([
  ['the built-in critic could not measure', UNMEASURED, {}, SAID],
  ['the critic measured, or an agent was named for its role', {}, {}, null],
  ['the loop is a custom one', UNMEASURED, { loopFolder: '/home/you/loops' }, null],
  ['the loop changes no code', UNMEASURED, { loop: 'design' }, null],
  ['a person trusts the exit status', {}, { trustsExitStatus: true, loopFolder: '/home/you/loops' }, TRUSTED],
])(
  'V3, W4: is testimony only where a critic of a loop that changes code was replaced, or a person trusts its command: %s',
  (_, more, started, expected) => {
    const run = reviewed(more, false, started).run as RunState;
    expect(testimonyOf(run, findTask(run, 'REVIEW-001'))).toBe(expected);
  },
);
