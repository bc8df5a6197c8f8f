// Which files are failed for a focused test; real runners are in test/critique-testing.test.ts.

import { expect, it } from 'vitest';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import type { TestStatus } from '@umpire/core/model/vocabulary.js';
import { focusFailures } from './run-tests.js';

cleanUpAfterwards();

function failuresOf(text: string, ...statuses: readonly TestStatus[]) {
  const root = temporaryFolder();
  writeFiles(root, { 'a.test.js': text });
  const test = { file: 'a.test.js', line: null, message: null, durationMs: null };
  return focusFailures(
    root,
    statuses.map((status, index) => ({ ...test, id: status === 'errored' ? 'a.test.js' : `a.test.js > ${index}`, status })),
  );
}

it('fails a file whose focus left others out, and says where it is', () => {
  expect(failuresOf("test('a', f);\n  it.only('b', f);\n", 'passed', 'skipped', 'skipped')).toEqual([
    {
      id: 'a.test.js',
      status: 'errored',
      file: 'a.test.js',
      line: 2,
      message: 'A test in this file is focused (.only), so 2 others did not run. Remove the .only.',
      durationMs: null,
    },
  ]);
});

it.each([
  'fit("a", f)',
  'fdescribe("a", f)',
  'describe.only("a", f)',
  'test.only.each([1])("a", f)',
  'test.concurrent.only("a", f)',
  'it.only.each`a`',
])('knows %s', (text) => {
  expect(failuresOf(`${text};\n`, 'passed', 'skipped').map(({ message }) => message)).toEqual([
    'A test in this file is focused (.only), so 1 other did not run. Remove the .only.',
  ]);
});

it('takes neither comments nor other words for a focus, and fails no file that left nothing out or has failed as a whole', () => {
  for (const text of ["// it.only('a')\n", "const text = 'it.only(x)';\n", 'fitting(1);\n', "test.skip('a', f);\n", ' * test.only(\n'])
    expect(failuresOf(text, 'passed', 'skipped')).toEqual([]);
  expect(failuresOf("it.only('a', f);\n", 'passed', 'passed')).toEqual([]);
  expect(failuresOf("it.only('a', f);\n", 'errored', 'skipped')).toEqual([]);
  expect(focusFailures('/nowhere', [{ id: 'x', status: 'skipped', file: 'x.js', line: null, message: null, durationMs: null }])).toEqual(
    [],
  );
});
