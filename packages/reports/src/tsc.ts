// Output of the TypeScript compiler, pretty or plain, once or in watch mode. Silence proves nothing: without a diagnostic the report
// passes only by "Found 0 errors".

import type { Format, FormatReader, ReadOptions } from './format.js';
import { notOutputOf } from './lint-text.js';
import { LineStream, withoutColours } from './line-stream.js';
import { toProjectPath } from './project-path.js';
import type { ReportBuilder } from './report-builder.js';
import type { Severity } from '@umpire/core/model/vocabulary.js';

const DIAGNOSTIC = /(?:^|[ \t])(error|warning|message|suggestion) (TS-?\d{1,9}): /;
const FOUND = /(?:^|[\]-] )Found (\d{1,9}) errors?\b/;
/** Other tools print the same count; only the compiler continues like this. */
const WATCHING = /Found \d{1,9} errors?\. Watching for file changes/;
const STARTS = /Starting (?:incremental )?compilation/;
const SEVERITY: Readonly<Record<string, Severity>> = { error: 'high', warning: 'medium', message: 'low', suggestion: 'low' };
/** Of a diagnostic that explains itself at length. */
const LONGEST_MESSAGE = 500;

export const tsc: Format = {
  id: 'tsc',
  title: 'TypeScript compiler output',
  content: 'findings',
  recognises: ({ kind, lines }) => {
    // "Found 0 errors." and nothing else but the lines that npm prints before a script.
    const said = lines.filter((line) => line !== '' && !line.startsWith('> '));
    const isAllClear = said.length === 1 && /^(?:[^a-z]{1,40} )?Found 0 errors\.?$/.test(said[0] ?? '');
    const isOwnLine = (line: string): boolean => !line.startsWith('{') && (parseDiagnostic(line)?.isPlaced === true || WATCHING.test(line));
    return kind !== 'xml' && (isAllClear || lines.some(isOwnLine));
  },
  open: (report, options) => new TscReader(report, options),
};

interface TscDiagnostic {
  readonly severity: Severity;
  readonly rule: string;
  readonly message: string;
  readonly artifact: string | null;
  readonly line: number | null;
  readonly isPretty: boolean;
  /** In one of the compiler's own forms; another tool may have put words of its own before it. */
  readonly isPlaced: boolean;
}

function parseDiagnostic(text: string): TscDiagnostic | null {
  const match = DIAGNOSTIC.exec(text);
  if (match === null || text.startsWith(' ')) return null;
  const [whole, word = '', rule = ''] = match;
  const head = text.slice(0, match.index).trimEnd();
  const place = parsePosition(head);
  return {
    severity: SEVERITY[word] ?? 'high',
    rule,
    message: text.slice(match.index + whole.length),
    artifact: place?.path ?? null,
    line: place?.line ?? null,
    isPretty: place?.isPretty ?? false,
    isPlaced: head === '' || place !== null,
  };
}

/** `src/a.ts(3,7):` or `src/a.ts:3:7 -` */
function parsePosition(head: string): { readonly path: string; readonly line: number; readonly isPretty: boolean } | null {
  const plain = /\((\d{1,9}),\d{1,9}\):$/.exec(head.slice(-24));
  if (plain !== null) return { path: head.slice(0, -plain[0].length), line: Number(plain[1]), isPretty: false };
  const pretty = /:(\d{1,9}):\d{1,9} -$/.exec(head.slice(-24));
  return pretty === null ? null : { path: head.slice(0, -pretty[0].length), line: Number(pretty[1]), isPretty: true };
}

class TscReader implements FormatReader {
  private readonly lines = new LineStream((text) => this.take(text));
  private pending: { readonly diagnostic: TscDiagnostic; message: string } | null = null;
  private errors = 0;
  private diagnostics = 0;
  /** The compiler's own count, once it has given it. */
  private found: number | null = null;
  private isPretty = false;
  private compilations = 0;
  private first = '';

  constructor(
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  end(): void {
    const line = this.lines.end();
    this.settle();
    const { report, found, errors } = this;
    if (this.compilations > 1) report.note(`the output has ${this.compilations} compilations; the last one counts`);
    if (found === null && (this.isPretty || this.compilations > 0)) report.failCutOff('before "Found N errors"', { line });
    else if (found === null && this.diagnostics === 0)
      report.fail(notOutputOf('tsc', 'a diagnostic', '"Found 0 errors"', this.first), { line: 1 });
    report.compareStated('errors', found, errors, 'failures');
  }

  private take(line: string): void {
    const text = withoutColours(line).trimEnd();
    if (this.first === '') this.first = text.trim();
    const diagnostic = parseDiagnostic(text);
    if (diagnostic !== null) {
      this.settle();
      this.pending = { diagnostic, message: diagnostic.message };
      this.isPretty ||= diagnostic.isPretty;
      this.diagnostics += 1;
      if (diagnostic.severity === 'high') this.errors += 1;
    } else if (STARTS.test(text)) this.startAgain();
    else if (FOUND.test(text)) this.found = Math.max(this.found ?? 0, Number(FOUND.exec(text)?.[1]));
    else if (text.startsWith('  ') && this.pending !== null) this.explain(text);
    else this.settle();
  }

  /** In watch mode earlier diagnostics no longer count. */
  private startAgain(): void {
    this.pending = null;
    this.report.forgetFindings();
    this.errors = 0;
    this.diagnostics = 0;
    this.found = null;
    this.compilations += 1;
  }

  private explain(text: string): void {
    if (this.pending !== null && this.pending.message.length < LONGEST_MESSAGE) this.pending.message += ` ${text.trim()}`;
  }

  private settle(): void {
    if (this.pending === null) return;
    const { diagnostic, message } = this.pending;
    const { severity, rule, artifact, line } = diagnostic;
    this.report.addFinding({
      severity,
      rule,
      message,
      artifact: artifact === null ? null : toProjectPath(artifact, this.options.root),
      line,
    });
    this.pending = null;
  }
}
