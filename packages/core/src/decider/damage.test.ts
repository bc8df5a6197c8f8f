// V9: damage that a cycle of the testing loop did is reverted in the smallest unit, before the cycle is judged.

import { expect, it } from 'vitest';
import { SETTINGS, begins, done, due, merged, row, start, told, verdict } from '../../../../test/support/session-events.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import type { Damage } from '../model/vocabulary.js';
import type { Event, EventData, SessionStarted, TaskFinished } from './events.js';
import { pendingEffects } from './pending-effects.js';
import { findTask } from './run-state.js';
import type { RunState } from './run-state.js';

const testing = builtinLoop('testing') as Loop;
const BASE = 'a'.repeat(40);
const HEAD = 'd'.repeat(40);
const layered = (id: string, role: string, layer: string, deps = '') => ({ ...row(id, role, deps), id, layer });
const ROWS = [layered('TESTGEN-001', 'generator', 'L1'), layered('TESTRUN-001', 'executor', 'L1', 'TESTGEN-001')];

function begin(rows = ROWS, more: Partial<SessionStarted> = {}): readonly Event[] {
  const started: SessionStarted = {
    session: 'testing-1',
    loop: 'testing',
    goal: 'x',
    project: '/work/shop',
    loopFolder: null,
    mode: 'targeted',
    why: 'default',
    critic: 'executor',
    judged: true,
    columns: ['id', 'role', 'deps', 'status', 'layer', 'findings', 'error'],
    rows,
    gates: [],
    writers: ['generator'],
    settings: { ...SETTINGS, maxMinutes: null },
    frozen: { hash: 'h', rules: testing, cap: 3, chains: ['L1', 'L2'], targets: {} },
    workspace: { kind: 'git', branch: 'umpire/testing-1', base: BASE },
    ...more,
  };
  return [{ type: 'SessionStarted', data: started }, begins('run')];
}

const damage = (files: readonly string[], more: Partial<Damage> = {}): Damage => ({ tests: ['adds'], files, coverage: null, ...more });
const measured = (id: string, more: Partial<TaskFinished> = {}) => [
  start(id, 'builtin', more.attempt),
  done(id, { measured: true, ...more }),
];
const wrote = (files: readonly string[], id = 'TESTGEN-001') => [start(id), ...merged(id, files)];
const reverted = (data: Partial<EventData<'DamageReverted'>>): Event => ({
  type: 'DamageReverted',
  data: {
    critic: 'TESTRUN-001',
    attempt: 1,
    unit: 'files',
    tasks: ['TESTGEN-001'],
    files: ['test/a.test.js'],
    head: 'e'.repeat(40),
    tests: ['adds'],
    coverage: null,
    ok: true,
    ...data,
  },
});
const FILES = ['test/a.test.js', 'test/new.test.js', 'test/helper.js'];
const HURT = [...begin(), ...wrote(FILES), ...measured('TESTRUN-001', { damage: damage(['test/a.test.js']) })];
const next = (events: readonly Event[]) => pendingEffects(told(events).state)[0];

it('V9: reverts the changed files in which tests regressed, and measures what is left before it judges', () => {
  expect(next(HURT)).toEqual({
    type: 'RevertDamage',
    critic: 'TESTRUN-001',
    attempt: 1,
    unit: 'files',
    tasks: ['TESTGEN-001'],
    files: ['test/a.test.js'],
    to: BASE,
  });
  const again = [...HURT, reverted({})];
  expect(due(again)).toEqual(['RunTask TESTRUN-001']);
  expect(pendingEffects(told(again).state)).toMatchObject([{ attempt: 2 }]);
  expect(told(again).state.run?.head).toBe('e'.repeat(40));
  expect(due([...again, ...measured('TESTRUN-001', { attempt: 2 })])).toEqual(['JudgeCritic TESTRUN-001']);
});

it('V9: reverts another file if another test has regressed in it, each file once', () => {
  const events = [
    ...HURT,
    reverted({}),
    ...measured('TESTRUN-001', { attempt: 2, damage: damage(['test/a.test.js', 'test/new.test.js']) }),
  ];
  expect(next(events)).toMatchObject({ type: 'RevertDamage', unit: 'files', files: ['test/new.test.js'] });
});

it.each<[string, Damage]>([
  ['the tests lie in files that the cycle did not touch', damage(['test/other.test.js'])],
  ['coverage fell', damage([], { tests: [], coverage: { before: 80, after: 61 } })],
])('V9: reverts changes of files that existed before, and keeps new files, if %s', (_, hurt) => {
  const events = [...begin(), ...wrote(FILES), ...measured('TESTRUN-001', { damage: hurt })];
  expect(next(events)).toMatchObject({ type: 'RevertDamage', unit: 'existing', files: FILES, tasks: ['TESTGEN-001'], to: BASE });
  const still = [...events, reverted({ unit: 'existing' }), ...measured('TESTRUN-001', { attempt: 2, damage: hurt })];
  expect(next(still)).toMatchObject({ type: 'RevertDamage', unit: 'cycle', files: FILES });
});

it('V9: goes on to the whole cycle at once if there was nothing to revert, and judges what no revert mends', () => {
  const events = [
    ...begin(),
    ...wrote(FILES),
    ...measured('TESTRUN-001', { damage: damage([]) }),
    reverted({ unit: 'existing', files: [], head: null }),
  ];
  expect(next(events)).toMatchObject({ type: 'RevertDamage', unit: 'cycle' });
  const all = [...events, reverted({ unit: 'cycle', files: FILES }), ...measured('TESTRUN-001', { attempt: 2, damage: damage([]) })];
  expect(due(all)).toEqual(['JudgeCritic TESTRUN-001']);
  const failed = [...events, reverted({ unit: 'cycle', files: [], head: null, ok: false })];
  expect(due(failed)).toEqual(['JudgeCritic TESTRUN-001']);
});

it('V9: restores the state that the last verdict judged', () => {
  const fix = [
    layered('TESTGEN-fix-L1-1', 'generator', 'L1', 'TESTRUN-001'),
    layered('TESTRUN-fix-L1-1', 'executor', 'L1', 'TESTGEN-fix-L1-1'),
  ];
  const tasks = fix.map((cells) => ({ id: cells.id, deps: [], context_from: [] }));
  const revise = verdict(
    'TESTRUN-001',
    { loop: 'testing', chain: 'L1', round: 0, rule: 'T3', outcome: 'revise', tasks },
    { add: fix, set: {}, files: [] },
  );
  const first = [...begin(), ...wrote(FILES), ...measured('TESTRUN-001'), revise];
  const second = [
    ...wrote(['test/a.test.js'], 'TESTGEN-fix-L1-1'),
    ...measured('TESTRUN-fix-L1-1', { damage: damage(['test/a.test.js']) }),
  ];
  expect(next([...first, ...second])).toMatchObject({
    type: 'RevertDamage',
    critic: 'TESTRUN-fix-L1-1',
    tasks: ['TESTGEN-fix-L1-1'],
    files: ['test/a.test.js'],
    to: HEAD,
  });
});

it('V9: measures other layers again too, whose evidence is of files that are gone', () => {
  const two = [...ROWS, layered('TESTGEN-002', 'generator', 'L2'), layered('TESTRUN-002', 'executor', 'L2', 'TESTGEN-002')];
  const events = [
    ...begin(two),
    ...wrote(FILES),
    ...wrote(['test/b.test.js'], 'TESTGEN-002'),
    ...measured('TESTRUN-001', { damage: damage(['test/a.test.js']) }),
    ...measured('TESTRUN-002'),
  ];
  expect(due([...events, reverted({})])).toEqual(['RunTask TESTRUN-001', 'RunTask TESTRUN-002']);
});

it('V9: reverts what another layer did to a test of this one', () => {
  const two = [...ROWS, layered('TESTGEN-002', 'generator', 'L2'), layered('TESTRUN-002', 'executor', 'L2', 'TESTGEN-002')];
  const events = [
    ...begin(two),
    ...wrote(['test/new.test.js']),
    ...wrote(['test/a.test.js'], 'TESTGEN-002'),
    ...measured('TESTRUN-002'),
    ...measured('TESTRUN-001', { damage: damage(['test/a.test.js']) }),
  ];
  expect(next(events)).toMatchObject({ type: 'RevertDamage', unit: 'files', files: ['test/a.test.js'], tasks: ['TESTGEN-002'] });
});

it('V16: says that nothing was changed if all of the work was reverted', () => {
  const events = [...HURT, reverted({ unit: 'cycle', files: FILES }), ...measured('TESTRUN-001', { attempt: 2 })];
  const { state } = told([...events, verdict('TESTRUN-001', { loop: 'testing', chain: 'L1', round: 0, rule: 'T2' })]);
  expect(findTask(state.run as RunState, 'TESTRUN-001')?.reverts).toMatchObject([{ unit: 'cycle', tests: ['adds'] }]);
  expect(pendingEffects(state)).toMatchObject([{ type: 'EndSession', reason: 'Nothing to do: the goal is met without a change.' }]);
});
