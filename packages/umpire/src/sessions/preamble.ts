// What the journal is told before a verdict: what it is held to from here on, and what was found outside the journal.

import { chainsOf } from '@umpire/core/decider/chains.js';
import { chainKey } from '@umpire/core/decider/evolve.js';
import type { Event } from '@umpire/core/decider/events.js';
import { targetOf } from './limits.js';
import type { Scene } from './round-context.js';

export function eventsBefore(session: string, scene: Scene, isPartial: boolean): readonly Event[] {
  const { state, tasks } = scene;
  const events: Event[] = [];
  if (!state.observed) events.push({ type: 'SessionObserved', data: { session, tasks: tasks.length } });
  return isPartial ? events : [...events, ...limitEvents(scene), ...chainEvents(scene)];
}

function limitEvents({ state, loop, chain, tasks, traces, cap, target, hash, settled }: Scene): readonly Event[] {
  const events: Event[] = [];
  const frozen = state.frozen.get(loop.loop);
  if (frozen === undefined) {
    // Where the session was judged before, the rows of now are no plan: anyone may have written them since.
    const planned = traces.chains.size > 0 ? [] : chainsOf(loop, tasks);
    const chains = [...new Set([...planned, chain])];
    events.push({ type: 'RulesFrozen', data: { loop: loop.loop, hash, rules: loop, cap, chains } });
  } else if (frozen.cap !== cap) {
    events.push({ type: 'CapChanged', data: { loop: loop.loop, from: frozen.cap, to: cap, by: '--max-rounds' } });
  }
  if (loop.target === undefined) return events;
  const planned = frozen === undefined && traces.chains.size === 0 ? chainsOf(loop, tasks) : [];
  const targets = new Map([
    ...planned.map((one) => [one, targetOf(loop, one, state, traces, null, tasks).value] as const),
    ...settled.recalled.flatMap((one) => {
      const told = traces.targets.get(one.chain);
      return told === undefined ? [] : [[one.chain, told] as const];
    }),
    [chain, target] as const,
  ]);
  for (const [one, told] of targets) {
    if (!state.targets.has(chainKey(loop.loop, one)))
      events.push({ type: 'TargetFrozen', data: { loop: loop.loop, chain: one, target: told } });
  }
  return events;
}

function chainEvents({ state, loop, chain, settled, chosen }: Scene): readonly Event[] {
  const events: Event[] = [];
  const { recalled, continues } = settled;
  const frozen = state.frozen.get(loop.loop);
  if (chosen && frozen !== undefined && !frozen.chains.includes(chain))
    events.push({ type: 'ChainNamed', data: { loop: loop.loop, chain, by: '--layer' } });
  if (recalled.length > 0) events.push({ type: 'RoundsRecalled', data: { loop: loop.loop, chains: recalled } });
  if (continues.length > 0) events.push({ type: 'ChainContinued', data: { loop: loop.loop, chain, of: continues } });
  return events;
}
