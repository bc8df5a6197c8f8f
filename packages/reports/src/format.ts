// A format of tool reports: how it is recognised by the head of a report, and how it is read. formats.ts lists all formats.

import { withoutColours } from './line-stream.js';
import type { ReportBuilder, ReportContent } from './report-builder.js';

export interface ReadOptions {
  /** The project's absolute path: paths in it become relative. */
  readonly root?: string;
  /** How many tests, findings and files are listed; all are counted. */
  readonly keep?: number;
  /** Receives the files that a linter checked, where the report names or counts them. */
  readonly checkedFiles?: CheckedFiles;
}

export interface CheckedFiles {
  /** One checked file, relative to the project. */
  add(path: string): void;
  /** The number of checked files, where they are not named. */
  count(files: number): void;
}

/** Reads one report into its builder. Readers never throw. */
export interface FormatReader {
  /** The next bytes, UTF-8 without a mark, cut anywhere. The reader must not keep the chunk itself. */
  write(chunk: Uint8Array): void;
  /** No more bytes will come. */
  end(): void;
}

interface FormatRow {
  /** As `--format` takes it and `read --json` prints it. */
  readonly id: string;
  /** For people: `JUnit XML`. */
  readonly title: string;
  readonly content: ReportContent;
  /** Of several formats that recognise a report, the first in formats.ts wins. */
  recognises(head: Head): boolean;
}

/** Read piece by piece. */
interface StreamedFormat extends FormatRow {
  open(report: ReportBuilder, options: ReadOptions): FormatReader;
}

/** Parsed as a whole; it recognises heads of JSON only. No object in `value` gives a key twice. */
export interface JsonFormat extends FormatRow {
  read(value: unknown, report: ReportBuilder, options: ReadOptions, text: string): void;
}

export type Format = StreamedFormat | JsonFormat;

/** The start of a report, known before it is read. */
export interface Head {
  /** Up to 256 KiB of its start, decoded. */
  readonly text: string;
  /** Its lines without colours and white space at their end; none of XML. */
  readonly lines: readonly string[];
  /** The file's name without folders, in lower case; empty where there is none. A hint, never proof. */
  readonly name: string;
  /** `xml`, `json` or `text`, by its first character that is no space. */
  readonly kind: 'xml' | 'json' | 'text';
  /** XML: name of the root element, without a prefix. */
  readonly root: string;
  /** JSON: keys of the outermost object, or of the first object of the outermost array, as far as the head shows them. */
  readonly keys: ReadonlySet<string>;
  /** JSON: is the outermost value an array? */
  readonly isArray: boolean;
}

export const HEAD_BYTES = 256 * 1024;

export function readHead(bytes: Uint8Array, path: string): Head {
  const text = new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES));
  // Builds print `[ 42%]` and `[INFO]`.
  const start = /^\s*(?:<|\{|\[(?=\s*(?:[[{"\]]|$)))/.exec(text)?.[0].at(-1) ?? '';
  const kind = start === '<' ? 'xml' : start === '' ? 'text' : 'json';
  const isArray = start === '[';
  const lines = kind === 'xml' ? [] : withoutColours(text).split('\n');
  return {
    text,
    lines: lines.map((line) => line.trimEnd()),
    name: path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase(),
    kind,
    root: kind === 'xml' ? findRoot(text) : '',
    keys: kind === 'json' ? findKeys(text, isArray ? 2 : 1) : new Set(),
    isArray,
  };
}

/** The first element behind declarations, comments and a DOCTYPE, without its prefix; empty where the head shows none. */
function findRoot(text: string): string {
  const prolog = /\s+|<\?[^]*?\?>|<!--[^]*?-->|<!(?!--)[^>[]*(?:\[[^\]]*\]\s*)?>/y;
  let at = 0;
  while (prolog.test(text)) at = prolog.lastIndex;
  const name = /^<([^\s<>/="'!?]{1,200})/.exec(text.slice(at, at + 210))?.[1] ?? '';
  return name.slice(name.indexOf(':') + 1);
}

/** The keys of the first object at this depth, in JSON that may be cut off. Nothing is checked. */
function findKeys(text: string, wanted: number): ReadonlySet<string> {
  const keys = new Set<string>();
  let depth = 0;
  for (const [token, quoted, colon] of text.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|"[^]*|[{}[\]]/g)) {
    if (quoted !== undefined) {
      if (depth === wanted && colon !== undefined) keys.add(quoted.slice(1, -1));
    } else if (token === '{' || token === '[') depth += 1;
    else {
      depth -= 1;
      if (depth < wanted) break;
    }
  }
  return keys;
}
