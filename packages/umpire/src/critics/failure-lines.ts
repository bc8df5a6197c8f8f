// Of all that a command printed, the lines that tell what failed; nothing is decided by them. Whole lines only: half a word or a row
// of counters that are zero tells nobody anything.

import { withoutColours } from '@umpire/reports/line-stream.js';

const MOST_LINES = 5;
const LONGEST = 280;
const LONGEST_LINE = 200;

/** These stand at the front of a line for nothing else, whatever is said behind them. */
const STRONG = /^(?:not ok|FAIL(?:ED)?|--- FAIL:|[✗✘✖×✕])\s+(?!0\b)\S/;

/** A test that failed, an error with its words, an assertion: as TAP, test runners, compilers and linters print them. */
const TELLS = [
  /\b(?:FAIL|FAILED|FAILURE)\b/,
  /^E {2,}\S/,
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

export interface FailureLines {
  readonly lines: readonly string[];
  /** Do they tell what failed? Else they are the last ones. */
  readonly isFailure: boolean;
}

/** `failed`: of a command that passed only the last lines are wanted. */
export function tellingLines(output: string, failed: boolean): FailureLines {
  const lines = withoutColours(output)
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
  if (failed) {
    const telling = lines.filter((line) => tells(line.slice(0, LONGEST_LINE)));
    const own = telling.filter((line) => !AROUND.test(line));
    const chosen = [...new Set(own.length > 0 ? own : telling)];
    if (chosen.length > 0) return { lines: fitting(chosen), isFailure: true };
  }
  return { lines: fitting(lines.slice(-MOST_LINES).toReversed()).toReversed(), isFailure: false };
}

function tells(line: string): boolean {
  return STRONG.test(line) || (TELLS.some((sign) => sign.test(line)) && !SILENT.some((sign) => sign.test(line)));
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
