// A report of any tool, from its bytes: gathers the head, recognises the format, and hands everything to its reader. Nothing here
// touches the disk; engine/read.ts brings the bytes.

import type { ReportProblem, ToolReport } from '@umpire/core/model.js';
import { ReportBytes } from './encoding.js';
import type { Format, Head, ReadOptions, ReportReader } from './format.js';
import { FORMATS } from './formats.js';
import { HEAD_BYTES, headOf } from './recognition.js';

export interface OpenOptions extends ReadOptions {
  /** Read as this, whatever it looks like. */
  readonly format?: Format;
  /** The file's name: a hint where the content fits several formats. */
  readonly name?: string;
  /** Outermost keys of the whole JSON file, where its head did not show enough of them. */
  readonly keys?: ReadonlySet<string>;
}

export interface OpenReport extends ReportReader {
  /** JSON whose head fits no format. A look at the outermost keys of the whole file (top-keys.ts) may still tell. */
  readonly needsKeys: boolean;
}

export function openReport(options: OpenOptions = {}): OpenReport {
  return new Opening(options);
}

export function formatById(id: string): Format | null {
  return FORMATS.find((format) => format.id === id.toLowerCase()) ?? null;
}

class Opening implements OpenReport {
  private readonly bytes = new ReportBytes((piece) => this.take(piece));
  private head: Uint8Array[] = [];
  private headLength = 0;
  private format: Format | null;
  private reader: ReportReader | null = null;
  /** Set once the head fits no format. */
  private stranger: Head | null = null;

  constructor(private readonly options: OpenOptions) {
    this.format = options.format ?? null;
    if (this.format !== null) this.reader = this.format.open(options);
  }

  get needsKeys(): boolean {
    return this.stranger?.kind === 'json' && this.headLength >= HEAD_BYTES && this.options.keys === undefined;
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
    if (this.reader === null) return this.refuse({ message: this.unknown(), line: 1, byte: 0 });
    if (this.headLength === 0) return this.refuse({ message: EMPTY, line: 1, byte: 0 });
    return this.placed(this.reader.end());
  }

  private take(piece: Uint8Array): void {
    this.headLength += piece.length;
    if (this.reader !== null) this.reader.write(piece);
    else if (this.stranger === null) {
      this.head.push(piece.slice());
      if (this.headLength >= HEAD_BYTES) this.recognise();
    }
  }

  private recognise(): void {
    if (this.reader !== null || this.stranger !== null || this.headLength === 0) return;
    const bytes = concat(this.head, this.headLength);
    this.head = [];
    const head = headOf(bytes, this.options.name ?? '', this.options.keys);
    this.format = FORMATS.find((format) => format.recognises(head)) ?? null;
    if (this.format === null) {
      this.stranger = head;
      return;
    }
    this.reader = this.format.open(this.options);
    this.reader.write(bytes);
  }

  private unknown(): string {
    const seen = this.stranger === null ? '' : lookOf(this.stranger);
    if (seen === '') return 'there is nothing but space in it; expected a report';
    return `no known format: ${seen}; expected one of ${FORMATS.map((format) => format.id).join(', ')}; name it with --format`;
  }

  /** What was read before the byte that is no text is kept: how far one came is part of the answer. */
  private refusal(problem: string, byte: number): ToolReport {
    const read = this.reader === null || this.headLength === 0 ? null : this.placed(this.reader.end());
    if (read === null) return this.refuse({ message: problem, byte });
    return { ...read, outcome: 'error', problems: [{ message: problem, byte }, ...read.problems] };
  }

  private refuse(problem: ReportProblem): ToolReport {
    return { format: this.format?.id ?? 'unknown', outcome: 'error', findings: [], problems: [problem] };
  }

  /** Offsets as the file has them. */
  private placed(report: ToolReport): ToolReport {
    const { skipped, isRewritten } = this.bytes;
    if (skipped === 0) return report;
    const problems = report.problems.map(({ byte, ...rest }) =>
      byte === undefined || isRewritten ? rest : { ...rest, byte: byte + skipped },
    );
    return { ...report, problems };
  }
}

const EMPTY = 'it is empty; expected a report: the tool wrote nothing, or has not finished';

/** What one sees at first sight, for the person who has to say what it is. */
function lookOf({ text, kind, root, keys, isArray }: Head): string {
  if (kind === 'xml' && root !== '') return `it is XML with the root element <${root.slice(0, 60)}>`;
  const named = [...keys].slice(0, 6).map((key) => JSON.stringify(key.slice(0, 40)));
  if (named.length > 0)
    return `it is JSON, ${isArray ? 'a list of objects' : 'an object'} with ${named.join(', ')}${keys.size > 6 ? ', ...' : ''}`;
  const start = text.trim().slice(0, 40);
  return start === '' ? '' : `it begins with ${JSON.stringify(start)}`;
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
