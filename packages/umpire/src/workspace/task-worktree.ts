// The worktree of one writing task: lent, its work taken as one commit, given back. Agents may commit, switch branches or break
// git there as they like: what counts is what lies on disk, against the commit that was lent.

import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { flag, object, text } from '@umpire/core/formats/shape.js';
import { setApart } from './agent-repository.js';
import { checkOut, hasChanges, listChanges, removeFrom, writeTree } from './changes.js';
import { commitTree, differences, titleOf, treeOf } from './commits.js';
import { furnish, isRoomFor, provide, workdirOf } from './prepare-worktree.js';
import type { Bay } from './prepare-worktree.js';
import { git } from './git.js';
import type { RawName } from './git.js';
import { inspectTree } from './inspector.js';
import { taskName } from './names.js';
import { uncommittedWords } from './module-changes.js';
import { copyWords } from './nested.js';
import { readNoteFile, writeNoteFile } from './note-file.js';
import { changeRefs, readRef, taskRef } from './refs.js';
import type { Site } from './site.js';
import { keepModules, refuseMixed } from './submodules.js';
import { carryOver } from './three-way.js';
import { dropLink, makeWorktree, removeWorktree, seatOf, worktreeOf } from './worktree.js';
import type { Worktree } from './worktree.js';

/** Written when a worktree is ready, removed before the worktree is. Without it there is nothing to take. */
interface Lease {
  /** The commit that was lent. */
  readonly base: string;
  readonly admin: string;
  /** The set-up command left changes of its own. */
  readonly hasProducts: boolean;
}

const LEASE = object<Lease>({ base: text, admin: text, hasProducts: flag });

export interface Submitted {
  readonly commit: string;
  readonly base: string;
  readonly files: readonly RawName[];
}

interface Paths {
  readonly name: string;
  readonly lease: string;
  readonly watch: string;
  readonly draft: string;
}

function pathsOf(site: Site, task: string, attempt: number): Paths {
  return pathsBy(site, `task-${taskName(task, attempt)}`);
}

function pathsBy(site: Site, name: string): Paths {
  const file = (ending: string): string => join(site.folder, `${name}.${ending}`);
  return { name, lease: file('json'), watch: file('watch'), draft: file('draft') };
}

/** A worktree that is still lent, and the index that its work is told by; null where nothing of it is left to read. */
export function leaseOf(site: Site, name: string): { readonly worktree: Worktree; readonly index: string } | null {
  const { lease, watch } = pathsBy(site, name);
  const read = readNoteFile(lease, LEASE);
  if (read.kind !== 'note') return null;
  const worktree = worktreeOf(site, name, read.note.admin);
  const index = read.note.hasProducts ? watch : worktree.index;
  return [worktree.root, worktree.admin, index].every((path) => existsSync(path)) ? { worktree, index } : null;
}

/** After the project was moved: git's folders about the worktrees that are lent went with it. What lies in one may be all that is left of its task. */
export function followLeases(site: Site): void {
  for (const file of readdirSync(site.folder).filter((name) => /^task-.*\.json$/.test(name))) {
    const { name, lease } = pathsBy(site, file.slice(0, -'.json'.length));
    const read = readNoteFile(lease, LEASE);
    const admin = read.kind === 'note' ? join(site.repository.gitDir, 'worktrees', basename(read.note.admin)) : '';
    if (read.kind !== 'note' || !existsSync(admin)) rmSync(lease);
    else {
      writeFileSync(join(admin, 'gitdir'), `${join(worktreeOf(site, name).root, '.git')}\n`);
      writeNoteFile(lease, { ...read.note, admin });
    }
  }
}

/** `kept`: what an earlier attempt did before it asked. It lies there as changes: in the end the task is one commit. */
export async function lendWorktree(bay: Bay, task: string, attempt: number, head: string, kept: string | null): Promise<string> {
  const { site } = bay;
  const paths = pathsOf(site, task, attempt);
  await forget(site, paths);
  const { base, tree } = kept === null ? { base: head, tree: null } : await startFrom(site, head, kept);
  const worktree = await makeWorktree(site, paths.name, base);
  setApart(bay.model, worktree, base, null);
  const products = await furnish(bay, worktree, paths.watch);
  if (tree !== null) await layIn(bay, worktree, base, tree, paths.draft);
  writeNoteFile(paths.lease, { base, admin: worktree.admin, hasProducts: products.length > 0 });
  return workdirOf(site, worktree.root);
}

/** On top of what was merged meanwhile. Where the two do not fit, where it began: merging tells of the conflict. */
async function startFrom(site: Site, head: string, kept: string): Promise<{ readonly base: string; readonly tree: string | null }> {
  const parent = await readRef(site, `${kept}^`);
  // Somebody removed its ref, and git collected it: begun anew.
  if (parent === null) return { base: head, tree: null };
  if (parent === head) return { base: head, tree: kept };
  const carried = await carryOver(site, parent, kept, head);
  return carried.ok ? { base: head, tree: carried.tree } : { base: parent, tree: kept };
}

/** Puts the files of a tree into the worktree. Its index stays at the base. */
async function layIn(bay: Bay, worktree: Worktree, base: string, tree: string, draft: string): Promise<void> {
  const steps = await differences(bay.site, base, tree);
  await git(seatOf(worktree, draft), ['read-tree', tree]);
  for (const { name, to } of steps) if (to === null) removeFrom(worktree.root, name);
  const written = steps.filter(({ to }) => to !== null).map(({ name }) => name);
  await checkOut(worktree, draft, written);
  provide(bay, worktree);
  rmSync(draft, { force: true });
}

export async function takeWork(
  { site, provisions, inspect, say }: Bay,
  task: string,
  attempt: number,
  title: string,
): Promise<Submitted | null> {
  const paths = pathsOf(site, task, attempt);
  const read = readNoteFile(paths.lease, LEASE);
  if (read.kind !== 'note') throw new UmpireError('worktree-lost', { task, attempt });
  const { base, admin, hasProducts } = read.note;
  const worktree = worktreeOf(site, paths.name, admin);
  dropLink(worktree.root);
  if (!existsSync(worktree.root)) throw new UmpireError('worktree-lost', { task, attempt });
  if (!isRoomFor(site, worktree.root)) throw new UmpireError('read-failed', { path: site.repository.prefix, detail: NO_ROOM });
  const changes = await listChanges(worktree, hasProducts ? paths.watch : worktree.index, provisions, true);
  const tell = (words: readonly string[]): void => words.forEach((word) => say?.(`${titleOf(task, 'A task')} ${word}.`));
  tell(await uncommittedWords(worktree));
  if (!hasChanges(changes)) return null;
  await refuseMixed(worktree, changes);
  tell(copyWords(worktree, changes.added));
  const written = await writeTree(worktree, worktree.index, changes, paths.draft);
  const { prefix } = site.repository;
  const work = { task, attempt, seat: seatOf(worktree, paths.draft), prefix, base, tree: written, folder: workdirOf(site, worktree.root) };
  const tree = inspect === undefined ? written : await inspectTree(inspect, work);
  const steps = await differences(site, base, tree);
  const files = steps.map(({ name }) => name);
  if (files.length === 0) return null;
  tell(await keepModules(site, worktree, steps));
  const ref = taskRef(site, task, attempt);
  const earlier = await readRef(site, ref);
  if (earlier !== null && (await isSame(site, earlier, base, tree))) return { commit: earlier, base, files };
  const message = `${titleOf(title, task)}\n\nUmpire-Session: ${site.place.session}\nUmpire-Task: ${titleOf(task, 'unnamed')}, attempt ${attempt}`;
  const commit = await commitTree(site, tree, [base], message);
  await changeRefs(site, [{ ref, to: commit }]);
  return { commit, base, files };
}

const NO_ROOM = 'a file or a link stands in the place of the project';

/** Was this very work taken before, by a run that did not live to tell? */
async function isSame(site: Site, commit: string, base: string, tree: string): Promise<boolean> {
  return (await treeOf(site, commit)) === tree && (await readRef(site, `${commit}^`)) === base;
}

/** Its work is taken by now. What cannot be removed, such as files of another user that a container left, stays for `umpire clean` to tell of. */
export async function returnWorktree(site: Site, task: string, attempt: number): Promise<void> {
  await forgetIfPossible(site, pathsOf(site, task, attempt));
}

async function forgetIfPossible(site: Site, paths: Paths): Promise<void> {
  try {
    await forget(site, paths);
  } catch {
    // It is in nobody's way: another attempt has another name.
  }
}

async function forget(site: Site, { name, lease, watch, draft }: Paths): Promise<void> {
  for (const file of [lease, watch, draft, `${draft}.lock`]) rmSync(file, { force: true });
  await removeWorktree(site, name);
}

/** What a crash left of worktrees that were never ready, or were being removed. Finished ones wait for their task. */
export async function removeHalfMade(site: Site): Promise<void> {
  const names = readdirSync(site.folder);
  const ready = new Set(names);
  const half = names.filter(
    (name) => name.startsWith('merge-') || (name.startsWith('task-') && !name.endsWith('.json') && !ready.has(`${stem(name)}.json`)),
  );
  for (const name of new Set(half.map(stem))) await forgetIfPossible(site, pathsBy(site, name));
}

/** `task-T1-1.index.lock` belongs to `task-T1-1`. */
function stem(name: string): string {
  return name.replace(/(?:\.(?:index|watch|draft|json|new|lock|git))+$/, '');
}
