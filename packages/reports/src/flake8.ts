// What Flake8 prints, one finding a line: `src/a.py:3:1: F401 'os' imported but unused`. Ruff's `concise` and pycodestyle print the same.
// Silence is no proof: without a finding it passes only where Flake8 says how many files it processed (`--benchmark`).

import type { ToolReport } from '@umpire/core/model.js';
import type { Format, Head, ReadOptions, ReportReader } from './format.js';
import { LineStream, withoutColours } from './line-stream.js';
import { placeInProject } from './places.js';
import { codeSeverity } from './python-codes.js';
import { Sheet } from './sheet.js';

const FINDING = /^(.+?):(\d{1,9}):(?:\d{1,9}:)? ([A-Z]{1,8}\d{1,5}|invalid-syntax:) ?(.*)$/;
/** Ruff's mark of what it could mend. */
const FIXABLE = /^\[\*\] /;
const PROCESSED = /^(\d{1,9})\s{1,20}total files processed$/;
const ALL_CLEAR = /^All checks passed!$/;
const PYTHON = /\.(?:pyi?|ipynb)$/;
const LOOKED_AT = 64 * 1024;

export const flake8: Format = {
  id: 'flake8',
  title: 'Flake8 output',
  recognises: ({ kind, text }: Head) => kind === 'text' && looksLikeFlake8(withoutColours(text.slice(0, LOOKED_AT))),
  open: (options: ReadOptions) => new Flake8Reader(options),
};

function looksLikeFlake8(text: string): boolean {
  return text.split('\n').some((line) => PYTHON.test(FINDING.exec(line.trimEnd())?.[1] ?? '') || PROCESSED.test(line.trimEnd()));
}

class Flake8Reader implements ReportReader {
  private readonly lines = new LineStream(({ text }) => this.take(withoutColours(text).trimEnd()));
  private readonly sheet: Sheet;
  private found = 0;
  private isClear = false;
  private processed: number | null = null;
  private first = '';

  constructor(private readonly options: ReadOptions) {
    this.sheet = new Sheet('flake8', 'findings', options);
  }

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  end(): ToolReport {
    this.lines.end();
    const { sheet, processed } = this;
    if (processed !== null) this.options.looked?.count(processed);
    if (processed === 0) sheet.fail('no file was checked: "total files processed" is 0');
    else if (processed === null && this.found === 0 && !this.isClear) {
      const start = JSON.stringify(this.first.slice(0, 60));
      sheet.fail(`there is neither a finding nor "total files processed" in it; expected output of Flake8, and it begins with ${start}`, {
        line: 1,
      });
    }
    return sheet.end();
  }

  /** What is no finding is a line of source below one, or a sum: neither says anything new. */
  private take(text: string): void {
    if (this.first === '') this.first = text.trim();
    const processed = PROCESSED.exec(text)?.[1];
    if (processed !== undefined) this.processed = Number(processed);
    if (ALL_CLEAR.test(text)) this.isClear = true;
    const [whole, path = '', line = '', code = '', message = ''] = FINDING.exec(text) ?? [];
    if (whole === undefined) return;
    this.found += 1;
    const rule = code.replace(/:$/, '');
    this.sheet.finding({
      severity: codeSeverity(rule),
      message: message.replace(FIXABLE, ''),
      artifact: placeInProject(path, this.options.root),
      line: Number(line),
      rule,
    });
  }
}
