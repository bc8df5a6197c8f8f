// One recorded verdict heard again, from the journal and the blobs alone: by the rules it was given by, or by others.

import { chainOfRow, findCriticRow, normalizeRoles } from '@umpire/core/decider/chains.js';
import type { PlacedTask } from '@umpire/core/decider/chains.js';
import { NO_TRACES, roundAfter } from '@umpire/core/decider/rounds.js';
import type { Difference } from '@umpire/core/decider/differences.js';
import { differencesOf } from '@umpire/core/decider/differences.js';
import { chainKey, decidedVerdicts } from '@umpire/core/decider/evolve.js';
import type { PastVerdict, SessionState } from '@umpire/core/decider/evolve.js';
import type { RecordedContext, VerdictGiven } from '@umpire/core/decider/events.js';
import { copyTasks } from '@umpire/core/decider/run-state.js';
import { unwritableVerdict } from '@umpire/core/decider/decide-verdict.js';
import type { VerdictDraft } from '@umpire/core/decider/decide-verdict.js';
import { effectsData, verdictData } from '@umpire/core/decider/verdict-data.js';
import { checkGraph } from '@umpire/core/decider/waves.js';
import { parseTasks } from '@umpire/core/formats/tasks-csv.js';
import { comparedLists, decidingSources } from '@umpire/core/loops/facts.js';
import type { PastLists } from '@umpire/core/loops/facts.js';
import type { Loop, EvidenceSource } from '@umpire/core/loops/loop.js';
import type { Task, Verdict } from '@umpire/core/model.js';
import type { OtherVerdict } from '../report/replay-page.js';
import { TASKS } from './tasks-file.js';
import { courseOf, hear } from './hearing.js';
import type { Hearing } from './hearing.js';
import { highestTarget } from './limits.js';
import type { Place } from './place.js';
import { isInJournal, recall } from './recorded-place.js';
import type { BlobReader } from './recorded-place.js';

/** A verdict with everything that it takes to hear it again. */
export interface CaseFile {
  readonly given: VerdictGiven;
  readonly scene: RecordedContext;
  readonly rules: Loop;
  readonly place: Place;
  readonly tasks: readonly Task[];
  readonly waves: Int32Array;
  /** By what the journal froze, not by what the verdict says of itself. */
  readonly round: number;
  readonly cap: number;
  readonly target: number;
  readonly past: PastLists;
  /** The critic by name, where several may have been at work: in a session that Umpire ran. */
  readonly named: string | null;
  readonly course: Hearing['course'];
}

export type Retrieved = { readonly ok: true; readonly file: CaseFile } | { readonly ok: false; readonly why: string };

/** `before`: the session as the journal had it before this verdict's line. */
export function retrieve(readBlob: BlobReader, before: SessionState, given: VerdictGiven): Retrieved {
  const { verdict, scene } = given;
  if (scene === undefined) return lost('it was recorded before scenes were kept');
  const frozen = before.frozen.get(verdict.loop);
  const isDecided = verdict.status === 'decided';
  // Rules that a verdict brings along hold only where nothing was frozen, and nothing was decided.
  const rules = frozen?.rules ?? (isDecided ? null : scene.rules);
  if (rules === null) return lost('the journal does not hold the rules it was given by');
  const recalled = recall(readBlob, scene);
  if (!recalled.ok) return lost(recalled.lost.join('; '));
  const { tasks, waves } = tasksIn(before, scene, recalled.tasks);
  const past = decidedVerdicts(before, verdict.loop, verdict.chain);
  return {
    ok: true,
    file: {
      given,
      scene,
      rules,
      place: recalled.place,
      tasks,
      waves,
      round: Math.max(verdict.round, roundAfter(past)),
      cap: (isDecided ? frozen?.cap : undefined) ?? verdict.maxRounds,
      target: targetIn(before, given, rules, past.length === 0),
      past: pastOf(past, given.course?.against),
      named: before.run === null ? null : scene.critic,
      course: given.course === undefined ? null : courseOf(before, verdict.loop, verdict.chain, given.course),
    },
  };
}

function pastOf(past: readonly PastVerdict[], against: number | null | undefined): PastLists {
  const last = past.at(-1);
  if (against === undefined) return last?.verdict.outcome === 'revise' ? last.lists : null;
  return past.find(({ seq }) => seq === against)?.lists ?? null;
}

/** The tasks of then: as the journal's lines before this one tell them, or as tasks.csv was kept. */
function tasksIn({ run }: SessionState, scene: RecordedContext, text: string | null): Pick<CaseFile, 'tasks' | 'waves'> {
  if (isInJournal(scene) && run !== null) return copyTasks(run);
  const tasks = text === null ? [] : parseTasks(text, TASKS).tasks;
  return { tasks, waves: checkGraph(tasks, TASKS) };
}

/** What was frozen; or the highest of the loop, where the chain's first verdict goes on with others and was held to that. */
function targetIn(before: SessionState, { verdict, target }: VerdictGiven, rules: Loop, isFirst: boolean): number {
  const key = chainKey(verdict.loop, verdict.chain);
  const frozen = verdict.status === 'decided' ? before.targets.get(key) : undefined;
  const isStricter = isFirst && before.groups.has(key) && target === highestTarget(rules, before, NO_TRACES);
  return (isStricter ? target : frozen) ?? target ?? 0;
}

function lost(why: string): Retrieved {
  return { ok: false, why };
}

function findCritic({ tasks, waves, given, named }: CaseFile, loop: Loop): { readonly critic: PlacedTask | null; readonly chain: string } {
  const at = named === null ? -1 : tasks.findIndex((task) => task.id === named);
  const row = tasks[at];
  if (row !== undefined) return { critic: { task: row, wave: waves[at] ?? 1 }, chain: chainOfRow(loop, row) };
  const chosen = typeof loop.chain === 'object' && loop.chain.choose === true ? given.verdict.chain : null;
  const critic = findCriticRow(loop, tasks, waves, chosen);
  return { critic, chain: chosen ?? chainOfRow(loop, critic?.task ?? null) };
}

type Terms = Pick<Hearing, 'round' | 'cap' | 'target' | 'past' | 'course'>;

function hearAgain(file: CaseFile, loop: Loop, terms: Terms): ReturnType<typeof hear> & { readonly critic: PlacedTask | null } {
  const { given, scene, place, waves } = file;
  const tasks = normalizeRoles(loop, file.tasks);
  const { critic, chain } = findCritic({ ...file, tasks }, loop);
  const { anomalies } = scene;
  const isOfOne = scene.voices !== true;
  const heard = hear({
    ...terms,
    isOfOne,
    loop,
    chain,
    critic,
    place,
    tasks,
    waves,
    anomalies,
    strict: given.strict,
    role: given.verdict.role,
  });
  return { ...heard, draft: heard.draft.ok ? orUnwritable(loop, heard.draft, scene) : heard.draft, critic };
}

/** Tasks that could not be written then cannot be written now. */
function orUnwritable(loop: Loop, draft: VerdictDraft, scene: RecordedContext): VerdictDraft {
  const { add, set } = draft.effects;
  if (scene.unwritable === null || (add.length === 0 && Object.keys(set).length === 0)) return draft;
  return unwritableVerdict(loop, draft, scene.unwritable) ?? draft;
}

/** Heard again by the same rules: where what comes of it is not what was recorded. */
export function differencesIn(file: CaseFile): readonly Difference[] {
  const { given, scene, rules } = file;
  const { draft, critic } = hearAgain(file, rules, file);
  if (!draft.ok) return [{ field: 'verdict', was: given.verdict.decision, is: `none, by ${draft.rule}: ${draft.message}` }];
  const target = rules.target === undefined ? null : file.target;
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

export interface OtherHearing {
  readonly verdict: OtherVerdict;
  /** What the next round of the chain is compared with, by these rules. */
  readonly lists: PastLists;
}

/** Heard by other rules, on what was recorded: the same round, and the cap and target that somebody set, if somebody did. */
export function hearByOther(file: CaseFile, other: Loop, past: PastLists): OtherHearing {
  const { given, rules } = file;
  const { gathering, draft } = hearAgain(file, other, {
    round: file.round - rules.round.first + other.round.first,
    cap: file.cap === rules.cap.default ? other.cap.default : file.cap,
    target: rules.target === undefined || file.target === rules.target.default ? (other.target?.default ?? 0) : file.target,
    past,
    course: null,
  });
  const exhibits = gathering.exhibits;
  const notKept = decidingSources(other).filter((name) => {
    const source = other.evidence[name];
    return source !== undefined && exhibits[name]?.state === 'missing' && !wasAsked(source, rules);
  });
  const asks = notKept.map((name) => other.evidence[name]?.what ?? name);
  return { verdict: { ...otherVerdict(given.verdict, draft), notKept: asks }, lists: comparedLists(other, exhibits) };
}

function otherVerdict(was: Verdict, draft: ReturnType<typeof hear>['draft']): Omit<OtherVerdict, 'notKept'> {
  if (!draft.ok) {
    const is = { decision: null, outcome: null, rule: draft.rule, unverified: false };
    const differences = differencesOf({ ...tellingOf(was), anomalies: '' }, { ...is, anomalies: '' });
    return { ...is, status: 'refused', reason: draft.message, anomalies: [], differences };
  }
  const { verdict } = draft;
  const { decision, outcome, rule, unverified, reason } = verdict;
  const differs = outcome !== was.outcome || rule !== was.rule || unverified !== was.unverified;
  const differences = differencesOf(tellingOf(was), tellingOf(verdict));
  const status = differs ? 'differs' : 'same';
  return { status, decision, outcome, rule, unverified, reason, anomalies: oddities(verdict), differences };
}

/** What two sets of rules are compared by. */
function tellingOf(verdict: Verdict) {
  const { outcome, decision, rule, unverified } = verdict;
  return { outcome, decision, rule, unverified, anomalies: oddities(verdict).join(', ') };
}

/** The rules under which something odd was noted, each once. */
function oddities({ anomalies }: Verdict): readonly string[] {
  return [...new Set(anomalies.map((anomaly) => anomaly.rule))].toSorted();
}

/** The recorded rules looked in the same place, so that what is missing was missing then. Rows and columns are in tasks.csv, kept whole. */
function wasAsked(source: EvidenceSource, rules: Loop): boolean {
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
