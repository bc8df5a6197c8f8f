// The summary that a test runner, compiler or linter prints at the end: how many tests or checks failed. Only lines that are a summary
// as a whole are taken: the title of a test may have any words and numbers.

export type SummaryKind = 'mocha' | 'vitest' | 'jest' | 'pytest' | 'node' | 'tap' | 'other';

export interface RunnerSummary {
  readonly kind: SummaryKind;
  readonly failing: number;
  /** Does the line itself give a number of failures? Many summaries are silent about none. */
  readonly isCounted: boolean;
  /** The index of its line. */
  readonly at: number;
}

interface SummaryForm {
  readonly kind: SummaryKind;
  /** The whole line, without spaces around it. Named groups that begin with `n` are added up. */
  readonly line: RegExp;
  /** A line that stands shortly before it, where its own words could be a title. */
  readonly after?: RegExp;
}

const OUTCOMES = String.raw`(?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun|subtests passed)`;

/** Where a tool prints several, the one that counts tests comes last. */
const FORMS: readonly SummaryForm[] = [
  { kind: 'mocha', line: /^(?<n>\d{1,9}) failing$/, after: /^\d{1,9} passing \(\d[\d.]{0,12}(?:ms|s|m|h)\)$/ },
  { kind: 'mocha', line: /^\d{1,9} passing \(\d[\d.]{0,12}(?:ms|s|m|h)\)$/ },
  { kind: 'vitest', line: /^Test Files\s{1,4}(?:(?<n>\d{1,9}) failed)?[\w |]{0,100}\(\d{1,9}\)$/ },
  { kind: 'vitest', line: /^Tests\s{1,4}(?:(?<n>\d{1,9}) failed)(?: \| [\w |]{0,100})? \(\d{1,9}\)$/ },
  { kind: 'jest', line: /^Test Suites:\s{1,8}(?:(?<n>\d{1,9}) failed, )?[\w, ]{0,100}\d{1,9}(?: of \d{1,9})? total$/ },
  { kind: 'jest', line: /^Tests:\s{1,12}(?:(?<n>\d{1,9}) failed)(?:, [\w, ]{0,100})?, \d{1,9} total$/ },
  {
    kind: 'pytest',
    line: new RegExp(
      String.raw`^(?:=+ )?(?:(?<n1>\d{1,9}) failed(?:, )?)?(?:\d{1,9} (?!failed|errors?\b)${OUTCOMES}(?:, )?){0,8}(?:(?<n2>\d{1,9}) errors?)? in \d[\d.]{0,12}s(?: \([\d:]{1,12}\))?(?: =+)?$`,
    ),
  },
  { kind: 'node', line: /^\u2139 fail (?<n>\d{1,9})$/ },
  { kind: 'tap', line: /^# fail (?<n>\d{1,9})$/ },
  { kind: 'other', line: /^FAILED \((?:failures=(?<n1>\d{1,9}))?(?:, )?(?:errors=(?<n2>\d{1,9}))?(?:, [\w= ,]{0,60})?\)$/ },
  { kind: 'other', line: /^test result: (?:ok|FAILED)\. \d{1,9} passed; (?<n>\d{1,9}) failed;/ },
  { kind: 'other', line: /^[\u2716\u00d7] \d{1,9} problems? \((?<n>\d{1,9}) errors?, \d{1,9} warnings?\)$/ },
  { kind: 'other', line: /^Found (?<n>\d{1,9}) errors?(?: in .{1,200}|\.|, .{1,100})?$/ },
  { kind: 'other', line: /^\d{1,9} examples?, (?<n>\d{1,9}) failures?(?:, \d{1,9} pending)?$/ },
  { kind: 'other', line: /^\d{1,9} (?:runs|tests), \d{1,9} assertions, (?<n1>\d{1,9}) failures, (?<n2>\d{1,9}) errors(?:, .{0,60})?$/ },
  {
    kind: 'other',
    line: /^Tests: \d{1,9}, Assertions: \d{1,9}(?:, Errors: (?<n1>\d{1,9}))?(?:, Failures: (?<n2>\d{1,9}))?(?:, .{0,80})?\.$/,
  },
  { kind: 'other', line: /^(?:\[\w{1,10}\] )?Tests run: \d{1,9}, Failures: (?<n1>\d{1,9}), Errors: (?<n2>\d{1,9}), Skipped: \d{1,9}$/ },
  { kind: 'other', line: /^\d{1,9} tests? completed, (?<n>\d{1,9}) failed(?:, \d{1,9} skipped)?$/ },
  { kind: 'other', line: /^(?:Failed|Passed)!\s{1,4}- Failed:\s{1,12}(?<n>\d{1,9}), Passed:/ },
  { kind: 'other', line: /^(?<n>\d{1,9}) tests? failed(?: out of \d{1,9})?$/ },
  { kind: 'other', line: /^(?<n>\d{1,9}) fail(?:ed)?$/ },
];

/** How far before its line the line `after` may stand. */
const NEAR = 3;

/** The last summary among these lines, which have no colours and no spaces around them; null where there is none. */
export function lastSummary(lines: readonly string[]): RunnerSummary | null {
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const text = lines[at] ?? '';
    for (const { kind, line, after } of FORMS) {
      const match = line.exec(text);
      if (match === null || (after !== undefined && !lines.slice(Math.max(0, at - NEAR), at).some((each) => after.test(each)))) continue;
      const counts = Object.values(match.groups ?? {}).flatMap((count) => (count === undefined ? [] : [Number(count)]));
      return { kind, failing: counts.reduce((sum, count) => sum + count, 0), isCounted: counts.length > 0, at };
    }
  }
  return null;
}
