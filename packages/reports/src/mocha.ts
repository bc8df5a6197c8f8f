// Mocha's JSON: every test is in one of the lists `passes`, `failures` and `pending`; a hook that failed is in `failures` alone.
// `tests` repeats them and is held against those.

import type { TestStatus } from '@umpire/core/model.js';
import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import type { Format, ReadOptions, ReportReader } from './format.js';
import { holdAgainst, jsonReader } from './json-reader.js';
import type { Pick } from './json-picks.js';
import { countIn, durationIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import { placeInProject } from './places.js';
import { Sheet } from './sheet.js';

const HOOK = /^"(?:before|after) (?:all|each)" hook/;
const MOST_NAMED = 100_000;
const LISTS = ['passes', 'failures', 'pending'] as const;

export const mocha: Format = {
  id: 'mocha',
  title: 'Mocha JSON',
  recognises: ({ kind, isArray, keys }) =>
    kind === 'json' && !isArray && keys.has('stats') && (keys.has('tests') || keys.has('passes') || keys.has('failures')),
  open: (options): ReportReader => {
    const sheet = new Sheet('mocha', 'tests', options);
    const run = new MochaRun(sheet, options);
    return jsonReader(sheet, () => ({
      picks: {
        '': (value) => sheet.fail(`it is ${nameOf(value)}; expected an object with "stats" and "tests"`),
        stats: (value) => {
          run.stats = value;
        },
        'tests[]': (value) => run.listed(value),
        ...run.lists(),
      },
      unit: 'test',
      count: () => Math.max(sheet.testCount, run.tests),
      finish: (isWhole) => {
        if (isWhole) run.finish();
      },
    }));
  },
};

class MochaRun {
  stats: unknown = null;
  tests = 0;
  private withErrors = 0;
  private hooks = 0;
  private readonly seen = new Set<string>();
  /** How often each id came; of very many tests, the first. */
  private readonly named = new Map<string, number>();
  private readonly counts = { passes: 0, failures: 0, pending: 0 };

  constructor(
    private readonly sheet: Sheet,
    private readonly options: ReadOptions,
  ) {}

  lists(): Readonly<Record<string, Pick>> {
    return Object.fromEntries(
      LISTS.flatMap((list): [string, Pick][] => [
        [list, { open: () => void this.seen.add(list) }],
        [`${list}[]`, { value: (value) => this.test(value, list) }],
      ]),
    );
  }

  listed(value: unknown): void {
    this.tests += 1;
    if (hasError(value)) this.withErrors += 1;
  }

  finish(): void {
    const { sheet, counts, stats } = this;
    const missing = LISTS.filter((list) => !this.seen.has(list));
    if (missing.length > 0) sheet.fail(`there is no list ${missing.map((list) => `"${list}"`).join(', ')} in it`);
    holdAgainst(sheet, 'failures', countIn(stats, 'failures'), counts.failures, true);
    holdAgainst(sheet, 'passed tests', countIn(stats, 'passes'), counts.passes);
    holdAgainst(sheet, 'pending tests', countIn(stats, 'pending'), counts.pending);
    if (this.withErrors > counts.failures)
      sheet.saysFailed(
        `${this.withErrors === 1 ? '1 entry of "tests" has' : `${this.withErrors} entries of "tests" have`} an error, "failures" has ${counts.failures}; it counts as failed`,
      );
    const told = counts.passes + counts.pending + counts.failures - this.hooks;
    if (this.tests > told)
      sheet.note(
        `"tests" has ${this.tests} ${this.tests === 1 ? 'entry' : 'entries'}, but only ${told} ${told === 1 ? 'is' : 'are'} said to have passed, failed or been left out`,
      );
  }

  /** Two of one name are two tests, such as rows of a table: one that passed does not speak for one that failed. */
  private numbered(id: string): string {
    const times = (this.named.get(id) ?? 0) + 1;
    if (times > 1 || this.named.size < MOST_NAMED) this.named.set(id, times);
    return times > 1 ? `${id} (${times})` : id;
  }

  private test(value: unknown, list: (typeof LISTS)[number]): void {
    this.counts[list] += 1;
    if (!isObject(value)) return this.sheet.fail(`an entry of "${list}" is ${nameOf(value)}; expected an object`);
    const title = textIn(value, 'title');
    const isHook = list === 'failures' && HOOK.test(title);
    if (isHook) this.hooks += 1;
    const path = textIn(value, 'file');
    const file = path === '' ? null : placeInProject(path, this.options.root);
    const error = objectIn(value, 'err');
    const status = isHook ? 'errored' : statusOf(list, value);
    const result = {
      id: [file ?? '', suitesOf(textIn(value, 'fullTitle'), title), title || 'a test without a name']
        .filter((part) => part !== '')
        .join(' > '),
      status,
      file,
      line: null,
      message: status === 'failed' || status === 'errored' ? textIn(error, 'message') || textIn(error, 'stack') || null : null,
      durationMs: durationIn(value, 'duration'),
    };
    this.sheet.test({ ...result, id: this.numbered(result.id) });
  }
}

/** A test that is said to have passed and carries an error has not. */
function statusOf(list: (typeof LISTS)[number], test: unknown): TestStatus {
  if (list === 'failures') return 'failed';
  if (hasError(test)) return 'failed';
  return list === 'passes' ? 'passed' : 'skipped';
}

function hasError(test: unknown): boolean {
  const error = isObject(test) ? own(test, 'err') : undefined;
  return isObject(error) && Object.keys(error).length > 0;
}

/** The full title is that of the suites, then the test's own. */
function suitesOf(full: string, title: string): string {
  return full.endsWith(title) ? full.slice(0, full.length - title.length).trim() : full;
}
