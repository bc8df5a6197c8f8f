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
  // Where only tests may change, nothing is left at a note.
  const testing = readQuickCases().filter(({ scope }) => scope === 'testing');
  const notes = testing.map(judgeCase).flatMap(({ id, findings }) => findings.flatMap(({ level }) => (level === 'note' ? [id] : [])));
  expect(notes).toEqual([]);
});
