// Reads a report of any tool from its bytes: collects the head, recognises the format, and passes everything to its reader.

import { ReportBytes } from './encoding.js';
import type { Format, FormatReader, Head, ReadOptions } from './format.js';
import { FORMATS } from './formats.js';
import { ReportBuilder } from './report-builder.js';
import { HEAD_BYTES, readHead } from './report-head.js';
import type { ReportProblem, ToolReport } from '@umpire/core/model/vocabulary.js';

export interface OpenOptions extends ReadOptions {
  /** Read in this format, whatever the content. */
  readonly format?: Format;
  /** The file's name: a hint where the content fits several formats. */
  readonly name?: string;
  /** Outermost keys of the whole JSON file, where its head did not show enough of them. */
  readonly keys?: ReadonlySet<string>;
}

export interface OpenReport {
  /** The next bytes, cut anywhere. The chunk is not kept. */
  write(chunk: Uint8Array): void;
  /** No more bytes will come. */
  end(): ToolReport;
  /** JSON whose head fits no format. The outermost keys of the whole file (TopKeys) may still tell the format. */
  readonly needsKeys: boolean;
}

export function openReport(options: OpenOptions = {}): OpenReport {
  return new RecognisingReader(options);
}

export function formatById(id: string): Format | null {
  return FORMATS.find((format) => format.id === id.toLowerCase()) ?? null;
}

class RecognisingReader implements OpenReport {
  private readonly bytes = new ReportBytes((piece) => this.take(piece));
  private head: Uint8Array[] = [];
  private headLength = 0;
  private format: Format | null;
  private reader: FormatReader | null = null;
  private report: ReportBuilder | null = null;
  /** Set once the head fits no format. */
  private unknownHead: Head | null = null;

  constructor(private readonly options: OpenOptions) {
    this.format = options.format ?? null;
    if (this.format !== null) this.reader = this.openReader(this.format);
  }

  get needsKeys(): boolean {
    return this.unknownHead?.kind === 'json' && this.headLength >= HEAD_BYTES && this.options.keys === undefined;
  }

  write(chunk: Uint8Array): void {
    this.bytes.write(chunk);
  }

  end(): ToolReport {
    this.bytes.end();
    if (this.headLength === 0 && this.reader === null && this.bytes.refused === null)
      return this.refuse({ message: EMPTY, line: 1, byte: 0 });
    this.recognise();
    const { refused } = this.bytes;
    if (refused !== null) return this.refusal(refused.problem, refused.byte);
    if (this.headLength === 0) return this.refuse({ message: EMPTY, line: 1, byte: 0 });
    return this.endReader() ?? this.refuse({ message: this.unknown(), line: 1, byte: 0 });
  }

  private take(piece: Uint8Array): void {
    this.headLength += piece.length;
    if (this.reader !== null) this.reader.write(piece);
    else if (this.unknownHead === null) {
      this.head.push(piece.slice());
      if (this.headLength >= HEAD_BYTES) this.recognise();
    }
  }

  private recognise(): void {
    if (this.reader !== null || this.unknownHead !== null || this.headLength === 0) return;
    const bytes = concat(this.head, this.headLength);
    this.head = [];
    const head = readHead(bytes, this.options.name ?? '', this.options.keys);
    this.format = FORMATS.find((format) => format.recognises(head)) ?? null;
    if (this.format === null) {
      this.unknownHead = head;
      return;
    }
    this.reader = this.openReader(this.format);
    this.reader.write(bytes);
  }

  private openReader(format: Format): FormatReader {
    this.report = new ReportBuilder(format.id, format.content, this.options);
    return format.open(this.report, this.options);
  }

  private endReader(): ToolReport | null {
    this.reader?.end();
    return this.report === null ? null : this.withFileOffsets(this.report.build());
  }

  private unknown(): string {
    const seen = this.unknownHead === null ? '' : describeHead(this.unknownHead);
    if (seen === '') return 'the report contains only white space';
    return `unknown format: ${seen}. Choose one with --format: ${FORMATS.map((format) => format.id).join(', ')}`;
  }

  /** Results from before the refused byte are kept. */
  private refusal(problem: string, byte: number): ToolReport {
    const read = this.headLength === 0 ? null : this.endReader();
    if (read === null) return this.refuse({ message: problem, byte });
    return { ...read, outcome: 'error', problems: [{ message: problem, byte }, ...read.problems] };
  }

  private refuse(problem: ReportProblem): ToolReport {
    return { format: this.format?.id ?? 'unknown', outcome: 'error', findings: [], problems: [problem] };
  }

  /** Problems with the offsets of the file. */
  private withFileOffsets(report: ToolReport): ToolReport {
    const { skipped, isRewritten } = this.bytes;
    if (skipped === 0) return report;
    const problems = report.problems.map(({ byte, ...rest }) =>
      byte === undefined || isRewritten ? rest : { ...rest, byte: byte + skipped },
    );
    return { ...report, problems };
  }
}

const EMPTY = 'the report is empty; the tool wrote nothing or has not finished';

/** Describes an unknown report for the person who has to name its format. */
function describeHead({ text, kind, root, keys, isArray }: Head): string {
  if (kind === 'xml' && root !== '') return `XML with the root element <${root.slice(0, 60)}>`;
  const named = [...keys].slice(0, 6).map((key) => JSON.stringify(key.slice(0, 40)));
  if (named.length > 0)
    return `JSON, ${isArray ? 'a list of objects' : 'an object'} with ${named.join(', ')}${keys.size > 6 ? ', ...' : ''}`;
  const start = text.trim().slice(0, 40);
  return start === '' ? '' : `text that begins with ${JSON.stringify(start)}`;
}

function concat(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
