// Reports in which a reader once missed or invented a Critical finding. Each line is a report; the four digits are the expected counts:
// Critical, High, Medium, Low.

import { describe, expect, test } from 'vitest';
import { READERS } from './readers.js';

function counted(reader: string, text: string, path = 'artifacts/report.md'): string {
  const result = READERS[reader]?.(text, { path });
  if (result?.ok !== true) return `refused: ${result?.unreadable.problem ?? ''}`;
  const { counts } = result.reading;
  return counts === undefined ? 'none' : `${counts.critical}${counts.high}${counts.medium}${counts.low}`;
}

function notesOf(reader: string, text: string, path = 'artifacts/report.md'): readonly string[] {
  const result = READERS[reader]?.(text, { path });
  return result?.ok === true ? result.reading.notes : [];
}

const audit = (body: string): string => `# Audit\n\nScore: 9/10\n\n${body}\n`;

describe('finds Critical findings in Markdown', () => {
  test.each([
    ['We found 3 critical, 2 high and 1 low issues.', '1000'],
    ['We found **3 critical**, 2 high and 1 low issues.', '1000'],
    ['Found 2 critical issues.', '1000'],
    ['There are 2 critical findings.', '1000'],
    ['Critical issues found: 3', '3000'],
    ['Number of critical issues: three', '3000'],
    ['No critical issues in Button.\n\nFound 2 critical issues in Card.', '1000'],
    ['CRITICAL Button burns', '1000'],
    ['- Button burns. CRITICAL.', '1000'],
    ['Critical! Button burns', '1000'],
    ['**Finding 1 (Critical)** Button burns', '1000'],
    ['severity = "critical"\nmessage = "burns"', '1000'],
    ['## Critical accessibility issues\n\n- it burns', '1000'],
    ['Critical\n--------\n\n* it burns', '1000'],
    ['- It burns \u2014 critical', '1000'],
    ['- a.css:12 | CRITICAL | burns', '1000'],
    ['- **a.css:13** \u2014 *critical* \u2014 burns', '1000'],
    ['- **I-1** `CRITICAL` cannot work', '1000'],
    ['- CRIT-1: burns\n- CRITICAL-2 smells', '2000'],
    ['- [SEV-1] it burns', '1000'],
    ['```\nCRITICAL: it burns (a.css:3)\n```', '1000'],
    ['```text\n[CRITICAL] it burns (a.css:3)\n```', '1000'],
    ['```yaml\nfindings:\n  - severity: critical\n    message: "it burns"\n  - severity: low\n    status: fixed\n```', '1000'],
    ['<h2>Critical</h2>\n<ul><li>it burns</li></ul>', '1000'],
    ['<table><tr><th>Severity</th><th>Issue</th></tr><tr><td>Critical</td><td>it burns</td></tr></table>', '1000'],
    ['<table>\n<tr>\n<th>Severity</th>\n<th>Issue</th>\n</tr>\n<tr>\n<td>Critical</td>\n<td>it burns</td>\n</tr>\n</table>', '1000'],
    ['<finding severity="critical">it burns</finding>', '1000'],
    ['| Critical | High |\n|---|---|\n| 2 | 0 |', '2000'],
    ['| ID | Description | Critical | High |\n|---|---|---|---|\n| 1 | burns | X | |', '1000'],
    ['| Check | Result |\n|---|---|\n| WCAG contrast | \u274c FAIL |\n| Naming | \u2705 PASS |', '1000'],
    ['## Previous findings\n\n- Critical: it burns (still open)\n- Critical: it smelt', '1000'],
    ['## Previous findings\n\nCritical: it burns, not fixed', '1000'],
    ['{"severity":"critical","message":"it burns"}', '1000'],
    ['- {"severity":"critical","message":"it burns"}\n- {"severity":"low","message":"x"}', '1001'],
    ['- [\u0421RITICAL] it burns', '1000'],
    ['- [\uff23\uff32\uff29\uff34\uff29\uff23\uff21\uff2c] it burns', '1000'],
    ['- [CRIT\u200bICAL] it burns', '1000'],
    ['- \u{1f534} Button has no label\n- \u{1f7e0} x\n- \u{1f7e1} y\n- \u{1f7e2} Colors are fine\n- \u{1f535} z is missing', '1112'],
    ['- \u{1f6a8} Button crashes the page', '1000'],
    ['### \u{1f534} Button burns\n\nOn every page.', '1000'],
    ['\u{1f534} 3 \u{1f7e0} 2 \u{1f7e1} 0', '3200'],
    ['| \u{1f534} | x |\n|---|---|', '0000'],
    ['| Severity | Issue |\n|---|---|\n| \u{1f534} | it burns |', '1000'],
    ['## Catastrophic\n\n- it burns', '0100'],
    ['## Showstoppers\n\n- it burns', '0100'],
    ['- Severity: Severe. it burns', '0100'],
    ['## Must fix\n\n- it burns', '0100'],
    ['## \u4e25\u91cd\n\n- x', '1000'],
    ['- [CRITICAL] header uses position: fixed', '1000'],
    ['- [CRITICAL] All buttons use a fixed width', '1000'],
    ['## Critical\n\nAll buttons use a fixed width, so labels are cut.', '1000'],
  ])('%j', (body, expected) => expect(counted('audit', audit(body))).toBe(expected));
});

describe('invents no finding', () => {
  test.each([
    ['### Critical\n\u2705 None \u2014 great job!', '0000'],
    ['## Critical\n\n*None identified in this pass.*', '0000'],
    ['## Critical\n\nThe audit did not reveal any critical defects.', '0000'],
    ['## Critical\n\nThe review found no issues.', '0000'],
    ['## Critical\n\nZero findings in this category. The component handles all states correctly.', '0000'],
    ['**Critical:** All critical issues from the last round have been resolved.', '0000'],
    ['## Critical\n\n\u65e0', '0000'],
    ['## Critical\n\n### Summary\n\nThere are no critical findings.\n\n### Method\n\nI checked all tokens.', '0000'],
    ['- \u2705 [CRITICAL] contrast \u2014 fixed\n- [RESOLVED] [CRITICAL] focus ring\n- [LOW] x', '0001'],
    ['\u2705 [CRITICAL] contrast\n\n[LOW] x', '0001'],
    ['- Major: none; Minor: none', '0000'],
    ['Total: 3 (Critical: 1, High: 2)', '1200'],
    ['Critical thinking is visible. The critical path is short.', '0000'],
    ['No blocker, critical or major issues were found.', '0000'],
    ['Critical issues must be fixed before release. Any critical issue blocks the release.', '0000'],
    ['2 critical issues from round 1 are fixed; 0 critical issues remain.', '0000'],
    ['The previous critical issue is gone. If a blocker appears, stop.', '0000'],
    ['Severity levels: Critical = blocks release, High = must fix, Medium, Low.', '0000'],
    ['Critical findings would be listed here. It is critical that tokens stay in sync.', '0000'],
    ['Neither critical nor high issues were found. Nothing critical was found.', '0000'],
    ['WCAG 2.1 critical issues: none', '0000'],
  ])('%j', (body, expected) => expect(counted('audit', audit(body))).toBe(expected));

  test('accepts an explicit statement as a report', () => expect(counted('audit', 'All checks passed. No issues found.')).toBe('0000'));
});

describe('finds Critical findings in JSON', () => {
  const base = { review_score: 9, gc_signal: 'CONVERGED' };
  const x = { severity: 'critical', message: 'x' };
  const rules = [{ id: 'r', name: 'R', properties: { 'security-severity': '9.8' } }];
  test.each<[object, string]>([
    [{ files: [{ path: 'a.ts', findings: [x] }] }, '1000'],
    [{ dimensions: { security: { findings: [x] } } }, '1000'],
    [{ categories: [{ name: 'sec', issues: [x] }] }, '1000'],
    [{ sections: [{ title: 's', findings: [x] }] }, '1000'],
    [{ components: { button: { findings: [x, { ...x, status: 'resolved', message: 'y' }] } } }, '1000'],
    [{ comments: [{ severity: 'critical', body: 'x' }] }, '1000'],
    [{ vulnerabilities: [{ severity: 'critical', body: 'x' }] }, '1000'],
    [{ criticalFindings: [{ message: 'x' }], highIssues: ['y'] }, '1100'],
    [{ findings: [{ severity: 'low', message: 'g', children: [x] }] }, '1001'],
    [{ findings: [{ severity: 'low', message: 'x' }], other: { deep: { list: [x] } } }, '1001'],
    [{ history: [x], resolved: [x] }, '0000'],
    [{ runs: [{ results: [{ level: 'error', message: { text: 'x' } }] }] }, '0100'],
    [{ runs: [{ tool: { driver: { rules } }, results: [{ ruleId: 'r', message: { text: 'x' } }] }] }, '1000'],
    [
      {
        runs: [{ results: [{ level: 'note', ruleIndex: 0, message: 'x', properties: { 'security-severity': '9.1' } }, { kind: 'pass' }] }],
      },
      '1000',
    ],
    [{ Findings: [{ Severity: 'CRITICAL', Message: 'x' }] }, '1000'],
    [{ FINDINGS: [{ SEVERITY: 'CRITICAL', MESSAGE: 'x' }] }, '1000'],
    [{ findings: [{ severity_level: 'critical', message: 'x' }] }, '1000'],
    [{ findings: [{ impact: 'critical', message: 'x' }] }, '1000'],
    [{ findings: [{ severity: { level: 'critical' }, message: 'x' }] }, '1000'],
    [{ findings: [{ severity: ['low', 'critical'], message: 'x' }] }, '1000'],
    [{ findings: [{ severity: 'CRITICAL - security', message: 'x' }] }, '1000'],
    [{ findings: [{ severity: 'high', 'security-severity': 9.8, message: 'x' }] }, '1000'],
    [{ findings: [{ cvss: { baseScore: 9.1 }, message: 'x' }] }, '1000'],
    [{ findings: [{ severity: 'odd', security_severity: '4', message: 'x' }] }, '0010'],
    [{ findings: [{ severity: 10, message: 'x' }] }, '1000'],
    [{ findings: [{ severity: '\u0421ritical', message: 'x' }] }, '1000'],
    [{ findings: [{ severity: 'crit\u200bical', message: 'x' }] }, '1000'],
  ])('%j', (members, expected) => {
    expect(counted('review-json', JSON.stringify({ ...base, ...members }))).toBe(expected);
    expect(counted('json', JSON.stringify({ ...base, ...members })).replace('none', '0000')).toBe(expected);
  });

  test('takes the file from the object above', () => {
    const result = READERS['review-json']?.(JSON.stringify({ ...base, files: [{ path: 'src/a.ts', findings: [{ ...x, line: 3 }] }] }), {
      path: 'x',
    });
    expect(result?.ok === true && result.reading.findings[0]).toMatchObject({ artifact: 'src/a.ts', line: 3 });
  });

  test('a dimension that is milder in the list than in its own issues', () => {
    const report = {
      score: 9,
      findings: [{ severity: 'low', message: 'a', dimension: 'A11y' }],
      dimensions: { A11y: { score: 9, issues: [x] } },
    };
    expect(counted('audit', JSON.stringify(report), 'a.json')).toBe('1001');
  });

  test.each([
    ['review-json', '{"findings":[{"severity":"critical","message":"x"}],\n"findings":[]}', 'findings', 2],
    ['review-json', '{"findings":[{"severity":"critical","severit\\u0079":"low"}]}', 'severity', 1],
    ['audit', '{"score":9,"findings":[],"score":3}', 'score', 1],
    ['audit', 'Score: 9/10\n\n```json\n{"findings":[1],"findings":[]}\n```\n', 'findings', 4],
    ['run-json', '{"pass_rate":0.1,"pass_rate":1,"total":1,"passed":1}', 'pass_rate', 1],
    ['validation-json', '\ufeff{"passed":false,"passed":true}', 'passed', 1],
    ['json', '{"a":{"b":1,"c":"b","b":2}}', 'b', 1],
  ])('%s: a key given twice is no evidence: %j', (reader, text, key, line) => {
    expect(counted(reader, text)).toBe(
      `refused: the key "${key}" appears twice in one object (again at line ${line}), so its value is unclear`,
    );
  });

  test('the same key in two objects is no repetition', () =>
    expect(counted('review-json', '{"findings":[{"a":"}"},{"a":1}],"b":{"a":2}}')).toBe('0000'));
});

describe('entries of the board', () => {
  const line = (data: unknown): string => `${JSON.stringify({ worker: 'C-1', type: 'critique', data })}\n`;
  test.each<[string, string]>([
    [line({ Severity: 'CRITICAL', challenge: 'x' }), '1000'],
    [line({ text: '[CRITICAL] x' }), '1000'],
    [line('CRITICAL: x'), '1000'],
    [line([{ severity: 'CRITICAL', message: 'x' }]), '1000'],
    [line({ severity: { level: 'critical' }, challenge: 'x' }), '1000'],
    ['{"worker":"C-1","data":{"severity":"CRITICAL","severity":"LOW"}}\n', '1000'],
  ])('%j', (text, expected) => expect(counted('critique-entries', text)).toBe(expected));
});

describe('the cell severity_summary', () => {
  test.each([
    ['CRITICAL:>0', '1000'],
    ['CRITICAL:>0 HIGH:1', '1100'],
    ['CRITICAL: yes', '1000'],
    ['two critical, one high', '2100'],
    ['C:1 H:2', '1200'],
    ['C1 H2', '1200'],
    ['CRITICAL x1', '1000'],
    ['CRITICAL\u21921', '1000'],
    ['\u{1f534}1 \u{1f7e1}2', '1020'],
    ['CRITICAL: n/a HIGH: -', '0000'],
    ['no critical or high issues', '0000'],
    ['Total: 3 (Critical: 1, High: 2)', '1200'],
    ['{"critical":1}', '1000'],
    ['{critical', '1000'],
  ])('%s', (text, expected) => expect(counted('severity-summary', text)).toBe(expected));

  test('notes unclear counts', () =>
    expect(notesOf('severity-summary', 'CRITICAL:>0')).toEqual(['unclear number of Critical findings in "CRITICAL:>0"; counted 1']));
});

describe('a validation that contradicts itself', () => {
  const good = { passed: true, total_regressions: 0 };
  test.each<[object, number]>([
    [{ findings: [{ severity: 'critical', message: 'x' }] }, 1],
    [{ status: 'failed' }, 1],
    [{ verdict: 'fail' }, 1],
    [{ summary: { total_regressions: 5 } }, 5],
    [{ regressions: { tests: 3, lint: ['a'] } }, 4],
    [{ regressions: 3 }, 3],
    [{ findings: [{ severity: 'low', message: 'x' }], status: 'passed' }, 0],
  ])('%j', (members, total) => {
    const result = READERS['validation-json']?.(JSON.stringify({ ...good, ...members }), { path: 'v.json' });
    expect(result?.ok === true && result.reading.values['total_regressions']).toBe(total);
    expect(result?.ok === true && result.reading.notes.length > 0).toBe(total > 0);
  });

  test.each<[object]>([[{ status: 'passed', new_failures: 2 }], [{ status: 'passed', exit_code: 1 }]])('a check: %j', (tests) => {
    const result = READERS['validation-json']?.(JSON.stringify({ ...good, checks: { tests } }), { path: 'v.json' });
    expect(result?.ok === true && result.reading.values['tests_status']).toBe('failed');
  });
});

describe('a run that broke', () => {
  const run = { layer: 'L1', pass_rate: 1, coverage: 90, total: 10, passed: 10, failed: 0, failures: [] };
  const values = (members: object, path = 'results/run-L1.json'): unknown => {
    const result = READERS['run-json']?.(JSON.stringify({ ...run, ...members }), { path });
    return result?.ok === true ? result.reading.values['failed'] : (result?.unreadable.problem ?? '').split(':')[0];
  };
  test.each<[object, unknown]>([
    [{ errored: 4 }, 4],
    [{ errors: ['cannot find module'] }, 1],
    [{ passed: 7, failed: 2, errored: 1 }, 3],
    [{ exit_code: 1 }, 'exit_code is 1 but no test failed'],
    [{ exit_code: 1, failed: 1, passed: 9 }, 1],
    [{ exit_code: 0 }, 0],
    [{ status: 'timeout' }, 'status is "timeout"'],
    [{ layer: 'L2' }, 'layer is "L2", but the file is named for "L1"'],
    [{ layer: ' l1 ' }, 0],
  ])('%j', (members, expected) => expect(values(members)).toBe(expected));

  test('notes a layer with another name', () => {
    expect(values({}, 'results/run-L1x.json')).toBe(0);
    expect(notesOf('run-json', JSON.stringify(run), 'results\\run-unit.json')).toContain('layer is "L1", but the file is named for "UNIT"');
  });
});
