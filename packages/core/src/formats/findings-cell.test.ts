// The findings cell of a row.

import { describe, expect, test } from 'vitest';
import { parseFindingsCell } from './findings-cell.js';

function check(text: string, findings: readonly string[], stated: readonly number[] | null = null, notes: readonly string[] = []): void {
  const read = parseFindingsCell(text);
  const drawn = read.findings.map(({ severity, message, artifact, line }) =>
    [severity, artifact, line, message].filter((part) => part !== null).join(' '),
  );
  expect({ drawn, counts: read.counts && Object.values(read.counts), notes: read.notes }).toEqual({
    drawn: findings,
    counts: stated,
    notes,
  });
}

describe('tagged', () => {
  test('brackets', () =>
    check('[CRITICAL] Contrast (tokens.json:3); [HIGH] No hover', ['critical tokens.json 3 Contrast', 'high No hover'], [1, 1, 0, 0]));
  test('words', () => check('CRITICAL: a | HIGH: b', ['critical a', 'high b'], [1, 1, 0, 0]));
  test('words without a separator', () => check('CRITICAL: a, HIGH: b', ['critical a', 'high b'], [1, 1, 0, 0]));
  test('bullets', () => check('- [HIGH] a\n* **Low**: b\n1. (Medium) c', ['high a', 'low b', 'medium c'], [0, 1, 1, 1]));
  test('brackets in one line', () => check('[HIGH] a. [LOW] b', ['high a.', 'low b'], [0, 1, 0, 1]));
  test('a part without a tag continues the one before', () => check('[HIGH] a; b; [LOW] c', ['high a; b', 'low c'], [0, 1, 0, 1]));
  test('a repeated finding counts once', () => check('[HIGH] a; [HIGH] a', ['high a'], [0, 1, 0, 0]));
  test('a tag without a text', () => check('[HIGH] none; [CRITICAL]; x', [], [0, 0, 0, 0]));
});

describe('prose and counts', () => {
  test('prose', () => check('Design looks fine; the header is high', []));
  test('empty', () => check('', []));
  test('counts', () =>
    check(
      'CRITICAL:1 HIGH:2',
      [],
      [1, 2, 0, 0],
      ['the report states 1 Critical but lists 0; counted 1', 'the report states 2 High but lists 0; counted 2'],
    ));
  test('counts with remarks', () =>
    expect(parseFindingsCell('2 Critical (hover, padding), 2 High (focus), 1 Medium, 1 Low').counts).toEqual({
      critical: 2,
      high: 2,
      medium: 1,
      low: 1,
    }));
  test('one count', () => check('Critical: 0; [HIGH] a', ['high a'], [0, 1, 0, 0]));
});

describe('the grammar of reports', () => {
  test('headings and bullets', () => check('## Hoch\n- Fokus fehlt', ['high Fokus fehlt'], [0, 1, 0, 0]));
  test('a heading with nothing below', () => check('## Kritisch\nKeine', [], [0, 0, 0, 0]));
  test('a Chinese denial', () => check('## \u9ad8\n\u6ca1\u6709\u53d1\u73b0\u95ee\u9898', [], [0, 0, 0, 0]));
  test('a table', () => check('| Prio | Befund |\n|---|---|\n| Hoch | x fehlt |', ['high x fehlt'], [0, 1, 0, 0]));
  test('HTML', () => check('<h2>Critical</h2><ul><li>it burns</li></ul>', ['critical it burns'], [1, 0, 0, 0]));
  test('fenced JSON', () =>
    check('```json\n{"findings":[{"severity":"critical","message":"it burns"}]}\n```', ['critical it burns'], [1, 0, 0, 0]));
  test('counts in Chinese', () => check('\u4e25\u91cd\uff1a0\uff0c\u9ad8\uff1a0\uff0c\u603b\u4f53\u826f\u597d', [], [0, 0, 0, 0]));
});

describe('JSON', () => {
  test('a list', () => check('[{"severity":"high","message":"a"}, "[LOW] b", "prose"]', ['high a', 'low b'], [0, 1, 0, 1]));
  test('an object', () => check('{"critical": ["a"]}', ['critical a'], [1, 0, 0, 0]));
  test('counts', () => check('{"critical": 1}', [], [1, 0, 0, 0], ['the report states 1 Critical but lists 0; counted 1']));
  test('nothing', () => check('[]', []));
  test('broken', () => check('{"critical": [HIGH] a', ['high a'], [0, 1, 0, 0]));
});

test('V2: a severity after a sentence begins a finding', () => {
  expect(parseFindingsCell('failed: 6. Critical: login is broken').counts).toMatchObject({ critical: 1 });
  expect(parseFindingsCell('90 tests pass. HIGH: AC-2 fails (a.js:8). Low: a typo').counts).toMatchObject({ high: 1, low: 1 });
  expect(parseFindingsCell('The risk is high: nothing was found').counts).toBeNull();
});
