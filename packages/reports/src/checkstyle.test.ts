import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { checkstyle } from './checkstyle.js';
import { openReport } from './open-report.js';
import type { ReadOptions } from './format.js';

const oxlint = readFileSync(join(import.meta.dirname, '../../../fixtures/tools/checkstyle/oxlint.xml'));

function read(text: string | Uint8Array, options: ReadOptions = {}): ToolReport {
  const reader = openReport({ ...options, format: checkstyle });
  reader.write(typeof text === 'string' ? new TextEncoder().encode(text) : text);
  return reader.end();
}

describe('checkstyle', () => {
  it('reads what oxlint writes', () => {
    const { findings, ...rest } = read(oxlint);
    expect(rest).toEqual({ format: 'checkstyle', outcome: 'fail', counts: { critical: 0, high: 1, medium: 1, low: 0 }, problems: [] });
    expect(findings).toEqual([
      {
        severity: 'high',
        message: '`debugger` statement is not allowed',
        artifact: 'lint2.js',
        line: 3,
        rule: 'eslint(no-debugger)',
        fingerprint: findings[0]?.fingerprint,
      },
      {
        severity: 'medium',
        message: "Variable 'unused' is declared but never used. Unused variables should start with a '_'.",
        artifact: 'lint2.js',
        line: 1,
        rule: 'eslint(no-unused-vars)',
        fingerprint: findings[1]?.fingerprint,
      },
    ]);
  });

  it('passes with nothing worse than a warning, and leaves out what is to be ignored', () => {
    const text = `<checkstyle version="8"><file name="/project/src/A.java"><error line="3" severity="info" message="a" source="x.Y"/>
      <error severity="ignore" message="b"/><error line="0" severity="warning" message="c"/></file><file name="B.java"/></checkstyle>`;
    const { outcome, counts, findings } = read(text, { root: '/project' });
    expect([outcome, counts]).toEqual(['pass', { critical: 0, high: 0, medium: 1, low: 1 }]);
    expect(findings.map(({ artifact, line, message }) => [artifact, line, message])).toEqual([
      ['src/A.java', null, 'c'],
      ['src/A.java', 3, 'a'],
    ]);
  });

  it('counts what it does not know as High, and says so', () => {
    const { counts, problems } = read('<checkstyle><file name="a"><error severity="odd"/><error message="m"/></file></checkstyle>');
    expect(counts).toEqual({ critical: 0, high: 2, medium: 0, low: 0 });
    expect(problems).toEqual([{ message: 'unknown severity "odd"; counted as High' }]);
  });

  it('fails where a file could not be checked', () => {
    const text = '<checkstyle><file name="A.java"><exception>\n<![CDATA[no tree]]></exception></file><exception/></checkstyle>';
    const { outcome, problems } = read(text);
    expect([outcome, problems]).toEqual([
      'fail',
      [{ message: 'A.java could not be checked: no tree' }, { message: 'a file could not be checked: the tool gives no reason' }],
    ]);
  });

  it('passes a report without findings, and is an error where it is cut off or empty', () => {
    expect(read('<checkstyle version="4.3"></checkstyle>').outcome).toBe('pass');
    expect(read('')).toMatchObject({
      outcome: 'error',
      problems: [{ message: 'the report is empty; the tool wrote nothing or has not finished' }],
    });
    expect(read(oxlint.subarray(0, oxlint.length - 5))).toMatchObject({
      outcome: 'error',
      problems: [{ message: 'the report ends in the middle of <checkstyle>, after 2 findings; it was cut off or is still being written' }],
    });
  });

  it('is recognised by its root element', () => {
    const head = { text: '', name: '', kind: 'xml', lines: [], root: 'checkstyle', keys: new Set<string>(), isArray: false } as const;
    expect([checkstyle.recognises(head), checkstyle.recognises({ ...head, root: 'coverage' })]).toEqual([true, false]);
  });
});
