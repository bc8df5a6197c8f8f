// What Minitest prints: each test with `--verbose`, else only those that failed; failures are described at the end, in Rails at once.

import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import type { Format, ReadOptions } from './format.js';
import { PrintedReader, type PrintedTest, tellLine } from './printed-tests.js';
import { toProjectPath } from './project-path.js';
import { type ReportBuilder, toMilliseconds } from './report-builder.js';

/** `CartTest#test_adds = 0.00 s = .`; what the test printed may stand before the time. */
const TEST = /^(\S.*?#test_.*?) =(?: (.*))?$/;
const END = /(?:^|\D)(\d+\.\d+) s = ([.FESR])$/;
const ENDS: ReadonlyMap<string, TestStatus> = new Map([
  ['.', 'passed'],
  ['F', 'failed'],
  ['E', 'errored'],
  ['S', 'skipped'],
]);
const DESCRIBED = /^(?: +\d+\) )?(Failure|Error|Skipped):$/;
const DESCRIBED_ENDS: ReadonlyMap<string, TestStatus> = new Map([
  ['Failure', 'failed'],
  ['Error', 'errored'],
  ['Skipped', 'skipped'],
]);
const SUMMARY = /^(\d{1,9}) (?:runs|tests), \d{1,9} assertions, (\d{1,9}) failures, (\d{1,9}) errors, (\d{1,9}) skips$/;

class MinitestReader extends PrintedReader {
  /** A test that began, and whose end is on a later line. */
  private begun: string | null = null;
  /** The kind of the next description. */
  private kind: TestStatus | null = null;
  private described: PrintedTest | null = null;

  constructor(
    report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {
    super(report);
  }

  protected take(line: string): void {
    const kind = DESCRIBED.exec(line)?.[1];
    const summary = SUMMARY.exec(line);
    if (kind !== undefined) {
      this.kind = DESCRIBED_ENDS.get(kind) ?? null;
      this.described = null;
    } else if (summary !== null) {
      const [ran = 0, failed = 0, errored = 0, skipped = 0] = summary.slice(1).map(Number);
      this.tests.state({ passed: Math.max(0, ran - failed - errored - skipped), failed, errored, skipped });
      this.described = null;
    } else if (this.kind !== null) this.describe(line, this.kind);
    else if (this.described === null) this.takeTest(line);
    // Rails says how to run it again, and goes on.
    else if (/^(?:\S*rails|rake) test /.test(line)) this.described = null;
    else tellLine(this.described, line);
  }

  private takeTest(line: string): void {
    const [, name, said = line] = TEST.exec(line) ?? [];
    if (name !== undefined) this.begun = nameTest(name);
    const [, seconds = '', word = ''] = END.exec(said) ?? [];
    if (this.begun === null || word === '') return;
    this.tests.add(this.begun, ENDS.get(word) ?? 'errored', { durationMs: toMilliseconds(Number(seconds)) });
    this.begun = null;
  }

  /** `CartTest#test_remove [test/cart_test.rb:11]:` */
  private describe(line: string, status: TestStatus): void {
    const [, name, path, at] = /^(.+?)(?: \[(.+?):(\d+)\])?:$/.exec(line) ?? [];
    this.kind = null;
    if (name === undefined) return;
    this.described = this.tests.describe(nameTest(name), status);
    if (path !== undefined) this.described.message = `${toProjectPath(path, this.options.root) ?? path}:${at}: `;
  }

  protected finish(line: number): void {
    if (this.begun !== null) tellLine(this.tests.add(this.begun, 'errored'), 'the test began and did not end');
    this.tests.settle(this.report, line, '--verbose');
  }
}

/** Tests of a spec carry their number, which changes with each test before them. */
function nameTest(name: string): string {
  const at = name.indexOf('#test_');
  return at < 0 ? name : `${name.slice(0, at)} > ${name.slice(at + 1).replace(/^test_\d{4,}_/, '')}`;
}

export const minitest: Format = {
  id: 'minitest',
  title: 'Minitest output',
  content: 'tests',
  recognises: ({ kind, lines }) => kind === 'text' && lines.some((line) => SUMMARY.test(line) || /^Run options: .*--seed \d+$/.test(line)),
  open: (report, options) => new MinitestReader(report, options),
};
