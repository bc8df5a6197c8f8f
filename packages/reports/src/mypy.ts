// What mypy prints, as lines or with `--output json`: errors with their places become findings, notes belong to them. Silence is no
// proof: it passes only by "Success". An error that kept mypy from checking the rest leaves the report unread.

import type { ToolReport } from '@umpire/core/model.js';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import type { Format, Head, ReadOptions, ReportReader } from './format.js';
import { counted } from './json-reader.js';
import { lineIn, textIn } from '@umpire/core/formats/json-values.js';
import { LineStream, withoutColours } from './line-stream.js';
import { placeInProject } from './places.js';
import { Sheet } from './sheet.js';

/** `a.py:3: error: …`, `a.py:3:7: error: …`, with its end `a.py:3:7:3:9: error: …`, of a whole file `a.py: error: …`. */
const DIAGNOSTIC = /^(.+?)(?::(\d{1,9}))?(?::\d{1,9})?(?::(\d{1,9}):\d{1,9})?: (error|warning|note): (.*)$/;
const CODE = / {2}\[([a-z][a-z0-9-]{0,60})\]$/;
const SUCCESS = /^Success: no issues found in (\d{1,9}) source files?$/;
const FOUND = /^Found (\d{1,9}) errors? in \d{1,9} files? \((?:checked (\d{1,9}) source files?|(errors prevented further checking))\)$/;
const PYTHON = /\.(?:pyi?|ipynb)$/;
const LOOKED_AT = 64 * 1024;

export const mypy: Format = {
  id: 'mypy',
  title: 'mypy output',
  recognises: ({ kind, isArray, keys, text }: Head) =>
    kind === 'text'
      ? looksLikeMypy(withoutColours(text.slice(0, LOOKED_AT)))
      : kind === 'json' && !isArray && ['file', 'line', 'column', 'message', 'severity', 'code'].every((key) => keys.has(key)),
  open: (options: ReadOptions) => new MypyReader(options),
};

function looksLikeMypy(text: string): boolean {
  return text.split('\n').some((line) => {
    const plain = line.trimEnd();
    return SUCCESS.test(plain) || FOUND.test(plain) || PYTHON.test(DIAGNOSTIC.exec(plain)?.[1] ?? '');
  });
}

interface Diagnostic {
  readonly path: string;
  readonly line: number | null;
  readonly endLine: number | null;
  readonly severity: string;
  readonly message: string;
  readonly rule: string | null;
}

class MypyReader implements ReportReader {
  private readonly lines = new LineStream(({ text }) => this.take(withoutColours(text).trimEnd()));
  private readonly sheet: Sheet;
  private errors = 0;
  /** Its own count, once it has given it. */
  private stated: number | null = null;
  private first = '';

  constructor(private readonly options: ReadOptions) {
    this.sheet = new Sheet('mypy', 'findings', options);
  }

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  end(): ToolReport {
    this.lines.end();
    const { sheet, stated, errors } = this;
    if (stated === null && errors === 0) {
      const start = JSON.stringify(this.first.slice(0, 60));
      sheet.fail(`there is neither an error nor "Success" in it; expected output of mypy, and it begins with ${start}`, { line: 1 });
    }
    if (stated !== null && stated > errors)
      sheet.saysFailed(`it says "Found ${counted(stated, 'error')}", and ${errors} ${errors === 1 ? 'is' : 'are'} in it`);
    return sheet.end();
  }

  private take(text: string): void {
    if (this.first === '') this.first = text.trim();
    const [, found, , prevented] = FOUND.exec(text) ?? [];
    if (SUCCESS.test(text)) this.stated ??= 0;
    if (found !== undefined) this.stated = Number(found);
    if (prevented !== undefined) this.sheet.fail('mypy stopped at an error and checked nothing else');
    const diagnostic = text.startsWith('{') ? fromJson(text) : fromLine(text);
    if (diagnostic === null || diagnostic.severity === 'note') return;
    this.errors += 1;
    const { path, line, endLine, severity, message, rule } = diagnostic;
    this.sheet.finding({
      severity: severity === 'warning' ? 'medium' : 'high',
      message,
      artifact: placeInProject(path, this.options.root),
      line,
      endLine,
      rule,
    });
  }
}

function fromLine(text: string): Diagnostic | null {
  const [whole, path = '', line, endLine, severity = '', said = ''] = DIAGNOSTIC.exec(text) ?? [];
  if (whole === undefined) return null;
  const code = CODE.exec(said);
  return {
    path,
    line: line === undefined ? null : Number(line),
    endLine: endLine === undefined ? null : Number(endLine),
    severity,
    message: code === null ? said : said.slice(0, code.index),
    rule: code?.[1] ?? null,
  };
}

function fromJson(text: string): Diagnostic | null {
  const json = parseJson(text);
  if (!json.ok || !isObject(json.value)) return null;
  const { value } = json;
  const severity = textIn(value, 'severity');
  if (severity === '') return null;
  const rule = textIn(value, 'code') || null;
  return { path: textIn(value, 'file'), line: lineIn(value, 'line'), endLine: null, severity, message: textIn(value, 'message'), rule };
}
