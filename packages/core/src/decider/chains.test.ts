// Finding the critic's row and its chain.

import { expect, it } from 'vitest';
import type { Task, TaskStatus } from '../model/vocabulary.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import { chainOfId, chainOfRow, chainsOf, findCriticRow, findParallelCritics, mendOf } from './chains.js';

const design = builtinLoop('design') as Loop;
const review = builtinLoop('review') as Loop;
const testing = builtinLoop('testing') as Loop;

function task(id: string, role: string, status: TaskStatus, columns: Readonly<Record<string, string>> = {}): Task {
  return { id, role, status, description: id, deps: [], contextFrom: [], execMode: 'csv-wave', columns: { id, ...columns }, line: 2 };
}

it('reads the chain and the round from an id, and writes them back', () => {
  const cases: readonly [string, string, number | null][] = [
    ['AUDIT-001', 'AUDIT-001', 1],
    ['AUDIT-002', 'AUDIT-002', 1],
    ['AUDIT-re-001', 'AUDIT-001', 2],
    ['AUDIT-re-002', 'AUDIT-001', 3],
    ['AUDIT-re-002-1', 'AUDIT-002', 2],
    ['AUDIT-re-003-2', 'AUDIT-003', 3],
    ['AUDIT', 'AUDIT', null],
    ['AUDIT-final', 'AUDIT-final', null],
  ];
  expect(cases.map(([id]) => chainOfId(id))).toEqual(cases.map(([, chain, round]) => ({ chain, round })));
  for (const chain of ['AUDIT-001', 'AUDIT-002', 'AUDIT-017']) {
    for (const round of [1, 2, 3]) expect(chainOfId(`AUDIT-re-${mendOf(chain, round)}`)).toEqual({ chain, round: round + 1 });
  }
});

it('finds the chain of a row by id, column or session', () => {
  expect(chainOfRow(design, null)).toBe('none');
  expect(chainOfRow(review, task('R', 'reviewer', 'completed', { sprint_num: ' 2 ' }))).toBe('2');
  expect(chainOfRow(review, null)).toBe('1');
  expect(chainOfRow(builtinLoop('debt') as Loop, null)).toBe('session');
  expect(
    chainsOf(design, [
      task('AUDIT-001', 'reviewer', 'pending'),
      task('AUDIT-re-001', 'reviewer', 'pending'),
      task('X-1', 'designer', 'pending'),
    ]),
  ).toEqual(['AUDIT-001']);
});

it("takes the critic's finished row of the highest wave, also one that only carries its outputs", () => {
  const rows = [
    task('AUDIT-001', 'reviewer', 'completed'),
    task('AUDIT-re-001', 'reviewer', 'in_progress', { audit_signal: 'audit_passed' }),
    task('AUDIT-002', 'reviewer', 'pending'),
    task('AUDIT-003', 'reviewer', 'skipped', { audit_signal: 'audit_passed' }),
    task('DESIGN-001', 'designer', 'completed'),
  ];
  expect(findCriticRow(design, rows, Int32Array.of(1, 2, 3, 4, 5), null)?.task.id).toBe('AUDIT-re-001');
  expect(findCriticRow(design, rows, Int32Array.of(2, 1, 3, 4, 5), null)?.task.id).toBe('AUDIT-001');
  const stated = [
    task('A-1', 'reviewer', 'completed', { wave: '5' }),
    task('A-2', 'reviewer', 'failed', { wave: '3' }),
    task('A-3', 'reviewer', 'failed', { wave: 'x' }),
  ];
  expect(findCriticRow(design, stated, Int32Array.of(1, 1, 1), null)?.task.id).toBe('A-1');
  const layers = [task('T-1', 'executor', 'completed', { layer: 'L1' }), task('T-2', 'executor', 'completed', { layer: 'L2' })];
  expect(findCriticRow(testing, layers, Int32Array.of(1, 2), 'L1')?.task.id).toBe('T-1');
  expect(findCriticRow(testing, [], Int32Array.of(), 'L1')).toBe(null);
});

it('finds every critic of the wave, the latest last', () => {
  const brainstorm = builtinLoop('brainstorm') as Loop;
  const rows = [
    task('C-0', 'challenger', 'completed'),
    task('C-1', 'challenger', 'completed'),
    task('C-2', 'challenger', 'completed'),
    task('C-3', 'challenger', 'pending'),
    task('I-1', 'ideator', 'completed'),
  ];
  const waves = Int32Array.of(1, 2, 2, 2, 2);
  const critic = findCriticRow(brainstorm, rows, waves, null);
  expect(findParallelCritics(brainstorm, rows, waves, critic).map((peer) => peer.id)).toEqual(['C-1', 'C-2']);
  expect(findParallelCritics(brainstorm, rows, waves, null)).toEqual([]);
});
