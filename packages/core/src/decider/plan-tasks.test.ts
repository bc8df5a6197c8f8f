// Changed dependencies leave a task graph that the next verdict can read.

import { expect, it } from 'vitest';
import type { Task, TaskStatus } from '../model.js';
import { wavesAfter } from './plan-tasks.js';

function task(id: string, deps: readonly string[], contextFrom: readonly string[] = [], status: TaskStatus = 'pending'): Task {
  return { id, role: 'x', status, description: id, deps, contextFrom, execMode: 'csv-wave', columns: {}, line: 2 };
}

it('adds a dependency on a source of context that moved to a later wave', () => {
  const tasks = [task('critic', [], [], 'completed'), task('build', ['critic']), task('plan', []), task('write', ['plan'], ['build'])];
  const set = { build: { deps: 'again' } };
  const waves = wavesAfter(
    tasks,
    [
      { id: 'fix', deps: 'critic' },
      { id: 'again', deps: 'fix' },
    ],
    set,
  );
  expect(set).toEqual({ build: { deps: 'again' }, write: { deps: 'plan;build' } });
  expect([...waves]).toEqual([1, 4, 1, 5, 2, 3]);
});

it('does not move a task behind a finished task that used its context', () => {
  const tasks = [
    task('critic', [], [], 'completed'),
    task('build', ['critic']),
    task('write', ['critic', 'build'], ['build'], 'completed'),
  ];
  const set: Record<string, Record<string, string>> = { build: { deps: 'again', wave: '9' }, write: { deps: 'critic' } };
  wavesAfter(tasks, [{ id: 'again', deps: 'critic' }], set);
  expect(set['build']).toEqual({ wave: '9' });
});

it('removes a dependency that would close a cycle', () => {
  const tasks = [task('critic', [], [], 'completed'), task('early', ['critic']), task('again', ['early'])];
  const set: Record<string, Record<string, string>> = { early: { deps: 'again' } };
  expect([...wavesAfter(tasks, [], set)]).toEqual([1, 2, 3]);
  expect(set).toEqual({});
});
