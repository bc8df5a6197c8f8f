// Several outcomes combined into one.

import { expect, test } from 'vitest';
import { worstMeasured, worstOutcome } from './check-outcome.js';

test('an unmeasured check is worse than a failed one', () => {
  expect(worstOutcome(['pass', 'fail', 'missing', 'timeout', 'error'])).toBe('error');
  expect(worstOutcome(['pass', 'fail', 'timeout', 'missing'])).toBe('missing');
  expect(worstOutcome(['pass', 'fail', 'timeout'])).toBe('timeout');
  expect(worstOutcome(['pass', 'fail'])).toBe('fail');
  expect(worstOutcome(['pass'])).toBe('pass');
  expect(worstOutcome([])).toBe('missing');
});

test('a missing optional tool does not change the outcome of the others', () => {
  expect(worstMeasured([])).toBe('missing');
  expect(worstMeasured(['missing'])).toBe('missing');
  expect(worstMeasured(['missing', 'pass'])).toBe('pass');
  expect(worstMeasured(['pass', 'fail', 'timeout', 'missing'])).toBe('timeout');
  expect(worstMeasured(['timeout', 'error'])).toBe('error');
});
