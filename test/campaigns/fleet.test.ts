// Sessions of a fleet in a simulated world: conductors that die before their turn is committed, workers that are lost and come back, and
// messages that are dropped, doubled, late and reordered. Always: the session ends, no attempt begins twice, and the journal is whole.
// Replay a failing seed with UMPIRE_SOAK=1 UMPIRE_AMOUNT=1 UMPIRE_SEED=<the seed>.

import { expect, it } from 'vitest';
import { SEED, amountOf } from '../support/campaign.js';
import { FleetSimulation } from '../support/sim-fleet.js';
import { planOf } from '../support/sim-plan.js';

const FLEETS = amountOf(30, 10_000);

it(
  `holds in ${FLEETS} simulated fleets`,
  async () => {
    const had = { dropped: 0, doubled: 0, late: 0, reordered: 0, lost: 0, crashed: 0 };
    for (let seed = SEED; seed < SEED + FLEETS; seed++) {
      const fleet = new FleetSimulation(planOf(seed, { kills: 0, fulls: 0, stops: 0, edits: 0 }));
      const state = await fleet.play().catch((error: unknown) => {
        throw new Error(
          `Seed ${seed}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n${fleet.lines
            .slice(-12)
            .map((line) => line.slice(0, 300))
            .join('\n')}`,
        );
      });
      expect(state.run?.ended, `seed ${seed}`).not.toBeNull();
      for (const what of Object.keys(had) as (keyof typeof had)[]) had[what] += fleet.had[what];
    }
    console.log(
      `${FLEETS} fleets: ${Object.entries(had)
        .map(([what, times]) => `${times} ${what}`)
        .join(', ')}`,
    );
    for (const [what, times] of Object.entries(had)) expect(times, what).toBeGreaterThan(0);
  },
  Math.max(120_000, FLEETS * 400),
);
