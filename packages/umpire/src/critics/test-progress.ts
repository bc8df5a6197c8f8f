// How far a suite is, by what runners print while they run: a line a test, a line a file with its count, or a share of all. It is only shown.

import { withoutColours } from '@umpire/reports/line-stream.js';

/** `✓ src/a.test.ts (12 tests)` */
const FILE = /\((\d{1,6}) tests?\b/;
/** A test that ended, as mocha, node:test, TAP, Go, cargo and bats print it. */
const TEST = /^\s*(?:[✓✔√✖✗×]\s|(?:not )?ok \d|--- (?:PASS|FAIL|SKIP):|test \S+ \.\.\. |.*"Action":"(?:pass|fail|skip)".*"Test":)/;
/** pytest says it at the end of its lines. */
const SHARE = /\[ {0,2}(\d{1,3})%\]\s*$/;
const LONGEST_LINE = 400;

export class TestProgress {
  private rest = '';
  private done = 0;
  private share: number | null = null;

  /** `total`: how many tests there were last time; null where it is not known. */
  constructor(
    public total: number | null,
    /** Which tests, for people. */
    public what = 'the tests',
  ) {}

  add(chunk: Uint8Array): void {
    const lines = withoutColours(this.rest + Buffer.from(chunk).toString('utf8')).split('\n');
    this.rest = (lines.pop() ?? '').slice(-LONGEST_LINE);
    for (const whole of lines) {
      const line = whole.slice(0, LONGEST_LINE);
      const share = SHARE.exec(line)?.[1];
      if (share !== undefined) this.share = Number(share);
      else this.done += Number(FILE.exec(line)?.[1] ?? (TEST.test(line) ? 1 : 0));
    }
  }

  /** `40 of 129 tests`, `40 tests`, `45 %`; null where nothing is known yet. */
  show(): string | null {
    if (this.share !== null) return `${this.share} %`;
    if (this.done === 0) return null;
    if (this.total === null || this.done > this.total) return `${this.done} ${this.done === 1 ? 'test' : 'tests'}`;
    return `${this.done} of ${this.total} tests`;
  }
}
