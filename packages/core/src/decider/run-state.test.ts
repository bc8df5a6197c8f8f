// The state of a run: tasks to retry, tasks as verdicts and people see them, the current wave, and rows that are added later.

import { expect, it } from 'vitest';
import {
  FIXED,
  SPRINT,
  begun,
  done,
  escalates,
  failed,
  inTwoSprints,
  row,
  start,
  told,
  verdict,
} from '../../../../test/support/session-events.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import { chainOfRow } from './chains.js';
import type { Event, SessionStarted } from './events.js';
import {
  cellOf,
  chainOfTask,
  viewTask,
  rowOf,
  viewTasks,
  tasksToRetry,
  currentWave,
  appendRows,
  startRun,
  closeTask,
  reopenTask,
  recomputeWaves,
} from './run-state.js';
import type { RunState, TaskState } from './run-state.js';
import fc from 'fast-check';

const runAfter = (events: readonly Event[]) => told(events).state.run as RunState;
const skipped = (task: string, reason = 'x'): Event => ({ type: 'TaskSkipped', data: { task, reason } });
const edited = (task: string): Event => ({
  type: 'TasksEdited',
  data: { set: { [task]: { status: 'skipped' } }, add: [], columns: [], told: [] },
});

it('retries failed tasks and those skipped because of them, but not tasks that a person skipped', () => {
  const rows = [
    row('BROKEN', 'developer'),
    row('GOOD', 'developer'),
    row('NEXT', 'developer', 'GOOD;BROKEN'),
    row('LAST', 'developer', 'NEXT'),
    row('DROPPED', 'developer', 'BROKEN'),
    row('ALONE', 'developer', 'DROPPED'),
  ];
  const ran = [...begun(rows), edited('DROPPED'), start('BROKEN'), start('GOOD'), failed('BROKEN', 'It broke.'), done('GOOD')];
  const run = runAfter([...ran, ...['NEXT', 'LAST', 'ALONE'].map((id) => skipped(id))]);
  expect(tasksToRetry(run)).toEqual(['BROKEN', 'NEXT', 'LAST']);
});

it("does not retry work done after a failed critic's verdict, nor tasks that a verdict skipped", () => {
  const spared = { add: [], set: { 'NOTES-001': { status: 'skipped' } }, files: [] };
  const rows = [...SPRINT, row('NOTES-001', 'developer', 'REVIEW-001')];
  const reviewed = [...begun(rows), ...['DESIGN-001', 'DEV-001', 'VERIFY-001'].flatMap((id) => [start(id), done(id)])];
  const approved = [...reviewed, start('REVIEW-001'), failed('REVIEW-001', 'no way'), verdict('REVIEW-001', {}, spared)];
  expect(tasksToRetry(runAfter([...approved, start('SHIP-001'), done('SHIP-001')]))).toEqual(['REVIEW-001']);
});

it('clears the error of a task that runs again, also after the session ended', () => {
  const end: Event = { type: 'SessionEnded', data: { outcome: 'failed', unverified: true, reason: 'x' } };
  const again: Event = { type: 'TasksReopened', data: { tasks: ['DESIGN-001'], why: 'again' } };
  const run = runAfter([...begun(), start('DESIGN-001'), failed('DESIGN-001', 'It broke.'), end, again]);
  expect(run.ended).toBeNull();
  expect(run.tasks[0]).toMatchObject({ status: 'pending', row: { error: '' } });
});

it('ignores events of unknown tasks', () => {
  expect(runAfter([...begun(), start('NOBODY'), skipped('NOBODY')]).tasks).toEqual(runAfter(begun()).tasks);
});

it('shows a task as tasks.csv has it, with current deps, wave and status', () => {
  const run = runAfter([...begun(SPRINT.map((cells) => ({ ...cells, wave: '9', deps: cells['deps'] ?? '' }))), start('DESIGN-001')]);
  const [design, develop] = run.tasks as [TaskState, TaskState];
  expect(rowOf(design)).toMatchObject({ id: 'DESIGN-001', deps: '', wave: '1', status: 'in_progress' });
  expect(rowOf(develop)).toMatchObject({ title: 'Develop the sprint', deps: 'DESIGN-001', wave: '2', status: 'pending' });
  for (const task of [...run.tasks, ...runAfter(FIXED).tasks])
    for (const [name, cell] of Object.entries(rowOf(task))) expect([name, cellOf(task, name)]).toEqual([name, cell]);
  expect([cellOf(design, 'constructor'), cellOf(design, 'not a column')]).toEqual(['', '']);
  expect([...viewTasks(run).waves]).toEqual([1, 2, 3, 3, 4]);
});

it.each(['id', 'session', 'sprint_num', 'wave', 'deps', 'status'])('knows the chain of a task as its row tells it, by %s', (by) => {
  const chain = by === 'id' || by === 'session' ? by : { column: by, what: 'a part' };
  const loop: Loop = { ...(builtinLoop('review') as Loop), chain };
  const { tasks } = runAfter([...begun(SPRINT.map((cells) => ({ ...cells, wave: '9' }))), start('DESIGN-001')]);
  tasks[1] = { ...(tasks[1] as TaskState), deps: ['DESIGN-002'] };
  for (const task of tasks) {
    const shown = { ...viewTask(task, 0), id: task.id, columns: rowOf(task) };
    expect(chainOfTask(loop, task)).toBe(chainOfRow(loop, shown));
  }
});

it('works in the first wave that is not held, else in the first unfinished one, else in none', () => {
  const reviewed = inTwoSprints('DEV-001', 'DEV-002', 'REVIEW-001', 'REVIEW-002');
  const asks: Event = { type: 'TaskAsked', data: { task: 'DEV-001', attempt: 1, question: 'Which?', usage: { tokens: 0, costUsd: 0 } } };
  expect(currentWave(runAfter([...inTwoSprints(), start('DEV-001'), asks, start('DEV-002'), done('DEV-002')]))).toBe(2);
  expect(currentWave(runAfter([...reviewed, escalates('REVIEW-001', '1'), escalates('REVIEW-002', '2')]))).toBe(3);
  const ended = ['SHIP-001', 'SHIP-002', 'NOTES-002', 'RELEASE-002'].flatMap((id) => [start(id), done(id)]);
  expect(currentWave(runAfter([...reviewed, ...ended]))).toBeNull();
});

const graphRow = (id: number, deps: readonly number[]) => ({ id: `T${id}`, deps: deps.map((dep) => `T${dep}`).join(';') });

function graphRun(rows: readonly Readonly<Record<string, string>>[]): RunState {
  return startRun({ rows, columns: [], settings: {}, workspace: null } as unknown as SessionStarted, 0);
}

const shapeOf = ({ tasks, waves, open, wave, cursor }: RunState) => ({ of: tasks.map((task) => task.wave), waves, open, wave, cursor });

it('places added rows as a full computation of the waves would', () => {
  const draws = fc.array(fc.record({ deps: fc.array(fc.nat(30), { maxLength: 3 }), isOver: fc.boolean(), batch: fc.nat(3) }), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(draws, (tasks) => {
      const run = graphRun([graphRow(0, [])]);
      let waiting: ReturnType<typeof row>[] = [];
      tasks.forEach(({ deps, isOver, batch }, index) => {
        // Of its batch it may wait for one that comes after it, too.
        waiting.push(graphRow(index + 1, [...new Set(deps.map((dep) => dep % (index + 1)))]));
        if (batch > 0 && index < tasks.length - 1) return;
        appendRows(run, waiting.length > 1 && isOver ? waiting.toReversed() : waiting);
        waiting = [];
        if (isOver) closeTask(run, run.tasks[run.tasks.length - 1] as TaskState, 'completed');
        const placed = structuredClone(shapeOf(run));
        recomputeWaves(run);
        expect(placed).toEqual(shapeOf(run));
      });
    }),
  );
});

/** How many tasks of each wave are open, and the first wave that has one: counted from the tasks themselves. */
function countedIn({ tasks, waves }: RunState) {
  const open = waves.map((_, wave) => tasks.filter((task) => task.wave === wave && task.status === 'pending').length);
  const first = open.findIndex((count) => count > 0);
  const wave = first === -1 ? open.length : first;
  return { open, wave, front: wave };
}

it('counts open tasks as they end and reopen, and works in the first wave with work', () => {
  const steps = fc.array(fc.record({ task: fc.nat(4), again: fc.boolean(), status: fc.constantFrom('completed', 'failed', 'skipped') }), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(steps, (taken) => {
      const run = graphRun([graphRow(0, []), graphRow(1, [0]), graphRow(2, [0]), graphRow(3, [1, 2]), graphRow(4, [3])]);
      for (const { task: index, again, status } of taken) {
        const task = run.tasks[index] as TaskState;
        if (again) reopenTask(run, task);
        else closeTask(run, task, status);
        expect({ open: run.open, wave: run.wave, front: run.front }).toEqual(countedIn(run));
      }
    }),
  );
});

it('ignores rows without an id or with a known id', () => {
  const run = graphRun([graphRow(0, []), { ...graphRow(0, []), title: 'again' }, { id: ' ' }]);
  appendRows(run, [graphRow(0, [])]);
  expect(run.tasks.map(({ id }) => id)).toEqual(['T0']);
});

it('refuses rows with unknown dependencies', () => {
  expect(() => appendRows(graphRun([graphRow(0, [])]), [graphRow(1, [7])])).toThrow('no order: unknown at T7');
});
