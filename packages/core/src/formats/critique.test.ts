// The readers of the brainstorm loop. Findings without a severity do not count.

import { describe, expect, test } from 'vitest';
import type { Reader } from './reader.js';
import { readCritique, readCritiqueEntries, readSeveritySummary } from './critique.js';

function check(read: Reader, text: string, drawn: readonly string[], counts: string | null, notes: readonly string[] = []): void {
  const result = read(text, { path: 'critiques/critique-1' });
  if (!result.ok) throw new Error(result.unreadable.problem);
  const { findings, reading } = { findings: result.reading.findings, reading: result.reading };
  expect({
    drawn: findings.map((finding) => `${finding.severity} ${finding.artifact ?? '-'} ${finding.message}`),
    counts: reading.counts === undefined ? null : Object.values(reading.counts).join(''),
    notes: reading.notes,
  }).toEqual({ drawn, counts, notes });
}

const lines = (...data: readonly unknown[]) =>
  data.map((each) => JSON.stringify({ worker: 'CHALLENGE-001', type: 'critique', data: each })).join('\n');

describe('critique', () => {
  const none = 'no severity was found in the critique; expected critiques with a severity each, or counts such as CRITICAL:1 HIGH:2';
  test('Markdown', () => check(readCritique, '### Cost (HIGH)\nToo dear.\n## Findings\n- Missing states', ['high - Cost'], '0100'));
  test('JSON', () =>
    check(readCritique, '{"challenges": [{"severity": "low", "challenge": "m"}, {"challenge": "n"}]}', ['low - m'], '0001'));
  test('a statement that there are no findings', () => check(readCritique, 'No critical issues.', [], '0000'));
  test('prose', () => check(readCritique, 'Hm.', [], null, [none]));
  test('unreadable', () => expect([readCritique('', { path: 'x' }).ok, readCritique('{', { path: 'x' }).ok]).toEqual([false, false]));
});

describe('critique-entries', () => {
  const entries = (text: string, drawn: readonly string[], counts: string | null, notes: readonly string[] = []) =>
    check(readCritiqueEntries, text, drawn, counts, notes);
  test('entries with a severity', () =>
    entries(
      lines({ idea: 'IDEA-1', challenge: 'a', severity: 'HIGH' }, { target: 'IDEA-2', message: 'b (x.md:3)', level: 'minor' }),
      ['high IDEA-1 a', 'low x.md b'],
      '0101',
    ));
  test('an unknown severity', () =>
    entries(lines({ issue: 'a', priority: 'odd' }), ['high - a'], '0100', ['unknown severity "odd"; counted as High']));
  test('no message', () => entries(lines({ severity: 'low', idea: 3 }), ['low - a critique by CHALLENGE-001'], '0001'));
  test('no message and no worker', () => entries('{"severity": "low"}', ['low - a critique by an unnamed worker'], '0001'));
  test('no severity', () =>
    entries(lines({ challenge: 'a' }, { severity: '', challenge: 'b' }), [], null, [
      'not counted, because it has no severity: "a" (and 1 more)',
    ]));
  test('notes an entry without a severity among others', () =>
    entries(lines({ severity: 'low', challenge: 'a' }, { challenge: 'the big one' }, { challenge: 'None' }), ['low - a'], '0001', [
      'not counted, because it has no severity: "the big one"',
    ]));
  test('entries that report nothing', () =>
    entries(lines({ severity: 'none', challenge: 'a' }, { severity: 'low', challenge: 'None' }), [], null));
  test('summaries', () =>
    entries(
      lines({ severity_summary: 'CRITICAL:1 HIGH:2' }, { counts: { high: 3 } }, { severity: { low: 1 } }, { medium: 2, errors: 9 }),
      [],
      '1321',
    ));
  test('of summary and severities the worse counts', () =>
    entries(lines({ severity: 'high', challenge: 'a' }, { severity_summary: 'HIGH:0 LOW:1' }), ['high - a'], '0101'));
  test('a summary without counts', () =>
    entries(lines({ severity_summary: 'HIGH:-1 LOW:1' }), [], '0001', ['"-1" is not a count of High findings; ignored']));
  test('lists', () =>
    entries(lines({ challenges: [{ severity: 'low', message: 'a' }, { message: 'b' }, 3] }), ['low - a'], '0001', [
      'ignored a finding that is neither a string nor an object',
    ]));
  test('broken lines', () =>
    entries(`${lines({ severity: 'low', challenge: 'a' })}\n{"data`, ['low - a'], '0001', [
      'ignored an entry: it is not valid JSON at line 2, column 7: it ends inside a string and looks cut off',
    ]));
  test('unreadable', () =>
    expect(['', 'x'].map((text) => readCritiqueEntries(text, { path: 'x' }))).toEqual([
      {
        ok: false,
        unreadable: { problem: 'it has no entries; expected critiques with a severity each, or counts such as CRITICAL:1 HIGH:2' },
      },
      { ok: false, unreadable: { problem: 'ignored the entry on line 1: it is not a JSON object' } },
    ]));
});

describe('severity-summary', () => {
  test('counts', () => check(readSeveritySummary, 'CRITICAL:1 HIGH:x LOW:2', [], '1002'));
  test('no counts', () => check(readSeveritySummary, 'fine', [], null, ['no count in "fine"; expected counts such as CRITICAL:1 HIGH:2']));
  test('empty', () =>
    expect(readSeveritySummary(' ', { path: 'x' })).toEqual({
      ok: false,
      unreadable: { problem: 'it is empty; expected counts such as CRITICAL:1 HIGH:2' },
    }));
});
