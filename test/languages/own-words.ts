// What each runner itself says in what it prints for people: how many tests passed, failed and were skipped, which failed, and how much is
// covered. Apart from Umpire's readers, so that the two can be compared.

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface OwnWords {
  /** Null where it prints no summary: it broke off, or ran nothing. */
  readonly count: (printed: string) => Counts | null;
  /** The last part of the name of each test that failed. */
  readonly failing: RegExp;
  /** In percent. */
  readonly covered?: RegExp;
}

function numberOf(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].reduce((sum, match) => sum + Number(match[1]), 0);
}

/** The words that stand behind the numbers of a summary. */
function countBy(isSummary: RegExp, passed: RegExp, failed: RegExp, skipped: RegExp): OwnWords['count'] {
  return (text) =>
    isSummary.test(text) ? { passed: numberOf(text, passed), failed: numberOf(text, failed), skipped: numberOf(text, skipped) } : null;
}

/** A summary of all tests and those that did not pass. */
function countRest(all: RegExp, failed: RegExp, skipped: RegExp): OwnWords['count'] {
  return (text) => {
    if (!all.test(text)) return null;
    const [bad, left] = [numberOf(text, failed), numberOf(text, skipped)];
    return { passed: numberOf(text, new RegExp(all.source, `${all.flags}g`)) - bad - left, failed: bad, skipped: left };
  };
}

function countLines(passed: RegExp, failed: RegExp, skipped: RegExp): OwnWords['count'] {
  return (text) => {
    const count = (pattern: RegExp): number => [...text.matchAll(pattern)].length;
    const counts = { passed: count(passed), failed: count(failed), skipped: count(skipped) };
    return counts.passed + counts.failed + counts.skipped === 0 ? null : counts;
  };
}

/** The table of Istanbul, also of c8 and Vitest: lines. */
const ISTANBUL = /^All files\s*\|\s*[\d.]+\s*\|\s*[\d.]+\s*\|\s*[\d.]+\s*\|\s*([\d.]+)/m;
const SIMPLECOV = /LOC \(([\d.]+)%\)/;

export const OWN_WORDS: Readonly<Record<string, OwnWords>> = {
  vitest: {
    count: countBy(/^ +Tests +\d/m, /^ +Tests .*?(\d+) passed/gm, /^ +Tests .*?(\d+) failed/gm, /^ +Tests .*?(\d+) skipped/gm),
    failing: /^ FAIL  .* > (.+)$/gm,
    covered: ISTANBUL,
  },
  jest: {
    count: countBy(/^Tests: +\d/m, /^Tests: .*?(\d+) passed/gm, /^Tests: .*?(\d+) failed/gm, /^Tests: .*?(\d+) (?:skipped|todo)/gm),
    failing: /^ {2}● (?:.* › )?(?!Test suite failed)(.+)$/gm,
    covered: ISTANBUL,
  },
  mocha: {
    count: countBy(/^ {2}\d+ passing/m, /^ {2}(\d+) passing/gm, /^ {2}(\d+) failing/gm, /^ {2}(\d+) pending/gm),
    failing: /^ {2}\d+\) (?:.*\n {7}(?! ))*(.+):$/gm,
    covered: ISTANBUL,
  },
  node: {
    // A file that ended before it named a test is a test to it.
    count: (text) => {
      const sum = countBy(/^ℹ pass \d/m, /^ℹ pass (\d+)/gm, /^ℹ fail (\d+)/gm, /^ℹ (?:skipped|todo) (\d+)/gm)(text);
      const files = [...text.matchAll(/^✔ .*\.[cm]?[jt]s \(/gm)].length;
      return sum === null ? null : { ...sum, passed: sum.passed - files };
    },
    failing: /^ *✖ (?!.*\.[cm]?[jt]s \()(?!failing tests)(.+?) \([\d.]+ms\)$/gm,
    covered: ISTANBUL,
  },
  ava: {
    count: countLines(/^ {2}✔ /gm, /^ {2}✘ \[fail\]: /gm, /^ {2}- \[skip\] /gm),
    failing: /^ {2}✘ \[fail\]: (?:.* › )?(.+)$/gm,
    covered: ISTANBUL,
  },
  // These two count assertions; a test of the samples has one.
  tap: {
    count: countLines(/^ {4}ok \d+ - (?!.*# (?:SKIP|TODO))/gim, /^ {4}not ok \d+ - (?!.*# TODO)/gim, /^ {4}ok \d+ - .*# SKIP/gim),
    failing: /^ {4}not ok \d+ - (.+?)(?: #.*)?$/gm,
    covered: ISTANBUL,
  },
  tape: {
    count: countLines(/^ok \d+ /gm, /^not ok \d+ /gm, /^# SKIP /gm),
    failing: /^# (.+)\n(?:ok .*\n)*not ok /gm,
    covered: ISTANBUL,
  },
  bun: {
    count: countBy(/^ +\d+ (?:pass|fail)$/m, /^ +(\d+) pass$/gm, /^ +(\d+) fail$/gm, /^ +(\d+) (?:skip|todo)$/gm),
    failing: /^\(fail\) (?:.* > )?(.+?)(?: \[[\d.]+ms\])?$/gm,
    covered: /^All files +\| +[\d.]+ +\| +([\d.]+)/m,
  },
  deno: {
    count: countBy(/^(?:ok|FAILED) \| \d+ passed/m, /^(?:ok|FAILED) \| (\d+) passed/gm, /\| (\d+) failed/g, /\| (\d+) ignored/g),
    failing: /^(?!.* \(uncaught error\))(.+) \.\.\. FAILED/gm,
    covered: /^\| All files +\| +[\d.]+ \| +[\d.]+ \| +([\d.]+)/m,
  },
  playwright: {
    count: countBy(/^ {2}\d+ (?:passed|failed|skipped)/m, /^ {2}(\d+) passed/gm, /^ {2}(\d+) failed/gm, /^ {2}(\d+) skipped/gm),
    failing: /^ {2}\d+\) .* › (.+?) ─/gm,
  },
  pytest: {
    count: countBy(
      /^=+ .*\d+ (?:passed|failed|skipped|error)/m,
      /^=+ .*?(\d+) passed/gm,
      /^=+ .*?(\d+) failed/gm,
      /^=+ .*?(\d+) skipped/gm,
    ),
    failing: /^FAILED \S+?::(?:\w+::)*(\w+)/gm,
    covered: /^TOTAL .* ([\d.]+)%$/m,
  },
  unittest: {
    // It counts the failures of subtests, and one test may have several.
    count: (text) => {
      const failed = new Set([...text.matchAll(/^(?:FAIL|ERROR): ([\w.]+ \(\S+\))/gm)].map(([, name]) => name)).size;
      const skipped = numberOf(text, /skipped=(\d+)/g);
      return /^Ran \d+ tests?/m.test(text) ? { passed: numberOf(text, /^Ran (\d+) tests?/gm) - failed - skipped, failed, skipped } : null;
    },
    failing: /^(?:FAIL|ERROR): (test\w*) /gm,
    covered: /^TOTAL .* ([\d.]+)%$/m,
  },
  go: {
    count: countLines(/^ *--- PASS: /gm, /^ *--- FAIL: /gm, /^ *--- SKIP: /gm),
    failing: /^ *--- FAIL: (?:\S*\/)?(\S+) \(/gm,
    covered: /^total:\s+\(statements\)\s+([\d.]+)%/m,
  },
  cargo: {
    count: countBy(
      /^test result: /m,
      /^test result: .*?(\d+) passed/gm,
      /^test result: .*?(\d+) failed/gm,
      /^test result: .*?(\d+) ignored/gm,
    ),
    failing: /^test (?:\S*::)?(\S+)(?: - .*)? \.\.\. FAILED$/gm,
  },
  nextest: {
    count: countBy(
      /^ +Summary \[/m,
      /^ +Summary \[.*? (\d+) passed/gm,
      /^ +Summary \[.*? (\d+) failed/gm,
      /^ +Summary \[.*? (\d+) skipped/gm,
    ),
    failing: /^ +(?:FAIL|SIG[A-Z]+|TIMEOUT) \[[^\]]*\] (?:\([^)]*\) )?\S+ (?:\S*::)?(\S+)$/gm,
  },
  rspec: {
    count: countRest(/^(\d+) examples?, /m, /(\d+) failures?/g, /(\d+) pending/g),
    failing: /^rspec \S+ # (.+)$/gm,
    covered: SIMPLECOV,
  },
  minitest: {
    count: countRest(/^(\d+) runs, /m, /(\d+) (?:failures|errors),/g, /(\d+) skips/g),
    failing: /^ +\d+\) (?:Failure|Error):\n\S+#(\w+)/gm,
    covered: SIMPLECOV,
  },
  phpunit: {
    count: countRest(/^(?:OK \(|Tests: )(\d+)/m, /(?:Failures|Errors): (\d+)/g, /(?:Skipped|Incomplete): (\d+)/g),
    failing: /^\d+\) \w+::(\w+)/gm,
    covered: /^ {2}Lines: +([\d.]+)%/m,
  },
  bats: {
    count: countLines(/^ok \d+ (?!.*# skip)/gm, /^not ok \d+ /gm, /^ok \d+ .*# skip/gm),
    failing: /^not ok \d+ (?!setup_file failed)(.+?)$/gm,
  },
  ctest: {
    count: countLines(
      /^ *\d+\/\d+ Test .*\.\.\. +Passed/gm,
      /^ *\d+\/\d+ Test .*\*\*\*(?!Not Run|Skipped)/gm,
      /\*\*\*(?:Not Run|Skipped)/g,
    ),
    failing: /^\s+\d+ - (\S+) \((?!Disabled|Not Run|Skipped)/gm,
  },
  maven: {
    count: countRest(
      /^(?:\[\w+\] )?Tests run: (\d+), .*Skipped: \d+$/m,
      /^(?:\[\w+\] )?Tests run: \d+, Failures: (\d+), .*Skipped: \d+$/gm,
      /Skipped: (\d+)$/gm,
    ),
    failing: /^\[ERROR\] {3}\w+\.(\w+):/gm,
  },
  exunit: {
    count: countRest(/^(?:\d+ doctests?, )?(\d+) tests?, /m, /(\d+) failures?/g, /(\d+) (?:skipped|excluded)/g),
    failing: /^ +\d+\) test (.+?) \(\w+\)$/gm,
    covered: /^ *([\d.]+)% \| Total/m,
  },
};
