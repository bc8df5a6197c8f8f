// TAP 13 and 14 as node:test, tap, tape, prove and others write it: test lines with subtests, directives, plans and YAML blocks.
// A failing TODO is no failure; a missed plan is one.

import type { Format, FormatReader, ReadOptions } from './format.js';
import { LineStream } from './line-stream.js';
import { toProjectPath } from './project-path.js';
import { counted, type ReportBuilder } from './report-builder.js';
import { parseJson } from '@umpire/core/formats/json-text.js';
import { lineIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import type { TestResult, TestStatus } from '@umpire/core/model/vocabulary.js';

/** One test line: `not ok 2 - name # SKIP`. */
interface TapPoint {
  readonly ok: boolean;
  /** Without escapes, directive and number; empty where the line gives none. */
  readonly name: string;
  readonly number: number | null;
  readonly directive: 'skip' | 'todo' | null;
  readonly durationMs: number | null;
  /** `ok 1 - name {`: its subtests follow in braces. */
  readonly opensBlock: boolean;
}

const START_LINES = 200;

/** `1..4`, `1..0 # SKIP no database` */
function planOf(text: string): { readonly count: number; readonly skip: string | null } | null {
  const match = /^1\.\.(\d{1,9})(?=\s|#|$)/.exec(text);
  if (match === null) return null;
  const rest = text.slice(match[0].length).trim();
  return { count: Number(match[1]), skip: /^#\s{0,9}skip/i.test(rest) ? rest.replace(/^#\s{0,9}\w{1,20}/, '').trim() : null };
}

function pointOf(text: string): TapPoint | null {
  const start = /^(not )?ok(?=\s|$)/.exec(text);
  if (start === null) return null;
  let rest = text.slice(start[0].length).trim();
  const number = /^\d{1,9}(?=\s|$)/.exec(rest)?.[0] ?? null;
  if (number !== null) rest = rest.slice(number.length).trim();
  const opensBlock = rest === '{' || rest.endsWith(' {');
  if (opensBlock) rest = rest.slice(0, -1).trimEnd();
  const marked = splitDirective(rest);
  const bare = marked.name === '-' ? '' : marked.name.startsWith('- ') ? marked.name.slice(2) : marked.name;
  return {
    ok: start[1] === undefined,
    name: unescaped(bare.trim()),
    number: number === null ? null : Number(number),
    directive: marked.directive,
    durationMs: marked.durationMs,
    opensBlock,
  };
}

/** `\#` and `\\` stand for the characters themselves. */
function unescaped(name: string): string {
  return name.includes('\\') ? name.replace(/\\([#\\])/g, '$1') : name;
}

function splitDirective(text: string): Pick<TapPoint, 'name' | 'directive' | 'durationMs'> {
  for (let at = text.indexOf('#'); at >= 0; at = text.indexOf('#', at + 1)) {
    if (isEscaped(text, at)) continue;
    const said = text
      .slice(at + 1, at + 60)
      .trimStart()
      .toLowerCase();
    const name = text.slice(0, at).trimEnd();
    if (said.startsWith('skip')) return { name, directive: 'skip', durationMs: null };
    if (/^todo\b/.test(said)) return { name, directive: 'todo', durationMs: null };
    const time = /^time=(\d{1,12}(?:\.\d{1,12})?)ms/.exec(said)?.[1];
    if (time !== undefined) return { name, directive: null, durationMs: Number(time) };
  }
  return { name: text, directive: null, durationMs: null };
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (slashes < at && text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

interface TapFacts {
  type: string | null;
  file: string | null;
  line: number | null;
  message: string | null;
  /** Other members, such as what was expected, where there is no message. */
  details: string | null;
  durationMs: number | null;
  failureType: string | null;
}

const LONGEST_MESSAGE = 500;

/**
 * The YAML block under a test line, reduced to the few facts that are used. This is no YAML parser: runners print a list of
 * `key: value`, and a mistake in it must not hide the test.
 */
class TapBlock {
  readonly facts: TapFacts = { type: null, file: null, line: null, message: null, details: null, durationMs: null, failureType: null };
  /** Is the current member one of those that stand for a missing message? */
  private isDetail = false;
  private members: number | null = null;
  /** Text of several lines that is being read: whether it is wanted, and what has come of it. */
  private text: { readonly isMessage: boolean; lines: string[]; length: number } | null = null;

  constructor(readonly indent: number) {}

  /** What the line was: one of the block, its end, or one that no longer belongs to it. */
  take(line: string, indent: number): 'inside' | 'end' | 'outside' {
    const content = line.slice(indent).trimEnd();
    if (content === '') return 'inside';
    if (indent < this.indent) return this.leave('outside');
    if (indent === this.indent && content === '...') return this.leave('end');
    // Deno writes JSON, which is YAML too.
    const json = content.startsWith('{') ? parseJson(content) : null;
    if (json?.ok === true) {
      const at = objectIn(json.value, 'at');
      this.fact('message', textIn(json.value, 'message'));
      this.fact('file', textIn(at, 'file'));
      this.fact('line', String(lineIn(at, 'line') ?? ''));
      return 'inside';
    }
    // Some indent the members of the block, some do not.
    this.members ??= indent;
    if (indent <= this.members)
      this.isDetail =
        !/^(?:name|at|stack|source|type|location|file|line|fileName|lineNumber|duration_ms|message|error|code|failureType|operator|assertion|severity)\b/.test(
          content,
        );
    if (this.isDetail && (this.facts.details?.length ?? 0) < LONGEST_MESSAGE)
      this.facts.details = `${this.facts.details ?? ''}${line.slice(this.members).trimEnd()}\n`;
    if (indent > this.members) this.deeper(content);
    else this.member(content);
    return 'inside';
  }

  private leave(how: 'end' | 'outside'): 'end' | 'outside' {
    this.closeText();
    return how;
  }

  private member(content: string): void {
    this.closeText();
    const colon = content.indexOf(':');
    if (colon < 0) return;
    const key = content.slice(0, colon);
    const value = content.slice(colon + 1).trim();
    if (/^[|>][-+\d]{0,3}$/.test(value)) this.text = { isMessage: key === 'error' || key === 'message', lines: [], length: 0 };
    else this.fact(key, unquoted(value));
  }

  /** A line of a text of several, or a member of a member (`at:` with `file:` and `line:`). */
  private deeper(content: string): void {
    if (this.text !== null) {
      if (this.text.length < LONGEST_MESSAGE) this.text.lines.push(content);
      this.text.length += content.length;
      return;
    }
    const [, key = '', value = ''] = /^(file|line|fileName|lineNumber): (.{1,1000})/.exec(content) ?? [];
    if (key !== '') this.fact(key, unquoted(value.trim()));
  }

  private closeText(): void {
    if (this.text?.isMessage === true) this.facts.message ??= this.text.lines.join('\n');
    this.text = null;
  }

  private fact(key: string, value: string): void {
    const { facts } = this;
    if (value === '') return;
    if (key === 'type') facts.type = value;
    else if (key === 'failureType') facts.failureType = value;
    else if (key === 'error' || key === 'message') facts.message ??= value;
    else if (key === 'duration_ms') facts.durationMs = /^\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : null;
    else if (key === 'location' || key === 'at') this.place(value);
    else if (key === 'file' || key === 'fileName') facts.file ??= value;
    else if (key === 'line' || key === 'lineNumber') facts.line ??= readLineNumber(value);
  }

  /** `/project/a.test.js:5:3`, `Test.<anonymous> (/project/a.test.js:5:3)` */
  private place(value: string): void {
    const open = value.endsWith(')') ? value.lastIndexOf('(') : -1;
    const path = open < 0 ? value : value.slice(open + 1, -1);
    const end = /:(\d{1,9}):\d{1,9}$/.exec(path.slice(-24));
    if (end === null) return;
    this.facts.file = path.slice(0, -end[0].length);
    this.facts.line = readLineNumber(end[1] ?? '');
  }
}

function readLineNumber(text: string): number | null {
  const line = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return line >= 1 ? line : null;
}

function unquoted(value: string): string {
  const quote = value[0];
  if (value.length < 2 || value.at(-1) !== quote) return value;
  if (quote === "'") return value.slice(1, -1).replaceAll("''", "'");
  return quote === '"' ? value.slice(1, -1).replace(/\\(["\\])/g, '$1') : value;
}

export const tap: Format = {
  id: 'tap',
  title: 'TAP 13 and 14',
  content: 'tests',
  // Programs around the tests may have printed lines of their own before it.
  recognises: ({ kind, text }) => {
    if (kind !== 'text') return false;
    const lines = text.slice(0, 64 * 1024).split('\n', START_LINES);
    if (lines.some((line) => /^TAP version \d{1,3}\s*$/.test(line))) return true;
    return lines.some((line) => planOf(line.trim()) !== null) && lines.some((line) => pointOf(line.trim()) !== null);
  },
  open: (report, options) => new TapReader(report, options),
};

/** One level of tests: the outermost, or the subtests of one test. */
interface Level {
  /** How far its lines are indented. */
  readonly indent: number;
  readonly name: string;
  planned: number | null;
  seen: number;
  /** The largest number that a test point gives, and its line. */
  largest: number;
  largestLine: number;
  /** `pragma +strict`: every line has to be TAP. */
  isStrict: boolean;
  failed: number;
  /** Names given so far, with how often: TAP knows no retries, so the same name again is another test. */
  readonly names: Map<string, number>;
}

/** A test point whose YAML block may still follow. */
interface Pending {
  readonly point: TapPoint;
  readonly level: Level;
  readonly subtestFailed: boolean;
  facts: TapFacts | null;
  /** Comments right behind a test that failed: Bats and Perl say there why. */
  said: string;
}

/** A test of tape: the assertions below the comment that names it. */
interface TapeTest {
  readonly name: string;
  assertions: number;
  result: Omit<TestResult, 'id' | 'durationMs'> | null;
}

/** Lines that say nothing of tests and are TAP nevertheless. */
const IS_TAP = /^(?:#|TAP version \d|pragma [+-]|\}$)/;
const DEEPEST = 64;
const MOST_NAMES = 50_000;
const LONGEST_NAME = 1000;

class TapReader implements FormatReader {
  private readonly lines = new LineStream((text, line) => this.take(text, line));
  private readonly outermost = newLevel(0, '', false);
  private readonly deeper: Level[] = [];
  private pending: Pending | null = null;
  private block: TapBlock | null = null;
  /** Named by `# Subtest: name` or `ok 1 - name {`: what the next deeper lines belong to. */
  private announced: { readonly indent: number; readonly name: string } | null = null;
  private hasBailed = false;
  /** The file of the tests that follow, where a comment names it. */
  private section: string | null = null;
  /** tape writes a comment above the assertions of each test. Null in any other TAP. */
  private tape: TapeTest | null = null;
  private isBehindVersion = false;
  private readonly stated = new Map<string, number>();
  private counted = 0;
  private bad = 0;

  constructor(
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  end(): void {
    const line = this.lines.end();
    const isInBlock = this.block !== null;
    this.settle();
    this.closeTape();
    if (isInBlock) this.report.failCutOff('in the middle of a YAML block', { line });
    while (this.deeper.length > 0) this.leave(line);
    this.checkPlan(this.outermost, line);
    this.checkStated();
  }

  private take(whole: string, line: number): void {
    // In columns; a tab counts as one.
    let indent = 0;
    while (indent < whole.length && (whole.charCodeAt(indent) === 0x20 || whole.charCodeAt(indent) === 0x09)) indent += 1;
    if (this.block !== null) {
      const was = this.block.take(whole, indent);
      if (was === 'inside') return;
      if (was === 'outside') this.report.note('a YAML block is not closed by "..."', { line });
      if (this.pending !== null) this.pending.facts = this.block.facts;
      this.block = null;
      if (was === 'end') return;
    }
    const text = whole.slice(indent).trimEnd();
    if (text === '' || this.hasBailed) return;
    const isBehindVersion = this.isBehindVersion;
    this.isBehindVersion = text === 'TAP version 13';
    if (isBehindVersion && /^# (?!Subtest: |(?:tests|pass|fail) )/.test(text))
      this.tape = { name: text.slice(2), assertions: 0, result: null };
    if (text === '---' && this.pending !== null && indent > this.pending.level.indent) this.block = new TapBlock(indent);
    else if (text.startsWith('Bail out!')) this.bailOut(text.slice('Bail out!'.length).trim());
    else this.takeTest(text, indent, line);
  }

  private takeTest(text: string, indent: number, line: number): void {
    const point = pointOf(text);
    if (point !== null) {
      this.takePoint(point, indent, line);
      return;
    }
    const plan = planOf(text);
    if (plan !== null) {
      this.settle();
      const level = this.enter(indent, line);
      if (level.planned !== null) this.report.fail('a plan (1..N) is given twice', { line });
      level.planned = plan.count;
      if (plan.skip !== null) this.report.note(`a plan skips all of its tests: ${plan.skip || 'no reason is given'}`, { line });
    } else if (text.startsWith('# ')) this.takeComment(text.slice(2), indent, line);
    else this.takeOther(text, indent, line);
  }

  /** A pragma, or a line that is not TAP: allowed unless the report itself forbids it. */
  private takeOther(text: string, indent: number, line: number): void {
    const pragma = /^pragma ([+-])strict$/.exec(text)?.[1];
    if (pragma !== undefined) {
      this.settle();
      this.enter(indent, line).isStrict = pragma === '+';
    } else if (this.levelOf(indent).isStrict && !IS_TAP.test(text))
      this.report.fail(`${JSON.stringify(text.slice(0, 60))} is not TAP, and "pragma +strict" forbids other lines`, { line });
  }

  private takeComment(text: string, indent: number, line: number): void {
    if (text.startsWith('Subtest: ')) {
      this.settle();
      this.enter(indent, line);
      this.announced = { indent, name: unescaped(text.slice('Subtest: '.length)) };
      return;
    }
    // Deno names each file above its tests.
    if (indent === 0 && /^\.\/\S+\.\w{1,4}$/.test(text)) {
      this.settle();
      this.section = toProjectPath(text, this.options.root);
      return;
    }
    const [, name, number] = /^(tests|pass|fail|cancelled) {1,20}(\d{1,15})$/.exec(text) ?? [];
    if (indent === 0 && name !== undefined) this.stated.set(name, Number(number));
    else if (this.tape !== null && indent === 0 && this.outermost.planned === null) {
      this.settle();
      this.closeTape();
      this.tape = { name: text, assertions: 0, result: null };
    } else if (this.pending !== null && !this.pending.point.ok && this.pending.facts === null && this.pending.said.length < LONGEST_MESSAGE)
      this.pending.said += `${text}\n`;
  }

  private takePoint(point: TapPoint, indent: number, line: number): void {
    this.settle();
    const failedBefore = this.levelOf(indent).failed;
    const level = this.enter(indent, line);
    level.seen += 1;
    if (point.number !== null && point.number > level.largest) {
      level.largest = point.number;
      level.largestLine = line;
    }
    this.pending = { point, level, subtestFailed: level.failed > failedBefore, facts: null, said: '' };
    this.announced = null;
    if (!point.opensBlock) return;
    this.settle();
    this.announced = { indent, name: point.name };
  }

  private levelOf(indent: number): Level {
    return this.deeper.findLast((level) => level.indent <= indent) ?? this.outermost;
  }

  /** The level that lines of this indent belong to; levels deeper than that are over. */
  private enter(indent: number, line: number): Level {
    while ((this.deeper.at(-1)?.indent ?? 0) > indent) this.leave(line);
    const top = this.deeper.at(-1) ?? this.outermost;
    if (indent <= top.indent) return top;
    if (this.deeper.length >= DEEPEST) {
      this.report.fail(`subtests are nested more than ${DEEPEST} levels deep`, { line });
      return top;
    }
    const level = newLevel(indent, this.announced !== null && this.announced.indent < indent ? this.announced.name : '', top.isStrict);
    this.announced = null;
    this.deeper.push(level);
    return level;
  }

  private leave(line: number): void {
    const ended = this.deeper.pop();
    if (ended === undefined) return;
    this.checkPlan(ended, line);
    (this.deeper.at(-1) ?? this.outermost).failed += ended.failed;
  }

  /** Fewer tests than planned: the run died or the file was cut off. More tests are a failure by the TAP rules. */
  private checkPlan({ planned, seen, largest, largestLine, name, indent }: Level, line: number): void {
    if (this.hasBailed) return;
    const of = name === '' ? '' : ` in "${name.slice(0, 80)}"`;
    if (planned === null) {
      if (indent === 0) this.report.failCutOff('without a plan (1..N)', { line });
    } else if (seen < planned) this.report.fail(`${planning(planned, of, seen)}: the run ended early, or the report was cut off`, { line });
    else if (seen > planned) this.report.markFailed(planning(planned, of, seen));
    // As many as planned, but not those: a test of the plan is missing.
    else if (largest > planned)
      this.report.fail(`test ${largest}${of} is outside of the plan 1..${planned}, which TAP treats as a failure`, { line: largestLine });
  }

  private checkStated(): void {
    const bad = (this.stated.get('fail') ?? 0) + (this.stated.get('cancelled') ?? 0);
    if (bad > 0 && this.bad === 0) this.report.markFailed(`the summary states ${counted(bad, 'failed test')}, but none is listed`);
    const tests = this.stated.get('tests');
    if (tests !== undefined && tests !== this.counted)
      this.report.note(
        `the summary states ${counted(tests, 'test')} but ${this.counted} ${this.counted === 1 ? 'is' : 'are'} listed; the listed ones count`,
      );
  }

  private bailOut(why: string): void {
    this.settle();
    this.hasBailed = true;
    this.report.markFailed(`the run bailed out${why === '' ? '' : `: ${why.slice(0, 200)}`}`);
  }

  /** Adds the previous test line, now that its block has been read. */
  private settle(): void {
    const { pending } = this;
    if (pending === null) return;
    const facts = pending.facts ?? this.block?.facts ?? null;
    this.pending = null;
    this.block = null;
    const { point, level } = pending;
    const status = readPointStatus(point, facts);
    const isBad = status === 'failed' || status === 'errored';
    if (isBad) level.failed += 1;
    // A suite is no test; one that fails of itself, say in a hook, is.
    if (facts?.type === 'suite' && (!isBad || pending.subtestFailed)) return;
    this.counted += 1;
    if (isBad) this.bad += 1;
    const file = facts === null || facts.file === null ? this.section : toProjectPath(facts.file, this.options.root);
    const line = file === null ? null : (facts?.line ?? null);
    const message = isBad ? (facts?.message ?? facts?.details ?? pending.said).trim() || null : null;
    if (this.tape !== null && level === this.outermost) this.addAssertion(this.tape, { status, file, line, message }, point.name);
    else
      this.report.addTest({ id: this.idOf(point, level), status, file, line, message, durationMs: facts?.durationMs ?? point.durationMs });
  }

  /** The first that failed says how the test ended. */
  private addAssertion(test: TapeTest, result: NonNullable<TapeTest['result']>, name: string): void {
    const isBad = (status: TestStatus | undefined): boolean => status === 'failed' || status === 'errored';
    const { status, message } = result;
    const told = message === null && !isBad(status) ? null : [name, message ?? ''].filter((part) => part !== '').join('\n');
    test.assertions += 1;
    if (test.result === null || (isBad(status) && !isBad(test.result.status)) || (status === 'passed' && test.result.status === 'skipped'))
      test.result = { ...result, message: told };
  }

  /** A test without assertions shows nothing. */
  private closeTape(): void {
    if (this.tape?.result == null) return;
    this.report.addDistinctTest({ id: this.tape.name.slice(0, LONGEST_NAME), ...this.tape.result, durationMs: null });
    this.tape = { ...this.tape, result: null };
  }

  private idOf({ name, number }: TapPoint, level: Level): string {
    const own = this.nameOf(name === '' ? `test ${number ?? level.seen}` : name);
    const key = this.section === null ? own : `${this.section} > ${own}`;
    const times = (level.names.get(key) ?? 0) + 1;
    if (times > 1 || level.names.size < MOST_NAMES) level.names.set(key, times);
    const distinct = times > 1 ? `${own} (${times})` : level.names.has(key) ? own : `${own} (test ${level.seen})`;
    const parents = this.deeper.filter((each) => each.indent <= level.indent).map((each) => this.nameOf(each.name));
    return [this.section ?? '', ...parents, distinct].filter((each) => each !== '').join(' > ');
  }

  /** Runners name a test file by its absolute path, and that differs from machine to machine. */
  private nameOf(name: string): string {
    const isPath = /^(?:\/|file:\/\/|[A-Za-z]:[\\/])\S{1,500}\.\w{1,5}$/.test(name);
    return (isPath ? (toProjectPath(name, this.options.root) ?? name) : name).slice(0, LONGEST_NAME);
  }
}

/** `3 tests were planned, but the report has 2` */
function planning(planned: number, of: string, seen: number): string {
  return `${planned === 1 ? '1 test was' : `${planned} tests were`} planned${of}, but the report has ${seen}`;
}

function newLevel(indent: number, name: string, isStrict: boolean): Level {
  return { indent, name, planned: null, seen: 0, largest: 0, largestLine: 0, isStrict, failed: 0, names: new Map() };
}

function readPointStatus({ ok, directive }: TapPoint, facts: TapFacts | null): TestStatus {
  if (directive !== null) return 'skipped';
  if (ok) return 'passed';
  return facts?.failureType === 'testTimeoutFailure' || facts?.failureType === 'cancelledByParent' ? 'errored' : 'failed';
}
