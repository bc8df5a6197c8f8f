// What a format of tool reports is: how it is recognised, and a reader that takes its bytes piece by piece. Which formats there
// are is in formats.ts; what every reader gathers its facts in is sheet.ts.

import type { ToolReport } from '@umpire/core/model.js';

export interface ReadOptions {
  /** The project's absolute path: paths in it become relative. */
  readonly root?: string;
  /** How many tests, findings and files are listed; all are counted. */
  readonly keep?: number;
  /** Told of the files that a linter looked at, by reports that say so. */
  readonly looked?: LookedAt;
}

export interface LookedAt {
  /** One of them, relative to the project. */
  file(path: string): void;
  /** How many they were, where they are not named. */
  count(files: number): void;
}

/** Readers never throw. Memory is bounded, whatever the bytes. */
export interface ReportReader {
  /** The next bytes, UTF-8 without a mark, cut anywhere. The reader must not keep the chunk itself. */
  write(chunk: Uint8Array): void;
  /** No more bytes will come. */
  end(): ToolReport;
}

/** What is known of a report before it is read. */
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
  /** Is this such a report? Of several that say yes, the first in formats.ts wins. */
  recognises(head: Head): boolean;
  open(options: ReadOptions): ReportReader;
}
