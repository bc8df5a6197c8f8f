// Reports of critics as agents write them. Each row is a report and its expected counts: Critical, High, Medium, Low, and with `+n`
// the lines that carry a severity and could not be read.

import { describe, expect, test } from 'vitest';
import type { Reading } from '../model/vocabulary.js';
import { READERS } from './readers.js';

function read(reader: string, text: string): Reading {
  const result = READERS[reader]?.(text, { path: 'artifacts/report.md' });
  if (result?.ok !== true) throw new Error(result?.unreadable.problem);
  return result.reading;
}

function count(reader: string, text: string): string {
  const { counts, unread = [] } = read(reader, text);
  const digits = counts === undefined ? 'none' : `${counts.critical}${counts.high}${counts.medium}${counts.low}`;
  return unread.length === 0 ? digits : `${digits}+${unread.length}`;
}

const audit = (body: string): string => `# Audit\n\nScore: 9/10\n\n${body}\n`;

describe('a severity in a position where a finding stands is read', () => {
  test.each([
    ['## \u{1f534} Must Fix\n\n- CTA contrast is 2.1:1\n- No focus ring', '2000'],
    ['\u{1f534} **Contrast** - text on primary is 2.1:1', '1000'],
    ['## 1. \u{1f534} CTA contrast\n\nThe label is at 2.1:1.', '1000'],
    ['## 1. \u{1f534} CTA contrast', '1000'],
    ['| Prio | Befund |\n|---|---|\n| Hoch | Kontrast zu gering |\n| Kritisch | Fokus fehlt |', '1100'],
    [
      '| 严重性 | 问题 | 位置 |\n|---|---|---|\n| 严重 | 对比度不足 | a.css:3 |\n| 高 | 缺少悬停状态 | b.css:4 |\n| 低 | 命名 | - |',
      '1101',
    ],
    ['| 重要度 | 指摘 |\n|---|---|\n| 高 | 状態がない |', '0100'],
    ['| Gravité | Constat |\n|---|---|\n| Élevée | Le focus manque |', '0100'],
    ['| Was | Wo | Wie schlimm |\n|---|---|---|\n| Kontrast | a.css | hoch |\n| Fokus | b.css | kritisch |', '1100'],
    ['## Hoch\n\n- Fokus fehlt', '0100'],
    ['## 高\n\n- 缺少悬停状态', '0100'],
    ['## Wichtig\n\n- Fokus fehlt', '0100'],
    ['## Critique\n\n- Le contraste est faible\n\n## Majeur\n\n- Le focus manque', '0200'],
    ['## Crítico\n\n- Falta contraste', '1000'],
    ['2. **Missing hover** \u2014 *Severity: High*', '0100'],
    ['2. **Missing hover** \u2014 *Schweregrad: hoch*', '0100'],
    ['- 【高】缺少悬停状态', '0100'],
    ['- 严重：对比度不足', '1000'],
    ['- **Kritisch**: Kontrast', '1000'],
    ['- It burns \u2014 critical', '1000'],
    ['- a.css:12 | CRITICAL | burns', '1000'],
    ['- **I-1** `CRITICAL` cannot work', '1000'],
    ['- CRIT-1: burns\n- CRITICAL-2 smells', '2000'],
    ['### Cost (HIGH)\n\nToo dear.', '0100'],
    ['#### Finding 2\n- **Severity:** P1\n- **File:** a.ts:3\n- **Issue:** It burns', '0100'],
    ['## Critical accessibility issues\n\n- it burns', '1000'],
    ['## Showstoppers\n\n- it burns', '0100'],
    ['Critical\n--------\n\n* it burns', '1000'],
    ['##Critical\n- it burns', '1000'],
    ['**High Priority**\n1. it burns', '0100'],
    ['- \u274c No label at all', '0100'],
    ['| Critical | High |\n|---|---|\n| 2 | 0 |', '2000'],
    ['| ID | Description | Critical | High |\n|---|---|---|---|\n| 1 | burns | X | |', '1000'],
    ['\u{1f534} 3 \u{1f7e0} 2 \u{1f7e1} 0', '3200'],
    ['Total: 3 (Critical: 1, High: 2)', '1200'],
    ['<h2>Critical</h2>\n<ul><li>it burns</li></ul>', '1000'],
    ['<finding severity="critical">it burns</finding>', '1000'],
    ['```text\n[CRITICAL] it burns (a.css:3)\n```', '1000'],
    ['```yaml\nfindings:\n  - severity: critical\n    message: "it burns"\n```', '1000'],
    ['severity = "critical"\nmessage = "burns"', '1000'],
    ['- {"severity":"critical","message":"it burns"}', '1000'],
    ['| Dimension | Status |\n|---|---|\n| A11y | \u{1f534} |', '1000'],
    ['| Dimension | Score | Status |\n|---|---|---|\n| A11y | 9/10 | \u{1f534} Critical |\n| Motion | 9/10 | \u{1f7e2} |', '1000'],
    ['```\n\u{1f534} CRITICAL: x\n```', '1000'],
    ['Text.\n\n```md\n## Critical\n- x\n```', '1000'],
    ['- **Must fix** x\n\n## Must-fix before merge\n- y', '0200'],
    ['## Previous findings\n\n- Critical: it burns (still open)\n- Critical: it smelt', '1000'],
  ])('%j', (body, expected) => expect(count('audit', audit(body))).toBe(expected));
});

describe('a severity that nothing read makes the report unclear, and a Critical one is a finding', () => {
  test.each([
    ['The review has **3 high** findings in the header.', '0000+1'],
    ['We found 3 high and 1 low issues.', '0000+1'],
    ['We found **3 critical**, 2 high and 1 low issues.', '1000'],
    ['Found 2 critical issues.', '1000'],
    ['The button \u{1f534} burns', '1000'],
    ['The button \u{1f7e0} burns', '0000+1'],
    ['| Part | Remark |\n|---|---|\n| Button | **High** and it burns |', '0000+1'],
    ['## High\n\nNone. However, the button is broken.', '0000+1'],
    ['```\nHIGH: it burns (a.css:3)\n```', '0000+1'],
    ['<p>High: it burns</p>', '0100'],
  ])('%j', (body, expected) => expect(count('audit', audit(body))).toBe(expected));

  test('the note quotes the line and says how to write it', () =>
    expect(read('audit', audit('We found 3 high and 1 low issues.')).notes).toEqual([
      '1 line of the report was not read: "We found 3 high and 1 low issues.". Write each finding as "- [HIGH] text (file:line)", and none as "None"',
    ]));
});

describe('no finding', () => {
  test.each([
    ['CRITICAL:0 HIGH:0 overall good', '0000'],
    ['CRITICAL:0 HIGH:0 MEDIUM:0 LOW:0. Edge cache keys are stable.', '0000'],
    ['LOW:0. Edge cache keys are stable.', '0000'],
    ['### Critical\n\u2705 None', '0000'],
    ['## Critical\n\n*None identified in this pass.*', '0000'],
    ['## Critical\n\nNo issues found.\n\n## High\n\n无', '0000'],
    ['## Kritisch\n\nKeine Befunde.', '0000'],
    ['## Critical\n\n### Summary\n\nThere are no critical findings.', '0000'],
    ['**Critical:** All critical issues from the last round have been resolved.', '0000'],
    ['- \u2705 [CRITICAL] contrast \u2014 fixed\n- [RESOLVED] [CRITICAL] focus ring\n- [x] [HIGH] y\n- ~~[HIGH] z~~\n- [LOW] x', '0001'],
    ['## Resolved\n\n- [HIGH] it burned', '0000'],
    ['- Major: none; Minor: none', '0000'],
    ['**No critical issues.** Nothing critical was found.', '0000'],
    ['\u{1f534} Critical | \u{1f7e0} High | \u{1f7e1} Medium | \u{1f7e2} Low', '0000'],
    ['| Severity | Meaning |\n|---|---|\n| Critical | blocks the release |', '0000'],
    ['| Severity | Count |\n|---|---|\n| Critical | 0 |\n| High | 0 |', '0000'],
    ['Critical thinking is visible. The critical path is short. The contrast is high.', '0000'],
    ['High contrast mode and low-level tokens are covered.', '0000'],
    ['Accessibility: 9/10 (low risk of harm to the high score)', '0000'],
    ['See [High](docs/high.md) and [the guide](b.md).', '0000'],
    ['```js\nif (severity === "high") throw new Error("critical: x");\n```', '0000'],
  ])('%j', (body, expected) => expect(count('audit', audit(body))).toBe(expected));
});

test('the brainstorm loop reads critiques by the same grammar', () => {
  expect(count('critique', '## Hoch\n- Zu teuer')).toBe('0100');
  expect(count('critique', '# Critique\n\n## Challenge 1: Cost (HIGH)\n\nToo dear.\n\nCRITICAL:0 HIGH:1')).toBe('0100');
  expect(count('critique', 'There are 2 high risks here.')).toBe('none+1');
});

test('a report nested or long beyond measure is refused or read, and quickly', () => {
  for (const text of [
    '- '.repeat(5000) + '[HIGH] x',
    '>'.repeat(20_000) + ' [HIGH] x',
    Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n'),
    '<div>'.repeat(20_000),
  ]) {
    const start = performance.now();
    READERS['audit']?.(text, { path: 'a.md' });
    expect(performance.now() - start).toBeLessThan(2000);
  }
});
