// Mocha's JSON: every test is in one of the lists `passes`, `failures` and `pending`; a hook that failed is in `failures` alone.
// `tests` repeats them and is compared with those.

import type { JsonFormat } from './format.js';
import { toProjectPath } from './project-path.js';
import { isObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { countIn, durationIn, listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';

const HOOK = /^"(?:before|after) (?:all|each)" hook/;
const STATUS = { pending: 'skipped', failures: 'failed', passes: 'passed' } as const;
const LISTS = ['pending', 'failures', 'passes'] as const;

export const mocha: JsonFormat = {
  id: 'mocha',
  title: 'Mocha JSON',
  content: 'tests',
  recognises: ({ isArray, keys }) => !isArray && keys.has('stats') && (keys.has('tests') || keys.has('passes') || keys.has('failures')),
  read: (value, report, { root }) => {
    if (!isObject(value)) return report.fail(`the report is ${nameOf(value)}; expected an object with "stats" and "tests"`);
    let hooks = 0;
    for (const list of LISTS) {
      for (const test of listIn(value, list)) {
        if (!isObject(test)) {
          report.drop(`an entry of "${list}" is ${nameOf(test)}; expected an object`);
          // What is in this list failed, whatever it is.
          if (list !== 'failures') continue;
        }
        const title = textIn(test, 'title');
        const isHook = list === 'failures' && HOOK.test(title);
        if (isHook) hooks += 1;
        const path = textIn(test, 'file');
        const file = path === '' ? null : toProjectPath(path, root);
        // The full title is that of the suites, then the test's own.
        const full = textIn(test, 'fullTitle');
        const suites = full.endsWith(title) ? full.slice(0, full.length - title.length).trim() : full;
        // A test with an error has failed, even in the list of passes.
        const status = isHook ? 'errored' : hasError(test) ? 'failed' : STATUS[list];
        const error = objectIn(test, 'err');
        report.addDistinctTest({
          id: [file ?? '', suites, title || 'a test without a name'].filter((part) => part !== '').join(' > '),
          status,
          file,
          line: null,
          message: status === 'failed' || status === 'errored' ? textIn(error, 'message') || textIn(error, 'stack') || null : null,
          durationMs: durationIn(test, 'duration'),
        });
      }
    }
    const missing = LISTS.filter((list) => !Array.isArray(own(value, list)));
    if (missing.length > 0) report.fail(`missing: ${missing.map((list) => `"${list}"`).join(', ')}`);
    const [pending = 0, failures = 0, passes = 0] = LISTS.map((list) => listIn(value, list).length);
    const stats = objectIn(value, 'stats');
    report.compareStated('failures', countIn(stats, 'failures'), failures, 'failures');
    report.compareStated('passed tests', countIn(stats, 'passes'), passes, 'tests');
    report.compareStated('pending tests', countIn(stats, 'pending'), pending);
    const tests = listIn(value, 'tests');
    const withErrors = tests.filter(hasError).length;
    if (withErrors > failures)
      report.markFailed(
        `${withErrors === 1 ? '1 entry of "tests" has' : `${withErrors} entries of "tests" have`} an error, but "failures" has ${failures}; counted as failed`,
      );
    const told = passes + pending + failures - hooks;
    report.compareStated('tests', countIn(stats, 'tests'), Math.max(told, tests.length), 'tests');
    if (tests.length > told)
      report.note(
        `"tests" has ${tests.length} ${tests.length === 1 ? 'entry' : 'entries'}, but only ${told} passed, failed or ${told === 1 ? 'is' : 'are'} pending`,
      );
  },
};

function hasError(test: unknown): boolean {
  return Object.keys(objectIn(test, 'err')).length > 0;
}
