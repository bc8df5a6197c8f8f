// Sessions in a simulated world: agents that fail, hang, lie, or answer late or twice; full disks; kills at any event; a person who
// answers, edits and aborts. Always:
// - the session ends and passes no cap;
// - the journal folds to the live state, and its verdicts replay the same;
// - no finished task runs again, and no task is retried more often or sooner than allowed;
// - nothing that was reported is lost.
// A failing seed is shrunk. Replay it with UMPIRE_SOAK=1 UMPIRE_AMOUNT=1 UMPIRE_SEED=<the seed>.

import { describe, expect, it } from 'vitest';
import { SEED, amountOf, isSoak } from '../support/campaign.js';
import { EventChecks } from '../support/sim-checks.js';
import { FAULTS } from '../support/sim-faults.js';
import { planOf } from '../support/sim-plan.js';
import { Simulation } from '../support/sim-session.js';
import { tryMany, tryOut } from '../support/sim-trial.js';
import { tryOnAllCores } from '../support/sim-workers.js';

const SIMULATIONS = amountOf(150, 10_000);

/** From this number of simulations on, each case of HAPPENS must occur: a case that never occurs is not tested. */
const ENOUGH = 2000;
const HAPPENS = [
  'kills torn fulls stops ChainContinued EditRefused JudgingFailed PersonEdited StrayChanges TaskAsked TaskInterrupted'.split(' '),
  ['FindingRuled', 'judged without dismissed'],
  'TaskPostponed TaskSkipped TaskSubmitted TasksEdited TasksReopened TimePassed WaitEnded WorkReverted'.split(' '),
  ['late', 'fails', 'broken', 'busy', 'hangs', 'twice', 'asks', 'blocked', 'strange', 'gives-up', 'throws', 'honest'].map(
    (manner) => `agent ${manner}`,
  ),
  ['complete', 'complete unverified', 'failed unverified', 'aborted unverified'].map((end) => `ended ${end}`),
  [
    'approve to plan',
    'revise to plan',
    'answer to question',
    'agree to blocked',
    'insist to blocked',
    'change-goal to blocked',
    'extend to budget',
  ].map((words) => `answered ${words}`),
  ['force-approve', 'manual-fix', 'extend'].flatMap((word) => [`answered ${word} to verdict`, `answered ${word} to evidence`]),
  ['design full-system', 'testing comprehensive', 'debt remediate', 'review multi-sprint', 'brainstorm full'],
].flat();

/** Fewer simulations than this run in this process, where a debugger works. */
const FEW = 100;

describe('a simulated session with accidents', () => {
  it(
    `holds in ${SIMULATIONS} simulations`,
    async () => {
      const began = performance.now();
      const { tally, failure } = await (SIMULATIONS < FEW ? tryMany : tryOnAllCores)(SEED, SEED + SIMULATIONS);
      if (failure !== null) throw new Error(failure);
      const told = ['trials', 'events', 'processes', 'kills', 'torn', 'fulls', 'stops', 'VerdictGiven'];
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.log(`${told.map((what) => `${tally.get(what) ?? 0} ${what}`).join(', ')}, in ${seconds} s`);
      expect(tally.get('trials')).toBe(SIMULATIONS);
      if (SIMULATIONS >= ENOUGH) expect(HAPPENS.filter((what) => !tally.has(what))).toEqual([]);
    },
    Math.max(120_000, SIMULATIONS * 100),
  );
});

it('does not wait for a server longer than the minutes of a session', async () => {
  const calm = { kills: 0, fulls: 0, stops: 0, edits: 0, mischief: 1 };
  let waits = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const plan = planOf(seed, calm);
    const settings = { ...plan.settings, maxMinutes: 5, maxCostUsd: null, maxTokens: null, retries: 2 };
    const busy = { ...plan, settings, stubborn: { role: plan.rows[0]?.['role'] ?? '', manner: 'busy' } } as const;
    const story = new EventChecks(busy);
    const events = await new Simulation(busy).play();
    events.forEach((event) => story.see(event));
    waits += events.filter(({ type }) => type === 'WaitEnded').length;
  }
  expect(waits).toBeGreaterThan(20);
});

/** The most simulations until a fault must be found. */
const PATIENCE = 300;

describe('the simulation finds a deliberate fault', () => {
  it.each(FAULTS.filter(({ isRare }, at) => isSoak || (at % 4 === 0 && isRare !== true)).map((one) => [one.what, one] as const))(
    '%s',
    async (_, { fault, found }) => {
      const kinds = new Set<string>();
      for (let seed = 1; seed <= PATIENCE && !found.some((kind) => kinds.has(kind)); seed++) {
        const failure = await tryOut(seed, { fault });
        if (failure !== null) kinds.add(failure.kind);
      }
      expect([...kinds]).toEqual(expect.arrayContaining([expect.stringMatching(new RegExp(`^(${found.join('|')})$`))]));
    },
  );
});
