// Statements that there is nothing, placeholders, and findings that only look like them.

import { expect, test } from 'vitest';
import { denialIn, isNoFinding, isPlaceholder } from './no-finding.js';

function check(texts: readonly string[], expected: boolean): void {
  expect(texts.map((text) => [text, isNoFinding(text)])).toEqual(texts.map((text) => [text, expected]));
}

test('statements that there is nothing', () =>
  check(
    [
      'None',
      'none.',
      '_None_',
      '(none)',
      'None ✅',
      'None identified',
      'None found at this time',
      'N/A',
      'n/a',
      '-',
      '—',
      '...',
      '',
      'Nothing to report',
      'TBD',
      'Not applicable',
      '0',
      '0 issues',
      'Zero critical findings',
    ]
      .concat([
        'No issues found',
        'No critical issues.',
        'No critical or high issues remain',
        'No issues were identified in this audit',
        'No findings',
        'Without issues',
        'There are no critical findings.',
        'We found no violations',
      ])
      .concat(['[finding with artifact:line reference]', '[finding summary]', '<finding>', '{finding}', '${FINDING}', '**[...]**']),
    true,
  ));

test('findings that look like denials', () =>
  check(
    [
      'No focus state is defined',
      'None of the buttons have labels',
      'No error handling for network problems',
      'Nothing happens on click',
      'No issues template exists',
      'No',
      'Not applicable to mobile, which is wrong',
      '0 contrast on links',
    ].concat([
      '[tokens.json:12 contrast too low]',
      '[link](a.md) is dead',
      'Zero buttons work',
      `No ${'very '.repeat(40)} issues`,
      'not bad',
    ]),
    false,
  ));

test('a placeholder is not a statement', () => {
  expect([denialIn('[finding]'), isPlaceholder('None'), isPlaceholder('x'.repeat(500))]).toEqual([null, false, false]);
});
