import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { mocha } from './mocha.js';
import { openReport } from './open-report.js';

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/mocha', name), 'utf8');

function read(report: unknown): ToolReport {
  const reader = openReport({ format: mocha, root: '/project' });
  reader.write(new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)));
  return reader.end();
}

const notes = (report: unknown): readonly string[] => read(report).problems.map(({ message }) => message);
const test = (title: string, err: object = {}) => ({ title, fullTitle: `suite ${title}`, file: '/project/a.js', duration: 1, err });
const report = (lists: object, stats: object = {}) => ({ stats, tests: [], passes: [], failures: [], pending: [], ...lists });

describe('mocha', () => {
  it('reads tests, pending ones and a hook that failed', () => {
    const { results, ...rest } = read(fixture('mocha.json'));
    expect(rest).toEqual({
      format: 'mocha',
      outcome: 'fail',
      tests: { total: 5, passed: 1, failed: 1, errored: 1, skipped: 2 },
      findings: [],
      problems: [],
    });
    const file = 'mocha/price.spec.js';
    expect(results).toEqual([
      { id: `${file} > price of nothing > is free`, status: 'skipped', file, line: null, message: null, durationMs: null },
      { id: `${file} > price of nothing > is said in words`, status: 'skipped', file, line: null, message: null, durationMs: null },
      {
        id: `${file} > price > fails on purpose`,
        status: 'failed',
        file,
        line: null,
        message: 'Expected values to be strictly equal:\n\n100 !== 99',
        durationMs: 2,
      },
      {
        id: `${file} > price with a hook that fails > "before all" hook for "never runs"`,
        status: 'errored',
        file,
        line: null,
        message: 'no database',
        durationMs: 0,
      },
      { id: `${file} > price > adds the rate`, status: 'passed', file, line: null, message: null, durationMs: 0 },
    ]);
  });

  it.each([
    [report({ passes: [test('a')] }, { failures: 1 }), 'the report states 1 failure but lists 0; counted as failed'],
    [
      report({ passes: [test('a')], tests: [test('a'), test('b', { message: 'x' })] }),
      '1 entry of "tests" has an error, but "failures" has 0; counted as failed',
    ],
  ])('fails where another part of it knows of a failure', (contradictory, why) => {
    expect([read(contradictory).outcome, notes(contradictory)[0]]).toEqual(['fail', why]);
  });

  it('does not pass a test that carries an error', () => {
    expect(read(report({ passes: [test('a', { message: 'x' })] }))).toMatchObject({ outcome: 'fail', tests: { failed: 1 } });
  });

  it.each([
    [{ passes: 3 }, 'the report states 3 passed tests but lists 1'],
    [{ tests: 50 }, 'the report states 50 tests but lists 1'],
  ])('W4: approves nothing where the head %j promises more tests than are listed', (stats, why) => {
    const found = report({ passes: [test('a')], tests: [test('a')] }, stats);
    expect([read(found).outcome, ...notes(found)]).toEqual(['error', why]);
  });

  it('holds by the lists, and notes what the head counts', () => {
    const found = report({ passes: [test('a')], tests: [test('a'), test('b')] }, { passes: 0, pending: 1, failures: 0 });
    expect([read(found).outcome, ...notes(found)]).toEqual([
      'pass',
      'the report states 0 passed tests but lists 1; the listed ones count',
      'the report states 1 pending test but lists 0; the listed ones count',
      '"tests" has 2 entries, but only 1 passed, failed or is pending',
    ]);
  });

  it.each([
    [report({}), 'the report has no tests'],
    [{ stats: { passes: 1 }, tests: [test('a')], passes: [test('a')] }, 'missing: "pending", "failures"'],
    [report({ pending: [test('a')] }), 'no test ran: the only one is skipped'],
  ])('is an error: %j', (empty, why) => {
    expect([read(empty).outcome, notes(empty)[0]]).toEqual(['error', why]);
  });
});

it('lets no test that passed speak for one of its name that failed', () => {
  const [test, bad] = [{ title: 'row', fullTitle: 'table row', file: '/project/a.js' }, { err: { message: 'no' } }];
  const report = {
    stats: { passes: 1, failures: 1 },
    tests: [test, { ...test, ...bad }],
    pending: [],
    failures: [{ ...test, ...bad }],
    passes: [test],
  };
  const reader = openReport({ format: mocha });
  reader.write(new TextEncoder().encode(JSON.stringify(report)));
  expect(reader.end()).toMatchObject({ outcome: 'fail', tests: { total: 2, passed: 1, failed: 1 } });
});
