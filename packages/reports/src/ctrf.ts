// CTRF (Common Test Report Format): `results.tests` with a status each, and a summary that is compared with them.

import type { JsonFormat } from './format.js';
import { toProjectPath } from './project-path.js';
import { counted, keepObjects, requireList } from './report-builder.js';
import { own } from '@umpire/core/formats/json-text.js';
import { countIn, durationIn, lineIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import type { TestStatus } from '@umpire/core/model/vocabulary.js';

const STATUSES: ReadonlyMap<string, TestStatus> = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['skipped', 'skipped'],
  ['pending', 'skipped'],
  ['other', 'errored'],
]);

export const ctrf: JsonFormat = {
  id: 'ctrf',
  title: 'CTRF JSON',
  content: 'tests',
  recognises: ({ isArray, keys, text }) =>
    !isArray &&
    ((keys.has('reportFormat') && text.includes('CTRF')) ||
      (keys.has('results') && !keys.has('metadata') && text.includes('"summary"') && text.includes('"tests"') && text.includes('"tool"'))),
  read: (value, report, { root }) => {
    const counts: Record<TestStatus, number> = { passed: 0, failed: 0, errored: 0, skipped: 0 };
    let flaky = 0;
    for (const test of keepObjects(report, requireList(report, value, 'results.tests'), 'a test')) {
      const word = textIn(test, 'status').toLowerCase();
      const status = STATUSES.get(word) ?? 'errored';
      if (word === 'other') report.note('the status "other" means neither passed nor failed; counted as an error');
      else if (!STATUSES.has(word)) report.note(`unknown test status "${word.slice(0, 40)}"; counted as an error`);
      counts[status] += 1;
      if (own(test, 'flaky') === true && status === 'passed') flaky += 1;
      const path = textIn(test, 'filePath') || textIn(test, 'filepath');
      const file = path === '' ? null : toProjectPath(path, root);
      const suites = [own(test, 'suite')].flat().filter((each): each is string => typeof each === 'string' && each.trim() !== '');
      report.addTest({
        id: [
          ...(file === null ? [] : [file]),
          ...suites.map((suite) => suite.trim()),
          textIn(test, 'name') || 'a test without a name',
        ].join(' > '),
        status,
        file,
        line: lineIn(test, 'line'),
        message: status === 'passed' || status === 'skipped' ? null : textIn(test, 'message') || textIn(test, 'trace') || null,
        durationMs: durationIn(test, 'duration'),
      });
    }
    const summary = objectIn(objectIn(value, 'results'), 'summary');
    const listed = counts.passed + counts.failed + counts.errored + counts.skipped;
    report.compareStated('failed tests', countIn(summary, 'failed'), counts.failed, 'failures');
    report.compareStated('other tests', countIn(summary, 'other'), counts.errored, 'failures');
    report.compareStated('tests', countIn(summary, 'tests'), listed, 'tests');
    report.compareStated('passed tests', countIn(summary, 'passed'), counts.passed, 'tests');
    if (flaky > 0) report.note(`${counted(flaky, 'flaky test')}: passed only on a retry`);
  },
};
