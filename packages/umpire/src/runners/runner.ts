// What a test runner is to the critics: where it is, how it is asked for its test files, and how a run is called so that it leaves
// its reports outside the project. One small file a runner; which one a folder has is testing-places.ts's to find.

import type { ToolJob } from './run-tool.js';
import type { RunnerName, ScriptCall } from './package-scripts.js';

/** One runner in one folder of the project. */
export interface TestPlace {
  readonly runner: RunnerName;
  /** Absolute, links resolved. */
  readonly folder: string;
  /** From the project, with forward slashes; empty for the project itself. */
  readonly path: string;
  /** The package's script that calls this runner; null where another sign gave it away. */
  readonly script: ScriptCall | null;
}

/** Which tests are run. Paths are absolute. */
export interface Selection {
  readonly files: readonly string[];
  /** Test files of the place that are not run. Where there are none, the runner need not be told the others. */
  readonly others: readonly string[];
}

export interface ReportAt {
  readonly file: string;
  /** As the readers know it. */
  readonly format: string;
  /** The tool counts lines from 0. */
  readonly countsFromZero?: boolean;
}

export interface RunnerCall {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly tests: ReportAt;
  /** Null where coverage cannot be measured. */
  readonly coverage: ReportAt | null;
}

/** A runner that is there. */
export interface ReadyRunner {
  readonly version: string | null;
  /** Why coverage cannot be measured here, and what to do; null where it can. */
  readonly uncovered: string | null;
  /** How to count source files that no test loads; null where the project's own settings count them. */
  readonly countAllHint: string | null;
  /** How the runner is asked for its test files; null where it cannot be, and `patterns` say which they are. */
  readonly listing: TestFileListing | null;
  /** Of test files, from the folder: where the runner does not answer. */
  readonly patterns: readonly string[];
  /** `scratch`: a folder outside the project, for this call alone. */
  readonly call: (selection: Selection, scratch: string) => RunnerCall;
}

export interface TestFileListing {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The file to read; null: what it prints. */
  readonly file: string | null;
  /** Absolute, or from the folder; null where this is no answer. */
  readonly filesIn: (text: string) => readonly string[] | null;
}

/** `absent`: why the runner cannot be used, and what to do about it. */
export type Preparation = { readonly ready: ReadyRunner } | { readonly absent: string };

/** `scratch`: a folder outside the project. */
export type Prepare = (place: TestPlace, job: ToolJob, scratch: string) => Preparation | Promise<Preparation>;

const JS = '{js,cjs,mjs,jsx,ts,cts,mts,tsx}';

/** Names that every runner of JavaScript takes for tests. */
export const JS_TESTS: readonly string[] = [`**/*.{test,spec}.${JS}`, `**/__tests__/**/*.${JS}`];

/** The list in a text that may have other lines before it; null where there is none. */
export function listIn(text: string): readonly unknown[] | null {
  for (let at = text.indexOf('['); at >= 0; at = text.indexOf('\n[', at) < 0 ? -1 : text.indexOf('\n[', at) + 1) {
    try {
      const value: unknown = JSON.parse(text.slice(at));
      return Array.isArray(value) ? value : null;
    } catch {
      // It was some other line.
    }
  }
  return null;
}
