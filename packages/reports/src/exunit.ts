// What Elixir's ExUnit prints: each test with `mix test --trace`, else only those that failed; a failure is described where it happens.

import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import type { Format } from './format.js';
import { PrintedReader, type PrintedTest, tellLine } from './printed-tests.js';
import { toProjectPath } from './project-path.js';
import { counted, toMilliseconds } from './report-builder.js';

/** `CalcTest [test/calc_test.exs]` */
const MODULE = /^([A-Z][\w.]*) \[(\S+\.exs?)\]$/;
/** `  * test adds (0.01ms) [L#6]`; begun, without its end: `  * test adds [L#6]` */
const TEST = /^ {2}\* (.+?)(?: \((?:(\d+(?:\.\d+)?)ms|(skipped|excluded|invalid))\))? \[L#(\d+)\]/;
/** `  1) test adds (CalcTest)` */
const DESCRIBED = /^ {1,4}\d+\) (.+) \(([A-Z][\w.]*)\)$/;
/** `  1) CalcTest: failure on setup_all callback, all tests have been invalidated` */
const SETUP = /^ {1,4}\d+\) ([A-Z][\w.]*): failure on setup_all callback/;
const SUMMARY =
  /^(?:\d{1,9} (?:doctests?|properties|property|features?), )*\d{1,9} (?:doctests?|tests?|properties|property|features?), \d{1,9} failures?\b/;
const BROKEN = /^== Compilation error in file (\S+) ==$/;
const NOTHING = 'There are no tests to run';

class ExunitReader extends PrintedReader {
  private owner = '';
  private file: string | null = null;
  private begun: { readonly id: string; readonly line: number } | null = null;
  private described: PrintedTest | null = null;
  private excluded = 0;
  /** The next line says why code does not compile. */
  private broken: string | null = null;

  protected take(text: string): void {
    // The end of a test is written over its beginning.
    for (const line of text.split('\r')) this.takeLine(line.trimEnd());
  }

  private takeLine(line: string): void {
    const module = MODULE.exec(line);
    const test = TEST.exec(line);
    const described = DESCRIBED.exec(line);
    const setup = SETUP.exec(line)?.[1];
    const broken = BROKEN.exec(line)?.[1];
    if (this.broken !== null) {
      this.report.fail(`${this.broken} does not compile: ${line}`);
      this.broken = null;
    } else if (broken !== undefined) this.broken = broken;
    else if (module !== null) [this.owner, this.file] = [module[1] ?? '', toProjectPath(module[2] ?? '')];
    else if (test !== null) this.takeTest(test);
    else if (described !== null) this.described = this.tests.describe(`${described[2]} > ${described[1]}`, 'failed');
    else if (setup !== undefined) this.described = this.tests.describe(`${setup} > setup_all`, 'errored');
    else if (SUMMARY.test(line)) this.takeSummary(line);
    else if (line === NOTHING) this.tests.state({});
    else if (this.described !== null) this.takeDescription(this.described, line);
  }

  private takeTest([, name = '', time, how, at = '']: RegExpExecArray): void {
    const [id, line] = [`${this.owner} > ${name}`, Number(at)];
    const isEnd = time !== undefined || how !== undefined;
    this.described = null;
    if (!isEnd || this.begun?.id !== id) this.abandon();
    this.begun = isEnd ? null : { id, line };
    if (!isEnd || how === 'excluded') return;
    const status: TestStatus = how === undefined ? 'passed' : how === 'skipped' ? 'skipped' : 'errored';
    this.tests.add(id, status, { file: this.file, line, durationMs: time === undefined ? null : toMilliseconds(Number(time) / 1000) });
  }

  private abandon(): void {
    if (this.begun === null) return;
    const { id, line } = this.begun;
    tellLine(this.tests.add(id, 'errored', { file: this.file, line }), 'the test began and did not end');
    this.begun = null;
  }

  /** Its place, then what it said, down to the stack or the next line that is not indented. */
  private takeDescription(test: PrintedTest, line: string): void {
    const [, path, at] = /^ {5}(\S+\.exs?):(\d+)$/.exec(line) ?? [];
    if (line.trim() === 'stacktrace:' || (line !== '' && !line.startsWith('     '))) this.described = null;
    else if (path !== undefined && test.message === '') [test.file, test.line] = [toProjectPath(path), Number(at)];
    else if (line !== '') tellLine(test, line.slice(5));
  }

  private takeSummary(line: string): void {
    const count = (words: RegExp): number =>
      [...line.matchAll(/(\d{1,9}) ([a-z]+)/g)].reduce((sum, [, found, word = '']) => sum + (words.test(word) ? Number(found) : 0), 0);
    const [failed, errored, skipped, excluded] = [count(/^failures?$/), count(/^invalid$/), count(/^skipped$/), count(/^excluded$/)];
    const total = count(/^(?:doctests?|tests?|properties|property|features?)$/);
    // Whether setup failed is no test.
    const setups = this.tests.countIds((id) => id.endsWith(' > setup_all'));
    this.tests.state({ passed: Math.max(0, total - failed - errored - skipped - excluded), failed, errored: errored + setups, skipped });
    this.excluded += excluded;
    this.described = null;
  }

  protected finish(line: number): void {
    this.abandon();
    if (this.excluded > 0) this.report.note(`${counted(this.excluded, 'test')} ${this.excluded === 1 ? 'was' : 'were'} excluded`);
    this.tests.settle(this.report, line, 'mix test --trace');
  }
}

export const exunit: Format = {
  id: 'exunit',
  title: 'ExUnit output',
  content: 'tests',
  recognises: ({ kind, lines }) =>
    kind === 'text' && lines.some((line) => SUMMARY.test(line) || TEST.test(line) || BROKEN.test(line) || line === NOTHING),
  open: (report) => new ExunitReader(report),
};
