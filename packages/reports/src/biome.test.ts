import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolReport } from '@umpire/core/model.js';
import { biome } from './biome.js';

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/biome', name), 'utf8');

function read(report: unknown): ToolReport {
  const reader = biome.open({ root: '/project' });
  reader.write(new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)));
  return reader.end();
}

const notes = (report: unknown): readonly string[] => read(report).problems.map(({ message }) => message);
describe('biome', () => {
  it('reads the first shape: spans of bytes into a source', () => {
    const { findings, ...rest } = read(fixture('biome-1.json'));
    expect(rest).toEqual({ format: 'biome', outcome: 'fail', counts: { critical: 0, high: 1, medium: 1, low: 0 }, problems: [] });
    expect(findings.map(({ severity, message, artifact, line, rule }) => [severity, message, artifact, line, rule])).toEqual([
      [
        'high',
        'Use === instead of ==. == is only allowed when comparing against null',
        'src/price.js',
        3,
        'lint/suspicious/noDoubleEquals',
      ],
      [
        'medium',
        'The computed expression can be simplified without the use of a string literal.',
        'src/label.js',
        null,
        'lint/complexity/useLiteralKeys',
      ],
    ]);
  });

  it('reads the second shape: lines', () => {
    const { findings, ...rest } = read(fixture('biome-2.json'));
    expect(rest).toEqual({ format: 'biome', outcome: 'fail', counts: { critical: 0, high: 1, medium: 0, low: 1 }, problems: [] });
    expect(findings.map(({ severity, message, artifact, line, rule }) => [severity, message, artifact, line, rule])).toEqual([
      ['high', 'This variable is unused.', 'src/price.js', 7, 'lint/correctness/noUnusedVariables'],
      ['low', 'Template literals are preferred over string concatenation.', 'src/label.js', 3, 'lint/style/useTemplate'],
    ]);
  });

  it('keeps the last line of what spans several, by lines and by bytes', () => {
    const lines = { path: 'a.js', start: { line: 2, column: 3 }, end: { line: 4, column: 1 } };
    const source = 'ä\nb {\n c\n}\n';
    const bytes = (...span: readonly number[]) => ({ path: { file: 'a.js' }, span, sourceCode: source });
    const diagnostics = [lines, bytes(3, 12), bytes(3, 11), bytes(3, 6), bytes(3, 3), bytes(3)].map((location) => ({
      severity: 'warning',
      message: 'x',
      location,
    }));
    expect(read({ command: 'lint', diagnostics }).findings.map(({ line, endLine }) => [line, endLine])).toEqual([
      [2, 3],
      [2, 4],
      [2, 4],
      [2, undefined],
      [2, undefined],
      [2, undefined],
    ]);
  });

  it('fails where Biome found more errors than it printed', () => {
    const report = {
      summary: { errors: 30, warnings: 0, diagnosticsNotPrinted: 10 },
      diagnostics: [{ severity: 'warning', message: 'x' }],
    };
    expect([read(report).outcome, ...notes(report)]).toEqual([
      'fail',
      'its head says 30 errors, its body has 0; it counts as failed',
      'its head says 0 warnings, its body has 1; the body holds',
      '10 diagnostics were left out by Biome; run it with --max-diagnostics=none',
    ]);
  });

  it.each([
    [{ summary: {}, command: 'lint' }, 'there is no list "diagnostics" in it'],
    [{ diagnostics: { a: 1 }, command: 'lint' }, '"diagnostics" is an object; expected a list'],
  ])('is an error: %j', (report, why) => {
    expect([read(report).outcome, notes(report)[0]]).toEqual(['error', why]);
  });
});
