// Judges one recorded verdict again from the journal and the blobs alone, by its own rules or by others.

import { chainOfRow, findCriticRow, normalizeRoles } from '@umpire/core/decider/chains.js';
import type { PlacedTask } from '@umpire/core/decider/chains.js';
import { NO_TRACES, roundAfter } from '@umpire/core/decider/rounds.js';
import type { Difference } from '@umpire/core/decider/differences.js';
import { differencesOf } from '@umpire/core/decider/differences.js';
import { chainKey, decidedVerdicts } from '@umpire/core/decider/evolve.js';
import type { PastVerdict, SessionState } from '@umpire/core/decider/evolve.js';
import type { RecordedContext, VerdictGiven } from '@umpire/core/decider/events.js';
import { copyTasks, findTask, testimonyOf } from '@umpire/core/decider/run-state.js';
import { unwritableVerdict } from '@umpire/core/decider/decide-verdict.js';
import type { VerdictDraft } from '@umpire/core/decider/decide-verdict.js';
import { effectsData, verdictData } from '@umpire/core/decider/verdict-data.js';
import { checkGraph } from '@umpire/core/decider/waves.js';
import { parseTasks } from '@umpire/core/formats/tasks-csv.js';
import { comparedLists, decidingSources } from '@umpire/core/loops/facts.js';
import type { PastLists } from '@umpire/core/loops/facts.js';
import type { Loop, EvidenceSource } from '@umpire/core/loops/loop.js';
import type { Task, Verdict } from '@umpire/core/model/vocabulary.js';
import type { OtherVerdict } from '../views/replay-page.js';
import { TASKS } from './tasks-file.js';
import { readCourse, judgeRound } from './judge-round.js';
import type { RoundToJudge } from './judge-round.js';
import { highestTarget } from './round-limits.js';
import type { EvidenceStore } from './gather-evidence.js';
import { addElsewhere } from './unfinished-work.js';
import { areTasksInJournal, openRecordedEvidence } from './recorded-evidence.js';
import type { BlobReader } from './recorded-evidence.js';

/** A verdict with everything needed to judge it again. */
export interface ReplayInput {
  readonly given: VerdictGiven;
  readonly scene: RecordedContext;
  readonly rules: Loop;
  readonly store: EvidenceStore;
  readonly tasks: readonly Task[];
  readonly waves: Int32Array;
  /** As the journal froze it, not as the verdict claims. */
  readonly round: number;
  readonly cap: number;
  readonly target: number;
  readonly past: PastLists;
  /** The critic's id, if Umpire ran the session: several critics may have run then. */
  readonly named: string | null;
  readonly course: RoundToJudge['course'];
  readonly testimony: string | null;
  readonly rulings: SessionState['rulings'];
}

export type ReplayInputRead = { readonly ok: true; readonly input: ReplayInput } | { readonly ok: false; readonly why: string };

/** `before`: the session as the journal had it before this verdict's line. */
export function readReplayInput(readBlob: BlobReader, before: SessionState, given: VerdictGiven): ReplayInputRead {
  const { verdict, scene } = given;
  if (scene === undefined) return lost('an older Umpire recorded it without its evidence');
  const frozen = before.frozen.get(verdict.loop);
  const isDecided = verdict.status === 'decided';
  // A partial verdict may contain its rules. They apply only if none were frozen before it.
  const rules = frozen?.rules ?? (isDecided ? null : scene.rules);
  if (rules === null) return lost('the journal does not contain its rules');
  const evidence = openRecordedEvidence(readBlob, scene);
  if (!evidence.ok) return lost(evidence.lost.join('; '));
  const { tasks, waves } = tasksIn(before, scene, evidence.tasks);
  const past = decidedVerdicts(before, verdict.loop, verdict.chain);
  return {
    ok: true,
    input: {
      given,
      scene,
      rules,
      store: evidence.store,
      tasks,
      waves,
      round: Math.max(verdict.round, roundAfter(past)),
      cap: (isDecided ? frozen?.cap : undefined) ?? verdict.maxRounds,
      target: targetIn(before, given, rules, past.length === 0),
      past: pastOf(past, given.course?.against),
      named: before.run === null ? null : scene.critic,
      course: given.course === undefined ? null : readCourse(before, verdict.loop, verdict.chain, given.course),
      testimony: before.run === null ? null : testimonyOf(before.run, findTask(before.run, scene.critic ?? '')),
      rulings: before.rulings,
    },
  };
}

function pastOf(past: readonly PastVerdict[], against: number | null | undefined): PastLists {
  const last = past.at(-1);
  if (against === undefined) return last?.verdict.outcome === 'revise' ? last.lists : null;
  return past.find(({ seq }) => seq === against)?.lists ?? null;
}

/** The tasks at that time: from the journal's earlier lines, or from the kept tasks.csv. */
function tasksIn({ run }: SessionState, scene: RecordedContext, text: string | null): Pick<ReplayInput, 'tasks' | 'waves'> {
  if (areTasksInJournal(scene) && run !== null) return copyTasks(run);
  const tasks = text === null ? [] : parseTasks(text, TASKS).tasks;
  return { tasks, waves: checkGraph(tasks, TASKS) };
}

/** The frozen target; or the loop's highest, if the chain's first verdict continued other chains and used that. */
function targetIn(before: SessionState, { verdict, target }: VerdictGiven, rules: Loop, isFirst: boolean): number {
  const key = chainKey(verdict.loop, verdict.chain);
  const frozen = verdict.status === 'decided' ? before.targets.get(key) : undefined;
  const isStricter = isFirst && before.groups.has(key) && target === highestTarget(rules, before, NO_TRACES);
  return (isStricter ? target : frozen) ?? target ?? 0;
}

function lost(why: string): ReplayInputRead {
  return { ok: false, why };
}

function findCritic(
  { tasks, waves, given, named }: ReplayInput,
  loop: Loop,
): { readonly critic: PlacedTask | null; readonly chain: string } {
  const at = named === null ? -1 : tasks.findIndex((task) => task.id === named);
  const row = tasks[at];
  if (row !== undefined) return { critic: { task: row, wave: waves[at] ?? 1 }, chain: chainOfRow(loop, row) };
  const chosen = typeof loop.chain === 'object' && loop.chain.choose === true ? given.verdict.chain : null;
  const critic = findCriticRow(loop, tasks, waves, chosen);
  return { critic, chain: chosen ?? chainOfRow(loop, critic?.task ?? null) };
}

type RejudgeTerms = Pick<RoundToJudge, 'round' | 'cap' | 'target' | 'past' | 'course'>;

function rejudge(
  input: ReplayInput,
  loop: Loop,
  terms: RejudgeTerms,
): ReturnType<typeof judgeRound> & { readonly critic: PlacedTask | null } {
  const { given, scene, store, waves, testimony, rulings } = input;
  const tasks = normalizeRoles(loop, input.tasks);
  const { critic, chain } = findCritic({ ...input, tasks }, loop);
  const { anomalies } = scene;
  const isOfOne = scene.voices !== true;
  const judged = judgeRound({
    ...terms,
    isOfOne,
    isEarlier: scene.version === undefined,
    testimony,
    rulings,
    loop,
    chain,
    critic,
    store,
    tasks,
    waves,
    anomalies,
    strict: given.strict,
    role: given.verdict.role,
  });
  return {
    ...judged,
    draft: judged.draft.ok ? orUnwritable(loop, addElsewhere(judged.draft, scene.elsewhere), scene) : judged.draft,
    critic,
  };
}

/** Tasks that could not be written then count as unwritable now. */
function orUnwritable(loop: Loop, draft: VerdictDraft, scene: RecordedContext): VerdictDraft {
  const { add, set } = draft.effects;
  if (scene.unwritable === null || (add.length === 0 && Object.keys(set).length === 0)) return draft;
  return unwritableVerdict(loop, draft, scene.unwritable) ?? draft;
}

/** Judges by the same rules and compares the result with the record. */
export function findDifferences(input: ReplayInput): readonly Difference[] {
  const { given, scene, rules } = input;
  const { draft, critic } = rejudge(input, rules, input);
  if (!draft.ok) return [{ field: 'verdict', was: given.verdict.decision, is: `none, by ${draft.rule}: ${draft.message}` }];
  const target = rules.target === undefined ? null : input.target;
  const { verdict, facts, lists, effects } = given;
  return differencesOf(
    { ...verdictData(verdict), critic: scene.critic, target: given.target, facts, lists, effects: effectsData(effects) },
    {
      ...verdictData(draft.verdict),
      critic: critic?.task.id ?? null,
      target,
      facts: draft.facts,
      lists: draft.lists,
      effects: effectsData(draft.effects),
    },
  );
}

export interface OtherJudgment {
  readonly verdict: OtherVerdict;
  /** The lists that the chain's next round is compared with under these rules. */
  readonly lists: PastLists;
}

/** Judges the recorded evidence by other rules, in the same round. A cap or target that differs from its default is kept. */
export function judgeByOtherRules(input: ReplayInput, other: Loop, past: PastLists): OtherJudgment {
  const { given, rules } = input;
  const { gathering, draft } = rejudge(input, other, {
    round: input.round - rules.round.first + other.round.first,
    cap: input.cap === rules.cap.default ? other.cap.default : input.cap,
    target: rules.target === undefined || input.target === rules.target.default ? (other.target?.default ?? 0) : input.target,
    past,
    course: null,
  });
  const exhibits = gathering.exhibits;
  const notKept = decidingSources(other).filter((name) => {
    const source = other.evidence[name];
    return source !== undefined && exhibits[name]?.state === 'missing' && !wasLookedFor(source, rules);
  });
  const asks = notKept.map((name) => other.evidence[name]?.what ?? name);
  return { verdict: { ...otherVerdict(given.verdict, draft), notKept: asks }, lists: comparedLists(other, exhibits) };
}

function otherVerdict(was: Verdict, draft: ReturnType<typeof judgeRound>['draft']): Omit<OtherVerdict, 'notKept'> {
  if (!draft.ok) {
    const is = { decision: null, outcome: null, rule: draft.rule, unverified: false };
    const differences = differencesOf({ ...comparedFields(was), anomalies: '' }, { ...is, anomalies: '' });
    return { ...is, status: 'refused', reason: draft.message, anomalies: [], differences };
  }
  const { verdict } = draft;
  const { decision, outcome, rule, unverified, reason } = verdict;
  const differs = outcome !== was.outcome || rule !== was.rule || unverified !== was.unverified;
  const differences = differencesOf(comparedFields(was), comparedFields(verdict));
  const status = differs ? 'differs' : 'same';
  return { status, decision, outcome, rule, unverified, reason, anomalies: anomalyRules(verdict), differences };
}

/** The fields in which two sets of rules are compared. */
function comparedFields(verdict: Verdict) {
  const { outcome, decision, rule, unverified } = verdict;
  return { outcome, decision, rule, unverified, anomalies: anomalyRules(verdict).join(', ') };
}

/** The rules of the verdict's anomalies, each once. */
function anomalyRules({ anomalies }: Verdict): readonly string[] {
  return [...new Set(anomalies.map((anomaly) => anomaly.rule))].toSorted();
}

/** The recorded rules looked in the same store, so that what is missing was missing then. Rows and columns are in tasks.csv, kept whole. */
function wasLookedFor(source: EvidenceSource, rules: Loop): boolean {
  if ('row' in source || 'column' in source) return true;
  const asked = Object.values(rules.evidence);
  if ('file' in source) {
    const paths = new Set(asked.flatMap((one) => ('file' in one ? one.file : [])));
    return source.file.every((path) => paths.has(path));
  }
  if ('folder' in source) {
    const place = ({ folder, named, match }: Extract<EvidenceSource, { folder: unknown }>) => JSON.stringify([folder, named, match]);
    return asked.some((one) => 'folder' in one && place(one) === place(source));
  }
  return asked.some((one) => 'discoveries' in one && one.discoveries === source.discoveries);
}
