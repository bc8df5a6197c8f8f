// Single findings in a draft. markdown-report.test.ts tests contradictions with whole reports.

import { expect, test } from 'vitest';
import { ReportDraft, isNumbered, stripNumber, type Claim } from './report-draft.js';

function check(claim: Partial<Claim>, expected: readonly unknown[] | null): void {
  const draft = new ReportDraft({ classify: null, fallback: 'high' });
  draft.addFinding({ text: 'm', severity: 'low', ...claim });
  const [finding] = draft.finish().findings;
  expect(finding === undefined ? null : [finding.severity, finding.message, finding.artifact, finding.line]).toEqual(expected);
}

test('adds findings with place, severity and topic', () => {
  check({}, ['low', 'm', null, null]);
  check({ text: '⚠️ 1. **m** (a.ts:3)' }, ['low', 'm', 'a.ts', 3]);
  check({ text: 'm (a.ts:3)', place: '`a.ts`' }, ['low', 'm', 'a.ts', 3]);
  check({ text: 'm (a.ts:3)', place: 'b.ts:9' }, ['low', 'm (a.ts:3)', 'b.ts', 9]);
  check({ place: 'Header', line: 4 }, ['low', 'm', 'Header', 4]);
  check({ place: 'n/a' }, ['low', 'm', null, null]);
  check({ place: 'x'.repeat(300) }, ['low', 'm', null, null]);
  check({ severity: null }, ['high', 'm', null, null]);
  check({ text: 'None' }, null);
});

test('removes a number before a finding', () => {
  expect(
    ['1. m', 'C1: m', 'F-001 — m', 'Finding 2: m', 'Issue #3 - m', '3 parts lack it', 'H1 is missing', '1.5 is low', '1. 2'].map(
      stripNumber,
    ),
  ).toEqual(['m', 'm', 'm', 'm', 'm', '3 parts lack it', 'H1 is missing', '1.5 is low', '1. 2']);
  expect(['1. m', 'm'].map(isNumbered)).toEqual([true, false]);
});
