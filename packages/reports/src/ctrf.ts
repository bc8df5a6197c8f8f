// CTRF (Common Test Report Format): `results.tests` with a status each, and a summary that is held against them.

import type { TestStatus } from '@umpire/core/model.js';
import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import type { JsonObject } from '@umpire/core/formats/json-text.js';
import type { Format, ReadOptions, ReportReader } from './format.js';
import { counted, holdAgainst, jsonReader } from './json-reader.js';
import { countIn, durationIn, lineIn, textIn } from '@umpire/core/formats/json-values.js';
import { placeInProject } from './places.js';
import { Sheet } from './sheet.js';

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
  recognises: ({ kind, isArray, keys, text }) =>
    kind === 'json' &&
    !isArray &&
    ((keys.has('reportFormat') && text.includes('CTRF')) ||
      (keys.has('results') && !keys.has('metadata') && text.includes('"summary"') && text.includes('"tests"') && text.includes('"tool"'))),
  open: (options): ReportReader => {
    const sheet = new Sheet('ctrf', 'tests', options);
    const run = new CtrfRun(sheet, options);
    return jsonReader(sheet, () => ({
      picks: {
        '': (value) => sheet.fail(`it is ${nameOf(value)}; expected an object with "results"`),
        'results.summary': (value) => {
          run.summary = value;
        },
        'results.tests': {
          open: () => {
            run.hasTests = true;
          },
          value: (value) => sheet.fail(`"tests" is ${nameOf(value)}; expected a list`),
        },
        'results.tests[]': {
          value: (value) => run.test(value),
          without: ['steps', 'attachments', 'stdout', 'stderr', 'extra', 'parameters', 'insights'],
        },
      },
      unit: 'test',
      count: () => sheet.testCount,
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
    private readonly sheet: Sheet,
    private readonly options: ReadOptions,
  ) {}

  test(value: unknown): void {
    if (!isObject(value)) return this.sheet.fail(`a test is ${nameOf(value)}; expected an object`);
    const status = this.statusOf(value);
    this.counts[status] += 1;
    if (own(value, 'flaky') === true && status === 'passed') this.flaky += 1;
    const path = textIn(value, 'filePath') || textIn(value, 'filepath');
    const file = path === '' ? null : placeInProject(path, this.options.root);
    this.sheet.test({
      id: [...(file === null ? [] : [file]), ...suitesOf(value), textIn(value, 'name') || 'a test without a name'].join(' > '),
      status,
      file,
      line: lineIn(value, 'line'),
      message: status === 'passed' || status === 'skipped' ? null : textIn(value, 'message') || textIn(value, 'trace') || null,
      durationMs: durationIn(value, 'duration'),
    });
  }

  finish(): void {
    const { sheet, counts, summary } = this;
    if (!this.hasTests) sheet.fail('there is no list "results.tests" in it');
    holdAgainst(sheet, 'tests', countIn(summary, 'tests'), counts.passed + counts.failed + counts.errored + counts.skipped);
    holdAgainst(sheet, 'failed tests', countIn(summary, 'failed'), counts.failed, true);
    holdAgainst(sheet, 'other tests', countIn(summary, 'other'), counts.errored, true);
    holdAgainst(sheet, 'passed tests', countIn(summary, 'passed'), counts.passed);
    if (this.flaky > 0) sheet.note(`${counted(this.flaky, 'flaky test')}: passed only when tried again`);
  }

  private statusOf(test: JsonObject): TestStatus {
    const word = textIn(test, 'status').toLowerCase();
    const status = STATUSES.get(word);
    if (status === undefined) this.sheet.note(`the status "${word.slice(0, 40)}" of a test is not known; it counts as an error`);
    else if (word === 'other') this.sheet.note('the status "other" says neither passed nor failed; it counts as an error');
    return status ?? 'errored';
  }
}

function suitesOf(test: JsonObject): readonly string[] {
  const suite = own(test, 'suite');
  if (Array.isArray(suite)) return suite.filter((each): each is string => typeof each === 'string' && each !== '');
  return typeof suite === 'string' && suite.trim() !== '' ? [suite.trim()] : [];
}
