// Rows that come to a run later: placed one by one, the graph is as it would be ordered anew.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SessionStarted } from './run-messages.js';
import { appendRows, beginRun, close, reopen, rewire } from './run-graph.js';
import type { RunState, TaskState } from './run-state.js';

const row = (id: number, deps: readonly number[]) => ({ id: `T${id}`, deps: deps.map((dep) => `T${dep}`).join(';') });

function begun(rows: readonly Readonly<Record<string, string>>[]): RunState {
  return beginRun({ rows, columns: [], settings: {}, workspace: null } as unknown as SessionStarted, 0);
}

const shapeOf = ({ tasks, waves, open, wave, cursor }: RunState) => ({ of: tasks.map((task) => task.wave), waves, open, wave, cursor });

it('places rows as if all waves were computed anew', () => {
  const draws = fc.array(fc.record({ deps: fc.array(fc.nat(30), { maxLength: 3 }), isOver: fc.boolean(), batch: fc.nat(3) }), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(draws, (tasks) => {
      const run = begun([row(0, [])]);
      let waiting: ReturnType<typeof row>[] = [];
      tasks.forEach(({ deps, isOver, batch }, index) => {
        // Of its batch it may wait for one that comes after it, too.
        waiting.push(row(index + 1, [...new Set(deps.map((dep) => dep % (index + 1)))]));
        if (batch > 0 && index < tasks.length - 1) return;
        appendRows(run, waiting.length > 1 && isOver ? waiting.toReversed() : waiting);
        waiting = [];
        if (isOver) close(run, run.tasks[run.tasks.length - 1] as TaskState, 'completed');
        const placed = structuredClone(shapeOf(run));
        rewire(run);
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

it('counts what is open as tasks end and come back, and is at work in the first wave that has something to do', () => {
  const steps = fc.array(fc.record({ task: fc.nat(4), again: fc.boolean(), status: fc.constantFrom('completed', 'failed', 'skipped') }), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(steps, (taken) => {
      const run = begun([row(0, []), row(1, [0]), row(2, [0]), row(3, [1, 2]), row(4, [3])]);
      for (const { task: index, again, status } of taken) {
        const task = run.tasks[index] as TaskState;
        if (again) reopen(run, task);
        else close(run, task, status);
        expect({ open: run.open, wave: run.wave, front: run.front }).toEqual(countedIn(run));
      }
    }),
  );
});

it('takes no row without an id, and none twice', () => {
  const run = begun([row(0, []), { ...row(0, []), title: 'again' }, { id: ' ' }]);
  appendRows(run, [row(0, [])]);
  expect(run.tasks.map(({ id }) => id)).toEqual(['T0']);
});

it('does not take rows that wait for what there is not', () => {
  expect(() => appendRows(begun([row(0, [])]), [row(1, [7])])).toThrow('no order: unknown at T7');
});
