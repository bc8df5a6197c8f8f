// The reader `audit`: formats, unreadable texts, and Markdown with JSON in it. fixtures/readers/audit/ holds whole reports.

import { describe, expect, test } from 'vitest';
import { readAudit, severityOfKind } from './audit-report.js';

function check(text: string, expected: Readonly<Record<string, unknown>> | string, path = 'audit.md', line?: number): void {
  const result = readAudit(text, { path });
  if (typeof expected === 'string') {
    expect(result).toEqual({ ok: false, unreadable: { problem: expected, ...(line === undefined ? {} : { line }) } });
    return;
  }
  if (!result.ok) throw new Error(result.unreadable.problem);
  const { values, findings, counts, lists, notes } = result.reading;
  const drawn = findings.map((finding) => `${finding.severity} ${finding.message}`);
  expect({ values, drawn, counts: Object.values(counts ?? {}).join(''), dimensions: lists['dimensions'], notes }).toEqual({
    values: {},
    drawn: [],
    counts: '0000',
    dimensions: [],
    notes: [],
    ...expected,
  });
}

const NOT_A_REPORT =
  'it holds no finding, no score, no dimension and no statement that there are no findings, so it is not an audit report';
const EXPECTED = 'expected a report with findings, scores by dimension, or a statement that there are no findings';

describe('unreadable', () => {
  test('empty', () => check(' \n', `it is empty; ${EXPECTED}`));
  test('binary', () => check('# a\n\0', `it is not text (NUL byte at character 5); ${EXPECTED}`, 'a.md', 2));
  test('prose', () => check('I will audit this now.', NOT_A_REPORT));
  test('a signal without a report', () => check('Signal: audit_passed', NOT_A_REPORT));
  test('W4: SARIF that notes its own failure', () => {
    const tool = { driver: { name: 'lint' } };
    const log = (run: object) => JSON.stringify({ version: '2.1.0', runs: [{ tool, results: [], ...run }] });
    check(log({ invocations: [{ executionSuccessful: true }] }), {});
    check(log({ invocations: [{ executionSuccessful: false }] }), 'the tool states that its run failed');
    const error = { level: 'error', message: { text: 'no settings' } };
    const exited = { exitCode: 2, toolExecutionNotifications: [error] };
    check(log({ invocations: [exited] }), 'the tool states that its run failed: no settings');
    check(log({ results: null }), 'a run has no list "results"; the tool did not run or did not finish');
  });
  test('truncated JSON', () =>
    check('{"findings": [', 'it is not valid JSON at line 1, column 15: it ends with 2 brackets still open and looks cut off', 'a.md', 1));
  test('an error page under a JSON name', () =>
    check('<html>', 'it is not valid JSON at line 1, column 1: unexpected "<", expected a value', 'a.JSON', 1));
  test('a truncated block', () =>
    check(
      'Hello\n```json\n{"findings": [\n```',
      'its JSON block is invalid: it is not valid JSON at line 3, column 15: it ends with 2 brackets still open and looks cut off',
      'a.md',
      3,
    ));
});

describe('report formats', () => {
  test('JSON', () => check('\uFEFF {"audit_score": 7, "audit_signal": "audit_passed"}', { values: { score: 7, signal: 'audit_passed' } }));
  test('a JSON list', () => check('[ {"severity": "low", "message": "m"} ]', { drawn: ['low m'], counts: '0001' }));
  test('an empty JSON list', () => check('[]', {}));
  test('Markdown that begins with a bracket', () => check('[CRITICAL] m', { drawn: ['critical m'], counts: '1000' }));
  test('a fence under a JSON name', () => check('```json\n{"findings": []}\n```', {}, 'a.json'));
});

describe('Markdown with a JSON block', () => {
  const block = (json: unknown) => `\n\`\`\`json\n${JSON.stringify(json)}\n\`\`\`\n`;
  test('only the block', () =>
    check(`Here you are:${block({ score: 4, dimensions: { a: 3 } })}`, {
      values: { score: 4 },
      dimensions: [{ name: 'a', score: 3, threshold: null }],
    }));
  test('a JSON block that is only an example', () => check(`- [LOW] m${block({ $type: 'color' })}`, { drawn: ['low m'], counts: '0001' }));
  test('both agree', () =>
    check(`- [LOW] m\n\nScore: 5${block({ score: 4, findings: ['[LOW] m'] })}`, {
      values: { score: 4 },
      drawn: ['low m'],
      counts: '0001',
    }));
  test('both differ', () =>
    check(`- [HIGH] m\n- A: 5/10\n- B: 5/10${block({ findings: ['[LOW] n'], dimensions: { a: 7, b: 3 }, signal: 'fix_required' })}`, {
      values: { signal: 'fix_required' },
      drawn: ['high m'],
      counts: '0101',
      dimensions: [
        { name: 'A', score: 5, threshold: null },
        { name: 'b', score: 3, threshold: null },
      ],
      notes: ['the text and the JSON block in it count findings differently; using the larger counts'],
    }));
  test('a broken block beside a report', () =>
    check('Score: 5/10\n```json\n{"severity": \n```\n```json\n{"findings"\n```', {
      values: { score: 5 },
      notes: [
        'its JSON block is invalid: it is not valid JSON at line 3, column 13: it ends with one bracket still open and looks cut off',
      ],
    }));
  test('a broken JSON block that is only an example', () => check('Score: 5/10\n```json\n{ ... }\n```', { values: { score: 5 } }));
});

function checkKind(texts: readonly string[], expected: string | null, dimension = ''): void {
  expect(texts.map((text) => [text, severityOfKind(text, dimension)])).toEqual(texts.map((text) => [text, expected]));
}

test('accessibility failures and token format violations are Critical', () =>
  checkKind(
    [
      'Contrast of links is 2.8:1',
      'No aria-label',
      'Fails WCAG 1.4.3',
      'Focus ring missing',
      'Keyboard trap in the modal',
      'color.bg has no $type',
      'Token `space.4` is malformed',
      'invalid token reference',
      'not DTCG',
    ],
    'critical',
  ));

test('inconsistencies and missing states are High', () =>
  checkKind(
    [
      'Inconsistent radii',
      'Card padding mismatch',
      'Header differs on checkout',
      'Missing states',
      'No disabled state',
      'Button lacks a hover variant',
      'Loading state is not defined',
    ],
    'high',
  ));

test('naming and documentation are Medium', () =>
  checkKind(['Naming: btnPrimary', 'Rename spacingXs', 'Usage is undocumented', 'Typo in the readme'], 'medium'));

test('style is Low', () => checkKind(['A style preference', 'Purely cosmetic', 'nit: shadow'], 'low'));

test('other findings have no severity by kind', () => checkKind(['The animation makes me dizzy', 'Button states look fine'], null));

test('the dimension decides if the text does not, and always for accessibility', () => {
  checkKind(['Too small', 'Rename the label'], 'critical', 'Accessibility');
  checkKind(['Too small'], 'high', 'Consistency');
  checkKind(['Rename it'], 'medium', 'Consistency');
});

test('a declared category decides before the words', () => {
  expect(severityOfKind('keyboard behaviour is not described', '', 'documentation')).toBe('medium');
  expect(severityOfKind('Rename it', '', 'token-format')).toBe('critical');
  expect(severityOfKind('Contrast is 2:1', '', 'other')).toBe('critical');
});
