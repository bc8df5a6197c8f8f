// A session that Umpire runs: given events, the next steps.

import { RUN_SETTINGS, usualValues } from '../model/options.js';
import { expect, it } from 'vitest';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import type { Verdict } from '../model/vocabulary.js';
import { NO_USAGE } from '../model/ports.js';
import { answerEvents } from './answers.js';
import type { AnswerGiven } from './answers.js';
import { compareEdit } from './edits.js';
import { NEW_SESSION, evolve } from './evolve.js';
import type { SessionState } from './evolve.js';
import type { Effects, Event, RunSettings, SessionStarted } from './events.js';
import { pendingEffects } from './pending-effects.js';
import { currentQuestion } from './question.js';
import { rowOf } from './run-state.js';
import type { RunState } from './run-state.js';

const review = builtinLoop('review') as Loop;

const SETTINGS: RunSettings = {
  ...usualValues(RUN_SETTINGS),
  retries: 0,
  agents: { '*': 'a' },
  agentCommand: null,
  concurrency: 2,
  yes: false,
};

const COLUMNS = [
  'id',
  'title',
  'description',
  'role',
  'deps',
  'context_from',
  'exec_mode',
  'wave',
  'status',
  'findings',
  'review_score',
  'error',
];

function row(id: string, role: string, deps = ''): Readonly<Record<string, string>> {
  return { id, title: id, description: `Do ${id}.`, role, deps, context_from: deps, exec_mode: 'csv-wave', status: 'pending' };
}

function started(rows: readonly Readonly<Record<string, string>>[], more: Partial<SessionStarted> = {}): readonly Event[] {
  const data: SessionStarted = {
    session: 's',
    loop: 'review',
    goal: 'g',
    project: '/p',
    loopFolder: null,
    mode: 'sprint',
    why: 'as asked',
    critic: 'reviewer',
    judged: true,
    columns: COLUMNS,
    rows,
    gates: [],
    writers: ['developer'],
    settings: SETTINGS,
    workspace: null,
    ...more,
  };
  return [
    { type: 'SessionStarted', data },
    { type: 'RulesFrozen', data: { loop: 'review', hash: 'h', rules: review, cap: 2, chains: ['1'] } },
    { type: 'RunBegun', data: { run: 'r1', by: 'run', settings: data.settings, head: null } },
  ];
}

function given(events: readonly Event[]): SessionState {
  let state: SessionState = { ...NEW_SESSION };
  events.forEach((event, index) => {
    state = evolve(state, { ...event, seq: index + 1, ts: new Date(index * 1000).toISOString() });
  });
  return state;
}

const start = (task: string, attempt = 1): Event => ({ type: 'TaskStarted', data: { task, attempt, agent: 'a' } });
const done = (task: string, more: Partial<Extract<Event, { type: 'TaskFinished' }>['data']> = {}): Event => ({
  type: 'TaskFinished',
  data: { task, attempt: 1, status: 'completed', findings: `Found by ${task}.`, error: '', outputs: {}, usage: NO_USAGE, ...more },
});
const failed = (task: string): Event => done(task, { status: 'failed', error: 'It broke.' });

const NOTHING: Effects = { add: [], set: {}, files: [] };

function verdict(outcome: Verdict['outcome'], critic: string, effects = NOTHING, more: Partial<Verdict> = {}): Event {
  const given: Verdict = {
    loop: 'review',
    decision: outcome,
    outcome,
    status: 'decided',
    rule: 'R4',
    reason: 'because',
    chain: '1',
    round: 1,
    maxRounds: 2,
    unverified: false,
    waivers: [],
    counts: { critical: 0, high: 0, medium: 0, low: 0 },
    findings: [],
    anomalies: [],
    tasks: [],
    evidence: [],
    role: { path: 'r', sha256: 's' },
    nextStep: 'next',
    ...more,
  };
  const scene = { critic, tasks: null, anomalies: [], exhibits: {}, unwritable: null, rules: null };
  return {
    type: 'VerdictGiven',
    data: { key: 'k', strict: false, target: null, verdict: given, facts: {}, lists: {}, report: '', effects, scene },
  };
}

const projected = (seq: number): Event => ({ type: 'VerdictProjected', data: { verdict: seq, results: null } });

function check(events: readonly Event[], expected: readonly string[]): void {
  const shown = pendingEffects(given(events)).map((effect) => ('task' in effect ? `${effect.type} ${effect.task}` : effect.type));
  expect(shown).toEqual(expected);
}

const SPRINT = started([row('DEV-001', 'developer'), row('VERIFY-001', 'verifier', 'DEV-001'), row('REVIEW-001', 'reviewer', 'DEV-001')]);

it('starts a wave up to the concurrency, and no task of a later wave', () => {
  const wide = started(['A', 'B', 'C'].map((id) => row(id, 'developer')).concat([row('D', 'developer', 'A')]));
  check(wide, ['RunTask A', 'RunTask B']);
  check([...wide, start('A'), start('B')], []);
  check([...wide, start('A'), start('B'), done('A')], ['RunTask C']);
  check([...wide, start('A'), start('B'), done('A'), done('B'), start('C')], []);
});

it('runs tasks again that were running when the process died, but no finished ones', () => {
  const again: Event = { type: 'RunBegun', data: { run: 'r2', by: 'resume', settings: SETTINGS, head: null } };
  check([...SPRINT, start('DEV-001'), again], ['RunTask DEV-001']);
  check(
    [...SPRINT, start('DEV-001'), done('DEV-001'), start('VERIFY-001'), start('REVIEW-001'), done('VERIFY-001'), again],
    ['RunTask REVIEW-001'],
  );
  const effects = pendingEffects(given([...SPRINT, start('DEV-001'), again]));
  expect(effects).toMatchObject([{ type: 'RunTask', task: 'DEV-001', attempt: 2 }]);
});

it('skips all dependents of a failed task, with the reason', () => {
  const chain = started([row('A', 'developer'), row('B', 'developer', 'A'), row('C', 'developer', 'B')]);
  const first = pendingEffects(given([...chain, start('A'), failed('A')]));
  expect(first).toEqual([{ type: 'SkipTask', task: 'B', reason: 'A failed: It broke.' }]);
  const skip: Event = { type: 'TaskSkipped', data: { task: 'B', reason: 'A failed: It broke.' } };
  const second = pendingEffects(given([...chain, start('A'), failed('A'), skip]));
  expect(second).toEqual([{ type: 'SkipTask', task: 'C', reason: 'B was skipped: A failed: It broke.' }]);
  const all: Event = { type: 'TaskSkipped', data: { task: 'C', reason: 'x' } };
  expect(pendingEffects(given([...chain, start('A'), failed('A'), skip, all]))).toMatchObject([{ type: 'EndSession', outcome: 'failed' }]);
});

const ENDED = [
  ...SPRINT,
  start('DEV-001'),
  done('DEV-001'),
  start('VERIFY-001'),
  start('REVIEW-001'),
  done('VERIFY-001'),
  done('REVIEW-001'),
];

it('judges a critic first once its wave has ended', () => {
  check(ENDED.slice(0, -1), []);
  check(ENDED, ['JudgeCritic REVIEW-001']);
});

const FROZEN = { frozen: { hash: 'h', rules: review, cap: 2, chains: ['1'], targets: {} } };
const rejected = (task: string, attempt: number, rule: string): Event => ({
  type: 'JudgingFailed',
  data: { task, attempt, rule, message: `${task} failed.`, hint: 'Look at its log.' },
});

it('V1 never judges a critic that failed: it runs again, and after another failure a person is asked', () => {
  const once = [...ENDED.slice(0, -1), failed('REVIEW-001')];
  expect(pendingEffects(given(once))).toMatchObject([
    { type: 'RejectAttempt', task: 'REVIEW-001', attempt: 1, rule: 'V1', message: 'REVIEW-001 failed: It broke.' },
  ]);
  const again = [...once, rejected('REVIEW-001', 1, 'V1')];
  check(again, ['RunTask REVIEW-001']);
  const twice = [...again, start('REVIEW-001', 2), done('REVIEW-001', { attempt: 2, status: 'failed', error: 'Timed out.' })];
  check(twice, ['RejectAttempt REVIEW-001']);
  const asked = given([...twice, rejected('REVIEW-001', 2, 'V1')]);
  expect(currentQuestion(asked.run as RunState)).toMatchObject({ kind: 'no-evidence', task: 'REVIEW-001', rule: 'V1' });
  expect(pendingEffects(asked)).toMatchObject([{ type: 'CallPerson' }]);
});

it("V18 runs a generator's first task again after a failure, and then asks a person", () => {
  const rows = [row('DEV-001', 'developer'), row('VERIFY-001', 'verifier', 'DEV-001'), row('REVIEW-001', 'reviewer', 'DEV-001')];
  const once = [...started(rows, FROZEN), start('DEV-001'), failed('DEV-001')];
  check(once, ['RejectAttempt DEV-001']);
  const again = [...once, rejected('DEV-001', 1, 'V18')];
  check(again, ['RunTask DEV-001']);
  const twice = [...again, start('DEV-001', 2), done('DEV-001', { attempt: 2, status: 'failed', error: 'Timed out.' })];
  const asked = [...twice, rejected('DEV-001', 2, 'V18')];
  check(asked, ['CallPerson']);
  expect(currentQuestion(given(asked).run as RunState)).toMatchObject({ kind: 'no-evidence', task: 'DEV-001', rule: 'V18' });
  const answer = (given_: Partial<AnswerGiven>) => answerEvents(given(asked), 's', { ...SAY, ...given_ });
  check([...asked, ...answer({ answer: 'extend' })], ['RunTask DEV-001']);
  const edited: Event = { type: 'PersonEdited', data: { commit: 'c', files: ['a.ts'] } };
  check([...asked, ...answer({ answer: 'manual-fix' }), edited], ['RunTask VERIFY-001', 'RunTask REVIEW-001']);
  check([...asked, ...answer({ answer: 'force-approve', reason: 'r' })], ['RunTask VERIFY-001', 'RunTask REVIEW-001']);
});

it('V18 judges the project after a failed fix, and the failure does not end the session', () => {
  const rows = [row('DEV-001', 'developer'), row('REVIEW-001', 'reviewer', 'DEV-001')];
  const effects: Effects = {
    add: [row('FIX-1-1', 'developer', 'REVIEW-001'), row('REVIEW-re-001', 'reviewer', 'FIX-1-1')],
    set: {},
    files: [],
  };
  const tasks = effects.add.map((cells) => ({ ...cells, id: cells['id'] ?? '', wave: 1, deps: [], context_from: [] }));
  const fixed = [
    ...started(rows, FROZEN),
    ...['DEV-001', 'REVIEW-001'].flatMap((id) => [start(id), done(id)]),
    verdict('revise', 'REVIEW-001', effects, { tasks }),
    start('FIX-1-1'),
    failed('FIX-1-1'),
  ];
  check(fixed, ['RunTask REVIEW-re-001']);
  const judged = [...fixed, start('REVIEW-re-001'), done('REVIEW-re-001'), verdict('converge', 'REVIEW-re-001', NOTHING, { round: 2 })];
  expect(pendingEffects(given(judged))).toMatchObject([{ type: 'EndSession', outcome: 'complete', unverified: false }]);
});

it('V18 still skips the dependents of a failed task outside the loop', () => {
  const rows = [row('DESIGN-001', 'architect'), row('DEV-001', 'developer', 'DESIGN-001'), row('REVIEW-001', 'reviewer', 'DEV-001')];
  check([...started(rows, FROZEN), start('DESIGN-001'), failed('DESIGN-001')], ['SkipTask DEV-001']);
});

it('runs the tasks that a verdict adds, and ends as complete after an approval', () => {
  const effects: Effects = {
    add: [row('FIX-1-1', 'developer', 'REVIEW-001'), row('REVIEW-re-001', 'reviewer', 'FIX-1-1')],
    set: {},
    files: [],
  };
  const open = [...ENDED, verdict('revise', 'REVIEW-001', effects), projected(ENDED.length + 1)];
  check(open, ['RunTask FIX-1-1']);
  const second = [...open, start('FIX-1-1'), done('FIX-1-1'), start('REVIEW-re-001'), done('REVIEW-re-001')];
  check(second, ['JudgeCritic REVIEW-re-001']);
  const closed = [...second, verdict('converge', 'REVIEW-re-001', NOTHING, { round: 2 })];
  expect(pendingEffects(given([...closed, projected(closed.length)]))).toEqual([
    { type: 'EndSession', outcome: 'complete', unverified: false, reason: 'The work was approved.' },
  ]);
  const advised = verdict('converge', 'REVIEW-re-001', NOTHING, { round: 2, counts: { critical: 0, high: 2, medium: 1, low: 0 } });
  const told = JSON.stringify(pendingEffects(given([...second, advised, projected(second.length + 1)])));
  expect(told).toContain('"reason":"The work was approved with 2 High findings open."');
});

const ASKED = [...ENDED, verdict('escalate', 'REVIEW-001', NOTHING, { round: 2 }), projected(ENDED.length + 1)];
const SAY: AnswerGiven = { answer: 'abort', reason: 'enough', rounds: 0, costUsd: 0, minutes: 0, tokens: 0, by: 'resolve' };

function answered(events: readonly Event[], say: Partial<AnswerGiven>): readonly Event[] {
  return [...events, ...answerEvents(given(events), 's', { ...SAY, ...say })];
}

it('waits on an escalation and starts nothing until it is answered', () => {
  check(ASKED, ['CallPerson']);
  const question = currentQuestion(given(ASKED).run as RunState);
  check([...ASKED, { type: 'PersonCalled', data: { key: question?.key ?? '', by: 'nobody' } }], []);
});

it('force-approve continues unverified, extend judges again, abort ends, manual-fix waits for the edit', () => {
  expect(pendingEffects(given(answered(ASKED, { answer: 'force-approve', reason: 'by brand' })))).toEqual([
    { type: 'EndSession', outcome: 'complete', unverified: true, reason: 'Approved by a person without clean evidence: by brand' },
  ]);
  const extended = answered(ASKED, { answer: 'extend', rounds: 2 });
  check(extended, ['JudgeCritic REVIEW-001']);
  expect(given(extended).frozen.get('review')?.cap).toBe(4);
  expect(pendingEffects(given(answered(ASKED, {})))).toMatchObject([{ type: 'EndSession', outcome: 'aborted' }]);
  const mending = answered(ASKED, { answer: 'manual-fix' });
  expect(pendingEffects(given(mending))).toMatchObject([{ type: 'CallPerson', question: { kind: 'edit', task: 'REVIEW-001' } }]);
  check([...mending, { type: 'PersonEdited', data: { commit: 'c', files: ['a.ts'] } }], ['RunTask REVIEW-001']);
});

it('refuses an answer without a reason, to another question, or to none', () => {
  const refuse = (events: readonly Event[], say: Partial<AnswerGiven>) => () => answerEvents(given(events), 's', { ...SAY, ...say });
  expect(refuse(ASKED, { answer: 'force-approve', reason: ' ' })).toThrow('force-approve needs --reason');
  expect(refuse(ASKED, { answer: 'approve' })).toThrow('does not apply');
  expect(refuse(ASKED, { answer: 'extend' })).toThrow('extend needs --rounds N');
  expect(refuse(ENDED, { answer: 'force-approve' })).toThrow('does not wait for an answer');
});

it('asks for approval of a plan, sends a revision to its author, and does not ask with --yes', () => {
  const rows = [row('TDPLAN-001', 'planner'), row('TDFIX-001', 'executor', 'TDPLAN-001')];
  const plan = [...started(rows, { gates: ['TDPLAN-001'] }), start('TDPLAN-001'), done('TDPLAN-001')];
  check(plan, ['CallPerson']);
  check(answered(plan, { answer: 'approve', reason: '' }), ['RunTask TDFIX-001']);
  const revised = given(answered(plan, { answer: 'revise', reason: 'smaller' }));
  expect(pendingEffects(revised)).toMatchObject([{ type: 'RunTask', task: 'TDPLAN-001', attempt: 2 }]);
  expect(revised.run?.tasks[0]?.turns).toEqual([{ from: 'person', text: 'smaller' }]);
  const eager = started(rows, { gates: ['TDPLAN-001'], settings: { ...SETTINGS, yes: true } });
  check([...eager, start('TDPLAN-001'), done('TDPLAN-001')], ['ApprovePlan']);
});

it('runs a critic without evidence once more, then asks', () => {
  const lost: Event = { type: 'JudgingFailed', data: { task: 'REVIEW-001', attempt: 1, rule: 'R9', message: 'm', hint: 'h' } };
  check([...ENDED, lost], ['RunTask REVIEW-001']);
  const twice = [...ENDED, lost, start('REVIEW-001', 2), done('REVIEW-001', { attempt: 2 }), lost];
  expect(pendingEffects(given(twice))).toMatchObject([{ type: 'CallPerson', question: { kind: 'no-evidence', rule: 'R9' } }]);
  check(answered(answered(twice, { answer: 'manual-fix' }), { answer: 'extend' }), ['RunTask REVIEW-001']);
});

it('asks when a budget is exceeded, and continues when it is extended', () => {
  const settings = { ...SETTINGS, maxCostUsd: 1 };
  const spent = [
    ...started([row('A', 'developer'), row('B', 'developer', 'A')], { settings }),
    start('A'),
    done('A', { usage: { tokens: 5, costUsd: 1.5 } }),
  ];
  expect(pendingEffects(given(spent))).toMatchObject([
    { type: 'CallPerson', question: { kind: 'budget', what: 'cost', limit: 1, spent: 1.5 } },
  ]);
  check(answered(spent, { answer: 'extend', costUsd: 2 }), ['RunTask B']);
});

it('merges in the order of the tasks after the wave has ended', () => {
  const workspace = { kind: 'git', branch: 'b', base: 'c0' } as const;
  const wave = started([row('A', 'developer'), row('B', 'developer')], { workspace });
  const submitted = (task: string): Event => ({
    type: 'TaskSubmitted',
    data: { task, attempt: 1, status: 'completed', findings: '', error: '', outputs: {}, usage: NO_USAGE, commit: `c-${task}` },
  });
  check([...wave, start('A'), start('B'), submitted('B')], []);
  check([...wave, start('A'), start('B'), submitted('B'), submitted('A')], ['MergeTask A']);
  check([...wave, start('A'), start('B'), submitted('B'), submitted('A'), done('A')], ['MergeTask B']);
});

/** The file as Umpire wrote it, with these cells changed, rows added and rows removed. */
function edit(
  events: readonly Event[],
  cells: Readonly<Record<string, Readonly<Record<string, string>>>>,
  add: readonly Readonly<Record<string, string>>[] = [],
  without: readonly string[] = [],
) {
  const run = given(events).run as RunState;
  const blank = Object.fromEntries(COLUMNS.map((name) => [name, '']));
  const last = new Map(run.tasks.map((task) => [task.id, { ...blank, ...rowOf(task) }]));
  const tasks = [...last].filter(([id]) => !without.includes(id)).map(([id, columns]) => ({ id, columns: { ...columns, ...cells[id] } }));
  return compareEdit(run, { columns: COLUMNS, tasks: [...tasks, ...add.map((columns) => ({ id: columns['id'] ?? '', columns }))] }, last, [
    'review_score',
  ]);
}

it("takes up a person's edit of what is to come, and nothing else", () => {
  expect(edit(ENDED, {})).toEqual({ kind: 'none' });
  expect(edit(SPRINT, { 'REVIEW-001': { description: 'Look at the parser.' } })).toMatchObject({
    kind: 'edit',
    told: ['REVIEW-001: description changed'],
  });
  expect(edit(SPRINT, {}, [row('DOCS-001', 'writer', 'DEV-001')])).toMatchObject({ kind: 'edit', told: ['DOCS-001: added'] });
  expect(edit(SPRINT, { 'VERIFY-001': { status: 'skipped' } })).toMatchObject({
    kind: 'edit',
    set: { 'VERIFY-001': { status: 'skipped' } },
  });
});

const REFUSED: readonly (readonly [
  string,
  readonly Event[],
  Parameters<typeof edit>[1],
  Parameters<typeof edit>[2],
  Parameters<typeof edit>[3],
  string,
])[] = [
  ['a finished task', ENDED, { 'DEV-001': { description: 'x' } }, [], [], 'but the task is completed'],
  ['a running task', [...SPRINT, start('DEV-001')], { 'DEV-001': { title: 'x' } }, [], [], 'but the task is running'],
  ['a role', SPRINT, { 'DEV-001': { role: 'x' } }, [], [], 'its role cannot be changed'],
  ['a result before it ran', SPRINT, { 'REVIEW-001': { review_score: '9' } }, [], [], 'cannot be changed, because the agent fills it in'],
  ['a finished status', SPRINT, { 'DEV-001': { status: 'completed' } }, [], [], 'status cannot be set'],
  ['a critic skipped', SPRINT, { 'REVIEW-001': { status: 'skipped' } }, [], [], 'a critic cannot be skipped'],
  ['a row removed', SPRINT, {}, [], ['REVIEW-001'], 'was deleted'],
  ['a critic before its work', SPRINT, { 'REVIEW-001': { deps: '', context_from: '' } }, [], [], 'would run before DEV-001'],
  ['a circle', SPRINT, { 'DEV-001': { deps: 'REVIEW-001' } }, [], [], 'depend on each other'],
  [
    'context that is not earlier',
    SPRINT,
    { 'VERIFY-001': { context_from: 'REVIEW-001' } },
    [],
    [],
    'from REVIEW-001, which does not run earlier',
  ],
  ['context from nowhere', SPRINT, {}, [{ ...row('X', 'writer'), context_from: 'Y' }], [], 'from Y, which does not exist'],
  ['a new task that has run', SPRINT, {}, [{ ...row('X', 'reviewer'), status: 'completed' }], [], 'but a new task must be pending'],
];

for (const [what, events, cells, add, without, reason] of REFUSED) {
  it(`refuses an edit: ${what}`, () => {
    const refused = edit(events, cells, add, without);
    expect(refused.kind).toBe('refused');
    expect(refused.kind === 'refused' ? refused.reason : '').toContain(reason);
  });
}

it('refuses an edit that starts a task before its critic', () => {
  const built = started([row('DEV-001', 'developer'), row('REVIEW-001', 'reviewer', 'DEV-001'), row('BUILD-001', 'builder', 'REVIEW-001')]);
  const refused = edit(built, { 'BUILD-001': { deps: 'DEV-001', context_from: 'DEV-001' } });
  expect(refused).toEqual({ kind: 'refused', reason: 'BUILD-001 would start before REVIEW-001 was judged' });
});

it('refuses an edit that starts a task before its critic is judged', () => {
  const rows = [row('DEV-001', 'developer'), row('REVIEW-001', 'reviewer', 'DEV-001'), row('VERIFY-001', 'verifier', 'DEV-001')];
  const built = started([...rows, row('BUILD-001', 'builder', 'REVIEW-001')]);
  const ended = [...built, start('DEV-001'), done('DEV-001'), start('REVIEW-001'), done('REVIEW-001')];
  const refused = edit(ended, { 'BUILD-001': { deps: 'DEV-001', context_from: 'DEV-001' } });
  expect(refused).toEqual({ kind: 'refused', reason: 'BUILD-001 would start before REVIEW-001 was judged' });
});

const RECHECKED: Effects = {
  add: [row('FIX-1-1', 'developer', 'REVIEW-001'), row('REVIEW-re-001', 'reviewer', 'FIX-1-1')],
  set: {},
  files: [],
};
const REVISED = [...ENDED, verdict('revise', 'REVIEW-001', RECHECKED, { tasks: [{ id: 'REVIEW-re-001', deps: [], context_from: [] }] })];

it('lets reopened and added tasks wait for the re-check of a critic', () => {
  const late: Event = {
    type: 'TasksEdited',
    data: { set: {}, add: [row('DOCS-001', 'writer', 'REVIEW-001')], columns: COLUMNS, told: [] },
  };
  check([...REVISED, late], ['RunTask FIX-1-1']);
  expect(given([...REVISED, late]).run?.tasks.at(-1)?.deps).toEqual(['REVIEW-re-001']);
  const rows = [row('DEV-001', 'developer'), row('REVIEW-001', 'reviewer', 'DEV-001'), row('VERIFY-001', 'verifier', 'DEV-001')];
  const built = started([...rows, row('BUILD-001', 'builder', 'REVIEW-001;VERIFY-001')]);
  const skipped = [
    ...built,
    start('DEV-001'),
    done('DEV-001'),
    start('REVIEW-001'),
    start('VERIFY-001'),
    done('REVIEW-001'),
    failed('VERIFY-001'),
  ];
  const revised = [
    ...skipped,
    { type: 'TaskSkipped', data: { task: 'BUILD-001', reason: 'VERIFY-001 failed: It broke.' } } as const,
    ...REVISED.slice(-1),
  ];
  const again: Event = { type: 'TasksReopened', data: { tasks: ['VERIFY-001', 'BUILD-001'], why: 'again' } };
  expect(given([...revised, again]).run?.tasks[3]?.deps).toEqual(['REVIEW-re-001', 'VERIFY-001']);
});

it('does not count time in which no process ran', () => {
  const hours = 3_600_000;
  const at = (event: Event, ms: number, seq: number) => ({ ...event, seq, ts: new Date(ms).toISOString() });
  let state = given(ASKED);
  const before = state.run?.activeMs;
  const again: Event = { type: 'RunBegun', data: { run: 'r2', by: 'resolve', settings: SETTINGS, head: null } };
  for (const event of [...answered(ASKED, { answer: 'extend', rounds: 1 }).slice(ASKED.length), again])
    state = evolve(state, at(event, 9 * hours, state.events + 1));
  expect(state.run?.activeMs).toBe(before);
});
