// Cover profiles of Go (`-coverprofile`): blocks of statements with how often each ran. Statements count as `go tool cover -func` counts
// them; a line is covered where any of its blocks is.

import { LineCoverage } from './coverage.js';
import type { Format, FormatReader, ReadOptions } from './format.js';
import { LineStream } from './line-stream.js';
import { toProjectPath } from './project-path.js';
import type { ReportBuilder } from './report-builder.js';

const MODE = /^mode: (?:set|count|atomic)$/;
/** `example.com/shop/size.go:3.20,5.2 1 0` */
const BLOCK = /^(.+):(\d{1,9})\.(\d{1,9}),(\d{1,9})\.(\d{1,9}) (\d{1,9}) (\d{1,18})$/;
/** A block of more lines is a mistake of the report. */
const MOST_LINES = 100_000;

interface CoveredBlock {
  readonly first: number;
  readonly last: number;
  readonly statements: number;
  isCovered: boolean;
}

class GoCoverReader implements FormatReader {
  private readonly lines = new LineStream((text, line) => this.take(text, line));
  /** With `-coverpkg` each test program tells of the same blocks again. */
  private readonly files = new Map<string, Map<string, CoveredBlock>>();
  private hasMode = false;
  /** The last line, where it cannot be read: the profile may be cut off there. */
  private unread: { readonly text: string; readonly line: number } | null = null;

  constructor(
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  end(): void {
    this.lines.end();
    const { report, unread } = this;
    if (!this.hasMode) report.fail('the profile has no line "mode: set", "mode: count" or "mode: atomic"');
    if (unread !== null)
      report.fail(`the profile ends with ${JSON.stringify(unread.text.slice(0, 60))}; it was cut off`, { line: unread.line });
    for (const [path, blocks] of this.files) {
      const lines = new LineCoverage();
      let [covered, total] = [0, 0];
      for (const { first, last, statements, isCovered } of blocks.values()) {
        total += statements;
        if (isCovered) covered += statements;
        if (statements > 0) for (let line = first; line <= last; line += 1) lines.addLine(line, isCovered ? 1 : 0);
      }
      lines.addTotal('statements', covered, total);
      report.addSection(path, lines);
    }
  }

  private take(text: string, line: number): void {
    if (this.unread !== null) {
      this.report.drop(
        `${JSON.stringify(this.unread.text.slice(0, 60))} is not a block; expected file:line.column,line.column statements count`,
        {
          line: this.unread.line,
        },
      );
      this.unread = null;
    }
    const [, file = '', from = '', column, to = '', end, statements = '', count = ''] = BLOCK.exec(text) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (MODE.test(text)) this.hasMode = true;
    else if (text.trim() === '') return;
    else if (file === '' || first < 1 || last < first || last - first > MOST_LINES) this.unread = { text, line };
    else {
      const path = toProjectPath(file, this.options.root) ?? file;
      const blocks = this.files.get(path) ?? new Map<string, CoveredBlock>();
      this.files.set(path, blocks);
      const key = `${from}.${column},${to}.${end}`;
      const known = blocks.get(key);
      if (known === undefined) blocks.set(key, { first, last, statements: Number(statements), isCovered: Number(count) > 0 });
      else if (Number(count) > 0) known.isCovered = true;
    }
  }
}

export const goCover: Format = {
  id: 'go-cover',
  title: 'Go cover profile',
  content: 'coverage',
  recognises: ({ kind, lines }) => kind === 'text' && MODE.test(lines.find((line) => line !== '') ?? ''),
  open: (report, options) => new GoCoverReader(report, options),
};
