// Which failures count for the guard of a run: those that Umpire measured itself, on that very commit.

import { expect, it } from 'vitest';
import { failedTestsAt } from './run-guard.js';
import type { MeasuredRun } from './run-guard.js';

type Critic = MeasuredRun['tasks'][number];

function critic(blob: string, more: Partial<Critic> = {}): Critic {
  const row = { layer: 'L1' };
  return { role: 'executor', row, isMeasured: true, status: 'completed', found: { 'results/run-L1.json': blob }, ...more };
}

function evidence(names: readonly string[], provenance: Readonly<Record<string, unknown>> = { commit: 'c1', content: null }): string {
  return JSON.stringify({ failures: names.map((name) => ({ name, file: 'a.test.js', line: 3, message: 'no' })), provenance });
}

/** Blobs are named by what they hold. */
function namesAt(commit: string, ...tasks: readonly Critic[]): readonly string[] {
  const found = failedTestsAt(
    { started: { critic: 'executor' }, tasks },
    (hash) => (hash === 'gone' ? 'it is gone' : Buffer.from(hash)),
    commit,
  );
  return found.map(({ id }) => id);
}

it('takes the failures of the latest measurement of each layer', () => {
  const second = { row: { layer: 'L2' }, found: { 'results/run-L2.json': evidence(['suite > other']) } };
  expect(namesAt('c1', critic(evidence(['old'])), critic(evidence(['adds'])), critic('', second))).toEqual([
    'a.test.js > adds',
    'a.test.js > suite > other',
  ]);
});

it.each([
  ['was measured on another commit', critic(evidence(['adds'], { commit: 'c0', content: null }))],
  ['was measured on files that are in no commit', critic(evidence(['adds'], { commit: 'c1', content: 'abc' }))],
  ['says nothing of what it was measured on', critic('{"failures":[{"name":"adds","file":"a.test.js"}]}')],
  ['an agent wrote', critic(evidence(['adds']), { isMeasured: false })],
  ['was left by a critic that failed', critic(evidence(['adds']), { status: 'failed' })],
  ['was left by another role', critic(evidence(['adds']), { role: 'generator' })],
  ['belongs to no layer', critic(evidence(['adds']), { row: {} })],
  ['belongs to another layer', critic(evidence(['adds']), { row: { layer: 'L2' } })],
  ['is gone', critic('gone')],
  ['is no JSON', critic('{')],
  ['has no list of failures', critic('{"failures":{},"provenance":{"commit":"c1","content":null}}')],
])('leaves out what %s', (_, task) => {
  expect(namesAt('c1', task)).toEqual([]);
});
