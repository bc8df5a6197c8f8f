// What PHPUnit 9 and later print: each test with `--testdox` or `--debug`, else only those that failed; failures are described at the end.

import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import type { Format, ReadOptions } from './format.js';
import { PrintedReader, type PrintedTest, tellLine } from './printed-tests.js';
import { toProjectPath } from './project-path.js';
import { type ReportBuilder, toMilliseconds } from './report-builder.js';

/** ` ✔ Adds [2.02 ms]` */
const DOX = /^ ([✔✘⚠↩∅☢]) (.+?)(?: \[(\d+\.\d+) (ms|s)\])?$/u;
const DOX_ENDS: ReadonlyMap<string, TestStatus> = new Map([
  ['✔', 'passed'],
  ['✘', 'failed'],
  // Of a test that passed with a warning or a deprecation, or made no assertion.
  ['⚠', 'passed'],
  ['☢', 'passed'],
  ['↩', 'skipped'],
  ['∅', 'skipped'],
]);
/** `--debug`, from PHPUnit 10 on */
const EVENT = /^Test (Passed|Failed|Errored|Skipped|Marked Incomplete) \((.+?)\)$/;
const EVENT_ENDS: ReadonlyMap<string, TestStatus> = new Map([
  ['Passed', 'passed'],
  ['Failed', 'failed'],
  ['Errored', 'errored'],
  ['Skipped', 'skipped'],
  ['Marked Incomplete', 'skipped'],
]);
const KINDS =
  /^There (?:was|were) \d+ (?:\w+ )*?(error|failure|skipped test|incomplete test|risky test|warning|deprecation|notice)s?(?: .*)?:$/;
const KIND_ENDS: ReadonlyMap<string, TestStatus> = new Map([
  ['error', 'errored'],
  ['failure', 'failed'],
  ['skipped test', 'skipped'],
  ['incomplete test', 'skipped'],
]);
const OK = /^OK \((\d{1,9}) tests?, \d+ assertions?\)$/;
const COUNTS = /^Tests: \d{1,9}, Assertions: \d+/;
const VERSION = /^PHPUnit \d+\.\d+\S* by Sebastian Bergmann/;
const NOTHING = /^No tests (?:executed|found)/;

class PhpunitReader extends PrintedReader {
  /** The class or its description above the lines of `--testdox`. */
  private owner = '';
  private kind: TestStatus | null = null;
  private described: PrintedTest | null = null;
  /** The tests that failed are told once more at the end. */
  private isRepeating = false;

  constructor(
    report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {
    super(report);
  }

  protected take(line: string): void {
    const dox = DOX.exec(line);
    const event = EVENT.exec(line);
    const kinds = KINDS.exec(line)?.[1];
    const passed = OK.exec(line)?.[1];
    if (line === 'Summary of non-successful tests:' || line.startsWith('Summary of tests with ')) this.isRepeating = true;
    else if (dox !== null && !this.isRepeating) this.takeDox(dox);
    else if (event !== null) this.tests.add(nameTest(event[2] ?? ''), EVENT_ENDS.get(event[1] ?? '') ?? 'errored');
    else if (kinds !== undefined) [this.kind, this.described] = [KIND_ENDS.get(kinds) ?? null, null];
    else if (passed !== undefined) this.tests.state({ passed: Number(passed) });
    else if (NOTHING.test(line)) this.tests.state({});
    else if (COUNTS.test(line)) this.takeCounts(line);
    else this.takeDescription(line);
  }

  private takeDox([, mark = '', name = '', time, unit]: RegExpExecArray): void {
    const durationMs = time === undefined ? null : toMilliseconds(Number(time) / (unit === 'ms' ? 1000 : 1));
    this.described = this.tests.add([this.owner, name].filter((part) => part !== '').join(' > '), DOX_ENDS.get(mark) ?? 'errored', {
      durationMs,
    });
  }

  private takeDescription(line: string): void {
    const [, told] = /^ {3}[│├┐┊┴]\s?(.*)$/.exec(line) ?? [];
    const [, name] = /^\d+\) (\S+::.+)$/.exec(line) ?? [];
    const [, path, at] = /^(\/.+|[A-Z]:\\.+):([1-9]\d{0,8})$/.exec(line) ?? [];
    if (name !== undefined) this.described = this.kind === null ? null : this.tests.describe(nameTest(name), this.kind);
    else if (/^(?:--|ERRORS!|FAILURES!|OK, but .*|WARNINGS!)$/.test(line)) this.described = null;
    else if (this.described !== null && (told !== undefined || this.kind !== null))
      tellLine(this.described, told?.replace(/^ /, '') ?? line);
    else if (line !== '' && !line.startsWith(' ')) this.owner = /\(([\w\\]+)\)$/.exec(line)?.[1] ?? line;
    if (this.described === null || path === undefined || this.kind === null) return;
    this.described.file ??= toProjectPath(path, this.options.root);
    this.described.line ??= Number(at);
  }

  /** `Tests: 10, Assertions: 6, Errors: 1, Failures: 2, Skipped: 1, Incomplete: 1, Risky: 1.` */
  private takeCounts(line: string): void {
    const counts = new Map([...line.matchAll(/([A-Z][A-Za-z ]*): (\d{1,9})/g)].map(([, key = '', count]) => [key, Number(count)]));
    const count = (key: string): number => counts.get(key) ?? 0;
    const [failed, errored, skipped] = [count('Failures'), count('Errors'), count('Skipped') + count('Incomplete')];
    this.tests.state({ passed: Math.max(0, count('Tests') - failed - errored - skipped), failed, errored, skipped });
  }

  protected finish(line: number): void {
    this.tests.settle(this.report, line, '--testdox');
  }
}

/** `CartTest::testNumbers with data set "other" (1, 2)` */
function nameTest(name: string): string {
  return name.replace('::', ' > ').replace(/( with data set (?:".*?"|#\d+)) \(.*\)$/, '$1');
}

export const phpunitText: Format = {
  id: 'phpunit-text',
  title: 'PHPUnit output',
  content: 'tests',
  recognises: ({ kind, lines }) => kind === 'text' && lines.some((line) => VERSION.test(line)),
  open: (report, options) => new PhpunitReader(report, options),
};
