// The score of a review: cost of a finding, its dimension, and the reviewer's own score.

import { expect, it } from 'vitest';
import { makeFinding } from './finding.js';
import { dimensionOf, REVIEW_DIMENSIONS, REVIEW_WEIGHTS, scoreReview } from './review-score.js';
import type { ReviewScore, ReviewerScore } from './review-score.js';
import type { Severity } from '../model/vocabulary.js';

const of = (severity: Severity, rule = '', dimension = '') => makeFinding({ severity, message: 'm', rule, dimension });
const SILENT: ReviewerScore = { score: null, signal: null };

function check(findings: Parameters<typeof scoreReview>[0], said: ReviewerScore, expected: Partial<ReviewScore>): void {
  expect(scoreReview(findings, said)).toMatchObject(expected);
}

it('the weights add up to 100', () => {
  expect(REVIEW_DIMENSIONS.reduce((sum, each) => sum + REVIEW_WEIGHTS[each], 0)).toBe(100);
});

it('subtracts each finding from its dimension', () => {
  check([], SILENT, {
    score: 10,
    signal: 'CONVERGED',
    dimensions: { correctness: 10, completeness: 10, maintainability: 10, security: 10 },
  });
  check([of('medium', 'no-undef'), of('low', 'max-lines'), of('low', 'sort-imports')], SILENT, {
    score: 9.5,
    dimensions: { correctness: 9, completeness: 10, maintainability: 9.5, security: 10 },
  });
  check(
    Array.from({ length: 50 }, () => of('medium', 'no-undef')),
    SILENT,
    { score: 7, signal: 'CONVERGED' },
  );
  check([...Array.from({ length: 50 }, () => of('medium', 'no-undef')), of('low', 'max-lines')], SILENT, {
    score: 6.9,
    signal: 'REVISION_NEEDED',
  });
});

it('a High finding never passes as minor', () => {
  check([of('high', 'no-undef')], SILENT, { score: 6.9, signal: 'REVISION_NEEDED' });
  check([of('critical', 'sql-injection')], SILENT, {
    score: 6.9,
    signal: 'REVISION_NEEDED',
    dimensions: { security: 0, correctness: 10, completeness: 10, maintainability: 10 },
  });
});

it("the reviewer's score may lower the result, never raise it", () => {
  check([], { score: 4, signal: 'CONVERGED' }, { score: 4, signal: 'REVISION_NEEDED' });
  check([], { score: 9, signal: 'REVISION_NEEDED' }, { score: 9, signal: 'REVISION_NEEDED' });
  check([of('high')], { score: 10, signal: 'CONVERGED' }, { score: 6.9, signal: 'REVISION_NEEDED' });
});

it.each([
  ['', 'Security', 'security'],
  ['security/detect-eval', '', 'security'],
  ['CWE-89', '', 'security'],
  ['no-unused-vars', '', 'maintainability'],
  ['complexity', '', 'maintainability'],
  ['jsdoc/require-param', '', 'completeness'],
  ['TS2322', '', 'correctness'],
  ['S608', '', 'security'],
  ['E501', '', 'maintainability'],
  ['E999', '', 'correctness'],
  ['F401', '', 'maintainability'],
  ['F821', '', 'correctness'],
  ['C901', '', 'maintainability'],
  ['D103', '', 'completeness'],
  ['E501', 'security', 'security'],
  ['', 'completeness', 'completeness'],
  ['', '', 'correctness'],
])('puts rule %j of dimension %j under %s', (rule, dimension, expected) => {
  expect(dimensionOf({ rule, dimension })).toBe(expected);
});
