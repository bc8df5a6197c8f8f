import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { eslint } from './eslint.js';
import { openReport } from './open-report.js';

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/eslint', name), 'utf8');

function read(report: unknown): ToolReport {
  const reader = openReport({ format: eslint, root: '/project' });
  reader.write(new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)));
  return reader.end();
}

const notes = (report: unknown): readonly string[] => read(report).problems.map(({ message }) => message);
const file = (messages: readonly object[], more: object = {}) => ({ filePath: '/project/a.js', messages, ...more });
const none = { critical: 0, high: 0, medium: 0, low: 0 };

describe('eslint', () => {
  it('reads messages by file, a fatal one among them, and no suppressed one', () => {
    const { findings, ...rest } = read(fixture('eslint.json'));
    expect(rest).toEqual({
      format: 'eslint',
      outcome: 'fail',
      counts: { ...none, high: 3, medium: 2 },
      problems: [{ message: '1 fatal message (a file could not be parsed or a rule could not run); counted as High' }],
    });
    expect(findings.map(({ severity, message, artifact, line, rule }) => [severity, message, artifact, line, rule])).toEqual([
      ['high', 'Parsing error: Unexpected token ;', 'lint-me.js', 6, undefined],
      ['high', 'Invalid typeof comparison value.', 'lint-too.js', 4, 'valid-typeof'],
      ['high', "'console' is not defined.", 'lint-too.js', 5, 'no-undef'],
      ['medium', 'Unexpected constant condition.', 'lint-too.js', 7, 'no-constant-condition'],
      ['medium', 'Empty block statement.', 'lint-too.js', 7, 'no-empty'],
    ]);
  });

  it('reads the form with metadata, and passes with warnings only', () => {
    const report = { results: [file([{ severity: 1, message: 'x', ruleId: 'r' }])], metadata: { cwd: '/project' } };
    expect(read(report)).toMatchObject({ outcome: 'pass', counts: { ...none, medium: 1 }, problems: [] });
    expect(read([file([])])).toEqual({ format: 'eslint', outcome: 'pass', findings: [], counts: none, problems: [] });
  });

  it('keeps the last line of a message over several, and the fingerprint that it had', () => {
    const message = { severity: 1, message: 'Too long.', ruleId: 'max-lines', line: 3, column: 1 };
    const ends = [
      { endLine: 9, endColumn: 2 },
      { endLine: 9, endColumn: 1 },
      { endLine: 3, endColumn: 8 },
      { endLine: 4, endColumn: 1 },
    ];
    const { findings } = read([file([message, ...ends.map((end) => ({ ...message, ...end }))])]);
    const plain = { severity: 'medium', message: 'Too long.', artifact: 'a.js', line: 3, rule: 'max-lines' };
    const { fingerprint } = findings[0] ?? {};
    expect(findings).toEqual([
      { ...plain, fingerprint },
      { ...plain, endLine: 9, fingerprint },
      { ...plain, endLine: 8, fingerprint },
      { ...plain, fingerprint },
      { ...plain, fingerprint },
    ]);
  });

  it('fails where the head counts more errors than there are, and counts an unknown severity High', () => {
    const hiding = [file([], { errorCount: 2, warningCount: 1 })];
    expect([read(hiding).outcome, ...notes(hiding)]).toEqual([
      'fail',
      'the report states 2 errors but lists 0; counted as failed',
      'the report states 1 warning but lists 0; the listed ones count',
    ]);
    expect(read([file([{ message: 'x', severity: 9 }])])).toMatchObject({
      outcome: 'fail',
      counts: { ...none, high: 1 },
      problems: [{ message: 'unknown severity "9"; counted as High' }],
    });
  });

  it('takes a file that was ignored for one that nobody looked at', () => {
    const ignored = (path: string) => ({
      filePath: `/project/${path}`,
      messages: [{ fatal: false, severity: 1, message: 'File ignored because of a matching ignore pattern.', ruleId: null }],
      errorCount: 0,
      warningCount: 1,
    });
    const checked: string[] = [];
    const reader = openReport({
      format: eslint,
      root: '/project',
      checkedFiles: { add: (path) => void checked.push(path), count: () => undefined },
    });
    reader.write(new TextEncoder().encode(JSON.stringify([ignored('gen/b.js'), file([])])));
    expect(reader.end()).toEqual({
      format: 'eslint',
      outcome: 'pass',
      findings: [],
      counts: none,
      problems: [{ message: '1 file of 2 was ignored and not checked' }],
    });
    expect(checked).toEqual(['a.js']);
    expect([ignored('b.js'), ignored('c.js')].map((_, index, all) => notes(all.slice(index)))).toEqual([
      ['no file was checked: all 2 are ignored'],
      ['no file was checked: the only one is ignored'],
    ]);
  });

  it.each([
    [[], 'no file was checked: the list is empty'],
    [[{ filePath: 'a.js' }], 'entry 1 has no list "messages"'],
    [[file([7 as unknown as object])], 'a message is a number; expected an object'],
  ])('is an error: %j', (report, why) => {
    expect([read(report).outcome, notes(report)[0]]).toEqual(['error', why]);
  });
});
