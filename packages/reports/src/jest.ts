// The JSON reports of Jest and Vitest: tests by file, files that could not run, the stated totals, and Istanbul coverage where it is
// embedded.

import type { JsonFormat } from './format.js';
import { addFileCoverage } from './istanbul.js';
import { toProjectPath } from './project-path.js';
import { counted, keepObjects, requireList } from './report-builder.js';
import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { countIn, durationIn, lineIn, listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
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

export const jest: JsonFormat = {
  id: 'jest',
  title: 'Jest or Vitest JSON',
  content: 'tests',
  recognises: ({ isArray, keys }) => !isArray && (keys.has('testResults') || keys.has('numTotalTests')),
  read: (value, report, { root }) => {
    const counts: Record<TestStatus, number> = { passed: 0, failed: 0, errored: 0, skipped: 0 };
    /** Tests whose status says nothing. */
    let unknown = 0;
    let retried = 0;
    for (const entry of keepObjects(report, requireList(report, value, 'testResults'), 'an entry of "testResults"')) {
      const path = textIn(entry, 'name') || textIn(entry, 'testFilePath');
      const file = path === '' ? null : toProjectPath(path, root);
      const tests = listIn(entry, Array.isArray(own(entry, 'assertionResults')) ? 'assertionResults' : 'testResults');
      let failures = 0;
      for (const test of keepObjects(report, tests, 'a test')) {
        const word = textIn(test, 'status');
        const status = STATUSES.get(word) ?? 'errored';
        counts[status] += 1;
        if (!STATUSES.has(word)) {
          report.note(`unknown test status "${word.slice(0, 40)}"; counted as an error`);
          unknown += 1;
        }
        const isBad = status === 'failed' || status === 'errored';
        if (isBad) failures += 1;
        // Retries are one entry here: two of one name are two tests, such as a file that runs in two projects.
        const isRetry = listIn(test, 'retryReasons').length > 0;
        if (isRetry && status === 'passed') retried += 1;
        const texts = (key: string): readonly string[] => listIn(test, key).filter((each) => typeof each === 'string');
        const name = textIn(test, 'title') || textIn(test, 'fullName') || 'a test without a name';
        report.addDistinctTest(
          {
            id: [...(file === null ? [] : [file]), ...texts('ancestorTitles'), name].join(' > '),
            status,
            file,
            line: lineIn(objectIn(test, 'location'), 'line'),
            message: isBad ? texts('failureMessages').join('\n').trim() || null : null,
            durationMs: durationIn(test, 'duration'),
          },
          isRetry,
        );
      }
      const message = textIn(entry, 'message') || textIn(entry, 'failureMessage') || textIn(objectIn(entry, 'testExecError'), 'message');
      const isFailed = textIn(entry, 'status') === 'failed' || isObject(own(entry, 'testExecError'));
      if (!isFailed || failures > 0) continue;
      counts.errored += 1;
      report.addDistinctTest({
        id: file ?? 'a file without a name',
        status: 'errored',
        file,
        line: null,
        message: message || 'the file could not be run',
        durationMs: null,
      });
    }
    for (const [path, data] of Object.entries(objectIn(value, 'coverageMap'))) addFileCoverage(report, path, data, root);
    if (!isObject(value)) return;

    /** A total that the report states; null where it states none. */
    const stated = (key: string): number | null => {
      const total = own(value, key);
      const count = countIn(value, key);
      if (count === null && total !== undefined && total !== null) report.note(`"${key}" is ${nameOf(total)}, not a count; it was ignored`);
      return count;
    };
    const bad = counts.failed + counts.errored;
    const success = own(value, 'success');
    if (success === true && bad > 0) report.note(`the report states success, but ${counted(bad, 'test')} failed; counted as failed`);
    if ((success === false || success === 'false') && bad === 0)
      report.markFailed('the report states that the run failed, although no test failed');
    if (own(value, 'wasInterrupted') === true) report.markFailed('the run was interrupted');
    report.compareStated('failed tests', stated('numFailedTests'), counts.failed, 'failures');
    report.compareStated('passed tests', stated('numPassedTests'), counts.passed, 'tests');
    const broken = stated('numRuntimeErrorTestSuites');
    if (broken !== null && broken > counts.errored) report.compareStated('files that could not be run', broken, counts.errored, 'failures');
    const failing = stated('numFailedTestSuites');
    if (bad === 0) report.compareStated('files that failed', failing, 0, 'failures');
    const listed = counts.passed + counts.failed + counts.skipped + unknown;
    report.compareStated('tests', stated('numTotalTests'), listed, 'tests');
    if (retried > 0) report.note(`${counted(retried, 'test')} passed only on a retry`);
  },
};
