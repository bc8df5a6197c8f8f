import { expect, it } from 'vitest';
import { enterProcess, showAfterMs } from './run-ports.js';

it('counts who is at work', () => {
  const before = enterProcess();
  before.leave();
  const none = before.count();
  const one = enterProcess();
  const alone = one.count() - none;
  const two = enterProcess();
  const together = [one.count() - none, two.count() - none];
  one.leave();
  const left = two.count() - none;
  two.leave();
  expect({ alone, together, left, none: one.count() - none }).toEqual({ alone: 1, together: [2, 2], left: 1, none: 0 });
});

it('lets folders lie behind the longer, the more there are', () => {
  expect([1, 20, 21, 300].map((many) => showAfterMs({ count: () => many }))).toEqual([1000, 1000, 1050, 15_000]);
});
