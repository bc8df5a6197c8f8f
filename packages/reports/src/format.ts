// A format of tool reports: how it is recognised, and how its bytes are read. formats.ts lists all formats.

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

/** The start of a report, known before it is read. */
export interface Head {
  /** Up to 256 KiB of its start, decoded. */
  readonly text: string;
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

export interface Format {
  /** As `--format` takes it and `read --json` prints it. */
  readonly id: string;
  /** For people: `JUnit XML`. */
  readonly title: string;
  readonly content: ReportContent;
  /** Of several formats that recognise a report, the first in formats.ts wins. */
  recognises(head: Head): boolean;
  open(report: ReportBuilder, options: ReadOptions): FormatReader;
}
