// Reads a report of any tool from its bytes: collects the head, recognises the format, and passes everything to its reader.

import { ReportBytes } from './encoding.js';
import { type Format, type FormatReader, type Head, HEAD_BYTES, readHead, type ReadOptions } from './format.js';
import { FORMATS } from './formats.js';
import { ReportBuilder } from './report-builder.js';
import { isObject, parseReport } from '@umpire/core/formats/json-text.js';
import type { ReportProblem, ToolReport } from '@umpire/core/model/vocabulary.js';

export interface OpenOptions extends ReadOptions {
  /** Read in this format, whatever the content. */
  readonly format?: Format;
  /** The file's name: a hint where the content fits several formats. */
  readonly name?: string;
}

export interface OpenReport {
  /** The next bytes, cut anywhere. The chunk is not kept. */
  write(chunk: Uint8Array): void;
  /** No more bytes will come. */
  end(): ToolReport;
}

export function openReport(options: OpenOptions = {}): OpenReport {
  return new RecognisingReader(options);
}

export function formatById(id: string): Format | null {
  return FORMATS.find((format) => format.id === id.toLowerCase()) ?? null;
}

/** JSON is parsed as a whole: 64 MB of it take 300 MB of memory. */
const MOST_JSON_BYTES = 64 * 1024 * 1024;

class RecognisingReader implements OpenReport {
  private readonly bytes = new ReportBytes((piece) => this.take(piece));
  private length = 0;
  /** Until its head is known. */
  private opening: Uint8Array[] = [];
  private head: Head | null = null;
  private format: Format | null;
  private report: ReportBuilder | null = null;
  private reader: FormatReader | null = null;
  /** All of a JSON report. */
  private json: string | null = null;
  /** JSON that is cut off before it shows its format. */
  private cut: ReportProblem | null = null;
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(private readonly options: OpenOptions) {
    this.format = options.format ?? null;
  }

  write(chunk: Uint8Array): void {
    this.bytes.write(chunk);
  }

  end(): ToolReport {
    this.bytes.end();
    const { refused } = this.bytes;
    if (this.length === 0) return this.refuse(refused === null ? { message: EMPTY, line: 1, byte: 0 } : refusedAs(refused));
    if (this.head === null) this.recognise();
    if (this.json !== null && refused === null) {
      const [has, most] = [this.length, MOST_JSON_BYTES].map((bytes) => Math.floor(bytes / 1024 / 1024));
      const advice = 'let the tool write several reports, one for each part';
      if (this.length > MOST_JSON_BYTES)
        return this.refuse({ message: `the report has ${has} MB, and JSON is read up to ${most} MB; ${advice}` });
      this.readJson(`${this.json}${this.decoder.decode()}`);
    }
    this.reader?.end();
    const read = this.report === null ? null : this.report.build();
    // Results from before the refused byte are kept.
    if (refused !== null)
      return read === null
        ? this.refuse(refusedAs(refused))
        : { ...read, outcome: 'error', problems: [refusedAs(refused), ...read.problems] };
    if (this.cut !== null) return { ...this.refuse(this.cut), isCutOff: true };
    return read ?? this.refuse({ message: describeUnknown(this.head), line: 1, byte: 0 });
  }

  private take(piece: Uint8Array): void {
    this.length += piece.length;
    if (this.head === null) {
      this.opening.push(piece.slice());
      if (this.length >= HEAD_BYTES) this.recognise();
    } else this.pass(piece);
  }

  private recognise(): void {
    const bytes = Buffer.concat(this.opening);
    this.opening = [];
    const head = readHead(bytes, this.options.name ?? '');
    this.head = head;
    this.format ??= findFormat(head);
    const { format } = this;
    if (format === null ? head.kind === 'json' : 'read' in format) this.json = '';
    else if (format !== null && 'open' in format) this.reader = format.open(this.begin(format), this.options);
    this.pass(bytes);
  }

  private pass(piece: Uint8Array): void {
    this.reader?.write(piece);
    if (this.json !== null) this.json = this.length > MOST_JSON_BYTES ? '' : this.json + this.decoder.decode(piece, { stream: true });
  }

  private begin({ id, content }: Format): ReportBuilder {
    this.report = new ReportBuilder(id, content, this.options);
    return this.report;
  }

  private readJson(text: string): void {
    this.json = null;
    const parsed = text.trim() === '' ? null : parseReport(text);
    // The head may end before the keys that tell the format.
    if (this.format === null && parsed?.ok === true && this.head !== null) {
      const [first] = Array.isArray(parsed.value) ? (parsed.value as readonly unknown[]) : [parsed.value];
      this.format = findFormat({ ...this.head, text, keys: new Set(isObject(first) ? Object.keys(first) : []) });
    }
    const { format } = this;
    const isCutOff = parsed?.ok === false && parsed.problem.includes(': it ends ');
    if (format === null && isCutOff) this.cut = { message: parsed.problem.replace(/^it/, 'the report'), line: parsed.line };
    if (format === null || !('read' in format)) return;
    const report = this.begin(format);
    if (parsed === null) report.fail('the report is empty; expected JSON');
    else if (parsed.ok) format.read(parsed.value, report, this.options, text);
    else {
      report.isCutOff = isCutOff;
      report.fail(parsed.problem.replace(/^it is not/, 'the report is not'), { line: parsed.line });
    }
  }

  private refuse(problem: ReportProblem): ToolReport {
    return { format: this.format?.id ?? 'unknown', outcome: 'error', findings: [], problems: [problem] };
  }
}

const EMPTY = 'the report is empty; the tool wrote nothing or has not finished';

function findFormat(head: Head): Format | null {
  return FORMATS.find((format) => (head.kind === 'json' || !('read' in format)) && format.recognises(head)) ?? null;
}

function refusedAs({ problem, byte }: { readonly problem: string; readonly byte: number }): ReportProblem {
  return { message: problem, byte };
}

/** For the person who has to name the format. */
function describeUnknown(head: Head | null): string {
  const { text = '', kind = 'text', root = '', keys = new Set<string>(), isArray = false } = head ?? {};
  const start = text.trim().slice(0, 40);
  if (start === '') return 'the report contains only white space';
  const named = [...keys].slice(0, 6).map((key) => JSON.stringify(key.slice(0, 40)));
  let seen = `text that begins with ${JSON.stringify(start)}`;
  if (text.trim() === '[]') seen = 'an empty list, which does not show the tool that wrote it';
  else if (kind === 'xml' && root !== '') seen = `XML with the root element <${root.slice(0, 60)}>`;
  else if (named.length > 0)
    seen = `JSON, ${isArray ? 'a list of objects' : 'an object'} with ${named.join(', ')}${keys.size > 6 ? ', ...' : ''}`;
  return `unknown format: ${seen}. Choose one with --format: ${FORMATS.map((format) => format.id).join(', ')}`;
}
