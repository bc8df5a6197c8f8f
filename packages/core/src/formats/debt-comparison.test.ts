// Compares a project with its baseline: regressions, fixes and failed measurements.

import { describe, expect, test } from 'vitest';
import type { CheckOutcome, Finding, TestStatus } from '../model/vocabulary.js';
import { addWeakenedTests, compareStates } from './debt-comparison.js';
import type { FileMoves } from './debt-comparison.js';
import { isBrokenMeasurement, STATUS_RULE } from './debt-measurement.js';
import type { MeasuredTest, DebtMeasurement, TestsMeasurement, ToolMeasurement } from './debt-measurement.js';
import { makeFinding } from './finding.js';

const STILL: FileMoves = {
  isGone: () => false,
  isNew: () => false,
  isChanged: () => false,
  isUntouched: () => false,
  linesRemoved: () => 9,
  hasTitle: () => false,
  settingsChanged: false,
};

const NO_TESTS: TestsMeasurement = { outcome: 'missing', problem: null, results: [], flaky: [], notes: [] };
const NONE: DebtMeasurement = { tests: NO_TESTS, types: [], lint: [], quality: [], lines: 0 };

function found(message: string, artifact = 'a.js', line: number | null = 1): Finding {
  return makeFinding({ severity: 'high', message, artifact, line, rule: 'r' });
}

function tool(outcome: CheckOutcome, findings: readonly Finding[] = [], problem: string | null = null): ToolMeasurement {
  return { tool: 'eslint', outcome, problem, findings };
}

function lint(before: ToolMeasurement | null, after: ToolMeasurement | null, moves = STILL) {
  const state = (measure: ToolMeasurement | null): DebtMeasurement => ({ ...NONE, lint: measure === null ? [] : [measure] });
  const check = compareStates(state(before), state(after), moves).checks[2];
  return {
    outcome: check?.outcome,
    regressions: check?.regressions.map(({ id, message, file, line }) =>
      id === undefined ? `${file}:${line} ${message}` : `${id}: ${message}`,
    ),
    fixed: check?.fixed.map(({ message, file, line }) => `${file}:${line} ${message}`),
    problems: check?.problems,
    isPartial: check?.isPartial,
  };
}

const FINE = { outcome: 'pass', regressions: [], fixed: [], problems: [], isPartial: false };

describe('findings', () => {
  test('counts new and fixed findings, not old ones that moved to other lines', () =>
    expect(lint(tool('fail', [found('old'), found('gone')]), tool('fail', [found('old', 'a.js', 9), found('new')]))).toEqual({
      ...FINE,
      outcome: 'fail',
      regressions: ['a.js:1 new'],
      fixed: ['a.js:1 gone'],
    }));
  test('of several findings with the same words only the surplus is new, on changed lines first', () => {
    const [one, two, three] = [found('x', 'a.js', 1), found('x', 'a.js', 2), found('x', 'a.js', 3)];
    expect(lint(tool('fail', [one]), tool('fail', [one, two])).regressions).toEqual(['a.js:2 x']);
    const moves = { ...STILL, isChanged: (_: string | null, line: number | null) => line === 1 };
    expect(lint(tool('fail', [one]), tool('fail', [one, two, three]), moves).regressions).toEqual(['a.js:1 x', 'a.js:3 x']);
    expect(lint(tool('fail', [one, two]), tool('fail', [one])).fixed).toEqual(['a.js:2 x']);
  });
  test('a finding that moved with its file is neither new nor fixed', () => {
    const moves = { ...STILL, isGone: (path: string) => path === 'old.js', isNew: (path: string) => path === 'new.js' };
    const before = tool('fail', [found('x 1', 'old.js'), found('y', 'old.js')]);
    expect(lint(before, tool('fail', [found('x 2', 'new.js'), found('x 3', 'new.js')]), moves)).toMatchObject({
      regressions: ['new.js:1 x 2'],
      fixed: ['old.js:1 y'],
    });
    expect(lint(before, tool('fail', [found('x 2', 'b.js')]), moves).regressions).toEqual(['b.js:1 x 2']);
    const nowhere = makeFinding({ severity: 'low', message: 'z' });
    expect(lint(tool('fail', [nowhere]), tool('pass'), moves).fixed).toEqual(['null:null z']);
    expect(lint(tool('pass'), tool('fail', [nowhere]), moves).regressions).toEqual(['null:null z']);
  });
  test('a finding of both lint and quality counts under lint', () => {
    const more = {
      ...NONE,
      lint: [tool('fail', [found('complex')])],
      quality: [{ ...tool('fail', [found('complex')]), tool: 'complexity' }],
    };
    const none = { ...NONE, lint: [tool('pass')], quality: [{ ...tool('pass'), tool: 'complexity' }] };
    expect(compareStates(none, more, STILL).checks.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'tests missing',
      'types missing',
      'lint fail',
      'quality pass',
    ]);
  });
});

describe('failed measurements', () => {
  const many = tool('fail', [found('x'), found('y')]);
  const stuck = (outcome: CheckOutcome, message: string) => ({
    ...FINE,
    outcome,
    regressions: [`eslint: ${message}`],
    problems: [message],
  });
  test('a tool that fails now never passes', () => {
    expect(lint(tool('pass'), tool('error', [], 'It broke.'))).toEqual(stuck('error', 'It broke.'));
    expect(lint(tool('pass'), tool('timeout'))).toEqual(stuck('timeout', 'eslint could not be measured.'));
    expect(lint(tool('pass'), null)).toEqual(stuck('fail', 'eslint ran at the baseline but not now. Set it up again.'));
  });
  test('a tool that failed at the baseline passes only without findings', () => {
    expect(lint(tool('error'), tool('pass'))).toEqual(FINE);
    expect(lint(null, tool('pass'))).toEqual(FINE);
    const problem = 'eslint did not run at the baseline, so nothing is compared: 2 findings now.';
    expect(lint(null, many)).toEqual({ ...FINE, outcome: 'missing', problems: [problem], isPartial: true });
    const untold = 'eslint has 2 findings, but no baseline to compare with. At the baseline:';
    const unknown = (why: string) => ({ ...FINE, outcome: 'missing', problems: [`${untold} ${why}`], isPartial: true });
    expect(lint(tool('timeout', [], 'Too slow.'), many)).toEqual(unknown('Too slow.'));
    expect(lint(tool('error'), many)).toEqual(unknown('it could not be measured.'));
  });
  test('V1 a tool that was broken at the baseline already is no regression, and its check is missing', () => {
    const broken = { ...FINE, outcome: 'missing', problems: ['eslint was broken at the baseline already. It broke.'], isPartial: true };
    expect(lint(tool('error'), tool('error', [], 'It broke.'))).toEqual(broken);
    expect(lint(tool('error'), tool('timeout'))).toEqual(stuck('timeout', 'eslint could not be measured.'));
    const other = { ...tool('pass'), tool: 'biome' };
    const both = (measure: ToolMeasurement): DebtMeasurement => ({ ...NONE, lint: [measure, other] });
    const [, , check] = compareStates(both(tool('error')), both(tool('error', [], 'It broke.')), STILL).checks;
    expect(check).toMatchObject({ outcome: 'missing', isBrokenBefore: true });
  });
  test('V1 a command that fails in both states without a report is not compared', () => {
    const silent = { ...tool('fail'), findings: [makeFinding({ severity: 'high', message: 'eslint failed', rule: STATUS_RULE })] };
    expect(lint(silent, silent)).toMatchObject({ outcome: 'missing', regressions: [] });
    expect(lint(tool('pass'), silent)).toMatchObject({ outcome: 'fail' });
  });
  test('a tool that ran in neither state is missing', () => {
    expect(lint(null, null)).toEqual({ ...FINE, outcome: 'missing', isPartial: true });
    expect(lint(tool('error'), tool('missing', [], 'Not installed.'))).toEqual({
      ...FINE,
      outcome: 'missing',
      problems: ['Not installed.'],
      isPartial: true,
    });
  });
});

function tests(results: Readonly<Record<string, TestStatus>>, changes: Partial<TestsMeasurement> = {}): TestsMeasurement {
  const list = Object.entries(results).map(([id, status]): MeasuredTest => ({ id, status, file: fileOf(id), line: null, message: null }));
  return { ...NO_TESTS, outcome: 'pass', results: list, ...changes };
}

function fileOf(id: string): string | null {
  return id.includes(' > ') ? (id.split(' > ')[0] ?? null) : null;
}

function compared(before: TestsMeasurement, after: TestsMeasurement, moves = STILL) {
  const { checks, oldFailures } = compareStates({ ...NONE, tests: before }, { ...NONE, tests: after }, moves);
  const [check] = checks;
  return {
    outcome: check?.outcome,
    regressions: check?.regressions.map(({ message }) => message),
    fixed: check?.fixed.map(({ id }) => id),
    problems: check?.problems,
    isPartial: check?.isPartial,
    old: oldFailures,
  };
}

const GOOD = { ...FINE, old: [] };

describe('tests', () => {
  test('compares tests by id', () =>
    expect(
      compared(
        tests({
          keeps: 'passed',
          a: 'passed',
          b: 'passed',
          c: 'passed',
          d: 'failed',
          e: 'errored',
          f: 'skipped',
          g: 'failed',
          k: 'failed',
        }),
        tests({
          keeps: 'passed',
          a: 'errored',
          b: 'skipped',
          d: 'failed',
          e: 'passed',
          f: 'failed',
          g: 'skipped',
          h: 'failed',
          i: 'passed',
        }),
      ),
    ).toEqual({
      ...GOOD,
      outcome: 'fail',
      regressions: ['a fails', 'b is skipped now', 'h is new and fails', 'c no longer runs'],
      fixed: ['e'],
      old: ['d'],
    }));
  test('a test that fails or is skipped is a measured regression; one that is gone or new is none by itself', () => {
    const before = { ...NONE, tests: tests({ a: 'passed', b: 'passed', c: 'passed' }) };
    const after = { ...NONE, tests: tests({ a: 'failed', b: 'skipped', d: 'failed' }) };
    expect(compareStates(before, after, STILL).regressedTests).toEqual(['a', 'b']);
  });
  test('in an unchanged file, a test that no longer runs is lost, and as many under other titles are no loss', () => {
    const still = { ...STILL, isUntouched: () => true };
    const before = tests({ 'a > 1': 'passed', 'a > 2': 'passed', 'a > 3': 'passed' });
    expect(compared(before, tests({ 'a > 1': 'passed', 'a > 2b': 'passed', 'a > 3b': 'passed' }), still)).toEqual(GOOD);
    const filtered = compared(before, tests({ 'a > 1': 'passed' }), still);
    const words = 'no longer runs, although it is still in its file';
    expect(filtered.regressions).toEqual([`a > 2 ${words}`, `a > 3 ${words}`]);
    const fewer = tests({ 'a > 1': 'passed', 'a > 2': 'passed' });
    expect(compared(before, fewer, still).regressions).toEqual([`a > 3 ${words}`]);
    const after = { ...NONE, tests: fewer };
    expect(compareStates({ ...NONE, tests: before }, after, { ...still, settingsChanged: true }).regressedTests).toEqual(['a > 3']);
    // A1: also where no settings changed: the run may have ended early.
    expect(compareStates({ ...NONE, tests: before }, after, still).regressedTests).toEqual(['a > 3']);
    const touched = { ...STILL, settingsChanged: true };
    const lost = (moves: FileMoves) => compareStates({ ...NONE, tests: before }, after, moves).regressedTests;
    expect(lost({ ...touched, linesRemoved: () => 0 })).toEqual(['a > 3']);
    expect(lost({ ...touched, hasTitle: (_, title) => title === '3' })).toEqual(['a > 3']);
    expect(lost(touched)).toEqual([]);
  });
  test('a weakened test is a measured regression, listed once', () => {
    const before = { ...NONE, tests: tests({ 'a > gone': 'passed', 'a > weak': 'passed' }) };
    const after = { ...NONE, tests: tests({ 'a > weak': 'passed' }) };
    const weakened = ['a > gone', 'a > weak'].map((id) => ({ id, message: `${id} weakened`, file: 'a', line: 1, rule: 'r' }));
    const { checks, regressedTests } = addWeakenedTests(compareStates(before, after, STILL), weakened, null);
    expect(regressedTests).toEqual(['a > gone', 'a > weak']);
    expect(checks[0]).toMatchObject({ outcome: 'fail', isPartial: false });
    expect(checks[0]?.regressions.map(({ message }) => message)).toEqual(['a > gone no longer runs', 'a > weak weakened']);
    const unmeasured = addWeakenedTests(compareStates(NONE, NONE, STILL), weakened, null);
    expect(unmeasured.checks[0]).toMatchObject({ outcome: 'fail', regressions: [{ id: 'a > gone' }, { id: 'a > weak' }] });
  });
  test('tests that nobody could read are a problem, not a regression', () => {
    const same = { ...NONE, tests: tests({ a: 'passed' }) };
    const { checks, regressedTests } = addWeakenedTests(compareStates(same, same, STILL), [], 'unread');
    expect(checks[0]).toMatchObject({ outcome: 'pass', problems: ['unread'], isPartial: true });
    expect(regressedTests).toEqual([]);
  });
  test('a flaky test is no regression', () => {
    expect(compared(tests({ a: 'passed' }), tests({ a: 'failed' }, { flaky: ['a'] }))).toEqual(GOOD);
    const unsteady = tests({ a: 'failed', b: 'passed' }, { flaky: ['a'] });
    expect(compared(unsteady, tests({ a: 'failed', b: 'passed' }))).toMatchObject({ regressions: ['a fails'], old: [] });
    expect(compared(unsteady, tests({ a: 'passed', b: 'passed' }))).toEqual(GOOD);
  });
  test('of two tests with the same name the worse counts', () => {
    const twice = (one: TestStatus, other: TestStatus): TestsMeasurement => ({
      ...tests({}),
      results: [...tests({ a: one }).results, ...tests({ a: other }).results],
    });
    expect(compared(twice('passed', 'passed'), twice('failed', 'passed')).regressions).toEqual(['a fails']);
    expect(compared(twice('passed', 'passed'), twice('passed', 'failed')).regressions).toEqual(['a fails']);
  });
  test('matches tests of a renamed file by name, if the name is unique', () => {
    const moves = { ...STILL, isGone: (path: string) => path === 'old', isNew: (path: string) => path.startsWith('new') };
    const before = tests({ 'old > a': 'passed', 'old > b': 'passed', plain: 'passed', old: 'passed' });
    const after = tests({ 'new > a': 'passed', 'new > b': 'failed', plain: 'passed', old: 'passed' });
    expect(compared(before, after, moves).regressions).toEqual(['new > b fails']);
    const two = tests({ 'new1 > a': 'passed', 'new2 > a': 'passed', 'new1 > b': 'passed', plain: 'passed', old: 'passed' });
    expect(compared(before, two, moves).regressions).toEqual(['old > a no longer runs']);
    expect(compared(before, tests({ plain: 'passed', old: 'passed' }), moves).regressions).toEqual([
      'old > a no longer runs',
      'old > b no longer runs',
    ]);
  });
  test('tests that do not run now', () => {
    const before = tests({ a: 'passed' });
    const stuck = (message: string) => ({ ...GOOD, regressions: [message], problems: [message] });
    expect(compared(before, { ...NO_TESTS, outcome: 'timeout', problem: 'Too slow.' })).toEqual({
      ...stuck('Too slow.'),
      outcome: 'timeout',
    });
    expect(compared(before, { ...NO_TESTS, outcome: 'error' })).toEqual({ ...stuck('The tests could not be run.'), outcome: 'error' });
    expect(compared(before, NO_TESTS)).toEqual({
      ...stuck('Tests ran at the baseline, but none can run now. No runnable tests found.'),
      outcome: 'error',
    });
    expect(compared(NO_TESTS, { ...NO_TESTS, problem: 'No runner.' })).toEqual({
      ...GOOD,
      outcome: 'missing',
      problems: ['No runner.'],
      isPartial: true,
    });
  });
  test('tests that did not run at the baseline', () => {
    expect(compared(NO_TESTS, tests({ a: 'passed', b: 'failed' })).regressions).toEqual(['b is new and fails']);
    const message = 'The tests could not run at the baseline, so regressions are unknown. Choose another baseline with --base.';
    const broken = { ...NO_TESTS, outcome: 'error' } as const;
    expect(compared({ ...broken, problem: 'It broke.' }, tests({ a: 'passed' }))).toMatchObject({
      outcome: 'missing',
      problems: [`${message} It broke.`],
      regressions: [],
    });
    expect(compared(broken, tests({ a: 'passed' })).problems).toEqual([`${message} they could not be run.`]);
    expect(compared(broken, { ...broken, problem: 'It broke.' })).toMatchObject({ outcome: 'missing', isPartial: true });
    expect(compared(tests({ a: 'passed' }), { ...broken, problem: 'It broke.' })).toMatchObject({ outcome: 'error' });
    const nonePassed = 'No test passed at the baseline, so no test can have regressed. Does the project need a build first?';
    expect(compared(tests({ a: 'failed' }), tests({ a: 'failed' }, { notes: ['packages/b: no runner.'] }))).toEqual({
      ...GOOD,
      problems: ['packages/b: no runner.', nonePassed],
      isPartial: true,
      old: ['a'],
    });
  });
});

test('distinguishes a broken measurement from a failed check', () => {
  expect(isBrokenMeasurement({ ...NONE, lint: [tool('fail', [found('x')])] })).toBe(false);
  expect(isBrokenMeasurement({ ...NONE, quality: [tool('timeout')] })).toBe(true);
  expect(isBrokenMeasurement({ ...NONE, types: [tool('error')] })).toBe(true);
});
