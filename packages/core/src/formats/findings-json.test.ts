// Findings and stated counts in the JSON shapes that agents write.

import { describe, expect, test } from 'vitest';
import { dedupe, findingsOf, findingsUnder, reconcile, rootsOf } from './findings-json.js';
import { makeFinding } from './finding.js';

function check(root: Readonly<Record<string, unknown>>, findings: readonly string[], rest: Readonly<Record<string, unknown>> = {}): void {
  const found = findingsOf([root], { fallback: 'high' });
  const drawn = found.findings.map(({ severity, message, dimension }) =>
    [severity, message, dimension].filter((part) => part !== undefined).join(' '),
  );
  expect({ ...found, findings: drawn }).toEqual({ findings, stated: null, present: true, notes: [], ...rest });
}

const m = { severity: 'low', message: 'm' };

describe('findingsOf', () => {
  test('a list', () => check({ findings: [m, '[HIGH] n', m] }, ['low m', 'high n']));
  test('an empty list', () => check({ findings: [] }, []));
  test('nothing', () => check({ findings: null }, [], { present: false }));
  test('a SARIF log that found nothing', () => check({ runs: [{ tool: {}, results: [] }, { results: [] }] }, []));
  test.each([[[]], [[{}]], [[{ results: null }]], [[{ results: [{ kind: 'odd' }] }]], [['x']]])('a SARIF log that says less: %j', (runs) =>
    check({ runs }, [], { present: false }),
  );
  test('other names', () => check({ issues: [m], challenges: ['[HIGH] n'] }, ['low m', 'high n']));
  test('groups by severity', () =>
    check({ findings: { critical: ['m'], high_issues: [], low: 'n', medium: { items: ['o'] } } }, ['critical m', 'low n', 'medium o']));
  test('groups by dimension', () => check({ findings: { Accessibility: ['[HIGH] m'], other: 'x', none: {} } }, ['high m Accessibility']));
  test('groups at the top', () =>
    check({ critical: ['m'], high_findings: ['n'], errors: ['x'], warnings: ['y'] }, ['critical m', 'high n']));
  test('one object', () => check({ findings: m }, ['low m']));
  test('one text', () => check({ findings: '[LOW] m' }, ['low m'], { notes: ['findings is a string, not a list; read as one finding'] }));
  test('a text that says there are none', () => check({ findings: 'none' }, []));
  test('an empty text', () => check({ findings: '' }, []));
  test('a wrong type', () => check({ findings: 3 }, [], { notes: ['findings is a number; expected a list of findings'] }));
  test('counts only', () =>
    check({ summary: { critical: 2, high: 0, total: 2 } }, [], { present: false, stated: { critical: 2, high: 0 } }));
  test('counts at the top', () =>
    check({ critical_count: 1, high_issues: 2, errors: 9 }, [], { present: false, stated: { critical: 1, high: 2 } }));
  test('counts in a text', () => check({ severity_summary: 'HIGH:1' }, [], { present: false, stated: { high: 1 } }));
  test('counts in the groups', () => check({ findings: { critical: 1, low: 2 } }, [], { stated: { critical: 1, low: 2 } }));
  test('counts that are not numbers', () =>
    check({ counts: { high: -1, low: 1 } }, [], {
      present: false,
      stated: { low: 1 },
      notes: ['"-1" is not a count of High findings; ignored'],
    }));
});

test('findings under one name', () => {
  expect(findingsUnder(['[LOW] m'], 'issues', { fallback: null, dimension: 'd' })).toMatchObject({
    findings: [{ severity: 'low', message: 'm', dimension: 'd' }],
    present: true,
  });
  expect(findingsUnder(undefined, 'issues', { fallback: null })).toEqual({ findings: [], stated: null, present: false, notes: [] });
});

test('finds the objects that wrap a report', () => {
  expect(rootsOf({ review: { a: 1 }, results: [1] }, ['review', 'results', 'constructor'])).toEqual([
    { review: { a: 1 }, results: [1] },
    { a: 1 },
  ]);
});

test('of stated and listed counts the larger counts; a missing count is no contradiction', () => {
  const high = makeFinding({ severity: 'high', message: 'm' });
  expect(reconcile([high], null)).toEqual({ counts: { critical: 0, high: 1, medium: 0, low: 0 }, notes: [] });
  expect(reconcile([high], { critical: 2, high: 0, low: 0 })).toEqual({
    counts: { critical: 2, high: 1, medium: 0, low: 0 },
    notes: ['the report states 2 Critical but lists 0; counted 2', 'the report states 0 High but lists 1; counted 1'],
  });
});

test('the same finding counts once, but twice at another line', () => {
  const at = (line: number) => makeFinding({ severity: 'high', message: 'm', artifact: 'a', line });
  expect(dedupe([at(1), at(1), at(2)])).toEqual([at(1), at(2)]);
});
