// Of all that a command printed, what failed: how many tests, their names, and an excerpt that begins with the first line of the first
// failure. A known runner is read by its own summary and list of failures; only other output is searched for lines that tell. Nothing
// is decided by it. Lists of tests are named here too.

import { findListedFailures } from '@umpire/core/formats/listed-failures.js';
import { lastSummary } from '@umpire/core/formats/runner-summary.js';
import type { WrittenFailures } from '../runners/report-file.js';
import { withoutColours } from '@umpire/reports/line-stream.js';
import { DOUBTFUL } from '@umpire/core/formats/unverified-checks.js';
import type { UnverifiedCheck } from '@umpire/core/formats/unverified-checks.js';

const MOST_LINES = 5;
const LONGEST = 280;
const LONGEST_LINE = 200;
const LONGEST_EXCERPT = 4000;

export interface FailureLines {
  readonly lines: readonly string[];
  /** Do they tell what failed? Else they are the last ones. */
  readonly isFailure: boolean;
  /** As the runner's summary says; null where there is none, or where it says that nothing failed. */
  readonly failing: number | null;
  /** From the first line of the first failure on; null where none is known. */
  readonly excerpt: string | null;
}

/**
 * `failed`: of a command that passed only the last lines are wanted. `written`: what test reports that it wrote say, which is better than
 * what it printed.
 */
export function tellingLines(output: string, failed: boolean, written: WrittenFailures | null = null): FailureLines {
  const printed = printedFailures(output, failed);
  if (!failed || written === null || written.failing === 0) return printed;
  const named = written.failed.flatMap(({ id, message }) => [
    `FAIL ${id}`,
    ...(message === null ? [] : [(message.trim().split('\n')[0] ?? '').trim()]),
  ]);
  const details = written.failed.map(({ id, message }) => `FAIL ${id}\n${message ?? ''}`).join('\n\n');
  return {
    lines: named.length === 0 ? printed.lines : fitting(named),
    isFailure: named.length > 0 || printed.isFailure,
    failing: written.failing,
    excerpt: printed.failing !== null && printed.excerpt !== null ? printed.excerpt : excerptOf(details.split('\n'), 0),
  };
}

function printedFailures(output: string, failed: boolean): FailureLines {
  const raw = withoutColours(output).split(/\r\n|\n|\r/);
  const all = raw.map((line) => line.trim());
  const own = all.filter((line) => hasWords(line) && !OF_PACKAGE_MANAGER.test(line));
  const last = fitting((own.length > 0 ? own : all.filter(hasWords)).slice(-MOST_LINES).toReversed()).toReversed();
  const none = { lines: last, isFailure: false, failing: null, excerpt: null };
  if (!failed) return none;
  const summary = lastSummary(all);
  const failures = summary !== null && summary.failing > 0 ? findListedFailures(all, summary) : [];
  if (summary !== null && failures.length > 0)
    return {
      lines: fitting(failures.flatMap(({ words }) => words)),
      isFailure: true,
      failing: summary.failing,
      excerpt: excerptOf(raw, failures[0]?.at ?? 0),
    };
  // A runner whose tests all passed is not what failed, so its titles are not searched.
  const from = summary?.failing === 0 && summary.kind !== 'other' ? summary.at + 1 : 0;
  const telling = all.flatMap((line, at) => (at >= from && hasWords(line) && tells(line.slice(0, LONGEST_LINE)) ? [{ line, at }] : []));
  const inside = telling.filter(({ line }) => !AROUND.test(line));
  const chosen = inside.length > 0 ? inside : telling;
  const failing = summary !== null && summary.failing > 0 ? summary.failing : null;
  if (chosen.length === 0) return { ...none, failing };
  return {
    lines: fitting([...new Set(chosen.map(({ line }) => line))]),
    isFailure: true,
    failing,
    excerpt: excerptOf(raw, chosen[0]?.at ?? 0),
  };
}

/** npm prints these around the output of a script, such as the notice of a new version after it. */
const OF_PACKAGE_MANAGER = /^npm (?:notice|warn)\b/i;

function hasWords(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line);
}

/** These stand at the front of a line for nothing else, whatever is said behind them. */
const STRONG = /^(?:not ok|FAIL(?:ED)?|--- FAIL:|[✗✘✖×✕])\s+(?!0\b)\S/;

/** A test that failed, an error with its words, an assertion: as TAP, test runners, compilers and linters print them. */
const TELLS = [
  /\b(?:FAIL|FAILED|FAILURE)\b/,
  /^E {2,}\S/,
  /^(?:expected|actual|got|received|wanted)\b ?[:=] ?\S/i,
  /(?:^|[\s(])(?:[A-Z]\w{0,60})?(?:Error|Exception)(?: \[\w{1,60}\])?: \S/,
  /(?:^|[\s:])(?:error|fatal)(?:\[\w{1,20}\]| [A-Z]{1,8}\d{1,6})?: ?\S/i,
  /^(?:error|npm ERR!|npm error)\s+\S/,
  /^\d{1,7}:\d{1,7}\s+error\s/,
  /\b(?:panicked at|not found|No such file or directory|Segmentation fault|command not found|cannot find)\b/i,
];

/** Passing tests whose names speak of errors, counters that are zero, lines of a stack, what TAP says beside a test. */
const SILENT = [
  /^(?:ok|✓|✔|√|PASS|PASSED)(?:\s|$)/,
  /(?<![\w.])0 (?:\w{1,20} )?(?:errors?|fail(?:ed|ures?|ing)?)\b|\b(?:errors?|fail(?:ed|ures?)?)\s?[:=]?\s{0,4}0(?![\w.])/i,
  /^at \S/,
  /^(?:error: \|-?|# .*|> .*)$/,
];

/** What npm says around the script that failed tells only that it did. */
const AROUND = /^npm (?:ERR!|error|warn|notice)/i;

function tells(line: string): boolean {
  return STRONG.test(line) || (TELLS.some((sign) => sign.test(line)) && !SILENT.some((sign) => sign.test(line)));
}

/** `make`, of a recipe that failed or was left out. */
const OF_MAKE = /^g?make(?:\[\d+\])?: /;

/**
 * Of a command that failed and now passes: does it print the same failure? `same`: and all else it prints is the same too, but for numbers.
 * Null: a line that told of the failure is gone, or none did.
 */
export function compareFailures(failed: string, passed: string): 'same' | 'similar' | null {
  const linesOf = (output: string): ReadonlySet<string> => {
    const lines = withoutColours(output).split(/\r\n|\n|\r/);
    const own = lines.map((line) => line.trim()).filter((line) => hasWords(line) && ![AROUND, OF_MAKE].some((one) => one.test(line)));
    return new Set(own.map((line) => line.replace(/0x[\da-f]+|\d+/gi, '#')));
  };
  const [before, after] = [linesOf(failed), linesOf(passed)];
  const telling = [...before].filter((line) => tells(line.slice(0, LONGEST_LINE)));
  if (telling.length === 0 || !telling.every((line) => after.has(line))) return null;
  return before.size === after.size && [...before].every((line) => after.has(line)) ? 'same' : 'similar';
}

/** Whole lines from there on. */
function excerptOf(lines: readonly string[], from: number): string {
  const text = lines.slice(from).join('\n').trimEnd();
  if (text.length <= LONGEST_EXCERPT) return `${text}\n`;
  const cut = text.slice(0, LONGEST_EXCERPT);
  return cut.includes('\n') ? cut.slice(0, cut.lastIndexOf('\n') + 1) : cut;
}

/** How tools that run the commands of several packages name one whose command failed. */
const FAILED_PACKAGE = [
  // npm, pnpm, turbo, lerna, cargo, go, Maven, Gradle.
  /(?:^|: )npm (?:error|ERR!) {1,4}(?:in )?workspace:? (\S+?)@[^@\s]+$/,
  /\bERR_PNPM_RECURSIVE_\w+ {1,4}(\S+?)(?:@\d?[^@\s/]*)? \S+: /,
  /(?:^|\s)([@\w./-]+)#[\w:.-]+: command .{1,300} exited \([1-9]/,
  /^lerna ERR! .{1,200} exited \d+ in '([^']+)'/,
  /^error: .{0,80}to rerun pass `(?:-p|--package) (\S+)/,
  /^FAIL\t(\S+)(?:\t|$| \[)/,
  /^\[ERROR\] Failed to execute goal .{1,300} on project (\S+?):/,
  /^Execution failed for task ':([\w:.-]+):[\w-]+'/,
];
const MOST_PACKAGES = 3;

/** ` in b`, ` in a, b`; empty where no tool named a package. */
export function failedPackages(output: string): string {
  const names = withoutColours(output)
    .split(/\r\n|\n|\r/)
    .flatMap((line) => FAILED_PACKAGE.flatMap((pattern) => pattern.exec(line.slice(0, LONGEST_LINE * 3).trim())?.[1] ?? []));
  const packages = [...new Set(names)];
  const more = packages.length > MOST_PACKAGES ? ` and ${packages.length - MOST_PACKAGES} more` : '';
  return packages.length === 0 ? '' : ` in ${packages.slice(0, MOST_PACKAGES).join(', ')}${more}`;
}

/** The end of a text, from the beginning of a line where it has one. `isCut`: its own beginning is gone already. */
export function lastWhole(text: string, most: number, isCut = false): string {
  const end = text.slice(-most);
  return isCut || end.length < text.length ? end.slice(end.indexOf('\n') + 1) : end;
}

/** The first ones, as many as fit. A line that is too long by itself is cut at its end, and says so. */
function fitting(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let length = 0;
  for (const line of lines.slice(0, MOST_LINES)) {
    const shown = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 3).replace(/[\ud800-\udbff]$/, '')}...` : line;
    length += shown.length + 3;
    if (kept.length > 0 && length > LONGEST) break;
    kept.push(shown);
  }
  return kept;
}

const LONGEST_MESSAGE = 1500;
const LONGEST_MESSAGES = 6000;
const LONGEST_TAIL = 2000;

/** For a fix task: each test with its place and its whole message, and the end of what was printed. Empty where no test failed. */
export function describeFailures(tests: readonly FailingTest[], output = ''): string {
  if (tests.length === 0) return '';
  let text = '';
  let shown = 0;
  for (const { id, file, line, message } of tests) {
    const place = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`;
    const said = message ?? '';
    const block = `FAIL ${id}${place}\n${said.length > LONGEST_MESSAGE ? `${said.slice(0, LONGEST_MESSAGE)}…` : said}\n\n`;
    if (shown > 0 && text.length + block.length > LONGEST_MESSAGES) break;
    text += block;
    shown += 1;
  }
  const more = tests.length > shown ? `${tests.length - shown} more tests failed.\n\n` : '';
  const tail = lastWhole(withoutColours(output).trimEnd(), LONGEST_TAIL);
  return `${text}${more}${tail === '' ? '' : `The end of the output:\n${tail}\n`}`;
}

interface NamedTest {
  readonly id: string;
}

interface FailingTest extends NamedTest {
  readonly file: string | null;
  readonly line: number | null;
  readonly message: string | null;
}

type TestLists = Readonly<Record<'regressions' | 'known' | 'added' | 'flaky' | 'quarantined', readonly NamedTest[]>>;

/** Names of the tests of some figures, for evidence. */
export function nameTests({ regressions, known, added, flaky, quarantined }: TestLists, most: number) {
  const listIds = (tests: readonly NamedTest[]) => tests.slice(0, most).map(({ id }) => id);
  return {
    regressions_measured: regressions.length,
    known_failures: listIds(known),
    new_failures: listIds(added),
    flaky: listIds(flaky),
    quarantined: listIds(quarantined),
  };
}

const MOST_LISTED = 3;

/** `Flaky: a; b; c and 2 more.` Empty where there are none. */
export function listTests(what: string, tests: readonly NamedTest[]): string {
  if (tests.length === 0) return '';
  const more = tests.length > MOST_LISTED ? ` and ${tests.length - MOST_LISTED} more` : '';
  const names = tests.slice(0, MOST_LISTED).map(({ id }) => id);
  return `${what}: ${names.join('; ')}${more}.`;
}

/** The entry of `unverified_checks` for tests that fail sometimes now and never did at the base. Without any: none. */
export function describeUnstable(ids: readonly string[]): readonly UnverifiedCheck[] {
  if (ids.length === 0) return [];
  const which = listTests(
    'Failed and passed on the same files, and never failed at the base',
    ids.map((id) => ({ id })),
  );
  return [{ name: 'tests that fail sometimes', problem: which }];
}

/** The same for tests that pass only as the change has them: one entry each, so that the reason names them. */
export function describeDoubtful(tests: readonly NamedTest[]): readonly UnverifiedCheck[] {
  return tests.map(({ id }) => ({
    name: `${id} (${DOUBTFUL})`,
    problem: 'Its version at the base does not pass on the new code, or cannot run on it. Read what the change does to it.',
  }));
}
