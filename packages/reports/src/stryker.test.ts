import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { stryker } from './stryker.js';
import { openReport } from './open-report.js';

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/stryker', name), 'utf8');

function read(report: unknown): ToolReport {
  const reader = openReport({ format: stryker, root: '/project' });
  reader.write(new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)));
  return reader.end();
}

const notes = (report: unknown): readonly string[] => read(report).problems.map(({ message }) => message);
const mutant = (status: string) => ({ id: '1', mutatorName: 'M', status, location: { start: { line: 4, column: 1 } } });
const report = (statuses: readonly string[], more: object = {}) => ({ files: { 'a.js': { mutants: statuses.map(mutant) } }, ...more });

describe('stryker', () => {
  it('takes a mutant that no test noticed for a finding', () => {
    const { findings, ...rest } = read(fixture('mutation.json'));
    expect(rest).toEqual({
      format: 'stryker',
      outcome: 'pass',
      counts: { critical: 0, high: 0, medium: 2, low: 0 },
      problems: [
        { message: '1 mutant could not be compiled or run; left out of the score' },
        { message: 'mutation score 50: tests detected 2 of 4 mutants' },
      ],
    });
    expect(findings.map(({ severity, message, artifact, line, rule }) => [severity, message, artifact, line, rule])).toEqual([
      ['medium', 'EqualityOperator: no test detects it (amount <= 0)', 'src/price.js', 2, 'EqualityOperator'],
      ['medium', 'StringLiteral: no test reaches it ("")', 'src/price.js', 3, 'StringLiteral'],
    ]);
  });

  it('fails below a limit that the report names, wherever it names it', () => {
    for (const limit of [{ thresholds: { high: 80, low: 60, break: 60 } }, { config: { thresholds: { break: 50.01 } } }]) {
      expect(read(report(['Killed', 'Survived'], limit)).outcome).toBe('fail');
    }
    expect(read(report(['Killed', 'Survived'], { thresholds: { break: 50 } })).outcome).toBe('pass');
    expect(read(report(['Killed', 'Survived'], { thresholds: { break: null } })).outcome).toBe('pass');
  });

  it('counts an unknown state as survived', () => {
    const odd = report(['Killed', 'Dreaming']);
    expect([read(odd).counts?.medium, ...notes(odd)]).toEqual([
      1,
      'unknown mutant status "Dreaming"; counted as survived',
      'mutation score 50: tests detected 1 of 2 mutants',
    ]);
  });

  it.each([
    [{ files: {} }, 'the report has no mutants'],
    [{ files: [] }, '"files" is a list; expected an object with a member for each file'],
    [report(['Ignored', 'CompileError']), '1 mutant could not be compiled or run; left out of the score'],
    [report(['Killed', 'Pending']), '1 mutant still pending: the run is not finished'],
  ])('is an error: %j', (empty, why) => {
    expect([read(empty).outcome, notes(empty)[0]]).toEqual(['error', why]);
  });
});
