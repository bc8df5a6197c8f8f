import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolReport } from '@umpire/core/model.js';
import { oxlint } from './oxlint.js';

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/oxlint', name), 'utf8');

function read(report: unknown): ToolReport {
  const reader = oxlint.open({ root: '/project' });
  reader.write(new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)));
  return reader.end();
}

const notes = (report: unknown): readonly string[] => read(report).problems.map(({ message }) => message);
describe('oxlint', () => {
  it('reads diagnostics', () => {
    const { findings, ...rest } = read(fixture('oxlint.json'));
    expect(rest).toEqual({ format: 'oxlint', outcome: 'fail', counts: { critical: 0, high: 1, medium: 2, low: 0 }, problems: [] });
    expect(findings.map(({ severity, message, artifact, line, rule }) => [severity, message, artifact, line, rule])).toEqual([
      ['high', 'Unexpected token', 'lint-me.js', 6, undefined],
      ['medium', 'Invalid `typeof` comparison value.', 'lint-too.js', 4, 'eslint(valid-typeof)'],
      ['medium', 'Unexpected constant condition', 'lint-too.js', 7, 'eslint(no-constant-condition)'],
    ]);
  });

  it('passes where files were checked and nothing was found', () => {
    expect(read({ diagnostics: [], number_of_files: 3, number_of_rules: 90 })).toMatchObject({ outcome: 'pass', problems: [] });
  });

  it.each([
    [{ diagnostics: [], number_of_files: 0 }, 'no file was checked: "number_of_files" is 0'],
    [{ number_of_files: 3 }, 'there is no list "diagnostics" in it'],
    [{ diagnostics: ['x'] }, 'a diagnostic is a string; expected an object'],
  ])('is an error: %j', (report, why) => {
    expect([read(report).outcome, notes(report)[0]]).toEqual(['error', why]);
  });
});
