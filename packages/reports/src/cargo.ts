// What `cargo test` prints: the text of libtest, or its JSON lines (`--format json`), of one test program after another, doc-tests last.
// A program that states no result ended early, and code that does not compile has no tests: both are errors.

import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { countIn, durationIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import type { Format, FormatReader } from './format.js';
import { LineStream, withoutColours } from './line-stream.js';
import { counted, type ReportBuilder, toMilliseconds } from './report-builder.js';

const ENDS: ReadonlyMap<string, TestStatus> = new Map([
  ['ok', 'passed'],
  ['FAILED', 'failed'],
  ['failed', 'failed'],
  ['timeout', 'errored'],
  ['ignored', 'skipped'],
  ['bench:', 'passed'],
]);

const RUNNING = /^running (\d{1,9}) tests?$/;
const RESULT =
  /^test result: (ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; (\d{1,9}) measured; (\d{1,9}) filtered out/;
/** `test money::adds ... ok`, `test money::breaks - should panic ... ok`, `test slow ... ignored, needs a network` */
const TEST = /^test (.{1,1000}?) \.\.\.(?: (.*))?$/;
const END = /(?:^|[^A-Za-z])(ok|FAILED)(?: <\d+\.\d+s>)?$|^(ignored)(?:, .*)?$|^(bench:) /;
/** A doc-test: `src/lib.rs - add (line 7)`, maybe ` - compile fail`. */
const DOC_TEST = /^(.+?\.\w{1,5}) - (.*?) ?\(line (\d{1,9})\)(?: - [a-z ]+)?$/;
const SHOULD_PANIC = / - should panic$/;
const PANICKED = /^thread '.*?' (?:\(\d+\) )?panicked at (.*?):?$/;
export const COMPILE_FAILURE = /^error: could not compile `([^`]+)`( \(.*?\))?/;
const MOST_MESSAGES = 1000;
const LONGEST_OUTPUT = 4000;

interface CargoTest {
  readonly name: string;
  readonly status: TestStatus;
  readonly durationMs: number | null;
}

/** One test program. */
interface CargoRun {
  readonly owner: string;
  readonly planned: number;
  readonly counts: Record<TestStatus, number>;
  /** Messages of those that failed follow when all have ended. */
  readonly tests: CargoTest[];
  readonly messages: Map<string, string>;
  /** Whose output is being read. */
  printed: string | null;
  /** A test that began and whose end is not on the same line. */
  begun: string | null;
}

class CargoReader implements FormatReader {
  private readonly lines = new LineStream((text) => this.take(withoutColours(text).trimEnd()));
  /** The program that cargo named last. */
  private owner = '';
  private run: CargoRun | null = null;
  private filtered = 0;
  private unnamed = 0;
  private firstError = '';
  /** Did the program that cargo named last run tests? */
  private hasRun = true;

  constructor(private readonly report: ReportBuilder) {}

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  end(): void {
    const line = this.lines.end();
    const { report } = this;
    if (this.run !== null) {
      this.abandon();
      report.failCutOff('before "test result"', { line });
    }
    if (this.unnamed > 0)
      report.note(`${counted(this.unnamed, 'test')} ${this.unnamed === 1 ? 'is' : 'are'} not named; cargo test without -q names all`);
    if (this.filtered > 0) report.note(`${counted(this.filtered, 'test')} ${this.filtered === 1 ? 'was' : 'were'} filtered out`);
  }

  private take(line: string): void {
    if (line.startsWith('{')) return this.takeJson(line);
    const planned = RUNNING.exec(line)?.[1];
    const program = /^\s{3,5}Running (?:unittests )?(\S+) \((.+)\)$/.exec(line) ?? /^\s{3}Doc-tests (\S+)$/.exec(line);
    const broken = COMPILE_FAILURE.exec(line);
    if (planned !== undefined) this.begin(Number(planned));
    else if (program !== null) {
      this.abandon();
      this.owner = nameProgram(program[1] ?? '', program[2] ?? '');
      this.hasRun = false;
    } else if (broken !== null) {
      const [, name = '', target = ''] = broken;
      this.report.fail(`cargo could not compile ${name}${target}${this.firstError === '' ? '' : `: ${this.firstError}`}`);
    } else if (/^error: (?:doc)?test failed/.test(line)) {
      this.abandon();
      // A test program without libtest names no test.
      if (!this.hasRun) this.addError('the test program failed');
      this.hasRun = true;
    } else if (/^error(?:\[E\d+\])?: /.test(line)) this.firstError ||= line.slice(0, 300);
    else if (this.run !== null) this.takeOfRun(this.run, line);
  }

  private begin(planned: number): void {
    this.abandon();
    this.hasRun = true;
    const counts = { passed: 0, failed: 0, errored: 0, skipped: 0 };
    this.run = { owner: this.owner, planned, counts, tests: [], messages: new Map(), printed: null, begun: null };
  }

  private takeOfRun(run: CargoRun, line: string): void {
    const result = RESULT.exec(line);
    if (result !== null) {
      const [passed = 0, failed = 0, ignored = 0, measured = 0, filtered = 0] = result.slice(2).map(Number);
      return this.close(run, { passed: passed + measured, failed, errored: 0, skipped: ignored }, filtered);
    }
    const printed = /^---- (.+) (?:stdout|stderr) ----$/.exec(line)?.[1];
    const [, name, rest = ''] = TEST.exec(line) ?? [];
    const end = END.exec(name === undefined ? line : rest);
    if (printed !== undefined) run.printed = printed;
    else if (line === 'failures:') run.printed = null;
    else if (run.printed !== null) {
      const before = run.messages.get(run.printed) ?? '';
      if (run.messages.size < MOST_MESSAGES && before.length < LONGEST_OUTPUT) run.messages.set(run.printed, `${before}${line}\n`);
    } else if (name !== undefined && end === null) run.begun = name;
    else if (name !== undefined) this.addTest(run, name, end, null);
    // What the test printed stands between its name and its end, where output is not captured.
    else if (run.begun !== null && end !== null && end.index === 0) this.addTest(run, run.begun, end, null);
  }

  private addTest(run: CargoRun, name: string, end: RegExpExecArray | null, durationMs: number | null): void {
    const word = end?.[1] ?? end?.[2] ?? end?.[3] ?? '';
    this.addEnded(run, { name: name.replace(SHOULD_PANIC, ''), status: ENDS.get(word) ?? 'failed', durationMs });
  }

  private addEnded(run: CargoRun, test: CargoTest): void {
    run.begun = null;
    run.counts[test.status] += 1;
    run.tests.push(test);
  }

  /** They end in any order; doc-tests of one item are told apart by theirs in the file. */
  private addTests(run: CargoRun): void {
    const tests = run.tests.map((test) => describeTest(run, test));
    for (const test of tests.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))) this.report.addDistinctTest(test);
  }

  private close(run: CargoRun, stated: CargoRun['counts'], filtered: number): void {
    const { report } = this;
    this.run = null;
    this.filtered += filtered;
    // `-q` names only those that failed, in front of what they printed.
    for (const name of [...run.messages.keys()].slice(0, stated.failed - run.counts.failed))
      if (!run.tests.some((test) => test.name === name)) this.addEnded(run, { name, status: 'failed', durationMs: null });
    this.addTests(run);
    for (const status of ['passed', 'failed', 'skipped'] as const) {
      const missing = stated[status] - run.counts[status] - (status === 'failed' ? run.counts.errored : 0);
      if (missing <= 0) continue;
      report.countUnlisted(status, missing);
      this.unnamed += missing;
    }
  }

  /** The program states no result: it crashed, or something ended it. */
  private abandon(): void {
    const { run } = this;
    if (run === null) return;
    this.run = null;
    const ended = run.tests.length;
    if (run.begun !== null) {
      run.messages.set(run.begun, 'the test began and did not end');
      run.tests.push({ name: run.begun, status: 'errored', durationMs: null });
    }
    this.addTests(run);
    this.addError(`the test program ended early: ${ended} of ${counted(run.planned, 'test')} ended`);
  }

  private addError(message: string): void {
    const id = this.owner || 'cargo test';
    this.report.addDistinctTest({ id, status: 'errored', file: null, line: null, message, durationMs: null });
  }

  /** `--format json` of libtest; other JSON lines are cargo's own messages. */
  private takeJson(line: string): void {
    const json = parseJson(line);
    if (!json.ok || !isObject(json.value)) return;
    const { value } = json;
    // `cargo test --message-format json` says there what does not compile.
    const reason = textIn(value, 'reason');
    const message = objectIn(value, 'message');
    if (reason === 'compiler-message' && textIn(message, 'level') === 'error') this.firstError ||= `error: ${textIn(message, 'message')}`;
    if (reason === 'build-finished' && value['success'] === false)
      this.report.fail(`cargo could not compile the tests${this.firstError === '' ? '' : `: ${this.firstError}`}`);
    const [type, event, name] = [textIn(value, 'type'), textIn(value, 'event'), textIn(value, 'name') || 'a test without a name'];
    if (type === 'suite' && event === 'started') return this.begin(countIn(value, 'test_count') ?? 0);
    const { run } = this;
    if (run === null) return;
    const status = ENDS.get(event);
    if (type === 'suite') {
      const count = (key: string): number => countIn(value, key) ?? 0;
      const stated = { passed: count('passed') + count('measured'), failed: count('failed'), errored: 0, skipped: count('ignored') };
      this.close(run, stated, count('filtered_out'));
    } else if (type === 'test' && status !== undefined) {
      if (textIn(value, 'stdout') !== '') run.messages.set(name, textIn(value, 'stdout').slice(0, LONGEST_OUTPUT));
      this.addEnded(run, { name, status, durationMs: toMilliseconds(durationIn(value, 'exec_time')) });
    }
  }
}

/** `src/lib.rs`, `target/debug/deps/shop-70bfae1b6bd9477e` → `shop`; `src/main.rs` → `shop src/main.rs`; `tests/cli.rs` by its file. */
function nameProgram(source: string, program: string): string {
  const name = /([^/\\]+?)(?:-[0-9a-f]{16})?(?:\.exe)?$/.exec(program)?.[1] ?? '';
  const file = source.replaceAll('\\', '/');
  if (name === '') return source;
  if (/^(?:tests|examples|benches)\//.test(file)) return file;
  return file === 'src/lib.rs' ? name : `${name} ${file}`;
}

function describeTest({ owner, messages }: CargoRun, { name, status, durationMs }: CargoTest): Parameters<ReportBuilder['addTest']>[0] {
  const [, file, item = '', line] = DOC_TEST.exec(name) ?? [];
  const parts = file === undefined ? [owner, name] : [owner, file, item || 'doc-test'];
  return {
    id: parts.filter((part) => part !== '').join(' > '),
    status,
    file: file ?? null,
    line: line === undefined || Number(line) === 0 ? null : Number(line),
    message: status === 'failed' || status === 'errored' ? findFailure(messages.get(name) ?? '') : null,
    durationMs,
  };
}

/** From the panic on, its place first; without the stack. */
export function findFailure(output: string): string | null {
  const lines = output.split('\n');
  const at = lines.findIndex((line) => PANICKED.test(line));
  const from = at < 0 ? lines : [`${PANICKED.exec(lines[at] ?? '')?.[1] ?? ''}:`, ...lines.slice(at + 1)];
  const end = from.findIndex((line) => /^(?:stack backtrace:|note: )/.test(line));
  return (end < 0 ? from : from.slice(0, end)).join('\n').trim() || null;
}

export const cargo: Format = {
  id: 'cargo',
  title: 'cargo test output',
  content: 'tests',
  recognises: ({ lines }) =>
    lines.some((line) => RUNNING.test(line) || RESULT.test(line) || COMPILE_FAILURE.test(line) || LIBTEST_JSON.test(line)),
  open: (report) => new CargoReader(report),
};

const LIBTEST_JSON = /^\{ ?"type": ?"suite", ?"event": ?"started", ?"test_count"/;
