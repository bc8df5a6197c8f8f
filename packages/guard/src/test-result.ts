// One test as its runner reported it. The reader of the report is the caller's business.

export interface TestResult {
  /** The same from run to run: file or class, suites and name, joined by ` > `. */
  readonly id: string;
  readonly status: 'passed' | 'failed' | 'errored' | 'skipped';
  readonly file: string | null;
}

export function fileOf(result: TestResult): string {
  return result.file ?? result.id.split(' > ')[0] ?? '';
}
