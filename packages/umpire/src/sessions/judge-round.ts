// Judges one round of a chain: gathers its evidence, applies the loop's rules, and builds the verdict that the journal keeps.
// `decide`, a run and a replay all judge here.

import type { Anomaly, RoleRef, Task } from '@umpire/core/model/vocabulary.js';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { chainOfRow, findParallelCritics, findRowBeside } from '@umpire/core/decider/chains.js';
import type { PlacedTask } from '@umpire/core/decider/chains.js';
import { chainKey, findComparedRevision, decidedVerdicts, verdictsOnCurrentWork } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { TrendInputs, Event, RecordedContext, VerdictGiven } from '@umpire/core/decider/events.js';
import { filesChangedSince } from '@umpire/core/decider/critic-scope.js';
import { settleRound } from '@umpire/core/decider/rounds.js';
import type { Traces } from '@umpire/core/decider/rounds.js';
import { findTask, testimonyOf, viewTasks } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { decideVerdict } from '@umpire/core/decider/decide-verdict.js';
import type { VerdictDraft, VerdictInput } from '@umpire/core/decider/decide-verdict.js';
import { compileLoop } from '@umpire/core/loops/compile.js';
import { countsWithout, dismissalOf } from '@umpire/core/decider/rulings.js';
import type { Rulings } from '@umpire/core/decider/rulings.js';
import type { PastLists } from '@umpire/core/loops/facts.js';
import type { Refusal } from '@umpire/core/loops/judge.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { verdictPage } from '../views/verdict-page.js';
import { gatherEvidence } from './gather-evidence.js';
import type { EvidenceStore, Gathering } from './gather-evidence.js';
import { sha256 } from './hash.js';
import type { Journal } from './journal-writer.js';
import { areTasksInJournal, isFromTasks } from './recorded-evidence.js';
import type { RoundContext } from './round-context.js';

/** Which evidence a round needs, and where to find it. */
export interface RoundEvidence {
  readonly store: EvidenceStore;
  readonly loop: Loop;
  readonly chain: string;
  readonly round: number;
  readonly tasks: readonly Task[];
  readonly waves: Int32Array;
  readonly critic: PlacedTask | null;
}

export interface RoundToJudge extends RoundEvidence {
  readonly cap: number;
  readonly target: number;
  readonly strict: boolean;
  /** The lists of the revision that the evidence is compared with. */
  readonly past: PastLists;
  readonly role: RoleRef;
  /** Found before the evidence was read. */
  readonly anomalies: readonly Anomaly[];
  readonly course: VerdictInput['course'];
  readonly isOfOne?: boolean;
  readonly isEarlier?: boolean;
  readonly testimony?: string | null;
  /** A person's rulings on findings so far. */
  readonly rulings: Rulings;
}

export interface JudgedEvidence {
  readonly gathering: Gathering;
  readonly draft: VerdictDraft | Refusal;
}

/** `earlier`: evidence read a moment ago for another round of the same chain. Only sources that depend on the round are read again. */
export function gatherRound(input: RoundEvidence, earlier: Gathering | null = null): Gathering {
  const { store, loop, chain, round, tasks, waves, critic } = input;
  const peers = findParallelCritics(loop, tasks, waves, critic);
  const rowBeside = (roles: readonly string[]) => findRowBeside(loop, tasks, waves, critic, roles);
  return gatherEvidence({ store, loop, chain, round, critic: critic?.task ?? null, peers, rowBeside }, earlier);
}

export function judgeRound(input: RoundToJudge, earlier: Gathering | null = null): JudgedEvidence {
  const {
    loop,
    chain,
    round,
    cap,
    target,
    strict,
    tasks,
    waves,
    critic,
    past,
    role,
    anomalies,
    course,
    isOfOne = false,
    isEarlier = false,
    testimony = null,
    rulings,
  } = input;
  const gathering = gatherRound(input, earlier);
  const params = { round, cap, target, strict };
  const { exhibits } = gathering;
  return {
    gathering,
    draft: decideVerdict({
      compiled: compileLoop(loop),
      chain,
      params,
      tasks,
      waves,
      critic,
      exhibits,
      past,
      role,
      anomalies,
      course,
      isOfOne,
      isEarlier,
      testimony,
      rulings,
    }),
  };
}

/** What a verdict contains beside its draft. */
export interface VerdictBasis {
  readonly loop: Loop;
  readonly state: SessionState;
  readonly chain: string;
  readonly target: number;
  readonly strict: boolean;
  readonly key: string;
  readonly course: TrendInputs | null;
}

/** The verdict as the journal keeps it, with its page. */
export function composeVerdict(basis: VerdictBasis, draft: VerdictDraft, gathering: Gathering, scene: RecordedContext): VerdictGiven {
  const { loop, state, chain, target, strict, key, course } = basis;
  const { verdict, facts, lists, effects } = draft;
  const past = decidedVerdicts(state, loop.loop, chain);
  const standing = verdictsOnCurrentWork(state, loop.loop, chain);
  const before = standing.findLast((one) => one.verdict.round < verdict.round) ?? standing.at(-1);
  const report = verdictPage({ loop, verdict, facts, target, gathered: gathering.exhibits, past, before });
  const frozenTarget = loop.target === undefined ? null : target;
  const given = { key, strict, target: frozenTarget, verdict, facts, lists, report, effects, scene };
  if (course === null) return given;
  const { stop, touched, against, undone } = course;
  return {
    ...given,
    course: { stop, touched, ...(against === undefined ? {} : { against }), ...(undone === undefined ? {} : { undone }) },
  };
}

/** The rounds of a chain so far, from which its trend is computed. */
export function readCourse(state: SessionState, loop: string, chain: string, course: TrendInputs): NonNullable<VerdictInput['course']> {
  const { stop, touched, against, undone } = course;
  const history = decidedVerdicts(state, loop, chain).map(({ seq, verdict, facts, course: then }) => {
    const { round } = verdict;
    // A dismissed finding is not fixed: it does not count in earlier rounds either.
    const gone = verdict.findings.filter((finding) => dismissalOf(finding, state.rulings) !== null);
    const findings = gone.length === 0 ? verdict.findings : verdict.findings.filter((finding) => !gone.includes(finding));
    const counts = gone.length === 0 ? verdict.counts : countsWithout(verdict.counts, gone);
    return { round, findings, counts, facts, touched: then?.touched ?? null, isUndone: undone?.includes(seq) === true };
  });
  return { stop, touched, ...(against === undefined ? {} : { against }), ...(undone === undefined ? {} : { undone }), history };
}

/** E6: every run of a critic is new evidence, whatever its bytes. Null for sessions that Umpire does not run. */
export function hashCriticRun({ run }: SessionState, critic: string, cap: number): string | null {
  const task = run === null ? undefined : findTask(run, critic);
  return task === undefined ? null : sha256(JSON.stringify({ run: task.id, attempt: task.attempt, cap }));
}

/** A longer tasks.csv is kept as a blob, so that not every journal line repeats it. */
const MAX_INLINE_BYTES = 16 * 1024;

/** What the journal keeps of a round's context, and the blobs that belong to it. */
export function recordRoundContext(
  context: Pick<RoundContext, 'critic' | 'anomalies' | 'loop' | 'state'> & { readonly tasks: string | { readonly journal: true } | null },
  gathering: Gathering,
  unwritable: string | null,
  isPartial: boolean,
  more: Pick<RecordedContext, 'state' | 'elsewhere'> = {},
): { readonly scene: RecordedContext; readonly blobs: Gathering['blobs'] } {
  const { tasks } = context;
  const hash = typeof tasks === 'string' && Buffer.byteLength(tasks) > MAX_INLINE_BYTES ? sha256(tasks) : null;
  const isFrozen = context.state.frozen.has(context.loop.loop);
  return {
    scene: {
      critic: context.critic?.task.id ?? null,
      tasks: hash === null ? tasks : { sha256: hash },
      anomalies: context.anomalies,
      exhibits: gathering.record,
      unwritable,
      rules: isPartial && !isFrozen ? context.loop : null,
      voices: true,
      ...more,
      version: 2,
    },
    blobs: hash === null || typeof tasks !== 'string' ? blobsToKeep(gathering, tasks) : new Map([...gathering.blobs, [hash, tasks]]),
  };
}

/** All of the evidence, except rows of tasks.csv that the journal's own lines hold. */
function blobsToKeep({ blobs, record }: Gathering, tasks: RecordedContext['tasks']): Gathering['blobs'] {
  if (blobs.size === 0 || !areTasksInJournal({ tasks })) return blobs;
  const kept = new Map<string, string | Uint8Array>();
  for (const { path, sha256: hash } of Object.values(record)) {
    const blob = hash === undefined || isFromTasks(path) ? undefined : blobs.get(hash);
    if (hash !== undefined && blob !== undefined) kept.set(hash, blob);
  }
  return kept;
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
export function judgeCritic(critic: CriticToJudge): CriticJudgment {
  const { state, store, role, traces, anomalies } = critic;
  const run = state.run as RunState;
  const frozen = state.frozen.get(run.started.loop);
  if (frozen === undefined) throw new Error('A running session has frozen its rules at its start.');
  const { rules: loop, cap } = frozen;
  const { tasks, waves } = viewTasks(run);
  const index = run.at.get(critic.task) ?? 0;
  const row = tasks[index];
  if (row === undefined) throw new Error(`There is no task ${critic.task} to judge.`);
  const placed = { task: row, wave: waves[index] ?? 1 };
  const chain = chainOfRow(loop, row);
  const settled = settleRound(loop, chain, state, tasks, { files: null, traces, chosen: false });
  // A chain that was not planned gets the highest target there is.
  const target = state.targets.get(chainKey(loop.loop, chain)) ?? Math.max(loop.target?.default ?? 0, ...state.targets.values());
  const { strict } = run.settings;
  const earlier = findComparedRevision(state, loop.loop, chain, row.id);
  const touched = run.started.workspace === null ? null : filesChangedSince(run, chain);
  const stop = run.settings.stopWhenStalled && settled.round > (run.patience.get(chain) ?? -1);
  const undone = decidedVerdicts(state, loop.loop, chain).flatMap(({ seq }) => (run.reverted.get(seq)?.ok === true ? [seq] : []));
  const against = earlier?.seq ?? null;
  const course = readCourse(state, loop.loop, chain, { stop, touched, against, ...(undone.length === 0 ? {} : { undone }) });
  const { gathering, draft } = judgeRound({
    store,
    loop,
    chain,
    round: settled.round,
    tasks,
    waves,
    critic: placed,
    cap,
    target,
    strict,
    past: earlier?.lists ?? null,
    role,
    anomalies,
    course,
    testimony: testimonyOf(run, findTask(run, row.id)),
    rulings: state.rulings,
  });
  if (!draft.ok) return { ok: false, rule: draft.rule, message: draft.message, hint: draft.hint };
  const recorded = recordRoundContext({ loop, state, critic: placed, anomalies, tasks: { journal: true } }, gathering, null, false);
  const key = hashCriticRun(state, row.id, cap) ?? '';
  const given = composeVerdict({ loop, state, chain, target, strict, key, course }, draft, gathering, recorded.scene);
  const events: Event[] = [];
  if (loop.target !== undefined && !state.targets.has(chainKey(loop.loop, chain)))
    events.push({ type: 'TargetFrozen', data: { loop: loop.loop, chain, target } });
  if (settled.recalled.length > 0) events.push({ type: 'RoundsRecalled', data: { loop: loop.loop, chains: settled.recalled } });
  if (settled.continues.length > 0) events.push({ type: 'ChainContinued', data: { loop: loop.loop, chain, of: settled.continues } });
  events.push({ type: 'VerdictGiven', data: given });
  return { ok: true, events, given, blobs: recorded.blobs };
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
