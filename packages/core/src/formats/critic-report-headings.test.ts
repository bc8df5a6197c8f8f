// The meaning of headings.

import { describe, expect, test } from 'vitest';
import { dimensionWord, readHeading } from './critic-report.js';

function check(titles: readonly string[], expected: string): void {
  const shown = titles.map((title) => {
    const role = readHeading(title);
    return [title, role.kind === 'severity' ? `${role.severity}${role.several ? '+' : ''}${role.count ?? ''}` : role.kind];
  });
  expect(shown).toEqual(titles.map((title) => [title, expected]));
}

describe('severities', () => {
  test('critical', () =>
    check(
      [
        'Critical',
        '🔴 Critical Issues',
        'CRITICAL:',
        '1. Critical findings',
        'Critical (blocks approval)',
        'P0 — Blockers',
        '2.1 Critical',
      ],
      'critical',
    ));
  test('high', () => check(['High', 'High Priority', 'High Severity Issues', 'Errors', 'Major'], 'high'));
  test('with a count', () => check(['Critical (2)', 'Critical Issues (2 found)', 'Critical: 2', 'Critical — 2 issues'], 'critical2'));
  test('several', () => check(['Medium/Low', 'Medium and Low'], 'medium+'));
});

test('closed', () =>
  check(
    [
      'Resolved since AUDIT-001',
      'Fixed',
      'Issues fixed',
      'Strengths',
      'What works well',
      'Positive observations',
      "What's good",
      'Passed checks',
      'Severity levels',
      'Scoring rubric',
      'Iteration History',
      'Previous findings',
      'Legend',
    ],
    'closed',
  ));
test('open although it names resolved findings', () => {
  check(['Unresolved issues', 'Previous findings still open', 'Issues not addressed', 'Issues to be addressed'], 'findings');
  check(['Type Scale', 'Fixed header', 'Token definitions', 'High-level', 'Notes', 'Low hanging fruit', 'Accessibility — Pass'], 'plain');
});
test('aside', () =>
  check(
    ['Recommendations', 'Next Steps', 'Actions Taken', 'Decision Rationale', 'Required fixes', 'High Priority Recommendations'],
    'aside',
  ));
test('aside', () => check(['Summary', 'Executive summary', 'High-level overview', 'Summary of findings'], 'aside'));
test('scores', () => check(['Scores', 'Dimension Scores', 'Scorecard', 'Dimensions'], 'scores'));
test('findings', () => check(['Findings', 'Audit Findings', 'Issues', 'Findings by dimension', 'Challenges', 'Violations'], 'findings'));
test('plain', () => check(['Accessibility', '', 'x'.repeat(300), '2024'], 'plain'));

test('dimensions', () => {
  expect(['Accessibility', '3. Token Consistency', 'Tokens — ok', '🎨 Visual quality (9)', 'Overview'].map(dimensionWord)).toEqual([
    'Accessibility',
    'Token Consistency',
    'Tokens',
    'Visual quality',
    null,
  ]);
});
