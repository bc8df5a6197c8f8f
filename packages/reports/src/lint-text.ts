// Linters that print lines: one record each, over one reader. Silence proves nothing: without a finding the report passes only by
// the line in which the tool says that it checked something. The TypeScript compiler, which may watch, is in tsc.ts.

import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { lineIn, textIn } from '@umpire/core/formats/json-values.js';
import type { Format, FormatReader, Head, ReadOptions } from './format.js';
import { pythonCodeSeverity } from './lint-json.js';
import { LineStream, withoutColours } from './line-stream.js';
import { toProjectPath } from './project-path.js';
import { counted, type ReportBuilder, type ReportedFinding } from './report-builder.js';

const PYTHON_FILE = /\.(?:pyi?|ipynb)$/;

interface TextLinter {
  readonly id: string;
  readonly title: string;
  /** The tool's name in messages. */
  readonly tool: string;
  /** Is this line certainly one of the tool's? */
  isOwnLine(line: string): boolean;
  /** Reports that are JSON lines. */
  recognisesJson?(head: Head): boolean;
  /** The finding of a line, its path as printed; null for any other line. */
  findingIn(line: string): ReportedFinding | null;
  /** What a line without a finding says of the run; null where it says nothing. */
  summaryIn(line: string): LintSummary | null;
  /** The line that proves a clean run, for the message that it is missing. */
  readonly proof: string;
}

/** What a linter says of its run as a whole. */
interface LintSummary {
  readonly files?: number;
  readonly findings?: number;
  /** It could not check everything. */
  readonly failure?: string;
}

/** The failure of a report that shows no line of the tool. */
export function notOutputOf(tool: string, what: string, proof: string, firstLine: string): string {
  return `the report has neither ${what} nor ${proof}; expected output of ${tool}, but it begins with ${JSON.stringify(firstLine.slice(0, 60))}`;
}

function textLinter(linter: TextLinter): Format {
  const { id, title } = linter;
  return {
    id,
    title,
    recognises: (head) =>
      head.kind === 'text' ? head.lines.some((line) => linter.isOwnLine(line)) : linter.recognisesJson?.(head) === true,
    content: 'findings',
    open: (report, options) => new TextLintReader(linter, report, options),
  };
}

class TextLintReader implements FormatReader {
  private readonly lines = new LineStream((text) => this.readLine(withoutColours(text).trimEnd()));
  private found = 0;
  private result: LintSummary | null = null;
  private firstLine = '';

  constructor(
    private readonly linter: TextLinter,
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  end(): void {
    this.lines.end();
    const { report, result, found, linter } = this;
    if (result === null && found === 0) report.fail(notOutputOf(linter.tool, 'a finding', linter.proof, this.firstLine), { line: 1 });
    const { files, findings = 0 } = result ?? {};
    if (files !== undefined) this.options.checkedFiles?.count(files);
    if (files === 0) report.fail(`no file was checked: ${linter.tool} counts 0 files`);
    if (findings > found) report.markFailed(`the report states ${counted(findings, 'error')} but lists ${found}; counted as failed`);
  }

  private readLine(line: string): void {
    if (this.firstLine === '') this.firstLine = line.trim();
    const result = this.linter.summaryIn(line);
    if (result !== null) this.result = { ...this.result, ...result };
    if (result?.failure !== undefined) this.report.fail(result.failure);
    const finding = this.linter.findingIn(line);
    if (finding === null) return;
    this.found += 1;
    this.report.addFinding({ ...finding, artifact: toProjectPath(finding.artifact ?? '', this.options.root) });
  }
}

const FLAKE8_FINDING = /^(.+?):(\d{1,9}):(?:\d{1,9}:)? ([A-Z]{1,8}\d{1,5}|invalid-syntax:) ?(.*)$/;
const FLAKE8_FILES = /^(\d{1,9})\s{1,20}total files processed$/;

/** `src/a.py:3:1: F401 'os' imported but unused`; Ruff's `concise` and pycodestyle print the same. `--benchmark` counts the files. */
export const flake8 = textLinter({
  id: 'flake8',
  title: 'Flake8 output',
  tool: 'Flake8',
  isOwnLine: (line) => PYTHON_FILE.test(FLAKE8_FINDING.exec(line)?.[1] ?? '') || FLAKE8_FILES.test(line),
  findingIn: (text) => {
    const [whole, artifact = '', line = '', code = '', message = ''] = FLAKE8_FINDING.exec(text) ?? [];
    if (whole === undefined) return null;
    const rule = code.replace(/:$/, '');
    // Ruff marks what it could fix.
    return { severity: pythonCodeSeverity(rule), message: message.replace(/^\[\*\] /, ''), artifact, line: Number(line), rule };
  },
  summaryIn: (line) => {
    const files = FLAKE8_FILES.exec(line)?.[1];
    if (files !== undefined) return { files: Number(files) };
    return line === 'All checks passed!' ? {} : null;
  },
  proof: '"total files processed"',
});

/** `a.py:3: error: …`, `a.py:3:7: error: …`, with its end `a.py:3:7:3:9: error: …`, of a whole file `a.py: error: …`. */
const MYPY_FINDING = /^(.+?)(?::(\d{1,9}))?(?::\d{1,9})?(?::(\d{1,9}):\d{1,9})?: (error|warning|note): (.*)$/;
/** Of a command line that a Python program did not understand: `__main__.py: error: unrecognized arguments: --cov`. */
const USAGE_ERROR =
  /: error: (?:unrecognized arguments|the following arguments are required|ambiguous option|(?:argument|one of the arguments) \S+)/;
const MYPY_CODE = / {2}\[([a-z][a-z0-9-]{0,60})\]$/;
const MYPY_SUCCESS = /^Success: no issues found in (\d{1,9}) source files?$/;
const MYPY_FOUND =
  /^Found (\d{1,9}) errors? in \d{1,9} files? \((?:checked (\d{1,9}) source files?|(errors prevented further checking))\)$/;

/** Lines, or JSON lines (`--output json`). Notes belong to the error before them. */
export const mypy = textLinter({
  id: 'mypy',
  title: 'mypy output',
  tool: 'mypy',
  isOwnLine: (line) => MYPY_SUCCESS.test(line) || MYPY_FOUND.test(line) || PYTHON_FILE.test(mypyLine(line)?.artifact ?? ''),
  recognisesJson: ({ kind, isArray, keys }) =>
    kind === 'json' && !isArray && ['file', 'line', 'column', 'message', 'severity', 'code'].every((key) => keys.has(key)),
  findingIn: (line) => (line.startsWith('{') ? mypyJson(line) : mypyLine(line)),
  summaryIn: (line) => {
    const [, found, files, prevented] = MYPY_FOUND.exec(line) ?? [];
    if (prevented !== undefined) return { findings: Number(found), failure: 'mypy stopped at an error and checked nothing else' };
    if (found !== undefined) return { findings: Number(found), files: Number(files) };
    const passed = MYPY_SUCCESS.exec(line)?.[1];
    return passed === undefined ? null : { files: Number(passed) };
  },
  proof: '"Success"',
});

function mypyLine(text: string): ReportedFinding | null {
  const [whole, artifact = '', line, endLine, word = '', said = ''] = MYPY_FINDING.exec(text) ?? [];
  if (whole === undefined || word === 'note' || (line === undefined && USAGE_ERROR.test(text))) return null;
  const code = MYPY_CODE.exec(said);
  return {
    severity: word === 'warning' ? 'medium' : 'high',
    message: code === null ? said : said.slice(0, code.index),
    artifact,
    line: line === undefined ? null : Number(line),
    endLine: endLine === undefined ? null : Number(endLine),
    rule: code?.[1] ?? null,
  };
}

function mypyJson(text: string): ReportedFinding | null {
  const json = parseJson(text);
  if (!json.ok || !isObject(json.value)) return null;
  const { value } = json;
  const word = textIn(value, 'severity');
  if (word === '' || word === 'note') return null;
  return {
    severity: word === 'warning' ? 'medium' : 'high',
    message: textIn(value, 'message'),
    artifact: textIn(value, 'file'),
    line: lineIn(value, 'line'),
    rule: textIn(value, 'code') || null,
  };
}
