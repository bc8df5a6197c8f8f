// `umpire decide`: judges the latest result of a critic in a session folder and records the verdict.

import type { Verdict } from '@umpire/core/model/vocabulary.js';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { chainKey, decidedVerdicts } from '@umpire/core/decider/evolve.js';
import type { PastVerdict, SessionState } from '@umpire/core/decider/evolve.js';
import { HIGHEST_CAP, MOST_ROUNDS, PROJECT_SETTINGS, usualValues } from '@umpire/core/model/options.js';
import { decideVerdict, unwritableVerdict } from '@umpire/core/decider/decide-verdict.js';
import type { Evidence, Round, VerdictDraft } from '@umpire/core/decider/decide-verdict.js';
import { isRuledSince } from '@umpire/core/decider/rulings.js';
import { verdictData } from '@umpire/core/decider/verdict-data.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { commitsNamedIn, otherCommit } from '@umpire/core/formats/provenance.js';
import { decidingSources } from '@umpire/core/loops/facts.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { checkWritePaths, commitVerdict, finishVerdicts, prepareTasks } from '../sessions/commit-verdict.js';
import { openFolder, removeTemporaryFiles } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import { folderStore, gatherEvidence, printRowOutputs } from '../sessions/gather-evidence.js';
import type { EvidenceStore } from '../sessions/gather-evidence.js';
import { sha256 } from '../sessions/hash.js';
import { composeVerdict, hashCriticRun } from '../sessions/judge-round.js';
import type { RoundToRead } from '../sessions/judge-round.js';
import { acquireLock } from '../sessions/lock.js';
import type { Lock } from '../sessions/lock.js';
import { resolveLoop } from '../sessions/resolve-loop.js';
import { findProject, hasSettings } from '../sessions/project.js';
import { loadRole } from '../sessions/role-texts.js';
import { observeFolder } from '../sessions/observe-folder.js';
import type { ObservedFolder } from '../sessions/observe-folder.js';
import { addElsewhere, declareDoneElsewhere, findOpenTasks, refuseUnfinishedCritic } from '../sessions/unfinished-work.js';
import type { RoundElsewhere } from '../sessions/unfinished-work.js';
import { refuseInsideTask } from '../agents/guardian.js';
import { quoteWord } from '@umpire/core/formats/shell-text.js';
import { elapsedMs } from '../sessions/environment.js';

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

/** Judges the latest result of a loop's critic in a session folder. */
export async function decide(request: DecideRequest): Promise<Decision> {
  const started = request.startedAt ?? elapsedMs();
  const { loop, folder: loopFolder } = await resolveLoop(request.loop);
  const whole = (value: number | undefined, flag: string, least: number, most: number) => {
    if (value !== undefined && (!Number.isInteger(value) || value < least || value > most))
      throw new UmpireError('usage', { detail: `${flag} takes a whole number from ${least} to ${most}.`, command: 'decide' });
  };
  whole(request.round, '--round', loop.round.first, MOST_ROUNDS);
  whole(request.maxRounds, '--max-rounds', 1, HIGHEST_CAP);
  if (request.deadlineMs !== undefined && !(request.deadlineMs >= 0))
    throw new UmpireError('usage', { detail: '--deadline-ms takes a number of milliseconds.', command: 'decide' });
  const folder = openFolder(request.session);
  const project = findProject(folder.root);
  if (loopFolder !== null) await (await import('./trust.js')).requireTrustedLoop(request.loop, loop, project, {});
  const said: string[] = [];
  const usual = await readUsualSettings(project, (note) => void said.push(note));
  const remaining = () => (request.deadlineMs === undefined ? Infinity : request.deadlineMs - (elapsedMs() - started));
  const expired = () => remaining() <= 0;
  const judge = (unwritable: UmpireError | null): Promise<Decision> => {
    const role = loadRole(loop.loop, loop.roles.judge, project, loopFolder);
    const observed = observeFolder({
      folder,
      loop,
      role,
      strict: request.strict ?? usual.strict,
      layer: request.layer ?? null,
      maxRounds: request.maxRounds ?? null,
      usualRounds: usual.maxRounds,
      expired,
    });
    const store = folderStore(folder, observed.board, expired, observed.journal.state.measured);
    return judgeFolder({ request, folder, project, said, store, unwritable }, observed);
  };
  if (request.dryRun === true) return judge(null);
  let lock: Lock;
  try {
    lock = await acquireLock(folder, Math.min(LOCK_WAIT_MS, Math.max(1000, remaining())));
  } catch (error) {
    if (!isUmpireError(error) || error.code !== 'write-failed') throw error;
    return judge(error);
  }
  try {
    removeTemporaryFiles(folder);
    return await judge(null);
  } finally {
    lock.release();
  }
}

interface DecideCall {
  readonly request: DecideRequest;
  readonly folder: SessionFolder;
  readonly project: string | null;
  /** Notes on the settings. */
  readonly said: readonly string[];
  readonly store: EvidenceStore;
  /** Why nothing can be written to the session folder. */
  readonly unwritable: UmpireError | null;
}

async function judgeFolder(input: DecideCall, observed: ObservedFolder): Promise<Decision> {
  const { request, folder, store } = input;
  const { journal, round: opened } = observed;
  const { state } = journal;
  const { loop, chain } = opened;
  if (state.run !== null && (request.maxRounds !== undefined || request.round !== undefined))
    throw new UmpireError('run-by-umpire', { session: folder.name });
  if (state.run === null) refuseUnfinishedCritic(opened);
  if ((request.maxRounds ?? 0) > (state.frozen.get(loop.loop)?.cap ?? Infinity)) refuseInsideTask('raise the cap');
  const last = decidedVerdicts(state, loop.loop, chain).at(-1) ?? null;
  // Read once: the same evidence serves the check for a repeated call and the new verdict.
  const known =
    last !== null && mayRepeat(request, observed, last) ? gatherEvidence(store, { ...opened, round: last.verdict.round }) : null;
  const isRuled = last !== null && last.verdict.outcome === 'escalate' && isRuledSince(last, state);
  if (last !== null && known !== null && !isRuled && hashEvidence(observed, opened, known) === last.key) {
    await refuseOtherCommit(input, state, known, last.verdict);
    return repeatVerdict(input, observed, last);
  }
  // A run judges the evidence that its critic left when it ended. The folder may hold anything by now.
  if (state.run !== null && request.dryRun !== true) throw new UmpireError('run-by-umpire', { session: folder.name });
  refuseUnfinishedCritic(opened);
  if (request.round !== undefined && request.round < opened.round)
    throw new UmpireError('round-below', { asked: request.round, round: opened.round });
  const work = last === null ? null : settleOpenTasks(request, observed, last);
  const asked = { ...(work?.round ?? opened), round: Math.max(opened.round, request.round ?? 0) };
  const round: Round = { ...asked, evidence: gatherEvidence(store, asked, work === null ? known : null) };
  const draft = decideVerdict(round);
  if (!draft.ok) throw new UmpireError('evidence-missing', { detail: draft.message, hint: draft.hint }, draft.rule);
  await refuseOtherCommit(input, state, round.evidence, draft.verdict);
  return recordVerdict(input, observed, round, addElsewhere(draft, work?.elsewhere), work);
}

/** W4: evidence about another commit than the one that is checked out approves nothing. A run judges its own commits. */
async function refuseOtherCommit({ project }: DecideCall, state: SessionState, evidence: Evidence, verdict: Verdict): Promise<void> {
  const approves = verdict.outcome === 'converge' || verdict.outcome === 'accept';
  if (!approves || state.run !== null || project === null) return;
  const found = new Map(Object.values(evidence).flatMap(({ ref, content }) => (ref === null ? [] : [[ref.sha256, content]])));
  const named = verdict.evidence.flatMap(({ path, sha256: hash }) => {
    const content = found.get(hash) ?? '';
    const commits = commitsNamedIn(typeof content === 'string' ? content : decodeTolerantly(content));
    return commits.length === 0 ? [] : [{ path, commits }];
  });
  if (named.length === 0) return;
  const { findHead } = await import('../critics/provenance.js');
  const head = findHead(project);
  for (const { path, commits } of named) {
    const commit = otherCommit(commits, head);
    if (commit !== null && head !== null)
      throw new UmpireError('evidence-other-commit', { path, commit: commit.slice(0, 10), head: head.slice(0, 10) }, 'W4');
  }
}

/** V4: null if the tasks of the last verdict have ended. With --round, a person declares open ones done elsewhere. */
function settleOpenTasks(request: DecideRequest, observed: ObservedFolder, last: PastVerdict): RoundElsewhere | null {
  const { round, choice, journal } = observed;
  const open = journal.state.run === null ? findOpenTasks(round, last) : [];
  if (open.length === 0) return null;
  if (request.round !== undefined) {
    refuseInsideTask('declare tasks done');
    return declareDoneElsewhere(observed, open);
  }
  const loop = typeof request.loop === 'string' ? request.loop : request.loop.loop;
  const layer = choice === null ? '' : ` --layer ${quoteWord(choice)}`;
  const command = `umpire decide ${quoteWord(loop)} ${quoteWord(request.session)}${layer} --round ${round.round}`;
  const tasks = open.map(({ id }) => id).join(', ');
  throw new UmpireError('tasks-open', { tasks, is: open.length === 1 ? 'is' : 'are', command }, 'V4');
}

/** Writes the verdict, unless it is a dry run or equal to the last verdict. */
function recordVerdict(
  { request, folder, said, unwritable }: DecideCall,
  observed: ObservedFolder,
  round: Round,
  drafted: VerdictDraft,
  work: RoundElsewhere | null,
): Decision {
  const { journal, file, stateRound } = observed;
  const { loop } = round;
  const isDry = request.dryRun === true;
  let draft = drafted;
  let prepared = null;
  let failure: string | null = null;
  if (!isDry) {
    if (unwritable === null) checkWritePaths(folder, draft);
    else if (draft.effects.add.length === 0 && Object.keys(draft.effects.set).length === 0) throw unwritable;
    try {
      if (unwritable !== null) throw unwritable;
      prepared = prepareTasks(folder, loop, file, draft);
    } catch (error) {
      const instead = isUmpireError(error) ? unwritableVerdict(loop, draft, error.message) : null;
      if (instead === null) throw error;
      draft = instead;
      failure = (error as UmpireError).message;
    }
  }
  const isPartial = draft.verdict.status === 'partial';
  const { given, blobs } = composeVerdict(
    round,
    draft,
    hashEvidence(observed, round, round.evidence),
    work?.text ?? file?.document.text ?? null,
    {
      unwritable: failure,
      rules: isPartial && !journal.state.frozen.has(loop.loop) ? loop : null,
      ...(stateRound === null ? {} : { state: stateRound }),
      ...(work === null ? {} : { elsewhere: work.elsewhere }),
    },
  );
  const last = journal.state.verdicts.get(chainKey(loop.loop, round.chain))?.at(-1);
  // A release may reword texts, those of the judge's role too. That alone makes no new verdict.
  const compared = (verdict: Verdict) => JSON.stringify({ ...verdictData(verdict), role: verdict.role.path });
  const same = last !== undefined && last.key === given.key && compared(last.verdict) === compared(given.verdict);
  const notes = [...said, ...notesOn(observed)];
  if (same || isDry || unwritable !== null) {
    prepared?.discard();
    const { verdict, report } = same ? last : given;
    if (unwritable !== null && !same) notes.push('The verdict is not recorded: the session folder cannot be written.');
    return { verdict, report, repeated: same, notes };
  }
  const ts = (request.now ?? new Date()).toISOString();
  // A partial verdict freezes nothing.
  const before = isPartial ? observed.events.filter(({ type }) => type === 'SessionObserved') : observed.events;
  commitVerdict(folder, journal, ts, [...before, { type: 'VerdictGiven', data: given }], blobs, prepared);
  return { verdict: given.verdict, report: given.report, repeated: false, notes };
}

/** May the last verdict apply to this call too, if its evidence is the same? */
function mayRepeat(request: DecideRequest, { round: { loop, strict }, isBehind }: ObservedFolder, last: PastVerdict): boolean {
  if (isBehind || (request.round !== undefined && request.round > last.verdict.round)) return false;
  if (last.verdict.rule === loop.unwritable?.id) return false;
  const isWaived = loop.table.some((row) => row.id === last.verdict.rule && row.waiver !== undefined);
  return !isWaived || last.strict === strict;
}

/** Returns the recorded verdict. Finishes its writes if a crash cut them short. */
function repeatVerdict({ request, folder, said }: DecideCall, observed: ObservedFolder, last: PastVerdict): Decision {
  if (request.round !== undefined && request.round < last.verdict.round)
    throw new UmpireError('round-below', { asked: request.round, round: last.verdict.round });
  if (!last.projected && request.dryRun !== true) {
    const { round, journal, file } = observed;
    const prepared = prepareTasks(folder, round.loop, file, last);
    finishVerdicts(folder, journal, (request.now ?? new Date()).toISOString(), journal.lines, prepared);
  }
  return { verdict: last.verdict, report: last.report, repeated: true, notes: [...said, ...notesOn(observed)] };
}

function notesOn({ journal, isLoopChanged, round: { loop } }: ObservedFolder): readonly string[] {
  const notes: string[] = [];
  if (journal.torn) notes.push('A crash cut off the last line of journal.ndjson. The history continues from the line before it.');
  if (isLoopChanged) {
    notes.push(
      `The ${loop.loop} loop has changed since this session started. The session keeps the old rules; use a new session folder for the new ones.`,
    );
  }
  return notes;
}

/** E4: the same row with the same outputs, the same bytes of its reports, the same round in the state files, the same cap. */
function hashEvidence({ journal, stateRound }: ObservedFolder, { loop, critic, cap }: RoundToRead, evidence: Evidence): string {
  const ofRun = critic === null ? null : hashCriticRun(journal.state, critic.task.id, cap);
  if (ofRun !== null) return ofRun;
  const reports = decidingSources(loop)
    .filter((name) => !('row' in (loop.evidence[name] ?? {})))
    .map((name) => [name, evidence[name]?.state, evidence[name]?.ref?.sha256 ?? null]);
  const row = critic === null ? null : printRowOutputs(loop, critic.task);
  return sha256(JSON.stringify({ row, reports, state: stateRound, cap }));
}

/** Most projects have no settings, and loading what reads them takes longer than a verdict. */
async function readUsualSettings(project: string | null, onNote: (note: string) => void) {
  if (project === null || !hasSettings(project)) return usualValues(PROJECT_SETTINGS);
  const { readSettings } = await import('./project-settings.js');
  return readSettings(project, { onNote });
}
