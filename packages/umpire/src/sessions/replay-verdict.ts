// Judges one recorded verdict again from the journal and the blobs alone, by its own rules or by others.

import { chainOfRow, findCriticToJudge, normalizeRoles } from '@umpire/core/decider/chains.js';
import type { PlacedTask } from '@umpire/core/decider/chains.js';
import { NO_TRACES, roundAfter } from '@umpire/core/decider/rounds.js';
import type { Difference } from '@umpire/core/decider/differences.js';
import { differencesOf } from '@umpire/core/decider/differences.js';
import { chainKey, decidedVerdicts, judgedCritics } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { RecordedContext, VerdictGiven } from '@umpire/core/decider/events.js';
import { copyTasks, findTask, testimonyOf } from '@umpire/core/decider/run-state.js';
import { decideVerdict, unwritableVerdict } from '@umpire/core/decider/decide-verdict.js';
import type { Evidence, Round, VerdictDraft } from '@umpire/core/decider/decide-verdict.js';
import { effectsData, verdictData } from '@umpire/core/decider/verdict-data.js';
import { checkGraph } from '@umpire/core/decider/waves.js';
import { parseTasks } from '@umpire/core/formats/tasks-csv.js';
import { comparedLists, decidingSources } from '@umpire/core/loops/facts.js';
import type { PastLists } from '@umpire/core/loops/facts.js';
import type { Refusal } from '@umpire/core/loops/judge.js';
import type { Loop, EvidenceSource } from '@umpire/core/loops/loop.js';
import type { Verdict } from '@umpire/core/model/vocabulary.js';
import type { OtherVerdict } from '../views/replay-page.js';
import { TASKS } from './tasks-file.js';
import type { RoundToRead } from './judge-round.js';
import { findHighestTarget } from './observe-folder.js';
import { gatherEvidence } from './gather-evidence.js';
import type { EvidenceStore } from './gather-evidence.js';
import { addElsewhere } from './unfinished-work.js';
import { areTasksInJournal, openRecordedEvidence } from './recorded-evidence.js';
import type { BlobReader } from './recorded-evidence.js';

/** A recorded verdict, and its round as the journal froze it: not as the verdict claims. */
export interface RecordedRound {
  readonly given: VerdictGiven;
  readonly scene: RecordedContext;
  readonly store: EvidenceStore;
  readonly round: RoundToRead;
}

/** `before`: the session as the journal had it before this verdict's line. */
export function readRecordedRound(
  readBlob: BlobReader,
  before: SessionState,
  given: VerdictGiven,
): { readonly ok: true; readonly recorded: RecordedRound } | { readonly ok: false; readonly why: string } {
  const { verdict, scene, course = null } = given;
  const { run } = before;
  const { chain } = verdict;
  const frozen = before.frozen.get(verdict.loop);
  const isDecided = verdict.status === 'decided';
  // A partial verdict may contain its rules. They apply only if none were frozen before it.
  const loop = frozen?.rules ?? (isDecided ? null : scene.rules);
  if (loop === null) return { ok: false, why: 'the journal does not contain its rules' };
  const evidence = openRecordedEvidence(readBlob, scene);
  if (!evidence.ok) return { ok: false, why: evidence.lost.join('; ') };
  // The tasks at that time: from the journal's earlier lines, or from the kept tasks.csv.
  const kept = evidence.tasks === null ? [] : parseTasks(evidence.tasks, TASKS).tasks;
  const { tasks, waves } = areTasksInJournal(scene) && run !== null ? copyTasks(run) : { tasks: kept, waves: checkGraph(kept, TASKS) };
  // Umpire names the critic of a session that it runs: several may have run then.
  const at = run === null ? -1 : tasks.findIndex((task) => task.id === scene.critic);
  const critic = tasks[at];
  const past = decidedVerdicts(before, verdict.loop, chain);
  const last = past.at(-1);
  const compared =
    course?.against === undefined
      ? last?.verdict.outcome === 'revise'
        ? last
        : undefined
      : past.find(({ seq }) => seq === course.against);
  return {
    ok: true,
    recorded: {
      given,
      scene,
      store: evidence.store,
      round: {
        state: before,
        loop,
        chain,
        round: Math.max(verdict.round, roundAfter(past)),
        cap: (isDecided ? frozen?.cap : undefined) ?? verdict.maxRounds,
        target: readFrozenTarget(before, given, loop, past.length === 0),
        strict: given.strict,
        tasks,
        waves,
        critic: critic === undefined ? null : { task: critic, wave: waves[at] ?? 1 },
        past: compared?.lists ?? null,
        role: verdict.role,
        anomalies: scene.anomalies,
        trend: course,
        testimony: run === null ? null : testimonyOf(run, findTask(run, scene.critic ?? '')),
      },
    },
  };
}

/** The frozen target; or the loop's highest, if the chain's first verdict continued other chains and used that. */
function readFrozenTarget(before: SessionState, { verdict, target }: VerdictGiven, rules: Loop, isFirst: boolean): number {
  const key = chainKey(verdict.loop, verdict.chain);
  const frozen = verdict.status === 'decided' ? before.targets.get(key) : undefined;
  const isStricter = isFirst && before.groups.has(key) && target === findHighestTarget(rules, before, NO_TRACES);
  return (isStricter ? target : frozen) ?? target ?? 0;
}

/** `more`: what is different by other rules. */
function judgeRecorded(
  { scene, store, round: frozen }: RecordedRound,
  more: Partial<RoundToRead> = {},
): { readonly evidence: Evidence; readonly draft: VerdictDraft | Refusal; readonly critic: PlacedTask | null } {
  const { loop, waves } = { ...frozen, ...more };
  const tasks = normalizeRoles(loop, frozen.tasks);
  let { critic, chain } = frozen;
  if (critic !== null) {
    const { task, wave } = critic;
    critic = { task: tasks[frozen.tasks.indexOf(task)] ?? task, wave };
    chain = chainOfRow(loop, critic.task);
  } else {
    const chosen = typeof loop.chain === 'object' && loop.chain.choose === true ? chain : null;
    critic = findCriticToJudge(loop, tasks, waves, chosen, judgedCritics(frozen.state, frozen.loop.loop));
    chain = chosen ?? chainOfRow(loop, critic?.task ?? null);
  }
  const opened: RoundToRead = { ...frozen, ...more, tasks, critic, chain };
  const round: Round = { ...opened, evidence: gatherEvidence(store, opened) };
  const judged = decideVerdict(round);
  const draft = judged.ok ? addElsewhere(judged, scene.elsewhere) : judged;
  const changesTasks = draft.ok && (draft.effects.add.length > 0 || Object.keys(draft.effects.set).length > 0);
  // Tasks that could not be written then count as unwritable now.
  const unwritable = changesTasks && scene.unwritable !== null ? unwritableVerdict(loop, draft, scene.unwritable) : null;
  return { evidence: round.evidence, draft: unwritable ?? draft, critic };
}

/** Judges by the same rules and compares the result with the record. */
export function findDifferences(recorded: RecordedRound): readonly Difference[] {
  const { given, scene, round } = recorded;
  const { draft, critic } = judgeRecorded(recorded);
  if (!draft.ok) return [{ field: 'verdict', was: given.verdict.decision, is: `none, by ${draft.rule}: ${draft.message}` }];
  const { verdict, facts, lists, effects } = given;
  return differencesOf(
    { ...verdictData(verdict), critic: scene.critic, target: given.target, facts, lists, effects: effectsData(effects) },
    {
      ...verdictData(draft.verdict),
      critic: critic?.task.id ?? null,
      target: round.loop.target === undefined ? null : round.target,
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
export function judgeByOtherRules(recorded: RecordedRound, other: Loop, past: PastLists): OtherJudgment {
  const { loop: rules, round, cap, target } = recorded.round;
  const { evidence, draft } = judgeRecorded(recorded, {
    loop: other,
    round: round - rules.round.first + other.round.first,
    cap: cap === rules.cap.default ? other.cap.default : cap,
    target: rules.target === undefined || target === rules.target.default ? (other.target?.default ?? 0) : target,
    past,
    trend: null,
  });
  const notKept = decidingSources(other).filter((name) => {
    const source = other.evidence[name];
    return source !== undefined && evidence[name]?.state === 'missing' && !wasLookedFor(source, rules);
  });
  const asks = notKept.map((name) => other.evidence[name]?.what ?? name);
  return { verdict: { ...otherVerdict(recorded.given.verdict, draft), notKept: asks }, lists: comparedLists(other, evidence) };
}

function otherVerdict(was: Verdict, draft: VerdictDraft | Refusal): Omit<OtherVerdict, 'notKept'> {
  if (!draft.ok) {
    const is = { decision: null, outcome: null, rule: draft.rule, unverified: false };
    const differences = differencesOf({ ...listComparedFields(was), anomalies: '' }, { ...is, anomalies: '' });
    return { ...is, status: 'refused', reason: draft.message, anomalies: [], differences };
  }
  const { verdict } = draft;
  const { decision, outcome, rule, unverified, reason } = verdict;
  const differs = outcome !== was.outcome || rule !== was.rule || unverified !== was.unverified;
  const differences = differencesOf(listComparedFields(was), listComparedFields(verdict));
  const status = differs ? 'differs' : 'same';
  return { status, decision, outcome, rule, unverified, reason, anomalies: anomalyRules(verdict), differences };
}

/** The fields in which two sets of rules are compared. */
function listComparedFields(verdict: Verdict) {
  const { outcome, decision, rule, unverified } = verdict;
  return { outcome, decision, rule, unverified, anomalies: anomalyRules(verdict).join(', ') };
}

/** The rules of the verdict's anomalies, each once. Not E10: other rules have no trend. */
function anomalyRules({ anomalies }: Verdict): readonly string[] {
  return [...new Set(anomalies.map((anomaly) => anomaly.rule))].filter((rule) => rule !== 'E10').toSorted();
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
    const folderKey = ({ folder, named, match }: Extract<EvidenceSource, { folder: unknown }>) => JSON.stringify([folder, named, match]);
    return asked.some((one) => 'folder' in one && folderKey(one) === folderKey(source));
  }
  return asked.some((one) => 'discoveries' in one && one.discoveries === source.discoveries);
}
