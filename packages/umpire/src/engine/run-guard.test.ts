// What the guard of a run reverts and what it only notes, and which failures count for it: those that Umpire measured itself.

import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { FileChange, GuardScope } from '@umpire/guard/change.js';
import { findingOf } from '@umpire/guard/findings/finding.js';
import { findRuleWords } from '@umpire/guard/rules/all.js';
import type { Retrial } from '../retrial/retrial.js';
import { inspectWork } from './guard.js';
import { createRunRetrial, failedTestsAt } from './run-guard.js';
import type { MeasuredRun, RetriedRun } from './run-guard.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import type { Work } from '../work/inspect-work.js';

type Critic = MeasuredRun['tasks'][number];

function critic(blob: string, more: Partial<Critic> = {}): Critic {
  const row = { layer: 'L1' };
  return { role: 'executor', row, measured: 'all', status: 'completed', found: { 'results/run-L1.json': blob }, ...more };
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
  ['an agent wrote', critic(evidence(['adds']), { measured: null })],
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
async function inspected(scope: GuardScope, reverts: boolean, files: readonly FileChange[], retrial: Retrial | null = null) {
  const work = { task: 'WORK-1', attempt: 1, base: 'c1', folder: tmpdir(), change: { files, problems: [] } };
  const { breaches, corrections } = await inspectWork(work as unknown as Parameters<typeof inspectWork>[0], {
    scope,
    reverts,
    allowances: [],
    today: '2026-01-01',
    measured: [],
    goalFiles: [],
    command: 'npm test',
    retry: () => Promise.resolve(retrial),
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

it('where source may change, reverts breaches and keeps what it only notes', async () => {
  expect(await inspected('any', true, [LOCK, CI, SKIPPED])).toEqual({
    found: ['breach test-skipped file', 'note ci-changed kept', 'note lockfile-changed kept'],
    reverted: ['src/sum.test.ts'],
  });
  expect(await inspected('any', true, [LOCK, CI, REWRITTEN])).toEqual({
    found: ['note ci-changed kept', 'note lockfile-changed kept', 'note rebaselined kept'],
    reverted: [],
  });
});

it('reports breaches before notes where it reverts nothing', async () => {
  expect(await inspected('any', false, [CI, SKIPPED])).toEqual({
    found: ['breach test-skipped kept', 'note ci-changed kept'],
    reverted: [],
  });
});

it('reverts settings and lockfiles where only tests may change, as before', async () => {
  expect(await inspected('testing', true, [LOCK, CI])).toEqual({
    found: ['breach ci-changed file', 'breach lockfile-changed file'],
    reverted: ['.github/workflows/ci.yml', 'package-lock.json'],
  });
});

it('reverts changes of the guard’s settings, whatever they say', async () => {
  const settings: FileChange = { path: 'umpire.config.yaml', before: null, after: 'guard: { scope: any }\n' };
  expect((await inspected('any', true, [settings])).reverted).toEqual(['umpire.config.yaml']);
});

describe('with a retrial', () => {
  const WEAKENED: FileChange = { path: 'src/sum.test.ts', before: TESTS, after: TESTS.replace('toBe(3)', 'toBeDefined()') };
  const held = (kept: number, lost: number, findings: Retrial['findings'] = []): Retrial => ({
    findings,
    outcome: {
      oldTestsPass: true,
      failsUnnamed: false,
      skipped: [],
      blind: [],
      unmended: [],
      doubtful: [],
      mutants: new Map([['src/sum.test.ts', { kept, lost, tests: new Map() }]]),
    },
    runs: [],
    mutants: null,
    problem: null,
  });

  it('keeps a weakened check that lost no strength, and never a skipped test', async () => {
    expect(await inspected('any', true, [WEAKENED], held(4, 0))).toEqual({ found: [], reverted: [] });
    expect(await inspected('any', true, [SKIPPED], held(4, 0))).toEqual({
      found: ['breach test-skipped file'],
      reverted: ['src/sum.test.ts'],
    });
  });

  it('reverts lost strength once, by the check that lost it', async () => {
    const lost = findingOf(findRuleWords('strength-lost'), { file: 'src/sum.test.ts', level: 'breach' });
    expect(await inspected('any', true, [WEAKENED], held(4, 1, [lost]))).toEqual({
      found: ['breach strength-lost file'],
      reverted: ['src/sum.test.ts'],
    });
  });

  it('reverts the lines of the suspicion alone, and keeps honest tests beside it', async () => {
    const more = "\nit('adds none', () => {\n  expect(sum(0, 0)).toBe(0);\n});\n";
    const lost = findingOf(findRuleWords('strength-lost'), { file: 'src/sum.test.ts', level: 'breach' });
    const both = { ...WEAKENED, after: `${WEAKENED.after}${more}` };
    expect(await inspected('any', true, [both], held(4, 1, [lost]))).toEqual({
      found: ['breach strength-lost hunk'],
      reverted: ['src/sum.test.ts'],
    });
  });

  it('reverts the settings that keep an unchanged test from running', async () => {
    const settings: FileChange = { path: 'vitest.config.ts', before: 'export default {};\n', after: 'export default { test: {} };\n' };
    const source: FileChange = { path: 'src/sum.ts', before: 'a', after: 'b' };
    const hidden = findingOf(findRuleWords('regression-hidden'), { file: 'src/other.test.ts', level: 'breach' });
    const { found, reverted } = await inspected('any', true, [settings, source], held(0, 0, [hidden]));
    expect({ first: found[0], reverted }).toEqual({ first: 'breach regression-hidden file', reverted: ['vitest.config.ts'] });
  });
});

/** A repository that is not there. */
const gitTarget = { gitDir: '/nowhere/.git' };

function retry(path: string, signal = new AbortController().signal) {
  const run = {
    started: { loop: 'until', project: '/nowhere' },
    config: DEFAULT_SETTINGS,
    signal,
    now: () => new Date(),
  } as unknown as RetriedRun;
  const change = { files: [{ path, before: 'a', after: 'b' }] };
  const work = { task: 'WORK-1', attempt: 1, base: 'c1', folder: '/nowhere', gitTarget, prefix: '', tree: 't1', change } as unknown as Work;
  return createRunRetrial(run)(work, 'any', []);
}

it('asks nothing of work that touches no test', async () => {
  expect(await retry('sum.js')).toBeNull();
});

it('says why it says nothing', async () => {
  expect(await retry('sum.test.js')).toMatchObject({ findings: [], runs: [], problem: expect.stringContaining('git') as string });
});

it('refuses the work where the run was stopped', async () => {
  await expect(retry('sum.test.js', AbortSignal.abort())).rejects.toMatchObject({ code: 'retrial-stopped' });
});
