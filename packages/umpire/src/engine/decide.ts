// `umpire decide`: judges the latest result of a critic in a session folder and records the verdict.

import type { Verdict } from '@umpire/core/model/vocabulary.js';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { chainKey, decidedVerdicts } from '@umpire/core/decider/evolve.js';
import type { PastVerdict } from '@umpire/core/decider/evolve.js';
import { MOST_ROUNDS, HIGHEST_CAP } from '@umpire/core/model/options.js';
import { unwritableVerdict } from '@umpire/core/decider/decide-verdict.js';
import type { VerdictDraft } from '@umpire/core/decider/decide-verdict.js';
import { isRuledSince } from '@umpire/core/decider/rulings.js';
import { verdictData } from '@umpire/core/decider/verdict-data.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { commitsNamedIn, otherCommit } from '@umpire/core/formats/provenance.js';
import { decidingSources } from '@umpire/core/loops/facts.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { elapsedMs } from '../sessions/clock.js';
import { DEFAULT_SETTINGS } from '../sessions/default-settings.js';
import type { Settings } from '../sessions/default-settings.js';
import { checkWritePaths, commitVerdict, finishVerdict, prepareTasks, eventsBeforeVerdict } from '../sessions/commit-verdict.js';
import { openFolder, removeTemporaryFiles } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import { rowOutputs, folderStore } from '../sessions/gather-evidence.js';
import type { Gathering } from '../sessions/gather-evidence.js';
import { sha256 } from '../sessions/hash.js';
import { composeVerdict, gatherRound, hashCriticRun, judgeRound, readCourse, recordRoundContext } from '../sessions/judge-round.js';
import type { RoundEvidence } from '../sessions/judge-round.js';
import { acquireLock } from '../sessions/lock.js';
import type { Lock } from '../sessions/lock.js';
import { resolveLoop } from '../sessions/resolve-loop.js';
import { findProject, hasSettings } from '../sessions/project.js';
import { loadRole } from '../sessions/role-texts.js';
import { readRoundContext } from '../sessions/round-context.js';
import type { RoundContext } from '../sessions/round-context.js';
import { addElsewhere, declareDoneElsewhere, findOpenTasks, refuseUnfinishedCritic } from '../sessions/unfinished-work.js';
import type { ContextElsewhere } from '../sessions/unfinished-work.js';
import { refuseInsideTask } from '../agents/inside-task.js';
import { shellWord } from '../views/session-question.js';

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

/** The verdict reports the trend but does not act on it: the program that runs the loop decides whether to stop. */
const COURSE = { stop: false, touched: null };

/** Judges the latest result of a loop's critic in a session folder. */
export async function decide(request: DecideRequest): Promise<Decision> {
  const started = request.startedAt ?? elapsedMs();
  const { loop, folder: loopFolder } = await resolveLoop(request.loop);
  checkNumbers(request, loop);
  const folder = openFolder(request.session);
  const project = findProject(folder.root);
  if (loopFolder !== null) await (await import('./trust.js')).requireTrustedLoop(request.loop, loop, project, {});
  const said: string[] = [];
  const usual = await settingsOf(project, (note) => void said.push(note));
  const strict = request.strict ?? usual.strict;
  const remaining = () => (request.deadlineMs === undefined ? Infinity : request.deadlineMs - (elapsedMs() - started));
  const input: DecideInput = {
    request,
    loop,
    loopFolder,
    folder,
    project,
    strict,
    usualRounds: usual.maxRounds,
    said,
    expired: () => remaining() <= 0,
    unwritable: null,
  };
  if (request.dryRun === true) return decideIn(input);
  let lock: Lock;
  try {
    lock = await acquireLock(folder, Math.min(LOCK_WAIT_MS, Math.max(1000, remaining())));
  } catch (error) {
    if (!isUmpireError(error) || error.code !== 'write-failed') throw error;
    return decideIn({ ...input, unwritable: error });
  }
  try {
    removeTemporaryFiles(folder);
    return await decideIn(input);
  } finally {
    lock.release();
  }
}

interface DecideInput {
  readonly request: DecideRequest;
  readonly loop: Loop;
  readonly loopFolder: string | null;
  readonly folder: SessionFolder;
  readonly project: string | null;
  readonly strict: boolean;
  readonly usualRounds: number | null;
  /** Notes on the settings. */
  readonly said: readonly string[];
  readonly expired: () => boolean;
  /** Why nothing can be written to the session folder. */
  readonly unwritable: UmpireError | null;
}

async function decideIn(input: DecideInput): Promise<Decision> {
  const { request, folder, loop, usualRounds, expired } = input;
  const role = loadRole(loop.loop, loop.roles.judge, input.project, input.loopFolder);
  const asked = { layer: request.layer ?? null, maxRounds: request.maxRounds ?? null, usualRounds };
  const context = readRoundContext({ folder, loop, expired, ...asked });
  if (context.state.run !== null && (request.maxRounds !== undefined || request.round !== undefined))
    throw new UmpireError('run-by-umpire', { session: folder.name });
  if (context.state.run === null) refuseUnfinishedCritic(context);
  if ((request.maxRounds ?? 0) > (context.state.frozen.get(context.loop.loop)?.cap ?? Infinity)) refuseInsideTask('raise the cap');
  const last = decidedVerdicts(context.state, context.loop.loop, context.chain).at(-1) ?? null;
  // Read once: the same evidence serves the check for a repeated call and the new verdict.
  const known = last !== null && mayRepeat(input, context, last) ? gatherRound(evidenceAt(input, context, last.verdict.round)) : null;
  const isRuled = last !== null && last.verdict.outcome === 'escalate' && isRuledSince(last, context.state);
  if (last !== null && known !== null && !isRuled && evidenceKey(context, known) === last.key) {
    await refuseOtherCommit(input, context, known, last.verdict);
    return repeatVerdict(input, context, last);
  }
  // A run judges the evidence that its critic left when it ended. The folder may hold anything by now.
  if (context.state.run !== null && request.dryRun !== true) throw new UmpireError('run-by-umpire', { session: folder.name });
  refuseUnfinishedCritic(context);
  if (request.round !== undefined && request.round < context.round)
    throw new UmpireError('round-below', { asked: request.round, round: context.round });
  const round = Math.max(context.round, request.round ?? 0);
  const work = last === null ? null : settleOpenTasks(input, context, last);
  const judged = work?.context ?? context;
  const { gathering, draft } = judgeRound(
    {
      ...evidenceAt(input, judged, round),
      cap: context.cap,
      target: context.target,
      strict: input.strict,
      past: last !== null && last.verdict.outcome === 'revise' ? last.lists : null,
      role,
      anomalies: judged.anomalies,
      course: readCourse(context.state, context.loop.loop, context.chain, COURSE),
      rulings: context.state.rulings,
    },
    work === null ? known : null,
  );
  if (!draft.ok) throw new UmpireError('evidence-missing', { detail: draft.message, hint: draft.hint }, draft.rule);
  await refuseOtherCommit(input, context, gathering, draft.verdict);
  return deliver(input, judged, gathering, addElsewhere(draft, work?.elsewhere), work);
}

/** W4: evidence about another commit than the one that is checked out approves nothing. A run judges its own commits. */
async function refuseOtherCommit(input: DecideInput, context: RoundContext, gathering: Gathering, verdict: Verdict): Promise<void> {
  const approves = verdict.outcome === 'converge' || verdict.outcome === 'accept';
  if (!approves || context.state.run !== null || input.project === null) return;
  const named = verdict.evidence.flatMap(({ path, sha256: hash }) => {
    const content = gathering.blobs.get(hash) ?? '';
    const commits = commitsNamedIn(typeof content === 'string' ? content : decodeTolerantly(content));
    return commits.length === 0 ? [] : [{ path, commits }];
  });
  if (named.length === 0) return;
  const { headOf } = await import('../critics/provenance.js');
  const head = headOf(input.project);
  for (const { path, commits } of named) {
    const commit = otherCommit(commits, head);
    if (commit !== null && head !== null)
      throw new UmpireError('evidence-other-commit', { path, commit: commit.slice(0, 10), head: head.slice(0, 10) }, 'W4');
  }
}

/** V4: null if the tasks of the last verdict have ended. With --round, a person declares open ones done elsewhere. */
function settleOpenTasks({ request }: DecideInput, context: RoundContext, last: PastVerdict): ContextElsewhere | null {
  const open = context.state.run === null ? findOpenTasks(context, last) : [];
  if (open.length === 0) return null;
  if (request.round !== undefined) {
    refuseInsideTask('declare tasks done');
    return declareDoneElsewhere(context, open);
  }
  const loop = typeof request.loop === 'string' ? request.loop : request.loop.loop;
  const layer = context.choice === null ? '' : ` --layer ${shellWord(context.choice)}`;
  const command = `umpire decide ${shellWord(loop)} ${shellWord(request.session)}${layer} --round ${context.round}`;
  const tasks = open.map(({ id }) => id).join(', ');
  throw new UmpireError('tasks-open', { tasks, is: open.length === 1 ? 'is' : 'are', command }, 'V4');
}

function evidenceAt({ folder, expired }: DecideInput, context: RoundContext, round: number): RoundEvidence {
  const { loop, chain, tasks, waves, critic } = context;
  return { store: folderStore(folder, context.board, expired, context.state.measured), loop, chain, round, tasks, waves, critic };
}

/** Writes the verdict, unless it is a dry run or equal to the last verdict. */
function deliver(
  input: DecideInput,
  context: RoundContext,
  gathering: Gathering,
  drafted: VerdictDraft,
  work: ContextElsewhere | null,
): Decision {
  const { folder, request } = input;
  let draft = drafted;
  let prepared = null;
  let failure: string | null = null;
  if (request.dryRun !== true) {
    if (input.unwritable === null) checkWritePaths(folder, draft);
    else if (!changesTasks(draft)) throw input.unwritable;
    try {
      if (input.unwritable !== null) throw input.unwritable;
      prepared = prepareTasks(folder, context.loop, context.file, draft);
    } catch (error) {
      const instead = isUmpireError(error) ? unwritableVerdict(context.loop, draft, error.message) : null;
      if (instead === null) throw error;
      draft = instead;
      failure = (error as UmpireError).message;
    }
  }
  const past = context.state.verdicts.get(chainKey(context.loop.loop, context.chain)) ?? [];
  const tasks = work?.text ?? context.file?.document.text ?? null;
  const recorded = recordRoundContext({ ...context, tasks }, gathering, failure, draft.verdict.status === 'partial', {
    ...(context.stateRound === null ? {} : { state: context.stateRound }),
    ...(work === null ? {} : { elsewhere: work.elsewhere }),
  });
  const basis = { ...context, strict: input.strict, key: evidenceKey(context, gathering), course: COURSE };
  const given = composeVerdict(basis, draft, gathering, recorded.scene);
  const last = past.at(-1);
  const same = last !== undefined && last.key === given.key && isSameVerdict(last.verdict, given.verdict);
  if (same || request.dryRun === true || input.unwritable !== null) {
    prepared?.discard();
    const { verdict, report } = same ? last : given;
    const unrecorded = input.unwritable === null || same ? [] : ['The verdict is not recorded: the session folder cannot be written.'];
    return { verdict, report, repeated: same, notes: [...input.said, ...notesOn(context), ...unrecorded] };
  }
  const ts = (request.now ?? new Date()).toISOString();
  const before = eventsBeforeVerdict(folder.name, context, draft.verdict.status === 'partial');
  commitVerdict(
    {
      folder,
      loop: context.loop,
      journal: context.journal,
      ts,
      before,
      given,
      blobs: recorded.blobs,
      tasks: context.file,
      board: context.board,
      results: context.state.results,
      others: context.others,
    },
    prepared,
  );
  return { verdict: given.verdict, report: given.report, repeated: false, notes: [...input.said, ...notesOn(context)] };
}

function changesTasks({ effects }: VerdictDraft): boolean {
  return effects.add.length > 0 || Object.keys(effects.set).length > 0;
}

/** A release may reword texts, those of the judge's role too. That alone makes no new verdict. */
function isSameVerdict(one: Verdict, other: Verdict): boolean {
  const data = (verdict: Verdict) => JSON.stringify({ ...verdictData(verdict), role: verdict.role.path });
  return data(one) === data(other);
}

/** May the last verdict apply to this call too, if its evidence is the same? */
function mayRepeat({ request, strict }: DecideInput, { loop, isBehind }: RoundContext, last: PastVerdict): boolean {
  if (isBehind || (request.round !== undefined && request.round > last.verdict.round)) return false;
  if (last.verdict.rule === loop.unwritable?.id) return false;
  const isWaived = loop.table.some((row) => row.id === last.verdict.rule && row.waiver !== undefined);
  return !isWaived || last.strict === strict;
}

/** Returns the recorded verdict. Finishes its writes if a crash cut them short. */
function repeatVerdict({ request, folder, said }: DecideInput, context: RoundContext, last: PastVerdict): Decision {
  if (request.round !== undefined && request.round < last.verdict.round)
    throw new UmpireError('round-below', { asked: request.round, round: last.verdict.round });
  if (!last.projected && request.dryRun !== true) {
    const ts = (request.now ?? new Date()).toISOString();
    const { loop, journal, file: tasks, board, others } = context;
    finishVerdict({ folder, loop, journal, ts, given: last, tasks, board, results: context.state.results, others }, last.seq);
  }
  return { verdict: last.verdict, report: last.report, repeated: true, notes: [...said, ...notesOn(context)] };
}

function notesOn(context: RoundContext): readonly string[] {
  const notes: string[] = [];
  if (context.journal.torn) notes.push('A crash cut off the last line of journal.ndjson. The history continues from the line before it.');
  if (context.isLoopChanged) {
    notes.push(
      `The ${context.loop.loop} loop has changed since this session started. The session keeps the old rules; use a new session folder for the new ones.`,
    );
  }
  return notes;
}

/** E4: the same row with the same outputs, the same bytes of its reports, the same round in the state files, the same cap. */
function evidenceKey(context: RoundContext, gathering: Gathering): string {
  const ofRun = context.critic === null ? null : hashCriticRun(context.state, context.critic.task.id, context.cap);
  if (ofRun !== null) return ofRun;
  const reports = decidingSources(context.loop)
    .filter((name) => !('row' in (context.loop.evidence[name] ?? {})))
    .map((name) => [name, gathering.exhibits[name]?.state, gathering.exhibits[name]?.ref?.sha256 ?? null]);
  const row = context.critic === null ? null : rowOutputs(context.loop, context.critic.task);
  return sha256(JSON.stringify({ row, reports, state: context.stateRound, cap: context.cap }));
}

/** Most projects have no settings, and loading what reads them takes longer than a verdict. */
async function settingsOf(project: string | null, onNote: (note: string) => void): Promise<Settings> {
  if (project === null || !hasSettings(project)) return DEFAULT_SETTINGS;
  const { readSettings } = await import('./project-settings.js');
  return readSettings(project, { onNote });
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
