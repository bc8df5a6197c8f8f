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
} from '../../../../test/support/story.js';
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
  check([...one, start('A', 'codex', 2)], 'wave 1: A started (developer, agent codex, attempt 2)');
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
  check(
    [...one, start('A'), { type: 'TaskInterrupted', data: { task: 'A', attempt: 1, why: 'stopped' } }],
    'A was stopped; it will be run again',
  );
  check(
    [...one, start('A'), { type: 'TaskInterrupted', data: { task: 'A', attempt: 1, why: 'the minutes are spent' } }],
    'A was stopped (the minutes are spent); it will be run again',
  );
  check([...one, { type: 'TaskSkipped', data: { task: 'B', reason: 'A failed: no.' } }], 'B skipped: A failed: no.');
  check(
    [...one, { type: 'TasksReopened', data: { tasks: ['A', 'B'], why: 'A person retries.' } }],
    'A, B will be run again: A person retries.',
  );
  // Without a memory of when it was started nothing is made up.
  const [event, state] = [recorded([...one, done('A')]).at(-1)!, fold(recorded([...one, done('A')]))];
  expect(progressLine(event, state)).toBe('09:03 A completed: What A found.');
});

it('tells in full what the guard took back', () => {
  const breaches = [1, 2].map((line) => ({ rule: 'test-deleted', file: 'a.test.ts', line, message: 'gone', taken: 'hunk' as const }));
  const findings = `Umpire took back what its guard forbids: ${'test-deleted at a/long/way/to/a.test.ts:4, '.repeat(3)}config-changed at x.`;
  const story = begun([row('A', 'developer')]);
  check([...story, start('A'), done('A', { findings, breaches })], `A completed in 1 min: ${findings}`);
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
  check([...TO_REVIEW, unjudged], 'REVIEW-001 left nothing to judge (rule R9): There are no review results. It runs once more.');
  check([...TO_REVIEW, unjudged, unjudged], 'REVIEW-001 left nothing to judge (rule R9): There are no review results. Run it again.');
});

it('says that a person is needed, and the very commands that answer, each on a line of its own', () => {
  check(
    ESCALATED,
    `a person is needed: a decision on an escalation (rule R5).\nAnswer with one of:\n  umpire resolve ${NAME} force-approve --reason "why"\n  umpire resolve ${NAME} manual-fix\n  umpire resolve ${NAME} extend --rounds 1\n  umpire resolve ${NAME} abort`,
  );
  const called = (key: string): Event => ({ type: 'PersonCalled', data: { key, by: 'nobody' } });
  const planned = [...begun(SPRINT, { gates: ['DESIGN-001'] }), start('DESIGN-001'), done('DESIGN-001'), called('plan:DESIGN-001:1')];
  check(
    planned,
    `a person is needed: approval of the plan of DESIGN-001.\nAnswer with one of:\n  umpire resolve ${NAME} approve\n  umpire resolve ${NAME} revise --reason "what to change"\n  umpire resolve ${NAME} abort`,
  );
  const asks: Event = {
    type: 'TaskAsked',
    data: { task: 'DESIGN-001', attempt: 1, question: 'Which\nvault?', usage: { tokens: 0, costUsd: 0 } },
  };
  check([...begun(), start('DESIGN-001'), asks], 'DESIGN-001 asks: Which vault?');
  check(
    [...ESCALATED, answered(`verdict:${FIRST_VERDICT}`, 'manual-fix'), called(`edit:verdict:${FIRST_VERDICT}`)],
    `a person is needed: your edit.\nAnswer with one of:\n  umpire resume ${NAME}\n  umpire resolve ${NAME} extend --rounds 1\n  umpire resolve ${NAME} force-approve --reason "why"\n  umpire resolve ${NAME} abort`,
  );
  const spent = { ...SETTINGS, maxMinutes: 1 };
  check(
    [...begun(SPRINT, { settings: spent }), begins('resume', spent), start('DESIGN-001'), done('DESIGN-001'), called('budget:minutes:1')],
    `a person is needed: more minutes: 4.0 of 1 used.\nAnswer with one of:\n  umpire resolve ${NAME} extend --minutes 30\n  umpire resolve ${NAME} abort`,
  );
});

it('tells what people did, and what was thrown away or taken back', () => {
  const answer = (word: Parameters<typeof answered>[1], more = {}) => [...ESCALATED, answered(`verdict:${FIRST_VERDICT}`, word, more)];
  check(answer('force-approve', { reason: 'Shipped before.' }), 'answered by resolve: force-approve, unverified: Shipped before.');
  check(answer('extend', { rounds: 2, costUsd: 5 }), 'answered by resolve: extend (2 rounds, $5.00 more)');
  const commit = 'b'.repeat(40);
  check(
    [...answer('manual-fix'), { type: 'PersonEdited', data: { commit, files: ['a.ts'] } }],
    'your work is taken up: 1 file (a.ts). Its critic runs again',
  );
  const edited = { set: {}, add: [], columns: [], told: ['SHIP-001: title changed'] };
  check([...begun(), { type: 'TasksEdited', data: edited }], 'your edit of tasks.csv is taken up: SHIP-001: title changed');
  check(
    [...begun(), { type: 'EditRefused', data: { reason: 'the task is completed', kept: 'tasks.refused-1.csv' } }],
    'your edit of tasks.csv is refused: the task is completed. It is kept as tasks.refused-1.csv',
  );
  check(
    [...begun(), { type: 'StrayChanges', data: { wave: 1, files: ['a', 'b', 'c', 'd', 'e'] } }],
    '5 files (a, b, c, d and 1 more) changed by tasks that only read: thrown away',
  );
  const reverted = { verdict: 3, tasks: ['FIX-1-1'], head: null, files: ['a.ts'] };
  check(
    [...begun(), { type: 'WorkReverted', data: { ...reverted, ok: true } }],
    'the work of FIX-1-1 made things worse and was taken back',
  );
  check(
    [...begun(), { type: 'WorkReverted', data: { ...reverted, ok: false } }],
    'the work of FIX-1-1 made things worse, and could not be taken back: a.ts',
  );
});

it('says how it ended, whether that was verified, and what to do', () => {
  const ended = (outcome: 'complete' | 'failed' | 'aborted', more = {}): readonly Event[] => [
    ...begun(SPRINT, more),
    { type: 'SessionEnded', data: { outcome, unverified: true, reason: 'So it is.' } },
  ];
  check(ended('complete'), `ended: complete, unverified. So it is.\nRead all of it:\n  umpire report ${NAME}`);
  const worked = ended('complete').flatMap((event) =>
    event.type === 'SessionEnded' ? [start('DEV-001'), ...merged('DEV-001', ['a.ts']), event] : [event],
  );
  check(
    worked,
    `ended: complete, unverified. So it is.\nBring the work over:\n  umpire apply ${NAME}\nRead all of it:\n  umpire report ${NAME}`,
  );
  check(ended('complete', { workspace: null }), `ended: complete, unverified. So it is.\nRead all of it:\n  umpire report ${NAME}`);
  const aborted = { outcome: 'aborted', unverified: true, reason: 'A person aborted the session: enough' } as const;
  check(
    [...begun(), { type: 'SessionEnded', data: aborted }],
    `ended: aborted, unverified. A person aborted the session: enough.\nRead all of it:\n  umpire report ${NAME}`,
  );
  check(
    ended('failed'),
    `ended: failed, unverified. So it is.\nRun what failed again:\n  umpire resume ${NAME} --retry\nRead all of it:\n  umpire report ${NAME}`,
  );
  expect(linesOf(ended('failed'), { session: "/a b/it's" }).at(-1)).toContain(`umpire report '/a b/it'\\''s'`);
});

it('says who goes on, and tells of a mode that nobody judges', () => {
  check([...TO_REVIEW, begins('resume')], 'taken on again (resume): 4 of 5 tasks done; agents: claude, reviewer by codex');
  const usage = { tokens: 0, costUsd: 0 };
  const putOff = { type: 'TaskPostponed', data: { task: 'A', attempt: 1, why: 'Overloaded.', waitMs: 300_000, usage } } as const;
  const one = [...begun([row('A', 'developer'), row('B', 'reviewer', 'A')]), start('A'), putOff];
  check([...one, begins('resume')], expect.stringMatching(/^taken on again \(resume\): 0 of 2 tasks done.*; A is tried again in 4 min$/));
  check([...one, { type: 'WaitEnded', data: { task: 'A' } }, begins('resume')], expect.not.stringContaining('tried again'));
  const again = begins('resume') as Extract<Event, { type: 'RunBegun' }>;
  const settings = { ...again.data.settings, agents: { reviewer: 'codex', '*': 'claude' } };
  check(
    [...TO_REVIEW, { ...again, data: { ...again.data, settings } }],
    'taken on again (resume): 4 of 5 tasks done; agents: claude, reviewer by codex',
  );
  const [first] = linesOf(begun(SPRINT, { judged: false, mode: 'patch', why: 'as asked' }));
  expect(first).toBe(
    `09:00 session ${NAME}: review, mode patch (as asked), 5 tasks. No critic of this mode is judged, so it will end unverified`,
  );
});

it('lets nothing of an agent reach the terminal but letters, on one line', () => {
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
  expect(linesOf(story)[4]).toBe('09:04 DESIGN-001 completed in 1 min, 1 file (done ended: complete) merged: done ended: complete');
});

it('colours lines if asked, and shows the clock of the caller', () => {
  const lines = linesOf([...begun(), start('DESIGN-001'), failed('DESIGN-001', 'no')], { color: true, clock: () => '10:30' });
  expect(lines.at(-1)).toBe('\u001b[31m10:30 DESIGN-001 failed in 1 min: no\u001b[0m');
  expect(lines.at(-2)).toBe('10:30 wave 1: DESIGN-001 started (architect, agent claude)');
});
