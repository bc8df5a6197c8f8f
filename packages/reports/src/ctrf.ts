// CTRF (Common Test Report Format): `results.tests` with a status each, and a summary that is compared with them.

import type { Format, ReadOptions } from './format.js';
import { compareStated, jsonReader } from './json-reader.js';
import { toProjectPath } from './project-path.js';
import { counted, type ReportBuilder } from './report-builder.js';
import { isObject, type JsonObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { countIn, durationIn, lineIn, textIn } from '@umpire/core/formats/json-values.js';
import type { TestStatus } from '@umpire/core/model/vocabulary.js';

const STATUSES: ReadonlyMap<string, TestStatus> = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['skipped', 'skipped'],
  ['pending', 'skipped'],
  ['other', 'errored'],
]);

export const ctrf: Format = {
  id: 'ctrf',
  title: 'CTRF JSON',
  content: 'tests',
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' &&
    !isArray &&
    ((keys.has('reportFormat') && text.includes('CTRF')) ||
      (keys.has('results') && !keys.has('metadata') && text.includes('"summary"') && text.includes('"tests"') && text.includes('"tool"'))),
  open: (report, options) => {
    const run = new CtrfRun(report, options);
    return jsonReader(report, () => ({
      picks: {
        '': (value) => report.fail(`the report is ${nameOf(value)}; expected an object with "results"`),
        'results.summary': (value) => {
          run.summary = value;
        },
        'results.tests': {
          open: () => {
            run.hasTests = true;
          },
          value: (value) => report.fail(`"tests" is ${nameOf(value)}; expected a list`),
        },
        'results.tests[]': {
          value: (value) => run.test(value),
          without: ['steps', 'attachments', 'stdout', 'stderr', 'extra', 'parameters', 'insights'],
        },
      },
      finish: (isWhole) => {
        if (isWhole) run.finish();
      },
    }));
  },
};

class CtrfRun {
  summary: unknown = null;
  hasTests = false;
  private flaky = 0;
  private readonly counts: Record<TestStatus, number> = { passed: 0, failed: 0, errored: 0, skipped: 0 };

  constructor(
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  test(value: unknown): void {
    if (!isObject(value)) return this.report.drop(`a test is ${nameOf(value)}; expected an object`);
    const status = this.statusOf(value);
    this.counts[status] += 1;
    if (own(value, 'flaky') === true && status === 'passed') this.flaky += 1;
    const path = textIn(value, 'filePath') || textIn(value, 'filepath');
    const file = path === '' ? null : toProjectPath(path, this.options.root);
    this.report.addTest({
      id: [...(file === null ? [] : [file]), ...suitesOf(value), textIn(value, 'name') || 'a test without a name'].join(' > '),
      status,
      file,
      line: lineIn(value, 'line'),
      message: status === 'passed' || status === 'skipped' ? null : textIn(value, 'message') || textIn(value, 'trace') || null,
      durationMs: durationIn(value, 'duration'),
    });
  }

  finish(): void {
    const { report, counts, summary } = this;
    if (!this.hasTests) report.fail('the list "results.tests" is missing');
    compareStated(report, 'failed tests', countIn(summary, 'failed'), counts.failed, 'failures');
    compareStated(report, 'other tests', countIn(summary, 'other'), counts.errored, 'failures');
    const listed = counts.passed + counts.failed + counts.errored + counts.skipped;
    compareStated(report, 'tests', countIn(summary, 'tests'), listed, 'tests');
    compareStated(report, 'passed tests', countIn(summary, 'passed'), counts.passed, 'tests');
    if (this.flaky > 0) report.note(`${counted(this.flaky, 'flaky test')}: passed only on a retry`);
  }

  private statusOf(test: JsonObject): TestStatus {
    const word = textIn(test, 'status').toLowerCase();
    const status = STATUSES.get(word);
    if (status === undefined) this.report.note(`unknown test status "${word.slice(0, 40)}"; counted as an error`);
    else if (word === 'other') this.report.note('the status "other" means neither passed nor failed; counted as an error');
    return status ?? 'errored';
  }
}

function suitesOf(test: JsonObject): readonly string[] {
  const suite = own(test, 'suite');
  if (Array.isArray(suite)) return suite.filter((each): each is string => typeof each === 'string' && each !== '');
  return typeof suite === 'string' && suite.trim() !== '' ? [suite.trim()] : [];
}
