// An adversary owns the session folder, and its critic always has findings. It repeats bytes, edits caps and targets, deletes, forges,
// renames chains and adds rows. It may not delete every record at once, since that is a new session. Umpire must stop it within the
// cap. UMPIRE_AMOUNT and UMPIRE_SEED choose how many attacks, and which.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEED, amountOf } from '../support/campaign.js';
import { newTally, play, stories, tell } from '../support/adversary.js';
import { PAST_ATTACKS } from '../support/adversary-past-attacks.js';
import type { AttackStep } from '../support/adversary-past-attacks.js';
import { ATTACK_SETUPS } from '../support/adversary-setups.js';
import { TRICKS } from '../support/adversary-tricks.js';

const STORIES = amountOf(10, 200);

describe('an adversary who owns the session folder', () => {
  it.each(ATTACK_SETUPS)(
    'is stopped in the $name loop',
    async (setup) => {
      const tally = newTally();
      const property = fc.asyncProperty(stories(Object.keys(TRICKS)), (story) => play(setup, story, tally));
      const result = await fc.check(property, { numRuns: STORIES, seed: SEED, unbiased: true });
      if (result.failed) {
        const story: readonly AttackStep[] = result.counterexample?.[0] ?? [];
        throw new Error(`seed ${SEED}, after ${result.numRuns} stories: ${String(result.errorInstance)}\n${tell(story)}`);
      }
      const { stories: played, verdicts, mostRevisions, errors } = tally;
      console.log(`${setup.name}: ${played} stories, ${verdicts} verdicts, ${mostRevisions} revisions at most, ${errors} refusals`);
      expect(played).toBe(STORIES);
      expect(verdicts).toBeGreaterThan(4 * STORIES);
      expect(mostRevisions).toBeGreaterThan(0);
    },
    Math.max(120_000, STORIES * 400),
  );
});

describe('an attack that once succeeded', () => {
  it.each(PAST_ATTACKS)('$loop: $what', async ({ loop, story }) => {
    const setup = ATTACK_SETUPS.find((one) => one.name === loop);
    await play(setup ?? expect.fail(`There is no setup ${loop}.`), story, newTally());
  });
});
