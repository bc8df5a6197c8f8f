// Linters that write JSON or print lines, on output of the real tools (fixtures/tools); Ruff and newer forms by their documentation.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { formatById, openReport } from './open-report.js';
import { readAny } from '../../../test/support/report-text.js';

const fixture = (path: string): string => readFileSync(join(import.meta.dirname, '../../../fixtures/tools', path), 'utf8');

interface LintReport extends ToolReport {
  readonly checked: readonly (string | number)[];
}

/** Read by what is in it, where no format is named. */
function read(report: unknown, id: string | null = null): LintReport {
  const checked: (string | number)[] = [];
  const checkedFiles = { add: (path: string) => void checked.push(path), count: (files: number) => void checked.push(files) };
  const format = id === null ? null : formatById(id);
  const reader = openReport({ root: '/project', checkedFiles, ...(format === null ? {} : { format }) });
  reader.write(new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)));
  return { ...reader.end(), checked };
}

const brief = ({ findings }: ToolReport): readonly string[] =>
  findings.map(
    ({ severity, rule, artifact, line, endLine, message }) =>
      `${severity} ${rule ?? '-'} ${artifact}:${line}${endLine === undefined ? '' : `-${endLine}`} ${message}`,
  );
const why = ({ problems }: ToolReport): string => problems[0]?.message ?? '';

describe('Flake8', () => {
  it('reads its lines, and how many files it processed', () => {
    const report = read(fixture('flake8/flake8.txt'));
    expect(report).toMatchObject({ format: 'flake8', outcome: 'fail', problems: [], checked: [2] });
    expect(brief(report)).toEqual([
      "high F401 src/text.py:3 'os' imported but unused",
      "high F821 src/text.py:18 undefined name 'nam'",
      'medium W291 src/text.py:8 trailing whitespace',
    ]);
  });

  it('passes where it says that files were processed, and not by silence', () => {
    expect(read(fixture('flake8/clean.txt'))).toMatchObject({ format: 'flake8', outcome: 'pass', problems: [], checked: [1] });
    expect(read('', 'flake8').outcome).toBe('error');
    expect(why(read('Traceback (most recent call last):\n', 'flake8'))).toMatch(/neither a finding nor "total files processed"/);
    expect(why(read('0          total files processed\n', 'flake8'))).toBe('no file was checked: Flake8 counts 0 files');
  });

  it('takes lines of source and sums for what they are', () => {
    expect(brief(read(fixture('flake8/with-source.txt')))).toEqual([
      "high F401 src/text.py:3 'os' imported but unused",
      "high F821 src/text.py:18 undefined name 'nam'",
      'high E999 src/broken.py:1 SyntaxError: invalid syntax',
      'medium W291 src/text.py:8 trailing whitespace',
    ]);
  });

  it("reads Ruff's concise lines, colours and paths of Windows", () => {
    const text =
      '\u001b[1mC:\\work\\a.py\u001b[0m\u001b[36m:\u001b[0m2\u001b[36m:\u001b[0m1: \u001b[31mF541\u001b[0m [*] f-string\r\nFound 1 error.\r\n';
    expect(brief(read(text))).toEqual(['high F541 work/a.py:2 f-string']);
    expect(read('a.c:3:5: E501 no Python\n').format).toBe('unknown');
    expect(read('All checks passed!\n', 'flake8').outcome).toBe('pass');
  });
});

describe('mypy', () => {
  it('reads errors with their places and codes', () => {
    const report = read(fixture('mypy/mypy.txt'));
    expect(report).toMatchObject({ format: 'mypy', outcome: 'fail', problems: [] });
    expect(brief(report)).toEqual([
      'high return-value src/text.py:13 Incompatible return value type (got "int", expected "str")',
      'high name-defined src/text.py:18 Name "nam" is not defined',
    ]);
    expect(brief(read(fixture('mypy/with-ends.txt')))).toEqual(brief(report));
  });

  it('passes by "Success" alone', () => {
    expect(read(fixture('mypy/clean.txt'))).toMatchObject({ format: 'mypy', outcome: 'pass', problems: [] });
    expect(why(read('\n', 'mypy'))).toMatch(/neither a finding nor "Success"/);
  });

  it('W4: is an error where mypy checked no file', () => {
    expect(why(read('Success: no issues found in 0 source files\n'))).toBe('no file was checked: mypy counts 0 files');
  });

  it('is an error where mypy checked nothing else, and keeps what it said', () => {
    const report = read(fixture('mypy/stopped.txt'));
    expect(report).toMatchObject({
      format: 'mypy',
      outcome: 'error',
      problems: [{ message: 'mypy stopped at an error and checked nothing else' }],
    });
    expect(brief(report)).toEqual(['high syntax src/broken.py:1 invalid syntax']);
  });

  it('reads JSON lines, and errors that it counts and does not show', () => {
    const line = { file: 'a.py', line: 3, column: 7, message: 'm', hint: null, code: 'name-defined', severity: 'error' };
    const text = `${JSON.stringify(line)}\n${JSON.stringify({ ...line, severity: 'note' })}\n`;
    expect(brief(read(text))).toEqual(['high name-defined a.py:3 m']);
    expect(read('Found 2 errors in 1 file (checked 1 source file)\n')).toMatchObject({ outcome: 'fail' });
  });
});

describe('Pylint', () => {
  it('reads messages by their symbols', () => {
    const report = read(fixture('pylint/pylint.json'));
    expect(report).toMatchObject({ format: 'pylint', outcome: 'fail', problems: [], counts: { high: 2, medium: 2, low: 1 } });
    expect(brief(report)).toContain('medium unused-import src/text.py:3 Unused import os');
    expect(brief(report)).toContain("high undefined-variable src/text.py:18 Undefined variable 'nam'");
  });

  it('is an error where it could not look, or not load a plugin', () => {
    expect(read(fixture('pylint/fatal.json')).outcome).toBe('error');
    const plugin = {
      type: 'error',
      path: 'Command line',
      symbol: 'bad-plugin-value',
      message: 'no such plugin',
      'message-id': 'E0013',
      line: 1,
    };
    expect(read([plugin])).toMatchObject({
      outcome: 'error',
      problems: [{ message: 'Pylint could not check everything: no such plugin (Command line)' }],
    });
  });

  it('reads json2, which says how many modules there were', () => {
    const message = {
      type: 'refactor',
      symbol: 'too-many-branches',
      message: 'm',
      messageId: 'R0912',
      path: 'a.py',
      line: 2,
      endLine: 4,
      endColumn: 2,
    };
    const report = read({ messages: [message], statistics: { messageTypeCount: {}, modulesLinted: 3, score: 9 } });
    expect(report).toMatchObject({ format: 'pylint', outcome: 'pass', checked: [3] });
    expect(brief(report)).toEqual(['low too-many-branches a.py:2-4 m']);
    expect(read({ messages: [], statistics: { modulesLinted: 3 } }).outcome).toBe('pass');
    const broken = { ...message, type: 'error', symbol: 'syntax-error' };
    expect(read({ messages: [broken], statistics: { modulesLinted: 0 } })).toMatchObject({ outcome: 'fail', problems: [], checked: [1] });
    expect(why(read({ messages: [], statistics: { modulesLinted: 0 } }))).toBe('no file was checked: "modulesLinted" is 0');
  });
});

describe('Pyright', () => {
  it('reads diagnostics, with lines from 1', () => {
    const report = read(fixture('pyright/pyright.json'));
    expect(report).toMatchObject({ format: 'pyright', outcome: 'fail', problems: [], checked: [2] });
    expect(brief(report).slice(-2)).toEqual([
      'high reportReturnType src/text.py:13 Type "int" is not assignable to return type "str" "int" is not assignable to "str"',
      'high reportUndefinedVariable src/text.py:18 "nam" is not defined',
    ]);
  });

  it('passes where files were looked at, and holds the summary against the body', () => {
    const summary = { filesAnalyzed: 2, errorCount: 0, warningCount: 0 };
    expect(read({ version: '1', generalDiagnostics: [], summary })).toMatchObject({ outcome: 'pass', problems: [] });
    expect(why(read({ generalDiagnostics: [], summary: { ...summary, filesAnalyzed: 0 } }))).toBe(
      'no file was checked: "filesAnalyzed" is 0',
    );
    expect(read({ generalDiagnostics: [], summary: { ...summary, errorCount: 1 } }).outcome).toBe('fail');
  });
});

describe('Bandit', () => {
  it('reads issues by their severity, and files that it could not parse', () => {
    const report = read(fixture('bandit/bandit.json'));
    expect(report).toMatchObject({ format: 'bandit', outcome: 'fail', problems: [] });
    expect(brief(report)).toEqual([
      'high unread src/broken.py:null Bandit could not check this file: syntax error while parsing AST from file',
      'medium B303 src/text.py:8 Use of insecure MD2, MD4, MD5, or SHA1 hash function.',
    ]);
    expect(report.checked).toEqual(['src/broken.py', 'src/clean.py', 'src/text.py']);
    expect(report.findings.map(({ dimension }) => dimension)).toEqual(['security', 'security']);
  });

  it('is an error where no file was looked at', () => {
    expect(read({ errors: [], generated_at: 't', metrics: { _totals: {} }, results: [] })).toMatchObject({
      outcome: 'error',
      checked: [0],
    });
  });
});

describe('Ruff', () => {
  const violation = {
    cell: null,
    code: 'F401',
    end_location: { column: 10, row: 1 },
    filename: '/project/src/a.py',
    fix: { applicability: 'safe', edits: [], message: 'Remove it' },
    location: { column: 8, row: 1 },
    message: '`os` imported but unused',
    noqa_row: 1,
    url: 'https://docs.astral.sh/ruff/rules/unused-import',
  };

  it('reads violations, and syntax errors that have no code', () => {
    const broken = {
      ...violation,
      code: null,
      message: 'SyntaxError: Expected an expression',
      location: { column: 1, row: 3 },
      end_location: { column: 1, row: 5 },
    };
    const report = read([violation, broken, { ...violation, code: 'W291' }]);
    expect(report).toMatchObject({ format: 'ruff', outcome: 'fail', problems: [] });
    expect(brief(report)).toEqual([
      'high F401 src/a.py:1 `os` imported but unused',
      'high invalid-syntax src/a.py:3-4 SyntaxError: Expected an expression',
      'medium W291 src/a.py:1 `os` imported but unused',
    ]);
  });

  it('knows no line of a notebook, and no file by an empty list', () => {
    expect(brief(read([{ ...violation, filename: 'a.ipynb', cell: 2 }]))).toEqual(['high F401 a.ipynb:null `os` imported but unused']);
    expect(read([{ ...violation, filename: null, location: null, end_location: null }])).toMatchObject({
      outcome: 'fail',
      findings: [{ artifact: null }],
    });
    expect(why(read('[]', 'ruff'))).toBe('the list is empty, which does not prove that a file was checked');
    expect(why(read({}, 'ruff'))).toMatch(/expected/);
  });
});

it('takes an empty list as Pylint’s where its name or the caller says so', () => {
  expect(read('[]', 'pylint').outcome).toBe('pass');
  expect(readAny('[]\n', { name: 'pylint-report.json' })).toMatchObject({ format: 'pylint', outcome: 'pass' });
  expect(readAny('[]\n', { name: 'report.json' }).problems[0]?.message).toMatch(
    /^unknown format: an empty list, which does not show the tool/,
  );
});

it('takes no usage error of a Python program as a finding of mypy', () => {
  const usage = 'ERROR: usage: __main__.py [options] [file_or_dir]\n__main__.py: error: unrecognized arguments: --nope\n  inifile: None\n';
  expect(readAny(usage)).toMatchObject({ format: 'unknown', outcome: 'error' });
  expect(readAny('a.py: error: Source file found twice under different module names: "a" and "b.a"\n')).toMatchObject({ format: 'mypy' });
});

describe('Biome', () => {
  const notes = (report: unknown) => read(report, 'biome').problems.map(({ message }) => message);

  it('reads the first shape: spans of bytes into a source', () => {
    const { findings, checked, ...rest } = read(fixture('biome/biome-1.json'));
    expect(checked).toEqual([1]);
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
    const { findings, checked, ...rest } = read(fixture('biome/biome-2.json'));
    expect(checked).toEqual([2]);
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
    expect(read({ command: 'lint', diagnostics }, 'biome').findings.map(({ line, endLine }) => [line, endLine])).toEqual([
      [2, 3],
      [2, 4],
      [2, 4],
      [2, undefined],
      [2, undefined],
      [2, undefined],
    ]);
  });

  it('W4: is an error where Biome checked no file', () => {
    const report = { command: 'lint', diagnostics: [], summary: { changed: 0, unchanged: 0, errors: 0, warnings: 0 } };
    expect([read(report, 'biome').outcome, ...notes(report)]).toEqual(['error', 'no file was checked: "changed" and "unchanged" are 0']);
  });

  it('fails where Biome found more errors than it printed', () => {
    const report = {
      summary: { errors: 30, warnings: 0, diagnosticsNotPrinted: 10 },
      diagnostics: [{ severity: 'warning', message: 'x' }],
    };
    expect([read(report, 'biome').outcome, ...notes(report)]).toEqual([
      'fail',
      'the report states 30 errors but lists 0; counted as failed',
      'the report states 0 warnings but lists 1; the listed ones count',
      'Biome left out 10 diagnostics; run it with --max-diagnostics=none',
    ]);
  });

  it.each([
    [{ summary: {}, command: 'lint' }, 'the report has no list of diagnostics; expected an object with "diagnostics"'],
    [{ diagnostics: { a: 1 }, command: 'lint' }, 'the report has no list of diagnostics; expected an object with "diagnostics"'],
  ])('is an error: %j', (report, why) => {
    expect([read(report, 'biome').outcome, notes(report)[0]]).toEqual(['error', why]);
  });
});

describe('oxlint', () => {
  const notes = (report: unknown) => read(report, 'oxlint').problems.map(({ message }) => message);

  it('reads diagnostics', () => {
    const { findings, checked, ...rest } = read(fixture('oxlint/oxlint.json'));
    expect(checked).toEqual([3]);
    expect(rest).toEqual({ format: 'oxlint', outcome: 'fail', counts: { critical: 0, high: 1, medium: 2, low: 0 }, problems: [] });
    expect(findings.map(({ severity, message, artifact, line, rule }) => [severity, message, artifact, line, rule])).toEqual([
      ['high', 'Unexpected token', 'lint-me.js', 6, undefined],
      ['medium', 'Invalid `typeof` comparison value.', 'lint-too.js', 4, 'eslint(valid-typeof)'],
      ['medium', 'Unexpected constant condition', 'lint-too.js', 7, 'eslint(no-constant-condition)'],
    ]);
  });

  it('passes where files were checked and nothing was found', () => {
    expect(read({ diagnostics: [], number_of_files: 3, number_of_rules: 90 }, 'oxlint')).toMatchObject({ outcome: 'pass', problems: [] });
  });

  it.each([
    [{ diagnostics: [], number_of_files: 0 }, 'no file was checked: "number_of_files" is 0'],
    [{ number_of_files: 3 }, 'the report has no list of diagnostics; expected an object with "diagnostics"'],
    [{ diagnostics: ['x'] }, 'a diagnostic is a string; expected an object'],
  ])('is an error: %j', (report, why) => {
    expect([read(report, 'oxlint').outcome, notes(report)[0]]).toEqual(['error', why]);
  });
});
