import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readAny, readAs } from '../../../test/support/report-text.js';
import { shareOf } from './coverage.js';
import { coveragePy } from './coverage-py.js';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/coverage-py', name), 'utf8');

const FILES = [
  { path: 'src/shop/__init__.py', uncovered: [] },
  { path: 'src/shop/cart.py', lines: shareOf(9, 11), uncovered: [16, 23] },
  { path: 'src/shop/unused.py', lines: shareOf(0, 2), uncovered: [1, 3] },
];

it('counts statements without docstrings and excluded lines, as coverage.py 6.5 does (its report says 69 %)', () => {
  expect(readAny(fixture('lines-6.5.json'), { root: '/project' })).toEqual({
    format: 'coverage-py',
    outcome: 'pass',
    coverage: { lines: shareOf(9, 13) },
    files: FILES,
    findings: [],
    problems: [],
  });
});

it('keeps the branches of coverage.py 7.16, where they were measured (its report says 68 % of both)', () => {
  const { coverage, files } = readAny(fixture('branches.json'), { root: '/project' });
  expect(coverage).toEqual({ lines: shareOf(9, 13), branches: shareOf(4, 6) });
  expect(files?.map(({ branches }) => branches ?? null)).toEqual([null, shareOf(4, 6), null]);
});

it('says what cannot be read', () => {
  const read = (files: unknown) => readAs(coveragePy, JSON.stringify({ meta: {}, files, totals: { covered_lines: 1, num_statements: 3 } }));
  expect(read([]).problems).toEqual([{ message: '"files" is a list; expected an object with a member for each file' }]);
  const { coverage, problems } = read({
    'a.py': { missing_lines: ['2', 0, 3], summary: { covered_lines: 1, num_statements: 2 } },
    'b.py': { summary: { covered_lines: 1, num_statements: 2, covered_branches: 3, num_branches: 1 } },
    'c.py': 7,
  });
  expect(coverage).toEqual({ lines: shareOf(1, 2) });
  expect(problems.map(({ message }) => message)).toEqual([
    'the summary of "b.py" is invalid; expected "covered_lines" and "num_statements", with covered at most all',
    'the coverage of "c.py" is a number; expected an object',
    'the total states 1 of 3 covered lines, but the files add up to 1 of 2; the files count',
  ]);
});
