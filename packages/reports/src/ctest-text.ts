// What CTest prints: a line for each test, its output where `--output-on-failure` asks for it, and how many failed.

import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import type { Format } from './format.js';
import { PrintedReader, type PrintedTest, tellLine } from './printed-tests.js';
import { toMilliseconds } from './report-builder.js';

/** `2/7 Test #2: splits in two ....................***Failed    0.00 sec` */
const TEST = /^ *\d+\/\d+ Test +#(\d+): /;
const END = ' sec';
/** CTest fills the column of names up with at least three dots. */
const LEADER = ' ...';
const BEGUN = /^ +Start +(\d+): (.+)$/;
const SUMMARY = /^\d+% tests passed, (\d{1,9}) tests? failed out of (\d{1,9})$/;
const NOTHING = 'No tests were found!!!';

class CtestReader extends PrintedReader {
  private readonly begun = new Map<string, string>();
  private last: PrintedTest | null = null;
  private disabled = 0;

  protected take(line: string): void {
    const test = parseTest(line);
    const [, begun, title = ''] = BEGUN.exec(line) ?? [];
    const summary = SUMMARY.exec(line);
    if (test !== null) {
      this.begun.delete(test.number);
      this.last = this.tests.add(test.name, readStatus(test.how), { durationMs: toMilliseconds(test.seconds) });
      // Such as a regular expression that the output should match.
      const why = test.how.slice(test.how.lastIndexOf('***')).replace('***', '');
      if (why === 'Not Run (Disabled)') this.disabled += 1;
      if (why !== 'Failed') tellLine(this.last, why);
    } else if (begun !== undefined) {
      this.begun.set(begun, title);
      this.last = null;
    } else if (summary !== null) this.takeSummary(Number(summary[1]), Number(summary[2]));
    else if (line === NOTHING) this.tests.state({});
    else if (this.last !== null) tellLine(this.last, line);
  }

  /** Disabled tests are not counted, skipped ones are counted as passed. */
  private takeSummary(bad: number, total: number): void {
    const errored = this.tests.count('errored');
    const skipped = this.tests.count('skipped');
    this.tests.state({ passed: Math.max(0, total - bad - skipped + this.disabled), failed: Math.max(0, bad - errored), errored, skipped });
    this.last = null;
  }

  protected finish(line: number): void {
    for (const name of this.begun.values()) tellLine(this.tests.add(name, 'errored'), 'the test began and did not end');
    this.tests.settle(this.report, line, 'ctest without --quiet');
  }
}

/** By hand: an expression that looks for three runs of any length takes minutes for a long line. */
function parseTest(line: string): { number: string; name: string; how: string; seconds: number } | null {
  const [begin, number = ''] = TEST.exec(line) ?? [];
  if (begin === undefined || !line.endsWith(END)) return null;
  const gap = line.lastIndexOf(' ', line.length - END.length - 1);
  const seconds = line.slice(gap + 1, -END.length);
  const stars = line.indexOf('***');
  const leader = line.lastIndexOf(LEADER, stars < 0 ? gap : stars);
  if (!/^\d+\.\d+$/.test(seconds) || leader < begin.length) return null;
  const how = line.slice(leader, gap).replace(/^ \.+/, '').trim();
  return how === 'Passed' || stars >= 0 ? { number, name: line.slice(begin.length, leader), how, seconds: Number(seconds) } : null;
}

function readStatus(how: string): TestStatus {
  if (how === 'Passed') return 'passed';
  if (/\*\*\*(?:Skipped|Not Run \(Disabled\))/.test(how)) return 'skipped';
  return /\*\*\*Failed/.test(how) ? 'failed' : 'errored';
}

export const ctestText: Format = {
  id: 'ctest-text',
  title: 'CTest output',
  content: 'tests',
  recognises: ({ kind, lines }) =>
    kind === 'text' &&
    lines.some((line) => parseTest(line) !== null || SUMMARY.test(line) || /^Test project \S/.test(line) || line === NOTHING),
  open: (report) => new CtestReader(report),
};
