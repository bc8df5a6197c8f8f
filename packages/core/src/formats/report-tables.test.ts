// Tables of a report: findings, scores, counts, and ignored tables.

import { describe, expect, test } from 'vitest';
import { severityOfKind } from './audit-report.js';
import { parseMarkdown } from './markdown-blocks.js';
import { ReportDraft } from './report-draft.js';
import { takeTable, type TableContext } from './report-tables.js';

function check(rows: readonly string[], expected: Readonly<Record<string, unknown>>, context: Partial<TableContext> = {}): void {
  const [header = '', ...others] = rows;
  const width = header.split('|').length;
  const [block] = parseMarkdown([header, Array(width).fill('---').join('|'), ...others].map((row) => `|${row}|`).join('\n')).blocks;
  if (block?.kind !== 'table') throw new Error('not a table');
  run(block, expected, context);
}

function run(
  block: Parameters<typeof takeTable>[0],
  expected: Readonly<Record<string, unknown>>,
  context: Partial<TableContext> = {},
): void {
  const draft = new ReportDraft({ classify: severityOfKind, fallback: 'high' });
  const known = takeTable(block, { severity: null, dimension: '', aside: false, findings: false, ...context }, draft);
  const settled = draft.finish();
  const drawn = settled.findings.map(({ severity, artifact, line, dimension, rule, message }) =>
    [severity, `${artifact ?? '-'}:${line ?? '-'}`, dimension, rule, message].filter((part) => part !== undefined).join(' '),
  );
  const dimensions = settled.dimensions.map(({ name, score, threshold }) => `${name} ${score}${threshold === null ? '' : `/${threshold}`}`);
  expect({
    known,
    drawn,
    dimensions,
    score: settled.score,
    counts: Object.values(settled.counts).join(''),
    counted: settled.counted,
  }).toEqual({
    known: true,
    drawn: [],
    dimensions: [],
    score: null,
    counts: expect.any(String) as string,
    counted: ((expected['drawn'] ?? []) as readonly string[]).length > 0,
    ...expected,
  });
}

describe('findings', () => {
  test('columns in any order', () =>
    check(['File|Issue|Line|Severity|Dimension|Rule', 'a.ts|m|7|HIGH|Colour|1.4.3'], { drawn: ['high a.ts:7 Colour 1.4.3 m'] }));
  test('reference in one cell', () => check(['Severity|Description|Location', '**High**|m|`a.ts:3`'], { drawn: ['high a.ts:3 m'] }));
  test('no named message', () =>
    check(['Severity|Text|X', 'High|the longer one|-', 'Low|a|bb'], { drawn: ['high -:- the longer one', 'low -:- bb'] }));
  test('under a severity', () => check(['Issue', 'm', 'None'], { drawn: ['critical -:- m'] }, { severity: 'critical' }));
  test('by kind', () => check(['Issue|File', 'Contrast|a.ts'], { drawn: ['critical a.ts:- Contrast'] }));
  test('where findings are expected', () => check(['Description', 'Contrast'], { drawn: ['critical -:- Contrast'] }, { findings: true }));
  test('a severity under another name', () => check(['Impact|Issue', 'minor|m', 'major|n'], { drawn: ['low -:- m', 'high -:- n'] }));
  test('not every cell a severity', () =>
    check(['Impact|Issue', 'minor|Rename', 'users leave|Rename it'], { drawn: ['medium -:- Rename', 'medium -:- Rename it'] }));
  test('an empty table', () => check(['Issue|File'], {}));
  test('an unknown severity', () => check(['Severity|Issue', 'odd|m', '-|Contrast'], { drawn: ['high -:- m', 'critical -:- Contrast'] }));
  test('none', () => check(['Severity|Issue', 'None|-', 'High|None', '|'], { counted: true }));
  test('a status', () => check(['Severity|Issue|Status', 'High|m|Fixed', 'High|n|Open', 'Low|o|✅'], { drawn: ['high -:- n'] }));
  test('without a header, under a severity', () =>
    run({ kind: 'table', header: [], rows: [['a', 'Missing ring']] }, { drawn: ['high -:- Missing ring'] }, { severity: 'high' }));
});

describe('scores', () => {
  test('with weights', () =>
    check(['Dimension|Score|Weight', 'A|5/10|25%', 'B|**8**/10 ✅|20%', 'Total|6.5/10|'], { dimensions: ['A 5', 'B 8'], score: 6.5 }));
  test('thresholds', () =>
    check(['Area|Score|Threshold', 'A (25%)|5|≥ 7', 'B|8|6/10', 'C|N/A|6', '1|5|5'], { dimensions: ['A 5/7', 'B 8/6'] }));
  test('out of a hundred', () => check(['Aspect|Score|Min', 'A|55|60', 'B|8|'], { dimensions: ['A 5.5/6', 'B 0.8'] }));
  test('the header says out of what', () => check(['X|Score (0-5)', 'A|4'], { dimensions: ['A 8'] }));
  test('a column says out of what', () => check(['X|Score|Max', 'A|15|20'], { dimensions: ['A 7.5'] }));
  test('percent', () => check(['X|Score', 'A|85%'], { dimensions: ['A 8.5'] }));
  test('V5: notes a score that is no number', () => {
    const draft = new ReportDraft({ classify: severityOfKind, fallback: 'high' });
    const [block] = parseMarkdown('|X|Score|\n|---|---|\n|A|5.5 (of 10)|\n|B|9|\n|C|N/A|\n|D|Excellent|').blocks;
    takeTable(block as Parameters<typeof takeTable>[0], { severity: null, dimension: '', aside: false, findings: false }, draft);
    expect(draft.finish().notes).toEqual([
      'the score "5.5 (of 10)" of "A" cannot be read as a number; ignored',
      'the score "Excellent" of "D" cannot be read as a number; ignored',
    ]);
  });
  test('issues beside the scores', () =>
    check(['Dimension|Score|Issues', 'Accessibility|5|Contrast is low', 'B|5|2', 'C|9|None'], {
      dimensions: ['Accessibility 5', 'B 5', 'C 9'],
      drawn: ['critical -:- Accessibility Contrast is low'],
    }));
  test('without a header', () =>
    run(
      {
        kind: 'table',
        header: [],
        rows: [['A', '5/10'], ['Overall', '6/10'], ['W', '25%'], ['X', 'y'], ['1', '5/10'], ['Z']],
      },
      { dimensions: ['A 5'], score: 6 },
    ));
});

describe('counts', () => {
  test('by severity', () =>
    check(['Severity|Count', 'Critical|1', 'High|0 ✅', 'Total|1', '2|2', 'Low|1.5'], { counted: true, counts: '1000' }));
});

describe('ignored tables', () => {
  test('a history', () => {
    check(['Iteration|Score|Findings', 'Round 1|4/10|many'], {});
    check(['Round|Critical', '1|3'], {});
  });
  test('findings by round', () => {
    check(['Audit|Severity|Issue', 'AUDIT-001|High|m'], { drawn: ['high -:- m'] });
    check(['Round|Issue', '1|Contrast'], { drawn: ['critical -:- Contrast'] });
  });
  test('a legend', () => check(['Severity|Meaning', 'Critical|blocks'], {}));
  test('an inventory', () => check(['Component|Description', 'Button|a button'], { known: false }));
  test('no header', () => run({ kind: 'table', header: [], rows: [['Critical', '2']] }, { known: false }));
});
