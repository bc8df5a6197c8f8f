// What the retrial says of every combination of results, and of changes where only exit statuses are known.

import { describe, expect, it } from 'vitest';
import type { FileChange } from '../change.js';
import { countMutant, listSuspects, NO_MUTANTS, weighByRetrial } from './clear.js';
import type { MutantCount, RetrialOutcome } from './clear.js';
import { compareRuns, failsWithoutNames, needsNewTests, needsOldCode, findRow, skippedNow, touchesJudges, worseTests } from './compare.js';
import type { Before, Now, Old, Trial, TrialRun } from './compare.js';
import type { TrialResult } from './versions.js';
import type { GuardFinding } from '../findings/finding.js';

const ANY = { behaviourIsFixed: false, failuresAreGoal: false, keepsTests: false };
const FIXED = { behaviourIsFixed: true, failuresAreGoal: false, keepsTests: false };
const KEPT = { behaviourIsFixed: false, failuresAreGoal: false, keepsTests: true };
const GOAL = { behaviourIsFixed: false, failuresAreGoal: true, keepsTests: true };

/** Every combination that says something: rule, and its level with each of the rules any, fixed, goal; `-`: nothing there, `rule:level`: by another name. */
const SAYS: Readonly<Record<string, string>> = {
  'passed, fails, passes': 'expectation-changed note breach note',
  'passed, fails, passes on both': 'regression-hidden breach breach breach',
  'passed, stuck, passes on both': 'old-tests-fail note note note',
  'failed, fails, passes on both': 'expectation-changed note breach goal-test-changed:breach',
  'failed, stuck, passes on both': 'old-tests-fail note note note',
  'passed, fails, passes unchanged': 'regression-hidden breach breach breach',
  'passed, fails, fails': 'regression-hidden breach breach breach',
  'passed, fails, gone': 'regression-hidden breach breach breach',
  'passed, stuck, passes unchanged': 'old-tests-fail note note note',
  'passed, stuck, passes': 'old-tests-fail note note note',
  'passed, stuck, fails': 'old-tests-fail note note note',
  'passed, stuck, gone': 'old-tests-fail note note note',
  'failed, fails, passes unchanged': 'old-tests-fail note note goal-test-changed:breach',
  'passed, passes, gone': 'test-lost - - breach',
  'failed, passes, gone': 'test-lost - - breach',
  'failed, fails, passes': 'expectation-changed note breach goal-test-changed:breach',
  'failed, fails, gone': 'failing-test-removed breach breach breach',
  'failed, stuck, passes unchanged': 'old-tests-fail note note note',
  'failed, stuck, passes': 'old-tests-fail note note note',
  'failed, stuck, gone': 'failing-test-removed note note breach',
};

const OLD =
  "const twice = 1;\ntest('adds', () => {\n  assert.equal(sum(1, 2), 3);\n});\n\ntest('doubles', () => {\n  assert.equal(double(2), 4);\n});\n";
const NEW_SOURCE: FileChange = { path: 'sum.js', before: 'sum + gone_name', after: 'sum' };

const SETTINGS: FileChange = { path: 'vitest.config.js', before: 'a', after: 'b' };

function tests(after: string | null, more: Partial<FileChange> = {}): FileChange {
  return { path: 'sum.test.js', before: OLD, after, ...more };
}

function result(
  title: string,
  status: TrialResult['status'],
  message: string | null = null,
  file: string | null = 'sum.test.js',
): TrialResult {
  return { id: `${file ?? 'Sums'} > ${title}`, status, file, message };
}

function ran(...results: readonly TrialResult[]): TrialRun {
  return { passed: results.every(({ status }) => status === 'passed' || status === 'skipped'), results, output: '' };
}

function ended(passed: boolean | null, output = ''): TrialRun {
  return { passed, results: null, output };
}

function told(trial: Partial<Trial> & Pick<Trial, 'base' | 'oldTests'>): readonly string[] {
  const found = compareRuns({
    change: { files: [tests(OLD.replace('3', '4')), NEW_SOURCE] },
    rules: ANY,
    newTests: null,
    onOldCode: null,
    ...trial,
  });
  return found.map(({ rule, level, test }) => [rule, level, test].filter((part) => part !== undefined).join(' '));
}

const BASE: Readonly<Record<Before, TrialRun>> = {
  passed: ran(result('adds', 'passed')),
  failed: ran(result('adds', 'failed')),
  unknown: ran(result('adds', 'skipped')),
};
const ON_NEW: Readonly<Record<Old, TrialRun>> = {
  passes: ran(result('adds', 'passed')),
  fails: ran(result('adds', 'failed', '3 is not 4')),
  stuck: ran(result('adds', 'failed', 'TypeError: gone_name is not a function')),
};
const IN_CHANGE: Readonly<Record<Now, TrialRun>> = {
  passes: ran(result('adds', 'passed')),
  'passes on both': ran(result('adds', 'passed')),
  'passes unchanged': ran(result('adds', 'passed')),
  fails: ran(result('adds', 'failed')),
  'fails unchanged': ran(result('adds', 'failed')),
  gone: ran(result('doubles', 'passed')),
};

const combinations = (Object.keys(BASE) as Before[]).flatMap((before) =>
  (Object.keys(ON_NEW) as Old[]).flatMap((old) => (Object.keys(IN_CHANGE) as Now[]).map((now) => ({ before, old, now }))),
);

it.each(combinations)('$before at the base, old version $old, in the change $now', ({ before, old, now }) => {
  const said = SAYS[`${before}, ${old}, ${now}`];
  const [rule, ...levels] = said?.split(' ') ?? [];
  expect(findRow(before, old, now)?.rule).toBe(rule);
  const change = { files: [NEW_SOURCE, now.endsWith('unchanged') ? SETTINGS : tests(OLD.replace('3', '4'))] };
  for (const [index, rules] of [ANY, FIXED, GOAL].entries()) {
    const onOldCode = now === 'passes on both' ? IN_CHANGE[now] : null;
    const found = told({ change, rules, base: BASE[before], oldTests: ON_NEW[old], newTests: IN_CHANGE[now], onOldCode });
    const own = found.filter((line) => !line.startsWith('proves-nothing'));
    const level = levels[index] ?? '-';
    const expected = level === '-' ? [] : [level.includes(':') ? level.replace(':', ' ') : `${rule} ${level}`];
    expect(own.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(expected);
  }
});

it.each([
  ['deleted', ON_NEW.passes, ['test-lost breach']],
  ['deleted with what it tests', ON_NEW.stuck, ['old-tests-fail note']],
])('A1: where tests are kept, one that is %s', (_, oldTests, expected) => {
  const found = told({ rules: KEPT, base: BASE.passed, oldTests, newTests: IN_CHANGE.gone });
  expect(found.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(expected);
});

it('is lost where only settings changed, whether tests are kept or not', () => {
  const found = told({ change: { files: [SETTINGS] }, rules: ANY, base: BASE.passed, oldTests: ON_NEW.passes, newTests: IN_CHANGE.gone });
  expect(found.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(['test-lost breach']);
});

describe('named tests', () => {
  const base = ran(result('adds', 'passed'), result('doubles', 'passed'));

  it('counts a skipped test as gone, and a file that cannot be loaded as failed', () => {
    const oldTests = ran(result('doubles', 'failed'));
    expect(told({ base, oldTests, newTests: ran(result('doubles', 'skipped')) })).toEqual(
      ['old-tests-fail note', 'regression-hidden breach doubles'].toReversed(),
    );
    const broken = ran({ id: 'sum.test.js', status: 'errored', file: 'sum.test.js', message: 'SyntaxError: Unexpected end' });
    expect(told({ base, oldTests: broken, newTests: ran() })).toEqual([
      'regression-hidden breach adds',
      'regression-hidden breach doubles',
    ]);
  });

  it('says nothing of a file that cannot be loaded because a module it needs was removed', () => {
    const oldTests = ran({ id: 'sum.test.js', status: 'errored', file: 'sum.test.js', message: "Error: Cannot find module './add'\nmore" });
    const change = { files: [tests(null), { path: 'add.js', before: 'x', after: null }] };
    expect(told({ change, base, oldTests, newTests: ran() })).toEqual(['old-tests-fail note']);
  });

  it('follows a test into a renamed file, another file, or under another title', () => {
    const oldTests = ran(result('adds', 'failed'), result('doubles', 'passed'));
    const renamed = { files: [tests(OLD, { path: 'add.test.js', renamedFrom: 'sum.test.js' }), NEW_SOURCE] };
    expect(told({ change: renamed, base, oldTests, newTests: ran(result('adds', 'passed', null, 'add.test.js')) })).toEqual([
      'expectation-changed note adds',
    ]);
    const moved = { files: [tests(''), { path: 'b.test.js', before: null, after: OLD }, NEW_SOURCE] };
    expect(told({ change: moved, base, oldTests, newTests: ran(result('adds', 'passed', null, 'b.test.js')) })).toEqual([
      'expectation-changed note adds',
    ]);
    const retitled = { files: [tests(OLD.replace("'adds'", "'adds one more'").replace('3', '4')), NEW_SOURCE] };
    expect(told({ change: retitled, base, oldTests, newTests: ran(result('adds one more', 'passed')) })).toEqual([
      'expectation-changed note adds',
    ]);
    const replaced = { files: [tests("test('works', () => {\n  console.log('fine');\n});\n"), NEW_SOURCE] };
    expect(told({ change: replaced, base, oldTests, newTests: ran(result('works', 'passed')) })).toEqual(['regression-hidden breach adds']);
  });

  it('shows both versions', () => {
    const oldTests = ran(result('adds', 'failed', '4 !== 3\n  at sum'), result('doubles', 'passed'));
    const [found] = compareRuns({
      change: { files: [tests(OLD.replace('3', '4'))] },
      rules: ANY,
      base,
      oldTests,
      newTests: base,
      onOldCode: null,
    });
    expect(found).toMatchObject({
      group: 'retrial',
      file: 'sum.test.js',
      line: 2,
      before: { text: "test('adds', () => {\n  assert.equal(sum(1, 2), 3);\n});", line: 2 },
      after: { text: "test('adds', () => {\n  assert.equal(sum(1, 2), 4);\n});" },
      message: expect.stringContaining('the old version says "4 !== 3"') as string,
    });
  });

  it('places a test whose report names no file in the changed file with its title', () => {
    const one = (status: TrialResult['status']) => ran(result('doubles', status, null, null));
    const [found] = compareRuns({
      change: { files: [NEW_SOURCE, tests(OLD.replace('double(2), 4', 'double(2), 5'))] },
      rules: ANY,
      base: one('passed'),
      oldTests: one('failed'),
      newTests: one('passed'),
      onOldCode: null,
    });
    expect(found).toMatchObject({ file: 'sum.test.js', line: 6 });
  });

  it('takes the worst of several results with one id', () => {
    const twice = ran(result('adds', 'passed'), result('adds', 'failed'));
    expect(told({ base: ran(result('adds', 'passed'), result('adds', 'passed')), oldTests: twice, newTests: ran() })).toEqual([
      'regression-hidden breach adds',
    ]);
  });

  it('does not let a command hide a failing test by its exit status', () => {
    const one = ran(result('adds', 'failed'), result('doubles', 'passed'));
    const change = { files: [{ path: 'run.test.js', before: 'a', after: 'b' }, NEW_SOURCE] };
    expect(told({ change, base, oldTests: one, newTests: one })).toEqual([]);
    expect(told({ change, base, oldTests: one, newTests: { ...one, passed: true } })).toEqual(['regression-hidden breach adds']);
  });

  it('notes new inputs where another test shows that behaviour changed, but not where it only shows a fix', () => {
    const oldTests = ran(result('adds', 'failed'), result('doubles', 'passed'));
    const newTests = ran(result('adds', 'passed'), result('doubles', 'passed'), result('refuses', 'passed'));
    const fine = [result('adds', 'passed'), result('doubles', 'passed')];
    const onOldCode = ran(...fine, result('refuses', 'failed'));
    expect(told({ base, oldTests, newTests, onOldCode })).toEqual(['expectation-changed note adds']);
    const feature = ran(...fine, result('refuses', 'failed', 'TypeError: refuse is not a function'));
    expect(told({ base, oldTests, newTests, onOldCode: feature })).toContain('regression-hidden breach adds');
    const broken = ran(...fine, result('refuses', 'failed'));
    expect(told({ base: broken, oldTests, newTests, onOldCode })).toContain('regression-hidden breach adds');
  });

  it('knows tests that passed at the base and are skipped now', () => {
    const change = { files: [tests(OLD, { path: 'add.test.js', renamedFrom: 'sum.test.js' })] };
    const now = ran(result('adds', 'skipped', null, 'add.test.js'), result('doubles', 'passed', null, 'add.test.js'));
    expect(skippedNow({ change, base, newTests: now }).map(({ id }) => id)).toEqual(['add.test.js > adds']);
    expect(skippedNow({ change, base: ran(result('adds', 'skipped')), newTests: now })).toEqual([]);
  });

  it('follows a renamed test to the old code', () => {
    const renamed = { files: [tests(OLD, { path: 'add.test.js', renamedFrom: 'sum.test.js' }), NEW_SOURCE] };
    const oldTests = ran(result('adds', 'failed'), result('doubles', 'passed'));
    const newTests = ran(result('adds', 'passed', null, 'add.test.js'));
    expect(told({ change: renamed, base, oldTests, newTests, onOldCode: newTests })).toEqual(['regression-hidden breach adds']);
  });

  it('says nothing where the new tests could not run', () => {
    expect(told({ base, oldTests: ran(result('adds', 'failed'), result('doubles', 'passed')), newTests: ended(null) })).toEqual([]);
  });

  it('counts tests as gone where no test is left to run', () => {
    const oldTests = ran(result('adds', 'failed'), result('doubles', 'passed'));
    const said = ['regression-hidden breach adds'];
    expect(told({ base, oldTests, newTests: ended(true) })).toEqual(said);
    for (const file of [tests(null), tests(OLD, { path: 'sum.txt', renamedFrom: 'sum.test.js' })])
      expect(told({ change: { files: [file, NEW_SOURCE] }, base, oldTests, newTests: ended(null) })).toEqual(said);
  });
});

describe('exit statuses alone', () => {
  const fewer = { files: [tests("test('doubles')"), NEW_SOURCE] };

  it.each([
    ['changed tests', ANY, true, undefined, ['old-tests-fail note']],
    ['changed tests where behaviour is fixed', FIXED, true, undefined, ['old-tests-fail breach']],
    ['fewer tests', ANY, true, fewer, ['regression-hidden breach']],
    ['fewer tests than failed at the base', GOAL, false, fewer, ['goal-test-changed breach']],
    [
      'a deleted test file',
      ANY,
      false,
      { files: [{ path: 'tests/adds.sh', before: 'exit 1', after: null }] },
      ['failing-test-removed breach'],
    ],
    ['no changed test', ANY, true, { files: [NEW_SOURCE] }, []],
  ] as const)('with %s', (_, rules, passed, change, expected) => {
    const trial = { rules, base: ended(passed), oldTests: ended(false), newTests: ended(true) };
    expect(told(change === undefined ? trial : { ...trial, change })).toEqual(expected);
  });

  it('says nothing where the change fails too, a run broke off, or the old tests pass', () => {
    expect(told({ base: ended(true), oldTests: ended(false), newTests: ended(false) })).toEqual([]);
    expect(told({ base: ended(null), oldTests: ended(false), newTests: ended(true) })).toEqual([]);
    expect(told({ base: ended(true), oldTests: ended(null), newTests: ended(true) })).toEqual([]);
    expect(told({ base: ended(true), oldTests: ended(true), newTests: ended(true) })).toEqual([]);
  });

  it('shows that the new tests no longer tell the new code from the old', () => {
    const trial = { base: ended(true), oldTests: ended(false), newTests: ended(true) };
    expect(told({ ...trial, onOldCode: ended(true) })).toEqual(['regression-hidden breach']);
    expect(told({ ...trial, onOldCode: ended(false) })).toEqual(['old-tests-fail note']);
    const stuck = ended(false, 'sum_test.go:4: undefined: gone_name');
    expect(told({ ...trial, oldTests: stuck, onOldCode: ended(true) })).toEqual(['old-tests-fail note']);
  });

  it('notes tests that were removed with the code they need', () => {
    const oldTests = ended(false, 'compiling\nsum_test.go:4: undefined: gone_name\nFAIL');
    expect(told({ change: fewer, base: ended(true), oldTests, newTests: ended(true) })).toEqual(['old-tests-fail note']);
  });
});

describe('new tests on old code', () => {
  const base = ran(result('adds', 'failed'), result('doubles', 'passed'));
  const now = ran(result('adds', 'passed'), result('doubles', 'passed'), result('triples', 'passed'));

  it('notes new tests and tests that failed at the base, where they pass on the base’s source', () => {
    expect(told({ base, oldTests: now, newTests: now, onOldCode: now })).toEqual(['proves-nothing note']);
    const failing = ran(result('adds', 'failed'), result('doubles', 'passed'), result('triples', 'failed'));
    expect(told({ base, oldTests: now, newTests: now, onOldCode: failing })).toEqual([]);
    expect(told({ base: ended(false), oldTests: ended(true), newTests: ended(true), onOldCode: ended(true) })).toEqual([
      'proves-nothing note',
    ]);
  });

  it('says nothing where no source changed', () => {
    expect(told({ change: { files: [tests(OLD)] }, base, oldTests: now, newTests: now, onOldCode: now })).toEqual([]);
  });
});

it('asks for the new tests only where the old ones leave a question', () => {
  const base = ran(result('adds', 'passed'), result('doubles', 'failed'));
  const all = ran(result('adds', 'passed'), result('doubles', 'passed'));
  expect(needsNewTests({ base, oldTests: all })).toBe(false);
  expect(needsNewTests({ base, oldTests: base })).toBe(true);
  expect(needsNewTests({ base: ended(true), oldTests: ended(true) })).toBe(false);
  expect(needsNewTests({ base: ended(true), oldTests: ended(false) })).toBe(true);
  expect(needsOldCode({ base: ended(true), oldTests: ended(false), newTests: ended(true) })).toBe(true);
  expect(needsOldCode({ base: ended(true), oldTests: ended(false), newTests: ended(false) })).toBe(false);
  expect(needsOldCode({ base: all, oldTests: base, newTests: base })).toBe(true);
  expect(needsOldCode({ base: all, oldTests: all, newTests: base })).toBe(false);
  expect(worseTests({ base, oldTests: base })).toEqual([]);
  expect(worseTests({ base: all, oldTests: base })).toEqual(['sum.test.js > doubles']);
});

it('runs only for changes that touch judges', () => {
  expect(touchesJudges({ files: [NEW_SOURCE] })).toBe(false);
  expect(touchesJudges({ files: [{ path: 'moved.js', renamedFrom: 'a.test.js', before: '', after: '' }] })).toBe(true);
});

describe('findings of reading', () => {
  const weak = { rule: 'assertion-weakened', level: 'note', file: 'a.test.js', message: 'Weaker.' } as GuardFinding;
  const none = { oldTestsPass: true, failsUnnamed: false, skipped: [], blind: [], unmended: [], doubtful: [], mutants: new Map() };
  const count = (kept: number, lost: number): MutantCount => ({ kept, lost, tests: new Map() });
  const weighed = (finding: GuardFinding, outcome: Partial<RetrialOutcome>): string => {
    const { findings, cleared } = weighByRetrial([finding], { ...none, ...outcome });
    return findings[0]?.level ?? (cleared[0] === finding ? 'cleared' : 'lost');
  };

  it('are cleared where the old tests pass and both versions notice enough defects', () => {
    const mutants = new Map([['a.test.js', count(4, 0)]]);
    const breach: GuardFinding = { ...weak, level: 'breach' };
    const patched: GuardFinding = { ...weak, rule: 'assertions-patched' };
    expect([weak, breach, patched].map((one) => weighed(one, { mutants }))).toEqual(['cleared', 'cleared', 'cleared']);
    expect([weak, breach].map((one) => weighed(one, {}))).toEqual(['note', 'breach']);
    expect(weighed(weak, { mutants, oldTestsPass: false })).toBe('note');
    expect(weighed(weak, { mutants: new Map([['a.test.js', count(3, 0)]]) })).toBe('note');
    expect(weighed(weak, { mutants: new Map([['b.test.js', count(9, 0)]]) })).toBe('note');
    expect(weighed(weak, { mutants: new Map([['a.test.js', count(9, 1)]]) })).toBe('note');
  });

  it('are not cleared where the test itself notices less than before, such as crashes alone', () => {
    const mutants = (kills: MutantCount) => new Map([['a.test.js', kills]]);
    const weakest = { ...weak, test: 'sums > adds' };
    const both = new Set(['adds', 'doubles']);
    const shared = ['adds', 'doubles', 'adds', 'doubles'].reduce((all) => countMutant(all, both, both, both), NO_MUTANTS);
    expect(weighed(weakest, { mutants: mutants(shared) })).toBe('cleared');
    const other = countMutant(shared, both, new Set(['doubles']), both);
    expect(other).toMatchObject({ kept: 5, lost: 0 });
    expect(weighed(weakest, { mutants: mutants(other) })).toBe('note');
    // A test that is gone may be replaced by any other.
    const gone = countMutant(shared, ['adds'], new Set(['sums']), new Set(['sums']));
    expect(gone.tests.get('adds')).toEqual({ kept: 4, lost: 0 });
  });

  it('on marks, settings and files outside the scope are never cleared', () => {
    const mutants = new Map([['a.test.js', count(9, 0)]]);
    const kept = (['test-skipped', 'test-focused', 'test-conditional', 'config-changed', 'source-changed'] as const).map((rule) => ({
      ...weak,
      rule,
    }));
    expect(weighByRetrial(kept, { ...none, mutants }).findings).toEqual(kept);
  });

  it('that a test runs only under a condition become breaches where it is skipped here', () => {
    const conditional = { ...weak, rule: 'test-conditional', test: 'sums > adds' } as GuardFinding;
    const skipped = (file: string | null, title = 'adds') => [result(title, 'skipped', null, file)];
    expect(weighed(conditional, { skipped: skipped('a.test.js') })).toBe('breach');
    expect(weighed(conditional, { skipped: skipped('b.test.js') })).toBe('note');
    expect(weighed(conditional, { skipped: skipped(null, 'doubles') })).toBe('note');
  });

  it('that a check is weaker become breaches where the test noticed the change and no longer does', () => {
    const note: GuardFinding = { ...weak, test: 'sums > adds' };
    const blind = [result('adds', 'passed', null, 'a.test.js')];
    expect(weighed(note, { oldTestsPass: false, blind })).toBe('breach');
    expect(weighed({ ...note, rule: 'rebaselined' }, { oldTestsPass: false, blind })).toBe('note');
  });

  it('that a check is weaker become breaches where its test failed, and as it was still fails', () => {
    const unmended = [result('adds', 'failed', null, 'a.test.js')];
    expect(weighed({ ...weak, test: 'sums > adds' }, { oldTestsPass: false, unmended })).toBe('breach');
    expect(weighed({ ...weak, rule: 'rebaselined', test: 'sums > adds' }, { oldTestsPass: false, unmended })).toBe('note');
    expect(weighed({ ...weak, test: 'sums > doubles' }, { oldTestsPass: false, unmended })).toBe('note');
  });

  it('that a test is gone become breaches where the old tests fail and nobody knows which', () => {
    const gone: GuardFinding = { ...weak, rule: 'test-deleted' };
    expect(weighed(gone, { oldTestsPass: false, failsUnnamed: true })).toBe('breach');
    expect(weighed(gone, {})).toBe('note');
  });

  it('and changed tests that nobody can read are suspected', () => {
    const files = [
      { path: 'sum_test.go', before: 'a\nb\n', after: 'a\nc\n' },
      { path: 'more_test.go', before: 'a\n', after: 'a\nb\n' },
      { path: 'sum.go', before: 'a\n', after: '' },
      { path: 'moved_spec.rb', renamedFrom: 'old_spec.rb', before: 'a\n', after: '' },
      { path: 'b.test.js', before: 'a\n', after: '' },
    ];
    expect(listSuspects([weak, { ...weak, rule: 'test-skipped', file: 'c.test.js' }], { files })).toEqual([
      'a.test.js',
      'sum_test.go',
      'old_spec.rb',
    ]);
  });
});

it.each([
  ['passes', { passed: true, results: null }, false],
  ['fails without names', { passed: false, results: null }, true],
  ['fails with names', { passed: false, results: [] }, false],
  ['runs out of time', { passed: null, results: null }, true],
])('old tests that take the excuse from a deleted test: one that %s', (_, run, isOne) => {
  expect(failsWithoutNames(run)).toBe(isOne);
});
