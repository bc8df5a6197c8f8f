// What the guard of a run reverts and what it only notes, and which failures count for it: those that Umpire measured itself.

import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import type { FileChange, GuardScope } from '@umpire/guard/change.js';
import { inspectWork } from './guard.js';
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

/** What the guard says of a task's work, and the files that it reverts. */
function inspected(scope: GuardScope, reverts: boolean, files: readonly FileChange[]) {
  const work = { task: 'WORK-1', attempt: 1, base: 'c1', folder: tmpdir(), change: { files, problems: [] } };
  const { breaches, corrections } = inspectWork(work as unknown as Parameters<typeof inspectWork>[0], {
    scope,
    reverts,
    allowances: [],
    today: '2026-01-01',
    measured: [],
    command: 'npm test',
    retrial: null,
  });
  return {
    found: breaches.map(({ rule, level, taken }) => `${level ?? 'breach'} ${rule} ${taken ?? 'kept'}`),
    reverted: corrections.map(({ path }) => path),
  };
}

const TESTS =
  "import { expect, it } from 'vitest';\nimport { sum } from './sum';\n\nit('adds', () => {\n  expect(sum(1, 2)).toBe(3);\n});\n";
const LOCK: FileChange = { path: 'package-lock.json', before: '{}', after: '{"a":1}' };
const CI: FileChange = { path: '.github/workflows/ci.yml', before: 'node: 20\n', after: 'node: 22\n' };
const SKIPPED: FileChange = { path: 'src/sum.test.ts', before: TESTS, after: TESTS.replace("it('adds", "it.skip('adds") };
const REWRITTEN: FileChange = { path: 'src/sum.test.ts', before: TESTS, after: TESTS.replace('toBe(3)', 'toBe(4)') };

it('where source may change, reverts breaches and keeps what it only notes', () => {
  expect(inspected('any', true, [LOCK, CI, SKIPPED])).toEqual({
    found: ['breach test-skipped file', 'note ci-changed kept', 'note lockfile-changed kept'],
    reverted: ['src/sum.test.ts'],
  });
  expect(inspected('any', true, [LOCK, CI, REWRITTEN])).toEqual({
    found: ['note ci-changed kept', 'note lockfile-changed kept', 'note rebaselined kept'],
    reverted: [],
  });
});

it('reports breaches before notes where it reverts nothing', () => {
  expect(inspected('any', false, [CI, SKIPPED])).toEqual({ found: ['breach test-skipped kept', 'note ci-changed kept'], reverted: [] });
});

it('reverts settings and lockfiles where only tests may change, as before', () => {
  expect(inspected('testing', true, [LOCK, CI])).toEqual({
    found: ['breach ci-changed file', 'breach lockfile-changed file'],
    reverted: ['.github/workflows/ci.yml', 'package-lock.json'],
  });
});

it('reverts changes of the guard’s settings, whatever they say', () => {
  const settings: FileChange = { path: 'umpire.config.yaml', before: null, after: 'guard: { scope: any }\n' };
  expect(inspected('any', true, [settings]).reverted).toEqual(['umpire.config.yaml']);
});
