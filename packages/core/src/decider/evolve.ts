// Folds the journal into what a verdict needs to know of the past: frozen rules, and the verdicts of each chain.

import { mergeObjects } from '../formats/merge-objects.js';
import type { Loop } from '../loops/loop.js';
import { HIGHEST_CAP } from './messages.js';
import type { Recorded, Standing, VerdictGiven } from './messages.js';
import { evolveRun } from './run-evolve.js';
import type { PersonAnswered, SessionStarted } from './run-messages.js';
import { taskIn } from './run-state.js';
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
  const next = successor(state, run);
  change(next, event);
  return next;
}

function change(next: NextState, event: Recorded): void {
  switch (event.type) {
    case 'SessionObserved':
      next.observed = true;
      return;
    case 'SessionStarted':
      next.observed = true;
      begin(next, event.data);
      return;
    case 'PersonAnswered':
      extend(next, event.data);
      return;
    case 'RulesFrozen': {
      const { loop, hash, rules, cap, chains } = event.data;
      // Rules are frozen once. Umpire writes no second line; somebody else's is not heard.
      if (!next.frozen.has(loop)) next.frozen = new Map(next.frozen).set(loop, { hash, rules, cap, chains });
      return;
    }
    case 'TargetFrozen': {
      const key = chainKey(event.data.loop, event.data.chain);
      next.targets = new Map(next.targets).set(key, Math.max(event.data.target, next.targets.get(key) ?? 0));
      return;
    }
    case 'CapChanged': {
      const rules = next.frozen.get(event.data.loop);
      if (rules !== undefined) next.frozen = new Map(next.frozen).set(event.data.loop, { ...rules, cap: event.data.to });
      return;
    }
    case 'ChainNamed': {
      const { loop, chain } = event.data;
      const rules = next.frozen.get(loop);
      if (rules !== undefined) next.frozen = new Map(next.frozen).set(loop, { ...rules, chains: [...rules.chains, chain] });
      return;
    }
    case 'ChainContinued':
      next.groups = joined(next.groups, event.data.loop, [event.data.chain, ...event.data.of]);
      return;
    case 'RoundsRecalled': {
      const told = event.data.chains.map((standing) => [chainKey(event.data.loop, standing.chain), standing] as const);
      next.recalled = new Map([...next.recalled, ...told]);
      return;
    }
    case 'VerdictGiven':
      addVerdict(next, event.data, event.seq);
      return;
    case 'VerdictProjected':
      next.verdicts = markProjected(next.verdicts, event.data.verdict);
      next.results = event.data.results ?? next.results;
      return;
    case 'RunBegun':
    case 'TaskStarted':
    case 'TaskSubmitted':
    case 'TaskFinished':
    case 'TaskAsked':
    case 'TaskInterrupted':
    case 'TaskPostponed':
    case 'WaitEnded':
    case 'TimePassed':
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
  }
}

type NextState = { -readonly [K in keyof SessionState]: SessionState[K] };

/** The state after one more event, to be changed by it before anybody sees it. */
function successor(
  { observed, events, frozen, targets, groups, recalled, verdicts, results }: SessionState,
  run: RunState | null,
): NextState {
  return { observed, events: events + 1, frozen, targets, groups, recalled, verdicts, results, run };
}

/** The rules, cap and targets that a session begins with. */
function begin(next: NextState, { loop, frozen: given }: SessionStarted): void {
  if (given === undefined || next.frozen.has(loop)) return;
  const { hash, rules, cap, chains } = given;
  const held = Object.entries(given.targets).map(([chain, target]) => [chainKey(loop, chain), target] as const);
  next.frozen = new Map(next.frozen).set(loop, { hash, rules, cap, chains });
  next.targets = new Map([...next.targets, ...held]);
}

/** A person grants more rounds. */
function extend(next: NextState, { answer, rounds }: PersonAnswered): void {
  const loop = next.run?.started.loop ?? '';
  const rules = next.frozen.get(loop);
  if (answer !== 'extend' || rounds <= 0 || rules === undefined) return;
  next.frozen = new Map(next.frozen).set(loop, { ...rules, cap: Math.min(HIGHEST_CAP, rules.cap + rounds) });
}

function addVerdict(next: NextState, given: VerdictGiven, seq: number): void {
  const key = chainKey(given.verdict.loop, given.verdict.chain);
  const past = next.verdicts.get(key) ?? [];
  next.verdicts = new Map(next.verdicts).set(key, [...past, mergeObjects(given, { seq, projected: false })]);
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
    if (verdict?.seq === seq) return new Map(verdicts).set(key, past.with(at, mergeObjects(verdict, { projected: true })));
  }
  return verdicts;
}

/** The chain's verdicts that were decided on, oldest first; partial ones count for nothing. */
export function decidedIn(state: SessionState, loop: string, chain: string): readonly PastVerdict[] {
  const past = state.verdicts.get(chainKey(loop, chain)) ?? [];
  // Nearly always all of them, and it is asked for several times a round.
  return past.every(isDecided) ? past : past.filter(isDecided);
}

/** Those that tell of files that are still there: what was given on work that was taken back does not, by whichever of its verdicts. */
export function standingIn(state: SessionState, loop: string, chain: string): readonly PastVerdict[] {
  const past = decidedIn(state, loop, chain);
  const { run } = state;
  if (run === null || run.reverted.size === 0) return past;
  const gone = past.filter(({ seq }) => run.reverted.get(seq)?.ok === true);
  return past.filter(({ seq, scene }) => !gone.some((one) => seq <= one.seq && scene?.critic === one.scene?.critic));
}

/** The verdict that a critic's run is compared with: the revision that it checks. Judged again, it is not compared with itself. */
export function comparedWith(state: SessionState, loop: string, chain: string, critic: string): PastVerdict | null {
  const past = standingIn(state, loop, chain);
  const task = state.run === null ? undefined : taskIn(state.run, critic);
  const isAgain = task !== undefined && task.attempt > 0 && task.judged === task.attempt;
  const last = isAgain ? past.findLast(({ scene }) => scene?.critic !== critic) : past.at(-1);
  return last !== undefined && last.verdict.outcome === 'revise' ? last : null;
}

function isDecided({ verdict }: PastVerdict): boolean {
  return verdict.status === 'decided';
}
