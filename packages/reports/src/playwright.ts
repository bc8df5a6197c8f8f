// Playwright's JSON: files, groups and tests, each test once for each project, with all of its tries. A test that was expected to fail and
// did has passed. Errors outside of tests are a failure.

import type { JsonObject } from '@umpire/core/formats/json-text.js';
import { countIn, durationIn, lineIn, listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import type { JsonFormat } from './format.js';
import { withoutColours } from './line-stream.js';
import { toProjectPath } from './project-path.js';
import { counted, keepObjects, type ReportBuilder, requireList } from './report-builder.js';

const STATUSES: ReadonlyMap<string, TestStatus> = new Map([
  ['expected', 'passed'],
  ['flaky', 'passed'],
  ['unexpected', 'failed'],
  ['skipped', 'skipped'],
]);
const DEEPEST = 64;

class PlaywrightRun {
  readonly counts: Record<TestStatus, number> = { passed: 0, failed: 0, errored: 0, skipped: 0 };
  flaky = 0;

  /** `folder`: where the tests lie, from the project. */
  constructor(
    private readonly report: ReportBuilder,
    private readonly folder: string,
  ) {}

  addSuites(suites: readonly unknown[], titles: readonly string[]): void {
    if (titles.length > DEEPEST) return this.report.fail(`groups are nested more than ${DEEPEST} levels deep`);
    for (const suite of keepObjects(this.report, suites, 'an entry of "suites"')) {
      const title = textIn(suite, 'title');
      // A file is a group too.
      const inner = title === '' || title === textIn(suite, 'file') ? titles : [...titles, title];
      for (const spec of keepObjects(this.report, listIn(suite, 'specs'), 'an entry of "specs"')) this.addSpec(spec, inner);
      this.addSuites(listIn(suite, 'suites'), inner);
    }
  }

  private addSpec(spec: JsonObject, titles: readonly string[]): void {
    const path = textIn(spec, 'file');
    const file = path === '' ? null : toProjectPath(this.folder === '' ? path : `${this.folder}/${path}`);
    for (const test of keepObjects(this.report, listIn(spec, 'tests'), 'a test')) {
      const project = textIn(test, 'projectName');
      const tries = listIn(test, 'results');
      const last = tries.at(-1);
      const word = textIn(test, 'status');
      const isOut = ['timedOut', 'interrupted'].includes(textIn(last, 'status'));
      const known = STATUSES.get(word) ?? 'errored';
      const status = known === 'failed' && isOut ? 'errored' : known;
      if (!STATUSES.has(word)) this.report.note(`unknown test status "${word.slice(0, 40)}"; counted as an error`);
      if (word === 'flaky') this.flaky += 1;
      this.counts[status] += 1;
      const message = withoutColours(textIn(objectIn(last, 'error'), 'message') || textIn(listIn(last, 'errors')[0], 'message'));
      const name = textIn(spec, 'title') || 'a test without a name';
      this.report.addDistinctTest({
        id: [file ?? '', ...titles, project === '' ? name : `${name} [${project}]`].filter((part) => part !== '').join(' > '),
        status,
        file,
        line: lineIn(spec, 'line'),
        message: status === 'failed' || status === 'errored' ? message || null : null,
        durationMs: durationIn(last, 'duration'),
      });
    }
  }
}

export const playwright: JsonFormat = {
  id: 'playwright',
  title: 'Playwright JSON',
  content: 'tests',
  recognises: ({ isArray, keys }) => !isArray && keys.has('suites') && keys.has('stats') && keys.has('errors') && keys.has('config'),
  read: (value, report, { root = '' }) => {
    const tests = textIn(objectIn(value, 'config'), 'rootDir');
    const isInside = root !== '' && (tests === root || tests.startsWith(`${root}/`));
    const run = new PlaywrightRun(report, isInside ? tests.slice(root.length + 1) : '');
    run.addSuites(requireList(report, value, 'suites'), []);
    const errors = listIn(value, 'errors');
    if (errors.length > 0) {
      const message = withoutColours(textIn(errors[0], 'message'));
      report.addDistinctTest({ id: 'playwright', status: 'errored', file: null, line: null, message: message || null, durationMs: null });
    }
    const stats = objectIn(value, 'stats');
    report.compareStated('failed tests', countIn(stats, 'unexpected'), run.counts.failed + run.counts.errored, 'failures');
    const stated = (countIn(stats, 'expected') ?? 0) + (countIn(stats, 'flaky') ?? 0);
    report.compareStated('passed tests', stated, run.counts.passed, 'tests');
    if (run.flaky > 0) report.note(`${counted(run.flaky, 'test')} passed only on a retry`);
  },
};
