// RSpec's JSON: every example with its file, line and status; errors outside of examples are counted in the summary.

import type { JsonFormat } from './format.js';
import { toProjectPath } from './project-path.js';
import { keepObjects, requireList, toMilliseconds } from './report-builder.js';
import { countIn, durationIn, lineIn, listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import type { TestStatus } from '@umpire/core/model/vocabulary.js';

const STATUSES: ReadonlyMap<string, TestStatus> = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['pending', 'skipped'],
]);

export const rspec: JsonFormat = {
  id: 'rspec',
  title: 'RSpec JSON',
  content: 'tests',
  recognises: ({ isArray, keys }) => !isArray && keys.has('examples') && (keys.has('summary') || keys.has('summary_line')),
  read: (value, report, { root }) => {
    const counts: Record<TestStatus, number> = { passed: 0, failed: 0, errored: 0, skipped: 0 };
    for (const example of keepObjects(report, requireList(report, value, 'examples'), 'an example')) {
      const word = textIn(example, 'status');
      const status = STATUSES.get(word) ?? 'errored';
      if (!STATUSES.has(word)) report.note(`unknown example status "${word.slice(0, 40)}"; counted as an error`);
      counts[status] += 1;
      const path = textIn(example, 'file_path');
      const file = path === '' ? null : toProjectPath(path, root);
      const title = textIn(example, 'description') || 'an example without a description';
      // The full description is that of the groups, then the example's own.
      const full = textIn(example, 'full_description');
      const groups = full.endsWith(title) ? full.slice(0, -title.length).trim() : '';
      report.addDistinctTest({
        id: [file ?? '', groups, title].filter((part) => part !== '').join(' > '),
        status,
        file,
        line: lineIn(example, 'line_number'),
        message: status === 'failed' || status === 'errored' ? textIn(objectIn(example, 'exception'), 'message') || null : null,
        durationMs: toMilliseconds(durationIn(example, 'run_time')),
      });
    }
    const summary = objectIn(value, 'summary');
    if ((countIn(summary, 'errors_outside_of_examples_count') ?? 0) > 0) {
      const texts = listIn(value, 'messages').filter((text) => typeof text === 'string');
      const message = texts.join('\n').trim() || 'an error occurred outside of the examples';
      report.addDistinctTest({ id: 'rspec', status: 'errored', file: null, line: null, message, durationMs: null });
    }
    report.compareStated('failures', countIn(summary, 'failure_count'), counts.failed + counts.errored, 'failures');
    report.compareStated('pending examples', countIn(summary, 'pending_count'), counts.skipped);
    const listed = counts.passed + counts.failed + counts.errored + counts.skipped;
    report.compareStated('examples', countIn(summary, 'example_count'), listed, 'tests');
  },
};
