// Judges a critic of a session that Umpire runs. The journal's state says which rules, round, cap and target hold; the place
// says where the evidence lies. It writes no file: what it hands back is recorded in the journal, and projected by the run.

import { isUmpireError } from '@umpire/core/errors.js';
import type { Anomaly, RoleRef } from '@umpire/core/model.js';
import { chainOfRow } from '@umpire/core/decider/chains.js';
import { chainKey, findComparedRevision } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Event, VerdictGiven } from '@umpire/core/decider/events.js';
import { filesChangedSince } from '@umpire/core/decider/critic-scope.js';
import { settleRound } from '@umpire/core/decider/rounds.js';
import type { Traces } from '@umpire/core/decider/rounds.js';
import { viewTasks } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { courseOf, giveVerdict, hear, keyOfRun, recordScene } from './hearing.js';
import type { Journal } from './journal-writer.js';
import type { Place } from './place.js';

export interface Docket {
  readonly state: SessionState;
  /** The critic's task. */
  readonly task: string;
  readonly place: Place;
  readonly role: RoleRef;
  readonly traces: Traces;
  /** Of the critic's task, and of what the guard took back before it ran. */
  readonly anomalies: readonly Anomaly[];
}

export type Ruling =
  | {
      readonly ok: true;
      readonly events: readonly Event[];
      readonly given: VerdictGiven;
      readonly blobs: ReadonlyMap<string, string | Uint8Array>;
    }
  | Refused;

interface Refused {
  readonly ok: false;
  readonly rule: string;
  readonly message: string;
  readonly hint: string;
}

/** Records what was ruled. A verdict that no line of the journal can hold is none: what its critic left cannot be judged. */
export function recordRuling(journal: Pick<Journal, 'record'>, task: string, attempt: number, ruling: Ruling): void {
  let failed: Omit<Refused, 'ok'> | null = ruling.ok ? null : ruling;
  try {
    if (ruling.ok) journal.record(...ruling.events);
  } catch (error) {
    if (!isUmpireError(error) || error.code !== 'journal-line-long') throw error;
    failed = { rule: 'E3', message: error.message, hint: error.hint };
  }
  if (failed === null) return;
  const { rule, message, hint } = failed;
  journal.record({ type: 'JudgingFailed', data: { task, attempt, rule, message, hint } });
}

export function judgeCritic(docket: Docket): Ruling {
  const { state, place, role, traces } = docket;
  const run = state.run as RunState;
  const frozen = state.frozen.get(run.started.loop);
  if (frozen === undefined) throw new Error('A session that runs has frozen its rules when it began.');
  const { rules: loop, cap } = frozen;
  const { tasks, waves } = viewTasks(run);
  const index = run.at.get(docket.task) ?? 0;
  const row = tasks[index];
  if (row === undefined) throw new Error(`There is no task ${docket.task} to judge.`);
  const critic = { task: row, wave: waves[index] ?? 1 };
  const chain = chainOfRow(loop, row);
  const settled = settleRound(loop, chain, state, tasks, { files: null, traces, chosen: false });
  const target = state.targets.get(chainKey(loop.loop, chain)) ?? highestOf(state, loop.target?.default ?? 0);
  const { strict } = run.settings;
  const earlier = findComparedRevision(state, loop.loop, chain, row.id);
  const { anomalies } = docket;
  const touched = run.started.workspace === null ? null : filesChangedSince(run, chain);
  const stop = run.settings.stopWhenStalled && settled.round > (run.patience.get(chain) ?? -1);
  const course = courseOf(state, loop.loop, chain, { stop, touched, against: earlier?.seq ?? null });
  const { gathering, draft } = hear({
    place,
    loop,
    chain,
    round: settled.round,
    tasks,
    waves,
    critic,
    cap,
    target,
    strict,
    past: earlier?.lists ?? null,
    role,
    anomalies,
    course,
  });
  if (!draft.ok) return { ok: false, rule: draft.rule, message: draft.message, hint: draft.hint };
  const recorded = recordScene({ loop, state, critic, anomalies, tasks: { journal: true } }, gathering, null, false);
  const key = keyOfRun(state, row.id, cap) ?? '';
  const given = giveVerdict({ loop, state, chain, target, strict, key, course }, draft, gathering, recorded.scene);
  const events: Event[] = [];
  if (loop.target !== undefined && !state.targets.has(chainKey(loop.loop, chain)))
    events.push({ type: 'TargetFrozen', data: { loop: loop.loop, chain, target } });
  if (settled.recalled.length > 0) events.push({ type: 'RoundsRecalled', data: { loop: loop.loop, chains: settled.recalled } });
  if (settled.continues.length > 0) events.push({ type: 'ChainContinued', data: { loop: loop.loop, chain, of: settled.continues } });
  events.push({ type: 'VerdictGiven', data: given });
  return { ok: true, events, given, blobs: recorded.blobs };
}

/** A chain that nobody announced is held to the highest target there is. */
function highestOf({ targets }: SessionState, standard: number): number {
  return Math.max(standard, ...targets.values());
}
