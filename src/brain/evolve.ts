// Folds the journal into what a verdict needs to know of the past: frozen rules, and the verdicts of each chain.

import { merged } from '../formats/merged.js';
import type { Loop } from '../loops/loop.js';
import { HIGHEST_CAP } from './messages.js';
import type { Recorded, Standing, VerdictGiven } from './messages.js';
import { evolveRun } from './run-evolve.js';
import type { PersonAnswered, SessionStarted } from './run-messages.js';
import type { RunState } from './run-state.js';

export interface FrozenRules {
  readonly hash: string;
  readonly rules: Loop;
  readonly cap: number;
  /** The chains that were there when the rules were frozen. */
  readonly chains: readonly string[];
}

export interface PastVerdict extends VerdictGiven {
  readonly seq: number;
  readonly projected: boolean;
}

export interface SessionState {
  readonly observed: boolean;
  readonly events: number;
  readonly frozen: ReadonlyMap<string, FrozenRules>;
  readonly targets: ReadonlyMap<string, number>;
  /** By loop and chain: the chains that count their rounds together with it. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** By loop and chain: how far it had come before the journal began anew. */
  readonly recalled: ReadonlyMap<string, Standing>;
  /** By loop and chain (`chainKey`), oldest first. */
  readonly verdicts: ReadonlyMap<string, readonly PastVerdict[]>;
  /** The sha-256 of the results.csv that Umpire wrote last. */
  readonly results: string | null;
  /** Tasks, people and work, of a session that Umpire runs. Changed in place by the fold that owns it. */
  readonly run: RunState | null;
}

export const NEW_SESSION: SessionState = {
  observed: false,
  events: 0,
  frozen: new Map(),
  targets: new Map(),
  groups: new Map(),
  recalled: new Map(),
  verdicts: new Map(),
  results: null,
  run: null,
};

export function chainKey(loop: string, chain: string): string {
  return `${loop}/${chain}`;
}

export function evolve(state: SessionState, event: Recorded): SessionState {
  const run = evolveRun(state.run, event);
  // Most events of a run change nothing else, and there may be very many.
  if (run !== null && run === state.run && !OF_VERDICTS.has(event.type)) return counted(state);
  const next = merged(state, { events: state.events + 1, run });
  switch (event.type) {
    case 'SessionObserved':
      return { ...next, observed: true };
    case 'SessionStarted':
      return { ...next, observed: true, ...begun(state, event.data) };
    case 'PersonAnswered':
      return { ...next, frozen: extended(state, event.data) };
    case 'RulesFrozen': {
      const { loop, hash, rules, cap, chains } = event.data;
      // Rules are frozen once. Umpire writes no second line; somebody else's is not heard.
      if (state.frozen.has(loop)) return next;
      return { ...next, frozen: new Map(state.frozen).set(loop, { hash, rules, cap, chains }) };
    }
    case 'TargetFrozen': {
      const key = chainKey(event.data.loop, event.data.chain);
      return { ...next, targets: new Map(state.targets).set(key, Math.max(event.data.target, state.targets.get(key) ?? 0)) };
    }
    case 'CapChanged': {
      const rules = state.frozen.get(event.data.loop);
      if (rules === undefined) return next;
      return { ...next, frozen: new Map(state.frozen).set(event.data.loop, { ...rules, cap: event.data.to }) };
    }
    case 'ChainNamed': {
      const rules = state.frozen.get(event.data.loop);
      if (rules === undefined) return next;
      return { ...next, frozen: new Map(state.frozen).set(event.data.loop, { ...rules, chains: [...rules.chains, event.data.chain] }) };
    }
    case 'ChainContinued':
      return { ...next, groups: joined(state.groups, event.data.loop, [event.data.chain, ...event.data.of]) };
    case 'RoundsRecalled': {
      const recalled = new Map(state.recalled);
      for (const standing of event.data.chains) recalled.set(chainKey(event.data.loop, standing.chain), standing);
      return { ...next, recalled };
    }
    case 'VerdictGiven': {
      const key = chainKey(event.data.verdict.loop, event.data.verdict.chain);
      const past = state.verdicts.get(key) ?? [];
      const added = [...past, merged(event.data, { seq: event.seq, projected: false })];
      return merged(next, { verdicts: new Map(state.verdicts).set(key, added) });
    }
    case 'VerdictProjected':
      return merged(next, { verdicts: markProjected(state.verdicts, event.data.verdict), results: event.data.results ?? state.results });
    case 'RunBegun':
    case 'TaskStarted':
    case 'TaskSubmitted':
    case 'TaskFinished':
    case 'TaskAsked':
    case 'TaskInterrupted':
    case 'TaskSkipped':
    case 'TasksReopened':
    case 'JudgingFailed':
    case 'TasksEdited':
    case 'EditRefused':
    case 'PersonCalled':
    case 'PersonEdited':
    case 'StrayChanges':
    case 'WorkReverted':
    case 'SessionEnded':
      return next;
  }
}

/** The rules, cap and targets that a session begins with. */
function begun({ frozen, targets }: SessionState, { loop, frozen: given }: SessionStarted): Pick<SessionState, 'frozen' | 'targets'> {
  if (given === undefined || frozen.has(loop)) return { frozen, targets };
  const { hash, rules, cap, chains } = given;
  const held = Object.entries(given.targets).map(([chain, target]) => [chainKey(loop, chain), target] as const);
  return { frozen: new Map(frozen).set(loop, { hash, rules, cap, chains }), targets: new Map([...targets, ...held]) };
}

/** A person grants more rounds. */
function extended({ frozen, run }: SessionState, { answer, rounds }: PersonAnswered): SessionState['frozen'] {
  const loop = run?.started.loop ?? '';
  const rules = frozen.get(loop);
  if (answer !== 'extend' || rounds <= 0 || rules === undefined) return frozen;
  return new Map(frozen).set(loop, { ...rules, cap: Math.min(HIGHEST_CAP, rules.cap + rounds) });
}

/** What changes more than the run. */
const OF_VERDICTS: ReadonlySet<string> = new Set([
  'PersonAnswered',
  'RulesFrozen',
  'TargetFrozen',
  'CapChanged',
  'ChainNamed',
  'ChainContinued',
  'RoundsRecalled',
  'VerdictGiven',
  'VerdictProjected',
]);

function counted(state: SessionState): SessionState {
  (state as { events: number }).events += 1;
  return state;
}

export function fold(events: Iterable<Recorded>): SessionState {
  let state = NEW_SESSION;
  for (const event of events) state = evolve(state, event);
  return state;
}

/** These chains, and all that counted with one of them before, count together. */
function joined(groups: SessionState['groups'], loop: string, chains: readonly string[]): SessionState['groups'] {
  const members = [...new Set(chains.flatMap((chain) => [chain, ...(groups.get(chainKey(loop, chain)) ?? [])]))];
  const out = new Map(groups);
  for (const member of members) out.set(chainKey(loop, member), members);
  return out;
}

function markProjected(verdicts: SessionState['verdicts'], seq: number): SessionState['verdicts'] {
  for (const [key, past] of verdicts) {
    // The chain's last, as a rule: long histories are not searched.
    const at = past.findLastIndex((verdict) => verdict.seq <= seq);
    const verdict = past[at];
    if (verdict?.seq === seq) return new Map(verdicts).set(key, past.with(at, merged(verdict, { projected: true })));
  }
  return verdicts;
}

/** The chain's verdicts that were decided on, oldest first; partial ones count for nothing. */
export function decidedIn(state: SessionState, loop: string, chain: string): readonly PastVerdict[] {
  const past = state.verdicts.get(chainKey(loop, chain)) ?? [];
  // Nearly always all of them, and it is asked for several times a round.
  return past.every(isDecided) ? past : past.filter(isDecided);
}

function isDecided({ verdict }: PastVerdict): boolean {
  return verdict.status === 'decided';
}
