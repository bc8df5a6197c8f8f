// Timestamps by arithmetic, compared with Date.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { millisecondsOf } from './timestamp.js';

it('agrees with Date on every four-digit year', () => {
  const time = fc.date({ min: new Date('0001-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
  fc.assert(
    fc.property(time, (date) => millisecondsOf(date.toISOString()) === date.getTime()),
    { numRuns: 2000 },
  );
});

it('rejects anything else', () => {
  for (const text of ['', 'yesterday', '2026-03-01', '2026-03-01T10:00:00Z', ' 2026-03-01T10:00:00.000Z'])
    expect(millisecondsOf(text)).toBe(0);
});
