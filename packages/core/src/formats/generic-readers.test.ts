// The readers for custom critics: `json`, `markdown` and `text`.

import { describe, expect, test, it } from 'vitest';
import { readJson, readMarkdown, readText } from './generic-readers.js';
import type { Reader } from './reader.js';

function check(read: Reader, text: string, expected: Readonly<Record<string, unknown>> | string): void {
  const result = read(text, { path: 'report' });
  if (!result.ok) {
    expect(result.unreadable.problem).toBe(expected);
    return;
  }
  const { values, findings, counts, lists, notes } = result.reading;
  expect({
    values,
    drawn: findings.map((finding) => `${finding.severity} ${finding.message}`),
    counts: counts === undefined ? null : Object.values(counts).join(''),
    lists,
    notes,
  }).toEqual({
    values: {},
    drawn: [],
    counts: null,
    lists: read === readMarkdown ? { dimensions: [] } : {},
    notes: [],
    ...(expected as object),
  });
}

describe('json', () => {
  const json = (value: unknown, expected: Readonly<Record<string, unknown>> | string) =>
    check(readJson, typeof value === 'string' ? value : JSON.stringify(value), expected);
  test('values', () => json({ a: 1, b: 'x', c: true, d: null }, { values: { a: 1, b: 'x', c: true } }));
  test('nested to four levels', () => json({ a: { b: { c: { d: 1, e: { f: 2 } } } } }, { values: { 'a.b.c.d': 1 } }));
  test('lists', () => json({ rows: [{ a: 1, b: [] }], deep: { rows: [] } }, { lists: { rows: [{ a: 1 }], 'deep.rows': [] } }));
  test('lists of texts', () =>
    json({ rows: ['a', 2, { name: 'c' }, null] }, { lists: { rows: [{ name: 'a' }, { name: 2 }, { name: 'c' }, {}] } }));
  test('findings', () =>
    json(
      { issues: [{ text: 'm' }], review: { findings: ['[LOW] n'] } },
      {
        drawn: ['high m', 'low n'],
        counts: '0101',
        lists: { issues: [{ text: 'm' }], 'review.findings': [{ name: '[LOW] n' }] },
        notes: ['a finding has no severity; counted as High: "m"'],
      },
    ));
  test('no findings', () => json({ findings: [] }, { counts: '0000', lists: { findings: [] } }));
  test('stated counts', () =>
    json({ critical: 1 }, { values: { critical: 1 }, counts: '1000', notes: ['the report states 1 Critical but lists 0; counted 1'] }));
  test('infinite numbers and traps', () => json('{"a": 1e999, "__proto__": 1, "constructor": 2}', { values: { constructor: 2 } }));
  test('unreadable', () => {
    json('', 'it is empty; expected a JSON object');
    json('[]', 'it is a list; expected a JSON object');
    json('{', 'it is not valid JSON at line 1, column 2: it ends with one bracket still open and looks cut off');
  });
});

describe('markdown', () => {
  const markdown = (text: string, expected: Readonly<Record<string, unknown>> | string) => check(readMarkdown, text, expected);
  test('values', () =>
    markdown('- Verdict: pass\n- **Bundle size**: 210\nIn budget: FALSE\nScore: 70/100\nShare: 80%\n', {
      values: { verdict: 'pass', bundle_size: 210, in_budget: false, score: 7, share: 80 },
    }));
  test('a score on another scale stays text', () =>
    markdown('- Quality: 80/100\n- Verdict: pass', {
      values: { quality: '80/100', verdict: 'pass' },
      lists: { dimensions: [{ name: 'Quality', score: 8, threshold: null }] },
    }));
  test('an impossible score', () =>
    markdown('Speed: 12/10', {
      values: { speed: '12/10' },
      notes: ['the score 12 of "Speed" is not between 0 and 10; ignored'],
    }));
  test('placeholders and long texts', () =>
    markdown(`Verdict: [pass | fail]\nText: ${'x'.repeat(600)}\nOk: yes`, { values: { ok: 'yes' } }));
  test('a repeated key', () =>
    markdown('Verdict: pass\n\n- Verdict: pass\n\n## A\nVerdict: fail', {
      values: { verdict: 'pass' },
      notes: ['verdict appears twice, as "pass" and "fail"; using the first'],
    }));
  test('findings and dimensions', () =>
    markdown('- [HIGH] m\n- Speed: 4/10\n\n| a | b |\n|---|---|', {
      values: { speed: '4/10' },
      drawn: ['high m'],
      counts: '0100',
      lists: { dimensions: [{ name: 'Speed', score: 4, threshold: null }] },
    }));
  test('the score of the report wins over a line', () =>
    markdown('Score: 7/10\nOverall score: 5/10', {
      values: { score: 5, overall_score: '5/10' },
      notes: ['the report gives several scores, 5, 7; using the lowest'],
    }));
  test('unreadable', () => {
    markdown('Hello', 'it has no finding, no score and no line such as "Verdict: pass"; expected a report in Markdown');
    markdown(' ', 'it is empty; expected a report with findings, scores by dimension, or a statement that there are no findings');
  });
});

it('text counts lines', () => {
  const lines = (text: string) => {
    const result = readText(text);
    return result.ok ? result.reading : result.unreadable.problem;
  };
  expect(lines('a\nb\n')).toEqual({ values: { lines: 2 }, findings: [], lists: {}, notes: [] });
  expect(lines('a\nb')).toMatchObject({ values: { lines: 2 } });
  expect(lines(' ')).toMatch(/it is empty/);
  expect(lines('a\0b')).toMatch(/not text/);
});
