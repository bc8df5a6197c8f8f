// Changed dependencies leave a task graph that the next verdict can read.

import { expect, it } from 'vitest';
import type { Task, TaskStatus } from '../model/vocabulary.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import { makeFinding } from '../formats/finding.js';
import { findingsOfTask, planRevision, wavesAfter } from './plan-tasks.js';

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

const design = builtinLoop('design') as Loop;

function revisionOf(tasks: readonly Task[]) {
  const critic = tasks.find(({ id }) => id === 'AUDIT-001') as Task;
  const waves = Int32Array.from(tasks, (_, index) => index + 1);
  return planRevision({
    loop: design,
    chain: 'AUDIT-001',
    round: 1,
    tasks,
    waves,
    critic: { task: critic, wave: 2 },
    findings: [],
    lowest: '',
    lookup: () => '',
  });
}

const PLAN = [
  { ...task('DESIGN-001', [], [], 'completed'), role: 'designer' },
  { ...task('AUDIT-001', ['DESIGN-001'], ['DESIGN-001'], 'completed'), role: 'reviewer' },
  task('BUILD-001', ['AUDIT-001'], ['DESIGN-001', 'AUDIT-001']),
  task('SHIP-001', ['BUILD-001'], ['AUDIT-001', 'BUILD-001']),
];

it('V11 gives later tasks the re-check and the new work as context, also those that depend on it only through others', () => {
  const { set } = revisionOf(PLAN).effects;
  expect(set['BUILD-001']).toMatchObject({ deps: 'AUDIT-re-001', context_from: 'DESIGN-001;DESIGN-fix-001;AUDIT-re-001' });
  expect(set['SHIP-001']).toMatchObject({ context_from: 'AUDIT-re-001;BUILD-001' });
});

it('V12 a fix task has the Critical and High findings of its own file, and the re-check has all', () => {
  const found = (severity: 'high' | 'low', artifact: string | null) => makeFinding({ severity, message: 'm', artifact, line: null });
  const findings = [found('high', 'a.ts'), found('high', 'b.ts'), found('low', 'a.ts'), found('high', null)];
  const row = { deps: [], context_from: [], wave: 1 };
  const tasks = [
    { ...row, id: 'FIX-1-1', target_files: 'a.ts' },
    { ...row, id: 'FIX-1-2', target_files: 'the code under review' },
    { ...row, id: 'REVIEW-re-001' },
  ];
  const of = (id: string) => findingsOfTask({ findings, tasks }, id).map((finding) => findings.indexOf(finding));
  expect(['FIX-1-1', 'FIX-1-2', 'REVIEW-re-001'].map(of)).toEqual([[0], [3], [0, 1, 2, 3]]);
});
