// What the TypeScript compiler prints, for a terminal or plain: diagnostics with their places become findings. Silence is no proof:
// a text without a diagnostic passes only where the compiler says "Found 0 errors".

import type { Severity, ToolReport } from '@umpire/core/model.js';
import type { Format, Head, ReadOptions, ReportReader } from './format.js';
import { LineStream, withoutColours, type Line } from './line-stream.js';
import { counted } from './json-reader.js';
import { placeInProject } from './places.js';
import { Sheet } from './sheet.js';

const DIAGNOSTIC = /(?:^|[ \t])(error|warning|message|suggestion) (TS-?\d{1,9}): /;
const FOUND = /(?:^|[\]-] )Found (\d{1,9}) errors?\b/;
/** Other tools count what they found in the same words; only the compiler goes on like this. */
const WATCHING = /Found \d{1,9} errors?\. Watching for file changes/;
const STARTS = /Starting (?:incremental )?compilation/;
const SEVERITY: Readonly<Record<string, Severity>> = { error: 'high', warning: 'medium', message: 'low', suggestion: 'low' };
/** Of a diagnostic that explains itself at length. */
const LONGEST_MESSAGE = 500;
const LOOKED_AT = 64 * 1024;

export const tsc: Format = {
  id: 'tsc',
  title: 'TypeScript compiler output',
  recognises: ({ kind, text }: Head) => kind !== 'xml' && looksLikeTsc(withoutColours(text.slice(0, LOOKED_AT))),
  open: (options: ReadOptions) => new TscReader(options),
};

function looksLikeTsc(text: string): boolean {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return isAllClear(lines) || lines.some((line) => !line.startsWith('{') && (partsOf(line)?.isPlaced === true || WATCHING.test(line)));
}

/** "Found 0 errors." and nothing else but the lines that npm prints before a script. */
function isAllClear(lines: readonly string[]): boolean {
  const said = lines.filter((line) => line !== '' && !line.startsWith('> '));
  return said.length === 1 && /^(?:[^a-z]{1,40} )?Found 0 errors\.?$/.test(said[0] ?? '');
}

interface Diagnostic {
  readonly severity: Severity;
  readonly rule: string;
  readonly message: string;
  readonly artifact: string | null;
  readonly line: number | null;
  readonly isPretty: boolean;
  /** In one of the compiler's own forms; another tool may have put words of its own before it. */
  readonly isPlaced: boolean;
}

function partsOf(text: string): Diagnostic | null {
  const match = DIAGNOSTIC.exec(text);
  if (match === null || text.startsWith(' ')) return null;
  const [whole, word = '', rule = ''] = match;
  const head = text.slice(0, match.index).trimEnd();
  const place = placeOf(head);
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
function placeOf(head: string): { readonly path: string; readonly line: number; readonly isPretty: boolean } | null {
  const plain = /\((\d{1,9}),\d{1,9}\):$/.exec(head.slice(-24));
  if (plain !== null) return { path: head.slice(0, -plain[0].length), line: Number(plain[1]), isPretty: false };
  const pretty = /:(\d{1,9}):\d{1,9} -$/.exec(head.slice(-24));
  return pretty === null ? null : { path: head.slice(0, -pretty[0].length), line: Number(pretty[1]), isPretty: true };
}

class TscReader implements ReportReader {
  private readonly lines = new LineStream((line) => this.take(line));
  private sheet: Sheet;
  private pending: { readonly diagnostic: Diagnostic; message: string } | null = null;
  private errors = 0;
  private diagnostics = 0;
  /** The compiler's own count, once it has given it. */
  private found: number | null = null;
  private isPretty = false;
  private compilations = 0;
  private first = '';

  constructor(private readonly options: ReadOptions) {
    this.sheet = this.newSheet();
  }

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  end(): ToolReport {
    const where = this.lines.end();
    this.settle();
    const { sheet, found, errors } = this;
    if (this.compilations > 1) sheet.note(`it tells of ${this.compilations} compilations; the last one counts`);
    if (found === null && (this.isPretty || this.compilations > 0)) {
      const read = `${this.diagnostics} ${this.diagnostics === 1 ? 'diagnostic was' : 'diagnostics were'} read before that`;
      sheet.fail(`it ends before "Found N errors": ${read}; the output was cut off or is still being written`, where);
    } else if (found === null && this.diagnostics === 0) {
      const start = JSON.stringify(this.first.slice(0, 60));
      sheet.fail(`there is neither a diagnostic nor "Found 0 errors" in it; expected output of tsc, and it begins with ${start}`, {
        line: 1,
      });
    }
    if (found !== null && found > errors)
      sheet.saysFailed(`it says "Found ${counted(found, 'error')}", and ${errors} ${errors === 1 ? 'is' : 'are'} in it`);
    else if (found !== null && found < errors)
      sheet.note(
        `it says "Found ${counted(found, 'error')}", but ${errors === 1 ? '1 is in it; that counts' : `${errors} are in it; these count`}`,
      );
    return sheet.end();
  }

  private newSheet(): Sheet {
    return new Sheet('tsc', 'findings', this.options);
  }

  private take(line: Line): void {
    const text = withoutColours(line.text).trimEnd();
    if (this.first === '') this.first = text.trim();
    const diagnostic = partsOf(text);
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

  /** In watch mode what was wrong before the change no longer is. */
  private startAgain(): void {
    this.pending = null;
    this.sheet = this.newSheet();
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
    this.sheet.finding({ severity, rule, message, artifact: artifact === null ? null : placeInProject(artifact, this.options.root), line });
    this.pending = null;
  }
}
