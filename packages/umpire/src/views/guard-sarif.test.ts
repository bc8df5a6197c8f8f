// SARIF of the guard: what our own reader reads of it is what the guard found, and nothing that is allowed.

import { expect, it } from 'vitest';
import { findingOf } from '@umpire/guard/findings/finding.js';
import { RULE_WORDS, findRuleWords } from '@umpire/guard/rules/all.js';
import type { GuardFinding } from '@umpire/guard/findings/finding.js';
import type { GuardRule } from '@umpire/guard/findings/rule-names.js';
import { openReport } from '@umpire/reports/open-report.js';
import { guardSarif } from './guard-page.js';
import type { GuardLog } from './guard-page.js';

function found(rule: GuardRule, line: number): GuardFinding {
  const file = 'src/ä b#1.test.ts';
  return findingOf(findRuleWords(rule), { file, level: 'breach', after: { from: 0, to: 4, line, text: `rule ${rule}` }, test: ['a', 'b'] });
}

const findings = [...RULE_WORDS.keys()].map((rule, at) => found(rule, at + 1));
const EMPTY: GuardLog = { findings: [], notes: [], allowed: [], problems: [], unread: [], isBlind: false };

function readBack(log: GuardLog) {
  const reader = openReport({ root: '/project' });
  reader.write(Buffer.from(guardSarif(log, '1.2.3')));
  return reader.end();
}

it('is read back with the same rules, places, severities and fingerprints', () => {
  const { outcome, findings: read, problems } = readBack({ ...EMPTY, findings });
  const plain = (
    all: readonly { rule?: string; severity: string; line: number | null; fingerprint: string }[],
    files: readonly unknown[],
  ) =>
    all
      .map(({ rule, severity, line, fingerprint }, at) => ({ rule, severity, line, fingerprint, file: files[at] }))
      .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  expect({
    outcome,
    problems,
    read: plain(
      read,
      read.map(({ artifact }) => artifact),
    ),
  }).toEqual({
    outcome: 'fail',
    problems: [],
    read: plain(
      findings,
      findings.map(({ file }) => file),
    ),
  });
});

it('passes what is allowed, with the reason', () => {
  const finding = found('ci-changed', 1);
  const allowance = { rule: 'files', path: '**', test: null, reason: 'moving', until: '2026-06-30' };
  const log = { ...EMPTY, allowed: [{ finding, allowance }] };
  expect(readBack(log)).toMatchObject({ outcome: 'pass', findings: [] });
  expect(guardSarif(log, '1')).toContain('moving (until 2026-06-30)');
});

it('is no pass where tests could not be read', () => {
  const problems = [{ file: 'a.test.ts', message: 'no code' }];
  expect(readBack({ ...EMPTY, problems, isBlind: true }).outcome).toBe('fail');
  expect(readBack({ ...EMPTY, problems }).outcome).toBe('pass');
});

it('gives notes the level note, whatever their rule', () => {
  const log = JSON.parse(
    guardSarif({ ...EMPTY, findings: [found('test-skipped', 1)], notes: [{ ...found('ci-changed', 2), level: 'note' }] }, '1.2.3'),
  ) as {
    readonly runs: readonly { readonly results: readonly { readonly level: string }[] }[];
  };
  expect(log.runs[0]?.results.map(({ level }) => level)).toEqual(['error', 'note']);
});
