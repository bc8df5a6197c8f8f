// TAP 13 and 14 as node:test, tap, tape, prove and others write it: test points with their subtests, directives, plans and YAML
// blocks. A failing TODO is no failure; a plan that is not kept is. One line is taken apart in tap-line.ts, a block in tap-block.ts.

import type { TestStatus, ToolReport } from '@umpire/core/model.js';
import type { Format, Head, ReadOptions, ReportReader } from './format.js';
import { counted } from './json-reader.js';
import { LineStream, type Line } from './line-stream.js';
import { placeInProject } from './places.js';
import { Sheet, type Where } from './sheet.js';
import { TapBlock, type TapFacts } from './tap-block.js';
import { indentOf, isTapStart, planOf, pointOf, unescaped, type TapPoint } from './tap-line.js';

export const tap: Format = {
  id: 'tap',
  title: 'TAP 13 and 14',
  recognises: ({ kind, text }: Head) => kind === 'text' && isTapStart(text),
  open: (options: ReadOptions) => new TapReader(options),
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
}

/** Lines that say nothing of tests and are TAP nevertheless. */
const IS_TAP = /^(?:#|TAP version \d|pragma [+-]|\}$)/;
const DEEPEST = 64;
const MOST_NAMES = 50_000;
const LONGEST_NAME = 1000;

class TapReader implements ReportReader {
  private readonly lines = new LineStream((line) => this.take(line));
  private readonly sheet: Sheet;
  private readonly outermost = newLevel(0, '', false);
  private readonly deeper: Level[] = [];
  private pending: Pending | null = null;
  private block: TapBlock | null = null;
  /** Named by `# Subtest: name` or `ok 1 - name {`: what the next deeper lines belong to. */
  private announced: { readonly indent: number; readonly name: string } | null = null;
  private hasBailed = false;
  private readonly stated = new Map<string, number>();
  private counted = 0;
  private bad = 0;

  constructor(private readonly options: ReadOptions) {
    this.sheet = new Sheet('tap', 'tests', options);
  }

  write(chunk: Uint8Array): void {
    this.lines.write(chunk);
  }

  end(): ToolReport {
    const where = this.lines.end();
    const isInBlock = this.block !== null;
    this.settle();
    if (isInBlock) this.sheet.fail(`it ends in the middle of a YAML block: ${this.soFar()}`, where);
    while (this.deeper.length > 0) this.leave(where);
    this.checkPlan(this.outermost, where);
    this.checkStated();
    return this.sheet.end();
  }

  private take(line: Line): void {
    const indent = indentOf(line.text);
    if (this.block !== null) {
      const was = this.block.take(line.text, indent);
      if (was === 'inside') return;
      if (was === 'outside') this.sheet.note('a YAML block is not closed by "..."', { line: line.line });
      if (this.pending !== null) this.pending.facts = this.block.facts;
      this.block = null;
      if (was === 'end') return;
    }
    const text = line.text.slice(indent).trimEnd();
    if (text === '' || this.hasBailed) return;
    if (text === '---' && this.pending !== null && indent > this.pending.level.indent) this.block = new TapBlock(indent);
    else if (text.startsWith('Bail out!')) this.bailOut(text.slice('Bail out!'.length).trim());
    else this.takeTest(text, indent, line);
  }

  private takeTest(text: string, indent: number, line: Line): void {
    const point = pointOf(text);
    if (point !== null) {
      this.takePoint(point, indent, line);
      return;
    }
    const plan = planOf(text);
    if (plan !== null) {
      this.settle();
      const level = this.enter(indent, line);
      if (level.planned !== null) this.sheet.fail('a plan (1..N) is given twice', { line: line.line });
      level.planned = plan.count;
      if (plan.skip !== null) this.sheet.note(`a plan skips all of its tests: ${plan.skip || 'no reason is given'}`, { line: line.line });
    } else if (text.startsWith('# ')) this.takeComment(text.slice(2), indent, line);
    else this.takeOther(text, indent, line);
  }

  /** A pragma; or what is no TAP, which is let pass unless the report itself forbids it. */
  private takeOther(text: string, indent: number, line: Line): void {
    const pragma = /^pragma ([+-])strict$/.exec(text)?.[1];
    if (pragma !== undefined) {
      this.settle();
      this.enter(indent, line).isStrict = pragma === '+';
    } else if (this.levelOf(indent).isStrict && !IS_TAP.test(text))
      this.sheet.fail(`a line is no TAP (${JSON.stringify(text.slice(0, 60))}), and "pragma +strict" allows nothing else`, {
        line: line.line,
        byte: line.byte,
      });
  }

  private takeComment(text: string, indent: number, line: Line): void {
    if (text.startsWith('Subtest: ')) {
      this.settle();
      this.enter(indent, line);
      this.announced = { indent, name: unescaped(text.slice('Subtest: '.length)) };
      return;
    }
    const [, name, number] = /^(tests|pass|fail|cancelled) {1,20}(\d{1,15})$/.exec(text) ?? [];
    if (indent === 0 && name !== undefined) this.stated.set(name, Number(number));
  }

  private takePoint(point: TapPoint, indent: number, line: Line): void {
    this.settle();
    const failedBefore = this.levelOf(indent).failed;
    const level = this.enter(indent, line);
    level.seen += 1;
    if (point.number !== null && point.number > level.largest) {
      level.largest = point.number;
      level.largestLine = line.line;
    }
    this.pending = { point, level, subtestFailed: level.failed > failedBefore, facts: null };
    this.announced = null;
    if (!point.opensBlock) return;
    this.settle();
    this.announced = { indent, name: point.name };
  }

  private levelOf(indent: number): Level {
    return this.deeper.findLast((level) => level.indent <= indent) ?? this.outermost;
  }

  /** The level that lines of this indent belong to; levels deeper than that are over. */
  private enter(indent: number, { line, byte }: Line): Level {
    while ((this.deeper.at(-1)?.indent ?? 0) > indent) this.leave({ line, byte });
    const top = this.deeper.at(-1) ?? this.outermost;
    if (indent <= top.indent) return top;
    if (this.deeper.length >= DEEPEST) {
      this.sheet.fail(`subtests are nested more than ${DEEPEST} levels deep`, { line, byte });
      return top;
    }
    const level = newLevel(indent, this.announced !== null && this.announced.indent < indent ? this.announced.name : '', top.isStrict);
    this.announced = null;
    this.deeper.push(level);
    return level;
  }

  private leave(where: Where): void {
    const ended = this.deeper.pop();
    if (ended === undefined) return;
    this.checkPlan(ended, where);
    (this.deeper.at(-1) ?? this.outermost).failed += ended.failed;
  }

  /** Fewer tests than planned: the run died or the file was cut off. More: somebody miscounts, and by TAP that is a failure. */
  private checkPlan({ planned, seen, largest, largestLine, name, indent }: Level, { line, byte }: Where): void {
    if (this.hasBailed) return;
    const where = { ...(line === undefined ? {} : { line }), ...(byte === undefined ? {} : { byte }) };
    const of = name === '' ? '' : ` in "${name.slice(0, 80)}"`;
    if (planned === null) {
      if (indent === 0) this.sheet.fail(`it ends without a plan (1..N): ${this.soFar()}`, where);
    } else if (seen < planned) this.sheet.fail(`${planning(planned, of, seen)}: the run ended early, or the report was cut off`, where);
    else if (seen > planned) this.sheet.saysFailed(planning(planned, of, seen));
    // As many as planned, but not those: a test of the plan is missing.
    else if (largest > planned)
      this.sheet.fail(`test ${largest}${of} is outside of the plan 1..${planned}; TAP takes it for a failure`, { line: largestLine });
  }

  private checkStated(): void {
    const bad = (this.stated.get('fail') ?? 0) + (this.stated.get('cancelled') ?? 0);
    if (bad > 0 && this.bad === 0) this.sheet.saysFailed(`its summary counts ${counted(bad, 'failed test')}, and none is in it`);
    const tests = this.stated.get('tests');
    if (tests !== undefined && tests !== this.counted)
      this.sheet.note(
        `its summary counts ${counted(tests, 'test')}, and ${this.counted === 1 ? '1 is in it; that counts' : `${this.counted} are in it; these count`}`,
      );
  }

  private soFar(): string {
    return `${this.counted === 1 ? '1 test was' : `${this.counted} tests were`} read before that; the report was cut off or is still being written`;
  }

  private bailOut(why: string): void {
    this.settle();
    this.hasBailed = true;
    this.sheet.saysFailed(`the run bailed out${why === '' ? '' : `: ${why.slice(0, 200)}`}`);
  }

  /** Hands in the test point before, now that its block has been read. */
  private settle(): void {
    const { pending } = this;
    if (pending === null) return;
    const facts = pending.facts ?? this.block?.facts ?? null;
    this.pending = null;
    this.block = null;
    const { point, level } = pending;
    const status = statusOf(point, facts);
    const isBad = status === 'failed' || status === 'errored';
    if (isBad) level.failed += 1;
    // A suite is no test; one that fails of itself, say in a hook, is.
    if (facts?.type === 'suite' && (!isBad || pending.subtestFailed)) return;
    this.counted += 1;
    if (isBad) this.bad += 1;
    const file = facts === null || facts.file === null ? null : placeInProject(facts.file, this.options.root);
    this.sheet.test({
      id: this.idOf(point, level),
      status,
      file,
      line: file === null ? null : (facts?.line ?? null),
      message: isBad ? (facts?.message ?? null) : null,
      durationMs: facts?.durationMs ?? point.durationMs,
    });
  }

  private idOf({ name, number }: TapPoint, level: Level): string {
    const own = this.nameOf(name === '' ? `test ${number ?? level.seen}` : name);
    const times = (level.names.get(own) ?? 0) + 1;
    if (times > 1 || level.names.size < MOST_NAMES) level.names.set(own, times);
    const distinct = times > 1 ? `${own} (${times})` : level.names.has(own) ? own : `${own} (test ${level.seen})`;
    const parents = this.deeper.filter((each) => each.indent <= level.indent).map((each) => this.nameOf(each.name));
    return [...parents.filter((each) => each !== ''), distinct].join(' > ');
  }

  /** Runners name a test file by its absolute path, and that differs from machine to machine. */
  private nameOf(name: string): string {
    const isPath = /^(?:\/|file:\/\/|[A-Za-z]:[\\/])\S{1,500}\.\w{1,5}$/.test(name);
    return (isPath ? (placeInProject(name, this.options.root) ?? name) : name).slice(0, LONGEST_NAME);
  }
}

/** `3 tests were planned, and 2 are there` */
function planning(planned: number, of: string, seen: number): string {
  return `${planned === 1 ? '1 test was' : `${planned} tests were`} planned${of}, and ${seen} ${seen === 1 ? 'is' : 'are'} there`;
}

function newLevel(indent: number, name: string, isStrict: boolean): Level {
  return { indent, name, planned: null, seen: 0, largest: 0, largestLine: 0, isStrict, failed: 0, names: new Map() };
}

function statusOf({ ok, directive }: TapPoint, facts: TapFacts | null): TestStatus {
  if (directive !== null) return 'skipped';
  if (ok) return 'passed';
  return facts?.failureType === 'testTimeoutFailure' || facts?.failureType === 'cancelledByParent' ? 'errored' : 'failed';
}
