// The JSON reports of Jest and Vitest: tests by file, files that could not run, the stated totals, and Istanbul coverage where it is
// embedded.

import type { Format, ReadOptions } from './format.js';
import { addFileCoverage } from './istanbul.js';
import { compareStated, type JsonPlan, jsonReader, statedCount } from './json-reader.js';
import { toProjectPath } from './project-path.js';
import { counted, type ReportBuilder } from './report-builder.js';
import { isObject, type JsonObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { durationIn, lineIn, listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import type { TestStatus } from '@umpire/core/model/vocabulary.js';

const STATUSES: ReadonlyMap<string, TestStatus> = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['pending', 'skipped'],
  ['skipped', 'skipped'],
  ['todo', 'skipped'],
  ['disabled', 'skipped'],
  ['focused', 'skipped'],
]);

const MOST_NAMED = 100_000;

export const jest: Format = {
  id: 'jest',
  title: 'Jest or Vitest JSON',
  content: 'tests',
  recognises: ({ kind, isArray, keys }) => kind === 'json' && !isArray && (keys.has('testResults') || keys.has('numTotalTests')),
  open: (report, options) => {
    return jsonReader(report, () => new JestRun(report, options).plan());
  },
};

class JestRun {
  private readonly head = new Map<string, unknown>();
  private readonly counts: Record<TestStatus, number> = { passed: 0, failed: 0, errored: 0, skipped: 0 };
  /** How often each id came; of very many tests, the first. */
  private readonly named = new Map<string, number>();
  private retried = 0;
  /** Tests whose status says nothing. */
  private unknown = 0;
  private hasFiles = false;

  constructor(
    private readonly report: ReportBuilder,
    private readonly options: ReadOptions,
  ) {}

  plan(): JsonPlan {
    const said = (value: unknown, key: string): void => void this.head.set(key, value);
    return {
      picks: {
        '': (value) => this.report.fail(`the report is ${nameOf(value)}; expected an object with "testResults"`),
        testResults: {
          open: () => {
            this.hasFiles = true;
          },
          value: (value) => this.report.fail(`"testResults" is ${nameOf(value)}; expected a list`),
        },
        'testResults[]': { value: (file) => this.file(file), without: ['coverage', 'console', 'perfStats', 'sourceMaps', 'v8Coverage'] },
        'coverageMap.*': {
          value: (data, path) => addFileCoverage(this.report, path, data, this.options.root),
          without: ['inputSourceMap'],
        },
        success: said,
        wasInterrupted: said,
        numTotalTests: said,
        numPassedTests: said,
        numFailedTests: said,
        numRuntimeErrorTestSuites: said,
        numFailedTestSuites: said,
      },
      finish: (isWhole) => this.finish(isWhole),
    };
  }

  private file(value: unknown): void {
    if (!isObject(value)) return this.report.drop(`an entry of "testResults" is ${nameOf(value)}; expected an object`);
    const path = textIn(value, 'name') || textIn(value, 'testFilePath');
    const place = path === '' ? null : toProjectPath(path, this.options.root);
    const tests = Array.isArray(own(value, 'assertionResults')) ? listIn(value, 'assertionResults') : listIn(value, 'testResults');
    let failures = 0;
    for (const test of tests) if (this.test(test, place)) failures += 1;
    const message = textIn(value, 'message') || textIn(value, 'failureMessage') || textIn(objectIn(value, 'testExecError'), 'message');
    const isFailed = textIn(value, 'status') === 'failed' || isObject(own(value, 'testExecError'));
    if (!isFailed || failures > 0) return;
    this.counts.errored += 1;
    this.report.addTest({
      id: this.numbered(place ?? 'a file without a name', false),
      status: 'errored',
      file: place,
      line: null,
      message: message || 'the file could not be run',
      durationMs: null,
    });
  }

  /** Retries are one entry here: two of one name are two tests, such as rows of a table, or a file that runs in two projects. */
  private numbered(id: string, isRetry: boolean): string {
    const times = (this.named.get(id) ?? 0) + (isRetry && this.named.has(id) ? 0 : 1);
    if (times > 1 || this.named.size < MOST_NAMED) this.named.set(id, times);
    return times > 1 ? `${id} (${times})` : id;
  }

  /** Did it fail? */
  private test(value: unknown, file: string | null): boolean {
    if (!isObject(value)) {
      this.report.drop(`a test is ${nameOf(value)}; expected an object`);
      return false;
    }
    const status = this.statusOf(value);
    this.counts[status] += 1;
    if (listIn(value, 'retryReasons').length > 0 && status === 'passed') this.retried += 1;
    const messages = listIn(value, 'failureMessages').filter((each) => typeof each === 'string');
    const suites = listIn(value, 'ancestorTitles').filter((each) => typeof each === 'string');
    const name = textIn(value, 'title') || textIn(value, 'fullName') || 'a test without a name';
    const id = [...(file === null ? [] : [file]), ...suites, name].join(' > ');
    const isRetry = listIn(value, 'retryReasons').length > 0;
    this.report.addTest({
      id: this.numbered(id, isRetry),
      status,
      file,
      line: lineIn(objectIn(value, 'location'), 'line'),
      message: status === 'passed' || status === 'skipped' ? null : messages.join('\n').trim() || null,
      durationMs: durationIn(value, 'duration'),
    });
    return status === 'failed' || status === 'errored';
  }

  private statusOf(test: JsonObject): TestStatus {
    const word = textIn(test, 'status');
    const status = STATUSES.get(word);
    if (status !== undefined) return status;
    this.report.note(`unknown test status "${word.slice(0, 40)}"; counted as an error`);
    this.unknown += 1;
    return 'errored';
  }

  private finish(isWhole: boolean): void {
    if (!isWhole) return;
    const { report, counts } = this;
    const head = Object.fromEntries(this.head);
    if (!this.hasFiles) report.fail('the list "testResults" is missing');
    const bad = counts.failed + counts.errored;
    if (own(head, 'success') === true && bad > 0)
      report.note(`the report states success, but ${counted(bad, 'test')} failed; counted as failed`);
    if ((own(head, 'success') === false || own(head, 'success') === 'false') && bad === 0)
      report.markFailed('the report states that the run failed, although no test failed');
    if (own(head, 'wasInterrupted') === true) report.markFailed('the run was interrupted');
    compareStated(report, 'failed tests', statedCount(report, head, 'numFailedTests'), counts.failed, 'failures');
    compareStated(report, 'passed tests', statedCount(report, head, 'numPassedTests'), counts.passed, 'tests');
    const broken = statedCount(report, head, 'numRuntimeErrorTestSuites');
    if (broken !== null && broken > counts.errored)
      compareStated(report, 'files that could not be run', broken, counts.errored, 'failures');
    const failing = statedCount(report, head, 'numFailedTestSuites');
    if (failing !== null && bad === 0) compareStated(report, 'files that failed', failing, 0, 'failures');
    const listed = counts.passed + counts.failed + counts.skipped + this.unknown;
    compareStated(report, 'tests', statedCount(report, head, 'numTotalTests'), listed, 'tests');
    if (this.retried > 0) report.note(`${counted(this.retried, 'test')} passed only on a retry`);
  }
}
