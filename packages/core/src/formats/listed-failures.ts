// Where test runners list what failed in what they print, each failure with its name and the first line of its error.

import { lastSummary, type RunnerSummary, type SummaryKind } from './runner-summary.js';

/** One failed test: where the runner begins to tell of it, its name, and the first line of its error. */
export interface ListedFailure {
  readonly at: number;
  readonly words: readonly string[];
}

export function findListedFailures(lines: readonly string[], summary: RunnerSummary): readonly ListedFailure[] {
  return LISTS[summary.kind]?.(lines, summary.at) ?? [];
}

/** Where each runner lists what failed. `at`: the line of its summary. */
const LISTS: Readonly<Partial<Record<SummaryKind, (lines: readonly string[], at: number) => readonly ListedFailure[]>>> = {
  mocha: (lines, at) =>
    startsOf(lines, /^\d{1,9}\) \S/, at + 1).map((start) => {
      // The titles of suites and test stand below each other, up to a colon; the error follows.
      const end = lines.findIndex((line, index) => index >= start && index < start + NEAR && line.endsWith(':'));
      const titles = lines.slice(start, end < 0 ? start + 1 : end + 1).join(' ');
      const error = lines.slice(end < 0 ? start + 1 : end + 1).find((line) => line !== '');
      return { at: start, words: [titles, ...(error === undefined || /^\d{1,9}\) /.test(error) ? [] : [error])] };
    }),
  vitest: (lines, at) => withErrors(lines, startsOf(lines, /^FAIL\s+\S/, 0, at)),
  jest: (lines, at) => withErrors(lines, keepFirst(lines, startsOf(lines, /^\u25cf (?!Console\b|Validation\b)\S/, 0, at))),
  pytest: (lines, at) => {
    // Its short summary names them; the details before it begin with `____ test_a ____`.
    const named = startsOf(lines, /^(?:FAILED|ERROR) \S/, 0, at);
    const shown = named.length > 0 ? named : startsOf(lines, /^E {2,}\S/, 0, at);
    const detail = lines.findIndex((line) => /^_{3,} .{1,200} _{3,}$/.test(line));
    return shown.map((start, index) => ({ at: index === 0 && detail >= 0 ? detail : start, words: [lines[start] ?? ''] }));
  },
  // The runner prints its list behind the summary; before it stand the titles of all tests.
  node: (lines, at) => withErrors(lines, startsOf(lines, /^\u2716 (?!failing tests:$)\S/, at + 1)),
  tap: (lines, at) => withErrors(lines, startsOf(lines, /^not ok \d{1,9}\b(?!.* # (?:TODO|SKIP)\b)/i, 0, at)),
};

function startsOf(lines: readonly string[], start: RegExp, from: number, to = lines.length): readonly number[] {
  return lines.flatMap((line, at) => (at >= from && at < to && start.test(line) ? [at] : []));
}

/** Jest lists a failure again at the end of a long run. */
function keepFirst(lines: readonly string[], starts: readonly number[]): readonly number[] {
  return starts.filter((at) => lines.indexOf(lines[at] ?? '') === at);
}

const ERROR = /^(?:[A-Za-z.]{0,60}(?:Error|Exception|Failure)\b|error: |expect\(|(?:Expected|Assertion)\b)/i;
/** How far below the name of a test its error may begin. */
const NEAR = 12;

function withErrors(lines: readonly string[], starts: readonly number[]): readonly ListedFailure[] {
  return starts.map((at, index) => {
    const end = Math.min(starts[index + 1] ?? lines.length, at + NEAR);
    const error = lines.slice(at + 1, end).find((line) => ERROR.test(line) && !/^error: \|-?$/.test(line));
    return { at, words: [lines[at] ?? '', ...(error === undefined ? [] : [error])] };
  });
}

/** A failed test in full, as a runner printed it. */
export interface PrintedFailure {
  readonly name: string;
  readonly file: string | null;
  /** Of the test itself, where the runner says it. */
  readonly line: number | null;
  /** Everything that stands below its name. */
  readonly text: string;
}

const MOST_BLOCK_LINES = 60;

/** Of the last summary. `text`: without colours. */
export function readPrintedFailures(text: string): readonly PrintedFailure[] {
  const raw = text.split(/\r\n|\n|\r/);
  const lines = raw.map((line) => line.trim());
  const summary = lastSummary(lines);
  if (summary === null || summary.failing === 0) return [];
  const listed = findListedFailures(lines, summary);
  return listed.map(({ at, words }, index) => {
    const end = Math.min(listed[index + 1]?.at ?? raw.length, at + MOST_BLOCK_LINES);
    const head = words[0] ?? '';
    const named = readName(summary.kind, head);
    const title = summary.kind === 'mocha' ? lines.findIndex((line, row) => row >= at && row < end && line.endsWith(':')) : at;
    const block = summary.kind === 'pytest' ? readPytestBlock(lines, head) : raw.slice(Math.max(at, title) + 1, end);
    // node:test says where a test stands in the line before it.
    const place = summary.kind === 'node' ? /^test at (.+?):(\d+)(?::\d+)?$/.exec(lines[at - 1] ?? '') : null;
    const stack = summary.kind === 'tap' ? block.findIndex((line) => line.trim().startsWith('stack:')) : -1;
    return {
      ...named,
      file: place?.[1] ?? named.file,
      line: place === null ? null : Number(place[2]),
      text: (stack < 0 ? block : block.slice(0, stack)).join('\n').trim(),
    };
  });
}

/** What runners put before and behind the titles of a test. */
const NAMES: Readonly<Partial<Record<SummaryKind, RegExp>>> = {
  mocha: /^\d{1,9}\) (?<name>.+?):?$/,
  vitest: /^FAIL\s+(?:\|[^|]*\|\s+)?(?<file>\S+)(?: > (?<name>.+))?$/,
  jest: /^\u25cf (?<name>.+)$/,
  pytest: /^(?:FAILED|ERROR) (?<file>[^:]+)(?:::(?<name>.+?))?(?: - .*)?$/,
  node: /^\u2716 (?<name>.+?)(?: \(\d[\d.]*ms\))?$/,
  tap: /^not ok \d{1,9}(?: -)? (?<name>.+)$/i,
};

function readName(kind: SummaryKind, head: string): Pick<PrintedFailure, 'name' | 'file'> {
  const { name = '', file = null } = NAMES[kind]?.exec(head)?.groups ?? {};
  return { name: (name || file || head).replaceAll(' \u203a ', ' > ').replaceAll('::', ' > '), file };
}

/** Its details stand apart, under `____ TestCart.test_a ____`. */
function readPytestBlock(lines: readonly string[], head: string): readonly string[] {
  const name = (/^(?:FAILED|ERROR) [^:]+::(.+?)(?: - .*)?$/.exec(head)?.[1] ?? '').replaceAll('::', '.');
  const start = lines.findIndex(
    (line) => /^_{3,} .{1,200} _{3,}$/.test(line) && line.replaceAll('_', ' ').trim() === name.replaceAll('_', ' '),
  );
  const said = / - (.*)$/.exec(head)?.[1] ?? '';
  if (start < 0) return [said];
  const end = lines.findIndex((line, at) => at > start && /^(?:_{3,} .{1,200} _{3,}|={3,} .{1,200} ={3,})$/.test(line));
  const block = lines.slice(start + 1, Math.min(end < 0 ? lines.length : end, start + MOST_BLOCK_LINES));
  return block.filter((line) => /^E {2,}\S/.test(line) || /^\S+:\d+: \S/.test(line)).map((line) => line.replace(/^E {2,}/, ''));
}
