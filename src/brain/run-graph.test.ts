// Rows that come to a run later: placed one by one, the graph is as it would be ordered anew.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SessionStarted } from './run-messages.js';
import { appendRows, beginRun, close, rewire } from './run-graph.js';
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

it('does not take rows that wait for what there is not', () => {
  expect(() => appendRows(begun([row(0, [])]), [row(1, [7])])).toThrow('no order: unknown at T7');
});
