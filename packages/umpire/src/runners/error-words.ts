// What a tool that broke says went wrong: the lines where its error begins, not the end of the stack below it. Used for messages to
// people; nothing is decided by it.

import { withoutColours } from '@umpire/reports/line-stream.js';
import { shownWord } from './run-tool.js';
import type { ShownPlaces } from './run-tool.js';
import type { ToolRun } from './run-tool.js';

const MOST_LINES = 4;
const LONGEST = 300;
const LONGEST_LINE = 1000;

/** Where an error begins: `SyntaxError: …`, `Error [ERR_X]: …`, `ERROR: …`, `failed to load …`, `a.json(2,1): error TS1005: …`. */
const BEGINS =
  /^(?:uncaught )?(?:[A-Za-z]{0,40}(?:Error|Exception)(?: \[\w{1,60}\])?:|(?:error|fatal|failed|cannot|exception)\b)|: error \w/i;
/** A line of a stack. */
const FRAME = /^at \S/;
/** What tools print around their errors. */
const AROUND = /^(?:Oops! Something went wrong|ESLint: \d|Node\.js v\d)/;

/**
 * `which`: the first error of a tool that ends with one, or the last of one that may have printed the errors of others before.
 * Without any that is known as one, the last lines.
 */
export function errorWords({ head, tail }: Pick<ToolRun, 'head' | 'tail'>, which: 'first' | 'last', places: ShownPlaces | null): string {
  const lines = withoutColours(`${head}${tail}`)
    .split('\n')
    .map((line) => plain(line.slice(0, LONGEST_LINE)))
    .filter((line) => line !== '' && !AROUND.test(line));
  const isStart = (line: string): boolean => BEGINS.test(line);
  const start = which === 'first' ? lines.findIndex(isStart) : lines.findLastIndex(isStart);
  const shown = (text: string): string => (places === null ? text : shownWord(text, places));
  if (start < 0) return lastThatFit(lines.map(shown)).slice(0, LONGEST);
  const block = lines.slice(start, start + MOST_LINES);
  const end = block.findIndex((line) => FRAME.test(line));
  return shown((end < 0 ? block : block.slice(0, end)).join(' / ')).slice(0, LONGEST);
}

/** Up to three, each from its start. */
function lastThatFit(lines: readonly string[]): string {
  const [last = '', ...before] = lines.slice(-3).toReversed();
  let text = last;
  for (const line of before) {
    if (line.length + text.length + ' / '.length > LONGEST) break;
    text = `${line} / ${text}`;
  }
  return text;
}

/** Without the marks and frames that tools draw; empty where the line is nothing else. */
function plain(line: string): string {
  const trimmed = line.trim();
  return /[\p{L}\p{N}]/u.test(trimmed) ? trimmed.replace(/^(?:[^\p{L}\p{N}[\]({"'`/.-]|x (?=[A-Z])){1,40}/u, '').trim() : '';
}
