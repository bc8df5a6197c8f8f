// Names of tests in what a command prints.

import { expect, it } from 'vitest';
import { goResults } from './printed-results.js';

it('reads the events of go test -json', () => {
  const event = (action: string, test: string, output?: string) =>
    JSON.stringify({ Action: action, Package: 'shop', Test: test, Output: output });
  const text = [
    'go: downloading nothing',
    event('run', 'TestTotal'),
    event('output', 'TestTotal', '=== RUN   TestTotal\n'),
    event('output', 'TestTotal', '    total_test.go:9: got 4, want 3\n'),
    event('fail', 'TestTotal'),
    event('pass', 'TestMean'),
    event('skip', 'TestLater'),
    JSON.stringify({ Action: 'fail', Package: 'shop' }),
    '{ broken',
  ].join('\n');
  expect(goResults(text).map(({ id, status, message }) => ({ id, status, message }))).toEqual([
    { id: 'shop > TestTotal', status: 'failed', message: 'total_test.go:9: got 4, want 3' },
    { id: 'shop > TestMean', status: 'passed', message: null },
    { id: 'shop > TestLater', status: 'skipped', message: null },
  ]);
});
