// The reader `command-result`: results/until.json, the result of the command that decides whether the work is done. Only Umpire
// writes this file, so an unexpected value makes it unreadable.

import type { Item, Scalar } from '../model/vocabulary.js';
import { isObject, nameOf, own, parseReport } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { regressionsMeasured } from './regressions-measured.js';
import { lastSummary } from './runner-summary.js';
import { DOUBTFUL, uncheckedIn } from './unverified-checks.js';
import { quote, readable, refuseText, unreadable, type Reader } from './reader.js';

const EXPECTED = 'a JSON object with command, exit_status (or signal) and timed_out';

/** Exit statuses of Windows have 32 bits. */
export const HIGHEST_EXIT = 0xffffffff;

const MAX_LINES = 20;
const MAX_LINE_LENGTH = 200;
const MAX_TAIL = 16_000;

export const readCommandResult: Reader = (text) => {
  const refused = refuseText(text, EXPECTED);
  if (refused !== null) return refused;
  const json = parseReport(text);
  if (!json.ok) return unreadable(json.problem, json.line);
  if (!isObject(json.value)) return unreadable(`it is ${nameOf(json.value)}; expected ${EXPECTED}`);
  const misfit = MEMBERS.map(([key, expected, fits]) => misfitOf(json.value as JsonObject, key, expected, fits)).find(
    (one) => one !== null,
  );
  if (misfit !== undefined) return unreadable(misfit);
  return readMembers(json.value);
};

function readMembers(result: JsonObject): ReturnType<Reader> {
  const exit = given(result, 'exit_status');
  const signal = given(result, 'signal');
  const timedOut = given(result, 'timed_out') ?? false;
  if (exit === null && signal === null && timedOut === false)
    return unreadable(`it has neither exit_status nor signal, so it does not say how the command ended; expected ${EXPECTED}`);
  const notes = exit !== null && signal !== null ? [`it gives exit_status ${exit} and signal ${String(signal)}; using the signal`] : [];
  const tail = splitTail(String(given(result, 'output_tail') ?? ''));
  const excerpt = splitTail(String(given(result, 'excerpt') ?? ''));
  // A failure is shown from its first line on; without one, the end is shown.
  const output = (excerpt.length > 0 ? excerpt.slice(0, MAX_LINES) : tail.slice(-MAX_LINES)).map((line) => ({ text: line }));
  const summary = lastSummary(tail);
  const values: (readonly [string, Scalar | null])[] = [
    ['command', given(result, 'command')],
    ['exit_status', signal === null ? exit : null],
    ['signal', signal],
    ['timed_out', timedOut],
    ['report_unwritten', given(result, 'report_problem') !== null],
    ['duration_ms', given(result, 'duration_ms')],
    ['head', given(result, 'head')],
    ['last_line', tail.at(-1) ?? null],
    // Shows a trend; no rule uses it.
    ['failing', given(result, 'failing') ?? (summary?.isCounted === true ? summary.failing : null)],
  ];
  const regressions = regressionsMeasured(result);
  if (typeof regressions === 'string') return unreadable(regressions);
  const present = values.filter((pair): pair is readonly [string, Scalar] => pair[1] !== null);
  const [unearned, unsure, doubtful] = [UNEARNED, UNSURE, DOUBTED].map((keys) => earnedTests(result, keys));
  for (const list of [unearned, unsure, doubtful]) if (typeof list === 'string') return unreadable(list);
  const lists = [
    ['output', output] as const,
    ['regressions_measured', regressions] as const,
    ['unearned', listOrNone(unearned)] as const,
    ['unsure', listOrNone(unsure)] as const,
    ['unverified_checks', [...listOrNone(doubtful), ...uncheckedIn(result)]] as const,
  ];
  return readable({ values: present, lists, notes });
}

/** What a command that passed has not earned: the lists of its result, with what is said of a test in each. */
const UNEARNED = {
  lost_tests: 'ran at the base and did not run now',
  goal_unseen: "fails in the command's own run",
  goal_changed: 'passes only as this work changed tests, settings or marks',
  goal_answered: 'passes with its own inputs, and with others fails as it did at the base',
};
const UNSURE = { goal_unsure: '' };
/** Approves with a mark, as what gave no certain result does. */
const DOUBTED = { doubtful_tests: DOUBTFUL };

function listOrNone(list: readonly Item[] | string | undefined): readonly Item[] {
  return typeof list === 'object' ? list : [];
}

const MAX_NAME = 300;

/** Such a list is absent where nothing is in it. A text says why the value proves nothing. */
function earnedTests(result: JsonObject, keys: Readonly<Record<string, string>>): readonly Item[] | string {
  const items: Item[] = [];
  for (const [key, what] of Object.entries(keys)) {
    const value = own(result, key) ?? [];
    if (!Array.isArray(value)) return `${key} is ${nameOf(value)}; expected a list of tests`;
    for (const test of value as readonly unknown[]) {
      const id = isObject(test) ? own(test, 'id') : null;
      if (typeof id !== 'string' || id === '') return `${key} has a test without an id`;
      items.push({ name: `${id.slice(0, MAX_NAME)}${what === '' ? '' : ` (${what})`}` });
    }
  }
  return items;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isWhole = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= HIGHEST_EXIT;
const isDuration = (value: unknown): boolean => typeof value === 'number' && value >= 0;

/** The members that are read, with their type. Each may be missing or null. */
const MEMBERS: readonly (readonly [string, string, (value: unknown) => boolean])[] = [
  ['command', 'a string', isText],
  ['exit_status', `a whole number from 0 to ${HIGHEST_EXIT}, or null`, isWhole],
  ['signal', 'a string such as "SIGKILL", or null', (value) => isText(value) && value !== ''],
  ['timed_out', 'true or false', (value) => typeof value === 'boolean'],
  ['report_problem', 'a string or null', isText],
  ['duration_ms', 'a number of milliseconds', isDuration],
  ['output_tail', 'a string', isText],
  ['failing', 'a whole number', isWhole],
  ['excerpt', 'a string', isText],
  ['head', 'a string or null', isText],
];

function misfitOf(result: JsonObject, key: string, expected: string, fits: (value: unknown) => boolean): string | null {
  const value = own(result, key) ?? null;
  if (value === null || fits(value)) return null;
  return `${key} is ${typeof value === 'object' ? nameOf(value) : quote(String(value))}; expected ${expected}`;
}

function given(result: JsonObject, key: string): Scalar | null {
  return (own(result, key) ?? null) as Scalar | null;
}

/** The last lines with content, without terminal colours. */
function splitTail(tail: string): readonly string[] {
  const lines = tail.slice(-MAX_TAIL).split(/[\r\n]+/);
  return lines
    .map((line) => {
      const shown = line.replace(/\p{Cc}\[[0-9;?]{0,40}[A-Za-z]/gu, '').replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
      const flat = shown.trim();
      return flat.length > MAX_LINE_LENGTH ? `${flat.slice(0, MAX_LINE_LENGTH)}...` : flat;
    })
    .filter((line) => line !== '');
}
