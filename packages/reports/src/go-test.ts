// What `go test` prints, as events (`-json`) or as text (with or without `-v`). Both print a test's name when it begins and when it ends,
// and a package's name when it ends. A test that never ends, and a package that fails without a failed test, are errors.

import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { durationIn, textIn } from '@umpire/core/formats/json-values.js';
import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import type { Format, FormatReader } from './format.js';
import { LineStream, withoutColours } from './line-stream.js';
import { counted, type ReportBuilder, toMilliseconds } from './report-builder.js';

const ENDS: ReadonlyMap<string, TestStatus> = new Map([
  ['pass', 'passed'],
  ['bench', 'passed'],
  ['fail', 'failed'],
  ['skip', 'skipped'],
]);

/** A test may have printed something before it on the same line. */
const ENDED = /--- (PASS|FAIL|SKIP|BENCH): (\S+) \((\d+\.\d+)(?:s| seconds)\)$/;
/** `ok  \tshop\t0.003s`, `FAIL\tshop [build failed]`, `?   \tshop\t[no test files]` */
const PACKAGE = /^(ok {2}|FAIL|\? {3})\t(\S+)(?:\s+(\(cached\)|\d+\.\d+s|\[[a-z ]+\]))(.*)$/;
/** Where the failure of a test begins in what it printed. */
const PLACED = /^\s*(?:\S+\.go:\d+: |panic: )/;
const LONGEST_OUTPUT = 4000;

interface GoTest {
  readonly name: string;
  /** Null until it ends. */
  status: TestStatus | null;
  output: string;
  durationMs: number | null;
}

class GoPackage {
  private readonly tests = new Map<string, GoTest>();
  /** Those that ran again later, by `-count`. */
  private readonly earlier: GoTest[] = [];
  /** Outside of its tests. */
  private readonly own = { output: '' };

  get hasTests(): boolean {
    return this.tests.size > 0;
  }

  begin(name: string): GoTest {
    const before = this.tests.get(name);
    if (before !== undefined) this.earlier.push(before);
    const test: GoTest = { name, status: null, output: '', durationMs: null };
    this.tests.set(name, test);
    return test;
  }

  end(name: string, status: TestStatus, durationMs: number | null): void {
    const test = this.tests.get(name) ?? this.begin(name);
    test.status = status;
    test.durationMs = durationMs ?? test.durationMs;
    if (status !== 'failed') test.output = '';
  }

  hasEnded(name: string): boolean {
    return (this.tests.get(name)?.status ?? null) !== null;
  }

  say(test: string, text: string): void {
    const said: { output: string } = this.tests.get(test) ?? this.own;
    const { output } = said;
    if (output.length >= LONGEST_OUTPUT && !(PLACED.test(text) && output.length < 2 * LONGEST_OUTPUT)) return;
    said.output = output + text.slice(0, LONGEST_OUTPUT);
  }

  /** `why`: what is known of a failure that no test shows. */
  close(report: ReportBuilder, owner: string, hasFailed: boolean, why: string): void {
    let bad = 0;
    for (const { name, status, output, durationMs } of [...this.earlier, ...this.tests.values()]) {
      const known = status ?? 'errored';
      const isBad = known === 'failed' || known === 'errored';
      if (isBad) bad += 1;
      // A subtest stands below its test.
      const id = [owner, ...name.split('/')].filter((part) => part !== '').join(' > ');
      const message = status === null ? `the test began and did not end\n${findFailure(output)}`.trim() : findFailure(output);
      report.addDistinctTest({ id, status: known, file: null, line: null, message: isBad ? message || null : null, durationMs });
    }
    if (!hasFailed || bad > 0) return;
    const message = why || findFailure(this.own.output) || 'the package failed outside of its tests';
    report.addDistinctTest({ id: owner || 'go test', status: 'errored', file: null, line: null, message, durationMs: null });
  }
}

/** Without the lines that frame a test, and without what it printed before its first message. */
function findFailure(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !/^\s*(?:=== |FAIL$|FAIL\t|PASS$)|--- \w+: /.test(line));
  const first = lines.findIndex((line) => PLACED.test(line));
  return lines
    .slice(Math.max(0, first))
    .map((line) => line.trim())
    .join('\n');
}

/** What compilers say of packages that do not build, `# shop/bad [shop/bad.test]` before each. */
class GoBuilds {
  private readonly said = new Map<string, string>();
  private current: string | null = null;

  take(line: string): void {
    const name = /^# (\S+)/.exec(line)?.[1];
    if (name !== undefined) this.current = name;
    else if (this.current !== null && /^\S+\.go:\d+|^\s|^(?:package|imports) /.test(line)) this.add(this.current, `${line}\n`);
    else this.current = null;
  }

  add(name: string, text: string): void {
    const owner = name.replace(/ \[.*$/, '');
    const before = this.said.get(owner) ?? '';
    if (before.length < LONGEST_OUTPUT) this.said.set(owner, before + text.slice(0, LONGEST_OUTPUT));
  }

  find(owner: string, how: string): string {
    return `${how}\n${(this.said.get(owner) ?? '').replace(/^# .*\n/gm, '').trim()}`.trim();
  }
}

class GoTextReader implements FormatReader {
  private readonly lines = new LineStream((text) => this.take(withoutColours(text)));
  private readonly builds = new GoBuilds();
  private open = new GoPackage();
  private current = '';
  private cached = 0;
  /** Packages whose passed tests are not named. */
  private unnamed = 0;
  /** PASS or FAIL on a line of its own, since the last package ended. */
  private verdict: 'PASS' | 'FAIL' | null = null;
  private hasFailed = false;

  constructor(private readonly report: ReportBuilder) {}

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  end(): void {
    const line = this.lines.end();
    const { report, open, verdict, unnamed } = this;
    // A test program that is run by itself names no package.
    if (open.hasTests && verdict === null) report.failCutOff('in the middle of a package', { line });
    if (open.hasTests) open.close(report, '', verdict === 'FAIL', '');
    else if (verdict === 'FAIL' && !this.hasFailed) report.markFailed('go test states that the run failed');
    if (unnamed > 0) {
      report.countUnlisted('passed', unnamed);
      report.note(`the passed tests of ${counted(unnamed, 'package')} are not named; go test -v or -json names them`);
    }
    noteCached(report, this.cached);
  }

  private take(line: string): void {
    const begun = /^(=== RUN|.*=== (?:CONT|NAME)) {2,3}(\S+)$/.exec(line);
    const ended = ENDED.exec(line);
    const done = PACKAGE.exec(line);
    if (begun !== null) {
      this.current = begun[2] ?? '';
      if (begun[1] === '=== RUN') this.open.begin(this.current);
    } else if (ended !== null) {
      this.current = ended[2] ?? '';
      if (this.open.hasEnded(this.current)) this.open.begin(this.current);
      this.open.end(this.current, ENDS.get((ended[1] ?? '').toLowerCase()) ?? 'failed', toMilliseconds(Number(ended[3])));
    } else if (done !== null) this.closePackage(done);
    else if (line === 'PASS' || line === 'FAIL') this.verdict = line;
    else {
      this.builds.take(line);
      this.open.say(this.current, `${line}\n`);
    }
  }

  private closePackage([, word = '', owner = '', how = '', rest = '']: RegExpExecArray): void {
    const { report, open } = this;
    const hasFailed = word === 'FAIL';
    if (hasFailed) this.hasFailed = true;
    if (how === '(cached)') this.cached += 1;
    const isEmpty = rest.includes('[no tests to run]') || word.startsWith('?');
    if (word.startsWith('ok') && !isEmpty && !open.hasTests) this.unnamed += 1;
    open.close(report, owner, hasFailed, how.startsWith('[') ? this.builds.find(owner, how.slice(1, -1)) : '');
    [this.open, this.current, this.verdict] = [new GoPackage(), '', null];
  }
}

class GoEventReader implements FormatReader {
  private readonly lines = new LineStream((text, line, isCut) => this.take(text, line, isCut));
  private readonly builds = new GoBuilds();
  private readonly open = new Map<string, GoPackage>();
  private readonly cached = new Set<string>();

  constructor(private readonly report: ReportBuilder) {}

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  end(): void {
    const line = this.lines.end();
    const { report } = this;
    for (const [owner, open] of this.open) {
      report.failCutOff(`before ${owner} ended`, { line });
      open.close(report, owner, true, 'the package began and did not end');
    }
    noteCached(report, this.cached.size);
  }

  private take(text: string, line: number, isCut: boolean): void {
    const failed = PACKAGE.exec(text);
    // Before Go 1.24 a build that failed was told in plain text.
    if (failed?.[1] === 'FAIL') this.endPackage(failed[2] ?? '', true, this.builds.find(failed[2] ?? '', (failed[3] ?? '').slice(1, -1)));
    if (!text.startsWith('{')) return this.builds.take(text);
    const json = parseJson(text);
    if (!json.ok || !isObject(json.value)) {
      // What a very long line says is output of a test.
      if (!isCut && text.includes('"Action"')) this.report.drop('an event cannot be read', { line });
      return;
    }
    const { value } = json;
    const said = value['Output'];
    const [action, owner, test] = [textIn(value, 'Action'), textIn(value, 'Package'), textIn(value, 'Test')];
    const output = typeof said === 'string' ? said : '';
    if (action === 'build-output') this.builds.add(textIn(value, 'ImportPath'), output);
    if (owner === '') return;
    const status = ENDS.get(action);
    if (test === '' && status !== undefined) return this.endPackage(owner, status === 'failed', '');
    const open = this.open.get(owner) ?? new GoPackage();
    this.open.set(owner, open);
    if (action === 'run') open.begin(test);
    else if (action === 'output') this.hear(open, owner, test, output);
    else if (status !== undefined) open.end(test, status, toMilliseconds(durationIn(value, 'Elapsed')));
  }

  private hear(open: GoPackage, owner: string, test: string, output: string): void {
    if (output.includes('\t(cached)')) this.cached.add(owner);
    // Where a test printed no end of line, its end is no event.
    const ended = ENDED.exec(output.trimEnd());
    if (ended !== null && !open.hasEnded(ended[2] ?? ''))
      open.end(ended[2] ?? '', ENDS.get((ended[1] ?? '').toLowerCase()) ?? 'failed', toMilliseconds(Number(ended[3])));
    open.say(test, output);
  }

  private endPackage(owner: string, hasFailed: boolean, why: string): void {
    const open = this.open.get(owner) ?? new GoPackage();
    this.open.delete(owner);
    open.close(this.report, owner, hasFailed, why || this.builds.find(owner, ''));
  }
}

function noteCached(report: ReportBuilder, packages: number): void {
  if (packages > 0) report.note(`the results of ${counted(packages, 'package')} are cached and were not run again; -count=1 runs all`);
}

export const goJson: Format = {
  id: 'go-json',
  title: 'go test -json',
  content: 'tests',
  // Compilers and programs around the tests may have printed lines before it.
  recognises: ({ kind, text }) => kind !== 'xml' && /^\{(?:"Time":"[^"]*",)?(?:"ImportPath":"[^"]*",)?"Action":"[a-z-]+"[,}]/m.test(text),
  open: (report) => new GoEventReader(report),
};

export const goText: Format = {
  id: 'go-text',
  title: 'go test output',
  content: 'tests',
  recognises: ({ kind, lines }) =>
    kind === 'text' &&
    lines.some((line) => PACKAGE.test(line) || /^=== RUN {3}\S+$/.test(line) || (line.trimStart().startsWith('--- ') && ENDED.test(line))),
  open: (report) => new GoTextReader(report),
};
