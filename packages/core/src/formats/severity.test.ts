// Severity words and counts, from the specification and as agents write them.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countFindings,
  countsOfObject,
  NO_COUNTS,
  parseSeverity,
  parseSeveritySummary,
  severityName,
  severityOfScore,
  unknownSeverityNote,
  worstCounts,
  worstStated,
} from './severity.js';

function check(words: readonly unknown[], expected: ReturnType<typeof parseSeverity>): void {
  expect(words.map((word) => [word, parseSeverity(word)])).toEqual(words.map((word) => [word, expected]));
}

describe('parseSeverity', () => {
  test('critical', () =>
    check(
      ['critical', 'CRITICAL', 'blocker', 'fatal', 'P0', '[Critical]', '**Blocker**:', '🔴 Critical', 'Critical Issues', 'critical/high'],
      'critical',
    ));
  test('high', () =>
    check(
      [
        'high',
        'HIGH',
        'error',
        'major',
        'serious',
        'p1',
        '[HIGH]',
        '**High**',
        'High:',
        'Severity: High',
        'High priority',
        2,
        '2',
        'P1 - High',
      ],
      'high',
    ));
  test('medium', () => check(['medium', 'warning', 'moderate', 'P2', 'Medium/Low', '(warn)', 1, '1'], 'medium'));
  test('low', () => check(['low', 'minor', 'info', 'note', 'trivial', 'P3', 'P4', 'informational', 'nit', 'Nitpicks'], 'low'));
  test('none', () =>
    check(
      [
        'severe-ish',
        'non-critical',
        'high-level',
        '',
        '!!',
        0,
        3,
        9.8,
        null,
        {},
        true,
        'constructor',
        '__proto__',
        'high '.repeat(40),
        'issues',
      ],
      null,
    ));
});

describe('severityOfScore', () => {
  test('maps security-severity scores to severities', () => {
    expect([10, 9, 8.9, 7, 6.9, 4, 3.9, 0.1, 0, -1, 11, NaN].map(severityOfScore)).toEqual([
      'critical',
      'critical',
      'high',
      'high',
      'medium',
      'medium',
      'low',
      'low',
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('parseSeveritySummary', () => {
  const counts = (critical: number, high: number, medium: number, low: number) => ({ critical, high, medium, low });
  test.each([
    ['CRITICAL:1 HIGH:2 MEDIUM:3 LOW:1', counts(1, 2, 3, 1)],
    ['critical=1, high=2', counts(1, 2, 0, 0)],
    ['2 high, 1 critical', counts(1, 2, 0, 0)],
    ['1 critical 2 high', counts(1, 2, 0, 0)],
    ['CRITICAL 1 HIGH 2', counts(1, 2, 0, 0)],
    ['CRITICAL-1 HIGH-2', counts(1, 2, 0, 0)],
    ['Critical (1); High (0); total 1', counts(1, 0, 0, 0)],
    ['7 findings: 2 high 1 low', counts(0, 2, 0, 1)],
    ['High severity issues: 2.', counts(0, 2, 0, 0)],
    ['No critical issues. High: 2.', counts(0, 2, 0, 0)],
    ['critical: none, high: zero, 3x medium', counts(0, 0, 3, 0)],
    ['P0:1 P1:2', counts(1, 2, 0, 0)],
    ['{critical: 1, high: 2}', counts(1, 2, 0, 0)],
    ['{"CRITICAL": 1, "high_count": "2", "total": 9}', counts(1, 2, 0, 0)],
  ])('%s', (text, expected) => expect(parseSeveritySummary(text)).toMatchObject({ counts: expected, notes: [] }));

  test.each([
    '',
    'looks fine',
    'none',
    'HIGH',
    '3',
    'HIGH:-1',
    'HIGH:1.5',
    '50% high',
    '{"high": [1]}',
    '[]',
    'HIGH:99999999999999999999',
    '1/2/3',
  ])('nothing in %j', (text) => expect(parseSeveritySummary(text)).toBeNull());

  test('notes numbers that are not counts', () => {
    expect(parseSeveritySummary('CRITICAL:-1 HIGH:2')).toEqual({
      counts: counts(0, 2, 0, 0),
      said: { high: 2 },
      notes: ['"-1" is not a count of Critical findings; ignored'],
    });
    expect(parseSeveritySummary('{"critical": true, "low": 1}')).toEqual({
      counts: counts(0, 0, 0, 1),
      said: { low: 1 },
      notes: ['"true" is not a count of Critical findings; ignored'],
    });
  });

  test('of two counts the larger counts', () => {
    expect(parseSeveritySummary('HIGH:1 HIGH:3 LOW:2 LOW:2')).toEqual({
      counts: counts(0, 3, 0, 2),
      said: { high: 3, low: 2 },
      notes: ['High is counted twice, as 1 and 3; using the larger'],
    });
  });

  test('reads every printed total back', () => {
    const count = fc.nat({ max: 999 });
    fc.assert(
      fc.property(fc.record({ critical: count, high: count, medium: count, low: count }), (made) => {
        const text = `CRITICAL:${made.critical} HIGH:${made.high} MEDIUM:${made.medium} LOW:${made.low}`;
        expect(parseSeveritySummary(text)).toEqual({ counts: made, said: made, notes: [] });
        expect(countsOfObject(made)?.counts).toEqual(made);
      }),
    );
  });
});

test('counts findings by severity', () => {
  expect(countFindings([{ severity: 'high' }, { severity: 'high' }, { severity: 'low' }])).toEqual({
    critical: 0,
    high: 2,
    medium: 0,
    low: 1,
  });
  expect(worstCounts({ critical: 1, high: 0, medium: 5, low: 0 }, { critical: 0, high: 2, medium: 4, low: 0 })).toEqual({
    critical: 1,
    high: 2,
    medium: 5,
    low: 0,
  });
  expect(worstStated({ high: 1 }, { high: 0, low: 2 })).toEqual({ high: 1, low: 2 });
  expect(worstStated(null, { critical: 1 })).toEqual({ critical: 1 });
  expect(countsOfObject([1])).toBeNull();
  expect(NO_COUNTS).toEqual(countFindings([]));
});

test('names severities for people', () => {
  expect([severityName('critical'), unknownSeverityNote(' severe-ish ')]).toEqual([
    'Critical',
    'unknown severity "severe-ish"; counted as High',
  ]);
});
