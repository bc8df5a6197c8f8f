// The work of a session: where it is, its patch, and applying it to the person's checkout. clean.ts removes it.

import type { SessionSurroundings } from '../views/session-view.js';
import type { SessionRecord } from '../sessions/session-record.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commitsOfChain, workOfRound } from '@umpire/core/decider/critic-scope.js';
import type { RoundWork } from '@umpire/core/decider/critic-scope.js';
import { failingNewTests, lastVerdicts } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import type { LeftOut } from '@umpire/guard/revert/remove-tests.js';
import { blobsIn } from '../sessions/recorded-evidence.js';
import type { BlobReader } from '../sessions/recorded-evidence.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { fetchCommand } from '../views/session-view.js';
import { openFolder, makeFolders } from '../sessions/session-folder.js';
import { foldJournal } from '../sessions/journal-file.js';
import { acquireLock, LOCK, holderOf } from '../sessions/lock.js';
import { applySession } from '../work/apply.js';
import type { Applied } from '../work/apply.js';
import { isLeft } from '../work/clean-session.js';
import {
  diffFetched,
  diffOf,
  diffOfRanges,
  findFetched,
  isAllApplied,
  isMergedHere,
  listBranchSteps,
  listFetchedSteps,
} from '../work/session-diff.js';
import type { BranchStep, CommitRange, FetchedWork } from '../work/session-diff.js';
import { sessionPath } from '../work/session-worktree.js';
import { findSessionGit, findNameHolder } from '../work/session-git.js';
import type { SessionPlace } from '../work/session-git.js';
import { refuseInsideTask } from '../agents/guardian.js';
import { hasNotStarted } from './opened-session.js';
import { recordedCommits } from './open-workspace.js';
import { projectOf, worktreeHome } from './project-folders.js';
import { readSettings, worktreeHomes } from './project-settings.js';
import type { WorktreeHomes } from './project-settings.js';
import type { SessionEntry } from '../views/list-page.js';
import { findSession, findSessions } from '../sessions/find-sessions.js';
import type { FoundSession, KnownSessions } from '../sessions/find-sessions.js';
import { createMergeStatusReader } from '../work/session-refs-cache.js';

export interface SessionWork {
  readonly run: RunState;
  readonly rules: Loop | null;
  /** New tests that fail. */
  readonly failingTests: readonly LeftOut[];
  readonly place: SessionPlace;
}

/** Throws if another program runs the session, or it has no workspace. */
export async function openSessionWork(session: string, homeOf: WorktreeHomes = worktreeHomes()): Promise<SessionWork> {
  const folder = openFolder(session);
  const { state } = foldJournal(folder);
  const { run, frozen } = state;
  if (run === null) throw new UmpireError(hasNotStarted(folder) ? 'not-begun' : 'not-run', { session: folder.name });
  const { workspace } = run.started;
  if (workspace === null) throw new UmpireError('no-work', { session: folder.name, loop: run.started.loop });
  const project = projectOf(run.started.project, folder.root);
  const rules = frozen.get(run.started.loop)?.rules ?? null;
  return {
    run,
    rules,
    failingTests: listLeftOut(state, blobsIn(folder)),
    place: { project, session: run.started.session, home: await homeOf(project), sessionFolder: folder.root, ...recordedCommits(run) },
  };
}

/** As the last measurement of each chain left them out; the whole file of a test of which that is not known. */
function listLeftOut(state: SessionState, readBlob: BlobReader): readonly LeftOut[] {
  const files = new Map<string, LeftOut>();
  for (const { artifact } of failingNewTests(state)) if (artifact !== null) files.set(artifact, { file: artifact, tests: null });
  for (const { verdict } of lastVerdicts(state))
    for (const { path, sha256 } of verdict.evidence) {
      const bytes = path.startsWith('results/run-') ? readBlob(sha256) : '';
      const json = typeof bytes === 'string' ? null : parseJson(bytes.toString('utf8'));
      const listed = json?.ok === true && isObject(json.value) ? json.value['not_applied'] : null;
      for (const one of Array.isArray(listed) ? (listed as readonly unknown[]) : []) {
        if (!isObject(one) || typeof one['file'] !== 'string' || !files.has(one['file'])) continue;
        const { file, tests } = one;
        files.set(file, { file, tests: Array.isArray(tests) ? tests.filter((test) => typeof test === 'string') : null });
      }
    }
  return [...files.values()];
}

/** The patch of the whole session, or of one round; `chain` is needed if several chains have that round. */
export async function diff(session: string, round?: number, chain?: string): Promise<string> {
  return (await patchOf(session, round, chain === undefined ? {} : { chain })).toString('utf8');
}

export interface PatchOptions {
  /** For reading, without binary files. */
  readonly brief?: boolean;
  readonly chain?: string | undefined;
  /** Of a session on an engine: a folder of the repository that fetched its work. Default: the current folder. */
  readonly repository?: string;
}

/** The patch as bytes. */
export async function patchOf(
  session: string,
  round?: number,
  { brief = false, chain, repository = '.' }: PatchOptions = {},
): Promise<Buffer> {
  const { state } = foldJournal(openFolder(session));
  if (state.run?.isOnEngine === true) return patchFetched(state.run, await requireFetched(state.run, repository), { round, brief, chain });
  const { run, rules, place } = await openSessionWork(session);
  if (round === undefined || rules === null) return diffOf(place, { brief });
  const work = findRound(run, round, chain);
  const ranges = rangesOf(run, rules, work, await listBranchSteps(place, work.to));
  return diffOfRanges(place, ranges, brief);
}

async function requireFetched(run: RunState, repository: string): Promise<FetchedWork> {
  const { loop, session, workspace } = run.started;
  if (workspace === null) throw new UmpireError('no-work', { session, loop });
  const fetched = await findFetched(repository, { base: workspace.base, head: run.head ?? workspace.base });
  if (fetched === null) throw new UmpireError('work-unfetched', { session, command: fetchCommand(run) });
  return fetched;
}

async function patchFetched(
  run: RunState,
  fetched: FetchedWork,
  { round, brief, chain }: { readonly round: number | undefined; readonly brief: boolean; readonly chain: string | undefined },
): Promise<Buffer> {
  const rules = run.started.frozen?.rules;
  if (round === undefined || rules === undefined) return diffFetched(fetched, [{ from: fetched.base, to: fetched.head }], brief);
  const work = findRound(run, round, chain);
  return diffFetched(fetched, rangesOf(run, rules, work, await listFetchedSteps(fetched, work.to)), brief);
}

function rangesOf(run: RunState, rules: Loop, work: RoundWork, steps: readonly BranchStep[]): readonly CommitRange[] {
  const isOwn = commitsOfChain(run, rules, work.chain, steps);
  const begun = steps.findIndex(({ commit }) => commit === work.from) + 1;
  const ranges: CommitRange[] = [];
  // Skip the commits of other chains.
  for (let index = begun; index < steps.length; index++) {
    if (isOwn[index] !== true) continue;
    const first = steps[index] as BranchStep;
    while (isOwn[index + 1] === true) index++;
    ranges.push({ from: first.parent, to: (steps[index] as BranchStep).commit });
  }
  return ranges;
}

function findRound(run: RunState, round: number, chain: string | undefined): RoundWork {
  const { session } = run.started;
  const judged = workOfRound(run, round);
  const asked = chain === undefined ? judged : judged.filter((one) => one.chain === chain);
  const [first, second] = asked;
  if (first === undefined) {
    const chains = new Set(run.marks.map((mark) => mark.chain));
    const words = run.marks.map((mark) => (chains.size > 1 ? `${mark.round} of ${mark.chain}` : String(mark.round)));
    throw new UmpireError('round-unknown', { round, session, known: words.length === 0 ? 'none' : [...new Set(words)].join(', ') });
  }
  if (second !== undefined) {
    const chains = asked.map((one) => one.chain).join(', ');
    const detail = `Several chains of the session ${session} have round ${round}: ${chains}. Choose one with --chain ${first.chain}.`;
    throw new UmpireError('usage', { detail, command: 'diff' });
  }
  return first;
}

export interface ApplyOptions {
  /** Also of a session that is not complete. */
  readonly force?: boolean;
  /** Also new tests that fail (suspected bugs). */
  readonly withFailingTests?: boolean;
}

/** Copies the result into the person's checkout, uncommitted. */
export async function apply(
  session: string,
  { force = false, withFailingTests = false }: ApplyOptions = {},
): Promise<Applied & { readonly unverified: boolean }> {
  refuseInsideTask('apply work to the checkout');
  const { home } = (await openSessionWork(session)).place;
  // First the lock of all applies: a second apply of the same session waits for the first, and not for a run.
  return withApplyLock(home, async () => {
    const lock = await acquireLock(openFolder(session), 1000);
    try {
      const { run, failingTests, place } = await openSessionWork(session);
      const outcome = run.ended?.outcome ?? 'not ended';
      if (outcome !== 'complete' && !force) throw new UmpireError('not-complete', { session: place.session, outcome });
      const parent = run.started.workspace?.included?.parent ?? null;
      const applied = await applySession(place, { without: withFailingTests ? [] : failingTests, parent });
      return { ...applied, unverified: run.ended?.unverified ?? true };
    } finally {
      lock.release();
    }
  });
}

export interface WorkPlace {
  /** The session's worktree, if it exists. */
  readonly place: string | null;
  /** Worktrees and branch were removed. */
  readonly isCleared: boolean;
  /** The checkout has all of it: applied or merged. */
  readonly isApplied: boolean;
}

const UNKNOWN: WorkPlace = { place: null, isCleared: false, isApplied: false };

/** What a page shows beside the session's state. `session`: as commands name it. */
export async function findSurroundings(record: SessionRecord, session: string): Promise<SessionSurroundings> {
  const { word, tasks, notes, state } = record;
  return { session, state: word, tasks, notes, ...(await findSessionWork(state.run, record)) };
}

/** Never throws: a status must be shown even if git fails. */
async function findSessionWork(run: RunState | null, session: { readonly name: string; readonly path: string }): Promise<WorkPlace> {
  if (run === null || run.started.workspace === null || run.isOnEngine) return UNKNOWN;
  try {
    const project = projectOf(run.started.project, session.path);
    const home = worktreeHome(project, (await readSettings(project)).workspace.home);
    const place = { project, session: run.started.session, home, sessionFolder: session.path };
    const sessionGit = findSessionGit(place);
    // The work belongs to the session that this folder was copied from.
    if (findNameHolder(sessionGit) !== null) return UNKNOWN;
    const path = sessionPath({ sessionGit });
    const isApplied = (await isAllApplied(sessionGit)) || (run.ended !== null && (await isMergedHere(sessionGit)));
    if (existsSync(path)) return { place: path, isCleared: false, isApplied };
    // After a move, nobody knows what became of the branches.
    return { place: null, isApplied, isCleared: run.ended !== null && project === run.started.project && !isLeft(place) };
  } catch (error) {
    if (isUmpireError(error) || (error as NodeJS.ErrnoException).code !== undefined) return UNKNOWN;
    throw error;
  }
}

/** Applying many files takes a while. */
const APPLY_LOCK_WAIT_MS = 60_000;

/** Applies one session at a time: two would take each other's files for the person's. `home`: the folder of worktrees. */
export async function withApplyLock<T>(home: string, act: () => Promise<T>, waitMs = APPLY_LOCK_WAIT_MS): Promise<T> {
  makeFolders(home);
  const folder = openFolder(home);
  const lock = await acquireLock(folder, waitMs).catch((error: unknown) => {
    if (!isUmpireError(error) || error.code !== 'session-busy') throw error;
    throw new UmpireError('apply-busy', { holder: holderOf(folder)?.who ?? 'another process', place: join(home, LOCK) });
  });
  try {
    return await act();
  } finally {
    lock.release();
  }
}

/** Latest first. An unreadable session does not hide the others. */
export async function listSessions(project: string): Promise<readonly SessionEntry[]> {
  const addWork = createWorkReader();
  const entries: SessionEntry[] = [];
  for (const found of findSessions(project)) entries.push(await addWork(found));
  return entries;
}

/** Reads one session after the other, for callers that look repeatedly and do other things in between. `known`: see findSession. */
export function createSessionLister(known: KnownSessions): (path: string) => Promise<SessionEntry> {
  const addWork = createWorkReader();
  return async (path) => addWork(findSession(path, known));
}

/** Remembers git's answers, so use one for one listing. */
function createWorkReader(): (found: FoundSession) => Promise<SessionEntry> {
  const mergeStatusOf = createMergeStatusReader();
  const homeOf = worktreeHomes();
  return async ({ made, ...entry }) => {
    if (made === null) return { ...entry, work: null };
    try {
      const now = projectOf(made.project, entry.path);
      const place = { project: now, session: made.session, home: await homeOf(now), sessionFolder: entry.path };
      const work = await mergeStatusOf(place, made);
      // After a move, nobody knows what became of the branches.
      return { ...entry, work: work === 'cleared' && now !== made.project ? null : work };
    } catch (error) {
      if (isUmpireError(error) || (error as NodeJS.ErrnoException).code !== undefined) return { ...entry, work: null };
      throw error;
    }
  };
}
