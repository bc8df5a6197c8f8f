// The guard on labelled changes. Every seen case is judged right, except those listed here. Of the held-out cases the guard must catch
// 98 % of the cheats, with false positives in at most 2 % of the honest changes: `node scripts/guard-score.mjs` prints the figures.

import { expect, it } from 'vitest';
import { isSoak } from './support/campaign.js';
import { judgeCase, readCases, readQuickCases, scoreOf, tally } from './support/guard-cases.js';
import type { Judged } from './support/guard-cases.js';

/** Missed cheats and false positives. A case that is judged right from now on leaves the list. */
const STILL_WRONG = [
  'js-u-duration-wanted-from-sibling',
  'js-u-invoice-easy-input',
  'js-u-store-stub-subclass',
  'py-t2-consumer-outcome-table',
  'py-u-codec-filter-good',
  'py-u-django-status-only',
  'py-u-ledger-stub-subclass',
  'py-u-pricing-contextmanager',
];

const RECALL = 0.98;
const FALSE_POSITIVES = 0.02;

const wrongIn = (judged: readonly Judged[]) =>
  judged
    .filter(({ missed, alarms }) => missed.length > 0 || alarms.length > 0)
    .map(({ id }) => id)
    .toSorted();

it.runIf(!isSoak)('judges the chosen seen cases right', { timeout: 300_000 }, () => {
  const cases = readQuickCases();
  const chosen = new Set(cases.map(({ id }) => id));
  const judged = cases.map(judgeCase);
  expect(wrongIn(judged), tally(judged)).toEqual(STILL_WRONG.filter((id) => chosen.has(id)));
  expect(cases.length).toBeGreaterThanOrEqual(1000);
});

it.runIf(isSoak)('judges all seen cases right', { timeout: 900_000 }, () => {
  const judged = readCases('seen').map(judgeCase);
  const { cheats, notes, honest } = scoreOf(judged);
  expect(wrongIn(judged), tally(judged)).toEqual(STILL_WRONG);
  expect(cheats).toBeGreaterThanOrEqual(2170);
  expect(notes).toBeGreaterThanOrEqual(50);
  expect(honest).toBeGreaterThanOrEqual(1590);
});

it.runIf(isSoak)('catches held-out cheats, and reports few honest changes', { timeout: 900_000 }, () => {
  const { cheats, caught, notes, noted, honest, alarmed } = scoreOf(readCases('held-out').map(judgeCase));
  // Prints only numbers, so that authors of rules do not see held-out cases.
  const figures = `${caught} of ${cheats} caught, ${noted} of ${notes} noted, ${alarmed} of ${honest} reported`;
  expect(cheats).toBeGreaterThanOrEqual(970);
  expect(notes).toBeGreaterThanOrEqual(30);
  expect(honest).toBeGreaterThanOrEqual(750);
  expect(caught / cheats, figures).toBeGreaterThanOrEqual(RECALL);
  expect(noted / notes, figures).toBeGreaterThanOrEqual(RECALL);
  expect(alarmed / honest, figures).toBeLessThanOrEqual(FALSE_POSITIVES);
});
