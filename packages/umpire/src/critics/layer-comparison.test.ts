import { expect, it } from 'vitest';
import { readRun } from '@umpire/core/formats/run-result.js';
import type { MeasuredTest, TestsMeasurement } from '@umpire/core/formats/debt-measurement.js';
import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import { differLayer } from './layer-comparison.js';
import type { LayerComparison } from './layer-comparison.js';
import { evidenceOf } from './testing.js';

const MOVES = {
  isGone: () => false,
  isNew: () => false,
  isChanged: () => false,
  isUntouched: () => true,
  linesRemoved: () => 9,
  hasTitle: () => false,
  settingsChanged: false,
};

function test(id: string, status: TestStatus, message: string | null = null): MeasuredTest {
  return { id, status, file: id.split(' > ')[0] ?? null, line: null, message };
}

function measured(...results: readonly MeasuredTest[]): TestsMeasurement {
  const outcome = results.length === 0 ? 'missing' : results.some(({ status }) => status === 'failed') ? 'fail' : 'pass';
  return { outcome, problem: null, results, flaky: [], notes: [] };
}

interface Earlier {
  readonly tests: TestsMeasurement;
  readonly coverage?: number;
  readonly suspected?: readonly MeasuredTest[];
}

const at = (commit: string, { tests, coverage = 50, suspected = [] }: Earlier) => ({ commit, tests, coverage, suspected, moves: MOVES });
const now = (tests: TestsMeasurement, coverage = 50) => ({ tests, coverage, quarantined: [] });
const ids = (tests: readonly MeasuredTest[]) => tests.map(({ id }) => id);

const OLD = test('a.js > old', 'passed');

it('V9: a new test that fails is a suspected bug, not damage', () => {
  const base = at('b', { tests: measured(OLD) });
  const found = differLayer(now(measured(OLD, test('b.js > new', 'failed')), 100), base, base);
  expect({ suspected: ids(found.suspected), regressions: found.regressions, damage: found.damage }).toEqual({
    suspected: ['b.js > new'],
    regressions: [],
    damage: null,
  });
});

it('V9: a test that passed before the cycle and fails after it is damage, also if it did not exist at the base', () => {
  const base = at('b', { tests: measured(OLD) });
  const before = at('c', { tests: measured(OLD, test('b.js > new', 'passed')) });
  const found = differLayer(now(measured(test('a.js > old', 'failed'), test('b.js > new', 'failed'))), base, before);
  expect(found.damage).toEqual({ tests: ['a.js > old', 'b.js > new'], files: ['a.js', 'b.js'], coverage: null });
  expect({ suspected: found.suspected, regressions: ids(found.regressions) }).toEqual({ suspected: [], regressions: ['a.js > old'] });
});

it('V9: a test that failed at the base stays part of the goal', () => {
  const base = at('b', { tests: measured(OLD, test('a.js > bad', 'failed')) });
  const found = differLayer(now(measured(OLD, test('a.js > bad', 'failed'))), base, base);
  expect({ known: ids(found.known), suspected: found.suspected, damage: found.damage }).toEqual({
    known: ['a.js > bad'],
    suspected: [],
    damage: null,
  });
});

it('V9: coverage that fell is damage, and coverage that rose or is unknown is none', () => {
  const damage = (before: number | null, after: number | null) => {
    const base = { ...at('b', { tests: measured(OLD) }), coverage: before };
    return differLayer({ ...now(measured(OLD)), coverage: after }, base, base).damage;
  };
  expect(damage(80, 61)).toEqual({ tests: [], files: [], coverage: { before: 80, after: 61 } });
  expect([damage(61, 80), damage(80, 80), damage(null, 10), damage(80, null)]).toEqual([null, null, null, null]);
});

it('V9: a bug is suspected until its test passes, although the test was deleted', () => {
  const base = at('b', { tests: measured(OLD) });
  const bug = test('b.js > new', 'failed', 'expected 1');
  const before = at('c', { tests: measured(OLD, bug), suspected: [bug] });
  const after = (...tests: readonly MeasuredTest[]) => differLayer(now(measured(OLD, ...tests)), base, before).suspected;
  expect(after()).toEqual([{ ...bug, isGone: true }]);
  expect(after(bug)).toEqual([{ ...bug, isGone: false }]);
  expect(after(test('b.js > new', 'passed'))).toEqual([]);
});

it('V9: a new file that cannot be loaded is left out of apply, and has to be mended; new tests where no other is left have to be too', () => {
  const base = at('b', { tests: measured(OLD) });
  const broken = differLayer(now(measured(OLD, test('b.js', 'errored'))), base, base);
  const none = at('b', { tests: measured() });
  const alone = differLayer(now(measured(test('b.js > new', 'failed'))), none, none);
  expect(broken.suspected).toMatchObject([{ id: 'b.js', isUnloadable: true, isGone: false }]);
  expect(alone.suspected).toEqual([]);
  const later = at('c', { tests: measured(OLD), suspected: broken.suspected });
  expect(differLayer(now(measured(OLD)), base, later).suspected).toEqual([]);
  const { made: counted } = evidence(broken, OLD, test('b.js', 'errored'));
  expect(counted).toMatchObject({ total: 2, passed: 1, failed: 1, suspected_bugs: [{ file: 'b.js' }] });
  expect(counted.failures).toHaveLength(1);
});

function evidence(comparison: Partial<LayerComparison>, ...results: readonly MeasuredTest[]) {
  const run = { runner: 'node', version: null, path: '', outcome: 'fail', problem: null, coverage: null, uncovered: null } as const;
  const listed = results.map((result) => ({ ...result, durationMs: null }));
  const none = { base: 'b', before: null, suspected: [], regressions: [], known: [], flaky: [], quarantined: [] };
  const made = evidenceOf(
    {
      layer: 'L1',
      runs: [{ ...run, results: listed, files: [], notes: [], uses: [] }],
      notes: [],
      cause: null,
      isInterrupted: false,
      comparison: { ...none, ...comparison },
    },
    { commit: null, content: null, started: '', ended: '', tools: [] },
  );
  const read = readRun(JSON.stringify(made), { path: 'results/run-L1.json' });
  return { made, read: read.ok ? read.reading : null };
}

it('V9: suspected bugs are left out of the pass rate and listed; flaky and quarantined tests are listed', () => {
  const bug = test('b.js > new', 'failed', 'expected 1');
  const { made, read } = evidence(
    { suspected: [{ ...bug, isGone: false }], flaky: ['c.js > flaky'], quarantined: ['d.js > out'] },
    OLD,
    bug,
    test('c.js > flaky', 'failed'),
    test('d.js > out', 'failed'),
  );
  expect(made).toMatchObject({
    total: 2,
    passed: 2,
    failed: 0,
    pass_rate: 1,
    failures: [],
    regressions_measured: 0,
    suspected_bugs: [{ name: 'new', file: 'b.js', line: null, message: 'expected 1' }],
    flaky: [{ name: 'flaky', file: 'c.js' }],
    quarantined: [{ name: 'out', file: 'd.js' }],
  });
  expect(read?.findings).toMatchObject([{ severity: 'medium', rule: 'suspected bug', message: 'new', artifact: 'b.js' }]);
  expect(read?.notes).toEqual([]);
});

it('V2: a test that passed at the base and fails now is a Critical finding', () => {
  const worse = test('a.js > old', 'failed', 'no');
  const { made, read } = evidence({ regressions: [worse] }, test('z.js > z', 'passed'), worse);
  expect(made).toMatchObject({ total: 2, failed: 1, regressions_measured: 1, failures: [{ name: 'old', was: 'passed' }] });
  expect(read?.findings).toMatchObject([{ severity: 'critical', message: 'old: no' }]);
});
