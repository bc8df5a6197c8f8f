// The worktree of one writing task: created, its work taken as one commit, removed. Agents may commit, switch branches or break git there:
// only the files on disk count, compared with the base commit.

import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/model/errors.js';
import type { Seat } from '@umpire/core/model/ports.js';
import { flag, object, text } from '@umpire/core/model/schema.js';
import { makeOwnRepository, readOwnTips } from './worktree-repository.js';
import { checkOut, hasChanges, listChanges, removeFrom, writeTree } from './worktree-changes.js';
import { commitTree, diffTrees, commitTitle, readTree } from './commits.js';
import type { TreeDifference } from './commits.js';
import { watchPackages } from './installed-packages.js';
import { prepareWorktree, hasRoomForProject, addSharedFiles, refusePackages, workdirOf } from './prepare-worktree.js';
import type { Protect, WorkspaceContext } from './prepare-worktree.js';
import { lstatOf } from '../sessions/file-system.js';
import { git } from './git.js';
import type { RawName } from './git.js';
import { inspectTree } from './inspect-work.js';
import { diffCommits } from './session-diff.js';
import { treeWith, applyTreeDiff } from './next-commit.js';
import { describeUncommitted, keepModules, refuseMixed, describeClones } from './submodules.js';
import { readState, stateFileOf, writeStateFile } from './state-file.js';
import { asideRef, changeRefs, listFew, readRef, showCommand, taskRef, projectNames, taskName, refsOf } from './session-git.js';
import type { SessionGit } from './session-git.js';
import { dropLink, makeWorktree, removeWorktree, gitTargetOf, worktreeOf } from './worktree.js';
import type { Worktree } from './worktree.js';
import { randomBytes } from 'node:crypto';

/** Written when a worktree is ready, removed before the worktree. Without it there is no work to take. */
const LEASE = object({
  base: text,
  /** The set-up command made changes. */
  hasProducts: flag,
});

interface TaskCommit {
  readonly commit: string;
  readonly tree: string;
  readonly base: string;
  readonly files: readonly RawName[];
}

/** What the inspector reverted: a commit on top of the work, which adds it again. */
export interface RevertedChange {
  readonly commit: string;
  readonly files: readonly string[];
  /** For people, cut where it is long. */
  readonly patch: string;
}

interface TakenWork {
  /** Null: nothing is changed. */
  readonly work: TaskCommit | null;
  readonly reverted: RevertedChange | null;
}

const NOTHING_TAKEN: TakenWork = { work: null, reverted: null };

interface Paths {
  readonly name: string;
  readonly lease: string;
  readonly watch: string;
  readonly draft: string;
}

function attemptPaths(sessionGit: SessionGit, task: string, attempt: number): Paths {
  const own = attemptName({ task, attempt });
  return pathsByName(sessionGit, readSeat(sessionGit, own) ?? own);
}

function attemptName({ task, attempt }: Seat): string {
  return `task-${taskName(task, attempt)}`;
}

/** The file that names the folder which an attempt took over from an earlier one. */
function seatFile(sessionGit: SessionGit, own: string): string {
  return join(sessionGit.folder, `seat-of-${own}`);
}

function readSeat(sessionGit: SessionGit, own: string): string | null {
  const place = seatFile(sessionGit, own);
  if (lstatOf(place)?.isFile() !== true) return null;
  const name = readFileSync(place, 'utf8').trim();
  return /^task-[\w.-]{1,250}$/.test(name) ? name : null;
}

/** Takes over the folder of the seat, if no other attempt is in it and the disk has room to note it. */
function takeSeat(sessionGit: SessionGit, own: string, seat: Seat | null): void {
  rmSync(seatFile(sessionGit, own), { force: true });
  const name = seat === null ? own : attemptName(seat);
  if (name === own || readState(pathsByName(sessionGit, name).lease, LEASE).kind === 'note') return;
  try {
    writeFileSync(seatFile(sessionGit, own), `${name}\n`);
  } catch {
    // The attempt gets a folder of its own, and its agent a new conversation.
    rmSync(seatFile(sessionGit, own), { force: true });
  }
}

function pathsByName(sessionGit: SessionGit, name: string): Paths {
  const file = (ending: string): string => join(sessionGit.folder, `${name}.${ending}`);
  return { name, lease: stateFileOf(sessionGit.folder, name), watch: file('watch'), draft: file('draft') };
}

/** A worktree in use with the index to compare it with; null where nothing is left to read. */
export function leaseOf(sessionGit: SessionGit, name: string): { readonly worktree: Worktree; readonly index: string } | null {
  const { lease, watch } = pathsByName(sessionGit, name);
  const read = readState(lease, LEASE);
  if (read.kind !== 'note') return null;
  const worktree = worktreeOf(sessionGit, name);
  const index = read.note.hasProducts ? watch : worktree.index;
  return [worktree.root, index].every((path) => existsSync(path)) ? { worktree, index } : null;
}

export function worktreeFolderOf(sessionGit: SessionGit, { task, attempt }: Seat): string {
  return workdirOf(sessionGit, worktreeOf(sessionGit, attemptPaths(sessionGit, task, attempt).name).root);
}

/** `kept`: the work of an earlier attempt that asked a question. It is added as changes, so that the task becomes one commit. */
export async function lendWorktree(
  context: WorkspaceContext,
  { task, attempt }: Seat,
  head: string,
  kept: string | null,
  seat: Seat | null,
): Promise<string> {
  const { sessionGit } = context;
  await removeTask(sessionGit, attemptPaths(sessionGit, task, attempt));
  takeSeat(sessionGit, attemptName({ task, attempt }), seat);
  const paths = attemptPaths(sessionGit, task, attempt);
  await removeTask(sessionGit, paths);
  const { base, tree } = kept === null ? { base: head, tree: null } : await findStart(sessionGit, head, kept);
  const worktree = await makeWorktree(sessionGit, paths.name, base);
  await makeOwnRepository(context.template, worktree, base, null);
  const { products } = await prepareWorktree(context, worktree, paths.watch);
  if (tree !== null) {
    // Writes the files of a tree to the worktree. Its index stays at the base.
    const steps = await diffTrees(context.sessionGit, base, tree);
    await git(gitTargetOf(worktree, paths.draft), ['read-tree', tree]);
    for (const { name, to } of steps) if (to === null) removeFrom(worktree.root, name);
    const written = steps.filter(({ to }) => to !== null).map(({ name }) => name);
    await checkOut(worktree, paths.draft, written);
    addSharedFiles(context, worktree);
    rmSync(paths.draft, { force: true });
  }
  writeStateFile(paths.lease, { base, hasProducts: products.length > 0 });
  return workdirOf(sessionGit, worktree.root);
}

/** On top of the current head; on a conflict, on its old base: merging then reports the conflict. */
async function findStart(
  sessionGit: SessionGit,
  head: string,
  kept: string,
): Promise<{ readonly base: string; readonly tree: string | null }> {
  const parent = await readRef(sessionGit, `${kept}^`);
  // Its ref was removed and git deleted the commit, so the task begins anew.
  if (parent === null) return { base: head, tree: null };
  if (parent === head) return { base: head, tree: kept };
  const carried = await applyTreeDiff(sessionGit, parent, kept, head);
  return carried.ok ? { base: head, tree: carried.tree } : { base: parent, tree: kept };
}

export async function takeWork(context: WorkspaceContext, task: string, attempt: number, title: string): Promise<TakenWork> {
  const { sessionGit, sharedFiles, inspect, protect, say } = context;
  const paths = attemptPaths(sessionGit, task, attempt);
  const read = readState(paths.lease, LEASE);
  if (read.kind !== 'note') throw new UmpireError('worktree-lost', { task, attempt });
  const { base, hasProducts } = read.note;
  const worktree = worktreeOf(sessionGit, paths.name);
  dropLink(worktree.root);
  if (!existsSync(worktree.root)) throw new UmpireError('worktree-lost', { task, attempt });
  if (!hasRoomForProject(sessionGit, worktree.root))
    throw new UmpireError('read-failed', { path: sessionGit.repository.prefix, detail: NO_ROOM });
  const changes = await listChanges(worktree, hasProducts ? paths.watch : worktree.index, sharedFiles, true);
  const noteAll = (words: readonly string[]): void => words.forEach((word) => say?.(`${commitTitle(task, 'A task')} ${word}.`));
  noteAll(await describeUncommitted(worktree));
  const packages = await context.packages.look();
  if (packages.length > 0) noteAll([describePackages(packages)]);
  if (!hasChanges(changes)) return NOTHING_TAKEN;
  await refuseMixed(worktree, changes);
  noteAll(describeClones(worktree, changes.added));
  const all = await writeTree(worktree, worktree.index, changes, paths.draft);
  const { prefix } = sessionGit.repository;
  const pick = (names: readonly RawName[]) => protect?.(task, attempt, projectNames(names, prefix)) ?? { reverted: [], held: [] };
  const { tree: written, held } = await splitProtected(sessionGit, base, all, pick);
  if (held.length > 0) noteAll([await holdChange(sessionGit, task, base, held)]);
  if (written !== all) await git(gitTargetOf(worktree, paths.draft), ['read-tree', written]);
  const work = {
    task,
    attempt,
    gitTarget: gitTargetOf(worktree, paths.draft),
    prefix,
    base,
    tree: written,
    folder: workdirOf(sessionGit, worktree.root),
  };
  const tree = inspect === undefined ? written : await inspectTree(inspect, work);
  const steps = await diffTrees(sessionGit, base, tree);
  const files = steps.map(({ name }) => name);
  if (files.length === 0) return { work: null, reverted: await keepReverted(sessionGit, paths.name, { head: base, tree: written }) };
  noteAll(await keepModules(sessionGit, worktree, steps));
  const ref = taskRef(sessionGit, task, attempt);
  const finish = async (commit: string): Promise<TakenWork> => ({
    work: { commit, tree, base, files },
    reverted: await keepReverted(sessionGit, paths.name, { head: commit, tree: written }),
  });
  const earlier = await readRef(sessionGit, ref);
  // Did a killed run take this same work before?
  if (earlier !== null && (await readTree(sessionGit, earlier)) === tree && (await readRef(sessionGit, `${earlier}^`)) === base)
    return finish(earlier);
  const message = `${commitTitle(title, task)}\n\nUmpire-Session: ${sessionGit.place.session}\nUmpire-Task: ${commitTitle(task, 'unnamed')}, attempt ${attempt}`;
  const commit = await commitTree(sessionGit, tree, [base], message);
  await changeRefs(sessionGit, [{ ref, to: commit }]);
  return finish(commit);
}

const MOST_PATCH_CHARS = 8000;
const MOST_REVERTED_FILES = 50;

/** Its ref begins with the name of the attempt's and is no work of its own, so `umpire clean` removes it with the others. */
async function keepReverted(
  sessionGit: SessionGit,
  name: string,
  { head, tree }: { readonly head: string; readonly tree: string },
): Promise<RevertedChange | null> {
  const names = (await diffTrees(sessionGit, head, tree)).map((step) => step.name);
  if (names.length === 0) return null;
  const commit = await commitTree(sessionGit, tree, [head], `A change that the guard reverted`);
  await changeRefs(sessionGit, [{ ref: `${refsOf(sessionGit).all}/${name}-reverted`, to: commit }]);
  const patch = (await diffCommits(sessionGit, head, commit, true)).toString('utf8');
  const files = projectNames(names, sessionGit.repository.prefix);
  return { commit, files: files.slice(0, MOST_REVERTED_FILES), patch: patch.slice(0, MOST_PATCH_CHARS) };
}

function describePackages(files: readonly string[]): string {
  return `or a program beside it changed installed packages in your checkout: ${listFew(files)}. Checks now use packages installed anew. Install yours again`;
}

/** `tree`: with the base's content of the protected files. `held`: the changes that a person is to see. */
async function splitProtected(
  sessionGit: SessionGit,
  base: string,
  all: string,
  protect: (names: readonly RawName[]) => ReturnType<Protect>,
): Promise<{ readonly tree: string; readonly held: readonly TreeDifference[] }> {
  const changes = await diffTrees(sessionGit, base, all);
  const { reverted, held } = protect(changes.map(({ name }) => name));
  const among = (files: readonly string[]) => (name: RawName) =>
    projectNames([name], sessionGit.repository.prefix).every((path) => files.includes(path));
  const isGone = among([...reverted, ...held]);
  const kept = changes.filter(({ name }) => !isGone(name));
  const isHeld = among(held);
  return {
    tree: kept.length === changes.length ? all : await treeWith(sessionGit, base, kept),
    held: changes.filter(({ name }) => isHeld(name)),
  };
}

/** As a commit of its own on the base, under a ref that `umpire clean` does not drop unasked. */
async function holdChange(sessionGit: SessionGit, task: string, base: string, held: readonly TreeDifference[]): Promise<string> {
  const { prefix, kind } = sessionGit.repository;
  const title = `${commitTitle(task, 'A task')}: a change for a person to decide on`;
  const commit = await commitTree(sessionGit, await treeWith(sessionGit, base, held), [base], title);
  await changeRefs(sessionGit, [{ ref: asideRef(sessionGit, commit), to: commit }]);
  const files = listFew(
    projectNames(
      held.map(({ name }) => name),
      prefix,
    ),
  );
  const show = showCommand(sessionGit, commit);
  const take = kind === 'git' ? `; take it: ${show.replace('show', 'cherry-pick')}` : '';
  return `changed ${files}, and the goal does not name it. Umpire holds the change for you, since it steers agents or editors. See it: ${show}${take}`;
}

const NO_ROOM = "a file or a link has replaced the project's folder";

/** Call this after taking the work. Files that cannot be removed, such as another user's, stay until `umpire clean` reports them. */
export async function returnWorktree(sessionGit: SessionGit, task: string, attempt: number): Promise<void> {
  await tryRemoveTask(sessionGit, attemptPaths(sessionGit, task, attempt));
  rmSync(seatFile(sessionGit, attemptName({ task, attempt })), { force: true });
}

async function tryRemoveTask(sessionGit: SessionGit, paths: Paths): Promise<void> {
  try {
    await removeTask(sessionGit, paths);
  } catch {
    // It blocks nothing: another attempt has another name.
  }
}

async function removeTask(sessionGit: SessionGit, { name, lease, watch, draft }: Paths): Promise<void> {
  for (const file of [lease, watch, draft, `${draft}.lock`]) rmSync(file, { force: true });
  await removeWorktree(sessionGit, name);
}

/** Removes what a crash left of worktrees that were not ready or half removed. Ready ones stay for their task. */
export async function removeHalfMade(sessionGit: SessionGit): Promise<void> {
  const names = readdirSync(sessionGit.folder);
  // `task-T1-1.index.lock` belongs to `task-T1-1`.
  const stems = new Set(names.map((name) => name.replace(/(?:\.(?:index|watch|draft|state|new|lock))+$/, '')));
  for (const name of stems) {
    const isPassing = name.startsWith('merge-') || name.startsWith(CHECK_PREFIX);
    const isHalf = name.startsWith('task-') && !names.includes(`${name}.state`);
    if (isPassing || isHalf) await tryRemoveTask(sessionGit, pathsByName(sessionGit, name));
  }
}

// The worktree of one check: a fresh checkout of exactly the judged commit, prepared like any worktree and removed afterwards. Nothing that a
// task or a process left in another worktree takes part in the check.

export interface CheckTraces {
  /** Tracked files that no longer had the content of the commit, relative to the project. */
  readonly changed: readonly string[];
  readonly hasMoved: boolean;
}

export interface CheckWorktree {
  readonly commit: string;
  /** What is known of the packages that worktrees share with the person's checkout. */
  readonly packages: { readonly project: string; readonly sinceMs: number; readonly changed: number };
  /**
   * Whether the shared packages were changed since it was made: what was measured with them counts for nothing. Throws where a check changed
   * packages that were installed for it alone.
   */
  readonly hasOtherPackages: (how: 'look' | 'as known') => Promise<boolean>;
  readonly workdir: string;
  /** What was done since the last call. Restores the tracked files; ignored and untracked files stay. */
  readonly restore: () => Promise<CheckTraces>;
  readonly remove: () => Promise<void>;
}

export const CHECK_PREFIX = 'check-';

export async function makeCheckWorktree(context: WorkspaceContext, commit: string): Promise<CheckWorktree> {
  const { sessionGit, sharedFiles, packages, say } = context;
  const known = packages.changed.size;
  // A process that a task left behind must not find the folder by its name.
  const name = `${CHECK_PREFIX}${randomBytes(8).toString('hex')}`;
  const worktree = await makeWorktree(sessionGit, name, commit);
  const watch = join(sessionGit.folder, `${name}.watch`);
  const removeCheck = async () => {
    for (const file of [watch, stateFileOf(sessionGit.folder, name)]) rmSync(file, { force: true });
    // Files that cannot be removed, such as another user's, stay until the session is opened again or cleaned.
    await removeWorktree(sessionGit, name).catch(() => undefined);
  };
  try {
    await makeOwnRepository(context.template, worktree, commit, refsOf(sessionGit).branch);
    const { products, installed } = await prepareWorktree(context, worktree, watch, commit);
    const index = products.length > 0 ? watch : worktree.index;
    const restore = async () => {
      const { tracked } = await listChanges(worktree, index, sharedFiles);
      await checkOut(worktree, index, tracked);
      addSharedFiles(context, worktree, installed);
      return { changed: projectNames(tracked, sessionGit.repository.prefix), hasMoved: readOwnTips(worktree).head !== commit };
    };
    const own = installed.length === 0 ? null : watchPackages(worktree.root, installed, stateFileOf(sessionGit.folder, name));
    const hasOtherPackages = async (how: 'look' | 'as known') => {
      const rewritten = own?.look() ?? [];
      if (rewritten.length > 0) throw refusePackages(packages, installed, `a check of this commit changes ${listFew(rewritten)}`);
      const found = how === 'look' ? await packages.look() : [];
      if (found.length > 0)
        say?.(
          `Installed packages in your checkout changed while a check ran: ${listFew(found)}. It runs again with packages installed anew.`,
        );
      return packages.changed.size !== known;
    };
    return {
      commit,
      packages: { project: sessionGit.place.project, sinceMs: packages.sinceMs, changed: known },
      workdir: workdirOf(sessionGit, worktree.root),
      restore,
      remove: removeCheck,
      hasOtherPackages,
    };
  } catch (error) {
    await removeCheck();
    throw error;
  }
}
