import { expect, it } from 'vitest';
import { UTC, duration } from './words.js';

it('says how long something took as people do', () => {
  const check = (ms: number, words: string) => expect(duration(ms)).toBe(words);
  check(-5, '0.0 s');
  check(420, '0.4 s');
  check(9960, '10 s');
  check(59_400, '59 s');
  check(59_600, '1 min');
  check(179_000, '3 min');
  check(3_600_000, '1 h');
  check(3_900_000, '1 h 05 min');
  check(90_000_000, '25 h');
});

it('says when without what nobody reads', () => {
  expect(UTC.moment('2026-03-01T09:02:11.000Z')).toBe('2026-03-01 09:02');
});
