// The nouns of design tokens: a token, a file of them, what is wrong in it. Types only; token-file.ts reads files into these.

import type { Severity } from '@umpire/core/model/vocabulary.js';

/** The two modes of colour that a set is asked for. */
export type Theme = 'light' | 'dark';

/** Where something stands, for a finding. */
export interface TokenPlace {
  /** The token's path, its names joined by dots. */
  readonly path: string;
  readonly file: string;
  readonly line: number;
}

export interface Token extends TokenPlace {
  readonly segments: readonly string[];
  /** Its own `$type`, or the nearest group's. Null: it comes from the token that it refers to, or there is none. */
  readonly type: string | null;
  readonly value: unknown;
  readonly deprecated: boolean;
  /** Values by mode, as tools write them into `$extensions`. */
  readonly modes: ReadonlyMap<string, unknown>;
  /** The mode of colour that it holds for, by a group or name of its path; null: every one that its file holds for. */
  readonly theme: Theme | null;
  /** The path without the mode. */
  readonly role: string;
  /** Of the role, in lower case. */
  readonly words: readonly string[];
}

/** One thing that is wrong, before the same causes are put together. */
export interface TokenFault extends TokenPlace {
  readonly rule: string;
  readonly severity: Severity;
  /** What is wrong, without the token's name: `"blue" is no colour`. */
  readonly cause: string;
}

export interface TokenFile {
  readonly file: string;
  readonly tokens: readonly Token[];
  readonly faults: readonly TokenFault[];
  /** Names of all groups, as paths. */
  readonly groups: ReadonlySet<string>;
  /** The whole document, for JSON pointers: few files have one, so it is made when it is asked for. */
  readonly root: () => unknown;
  /** What a resolver document says of other files: path as written there, by mode. */
  readonly themedFiles: readonly { readonly path: string; readonly theme: Theme }[];
  /** It could not be read at all: what is wrong and on which line. */
  readonly unreadable: { readonly problem: string; readonly line: number } | null;
}
