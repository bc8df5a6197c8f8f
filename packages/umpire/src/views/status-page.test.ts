import { expect, it } from 'vitest';
import type { Event } from '@umpire/core/decider/events.js';
import {
  COMPLETE,
  ESCALATED,
  FIRST_VERDICT,
  FIXED,
  SETTINGS,
  SPRINT,
  TO_REVIEW,
  answered,
  begins,
  begun,
  converges,
  done,
  escalates,
  failed,
  finding,
  fix,
  inTwoSprints,
  merged,
  row,
  start,
  told,
  verdict,
} from '../../../../test/support/session-events.js';
import { columnsOf } from './safe-text.js';
import { nextSteps, sessionView, stateWordOf } from './session-view.js';
import type { SessionView, StateWord } from './session-view.js';
import { statusPage } from './status-page.js';

function viewOf(story: readonly Event[], isHeld = false, notes: readonly string[] = []): SessionView {
  const { state } = told(story);
  const word = stateWordOf(state, isHeld);
  return sessionView(state, { session: 'review-payments-2026-03-01', state: word, tasks: [], place: '/cache/worktrees/s', notes });
}

const waits = (story: readonly Event[]) =>
  viewOf(story)
    .tasks.filter(({ status }) => status === 'pending')
    .map(({ id, waitsFor }) => `${id}: ${waitsFor.join(', ')}`);

it('shows a session that waits for a decision', () => {
  expect(statusPage(viewOf(ESCALATED))).toMatchSnapshot();
});

it('shows a session at work', () => {
  const story = [...TO_REVIEW, fix('REVIEW-001', 1, [finding('high', 'Card numbers are logged')]), start('FIX-1-1', 'claude', 2)];
  expect(statusPage(viewOf(story, true, ['Running in process 7 on host.']))).toMatchSnapshot();
});

it('tells of a question that comes later, while other work goes on, and who waits for the answer', () => {
  const asked = [...inTwoSprints('DEV-001', 'DEV-002', 'REVIEW-001', 'REVIEW-002'), escalates('REVIEW-001', '1')];
  const story = [...asked, converges('REVIEW-002', '2'), start('SHIP-002')];
  const view = viewOf(story, true);
  expect(view).toMatchObject({ state: 'running', wave: 3, question: { task: 'REVIEW-001', later: true, more: 0, answers: [] } });
  const page = statusPage(view);
  expect(page).toContain('Once the other tasks are done, it waits for your decision (rule R5).');
  expect(page).not.toContain('umpire resolve');
  expect(waits(story)).toEqual(['SHIP-001: an answer', 'NOTES-002: an answer', 'RELEASE-002: SHIP-001, SHIP-002']);
  // The process is gone: it can be answered before the rest is done.
  const left = viewOf(story);
  expect({ state: left.state, later: left.question?.later }).toEqual({ state: 'interrupted', later: false });
  expect(statusPage(left)).toContain('umpire resolve review-payments-2026-03-01 force-approve');
});

it('shows a session that ended, and what was approved without clean evidence', () => {
  const key = `verdict:${FIRST_VERDICT}`;
  const forced = [
    ...ESCALATED,
    answered(key, 'force-approve', { reason: 'The logger is gone next week.' }),
    start('SHIP-001'),
    ...merged('SHIP-001', ['CHANGELOG.md']),
    { type: 'SessionEnded', data: { outcome: 'complete', unverified: true, reason: 'Approved by a person.' } } as const,
  ];
  expect(statusPage(viewOf(forced))).toMatchSnapshot();
  expect(viewOf(COMPLETE)).toMatchObject({ state: 'complete', unverified: false, because: [], wave: null });
});

it('tells once why what was approved is unverified, and still why it failed', () => {
  const ended = (outcome: 'complete' | 'failed', reason: string) =>
    statusPage(
      viewOf([...begun(SPRINT, { judged: false, mode: 'patch' }), { type: 'SessionEnded', data: { outcome, unverified: true, reason } }]),
    );
  const why = 'The mode patch does not judge a critic.';
  expect(ended('complete', why).split(why).length).toBe(2);
  expect(ended('complete', 'Approved by exception, not on clean evidence.')).not.toContain('Approved by');
  expect(ended('failed', 'Failed: DEV-001 (no).')).toContain('\nFailed: DEV-001 (no).\n');
});

it('says what each task waits for', () => {
  expect(waits(begun())).toEqual([
    'DESIGN-001: ',
    'DEV-001: DESIGN-001',
    'VERIFY-001: DEV-001',
    'REVIEW-001: DEV-001',
    'SHIP-001: VERIFY-001, REVIEW-001',
  ]);
  expect(waits(TO_REVIEW)).toEqual(['SHIP-001: the verdict on REVIEW-001']);
  expect(waits(ESCALATED)).toEqual(['SHIP-001: an answer']);
  expect(waits(FIXED)).toEqual(['SHIP-001: ']);
  const apart = begun([row('A', 'developer'), row('B', 'developer'), row('C', 'developer', 'A')]);
  expect(waits([...apart, start('A'), done('A'), start('B')])).toEqual(['C: wave 1']);
  const settings = { ...SETTINGS, maxMinutes: null, maxTokens: 5 };
  const spent = [...begun(SPRINT, { settings }).slice(0, -1), start('DESIGN-001'), done('DESIGN-001')];
  expect(viewOf(spent).tasks.map(({ waitsFor }) => waitsFor)).toMatchObject([[], ['an answer'], ['DEV-001'], ['DEV-001'], {}]);
});

it('says what a task waits for also where others run it', () => {
  const task = (id: string, status: 'completed' | 'pending', deps: readonly string[] = []) => ({
    task: { id, role: 'r', status, description: id, deps, contextFrom: [], execMode: 'csv-wave' as const, columns: {}, line: 2 },
    wave: 1,
  });
  const tasks = [task('A', 'completed'), task('B', 'pending'), task('C', 'pending', ['A', 'B']), task('D', 'completed', ['B'])];
  const { state } = told([]);
  const view = sessionView(state, { session: 's', state: 'never judged', tasks, place: null, notes: [] });
  expect(view.tasks.map(({ id, waitsFor }) => [id, waitsFor])).toEqual([
    ['A', []],
    ['B', []],
    ['C', ['B']],
    ['D', []],
  ]);
});

it.each<[StateWord, readonly Event[], object, readonly (string | null)[]]>([
  ['running', TO_REVIEW, {}, ['umpire logs s']],
  ['awaiting', ESCALATED, {}, []],
  ['interrupted', TO_REVIEW, {}, ['umpire resume s']],
  ['complete', COMPLETE, {}, ['umpire apply s', 'umpire report s']],
  ['complete', COMPLETE, { isApplied: true }, ['umpire clean s', 'umpire report s']],
  ['complete', COMPLETE, { isApplied: true, isCleared: true }, ['umpire report s']],
  ['complete', begun(SPRINT, { workspace: null }), {}, ['umpire report s']],
  ['complete', begun(), {}, ['umpire report s']],
  ['failed', TO_REVIEW, {}, ['umpire resume s --retry', 'umpire report s']],
  ['aborted', TO_REVIEW, {}, ['umpire report s']],
  ['never judged', [], {}, ['umpire run <loop> "<goal>"', 'umpire decide <loop> s']],
  ['unreadable', TO_REVIEW, {}, [null]],
])('says what to do with a session that is %s', (state, story, around, commands) => {
  const steps = nextSteps({ session: 's', state, ...around }, told(story).state.run);
  expect(steps.map(({ command }) => command)).toEqual(commands);
});

it('sends nobody to judge what has not begun', () => {
  const task = (id: string, status: 'completed' | 'pending', deps: readonly string[] = []) => ({
    task: { id, role: 'r', status, description: id, deps, contextFrom: [], execMode: 'csv-wave' as const, columns: {}, line: 2 },
    wave: 1,
  });
  const steps = (...tasks: readonly ReturnType<typeof task>[]) =>
    nextSteps({ session: 's', state: 'never judged', tasks }, null).map(({ what, command }) => `${what}: ${command ?? 'none'}`);
  expect(steps(task('A', 'pending'), task('B', 'pending', ['A']))).toEqual([
    'No task is done yet. First: A (r).: none',
    'Once the critic is done, judge it: umpire decide <loop> s',
  ]);
  expect(steps(...'ABCDEFG'.split('').map((id) => task(id, 'pending')))[0]).toContain('E (r) and 2 more.');
  expect(steps(task('A', 'completed'), task('B', 'pending', ['A']))).toEqual(['Judge it: umpire decide <loop> s']);
});

it('takes no task for running where no process is, and no running session for a result', () => {
  const story = begun(SPRINT, { judged: false, mode: 'patch' });
  const statusOf = (isHeld: boolean) => viewOf([...story, start('DESIGN-001')], isHeld).tasks[0]?.status;
  expect([statusOf(true), statusOf(false)]).toEqual(['running', 'stopped']);
  expect(statusPage(viewOf(story))).toMatch(/^\S+: interrupted\n/);
  expect(statusPage(viewOf(story))).toContain('Unverified: The mode patch does not judge a critic.');
});

it('tells the state in one word', () => {
  const word = (story: readonly Event[], isHeld = false) => stateWordOf(told(story).state, isHeld);
  expect(word(TO_REVIEW)).toBe('interrupted');
  expect(word(TO_REVIEW, true)).toBe('running');
  expect(word(ESCALATED)).toBe('awaiting');
  expect(word(ESCALATED, true)).toBe('running');
  expect(word(COMPLETE, true)).toBe('complete');
  expect(word([{ type: 'SessionObserved', data: { session: 's', tasks: 0 } }])).toBe('never judged');
  expect(word([{ type: 'SessionObserved', data: { session: 's', tasks: 0 } }, verdict('REVIEW-001')])).toBe('judged only');
});

it('offers the commands that answer each question, and none that would be refused', () => {
  const commands = (story: readonly Event[]) =>
    viewOf(story).question?.answers.map(({ command }) => command.replace('umpire ', '').replace(' review-payments-2026-03-01', ''));
  const nothing = { task: 'REVIEW-001', attempt: 1, rule: 'R9', message: 'No results.', hint: 'Run it again.' };
  const unjudged: Event = { type: 'JudgingFailed', data: nothing };
  const again: Event = { type: 'JudgingFailed', data: { ...nothing, attempt: 2 } };
  const UNJUDGED = [...TO_REVIEW, unjudged, start('REVIEW-001', 'codex', 2), done('REVIEW-001', { attempt: 2 }), again];
  expect(commands(UNJUDGED)).toEqual(['resolve manual-fix', 'resolve extend', 'resolve force-approve --reason "why"', 'resolve abort']);
  expect(commands([...begun(SPRINT, { gates: ['DESIGN-001'] }), start('DESIGN-001'), done('DESIGN-001')])).toEqual([
    'resolve approve',
    'resolve revise --reason "what to change"',
    'resolve abort',
  ]);
  expect(commands([...ESCALATED, answered(`verdict:${FIRST_VERDICT}`, 'manual-fix')])).toEqual([
    'resume',
    'resolve extend --rounds 1',
    'resolve force-approve --reason "why"',
    'resolve abort',
  ]);
  expect(commands([...UNJUDGED, answered('evidence:REVIEW-001:2', 'manual-fix')])?.[1]).toBe('resolve extend');
  const poor = { ...SETTINGS, maxTokens: 1000, maxMinutes: null };
  expect(commands([...begun(SPRINT, { settings: poor }), begins('run', poor), start('DESIGN-001'), done('DESIGN-001')])).toEqual([
    'resolve extend --tokens 100000',
    'resolve abort',
  ]);
});

it('fits into 80 columns, whatever tasks and agents are called, and leaves a terminal nothing to obey', () => {
  const nasty = `\u001b]0;x\u0007\u6f22\u5b57 ${'very long words '.repeat(30)}\r\n# forged`;
  const rows = [
    { ...row(`ID-${'x'.repeat(60)}`, nasty.slice(0, 40), '', nasty), description: 'd' },
    row('B', 'developer', '', nasty),
    row('C', 'developer', 'B', nasty),
  ];
  const story = [
    ...begun(rows, { goal: nasty, why: nasty, mode: 'sprint' }),
    start('B'),
    failed('B', nasty),
    { type: 'TaskSkipped', data: { task: 'C', reason: nasty } } as const,
    { type: 'SessionEnded', data: { outcome: 'failed', unverified: true, reason: nasty } } as const,
  ];
  const lines = statusPage(viewOf(story, false, [nasty])).split('\n');
  expect(lines.filter((line) => columnsOf(line) > 80 && !line.includes('ID-x'))).toEqual([]);
  expect(lines.filter((line) => /[\p{Cc}\p{Cf}]/u.test(line))).toEqual([]);
  expect(lines.filter((line) => line.startsWith('#'))).toEqual([]);
});

it('counts a wave of thousands instead of listing it, but for what is at work or failed', () => {
  const rows = Array.from({ length: 3000 }, (_, index) => row(`T-${index}`, 'developer'));
  const page = statusPage(viewOf([...begun(rows), start('T-0'), done('T-0'), start('T-1'), start('T-2'), failed('T-2', 'It broke.')]));
  expect(page.split('\n').length).toBeLessThan(30);
  expect(page).toContain('  stopped    T-1');
  expect(page).toContain('  failed     T-2');
  expect(page).toContain('3,000 tasks: 1 completed, 1 stopped, 1 failed, 2997 pending');
});
