// Real reports of other tools, read by what they contain: each is recognised and read without loss, and JUnit's counts are those
// that another project expects of the same files. The corpus lies outside the project; UMPIRE_CORPUS names its folder.

import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { shareOf } from '@umpire/reports/coverage.js';
import { openReport } from '@umpire/reports/open-report.js';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const named = process.env['UMPIRE_CORPUS'];
const corpus = named === undefined ? '' : resolve(import.meta.dirname, '..', named);

const filesIn = (folder: string) =>
  readdirSync(join(corpus, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(corpus, join(entry.parentPath, entry.name)))
    .toSorted();

/** Reading the whole text and reading it in small chunks must give the same. */
function read(path: string): ToolReport {
  const bytes = readFileSync(join(corpus, path));
  const [whole, cut] = [bytes.length + 1, 777].map((piece) => {
    const reader = openReport({ name: path });
    for (let at = 0; at < bytes.length; at += piece) reader.write(bytes.subarray(at, at + piece));
    return reader.end();
  });
  expect(cut, path).toEqual(whole);
  return whole as ToolReport;
}

const messages = ({ problems }: ToolReport) => problems.map(({ message }) => message);

describe.skipIf(named === undefined)('reports of other tools (UMPIRE_CORPUS)', () => {
  it('JUnit: every count is as expected', () => {
    const wrong: unknown[] = [];
    const known = filesIn('junit').filter(
      (path) => existsSync(join(corpus, path.replace(/\.xml$/, '.expected.json'))) && path.endsWith('.xml'),
    );
    expect(known.length).toBeGreaterThan(10);
    for (const path of known) {
      const { stats } = JSON.parse(readFileSync(join(corpus, path.replace(/\.xml$/, '.expected.json')), 'utf8')) as {
        stats: Record<string, number>;
      };
      const { tests: total, tests_succ: passed, tests_fail: failed, tests_error: errored, tests_skip: skipped } = stats;
      const { tests, outcome } = read(path);
      const seen = tests ?? { total: 0, passed: 0, failed: 0, errored: 0, skipped: 0 };
      const expected = { total, passed, failed, errored, skipped };
      const verdict = total === 0 ? 'error' : (failed ?? 0) + (errored ?? 0) > 0 ? 'fail' : 'pass';
      if (JSON.stringify(seen) !== JSON.stringify(expected) || outcome !== verdict) wrong.push({ path, outcome, seen, expected });
    }
    expect(wrong).toEqual([]);
  });

  it('JUnit: the error explains what is wrong with corrupt, empty and foreign files', () => {
    const corrupt = read('junit/corrupt-xml.xml');
    expect([corrupt.outcome, corrupt.tests?.total, corrupt.problems]).toEqual([
      'error',
      1,
      [
        {
          message: 'the report ends in the middle of <skipped>, after 1 test; it was cut off or is still being written',
          line: 11,
        },
      ],
    ]);
    expect(messages(read('junit/no-cases.xml'))).toEqual(['the report has no tests']);
    const foreign = read('junit/non-junit.xml');
    expect([foreign.outcome, foreign.problems.length]).toEqual(['error', 1]);
    expect(messages(read('junit/latex-utensils.xml'))).toEqual([
      '8 results repeat a test by class and name (retries); the last of each counts',
    ]);
  });

  it.each([
    [
      'coverage/clover.xml',
      'clover',
      6,
      { lines: shareOf(143, 165), branches: shareOf(21, 33), statements: shareOf(143, 165), functions: shareOf(102, 137) },
    ],
    ['coverage/cobertura-js.xml', 'cobertura', 1, { lines: shareOf(4, 4), functions: shareOf(3, 3) }],
    [
      'coverage/cobertura-lots-of-data.xml',
      'cobertura',
      19,
      { lines: shareOf(602, 958), branches: shareOf(285, 628), functions: shareOf(132, 175) },
    ],
    ['coverage/cobertura-npe.xml', 'cobertura', 2, { lines: shareOf(44, 53), branches: shareOf(3, 4), functions: shareOf(4, 5) }],
    ['coverage/cobertura-python.xml', 'cobertura', 1, { lines: shareOf(19, 19), branches: shareOf(4, 4) }],
    ['coverage/cobertura-ts.xml', 'cobertura', 12, { lines: shareOf(63, 156), branches: shareOf(21, 32), functions: shareOf(14, 38) }],
    ['coverage/report.lcov', 'lcov', 3, { lines: shareOf(3, 6), branches: shareOf(1, 2) }],
    ['coverage/single.lcov', 'lcov', 1, { lines: shareOf(1, 1) }],
  ])('coverage: %s', (path, format, count, coverage) => {
    const report = read(path);
    expect([report.format, report.outcome, report.files?.length]).toEqual([format, 'pass', count]);
    expect(report.coverage).toEqual(coverage);
  });

  it.each([
    ['sarif/emptyfilePath.sarif', 'sarif', 'pass', 2],
    ['sarif/sarif.json', 'sarif', 'fail', 2],
    ['sarif/security-scan.sarif', 'sarif', 'fail', 64],
    ['eslint/eslint.json', 'eslint', 'fail', 7],
    ['axe/rawAxeResults.json', 'axe', 'fail', 6],
    ['axe/rawAllCViolations.json', 'axe', 'fail', 16],
    ['coverage/mutation-report.json', 'stryker', 'pass', 3],
  ])('findings: %s', (path, format, outcome, count) => {
    const report = read(path);
    expect([report.format, report.outcome, report.findings.length]).toEqual([format, outcome, count]);
  });

  it('design tokens: all files are read', () => {
    const tokens = filesIn('dtcg');
    expect(tokens.length).toBeGreaterThan(5);
    for (const path of tokens) {
      const { format, outcome } = read(path);
      expect([path, format, outcome === 'pass' || outcome === 'fail']).toEqual([path, 'dtcg', true]);
    }
  });

  it('every file of the corpus is tested above', () => {
    const folders = new Set(filesIn('.').map((path) => path.split('/')[0]));
    expect([...folders].toSorted()).toEqual(['README.md', 'axe', 'coverage', 'dtcg', 'eslint', 'junit', 'sarif']);
    expect([filesIn('coverage'), filesIn('sarif'), filesIn('eslint'), filesIn('axe')].map((files) => files.length)).toEqual([9, 3, 1, 2]);
  });
});

it('is skipped without UMPIRE_CORPUS', (context) => {
  if (named === undefined) return context.skip('UMPIRE_CORPUS is not set, so the reports of other tools were not read');
  expect(existsSync(corpus), `UMPIRE_CORPUS names ${named}, and there is no corpus`).toBe(true);
});
