// An adversary owns the session folder, and his critic always complains: he repeats bytes, edits caps and targets, deletes and
// forges, renames chains, adds rows. He may not wipe out every trace at once: who does that begins a new session. The engine
// must stop him within the cap, every time. UMPIRE_STORIES and UMPIRE_SEED play more of them, or others.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEED, amountOf } from '../support/campaign.js';
import { newTally, play, stories, tell } from '../support/adversary.js';
import { HOLES } from '../support/adversary-holes.js';
import type { Move } from '../support/adversary-holes.js';
import { STAGES } from '../support/adversary-stages.js';
import { TRICKS } from '../support/adversary-tricks.js';

const STORIES = amountOf(10, 200);

describe('an adversary who owns the session folder', () => {
  it.each(STAGES)(
    'is stopped in the $name loop',
    async (stage) => {
      const tally = newTally();
      const property = fc.asyncProperty(stories(Object.keys(TRICKS)), (story) => play(stage, story, tally));
      const result = await fc.check(property, { numRuns: STORIES, seed: SEED, unbiased: true });
      if (result.failed) {
        const story: readonly Move[] = result.counterexample?.[0] ?? [];
        throw new Error(`seed ${SEED}, after ${result.numRuns} stories: ${String(result.errorInstance)}\n${tell(story)}`);
      }
      const { stories: played, verdicts, mostRevisions, errors } = tally;
      console.log(`${stage.name}: ${played} stories, ${verdicts} verdicts, ${mostRevisions} revisions at most, ${errors} refusals`);
      expect(played).toBe(STORIES);
      expect(verdicts).toBeGreaterThan(4 * STORIES);
      expect(mostRevisions).toBeGreaterThan(0);
    },
    Math.max(120_000, STORIES * 400),
  );
});

describe('a story that he once won', () => {
  it.each(HOLES)('$loop: $what', async ({ loop, story }) => {
    const stage = STAGES.find((one) => one.name === loop);
    await play(stage ?? expect.fail(`There is no stage ${loop}.`), story, newTally());
  });
});
