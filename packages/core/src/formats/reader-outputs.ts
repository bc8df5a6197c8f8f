// What each reader returns, by name: lists, values and severity counts. Lists are always present in a readable report; values may be
// absent. A reader without an entry takes its names from the report. readers.test.ts checks this table.

export const READER_LISTS: Readonly<Record<string, readonly string[]>> = {
  audit: ['dimensions'],
  markdown: ['dimensions'],
  'run-json': ['failures', 'old_failures', 'lost_tests', 'weak_tests', 'remaining', 'regressions_measured'],
  'validation-json': ['checks', 'regressions_measured', 'unverified_checks'],
  entries: ['entries'],
  'command-result': ['output', 'regressions_measured', 'unearned', 'unsure', 'unverified_checks'],
  'review-json': ['unverified_checks'],
  critique: [],
  'critique-entries': [],
  'severity-summary': [],
  'findings-cell': [],
  text: [],
};

export const READER_VALUES: Readonly<Record<string, readonly string[]>> = {
  audit: ['score', 'signal'],
  critique: ['score', 'signal'],
  'review-json': ['review_score', 'gc_signal'],
  'run-json': ['layer', 'pass_rate', 'coverage', 'total', 'passed', 'failed'],
  'command-result': ['command', 'exit_status', 'signal', 'timed_out', 'report_unwritten', 'duration_ms', 'head', 'last_line', 'failing'],
  text: ['lines'],
  entries: [],
  'critique-entries': [],
  'severity-summary': [],
  'findings-cell': [],
};

export const READER_COUNTS: Readonly<Record<string, 'always' | 'never'>> = {
  audit: 'always',
  'review-json': 'always',
  'validation-json': 'always',
  'run-json': 'always',
  'findings-cell': 'always',
  entries: 'never',
  text: 'never',
  'command-result': 'never',
};
