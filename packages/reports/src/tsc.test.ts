import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAny, readAs } from '../../../test/support/report-text.js';
import { tsc } from './tsc.js';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/tsc', name), 'utf8');

const FOUND = [
  ['TS2322', 'a.ts', 1, "Type 'string' is not assignable to type 'number'."],
  ['TS2322', 'a.ts', 3, "Type 'string' is not assignable to type 'number'."],
  ['TS2345', 'a.ts', 5, "Argument of type 'number' is not assignable to parameter of type 'string'."],
  ['TS2345', 'b.ts', 1, "Argument of type 'number' is not assignable to parameter of type 'string'."],
  ['TS2322', 'b.ts', 1, "Type 'number' is not assignable to type 'string'."],
] as const;

function brief(report: ReturnType<typeof readAny>) {
  const { format, outcome, counts, problems, findings } = report;
  return {
    format,
    outcome,
    counts,
    problems,
    findings: findings.map(({ rule, artifact, line, message }) => [rule, artifact, line, message]),
  };
}

const FIVE = { format: 'tsc', outcome: 'fail', counts: { critical: 0, high: 5, medium: 0, low: 0 }, problems: [], findings: FOUND };

describe('output of tsc', () => {
  it.each(['plain.txt', 'pretty.txt', 'watch.txt'])('%s, whatever the pieces', (name) => {
    expect(brief(readAny(fixture(name)))).toEqual(FIVE);
    for (const step of [1, 7]) expect(brief(readAs(tsc, fixture(name), {}, step))).toEqual(FIVE);
  });

  it('counts the last compilation of a watch', () => {
    const again = '12:27:09 PM - File change detected. Starting incremental compilation...\n\n';
    const clean = `${fixture('watch.txt')}${again}12:27:09 PM - Found 0 errors. Watching for file changes.\n`;
    expect(brief(readAny(clean))).toEqual({
      format: 'tsc',
      outcome: 'pass',
      counts: { critical: 0, high: 0, medium: 0, low: 0 },
      problems: [{ message: 'the output has 2 compilations; the last one counts' }],
      findings: [],
    });
    expect(brief(readAny(fixture('watch.txt') + again))).toMatchObject({
      outcome: 'error',
      problems: [
        { message: expect.stringContaining('compilations') },
        { message: expect.stringContaining('the report ends before "Found N errors"') },
      ],
    });
  });

  it('is known by "Found 0 errors" alone, and not by the same words among others', () => {
    const clean = { format: 'tsc', outcome: 'pass', counts: { critical: 0, high: 0, medium: 0, low: 0 }, problems: [], findings: [] };
    for (const text of ['Found 0 errors.\n', '\n> shop@1.0.0 types\n> tsc --noEmit\n\n[10:00:01 AM] Found 0 errors.\n', 'Found 0 errors'])
      expect(brief(readAny(text))).toEqual(clean);
    for (const text of ['Found 0 errors in 3 files.\n', 'Linting\nFound 0 errors.\n', 'Found 2 errors.\n'])
      expect(readAny(text)).toMatchObject({ format: 'unknown', outcome: 'error' });
  });

  it('says how far a cut-off output was read', () => {
    const cut = fixture('pretty.txt').slice(0, fixture('pretty.txt').indexOf('Found 5'));
    expect(brief(readAny(cut))).toMatchObject({
      outcome: 'error',
      problems: [
        {
          message: 'the report ends before "Found N errors", after 5 findings; it was cut off or is still being written',
          line: 31,
        },
      ],
    });
  });

  it('reads errors without a place, details, warnings and absolute paths', () => {
    const text = [
      "error TS6053: File 'x.ts' not found.",
      '  The file is in the program because:',
      '    Root file specified for compilation',
      '    error TS1: as another message quotes it',
      "/project/src/deep(1).ts(12,3): warning TS6133: 'a' is declared but its value is never read.\r",
      'C:\\project\\b.ts(4,1): message TS1: m',
      'ci | error TS9: told by another tool',
      '',
    ].join('\n');
    expect(brief(readAny(text, { root: '/project' })).findings).toEqual([
      [
        'TS6053',
        null,
        null,
        "File 'x.ts' not found. The file is in the program because: Root file specified for compilation error TS1: as another message quotes it",
      ],
      ['TS9', null, null, 'told by another tool'],
      ['TS6133', 'src/deep(1).ts', 12, "'a' is declared but its value is never read."],
      ['TS1', 'project/b.ts', 4, 'm'],
    ]);
  });

  it('takes the worse of the count and the diagnostics', () => {
    expect(readAs(tsc, 'Found 3 errors.\n')).toMatchObject({
      outcome: 'fail',
      problems: [{ message: 'the report states 3 errors but lists 0; counted as failed' }],
    });
    expect(readAs(tsc, 'a.ts(1,1): error TS1: m\nFound 0 errors.\n')).toMatchObject({
      outcome: 'fail',
      problems: [{ message: 'the report states 0 errors but lists 1; the listed ones count' }],
    });
  });

  it('passes only where the compiler says so', () => {
    expect(readAs(tsc, 'Found 0 errors.\n')).toMatchObject({ outcome: 'pass', problems: [] });
    expect(readAs(tsc, 'sh: 1: tsc: not found\n')).toMatchObject({
      outcome: 'error',
      problems: [
        {
          message:
            'the report has neither a diagnostic nor "Found 0 errors"; expected output of tsc, but it begins with "sh: 1: tsc: not found"',
          line: 1,
        },
      ],
    });
    expect(readAny('', { format: tsc })).toMatchObject({ format: 'tsc', outcome: 'error' });
  });

  it('leaves the counts of other tools alone', () => {
    expect(readAny('Found 3 errors in 1 file (checked 2 source files)\n')).toMatchObject({ format: 'mypy', outcome: 'fail' });
    expect(readAny('Found 3 problems in 1 file (2 of them can be fixed)\n')).toMatchObject({ format: 'unknown', outcome: 'error' });
  });
});
