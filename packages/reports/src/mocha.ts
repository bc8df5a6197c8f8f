// Mocha's JSON: every test is in one of the lists `passes`, `failures` and `pending`; a hook that failed is in `failures` alone.
// `tests` repeats them and is compared with those.

import type { Format, ReadOptions } from './format.js';
import { compareStated, jsonReader } from './json-reader.js';
import type { Pick } from './json-stream.js';
import { toProjectPath } from './project-path.js';
import type { ReportBuilder } from './report-builder.js';
import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { countIn, durationIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import type { TestStatus } from '@umpire/core/model/vocabulary.js';

const HOOK = /^"(?:before|after) (?:all|each)" hook/;
const MOST_NAMED = 100_000;
const LISTS = ['passes', 'failures', 'pending'] as const;

export const mocha: Format = {
  id: 'mocha',
  title: 'Mocha JSON',
  content: 'tests',
  recognises: ({ kind, isArray, keys }) =>
    kind === 'json' && !isArray && keys.has('stats') && (keys.has('tests') || keys.has('passes') || keys.has('failures')),
  open: (report, options) => {
    const run = new MochaRun(report, options);
    return jsonReader(report, () => ({
      picks: {
        '': (value) => report.fail(`the report is ${nameOf(value)}; expected an object with "stats" and "tests"`),
        stats: (value) => {
          run.stats = value;
        },
        'tests[]': (value) => run.listed(value),
        ...run.lists(),
      },
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
    private readonly report: ReportBuilder,
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
    const { report, counts, stats } = this;
    const missing = LISTS.filter((list) => !this.seen.has(list));
    if (missing.length > 0) report.fail(`missing: ${missing.map((list) => `"${list}"`).join(', ')}`);
    compareStated(report, 'failures', countIn(stats, 'failures'), counts.failures, 'failures');
    compareStated(report, 'passed tests', countIn(stats, 'passes'), counts.passes, 'tests');
    compareStated(report, 'pending tests', countIn(stats, 'pending'), counts.pending);
    if (this.withErrors > counts.failures)
      report.markFailed(
        `${this.withErrors === 1 ? '1 entry of "tests" has' : `${this.withErrors} entries of "tests" have`} an error, but "failures" has ${counts.failures}; counted as failed`,
      );
    const told = counts.passes + counts.pending + counts.failures - this.hooks;
    compareStated(report, 'tests', countIn(stats, 'tests'), Math.max(told, this.tests), 'tests');
    if (this.tests > told)
      report.note(
        `"tests" has ${this.tests} ${this.tests === 1 ? 'entry' : 'entries'}, but only ${told} passed, failed or ${told === 1 ? 'is' : 'are'} pending`,
      );
  }

  /** Two entries of one name are two tests, such as rows of a table: a passed one does not replace a failed one. */
  private numbered(id: string): string {
    const times = (this.named.get(id) ?? 0) + 1;
    if (times > 1 || this.named.size < MOST_NAMED) this.named.set(id, times);
    return times > 1 ? `${id} (${times})` : id;
  }

  private test(value: unknown, list: (typeof LISTS)[number]): void {
    this.counts[list] += 1;
    if (!isObject(value)) {
      this.report.drop(`an entry of "${list}" is ${nameOf(value)}; expected an object`);
      // What is in this list failed, whatever it is.
      if (list !== 'failures') return;
    }
    const title = textIn(value, 'title');
    const isHook = list === 'failures' && HOOK.test(title);
    if (isHook) this.hooks += 1;
    const path = textIn(value, 'file');
    const file = path === '' ? null : toProjectPath(path, this.options.root);
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
    this.report.addTest({ ...result, id: this.numbered(result.id) });
  }
}

/** A test with an error has failed, even in the list of passes. */
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
