// How far a suite is, by lines that real runners printed.

import { expect, it } from 'vitest';
import { TestProgress } from './test-progress.js';

const show = (total: number | null, ...chunks: readonly string[]) => {
  const progress = new TestProgress(total);
  for (const chunk of chunks) progress.add(Buffer.from(chunk));
  return progress.show();
};

it.each([
  ['vitest', 129, ' ✓ |runtime| src/add.test.ts (2 tests) 4ms\n ✓ src/sub.test.ts (1 test) 1ms\n', '3 of 129 tests'],
  ['node:test', null, '✔ adds (2.36ms)\n✖ doubles (0.2ms)\nℹ tests 2\n', '2 tests'],
  ['mocha', 5, '  cart\n    ✔ adds up\n', '1 of 5 tests'],
  ['TAP', 3, 'TAP version 13\nok 1 - a\nnot ok 2 - b\n', '2 of 3 tests'],
  ['go test -v', null, '=== RUN   TestA\n--- PASS: TestA (0.00s)\n', '1 test'],
  ['cargo', 2, 'running 2 tests\ntest money::adds ... ok\n', '1 of 2 tests'],
  ['pytest', 200, 'tests/test_a.py ........                 [ 45%]\n', '45 %'],
  ['more tests than last time', 1, 'ok 1\nok 2\n', '2 tests'],
  ['nothing yet', 5, 'compiling\n', null],
])('counts what %s prints', (_, total, printed, expected) => {
  expect(show(total, printed)).toBe(expected);
  // However the output is cut into pieces.
  expect(show(total, ...printed.match(/[\s\S]{1,7}/g)!)).toBe(expected);
});

it('keeps no long line and no colour', () => {
  expect(show(null, 'x'.repeat(1_000_000), '\u001b[32m✔\u001b[39m a\n', '\u001b[32m✔\u001b[39m b\n')).toBe('1 test');
});
