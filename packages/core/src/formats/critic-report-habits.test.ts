// Reads a critic's Markdown: one small report for each habit of agents.

import { describe, expect, test } from 'vitest';
import { severityOfKind } from './audit-report.js';
import { ReportDraft } from './report-draft.js';
import { readCriticReport } from './critic-report.js';

/** Findings as `severity file:line [dimension] message`, then scores, signal and notes. */
function check(
  text: string,
  findings: readonly string[],
  rest: Readonly<Record<string, unknown>> = {},
  options: ConstructorParameters<typeof ReportDraft>[0] = { classify: severityOfKind, fallback: 'high' },
): void {
  const draft = new ReportDraft(options);
  readCriticReport(text, draft);
  const settled = draft.finish();
  const drawn = settled.findings.map(({ severity, artifact, line, dimension, rule, message }) =>
    [
      severity,
      artifact === null ? '-' : `${artifact}:${line ?? '-'}`,
      dimension === undefined ? null : `[${dimension}]`,
      rule === undefined ? null : `<${rule}>`,
      message,
    ]
      .filter((part) => part !== null)
      .join(' '),
  );
  const dimensions = settled.dimensions.map(({ name, score, threshold }) => `${name} ${score}${threshold === null ? '' : `/${threshold}`}`);
  const counts = Object.values(settled.counts).join('');
  const seen = { drawn, dimensions, score: settled.score, signal: settled.signal, notes: settled.notes, counted: settled.counted, counts };
  const plain = (['critical', 'high', 'medium', 'low'] as const)
    .map((severity) => findings.filter((finding) => finding.startsWith(severity)).length)
    .join('');
  expect(seen).toEqual({
    drawn: findings,
    dimensions: [],
    score: null,
    signal: null,
    notes: [],
    counted: findings.length > 0,
    counts: plain,
    ...rest,
  });
}

describe('words that are links to a line', () => {
  const table = '| Severity | File | Issue |\n|---|---|---|\n| [Critical](a.md:3) | [a.ts](src/a.ts:4) | broken |';
  test('a severity in a table', () => check(table, ['critical src/a.ts:4 broken']));
  test('counts', () =>
    check('| Severity | Count |\n|---|---|\n| [Critical](a.md#L3) | 0 |\n| [High](a.md:4) | 2 |', [], {
      counts: '0200',
      counted: true,
      notes: ['the report states 2 High but lists 0; counted 2'],
    }));
  test('a signal', () => check('Signal: [CONVERGED](log.txt:3)', [], { signal: 'converged' }));
});

describe('severity headings', () => {
  test('bullets', () => check('## Critical\n- a (x.ts:1)\n- b\n## High\n- None', ['critical x.ts:1 a', 'critical - b']));
  test('prose', () =>
    check('## Critical\nThe contrast\nis low.\n## High\nNo issues.\n## Medium\nAll medium issues were resolved.\n## Low\nSee below:', [
      'critical - The contrast is low.',
    ]));
  test('prose beside a list is no finding', () => check('## Critical\nThese block:\n- a\n\nPlease fix.', ['critical - a']));
  test('figures are no findings', () => check('## Critical\n- Total: 3\n## High\nChecked files: 4', []));
  test('a group of a component', () =>
    check('## High\n- **Button**\n  - no hover\n  - no focus\n- `input.md`:\n  - no error\n- Card:\n  - no title', [
      'high - no hover',
      'high - no focus',
      'high input.md:- no error',
      'high - no title',
    ]));
  test('a tag below is the better witness only for the worse', () =>
    check('## Low\n- [HIGH] a\n## Critical\n- [LOW] b\n## Medium/Low\n- [LOW] c', ['high - a', 'critical - b', 'low - c']));
  test('sub-headings are findings', () =>
    check('## Critical\n### C1: Contrast\n- **Where**: a.md:3\n- 2.9:1\n### Icon\nNo name.\n### Accessibility\n- a', [
      'critical a.md:3 Contrast',
      'critical - Icon',
      'critical - [Accessibility] a',
    ]));
  test('a dimension with a score between', () =>
    check('## Critical\n### Accessibility (3/10)\n- a', ['critical - [Accessibility] a'], { dimensions: ['Accessibility 3'] }));
  test('findings heading below', () => check('## Critical\n**Issues**\n- a', ['critical - a']));
  test('counts in headings', () =>
    check('## Critical (2)\n- a', ['critical - a'], { counts: '2000', notes: ['the report states 2 Critical but lists 1; counted 2'] }));
  test('the title itself', () => check('# Critical\n- a', ['critical - a']));
  test('several first-level headings', () => check('# Findings\n- [LOW] a\n# High\n- b', ['low - a', 'high - b']));
});

describe('tags', () => {
  test('in bullets, anywhere', () => check('- [HIGH] a\n- ok\n  - [LOW] b', ['high - a', 'low - b']));
  test('in lines', () => check('[HIGH] a\nCritical: b\n**Low** c\nnot tagged', ['high - a', 'critical - b', 'low - c']));
  test('nested details', () =>
    check('- [HIGH] States\n  - Button: disabled\n  - Location: a.md:4\n  - Severity: Low\n  - [LOW] own', [
      'high a.md:4 States — Button: disabled',
      'low - own',
    ]));
  test('groups', () =>
    check('- **Critical**\n  - a\n- High:\n  - b\n- Medium (1)\n  - c\n- Low issues\n  - none', [
      'critical - a',
      'high - b',
      'medium - c',
    ]));
  test('a tag with nothing', () => check('- [HIGH] none\n- [LOW]\n- [MEDIUM] [finding]', [], { counted: true, notes: expect.anything() }));
});

describe('records', () => {
  test('headings with fields', () =>
    check('## Findings\n### 1. Contrast\n**Severity:** Critical\n**File:** a.css\n**Line:** 7\n**Rule:** 1.4.3\n**Category:** Colour', [
      'critical a.css:7 [Colour] <1.4.3> Contrast',
    ]));
  test('a heading that only numbers', () =>
    check('### Finding 1\n- Severity: High\n- Description: No name\n### Issue 2\n- Severity: Low\n\nThe text', [
      'high - No name',
      'low - The text',
    ]));
  test('a heading that only numbers, without anything else', () => check('### Finding 1\n- Severity: High', ['high - Finding 1']));
  test('numbered headings among findings', () =>
    check('## Findings\n### 1. No focus ring\nIt is gone.\n### 2. Other\n- a\n- b', ['critical - No focus ring', 'high - a', 'high - b'], {
      notes: ['a finding has no severity; counted as High: "a"', 'a finding has no severity; counted as High: "b"'],
    }));
  test('notes and nits are Low among findings, and remarks elsewhere', () => {
    check('## Findings\n### Critical\nNone.\n### Notes\n- a\n- [HIGH] b\n### Nits\n- c', ['low - a', 'high - b', 'low - c']);
    check('## Findings\n- [HIGH] a\n### Additional notes:\n- b', ['high - a', 'low - b']);
    check('## High\n- a\n## Notes\n- b\n## Additional notes\n- c', ['high - a']);
    check('## Findings\n- Nit: a\n- **Nitpick:** b', ['low - a', 'low - b']);
    check('## Findings\n### 📝 Other notes (1)\n- a\n### Notes: 1\n- b', ['low - a', 'low - b'], {
      counts: '0002',
      notes: expect.anything(),
    });
  });
  test.each([
    ['### Notes\n**Severity:** Critical\nAnyone can read them.', ['critical - Notes']],
    ['### 1. Patient notes\nThere is no limit to their length.', ['high - Patient notes']],
    ['### Security notes\n- a', ['high - a']],
    ['### 🔴 Notes\n- a', ['critical - a']],
    ['### Unresolved notes\n- a', ['high - a']],
  ])('notes that say that they are more stay what they were: %s', (text, findings) =>
    check(`## Findings\n${text}`, findings, { notes: expect.anything() }),
  );
  test('tagged headings', () =>
    check('### [HIGH] One\n- a\n### Critical: Two\nb\n### Cost (LOW)\n- a\n- b', ['high - One', 'critical - Two', 'low - a', 'low - b']));
  test('paragraphs', () =>
    check('severity: P1\nfile: a.ts\nlines: 4-9\ntitle: One\n\nseverity: odd\ndescription: Two', ['high a.ts:4 One', 'high - Two'], {
      notes: ['unknown severity "odd"; counted as High'],
    }));
  test('items with fields', () =>
    check(
      '- Finding 1\n  - Severity: High (blocking)\n  - Issue: a\n- Contrast\n  Severity: Low\n- x\n  - Severity: [level]',
      ['high - a', 'low - Contrast', 'high - x'],
      { notes: ['a finding has no severity; counted as High: "x"'] },
    ));
});

describe('dimensions', () => {
  test('issues and praise', () =>
    check(
      '## Accessibility (4/10)\n- ✅ Labels\n- ❌ Odd order\n- Ring missing\n- Fine\n- No contrast failures\n**Strengths**\n- no clutter\n**Issues**\n- Fine too',
      ['critical - [Accessibility] Odd order', 'critical - [Accessibility] Fine too'],
      {
        dimensions: ['Accessibility 4'],
      },
    ));
  test('nested in a bullet', () =>
    check('- Accessibility: 4/10\n  - [HIGH] Ring missing\n- Score: 7/10', ['high - [Accessibility] Ring missing'], {
      dimensions: ['Accessibility 4'],
      score: 7,
    }));
  test('score lines in a section', () =>
    check('## Accessibility\nScore: 5\nThreshold: >= 7\nWeight: 25%\n## Summary\nScore: 6\n', [], {
      dimensions: ['Accessibility 5/7'],
      score: 6,
    }));
  test('a threshold without a score', () => check('## Accessibility\nThreshold: 7', []));
  test('listed scores', () => check('## Scores\n- Consistency: 7\n- Weight: 20%\n- Layers: many', [], { dimensions: ['Consistency 7'] }));
  test('several scores', () =>
    check('Score: 7/10\nOverall score: 5/10\nScore: 12/10', [], {
      score: 5,
      notes: ['the score 12 is not between 0 and 10; ignored', 'the report gives several scores, 5, 7; using the lowest'],
    }));
  test('a dimension twice', () =>
    check('- Motion: 7/10\n- motion: 4/10\n- Touch: 11/10', [], {
      dimensions: ['Motion 4'],
      notes: ['"motion" is scored twice, 7 and 4; using the lower', 'the score 11 of "Touch" is not between 0 and 10; ignored'],
    }));
  test('a score in a heading of the whole', () =>
    check('# Audit: 7/10\n## Overall score: 6/10', [], { score: 6, notes: ['the report gives several scores, 6, 7; using the lowest'] }));
});

describe('findings without a severity', () => {
  test('classed by kind', () =>
    check(
      '## Findings\n- Contrast is low\n- Inconsistent radii\n- Rename x\n- A style preference\n- Odd',
      ['critical - Contrast is low', 'high - Inconsistent radii', 'medium - Rename x', 'low - A style preference', 'high - Odd'],
      { notes: ['a finding has no severity; counted as High: "Odd"'] },
    ));
  test('what is marked as good, and figures, are none', () => check('## Findings\n- ✅ Labels\n- Tokens: 12', []));
  test('left out where nobody classes them', () =>
    check('## Findings\n- Odd\n- [LOW] a', ['low - a'], {}, { classify: null, fallback: null }));
});

describe('asides', () => {
  test('praise, history and the done are closed', () =>
    check(
      '## Resolved\n- [HIGH] a\n  - [LOW] b\ntext\n```json\n{"findings": []}\n```\n### Critical\n- c\n## Other\n- [x] [LOW] d\n- ~~[LOW] e~~\n- [x] f',
      [],
      { notes: ['4 findings that the report calls resolved were not counted'] },
    ));
  test('one closed', () =>
    check('## Strengths\n- [LOW] a\n- [HIGH] none', [], { notes: ['one finding that the report calls resolved was not counted'] }));
  test('advice repeats, unless nothing else is said', () =>
    check('## High\n- a\n## Recommendations\n- [HIGH] a again\n- [LOW] b\n- plain', ['high - a', 'low - b']));
  test('advice does not overrule a statement', () =>
    check('## High\n- None\n## Medium: 0\n## Summary\n- [HIGH] a\n- [MEDIUM] b', [], { counted: true }));
  test('nested advice', () =>
    check(
      '- Recommendations:\n  - [LOW] a\n- Fixed:\n  - [LOW] b\n- Issues:\n  - Odd order of tabs and focus order',
      ['critical - Odd order of tabs and focus order', 'low - a'],
      { notes: ['one finding that the report calls resolved was not counted'] },
    ));
});

describe('signals and statements', () => {
  test('a signal', () => check('- **Audit Signal**: `Fix Required`', [], { signal: 'fix_required' }));
  test('another word', () => check('gc_signal: REVISION needed', [], { signal: 'revision_needed' }));
  test('a placeholder', () => check('Signal: [audit_passed | fix_required]\nSignal: audit_passed or fix_required', []));
  test('two signals', () =>
    check('Signal: audit_passed\nSignal: fix_required', [], {
      notes: ['the report gives several signals: audit_passed, fix_required; ignored'],
    }));
  test('none at all', () => check('No issues found.', [], { counted: true }));
  test('a tally', () =>
    check('CRITICAL:0 HIGH:1', [], { counted: true, counts: '0100', notes: ['the report states 1 High but lists 0; counted 1'] }));
});

test('JSON fences are handed back', () => {
  const draft = new ReportDraft({ classify: null, fallback: null });
  expect(readCriticReport('```json\n{}\n```\n```js\nx\n```\n## Resolved\n```json\n1\n```', draft)).toMatchObject([{ line: 2, text: '{}' }]);
});
