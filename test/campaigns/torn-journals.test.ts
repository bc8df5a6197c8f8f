// Recorded journals that are cut at a byte or have one bit flipped. Reading gives the events before the damage or names the line, and never
// an event that was not recorded. UMPIRE_AMOUNT and UMPIRE_SEED choose how many journals, and where they are damaged.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { journalOf } from '@umpire/umpire/sessions/journal-file.js';
import { SEED, amountOf } from '../support/campaign.js';
import { GOLDEN, goldenNames } from '../support/journal.js';

const AMOUNT = amountOf(100, 6_000);
/** Neighbouring seeds damage distant bytes. */
const STRIDE = 7_919;

const JOURNALS = goldenNames().map((name) => {
  const bytes = readFileSync(join(GOLDEN, name, 'journal.ndjson'));
  return { name, bytes, events: journalOf(bytes).events.map((event) => JSON.stringify(event)) };
});

const linesIn = (bytes: Buffer): number => bytes.filter((byte) => byte === 10).length;

it(`reads no wrong event from ${AMOUNT} damaged journals`, { timeout: 600_000 }, () => {
  const seen = { torn: 0, refused: 0 };
  for (let seed = SEED; seed < SEED + AMOUNT; seed++) {
    const { name, bytes, events } = JOURNALS[seed % JOURNALS.length]!;
    const at = (seed * STRIDE) % bytes.length;
    const isCut = Math.floor(seed / JOURNALS.length) % 2 === 0;
    const damaged = isCut ? bytes.subarray(0, at) : Buffer.from(bytes);
    if (!isCut) damaged[at]! ^= 1 << (seed % 8);
    const whole = linesIn(bytes.subarray(0, at));
    const what = `seed ${seed}: ${name} ${isCut ? 'cut' : 'flipped'} at byte ${at}, in line ${whole + 1}`;
    try {
      const read = journalOf(damaged);
      const isLastLine = whole === events.length - 1;
      if (!isCut && !isLastLine) throw new Error(`${what}: the flipped bit was not noticed`);
      if (read.events.length !== whole) throw new Error(`${what}: ${read.events.length} events, not ${whole}`);
      if (read.events.some((event, index) => JSON.stringify(event) !== events[index])) throw new Error(`${what}: another event`);
      seen.torn++;
    } catch (error) {
      if (isCut || !isUmpireError(error) || !error.code.startsWith('journal-')) throw new Error(what, { cause: error });
      const [, line = ''] = /line (\d+)/.exec(error.message) ?? [];
      if (Number(line) !== whole + 1) throw new Error(`${what}: ${error.message}`, { cause: error });
      seen.refused++;
    }
  }
  expect(Math.min(seen.torn, seen.refused)).toBeGreaterThan(AMOUNT / 4);
});
