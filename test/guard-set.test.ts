// The guard on chosen labelled changes: what it judges right stays right. `node scripts/guard-score.mjs` prints the figures of all cases;
// they are reported and no bar, since the guard was built with them in sight.

import { expect, it } from 'vitest';
import { judgeCase, readQuickCases, tally } from './support/guard-cases.js';

it('judges the chosen cases right', { timeout: 300_000 }, () => {
  const judged = readQuickCases().map(judgeCase);
  expect(
    judged.filter(({ isRight }) => !isRight).map(({ id }) => id),
    tally(judged),
  ).toEqual([]);
  expect(judged.length).toBeGreaterThanOrEqual(400);
});
