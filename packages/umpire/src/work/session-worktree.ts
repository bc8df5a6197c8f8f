// The session's own worktree, where reading tasks run and a person edits. Opens, moves and cleans it, and takes a person's edit. An edit is
// never lost: what must be overwritten becomes a commit first. A note beside it records its commit, and the target of a move that a crash
// interrupted.

import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, basename, dirname } from 'node:path';
import { statOf, lstatOf } from '../sessions/file-system.js';
import { borrowObjects, copyObjects, hasOwnRepository, makeOwnRepository, readOwnTips, restoreSettings } from './worktree-repository.js';
import { checkOut, hasChanges, listChanges, removeFrom, undoChanges, writeTree } from './worktree-changes.js';
import type { Changes } from './worktree-changes.js';
import { commitTree, diffTrees, isAncestor, commitTitle, readTree } from './commits.js';
import type { TreeDifference } from './commits.js';
import { prepareWorktree, addSharedFiles, workdirOf } from './prepare-worktree.js';
import type { WorkspaceContext } from './prepare-worktree.js';
import { listLines, git, tryGit } from './git.js';
import type { RawName } from './git.js';
import type { SessionGit, RefChange } from './session-git.js';
import { refuseMixed } from './submodules.js';
import { dropLink, makeWorktree, gitTargetOf, worktreeOf, removeFolder } from './worktree.js';
import type { Worktree } from './worktree.js';
import { flag, listOf, object, orNull, text } from '@umpire/core/model/schema.js';
import type { Infer } from '@umpire/core/model/schema.js';
import { readState, stateFileOf, writeStateFile } from './state-file.js';
import type { StateRead } from './state-file.js';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { faultOf, makeFolders } from '../sessions/session-folder.js';
import { readSharedPaths } from './shared-files.js';
import { asideRef, findFormerFolder, writeWorkspaceNote, changeRefs, readRef, refsOf } from './session-git.js';

const NAME = 'session';

export function sessionPath(context: Pick<WorkspaceContext, 'sessionGit'>): string {
  return workdirOf(context.sessionGit, worktreeOf(context.sessionGit, NAME).root);
}

function readCurrent({ sessionGit }: WorkspaceContext): { readonly worktree: Worktree; readonly note: SessionNote } {
  const read = readSessionNote(sessionGit);
  if (read.kind !== 'note') throw new Error('the session worktree was not opened');
  const worktree = worktreeOf(sessionGit, NAME);
  dropLink(worktree.root);
  return { note: read.note, worktree };
}

/** Returns the files that differ from `head`: a person's edits, or the remains of a killed run. */
export async function openSessionWorktree(context: WorkspaceContext, head: string): Promise<readonly RawName[]> {
  const { sessionGit } = context;
  const read = readSessionNote(sessionGit);
  const planned = worktreeOf(sessionGit, NAME);
  await breakLocks(sessionGit, planned);
  dropLink(planned.root);
  const isThere = existsSync(planned.root);
  if (read.kind === 'note' && isThere) await repairWorktree(context, planned, read.note, head);
  else {
    if (read.kind === 'damaged' && isThere) await keepFilesBeside(planned);
    await makeSessionWorktree(context, head);
  }
  const { worktree } = readCurrent(context);
  addSharedFiles(context, worktree);
  const changes = await listChanges(worktree, worktree.index, context.sharedFiles);
  await setAside(context, worktree, head, changes);
  const tip = (await readRef(sessionGit, refsOf(sessionGit).branch)) ?? head;
  const committed = tip === head ? [] : (await diffTrees(sessionGit, head, tip)).map(({ name }) => name);
  return [...new Set([...committed, ...changes.tracked, ...changes.added])];
}

async function makeSessionWorktree(context: WorkspaceContext, head: string): Promise<void> {
  const { sessionGit } = context;
  removeSessionNote(sessionGit);
  const { branch } = refsOf(sessionGit);
  const at = (await readRef(sessionGit, branch)) ?? head;
  const worktree = await makeWorktree(sessionGit, NAME, at);
  await makeOwnRepository(context.template, worktree, at, branch);
  const watch = `${worktree.index}.new`;
  const { products } = await prepareWorktree(context, worktree, watch);
  if (products.length > 0) renameSync(watch, worktree.index);
  writeSessionNote(sessionGit, { at, to: null, products });
  if (at !== head) await moveIndex(context, head);
}

/** After a crash, or after the project was moved. Keeps the worktree's files where possible. */
async function repairWorktree(context: WorkspaceContext, planned: Worktree, note: SessionNote, head: string): Promise<void> {
  const { sessionGit } = context;
  if ((await tryGit(sessionGit.gitTarget, ['cat-file', '-e', `${note.at}^{commit}`])).code !== 0) {
    await keepFilesBeside(planned);
    return makeSessionWorktree(context, head);
  }
  if (!existsSync(planned.index)) await git(gitTargetOf(planned), ['read-tree', note.at]);
  if (note.isVisited !== true) {
    await takeCommits(context, planned, head);
    // Leads to the objects where the project is now.
    restoreSettings(context.template, planned);
  }
  if (note.to !== null) {
    await setAside(context, planned, head, await listChanges(planned, planned.index, context.sharedFiles));
    const from = note.to === head ? note.at : note.to;
    await showCommit(context, planned, await diffTrees(sessionGit, from, head), head);
    writeSessionNote(sessionGit, { ...note, at: head, to: null });
  } else await moveIndex(context, head);
  // If nothing moved, the repository is the person's, with their staged changes.
  if (note.to !== null || note.at !== head || note.isVisited === true || !hasOwnRepository(planned))
    await showRepository(context, planned, head);
  if (note.isVisited === true) writeSessionNote(sessionGit, { ...note, at: head, to: null, isVisited: false });
}

/**
 * Its note is damaged or its repository was replaced, so nobody can tell what its files are changes of. Keeps them in a folder beside it,
 * without .git.
 */
async function keepFilesBeside({ root }: Worktree): Promise<void> {
  let number = 1;
  while (existsSync(`${root}${KEPT_SUFFIX}${number}`)) number += 1;
  renameSync(root, `${root}${KEPT_SUFFIX}${number}`);
  await removeFolder(`${root}${KEPT_SUFFIX}${number}/.git`);
}

const KEPT_SUFFIX = '.before-';

export function leftFolders({ folder }: SessionGit): readonly string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.startsWith(`${NAME}${KEPT_SUFFIX}`)).map((name) => join(folder, name));
}

/**
 * The head moved on another machine: the next `openWorktree` moves the files, as after an interrupted move. If it was interrupted before, it
 * makes them anew.
 */
export function planMove(sessionGit: Pick<SessionGit, 'folder'>, to: string): void {
  const read = readSessionNote(sessionGit);
  if (read.kind !== 'note' || (read.note.to ?? read.note.at) === to) return;
  if (read.note.to === null) writeSessionNote(sessionGit, { ...read.note, to });
  else removeSessionNote(sessionGit);
}

async function moveIndex(context: WorkspaceContext, head: string): Promise<void> {
  const { worktree, note } = readCurrent(context);
  if (note.at === head) return;
  await writeIndexEntries(worktree, await diffTrees(context.sessionGit, note.at, head), head);
  writeSessionNote(context.sessionGit, { ...note, at: head });
}

/** Moves branch, files and index from one commit to another. `openWorktree` repairs an interrupted move. */
export async function moveWorktree(context: WorkspaceContext, from: string, to: string, steps: readonly TreeDifference[]): Promise<void> {
  const { sessionGit } = context;
  const { branch, head } = refsOf(sessionGit);
  const { worktree, note } = readCurrent(context);
  if (note.isVisited !== true) await takeCommits(context, worktree, from);
  const touched = new Set(steps.map(({ name }) => name));
  const changes = await listChanges(worktree, worktree.index, context.sharedFiles);
  if ([...changes.tracked, ...changes.added].some((name) => touched.has(name))) await setAside(context, worktree, from, changes);
  writeSessionNote(sessionGit, { ...note, at: from, to });
  await showCommit(context, worktree, steps, to);
  const tip = await readRef(sessionGit, branch);
  await changeRefs(sessionGit, [{ ref: head, to, from }, { ref: branch, to }, ...asideChange(sessionGit, tip === from ? null : tip)]);
  await showRepository(context, worktree, to);
  writeSessionNote(sessionGit, { ...note, at: to, to: null });
}

/** Moves index and files to a commit, overwriting what is in their way. */
async function showCommit(context: WorkspaceContext, worktree: Worktree, steps: readonly TreeDifference[], head: string): Promise<void> {
  if (steps.length === 0) return;
  await writeIndexEntries(worktree, steps, head);
  for (const { name, to } of steps) if (to === null) removeFrom(worktree.root, name);
  const written = steps.filter(({ to }) => to !== null).map(({ name }) => name);
  await checkOut(worktree, worktree.index, written);
  addSharedFiles(context, worktree);
}

/** Removals first: a file may become a folder. `like`: any id, for its length. */
async function writeIndexEntries(worktree: Worktree, steps: readonly TreeDifference[], like: string): Promise<void> {
  const gone = steps.filter(({ to }) => to === null).map(({ name }) => `0 ${'0'.repeat(like.length)}\t${name}\0`);
  const there = steps.flatMap(({ name, to }) => (to === null ? [] : [`${to.mode} ${to.id}\t${name}\0`]));
  const input = Buffer.from([...gone, ...there].join(''), 'latin1');
  await git(gitTargetOf(worktree, worktree.index), ['update-index', '-z', '--index-info'], { input });
}

/** A new repository at `head`. Its index has no changes of the set-up command. */
async function showRepository({ sessionGit, template }: WorkspaceContext, worktree: Worktree, head: string): Promise<void> {
  await makeOwnRepository(template, worktree, head, refsOf(sessionGit).branch);
  const read = readSessionNote(sessionGit);
  if (read.kind === 'note' && read.note.products.length > 0)
    await git(gitTargetOf(worktree, join(worktree.ownGitDir, 'index')), ['read-tree', '-m', head]);
}

/**
 * Copies the person's commits from the worktree's repository. HEAD becomes the session's branch if it builds on `head`; other branches and
 * stashes are set aside.
 */
async function takeCommits({ sessionGit, template }: WorkspaceContext, worktree: Worktree, head: string): Promise<void> {
  const { branch } = refsOf(sessionGit);
  const { head: tip, others } = readOwnTips(worktree);
  const known = readFileSync(template.refs, 'latin1');
  const found = [...new Set([...(tip === null ? [] : [tip]), ...others])].filter((id) => id !== head && !known.includes(id));
  if (found.length === 0) return;
  const input = `${found.join('\n')}\n`;
  const readable = { ...sessionGit.gitTarget, ...borrowObjects(worktree) };
  const [here, there] = await Promise.all(
    [sessionGit.gitTarget, readable].map(async (target) => {
      const lines = await listLines(target, ['cat-file', '--batch-check'], { input });
      return new Set(lines.flatMap((line) => (/ commit \d+$/.test(line) ? [line.split(' ')[0] ?? ''] : [])));
    }),
  );
  const missing = found.filter((id) => here?.has(id) !== true && there?.has(id) === true);
  if (missing.length > 0) await copyObjects(sessionGit, worktree, missing, head);
  const earlier = await readRef(sessionGit, branch);
  const isNext = tip !== null && tip !== earlier && found.includes(tip) && (await isAncestor(sessionGit, head, tip));
  await changeRefs(sessionGit, [
    ...missing.filter((id) => !(isNext && id === tip)).flatMap((id) => asideChange(sessionGit, id)),
    ...(isNext ? [{ ref: branch, to: tip }, ...asideChange(sessionGit, earlier === head ? null : earlier)] : []),
  ]);
}

/** Stores changes as a hidden commit before they may be overwritten. */
async function setAside({ sessionGit }: WorkspaceContext, worktree: Worktree, head: string, changes: Changes): Promise<void> {
  if (!hasChanges(changes)) return;
  const tree = await writeTree(worktree, worktree.index, changes, `${worktree.index}.draft`);
  const ref = asideRef(sessionGit, tree);
  if ((await readRef(sessionGit, ref)) === null)
    await changeRefs(sessionGit, [{ ref, to: await commitTree(sessionGit, tree, [head], 'Changes found in the session worktree') }]);
}

/** A commit that the branch is about to lose. */
function asideChange(sessionGit: SessionGit, tip: string | null): readonly RefChange[] {
  return tip === null ? [] : [{ ref: asideRef(sessionGit, tip), to: tip }];
}

/** For reading tasks: a repository that is discarded when the worktree is swept. */
export async function hideRepository(context: WorkspaceContext, head: string): Promise<void> {
  const { worktree, note } = readCurrent(context);
  if (note.isVisited !== true) await takeCommits(context, worktree, head);
  writeSessionNote(context.sessionGit, { ...note, isVisited: true });
  await showRepository(context, worktree, head);
}

/** What one reading task did to the repository's settings must not matter to the next, which may be Umpire's own critic. */
export async function restoreRepository(context: WorkspaceContext, head: string): Promise<void> {
  const { worktree } = readCurrent(context);
  if (!restoreSettings(context.template, worktree)) await showRepository(context, worktree, head);
}

/** Critics must judge only submitted work: other changes become a hidden commit and are undone. */
export async function removeStrays(context: WorkspaceContext, head: string): Promise<readonly RawName[]> {
  const { worktree } = readCurrent(context);
  const changes = await listChanges(worktree, worktree.index, context.sharedFiles);
  if (!hasChanges(changes)) return [];
  await setAside(context, worktree, head, changes);
  await undoChanges(worktree, worktree.index, changes);
  return [...changes.tracked, ...changes.added];
}

/** Discards everything that differs from `head`, including commits. */
export async function sweepWorktree(context: WorkspaceContext, head: string): Promise<readonly RawName[]> {
  const { sessionGit, sharedFiles } = context;
  const { branch } = refsOf(sessionGit);
  const { worktree, note } = readCurrent(context);
  if (note.isVisited !== true) await takeCommits(context, worktree, head);
  const tip = await readRef(sessionGit, branch);
  const moved = tip === null || tip === head ? [] : (await diffTrees(sessionGit, head, tip)).map(({ name }) => name);
  if (tip !== head) await changeRefs(sessionGit, [{ ref: branch, to: head }, ...asideChange(sessionGit, tip)]);
  const changes = await listChanges(worktree, worktree.index, sharedFiles);
  await undoChanges(worktree, worktree.index, changes);
  await showRepository(context, worktree, head);
  writeSessionNote(sessionGit, { ...note, isVisited: false });
  addSharedFiles(context, worktree);
  return [...new Set([...moved, ...changes.tracked, ...changes.added])];
}

/** Takes what a person changed or committed in the worktree. Null for no change. */
export async function takeEditIn(
  context: WorkspaceContext,
  head: string,
  message: string,
): Promise<{ readonly commit: string; readonly files: readonly RawName[] } | null> {
  const { sessionGit, sharedFiles } = context;
  const { worktree, note } = readCurrent(context);
  if (note.isVisited !== true) await takeCommits(context, worktree, head);
  // The last of the person's own commits; the head where none builds on it.
  const { head: tip } = readOwnTips(worktree);
  const parent = tip !== null && tip !== head && (await isAncestor(sessionGit, head, tip)) ? tip : head;
  const shown = join(worktree.ownGitDir, 'index');
  const later = await listChanges(worktree, worktree.index, sharedFiles);
  const since = new Set([...later.tracked, ...later.added]);
  const products = new Set(note.products.filter((name) => !since.has(name)));
  const isShown = hasOwnRepository(worktree) && existsSync(shown);
  const start = isShown ? shown : worktree.index;
  const found = await listChanges(worktree, start, sharedFiles);
  await refuseMixed(worktree, found);
  const withoutProducts = (names: readonly RawName[]): readonly RawName[] => names.filter((name) => !products.has(name));
  const kept = { ...found, tracked: withoutProducts(found.tracked), added: withoutProducts(found.added) };
  // What the person staged is only in the worktree's repository.
  const staged = isShown ? borrowObjects(worktree) : {};
  const tree = await writeTree({ ...worktree, ...staged }, start, kept, `${worktree.index}.draft`);
  if (isShown) await copyObjects(sessionGit, worktree, [tree], head);
  const commit =
    tree === (await readTree(sessionGit, parent))
      ? parent
      : await commitTree(sessionGit, tree, [parent], commitTitle(message, "A person's edit"));
  const steps = await diffTrees(sessionGit, head, commit);
  const { branch, head: headRef } = refsOf(sessionGit);
  if (steps.length === 0) return null;
  await changeRefs(sessionGit, [
    { ref: headRef, to: commit, from: head },
    { ref: branch, to: commit },
  ]);
  await moveIndex(context, commit);
  await showRepository(context, worktree, commit);
  return { commit, files: steps.map(({ name }) => name) };
}

const SESSION_NOTE = object({
  /** The commit of the files and the index. */
  at: text,
  /** The target of a move in progress; null for none. */
  to: orNull(text),
  /** Reading tasks use the worktree: its repository is theirs, and nothing in it is a person's. */
  isVisited: flag.optional(),
  /** Raw names of files that the set-up command made or changed. */
  products: listOf(text),
});
type SessionNote = Infer<typeof SESSION_NOTE>;

export function readSessionNote({ folder }: Pick<SessionGit, 'folder'>): StateRead<SessionNote> {
  return readState(stateFileOf(folder, NAME), SESSION_NOTE);
}

function writeSessionNote({ folder }: Pick<SessionGit, 'folder'>, note: SessionNote): void {
  writeStateFile(stateFileOf(folder, NAME), note);
}

function removeSessionNote({ folder }: Pick<SessionGit, 'folder'>): void {
  rmSync(stateFileOf(folder, NAME), { force: true });
}

/** A git of a killed run may still be working for a moment, so a young lock gets time. */
const YOUNG_MS = 3000;
const PAUSE_MS = 50;

async function breakLocks(sessionGit: SessionGit, { ownGitDir, index }: Worktree): Promise<void> {
  const { branch, head, base } = refsOf(sessionGit);
  const files = [
    index,
    join(ownGitDir, 'index'),
    join(ownGitDir, 'HEAD'),
    ...[branch, head, base].map((ref) => join(sessionGit.repository.gitDir, ref)),
  ];
  for (const file of files) await breakLock(`${file}.lock`);
}

/** Waits while the lock is young, then removes it. */
export async function breakLock(lock: string): Promise<void> {
  for (;;) {
    const stat = statOf(lock);
    if (stat === undefined) return;
    if (Math.abs(Date.now() - stat.mtimeMs) >= YOUNG_MS) break;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  rmSync(lock, { force: true });
}

// After a project was moved: moves the worktrees of its sessions to the new project's folder for worktrees, with a person's edits in them.

/** Can be repeated after a crash: the note with the old path is written last. */
export async function followMovedProject(sessionGit: SessionGit): Promise<void> {
  const former = findFormerFolder(sessionGit);
  if (former === null) return;
  const { folder } = sessionGit;
  try {
    if (former !== folder) {
      makeFolders(dirname(folder));
      renameSync(former, folder);
    }
    // They lead to the old path. New ones are made where they are missing.
    const root = worktreeOf(sessionGit, 'session').root;
    dropLink(root);
    for (const path of readSharedPaths(sessionGit)) {
      const place = join(root, path);
      if (basename(path) === 'node_modules' || lstatOf(place)?.isSymbolicLink() === true) await removeFolder(place);
    }
  } catch (error) {
    if (isUmpireError(error)) throw error;
    throw new UmpireError('write-failed', { path: folder, detail: faultOf(error) });
  }
  writeWorkspaceNote(sessionGit);
}
