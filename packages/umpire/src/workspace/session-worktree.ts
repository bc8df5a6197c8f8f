// The session's own worktree, where reading tasks run and a person edits: found or made, moved from commit to commit, swept, and
// a person's edit taken. It never loses an edit: what it must overwrite is kept as a commit first.

import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lstatOf } from '../sessions/entry.js';
import { joinAgain, setApart } from './agent-repository.js';
import { checkOut, hasChanges, listChanges, removeFrom, undoChanges, writeTree } from './changes.js';
import type { Changes } from './changes.js';
import { commitTree, differences, isAncestor, titleOf, treeOf } from './commits.js';
import type { Difference } from './commits.js';
import { furnish, provide, workdirOf } from './prepare-worktree.js';
import type { Bay } from './prepare-worktree.js';
import { copyIndex, git, tryGit } from './git.js';
import type { RawName } from './git.js';
import { SHORT_ID } from './names.js';
import { changeRefs, readRef, refsOf } from './refs.js';
import type { RefChange } from './refs.js';
import { removeSmall } from './removal.js';
import { breakLocks, readSessionNote, removeSessionNote, writeSessionNote } from './session-note.js';
import type { SessionNote } from './session-note.js';
import type { Site } from './site.js';
import { refuseMixed } from './submodules.js';
import { dropLink, findAdmin, makeWorktree, seatOf, worktreeOf, writeAdmin } from './worktree.js';
import type { Worktree } from './worktree.js';

const NAME = 'session';

export function sessionPath(bay: Pick<Bay, 'site'>): string {
  return workdirOf(bay.site, worktreeOf(bay.site, NAME).root);
}

function current({ site }: Bay): { readonly worktree: Worktree; readonly note: SessionNote } {
  const read = readSessionNote(site);
  if (read.kind !== 'note') throw new Error('the session worktree was not opened');
  const { note } = read;
  const worktree = worktreeOf(site, NAME, note.admin);
  dropLink(worktree.root);
  return { note, worktree };
}

/** Answers with the files in it that are not as `head` has them: a person's edits, or what a run that died left. */
export async function openWorktree(bay: Bay, head: string): Promise<readonly RawName[]> {
  const { site } = bay;
  const read = readSessionNote(site);
  const planned = worktreeOf(site, NAME, read.kind === 'note' ? read.note.admin : undefined);
  await breakLocks(site, planned);
  dropLink(planned.root);
  const isThere = existsSync(planned.root);
  if (read.kind === 'note' && isThere) await repair(bay, planned, read.note, head);
  else {
    if (read.kind === 'damaged' && isThere) leave(planned);
    await make(bay, head);
  }
  const { worktree } = current(bay);
  await joinAgain(worktree);
  provide(bay, worktree);
  const changes = await listChanges(worktree, worktree.index, bay.provisions);
  await setAside(bay, worktree, head, changes);
  const tip = (await readRef(site, refsOf(site).branch)) ?? head;
  const committed = tip === head ? [] : (await differences(site, head, tip)).map(({ name }) => name);
  return [...new Set([...committed, ...changes.tracked, ...changes.added])];
}

async function make(bay: Bay, head: string): Promise<void> {
  const { site } = bay;
  removeSessionNote(site);
  const worktree = await makeWorktree(site, NAME, refsOf(site).branch);
  const watch = `${worktree.index}.new`;
  const products = await furnish(bay, worktree, watch);
  if (products.length > 0) renameSync(watch, worktree.index);
  const at = (await readRef(site, refsOf(site).branch)) ?? head;
  writeSessionNote(site, { at, to: null, admin: worktree.admin, products });
  if (at !== head) await rest(bay, head);
}

/** After a crash, or after somebody took git's folder about the worktree away. Files of the worktree stay as they are, if they may. */
async function repair(bay: Bay, planned: Worktree, note: SessionNote, head: string): Promise<void> {
  const { site } = bay;
  if (!existsSync(join(planned.admin, 'HEAD'))) {
    if (!(await isCommit(site, note.at))) {
      leave(planned);
      return make(bay, head);
    }
    const admin = findAdmin(site, planned.root);
    if (admin === null && !site.repository.isPlain) {
      leave(planned);
      return make(bay, head);
    }
    if (admin === null) writeAdmin(site, planned, refsOf(site).branch);
    else return repair(bay, { ...planned, admin }, { ...note, admin }, head);
  }
  if (!existsSync(planned.index)) await git(seatOf(planned, planned.index), ['read-tree', note.at]);
  writeSessionNote(site, note);
  if (note.to !== null) {
    await setAside(bay, planned, head, await listChanges(planned, planned.index, bay.provisions));
    const from = note.to === head ? note.at : note.to;
    await show(bay, planned, await differences(site, from, head), head);
    writeSessionNote(site, { ...note, at: head, to: null });
  } else await rest(bay, head);
  // Where nothing had moved, it is the person's, with what they have staged.
  if (note.to !== null || note.at !== head || !existsSync(join(planned.admin, 'index'))) await showIndex(bay, planned, head);
}

async function isCommit({ seat }: Site, id: string): Promise<boolean> {
  return (await tryGit(seat, ['cat-file', '-e', `${id}^{commit}`])).code === 0;
}

/**
 * What its files are changes of, nobody can tell: its note is damaged, or the repository that it belonged to is gone and another is in its
 * place. They are kept beside, as files only: git there would reach what is made in its place.
 */
function leave({ root }: Worktree): void {
  let number = 1;
  while (existsSync(`${root}${LEFT}${number}`)) number += 1;
  renameSync(root, `${root}${LEFT}${number}`);
  const link = `${root}${LEFT}${number}/.git`;
  if (lstatOf(link)?.isFile() === true) rmSync(link);
}

const LEFT = '.before-';

/** The folders where files were kept that it could not take over. */
export function leftFolders({ folder }: Site): readonly string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.startsWith(`${NAME}${LEFT}`)).map((name) => join(folder, name));
}

/** The index tells of `head`; the files are as they are. */
async function rest(bay: Bay, head: string): Promise<void> {
  const { worktree, note } = current(bay);
  if (note.at === head) return;
  await enter(worktree, await differences(bay.site, note.at, head), head);
  writeSessionNote(bay.site, { ...note, at: head });
}

/** Moves branch, files and index from one commit to another. A crash on the way is put right by `openWorktree`. */
export async function moveTo(bay: Bay, from: string, to: string, steps: readonly Difference[]): Promise<void> {
  const { site } = bay;
  const { branch, head } = refsOf(site);
  const { worktree, note } = current(bay);
  const touched = new Set(steps.map(({ name }) => name));
  const changes = await listChanges(worktree, worktree.index, bay.provisions);
  if ([...changes.tracked, ...changes.added].some((name) => touched.has(name))) await setAside(bay, worktree, from, changes);
  writeSessionNote(site, { ...note, at: from, to });
  await show(bay, worktree, steps, to);
  const tip = await readRef(site, branch);
  await changeRefs(site, [{ ref: head, to, from }, { ref: branch, to }, ...asideOf(site, tip === from ? null : tip)]);
  await showIndex(bay, worktree, to);
  writeSessionNote(site, { ...note, at: to, to: null });
}

/** Index and files take the steps to a commit, whatever lies in their way. */
async function show(bay: Bay, worktree: Worktree, steps: readonly Difference[], head: string): Promise<void> {
  if (steps.length === 0) return;
  await enter(worktree, steps, head);
  for (const { name, to } of steps) if (to === null) removeFrom(worktree.root, name);
  const written = steps.filter(({ to }) => to !== null).map(({ name }) => name);
  await checkOut(worktree, worktree.index, written);
  provide(bay, worktree);
}

/** What is removed goes first: a file may become a folder. `like`: any id, for its length. */
async function enter(worktree: Worktree, steps: readonly Difference[], like: string): Promise<void> {
  const gone = steps.filter(({ to }) => to === null).map(({ name }) => `0 ${'0'.repeat(like.length)}\t${name}\0`);
  const there = steps.flatMap(({ name, to }) => (to === null ? [] : [`${to.mode} ${to.id}\t${name}\0`]));
  const input = Buffer.from([...gone, ...there].join(''), 'latin1');
  await git(seatOf(worktree, worktree.index), ['update-index', '-z', '--index-info'], { input });
}

/** The index that people and agents see there. What set-up made is not in it. */
async function showIndex(bay: Bay, worktree: Worktree, head: string): Promise<void> {
  const shown = join(worktree.admin, 'index');
  rmSync(`${shown}.lock`, { force: true });
  copyIndex(worktree.index, shown);
  if (current(bay).note.products.length > 0) await git(seatOf(worktree, shown), ['read-tree', '-m', head]);
}

/** Keeps changes as a commit that nobody sees, before anything may overwrite them. */
async function setAside({ site }: Bay, worktree: Worktree, head: string, changes: Changes): Promise<void> {
  if (!hasChanges(changes)) return;
  const tree = await writeTree(worktree, worktree.index, changes, `${worktree.index}.draft`);
  const ref = asideRef(site, tree);
  if ((await readRef(site, ref)) === null)
    await changeRefs(site, [{ ref, to: await commitTree(site, tree, [head], 'Changes found in the session worktree') }]);
}

function asideRef(site: Site, id: string): string {
  return `${refsOf(site).all}/aside-${id.slice(0, SHORT_ID)}`;
}

/** A commit that the branch is about to lose. */
function asideOf(site: Site, tip: string | null): readonly RefChange[] {
  return tip === null ? [] : [{ ref: asideRef(site, tip), to: tip }];
}

/** For tasks that read. Until it is swept, git commands in it do not reach the person's repository. */
export async function hideRepository(bay: Bay, head: string): Promise<void> {
  const { worktree } = current(bay);
  await removeSmall(worktree.apart);
  setApart(bay.model, worktree, head, refsOf(bay.site).branch);
}

/** Readers judge what was handed in, and nothing that somebody put beside it: that is kept as a commit that nobody sees, and undone. */
export async function removeStrays(bay: Bay, head: string): Promise<readonly RawName[]> {
  const { worktree } = current(bay);
  const changes = await listChanges(worktree, worktree.index, bay.provisions);
  if (!hasChanges(changes)) return [];
  await setAside(bay, worktree, head, changes);
  await undoChanges(worktree, worktree.index, changes);
  return [...changes.tracked, ...changes.added];
}

/** What a half-done rebase, merge or pick leaves; a reading task has no business with any of it. */
const HALF_DONE = [
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'AUTO_MERGE',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'BISECT_LOG',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
];

/** Throws away what is not as `head` has it, commits included. */
export async function sweepWorktree(bay: Bay, head: string): Promise<readonly RawName[]> {
  const { site, provisions } = bay;
  const { branch } = refsOf(site);
  const { worktree } = current(bay);
  const tip = await readRef(site, branch);
  const moved = tip === null || tip === head ? [] : (await differences(site, head, tip)).map(({ name }) => name);
  if (tip !== head) await changeRefs(site, [{ ref: branch, to: head }, ...asideOf(site, tip)]);
  const changes = await listChanges(worktree, worktree.index, provisions);
  await undoChanges(worktree, worktree.index, changes);
  await joinAgain(worktree);
  await pointHead(bay, worktree);
  for (const name of HALF_DONE) rmSync(join(worktree.admin, name), { recursive: true, force: true });
  await showIndex(bay, worktree, head);
  provide(bay, worktree);
  return [...new Set([...moved, ...changes.tracked, ...changes.added])];
}

async function pointHead({ site }: Bay, worktree: Worktree): Promise<void> {
  const { branch } = refsOf(site);
  if (!site.repository.isPlain) {
    await git(seatOf(worktree), ['symbolic-ref', 'HEAD', branch]);
    return;
  }
  const file = join(worktree.admin, 'HEAD');
  const wanted = `ref: ${branch}\n`;
  if (!existsSync(file) || readFileSync(file, 'utf8') !== wanted) writeFileSync(file, wanted);
}

/** Takes what a person changed or committed in the worktree. Null where that comes to nothing. */
export async function takeEditIn(
  bay: Bay,
  head: string,
  message: string,
): Promise<{ readonly commit: string; readonly files: readonly RawName[] } | null> {
  const { site, provisions } = bay;
  const { worktree, note } = current(bay);
  const parent = await ownCommits(bay, worktree, head);
  const shown = join(worktree.admin, 'index');
  const later = await listChanges(worktree, worktree.index, provisions);
  const since = new Set([...later.tracked, ...later.added]);
  const products = new Set(note.products.filter((name) => !since.has(name)));
  const start = existsSync(shown) ? shown : worktree.index;
  const found = await listChanges(worktree, start, provisions);
  await refuseMixed(worktree, found);
  const own = (names: readonly RawName[]): readonly RawName[] => names.filter((name) => !products.has(name));
  const kept = { ...found, tracked: own(found.tracked), added: own(found.added) };
  const tree = await writeTree(worktree, start, kept, `${worktree.index}.draft`);
  const commit =
    tree === (await treeOf(site, parent)) ? parent : await commitTree(site, tree, [parent], titleOf(message, "A person's edit"));
  const steps = await differences(site, head, commit);
  const { branch, head: headRef } = refsOf(site);
  if (steps.length === 0) return null;
  await changeRefs(site, [
    { ref: headRef, to: commit, from: head },
    { ref: branch, to: commit },
  ]);
  await pointHead(bay, worktree);
  await rest(bay, commit);
  await showIndex(bay, worktree, commit);
  return { commit, files: steps.map(({ name }) => name) };
}

/** Where the person's own commits end; the head, where there are none that build on it. */
async function ownCommits({ site }: Bay, worktree: Worktree, head: string): Promise<string> {
  const { code, stdout } = await tryGit(seatOf(worktree), ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}']);
  const tip = stdout.toString('utf8').trim();
  return code === 0 && tip !== head && (await isAncestor(site, head, tip)) ? tip : head;
}
