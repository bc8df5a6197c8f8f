// What a passing command has earned, for every fate of a test.

import { describe, expect, it } from 'vitest';
import type { FileChange } from '../change.js';
import type { TrialRun } from './compare.js';
import { isSameButForNames, judgeEarned } from './earned.js';
import type { Earning } from './earned.js';
import { withoutNewMarks } from './marks.js';
import { judgingPart, mergeManifests } from './manifests.js';
import type { TrialResult } from './versions.js';

const TEXT = "test('adds', () => {\n  assert.equal(sum(1, 2), 3);\n});\n\ntest('doubles', () => {\n  assert.equal(double(2), 4);\n});\n";
const TESTS: FileChange = { path: 'sum.test.js', before: TEXT, after: TEXT.replace('3', '4') };
const SOURCE: FileChange = { path: 'sum.js', before: 'sum double', after: 'sum double more' };

const ASKED = "error TS2732: Cannot find module '../package.json'. Consider using '--resolveJsonModule' to import it.";
const settings = (name: string): FileChange => ({
  path: 'tsconfig.json',
  before: '{"compilerOptions":{"strict":true}}',
  after: `{"compilerOptions":{"strict":true,"${name}":true}}`,
});

type Told = readonly [title: string, status: TrialResult['status'], message?: string];

function ran(passed: boolean | null, ...tests: readonly Told[]): TrialRun {
  const results = tests.map(([title, status, message = null]) => ({ id: `sum.test.js > ${title}`, status, file: 'sum.test.js', message }));
  return { passed, results, output: '' };
}

function unnamed(passed: boolean | null, output = ''): TrialRun {
  return { passed, results: null, output };
}

function fates(earning: Partial<Earning>): readonly string[] {
  const earned = judgeEarned({
    change: { files: [TESTS, SOURCE] },
    base: ran(false, ['adds', 'failed'], ['doubles', 'passed']),
    now: ran(true, ['adds', 'passed'], ['doubles', 'passed']),
    old: ran(true, ['adds', 'passed'], ['doubles', 'passed']),
    ...earning,
  });
  return Object.entries(earned).flatMap(([fate, tests]) =>
    (tests as readonly TrialResult[]).map(({ id }) => `${fate}: ${id.split(' > ').at(-1)}`),
  );
}

const RED = ran(false, ['adds', 'failed', '4 is not 3'], ['doubles', 'passed']);

describe('with names', () => {
  it.each<readonly [string, Partial<Earning>, readonly string[]]>([
    ['all seen to pass, with the old judge too', {}, []],
    ['no judge changed', { change: { files: [SOURCE] }, old: null }, []],
    ['a goal passes only in its new version', { old: RED }, ['changed: adds']],
    ['a goal is deleted', { now: ran(true, ['doubles', 'passed']) }, ['lost: adds']],
    ['a goal is skipped', { now: ran(true, ['adds', 'skipped'], ['doubles', 'passed']) }, ['lost: adds']],
    ['a passing test is deleted', { now: ran(true, ['adds', 'passed']) }, ['lost: doubles']],
    ['a goal fails although the command passed', { now: RED, old: null }, ['unseen: adds']],
    ['nothing ran', { now: ran(true), old: null }, ['lost: adds', 'lost: doubles']],
    [
      'a new test fails although the command passed',
      { now: ran(true, ['adds', 'passed'], ['doubles', 'passed'], ['more', 'failed']) },
      ['unseen: more'],
    ],
    [
      'a goal cannot run as it was',
      {
        old: ran(false, ['adds', 'failed', 'TypeError: double is not a function'], ['doubles', 'passed']),
        change: { files: [TESTS, { ...SOURCE, after: 'sum' }] },
      },
      ['unsure: adds'],
    ],
    [
      'another test passes only in its new version',
      { old: ran(false, ['adds', 'passed'], ['doubles', 'failed', '5 is not 4']) },
      ['doubtful: doubles'],
    ],
    [
      'the base breaks off with the old judge, so nobody knows how its changed tests do',
      { old: unnamed(false, 'SyntaxError') },
      ['unsure: adds'],
    ],
    [
      'only other test files changed, and the base breaks off with the old judge',
      { old: unnamed(false), change: { files: [{ ...TESTS, path: 'other.test.js' }] } },
      [],
    ],
    [
      'the old judge breaks off, and nothing failed at the base',
      { base: ran(true, ['adds', 'passed'], ['doubles', 'passed']), old: unnamed(null) },
      ['doubtful: adds'],
    ],
    ['another test fails now: a regression, told elsewhere', { now: ran(true, ['adds', 'passed'], ['doubles', 'failed']), old: null }, []],
    [
      'a test is gone with the code it tested',
      {
        change: {
          files: [
            { ...TESTS, after: TEXT.slice(0, TEXT.indexOf("test('doubles'")) },
            { ...SOURCE, after: 'sum' },
          ],
        },
        now: ran(true, ['adds', 'passed']),
        old: ran(false, ['adds', 'passed'], ['doubles', 'failed', 'TypeError: double is not a function']),
      },
      [],
    ],
    [
      'a test is gone, and its old version fails for what it checks',
      { now: ran(true, ['adds', 'passed']), old: ran(false, ['adds', 'passed'], ['doubles', 'failed', '5 is not 4']) },
      ['lost: doubles'],
    ],
    [
      'names with numbers that differ from run to run',
      { base: ran(false, ['adds', 'failed'], ['id 17', 'passed']), now: ran(true, ['adds', 'passed'], ['id 94', 'passed']), old: null },
      [],
    ],
    [
      'a command that passed at the base although tests failed',
      { base: ran(true, ['adds', 'failed'], ['doubles', 'passed']), now: RED, old: null },
      [],
    ],
    [
      'a test that the base never ran, and that the old judge finds failing',
      { base: unnamed(false), now: ran(true, ['adds', 'passed'], ['doubles', 'passed']), old: RED },
      ['changed: adds'],
    ],
    ['a test that only the old judge has', { base: unnamed(false), now: ran(true, ['adds', 'passed']) }, ['lost: doubles']],
  ])('%s', (_, earning, expected) => {
    expect(fates(earning)).toEqual(expected);
  });

  it('means all tests of a file that could not be loaded at the base', () => {
    const base: TrialRun = { passed: false, results: [{ id: 'sum.test.js', status: 'errored', file: 'sum.test.js' }], output: '' };
    expect(fates({ base })).toEqual([]);
    expect(fates({ base, old: RED })).toEqual(['changed: sum.test.js']);
    expect(fates({ base, now: ran(true, ['adds', 'passed']) })).toEqual(['lost: doubles']);
    expect(fates({ base, now: ran(true) })).toEqual(['lost: sum.test.js', 'lost: adds', 'lost: doubles']);
  });
});

describe('without names', () => {
  const bare = { base: unnamed(false), now: unnamed(true) };

  it.each<readonly [string, Partial<Earning>, readonly string[]]>([
    ['no judge changed', { ...bare, old: null }, []],
    ['it passes with the old judge', { ...bare, old: unnamed(true) }, []],
    ['it fails with the old judge', { ...bare, old: unnamed(false) }, ['changed: the command']],
    ['it could not run with the old judge', { ...bare, old: unnamed(null) }, ['unsure: the command']],
    [
      'the old judge lacks what is gone',
      { ...bare, change: { files: [TESTS, { ...SOURCE, after: 'sum' }] }, old: unnamed(false, 'undefined reference to double') },
      ['unsure: the command'],
    ],
    [
      'the tool itself asked for the setting',
      { ...bare, base: unnamed(false, ASKED), change: { files: [settings('resolveJsonModule')] }, old: unnamed(false, ASKED) },
      ['doubtful: the command'],
    ],
    [
      'the tool asked for another setting',
      { ...bare, base: unnamed(false, ASKED), change: { files: [settings('noCheck')] }, old: unnamed(false, ASKED) },
      ['changed: the command'],
    ],
    ['it passed at the base', { base: unnamed(true), now: unnamed(true), old: unnamed(false) }, ['doubtful: the command']],
    [
      'its tests passed at the base, and something else failed',
      { base: ran(false, ['adds', 'passed']), now: ran(true, ['adds', 'passed']), old: ran(false, ['adds', 'passed']) },
      ['changed: the command'],
    ],
  ])('%s', (_, earning, expected) => {
    expect(fates(earning)).toEqual(expected);
  });
});

it('follows a renamed identifier, and nothing else', () => {
  const gone = new Set(['sum']);
  expect(isSameButForNames('is(sum(1), 2)', 'is(total(1), 2)', gone)).toBe(true);
  expect(isSameButForNames('is(sum(1), 2)', 'is(total(1), 3)', gone)).toBe(false);
  expect(isSameButForNames('is(sum(1), sum(2))', 'is(total(1), other(2))', gone)).toBe(false);
  expect(isSameButForNames('is(sum(1), 2)', 'isnt(sum(1), 2)', gone)).toBe(false);
});

it('takes away marks that came with the change, and no others', () => {
  expect(withoutNewMarks('a // @ts-ignore\n', 'a // @ts-ignore\nb // @ts-ignore\nc /* eslint-disable */\n')).toBe(
    'a // @ts-ignore\nb \nc \n',
  );
  expect(withoutNewMarks(null, 'x = 1  # type: ignore[attr]\n#[allow(dead_code)]\n# a plain comment\n')).toBe(
    'x = 1  \n\n# a plain comment\n',
  );
});

it('takes away casts that came with the change', () => {
  expect(withoutNewMarks('a as any;\n', 'a as any;\n(b as any).c = d as unknown as Set<string>;\ne as many;\n')).toBe(
    'a as any;\n(b).c = d;\ne as many;\n',
  );
});

it('tells what judges in a manifest from what the project is made of', () => {
  const base = '{"scripts":{"test":"vitest"},"dependencies":{"a":"1"}}';
  const now = '{"scripts":{"test":"true"},"dependencies":{"a":"2"},"jest":{}}';
  expect(JSON.parse(mergeManifests('package.json', base, now) as string)).toEqual({
    scripts: { test: 'vitest' },
    dependencies: { a: '2' },
  });
  expect(judgingPart('package.json', base)).toBe(judgingPart('package.json', base.replace('"1"', '"3"')));
  const cargo = '[package]\nname = "a"\n\n[lib]\npath = "a.rs"\n\n[dependencies]\nb = "1"\n';
  const cheat =
    '[package]\nname = "a"\nautotests = false\n\n[lib]\npath = "a.rs"\ntest = false\n\n[dependencies]\nb = "2"\n\n[[test]]\nname = "x"\n';
  expect(mergeManifests('Cargo.toml', cargo, cheat)).toBe(cargo.replace('b = "1"', 'b = "2"') + '\n');
  const python = '[project]\nname = "a"\n[tool.pytest.ini_options]\naddopts = "-q"\n';
  const quiet = '[project]\nname = "b"\n[tool.pytest.ini_options]\naddopts = "-k none"\n[tool.setuptools]\nzip-safe = true\n';
  expect(mergeManifests('pyproject.toml', python, quiet)).toBe(
    '[project]\nname = "b"\n[tool.setuptools]\nzip-safe = true\n[tool.pytest.ini_options]\naddopts = "-q"\n',
  );
});
