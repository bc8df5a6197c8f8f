// Whose evidence lies where, and whose word a critic hears: that of the second critic it waits for, of its own round and chain.

import { expect, it } from 'vitest';
import { begun, done, row, start, told } from '../../../../test/support/story.js';
import { builtinLoop } from '../loops/builtin.js';
import type { Loop } from '../loops/loop.js';
import { taskIn } from './run-state.js';
import type { RunState, TaskState } from './run-state.js';
import { evidencePaths, leavesEvidence, opinionsFor } from './second-critic.js';

const review = builtinLoop('review') as Loop;
const law = { file: ['law-{chain}.json'], by: 'lawyer', reader: 'json', grade: 'testified', what: 'the opinion' } as const;
const reading = { file: ['reading-{chain}.json'], reader: 'json', grade: 'testified', what: 'the reading' } as const;
const loop: Loop = { ...review, evidence: { law, reading } };

const sprint = (cells: Readonly<Record<string, string>>, number: string) => ({ ...cells, sprint_num: number });
const ROWS = [
  row('DEV-001', 'developer'),
  row('LAW-001', 'lawyer', 'DEV-001'),
  sprint(row('REVIEW-001', 'reviewer', 'LAW-001'), '7'),
  row('DEV-002', 'developer', 'REVIEW-001'),
  sprint(row('REVIEW-002', 'reviewer', 'DEV-002'), '7'),
  row('LAW-009', 'lawyer'),
];
const frozen = { hash: 'h', rules: loop, cap: 3, chains: ['7'], targets: {} };
const run = told([
  ...begun(ROWS, { frozen }),
  ...['LAW-009', 'DEV-001'].flatMap((id) => [start(id), done(id)]),
  start('LAW-001'),
  done('LAW-001', { evidence: { 'law-7.json': 'its hash' } }),
]).state.run as RunState;
const task = (id: string) => taskIn(run, id) as TaskState;

it('finds the files of a second critic by the chain of who waits for it, and none where nobody does', () => {
  const paths = ['LAW-001', 'REVIEW-001', 'LAW-009', 'DEV-001'].map((id) => evidencePaths(loop, run, task(id)));
  expect(paths).toEqual([['law-7.json'], ['reading-7.json'], [], []]);
  expect(['lawyer', 'reviewer', 'developer'].map((role) => leavesEvidence(loop, role))).toEqual([true, true, false]);
});

it('hears a second critic for the verdict that waits for it, and not for the next', () => {
  expect(opinionsFor(loop, run, task('REVIEW-001'))).toEqual({ 'law-7.json': 'its hash' });
  expect(opinionsFor(loop, run, task('REVIEW-002'))).toEqual({ 'law-7.json': null });
});
