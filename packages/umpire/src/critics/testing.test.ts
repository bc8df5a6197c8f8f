import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/git-project.js';
import { readRun } from '@umpire/core/formats/run-result.js';
import type { FileCoverage, TestResult } from '@umpire/core/model/vocabulary.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import { evidenceOf } from './testing.js';
import { isLayerName, layersOf, layerTest } from './test-layers.js';
import { measureCall, mergeCoverage, mergeResults, splitBatches } from '../runners/run-tests.js';
import type { PlaceRun } from '../runners/run-tests.js';
import type { ToolRun } from '../runners/run-tool.js';

const PROVENANCE = { commit: null, content: null, started: '', ended: '', tools: [] };

function result(id: string, status: TestResult['status'], more: Partial<TestResult> = {}): TestResult {
  return { id, status, file: null, line: null, message: null, durationMs: null, ...more };
}

function covered(path: string, total: number, uncovered: readonly number[]): FileCoverage {
  const share = { covered: total - uncovered.length, total, pct: Math.floor(((total - uncovered.length) / total) * 10_000) / 100 };
  return { path, lines: share, uncovered };
}

function run(changes: Partial<PlaceRun>): PlaceRun {
  const plain = { runner: 'vitest', version: '4', path: '', outcome: 'pass', problem: null } as const;
  return {
    ...plain,
    results: [result('a', 'passed')],
    coverage: [covered('a.js', 2, [])],
    uncovered: null,
    files: ['a.test.js'],
    notes: [],
    uses: [],
    ...changes,
  };
}

function evidence(...runs: readonly PlaceRun[]) {
  const made = evidenceOf({ layer: 'L1', runs, notes: [], cause: null, isInterrupted: false }, PROVENANCE);
  const read = readRun(JSON.stringify(made), { path: 'results/run-L1.json' });
  return { made, reader: read.ok ? read.reading.notes : read.unreadable.problem };
}

test('skipped tests are no part of the total, broken ones have failed', () => {
  const results = [
    result('a', 'passed'),
    result('b', 'skipped'),
    result('c.js > s > c', 'failed', { file: 'c.js', line: 3, message: 'no' }),
    result('d', 'errored'),
  ];
  const { made, reader } = evidence(run({ outcome: 'fail', results }));
  expect(reader).toEqual([]);
  expect(made).toMatchObject({ total: 3, passed: 1, failed: 2, skipped: 1, pass_rate: 0.333333 });
  expect(made.failures).toEqual([
    { name: 's > c', file: 'c.js', line: 3, message: 'no' },
    { name: 'd', file: null, line: null, message: '' },
  ]);
});

test('lines of all packages are summed; a file of two packages counts once', () => {
  const { made } = evidence(
    run({ coverage: [covered('a.js', 4, [1, 2])] }),
    run({ path: 'b', coverage: [covered('a.js', 4, [2, 3]), covered('b.js', 6, [])] }),
  );
  expect(made.lines).toEqual({ covered: 9, total: 10, pct: 90 });
  expect(made.uncovered).toEqual([{ file: 'a.js', pct: 75, lines: [2] }]);
});

test('one package without coverage leaves the layer without, and one that broke leaves it without figures', () => {
  const blind = evidence(run({}), run({ path: 'b', coverage: null }));
  expect(blind.made).toMatchObject({
    coverage: null,
    pass_rate: 1,
    notes: ['Coverage was not measured in b, so the layer has no coverage figure.'],
  });
  expect(blind.reader).toEqual([]);
  const broken = evidence(run({}), run({ path: 'b', outcome: 'timeout', problem: 'vitest timed out.', results: [], coverage: null }));
  expect(broken.made).toMatchObject({
    outcome: 'timeout',
    status: 'timeout',
    problem: 'b: vitest timed out.',
    pass_rate: null,
    coverage: null,
    total: null,
  });
  expect(broken.reader).toContain('status is "timeout": the run broke, so its numbers prove nothing ("');
});

test('why no coverage was measured reaches who judges', () => {
  const { made, reader } = evidence(run({ coverage: null, uncovered: 'install pytest-cov.' }));
  expect(made.coverage_problem).toBe('install pytest-cov.');
  expect(reader).toEqual(['coverage was not measured: "install pytest-cov."']);
  expect(evidence(run({ uncovered: 'install pytest-cov.' })).made).not.toHaveProperty('coverage_problem');
});

test('no line to cover is no coverage of 100 percent', () => {
  expect(evidence(run({ coverage: [] })).made).toMatchObject({ coverage: 0, lines: { covered: 0, total: 0, pct: 0 } });
});

test('nothing to run is missing, and no pass', () => {
  const { made, reader } = evidence();
  expect(made).toMatchObject({ outcome: 'missing', status: 'missing', pass_rate: null, total: null });
  expect(reader).toContain('status is "missing": the run broke, so its numbers prove nothing ("');
  // What to do is read to its end.
  expect(reader).toContain(`("${made.problem}")`);
});

test('a file is of the first layer that claims it, else of L1', () => {
  const layerOf = layerTest(DEFAULT_SETTINGS.critics.testing);
  const paths = ['src/a.test.ts', 'a.int.test.ts', 'test/integration/a.ts', 'a.e2e.ts', 'e2e/a.ts', 'integration/e2e/a.ts'];
  expect(paths.map(layerOf)).toEqual(['L1', 'L2', 'L2', 'L3', 'L3', 'L2']);
  expect(layersOf(paths, layerOf)).toEqual(['L1', 'L2', 'L3']);
  expect(layersOf([], layerOf)).toEqual(['L1']);
  expect(layerTest({ runner: null, layers: { L1: ['unit/**'] } })('a.test.ts')).toBeNull();
  expect(['L1', 'smoke_2', '', '../L1', 'L1/x', '.', '-a'].map(isLayerName)).toEqual([true, true, false, false, false, false, false]);
});

test('tests of other layers that ran along are not counted, and messages name no place of this machine', () => {
  const place = { runner: 'mocha' as const, folder: '/p/x', path: 'x', script: null };
  const message = 'Error: no\n    at Context.<anonymous> (node_modules/a.js:1:1)\n    at /p/x/a.js:7:3';
  const parts = [
    [result('x/a.js > a', 'failed', { file: 'x/a.js', message }), result('b', 'passed', { file: 'x/b.js' }), result('c', 'passed')],
  ];
  expect(mergeResults('/p', place, parts, (file) => file === 'x/b.js', 'mocha')).toEqual({
    results: [
      result('x/a.js > a', 'failed', { file: 'x/a.js', line: 7, message: 'Error: no\n    at x/a.js:7:3' }),
      result('x > c', 'passed'),
    ],
    dropped: 1,
  });
});

test('coverage of one file from two runs is joined line by line', () => {
  const branches = { covered: 1, total: 2, pct: 50 };
  expect(mergeCoverage([[{ ...covered('a', 3, [1, 2]), branches }], [covered('a', 3, [2, 3])]])).toEqual([
    { path: 'a', lines: { covered: 2, total: 3, pct: 66.66 }, branches, uncovered: [2] },
  ]);
});

test('long lists of files are cut into several commands', () => {
  expect(splitBatches(['a', 'b', 'c'], 450)).toEqual([['a', 'b'], ['c']]);
  expect(splitBatches(['a'], 1)).toEqual([['a']]);
  expect(splitBatches([])).toEqual([[]]);
});

const ENDED: ToolRun = {
  outcome: 'ended',
  code: 0,
  signal: null,
  problem: null,
  head: '',
  tail: '',
  use: {
    name: 'jest',
    version: null,
    command: [],
    workdir: '.',
    started: '',
    ended: '',
    exit_status: 0,
    signal: null,
    timed_out: false,
  },
};

/** What a call of Jest came to that left this report and exited with 0. `covered`: the only file in its coverage. */
function measured(report: object, covered: string | null = null): ReturnType<typeof measureCall> {
  const project = temporaryFolder();
  const file = join(project, 'report.json');
  writeFileSync(file, JSON.stringify(report));
  const lcov = join(project, 'lcov.info');
  writeFileSync(lcov, `SF:${covered ?? ''}\nDA:1,1\nend_of_record\n`);
  const coverage = covered === null ? null : { file: lcov, format: 'lcov' };
  return measureCall(ENDED, { argv: [], env: {}, tests: { file, format: 'jest' }, coverage }, { project }, 'jest');
}

test('W4: a report that notes a failure or promises more tests measures nothing, whatever the exit status', () => {
  const testResults = [{ name: 'a.test.js', status: 'passed', assertionResults: [{ title: 'one', status: 'passed' }] }];
  expect(measured({ success: true, testResults })).toMatchObject({ results: [{ status: 'passed' }] });
  expect(measured({ success: false, testResults })).toEqual({
    outcome: 'error',
    problem: 'jest reports a failure that no test shows: the report states that the run failed, although no test failed.',
  });
  expect(measured({ success: true, numTotalTests: 50, testResults })).toMatchObject({ outcome: 'error' });
});

test('W4: coverage that names no file of the project measures nothing', () => {
  const testResults = [{ name: 'a.test.js', status: 'passed', assertionResults: [{ title: 'one', status: 'passed' }] }];
  expect(measured({ testResults }, 'report.json')).toMatchObject({ coverage: [{ path: 'report.json' }] });
  expect(measured({ testResults }, '/other/src/a.js')).toEqual({
    outcome: 'error',
    problem: 'The coverage of jest names no file of the project, but other/src/a.js.',
  });
});
