// `umpire decide`: judges the latest result of a critic in a session folder and records the verdict.

import type { Verdict } from '@umpire/core/model.js';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { chainKey, decidedVerdicts } from '@umpire/core/decider/evolve.js';
import type { PastVerdict } from '@umpire/core/decider/evolve.js';
import { MOST_ROUNDS } from '@umpire/core/decider/rounds.js';
import { HIGHEST_CAP } from '@umpire/core/decider/events.js';
import { unwritableVerdict } from '@umpire/core/decider/decide-verdict.js';
import type { VerdictDraft } from '@umpire/core/decider/decide-verdict.js';
import { verdictData } from '@umpire/core/decider/verdict-data.js';
import { decidingSources } from '@umpire/core/loops/facts.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { elapsedMs } from '../sessions/clock.js';
import type { Settings } from '../sessions/default-settings.js';
import { checkPlaces, commitVerdict, finishVerdict, prepareTasks } from '../sessions/commit.js';
import { openFolder } from '../sessions/folder.js';
import type { SessionFolder } from '../sessions/folder.js';
import { rowOutputs } from '../sessions/gather.js';
import type { Gathering } from '../sessions/gather.js';
import { sha256 } from '../sessions/hash.js';
import { courseOf, giveVerdict, hear, keyOfRun, recordScene, summon } from '../sessions/hearing.js';
import type { Summons } from '../sessions/hearing.js';
import { removeLeftovers } from '../sessions/leftovers.js';
import { acquireLock } from '../sessions/lock.js';
import { resolveLoop } from '../sessions/loop-choice.js';
import { folderPlace } from '../sessions/place.js';
import { CONFIG, findProject, loadRole, readConfigText } from '../sessions/project.js';
import { eventsBefore } from '../sessions/preamble.js';
import { observe } from '../sessions/round-context.js';
import type { Scene } from '../sessions/round-context.js';

export interface DecideRequest {
  /** A built-in loop's name, the path of a loop file, or a loop from `defineLoop`. */
  readonly loop: string | Loop;
  /** The session folder. */
  readonly session: string;
  /** Raises the round. A lower round than the session's is refused. */
  readonly round?: number;
  /** Changes the cap; the journal records it. */
  readonly maxRounds?: number;
  /** The chain to judge, for loops where the caller chooses (testing: the layer). */
  readonly layer?: string;
  /** The verdict is partial after this time. */
  readonly deadlineMs?: number;
  /** Escalates instead of approving by waiver. */
  readonly strict?: boolean;
  /** Judge, but write nothing. */
  readonly dryRun?: boolean;
  /** Start of the deadline, in milliseconds since the process started. Default: now. */
  readonly startedAt?: number;
  /** The time in the journal. */
  readonly now?: Date;
}

export interface Decision {
  readonly verdict: Verdict;
  /** The verdict as Markdown. */
  readonly report: string;
  /** The same evidence was judged before: this is that verdict again, and nothing was written. */
  readonly repeated: boolean;
  /** Notes for the person; the verdict does not depend on them. */
  readonly notes: readonly string[];
}

const LOCK_WAIT_MS = 30_000;

/** A stalled loop is only reported: the program that runs the loop decides whether to stop. */
const COURSE = { stop: false, touched: null };

/** Judges the latest result of a loop's critic in a session folder. */
export async function decide(request: DecideRequest): Promise<Decision> {
  const started = request.startedAt ?? elapsedMs();
  const { loop, folder: loopFolder } = await resolveLoop(request.loop);
  checkNumbers(request, loop);
  const folder = openFolder(request.session);
  const project = findProject(folder.root);
  const usual = await settingsOf(project);
  const strict = request.strict ?? usual.strict;
  const remaining = () => (request.deadlineMs === undefined ? Infinity : request.deadlineMs - (elapsedMs() - started));
  const context: DecideContext = {
    request,
    loop,
    loopFolder,
    folder,
    project,
    strict,
    usualRounds: usual.maxRounds,
    expired: () => remaining() <= 0,
  };
  if (request.dryRun === true) return decideIn(context);
  const lock = await acquireLock(folder, Math.min(LOCK_WAIT_MS, Math.max(1000, remaining())));
  try {
    removeLeftovers(folder);
    return decideIn(context);
  } finally {
    lock.release();
  }
}

interface DecideContext {
  readonly request: DecideRequest;
  readonly loop: Loop;
  readonly loopFolder: string | null;
  readonly folder: SessionFolder;
  readonly project: string | null;
  readonly strict: boolean;
  readonly usualRounds: number | null;
  readonly expired: () => boolean;
}

function decideIn(context: DecideContext): Decision {
  const role = loadRole(context.loop.loop, context.loop.roles.judge, context.project, context.loopFolder);
  const { request, folder, loop, usualRounds, expired } = context;
  const scene = observe({ folder, loop, layer: request.layer ?? null, maxRounds: request.maxRounds ?? null, usualRounds, expired });
  if (scene.state.run !== null && (request.maxRounds !== undefined || request.round !== undefined))
    throw new UmpireError('run-by-umpire', { session: folder.name });
  const last = decidedVerdicts(scene.state, scene.loop.loop, scene.chain).at(-1) ?? null;
  const repeat = last === null ? null : findRepeat(context, scene, last);
  if (repeat !== null) return repeat;
  // In a run, only the evidence at the end of the critic's task counts, not the files of now.
  if (scene.state.run !== null && request.dryRun !== true) throw new UmpireError('run-by-umpire', { session: folder.name });
  if (request.round !== undefined && request.round < scene.round)
    throw new UmpireError('round-below', { asked: request.round, round: scene.round });
  const round = Math.max(scene.round, request.round ?? 0);
  const { gathering, draft } = hear({
    ...summonsOf(context, scene, round),
    cap: scene.cap,
    target: scene.target,
    strict: context.strict,
    past: last !== null && last.verdict.outcome === 'revise' ? last.lists : null,
    role,
    anomalies: scene.anomalies,
    course: courseOf(scene.state, scene.loop.loop, scene.chain, COURSE),
  });
  if (!draft.ok) throw new UmpireError('evidence-missing', { detail: draft.message, hint: draft.hint }, draft.rule);
  return deliver(context, scene, gathering, draft);
}

/** Writes the verdict, unless it is a dry run or the same as the last one. */
function deliver(context: DecideContext, scene: Scene, gathering: Gathering, drafted: VerdictDraft): Decision {
  const { folder, request } = context;
  let draft = drafted;
  let prepared = null;
  let failure: string | null = null;
  if (request.dryRun !== true) {
    checkPlaces(folder, draft);
    try {
      prepared = prepareTasks(folder, scene.loop, scene.file, draft);
    } catch (error) {
      const instead = isUmpireError(error) ? unwritableVerdict(scene.loop, draft, error.message) : null;
      if (instead === null) throw error;
      draft = instead;
      failure = (error as UmpireError).message;
    }
  }
  const past = scene.state.verdicts.get(chainKey(scene.loop.loop, scene.chain)) ?? [];
  const tasks = scene.file?.document.text ?? null;
  const recorded = recordScene({ ...scene, tasks }, gathering, failure, draft.verdict.status === 'partial');
  const grounds = { ...scene, strict: context.strict, key: keyOf(scene, gathering), course: COURSE };
  const given = giveVerdict(grounds, draft, gathering, recorded.scene);
  const last = past.at(-1);
  const same = last !== undefined && last.key === given.key && isSameVerdict(last.verdict, given.verdict);
  if (same || request.dryRun === true) {
    prepared?.discard();
    const { verdict, report } = same ? last : given;
    return { verdict, report, repeated: same, notes: notesOn(scene) };
  }
  const ts = (request.now ?? new Date()).toISOString();
  const before = eventsBefore(folder.name, scene, draft.verdict.status === 'partial');
  commitVerdict(
    {
      folder,
      loop: scene.loop,
      journal: scene.journal,
      ts,
      before,
      given,
      blobs: recorded.blobs,
      tasks: scene.file,
      board: scene.board,
      results: scene.state.results,
      others: scene.others,
    },
    prepared,
  );
  return { verdict: given.verdict, report: given.report, repeated: false, notes: notesOn(scene) };
}

/** A release may reword texts, those of the judge's role too: that alone is no new verdict. */
function isSameVerdict(one: Verdict, other: Verdict): boolean {
  const data = (verdict: Verdict) => JSON.stringify({ ...verdictData(verdict), role: verdict.role.path });
  return data(one) === data(other);
}

/** The recorded verdict if the evidence is unchanged. Finishes its writes after a crash. */
function findRepeat(context: DecideContext, scene: Scene, last: PastVerdict): Decision | null {
  const { request } = context;
  if (scene.isBehind || (request.round !== undefined && request.round > last.verdict.round)) return null;
  if (last.verdict.rule === scene.loop.unwritable?.id) return null;
  const waived = scene.loop.table.some((row) => row.id === last.verdict.rule && row.waiver !== undefined);
  if (waived && last.strict !== context.strict) return null;
  const gathering = summon(summonsOf(context, scene, last.verdict.round));
  if (keyOf(scene, gathering) !== last.key) return null;
  if (request.round !== undefined && request.round < last.verdict.round)
    throw new UmpireError('round-below', { asked: request.round, round: last.verdict.round });
  if (!last.projected && request.dryRun !== true) {
    const ts = (request.now ?? new Date()).toISOString();
    finishVerdict(
      {
        folder: context.folder,
        loop: scene.loop,
        journal: scene.journal,
        ts,
        given: last,
        tasks: scene.file,
        board: scene.board,
        results: scene.state.results,
        others: scene.others,
      },
      last.seq,
    );
  }
  return { verdict: last.verdict, report: last.report, repeated: true, notes: notesOn(scene) };
}

function notesOn(scene: Scene): readonly string[] {
  const notes: string[] = [];
  if (scene.journal.torn) notes.push('A crash cut off the last line of journal.ndjson. The history continues from the line before it.');
  if (scene.isLoopChanged) {
    notes.push(
      `The ${scene.loop.loop} loop has changed since this session started. The session keeps the old rules; use a new session folder for the new ones.`,
    );
  }
  return notes;
}

function summonsOf({ folder, expired }: DecideContext, scene: Scene, round: number): Summons {
  const { loop, chain, tasks, waves, critic } = scene;
  return { place: folderPlace(folder, scene.board, expired), loop, chain, round, tasks, waves, critic };
}

/** E4: the same row with the same outputs, the same bytes of its reports, the same round in the state files, the same cap. */
function keyOf(scene: Scene, gathering: Gathering): string {
  const ofRun = scene.critic === null ? null : keyOfRun(scene.state, scene.critic.task.id, scene.cap);
  if (ofRun !== null) return ofRun;
  const reports = decidingSources(scene.loop)
    .filter((name) => !('row' in (scene.loop.evidence[name] ?? {})))
    .map((name) => [name, gathering.exhibits[name]?.state, gathering.exhibits[name]?.ref?.sha256 ?? null]);
  const row = scene.critic === null ? null : rowOutputs(scene.loop, scene.critic.task);
  return sha256(JSON.stringify({ row, reports, state: scene.stateRound, cap: scene.cap }));
}

/** The settings of the project that affect a verdict. */
async function settingsOf(project: string | null): Promise<Pick<Settings, 'strict' | 'maxRounds'>> {
  const text = readConfigText(project);
  if (text === null) return { strict: false, maxRounds: null };
  const { parseSettings } = await import('../sessions/authored.js');
  return parseSettings(text, CONFIG);
}

function checkNumbers(request: DecideRequest, loop: Loop): void {
  const whole = (value: number | undefined, flag: string, least: number, most: number) => {
    if (value !== undefined && (!Number.isInteger(value) || value < least || value > most))
      throw new UmpireError('usage', { detail: `${flag} takes a whole number from ${least} to ${most}.`, command: 'decide' });
  };
  whole(request.round, '--round', loop.round.first, MOST_ROUNDS);
  whole(request.maxRounds, '--max-rounds', 1, HIGHEST_CAP);
  if (request.deadlineMs !== undefined && !(request.deadlineMs >= 0))
    throw new UmpireError('usage', { detail: '--deadline-ms takes a number of milliseconds.', command: 'decide' });
}
