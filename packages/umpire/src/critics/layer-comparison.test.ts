import { expect, it } from 'vitest';
import { isToMend, readRun } from '@umpire/core/formats/run-result.js';
import type { FileMoves } from '@umpire/core/formats/debt-comparison.js';
import type { MeasuredTest, TestsMeasurement } from '@umpire/core/formats/debt-measurement.js';
import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import type { Change } from '@umpire/guard/change.js';
import { differLayer } from './layer-comparison.js';
import type { LayerComparison } from './layer-comparison.js';
import { evidenceOf } from './testing.js';

const MOVES: FileMoves = {
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
const NONE: Change = { files: [] };
const isProduct = (path: string) => path.startsWith('src/');
type DifferLayer = Parameters<typeof differLayer>;
const differ = (current: DifferLayer[0], base: DifferLayer[1], before: DifferLayer[2], change = NONE) =>
  differLayer(current, base, before, { isProduct, change });
const ids = (tests: readonly MeasuredTest[]) => tests.map(({ id }) => id);

const OLD = test('a.js > old', 'passed');

const WRONG = 'AssertionError: expected 2 to be 1';
const THROWN = "TypeError: Cannot read properties of undefined (reading 'id')\n    at load (src/cart.js:4:3)\n    at b.js:2:1";
const OWN_FAULT = 'ReferenceError: cart is not defined\n    at b.js:2:1';
/** The fates of the new tests of b.js, which fail. */
const fates = ({ fresh, suspected, dropped }: Pick<LayerComparison, 'fresh' | 'suspected' | 'dropped'>) => ({
  fresh: ids(fresh),
  suspected: ids(suspected),
  dropped: ids(dropped),
});

it('A9: a new test that fails counts as failed, and is no damage, until a fix cycle had it', () => {
  const base = at('b', { tests: measured(OLD) });
  const fails = test('b.js > new', 'failed', WRONG);
  const found = differ(now(measured(OLD, fails), 100), base, base);
  expect({ ...fates(found), regressions: found.regressions, damage: found.damage }).toEqual({
    fresh: ['b.js > new'],
    suspected: [],
    dropped: [],
    regressions: [],
    damage: null,
  });
  expect(fates(differ(now(measured(OLD, fails)), base, null)).fresh).toEqual(['b.js > new']);
  expect(evidence(found, OLD, fails).made).toMatchObject({ total: 2, failed: 1, pass_rate: 0.5, failures: [{ name: 'new', was: 'new' }] });
});

it('A9: after a fix cycle it is a suspected bug if it fails in product code, else it is dropped', () => {
  const base = at('b', { tests: measured(OLD) });
  const failing = [
    test('b.js > wrong', 'failed', WRONG),
    test('b.js > thrown', 'failed', THROWN),
    test('b.js > own', 'failed', OWN_FAULT),
    test('b.js > mock', 'failed', 'expected "spy" to be called once'),
    test('b.js > late', 'failed', 'Test timed out in 5000ms.'),
    test('c.js', 'errored', "Cannot find module './nothing.js'"),
  ];
  const before = at('c', { tests: measured(OLD, ...failing) });
  const found = differ(now(measured(OLD, ...failing, test('b.js > later', 'failed', WRONG))), base, before);
  expect(fates(found)).toEqual({
    fresh: ['b.js > later'],
    suspected: ['b.js > wrong', 'b.js > thrown'],
    dropped: ['b.js > own', 'b.js > mock', 'b.js > late', 'c.js'],
  });
});

it('A1: a test that ran at the base and does not run now is lost, whether it passed or not', () => {
  const bad = test('a.js > bad', 'failed');
  const moves = { ...MOVES, isUntouched: () => false };
  const base = { ...at('b', { tests: measured(OLD, bad, test('a.js > off', 'skipped')) }), moves };
  const lost = (...tests: readonly MeasuredTest[]) => ids(differ(now(measured(...tests)), base, null).lost);
  expect(lost(test('z.js > z', 'passed'))).toEqual(['a.js > old', 'a.js > bad']);
  expect(lost(OLD, test('a.js > bad', 'skipped'))).toEqual(['a.js > bad']);
  expect(lost(OLD, bad)).toEqual([]);
  // It fails itself.
  expect(lost(test('a.js', 'errored'))).toEqual([]);
  const text = "test('old', () => assert.equal(f(), 1));\ntest('bad', () => assert.equal(f(), 2));\n";
  const moved = {
    files: [
      { path: 'a.js', before: text, after: null },
      { path: 'n.js', before: null, after: text },
    ],
  };
  const found = differ(now(measured(test('n.js > old', 'passed'), test('n.js > bad', 'failed'))), base, null, moved);
  expect(ids(found.lost)).toEqual([]);
  const { read } = evidence(differ(now(measured(OLD)), base, null), OLD);
  expect(read?.findings).toMatchObject([
    { severity: 'critical', rule: 'lost test', message: 'bad: it ran at the base and does not run now' },
  ]);
});

it('V9: a test that passed before the cycle and fails after it is damage, also if it did not exist at the base', () => {
  const base = at('b', { tests: measured(OLD) });
  const before = at('c', { tests: measured(OLD, test('b.js > new', 'passed')) });
  const found = differ(now(measured(test('a.js > old', 'failed'), test('b.js > new', 'failed'))), base, before);
  expect(found.damage).toEqual({ tests: ['a.js > old', 'b.js > new'], files: ['a.js', 'b.js'], coverage: null });
  expect({ suspected: found.suspected, regressions: ids(found.regressions) }).toEqual({ suspected: [], regressions: ['a.js > old'] });
});

it('V9: a test that failed at the base is known', () => {
  const base = at('b', { tests: measured(OLD, test('a.js > bad', 'failed')) });
  const found = differ(now(measured(OLD, test('a.js > bad', 'failed'))), base, base);
  expect({ known: ids(found.known), suspected: found.suspected, damage: found.damage }).toEqual({
    known: ['a.js > bad'],
    suspected: [],
    damage: null,
  });
});

it('V9: coverage that fell is damage, and coverage that rose or is unknown is none', () => {
  const damage = (before: number | null, after: number | null) => {
    const base = { ...at('b', { tests: measured(OLD) }), coverage: before };
    return differ({ ...now(measured(OLD)), coverage: after }, base, base).damage;
  };
  expect(damage(80, 61)).toEqual({ tests: [], files: [], coverage: { before: 80, after: 61 } });
  expect([damage(61, 80), damage(80, 80), damage(null, 10), damage(80, null)]).toEqual([null, null, null, null]);
});

it('V9: a bug is suspected until its test passes, although the test was deleted', () => {
  const base = at('b', { tests: measured(OLD) });
  const bug = test('b.js > new', 'failed', 'expected 1');
  const before = at('c', { tests: measured(OLD, bug), suspected: [bug] });
  const after = (...tests: readonly MeasuredTest[]) => differ(now(measured(OLD, ...tests)), base, before).suspected;
  expect(after()).toEqual([{ ...bug, isGone: true }]);
  expect(after(bug)).toEqual([{ ...bug, isGone: false }]);
  expect(after(test('b.js > new', 'passed'))).toEqual([]);
});

it('A9: new tests count where no other is left, after a fix cycle too: there would be nothing to judge by', () => {
  const none = at('b', { tests: measured() });
  const alone = test('b.js > new', 'failed', WRONG);
  expect(fates(differ(now(measured(alone)), none, at('c', { tests: measured(alone) })))).toEqual({
    fresh: ['b.js > new'],
    suspected: [],
    dropped: [],
  });
});

it('A9: known failures are outside of the rate and named; only those by the fault of the test go to the generator', () => {
  const bad = test('a.js > bad', 'failed', WRONG);
  const broken = test('a.js > broken', 'failed', "Cannot find module './old.js'");
  const base = at('b', { tests: measured(OLD, bad, broken) });
  const { made, read } = evidence(differ(now(measured(OLD, bad, broken)), base, base), OLD, bad, broken);
  expect(made).toMatchObject({ total: 1, passed: 1, pass_rate: 1, failures: [], known_failures: [{ name: 'bad' }, { name: 'broken' }] });
  expect(read?.findings.map((one) => [one.severity, one.message, isToMend(one)])).toEqual([
    ['low', 'bad', false],
    ['medium', "broken: Cannot find module './old.js'", true],
  ]);
});

function evidence(comparison: Partial<LayerComparison>, ...results: readonly MeasuredTest[]) {
  const run = { runner: 'node', version: null, path: '', outcome: 'fail', problem: null, coverage: null, uncovered: null } as const;
  const listed = results.map((result) => ({ ...result, durationMs: null }));
  const none = {
    base: 'b',
    before: null,
    fresh: [],
    added: [],
    suspected: [],
    dropped: [],
    lost: [],
    regressions: [],
    known: [],
    flaky: [],
    quarantined: [],
  };
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
