import { expect, it } from 'vitest';
import { fold } from '@umpire/core/decider/evolve.js';
import type { Event } from '@umpire/core/decider/events.js';
import {
  COMPLETE,
  ESCALATED,
  FIRST_VERDICT,
  SETTINGS,
  SPRINT,
  TO_REVIEW,
  answered,
  begins,
  begun,
  done,
  failed,
  finding,
  recorded,
  row,
  merged,
  start,
  verdict,
} from '../../../../test/support/session-events.js';
import { followProgress, progressLine } from './progress-lines.js';
import type { ProgressOptions } from './progress-lines.js';

const NAME = 'review-payments-2026-03-01';

function linesOf(story: readonly Event[], options: ProgressOptions = {}): readonly (string | null)[] {
  const events = recorded(story);
  const follow = followProgress(options);
  return events.map((event, index) => follow(event, fold(events.slice(0, index + 1))));
}

/** The line of the last event, without its time. */
function check(story: readonly Event[], expected: string | null): void {
  expect(linesOf(story).at(-1)?.slice(6) ?? null).toEqual(expected);
}

it('tells a session from its first line to its last', () => {
  expect(linesOf(COMPLETE).filter((line) => line !== null)).toMatchSnapshot();
});

it('breaks lines between words where a terminal is narrow, and leaves commands whole', () => {
  const width = (columns: number) => linesOf(ESCALATED, { columns: () => columns }).flatMap((line) => line?.split('\n') ?? []);
  const wide = linesOf(ESCALATED).flatMap((line) => line?.split('\n') ?? []);
  const isCommand = (line: string) => line.startsWith('  umpire ');
  expect(width(60).filter((line) => line.length > 60 && !isCommand(line))).toEqual([]);
  expect(width(60).filter(isCommand)).toEqual(wide.filter(isCommand));
  // The same words, each broken line under the text of the first.
  expect(width(60).join(' ').replaceAll(/ {6,}/g, ' ')).toBe(wide.join(' '));
  expect(width(60).length).toBeGreaterThan(wide.length);
  expect(width(20)).toEqual(wide);
});

it('tells how a task went', () => {
  const one = begun([row('A', 'developer'), row('B', 'reviewer', 'A')]);
  check([...one, start('A', 'codex', 2)], 'Wave 1: A started (developer, agent codex, attempt 2)');
  check([...one, start('A'), failed('A', 'Exit status 3.')], 'A failed in 1 min: Exit status 3.');
  check([...one, start('A'), done('A', { findings: 'x'.repeat(200) })], `A completed in 1 min: ${'x'.repeat(97)}...`);
  check([...one, start('A'), done('A', { findings: '' })], 'A completed in 1 min');
  expect(
    linesOf([...one, start('A'), done('A', { findings: '' })], { ranMs: () => 49 })
      .at(-1)
      ?.slice(6),
  ).toBe('A completed');
  expect(
    linesOf([...one, start('A'), done('A', { findings: '' })], { ranMs: () => 50 })
      .at(-1)
      ?.slice(6),
  ).toBe('A completed in 0.1 s');
  check([...one, start('A'), { type: 'TaskInterrupted', data: { task: 'A', attempt: 1, why: 'stopped' } }], 'A stopped; it will run again');
  check(
    [...one, start('A'), { type: 'TaskInterrupted', data: { task: 'A', attempt: 1, why: 'time limit exceeded' } }],
    'A stopped (time limit exceeded); it will run again',
  );
  check([...one, { type: 'TaskSkipped', data: { task: 'B', reason: 'A failed: no.' } }], 'B skipped: A failed: no.');
  check(
    [...one, { type: 'TasksReopened', data: { tasks: ['A', 'B'], why: 'A person retries.' } }],
    'A, B will run again: A person retries.',
  );
  // Without a memory of when it was started nothing is made up.
  const [event, state] = [recorded([...one, done('A')]).at(-1)!, fold(recorded([...one, done('A')]))];
  expect(progressLine(event, state)).toBe('09:03 A completed: What A found.');
});

it('tells what the guard reverted on a line of its own, and never in the words of an agent', () => {
  const breaches = [1, 2].map((line) => ({ rule: 'test-deleted', file: 'a.test.ts', line, message: 'gone', taken: 'hunk' as const }));
  const guard = 'The guard reverted: test-deleted at a.test.ts:1, test-deleted at a.test.ts:2.';
  const story = [...begun([row('A', 'developer')]), start('A'), done('A', { findings: `${guard} I fixed it.`, breaches })];
  expect(linesOf(story).at(-1)?.slice(6)).toBe(`A completed in 1 min: I fixed it.\n${guard}`);
});

it('tells what a verdict is and what it leads to', () => {
  check(
    [...TO_REVIEW, verdict('REVIEW-001', { unverified: true, rule: 'R2', reason: 'It is low.' })],
    'REVIEW-001 judged: CONVERGE (unverified), round 1 of 3, rule R2. It is low.',
  );
  check(
    [...TO_REVIEW, verdict('REVIEW-001', { status: 'partial', findings: [finding('high', 'x')] })],
    'REVIEW-001 judged: CONVERGE (partial), round 1 of 3, rule R1. The review converged with a score of 8/10.',
  );
  const trend = { kind: 'stalled', stop: true, why: 'Stalled: no gain in two rounds.' };
  check(
    [...TO_REVIEW, verdict('REVIEW-001', { outcome: 'revise', decision: 'FIX', rule: 'R4', reason: 'Low.', trend })],
    'REVIEW-001 judged: FIX, round 1 of 3, rule R4. Low. Stalled: no gain in two rounds.',
  );
  const still = { ...trend, why: 'Stalled: no progress since round 1; still score 5, findings 4 High.' };
  check(
    [...TO_REVIEW, verdict('REVIEW-001', { outcome: 'revise', decision: 'FIX', rule: 'R4', reason: '4 findings.', trend: still })],
    'REVIEW-001 judged: FIX, round 1 of 3, rule R4. 4 findings. Stalled: no progress since round 1.',
  );
  const nothing = { task: 'REVIEW-001', attempt: 1, rule: 'R9', message: 'There are no review results.', hint: 'Run it again.' };
  const unjudged: Event = { type: 'JudgingFailed', data: nothing };
  check([...TO_REVIEW, unjudged], 'REVIEW-001 left nothing to judge (rule R9): There are no review results. It runs again.');
  check([...TO_REVIEW, unjudged, unjudged], 'REVIEW-001 left nothing to judge (rule R9): There are no review results. Run it again.');
});

it('says that a person is needed, and the very commands that answer, each on a line of its own', () => {
  check(
    ESCALATED,
    `Waiting for your decision (rule R5).\nAnswer with one of:\n  umpire resolve ${NAME} force-approve --reason "why"\n  umpire resolve ${NAME} manual-fix\n  umpire resolve ${NAME} extend --rounds 1\n  umpire resolve ${NAME} abort`,
  );
  const called = (key: string): Event => ({ type: 'PersonCalled', data: { key, by: 'nobody' } });
  const planned = [...begun(SPRINT, { gates: ['DESIGN-001'] }), start('DESIGN-001'), done('DESIGN-001'), called('plan:DESIGN-001:1')];
  check(
    planned,
    `Waiting for approval of the plan of DESIGN-001.\nAnswer with one of:\n  umpire resolve ${NAME} approve\n  umpire resolve ${NAME} revise --reason "what to change"\n  umpire resolve ${NAME} abort`,
  );
  const asks: Event = {
    type: 'TaskAsked',
    data: { task: 'DESIGN-001', attempt: 1, question: 'Which\nvault?', usage: { tokens: 0, costUsd: 0 } },
  };
  check([...begun(), start('DESIGN-001'), asks], 'DESIGN-001 asks: Which vault?');
  check(
    [...ESCALATED, answered(`verdict:${FIRST_VERDICT}`, 'manual-fix'), called(`edit:verdict:${FIRST_VERDICT}`)],
    `Waiting for your edit.\nAnswer with one of:\n  umpire resume ${NAME}\n  umpire resolve ${NAME} extend --rounds 1\n  umpire resolve ${NAME} force-approve --reason "why"\n  umpire resolve ${NAME} abort`,
  );
  const spent = { ...SETTINGS, maxMinutes: 1 };
  check(
    [...begun(SPRINT, { settings: spent }), begins('resume', spent), start('DESIGN-001'), done('DESIGN-001'), called('budget:minutes:1')],
    `Budget exceeded: 4 min of 1 min.\nAnswer with one of:\n  umpire resolve ${NAME} extend --minutes 30\n  umpire resolve ${NAME} abort`,
  );
});

it('tells what people did, and what was thrown away or taken back', () => {
  const answer = (word: Parameters<typeof answered>[1], more = {}) => [...ESCALATED, answered(`verdict:${FIRST_VERDICT}`, word, more)];
  check(answer('force-approve', { reason: 'Shipped before.' }), 'Answered (resolve): force-approve, unverified: Shipped before.');
  check(answer('extend', { rounds: 2, costUsd: 5 }), 'Answered (resolve): extend (2 rounds, $5.00 more)');
  const commit = 'b'.repeat(40);
  check(
    [...answer('manual-fix'), { type: 'PersonEdited', data: { commit, files: ['a.ts'] } }],
    'Your changes were merged: 1 file (a.ts). The critic runs again',
  );
  const edited = { set: {}, add: [], columns: [], told: ['SHIP-001: title changed'] };
  check([...begun(), { type: 'TasksEdited', data: edited }], 'Your edit of tasks.csv was applied: SHIP-001: title changed');
  check(
    [...begun(), { type: 'EditRefused', data: { reason: 'the task is completed', kept: 'tasks.refused-1.csv' } }],
    'Your edit of tasks.csv was refused: the task is completed. Your file is kept as tasks.refused-1.csv',
  );
  check(
    [...begun(), { type: 'StrayChanges', data: { wave: 1, files: ['a', 'b', 'c', 'd', 'e'] } }],
    'Discarded changes that no task may make: 5 files (a, b, c, d and 1 more)',
  );
  const reverted = { verdict: 3, tasks: ['FIX-1-1'], head: null, files: ['a.ts'] };
  check([...begun(), { type: 'WorkReverted', data: { ...reverted, ok: true } }], 'Reverted the work of FIX-1-1: it made things worse');
  check(
    [...begun(), { type: 'WorkReverted', data: { ...reverted, ok: false } }],
    'Could not revert the work of FIX-1-1, which made things worse: a.ts',
  );
});

it('says how it ended, whether that was verified, and what to do', () => {
  const ended = (outcome: 'complete' | 'failed' | 'aborted', more = {}): readonly Event[] => [
    ...begun(SPRINT, more),
    { type: 'SessionEnded', data: { outcome, unverified: true, reason: 'So it is.' } },
  ];
  check(ended('complete'), `Session complete, unverified. So it is.\nRead the report:\n  umpire report ${NAME}`);
  const worked = ended('complete').flatMap((event) =>
    event.type === 'SessionEnded' ? [start('DEV-001'), ...merged('DEV-001', ['a.ts']), event] : [event],
  );
  check(
    worked,
    `Session complete, unverified. So it is.\nApply the work to your checkout:\n  umpire apply ${NAME}\nRead the report:\n  umpire report ${NAME}`,
  );
  check(ended('complete', { workspace: null }), `Session complete, unverified. So it is.\nRead the report:\n  umpire report ${NAME}`);
  const aborted = { outcome: 'aborted', unverified: true, reason: 'A person aborted it: enough' } as const;
  check(
    [...begun(), { type: 'SessionEnded', data: aborted }],
    `Session aborted, unverified. A person aborted it: enough.\nRead the report:\n  umpire report ${NAME}`,
  );
  check(
    ended('failed'),
    `Session failed, unverified. So it is.\nRetry the failed tasks:\n  umpire resume ${NAME} --retry\nRead the report:\n  umpire report ${NAME}`,
  );
  expect(linesOf(ended('failed'), { session: "/a b/it's" }).at(-1)).toContain(`umpire report '/a b/it'\\''s'`);
});

it('says who goes on, and tells of a mode that nobody judges', () => {
  check(
    [...TO_REVIEW, begins('resume')],
    'Resumed: 4 of 5 tasks done; agents: claude, codex (reviewer), not sandboxed (home folder, caches and /tmp unprotected)',
  );
  const usage = { tokens: 0, costUsd: 0 };
  const putOff = { type: 'TaskPostponed', data: { task: 'A', attempt: 1, why: 'Overloaded.', waitMs: 300_000, usage } } as const;
  const one = [...begun([row('A', 'developer'), row('B', 'reviewer', 'A')]), start('A'), putOff];
  check([...one, begins('resume')], expect.stringMatching(/^Resumed: 0 of 2 tasks done.*; A retries in 4 min$/));
  check([...one, { type: 'WaitEnded', data: { task: 'A' } }, begins('resume')], expect.not.stringContaining('retries in'));
  const again = begins('resume') as Extract<Event, { type: 'RunBegun' }>;
  const settings = { ...again.data.settings, agents: { reviewer: 'codex', '*': 'claude' } };
  check(
    [...TO_REVIEW, { ...again, data: { ...again.data, settings } }],
    'Resumed: 4 of 5 tasks done; agents: claude, codex (reviewer), not sandboxed (home folder, caches and /tmp unprotected)',
  );
  const [first] = linesOf(begun(SPRINT, { judged: false, mode: 'patch', why: 'as asked' }));
  expect(first).toBe(
    `09:00 Session ${NAME}: review, mode patch (as asked), 5 tasks. No critic is judged in this mode, so the result will be unverified`,
  );
});

it('lets no control character of an agent reach the terminal, and keeps one line', () => {
  const nasty = '\u001b]0;owned\u0007\u001b[2Jdone\r\nended: complete\u202e\u0000';
  const story = [
    ...begun(),
    start('DESIGN-001', nasty),
    done('DESIGN-001', { findings: nasty, files: [nasty], head: 'h' }),
    failed('DEV-001', nasty),
    verdict('REVIEW-001', { reason: nasty, decision: nasty, rule: nasty }),
    answered('x', 'abort', { reason: nasty, by: nasty }),
  ];
  for (const line of linesOf(story, { clock: () => nasty })) expect(line ?? '').not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(linesOf(story)[4]).toBe(
    '09:04 DESIGN-001 completed in 1 min, 1 file (\\u001b]0;owned\\u0007\\u001b[2Jdone ended: complete\\u202e\\u0000) merged: \\u001b]0;owned\\u0007\\u001b[2Jdone ended: complete\\u202e\\u0000',
  );
});

it('colours lines if asked, and shows the clock of the caller', () => {
  const lines = linesOf([...begun(), start('DESIGN-001'), failed('DESIGN-001', 'no')], { color: true, clock: () => '10:30' });
  expect(lines.at(-1)).toBe('\u001b[31m10:30 DESIGN-001 failed in 1 min: no\u001b[0m');
  expect(lines.at(-2)).toBe('10:30 Wave 1: DESIGN-001 started (architect, agent claude)');
});

it('says once for each agent that a limit in dollars cannot hold', () => {
  const usage = { tokens: 0, costUsd: 0, unknown: ['cost'] } as const;
  const runs = (id: string) => [start(id, 'mine'), done(id, { usage })];
  const story = (maxCostUsd: number | null) => [
    ...begun([row('A', 'developer'), row('B', 'developer')], { settings: { ...SETTINGS, maxCostUsd } }).slice(0, 2),
    begins('run', { ...SETTINGS, maxCostUsd }),
    ...runs('A'),
    ...runs('B'),
  ];
  const notes = (maxCostUsd: number | null) => linesOf(story(maxCostUsd)).filter((line) => line?.includes('Note: ') === true);
  expect([notes(5).map((line) => line?.split('\n')[1]), notes(null)]).toEqual([
    ['Note: mine reports no cost, so the limit in dollars cannot stop it. Use minutes or tokens.'],
    [],
  ]);
});
