// Judges one round of a chain and builds the verdict that the journal keeps. `decide`, a run and a replay all judge here.

import type { Anomaly, RoleRef, Task } from '@umpire/core/model/vocabulary.js';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { chainOfRow } from '@umpire/core/decider/chains.js';
import { chainKey, evolve, findComparedRevision, decidedVerdicts, verdictsOnCurrentWork } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Event, RecordedContext, RecordedEvidence, TrendInputs, VerdictGiven } from '@umpire/core/decider/events.js';
import { filesChangedSince } from '@umpire/core/decider/critic-scope.js';
import { settleRound } from '@umpire/core/decider/rounds.js';
import type { RoundClaims, RoundSettled, Traces } from '@umpire/core/decider/rounds.js';
import { findTask, testimonyOf, viewTasks } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { escalationOptions, decideVerdict } from '@umpire/core/decider/decide-verdict.js';
import type { Round, VerdictDraft } from '@umpire/core/decider/decide-verdict.js';
import { mergeObjects } from '@umpire/core/formats/merge-objects.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { verdictPage } from '../views/verdict-page.js';
import { gatherEvidence } from './gather-evidence.js';
import type { EvidenceStore } from './gather-evidence.js';
import { sha256 } from './hash.js';
import type { Journal } from './journal-writer.js';
import { areTasksInJournal, isFromTasks } from './recorded-evidence.js';

/** A round whose evidence was not read yet. */
export type RoundToRead = Omit<Round, 'evidence'>;

/** Which round of the chain comes next, and the events that the journal lacks for it. They are recorded with the verdict. */
export function settleChain(
  state: SessionState,
  loop: Loop,
  chain: string,
  tasks: readonly Task[],
  claims: RoundClaims & { /** Where none is frozen. */ readonly target: (settled: RoundSettled) => number },
): RoundSettled & { readonly events: readonly Event[] } {
  const settled = settleRound(loop, chain, state, tasks, claims);
  const { recalled, continues } = settled;
  const events: Event[] = [];
  if (loop.target !== undefined) {
    const targets = new Map<string, number>();
    for (const one of recalled) {
      const known = claims.traces.targets.get(one.chain);
      if (known !== undefined) targets.set(one.chain, known);
    }
    targets.set(chain, claims.target(settled));
    for (const [one, target] of targets)
      if (!state.targets.has(chainKey(loop.loop, one)))
        events.push({ type: 'TargetFrozen', data: { loop: loop.loop, chain: one, target } });
  }
  if (recalled.length > 0) events.push({ type: 'RoundsRecalled', data: { loop: loop.loop, chains: recalled } });
  if (continues.length > 0) events.push({ type: 'ChainContinued', data: { loop: loop.loop, chain, of: continues } });
  return { ...settled, events };
}

/** The session with events that are recorded only with the verdict. They say nothing of tasks, so the run stays as it is. */
export function foldAhead(state: SessionState, events: readonly Event[]): SessionState {
  if (events.length === 0) return state;
  let next: SessionState = { ...state, run: null };
  for (const event of events) next = evolve(next, { ...event, seq: 0, ts: '' });
  return { ...next, run: state.run };
}

/** The round on this history, whose rules, cap and target are frozen. */
export function openRound(
  loopName: string,
  given: Pick<Round, 'state' | 'chain' | 'round' | 'tasks' | 'waves' | 'critic' | 'strict' | 'role' | 'anomalies'>,
): RoundToRead {
  const { state, chain, round, tasks, waves, critic, strict, role, anomalies } = given;
  const frozen = state.frozen.get(loopName);
  if (frozen === undefined) throw new Error(`The rules of ${loopName} are frozen before a round is judged.`);
  const { rules: loop, cap } = frozen;
  const { run } = state;
  // Chains that count their rounds together have one target.
  const group = [chain, ...(state.groups.get(chainKey(loopName, chain)) ?? [])];
  const target = Math.max(0, ...group.map((one) => state.targets.get(chainKey(loopName, one)) ?? 0));
  const earlier = findComparedRevision(state, loopName, chain, critic?.task.id ?? '');
  let trend: TrendInputs = { stop: false, touched: null };
  if (run !== null) {
    const undone = decidedVerdicts(state, loopName, chain).flatMap(({ seq }) => (run.reverted.get(seq)?.ok === true ? [seq] : []));
    trend = {
      stop: run.settings.stopWhenStalled && round > (run.patience.get(chain) ?? -1),
      touched: run.started.workspace === null ? null : filesChangedSince(run, chain),
      against: earlier?.seq ?? null,
      ...(undone.length === 0 ? {} : { undone }),
    };
  }
  const testimony = run === null ? null : testimonyOf(run, findTask(run, critic?.task.id ?? ''));
  const past = earlier?.lists ?? null;
  return { state, loop, chain, round, cap, target, strict, tasks, waves, critic, past, role, anomalies, trend, testimony };
}

/** A longer tasks.csv is kept as a blob, so that not every journal line repeats it. */
const MAX_INLINE_BYTES = 16 * 1024;

/** The verdict as the journal keeps it, with its page, and the blobs that belong to it. `tasks`: tasks.csv before the verdict. */
export function composeVerdict(
  round: Round,
  draft: VerdictDraft,
  key: string,
  tasks: string | { readonly journal: true } | null,
  more: Partial<Pick<RecordedContext, 'unwritable' | 'rules' | 'state' | 'elsewhere'>> = {},
): { readonly given: VerdictGiven; readonly blobs: ReadonlyMap<string, string | Uint8Array> } {
  const { loop, state, chain, target, strict, evidence, critic, anomalies, trend } = round;
  const { unwritable = null, rules = null, ...rest } = more;
  const { verdict, facts, lists, effects } = draft;
  const past = decidedVerdicts(state, loop.loop, chain);
  const standing = verdictsOnCurrentWork(state, loop.loop, chain);
  const before = standing.findLast((one) => one.verdict.round < verdict.round) ?? standing.at(-1);
  const options = escalationOptions(round, verdict.rule);
  const report = verdictPage({ loop, verdict, facts, target, gathered: evidence, past, before, options });
  const hash = typeof tasks === 'string' && Buffer.byteLength(tasks) > MAX_INLINE_BYTES ? sha256(tasks) : null;
  const exhibits: Record<string, RecordedEvidence> = {};
  const blobs = new Map<string, string | Uint8Array>();
  for (const [name, { record, ref, content }] of Object.entries(evidence)) {
    exhibits[name] = record;
    // Rows of tasks.csv follow from the journal's own lines.
    const isInJournal = ref !== null && isFromTasks(ref.path) && areTasksInJournal({ tasks });
    if (ref !== null && content !== null && !isInJournal) blobs.set(ref.sha256, content);
  }
  if (hash !== null && typeof tasks === 'string') blobs.set(hash, tasks);
  const scene: RecordedContext = {
    critic: critic?.task.id ?? null,
    tasks: hash === null ? tasks : { sha256: hash },
    anomalies,
    exhibits,
    unwritable,
    rules,
    ...rest,
  };
  const given = { key, strict, target: loop.target === undefined ? null : target, verdict, facts, lists, report, effects, scene };
  return { given: trend === null ? given : mergeObjects(given, { course: trend }), blobs };
}

/** E6: every run of a critic is new evidence, whatever its bytes. Null for sessions that Umpire does not run. */
export function hashCriticRun({ run }: SessionState, critic: string, cap: number): string | null {
  const task = run === null ? undefined : findTask(run, critic);
  return task === undefined ? null : sha256(JSON.stringify({ run: task.id, attempt: task.attempt, cap }));
}

/** A critic of a session that Umpire runs, ready to be judged. */
export interface CriticToJudge {
  readonly state: SessionState;
  /** The critic's task. */
  readonly task: string;
  readonly store: EvidenceStore;
  readonly role: RoleRef;
  readonly traces: Traces;
  /** About the critic's task, and about work that the guard reverted before it ran. */
  readonly anomalies: readonly Anomaly[];
}

export type CriticJudgment =
  | {
      readonly ok: true;
      readonly events: readonly Event[];
      readonly given: VerdictGiven;
      readonly blobs: ReadonlyMap<string, string | Uint8Array>;
    }
  | JudgmentRefused;

interface JudgmentRefused {
  readonly ok: false;
  readonly rule: string;
  readonly message: string;
  readonly hint: string;
}

/** Writes no file: the run records the events in the journal. The journal's state says which rules, round, cap and target apply. */
export function judgeCritic({ state, task, store, role, traces, anomalies }: CriticToJudge): CriticJudgment {
  const run = state.run as RunState;
  const loop = state.frozen.get(run.started.loop)?.rules;
  const { tasks, waves } = viewTasks(run);
  const index = run.at.get(task) ?? 0;
  const row = tasks[index];
  if (row === undefined || loop === undefined) throw new Error(`There is no task ${task} to judge, or no rules.`);
  const chain = chainOfRow(loop, row);
  const { round, events } = settleChain(state, loop, chain, tasks, {
    files: null,
    traces,
    chosen: false,
    // A chain that was not planned gets the highest target there is.
    target: () => Math.max(loop.target?.default ?? 0, ...state.targets.values()),
  });
  const opened = openRound(loop.loop, {
    state: foldAhead(state, events),
    chain,
    round,
    tasks,
    waves,
    critic: { task: row, wave: waves[index] ?? 1 },
    strict: run.settings.strict,
    role,
    anomalies,
  });
  const read = mergeObjects(opened, { evidence: gatherEvidence(store, opened) });
  const draft = decideVerdict(read);
  if (!draft.ok) return { ok: false, rule: draft.rule, message: draft.message, hint: draft.hint };
  const key = hashCriticRun(state, row.id, opened.cap) ?? '';
  const { given, blobs } = composeVerdict(read, draft, key, { journal: true });
  return { ok: true, events: [...events, { type: 'VerdictGiven', data: given }], given, blobs };
}

/** A verdict too long for a journal line counts as evidence that cannot be judged. */
export function recordJudgment(journal: Pick<Journal, 'record'>, task: string, attempt: number, judgment: CriticJudgment): void {
  let refused: Omit<JudgmentRefused, 'ok'> | null = judgment.ok ? null : judgment;
  try {
    if (judgment.ok) journal.record(...judgment.events);
  } catch (error) {
    if (!isUmpireError(error) || error.code !== 'journal-line-long') throw error;
    refused = { rule: 'E3', message: error.message, hint: error.hint };
  }
  if (refused === null) return;
  const { rule, message, hint } = refused;
  journal.record({ type: 'JudgingFailed', data: { task, attempt, rule, message, hint } });
}
