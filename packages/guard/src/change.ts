// The change that the guard reads: two versions of each changed file, the rest of the tree on demand, what the runner ran.

export interface FileChange {
  /** Where it lies after the change; before it, when it was deleted. Relative to the project, with `/`. */
  readonly path: string;
  /** Null: the file is new. */
  readonly before: string | null;
  /** Null: the file was deleted. */
  readonly after: string | null;
  readonly renamedFrom?: string;
  /** Why `after` is not what the file holds: it was not read. */
  readonly unread?: string;
  /** The command that is to pass runs it, so it judges. */
  readonly isRun?: boolean;
}

export interface Change {
  readonly files: readonly FileChange[];
}

/** What may change: tests alone, or source too. */
export type GuardScope = 'testing' | 'any';

export interface GuardInput {
  readonly change: Change;
  readonly scope: GuardScope;
  /** A file that the change does not touch. Null where there is none, or where it cannot be read. */
  readonly same?: (path: string) => string | null;
  readonly ran?: { readonly before?: readonly TestResult[]; readonly after?: readonly TestResult[] };
  /** Files with tests that the change is to make pass. */
  readonly goalFiles?: readonly string[];
  /** Tell of tests that can no longer be read: the change is merged by what the guard finds, and by nobody's eyes. */
  readonly mustBeRead?: boolean;
  /** The command that is to pass in the end, where there is one. */
  readonly command?: string;
}

/** One test as its runner reported it. The reader of the report is the caller's business. */
export interface TestResult {
  /** The same from run to run: file or class, suites and name, joined by ` > `. */
  readonly id: string;
  readonly status: 'passed' | 'failed' | 'errored' | 'skipped';
  readonly file: string | null;
}

export function fileOf(result: TestResult): string {
  return result.file ?? result.id.split(' > ')[0] ?? '';
}
