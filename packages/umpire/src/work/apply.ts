// Applies the work of a session to the person's files as uncommitted changes; the index and all other files stay as they are. Refuses, and
// changes nothing, where a file that it would write has changes of the person. Can be repeated after a crash.

import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { removeTests } from '@umpire/guard/revert/remove-tests.js';
import type { LeftOut } from '@umpire/guard/revert/remove-tests.js';
import { removeFrom } from './worktree-changes.js';
import { commitTree, diffTrees, isAncestor } from './commits.js';
import type { TreeDifference } from './commits.js';
import { treeWith, applyTreeDiff } from './next-commit.js';
import { requireCommits } from './session-diff.js';
import { askGit, git, gitFault, namesInput, pathIn, rawNames, tryGit, nameOf, rawOf, linkOnPathTest } from './git.js';
import type { RawName, GitTarget } from './git.js';
import { listSkipped } from './worktree.js';
import { findSessionGit, changeRefs, refsOf, SHORT_ID, listFew, projectNames } from './session-git.js';
import type { SessionPlace, SessionGit } from './session-git.js';
import { modulesInTheWay, replacedModules } from './submodules.js';
import { lstatOf } from '../sessions/file-system.js';
import { breakLock } from './session-worktree.js';

export interface Applied {
  readonly base: string;
  readonly head: string;
  /** Files changed by this call; empty where the work was already there. */
  readonly files: readonly string[];
  /** Failing new tests as `file > name`, or whole files. */
  readonly leftOut: readonly string[];
  /** Submodules in the index that are plain files now: git ignores these files until the submodule is removed from the index. */
  readonly replaced: readonly string[];
}

export interface ApplyChoice {
  /** Tests that the work does without. A whole file stays as it is at the session's base. */
  readonly without?: readonly LeftOut[];
  /** The person's last commit below the base, if the base has their uncommitted changes. */
  readonly parent?: string | null;
}

export async function applySession(place: SessionPlace, { without = [], parent = null }: ApplyChoice = {}): Promise<Applied> {
  const sessionGit = findSessionGit(place);
  const { base, head: tip } = await requireCommits(sessionGit);
  const { head, leftOut } = await leaveOutTests(sessionGit, base, tip, without);
  const { kind, checkout, prefix } = sessionGit.repository;
  mkdirSync(sessionGit.folder, { recursive: true });
  const here = kind === 'snapshot' ? base : await askGit(checkout, ['rev-parse', '--verify', 'HEAD^{commit}']);
  const from = parent === null ? here : await addUncommitted(sessionGit, { parent, base, here });
  const to = from === base ? head : await rebaseWork(sessionGit, { base, head, here, own: from });
  const known = new Set(parent === null ? [] : (await diffTrees(sessionGit, parent, base)).map(({ name }) => name));
  const files = to === null ? [] : await applyTree(sessionGit, from, to, known);
  // The files are applied even if recording fails: a second apply finds them and records it.
  try {
    await changeRefs(sessionGit, [{ ref: refsOf(sessionGit).applied, to: head }]);
  } catch (error) {
    if (!isUmpireError(error) || !(files.length > 0)) throw error;
    throw new UmpireError('apply-unrecorded', { session: sessionGit.place.session, detail: error.message });
  }
  const replaced = kind === 'git' ? await replacedModules(checkout, files) : [];
  return { base, head: tip, files: projectNames(files, prefix), leftOut, replaced: projectNames(replaced, prefix) };
}

async function leaveOutTests(sessionGit: SessionGit, base: string, head: string, without: readonly LeftOut[]) {
  const { prefix } = sessionGit.repository;
  if (without.length === 0) return { head, leftOut: [] };
  const back = await diffTrees(sessionGit, head, base);
  const made = new Map((await diffTrees(sessionGit, base, head)).map(({ name, to }) => [name, to]));
  const taken: TreeDifference[] = [];
  const leftOut: string[] = [];
  for (const { name, to: old } of back) {
    const now = made.get(name) ?? null;
    const file = projectNames([name], prefix)[0] ?? '';
    const one = without.find((each) => each.file === file);
    if (one === undefined) continue;
    const { tests } = one;
    const text = now === null || tests === null ? null : removeTests(file, await readBlobText(sessionGit, now.id), tests);
    const id = text === null ? null : await askGit(sessionGit.gitTarget, ['hash-object', '-w', '--stdin'], { input: text });
    taken.push({ name, to: id === null || now === null ? old : { ...now, id } });
    leftOut.push(...(id === null ? [file] : (tests ?? []).map((test) => `${file} > ${test}`)));
  }
  if (taken.length === 0) return { head, leftOut };
  const tree = await treeWith(sessionGit, head, taken);
  return { head: await commitTree(sessionGit, tree, [base], 'Work without failing tests'), leftOut };
}

async function readBlobText({ gitTarget }: SessionGit, id: string): Promise<string> {
  return (await git(gitTarget, ['cat-file', 'blob', id])).toString('utf8');
}

/**
 * The person's last commit with the uncommitted changes that the session began with, as the checkout should still have them. If these are
 * committed by now, both are the same; if the person's commits contradict them, only the commits count.
 */
async function addUncommitted(
  sessionGit: SessionGit,
  { parent, base, here }: { readonly parent: string; readonly base: string; readonly here: string },
): Promise<string> {
  if (here === parent) return base;
  if (await isAncestor(sessionGit, base, here)) return here;
  const merge = await applyTreeDiff(sessionGit, parent, base, here);
  return merge.ok ? merge.tree : here;
}

interface RebasedWork extends Record<'base' | 'head', string> {
  /** The person's last commit. */
  readonly here: string;
  /** That commit, or a tree that adds the uncommitted changes of the base. */
  readonly own: string;
}

/** The work rebased on the person's later commits; null where these include it already. */
async function rebaseWork(sessionGit: SessionGit, { base, head, here, own }: RebasedWork): Promise<string | null> {
  if (await isAncestor(sessionGit, head, here)) return null;
  const merge = await applyTreeDiff(sessionGit, base, head, own);
  if (merge.ok) return merge.tree;
  const files = projectNames(merge.files, sessionGit.repository.prefix);
  throw new UmpireError('apply-conflict', {
    session: sessionGit.place.session,
    branch: sessionGit.branch,
    base: base.slice(0, SHORT_ID),
    head: here.slice(0, SHORT_ID),
    files: listFew(files),
  });
}

/** Works on an index of its own, in which only files of the work may differ: git checks them before it writes the first one. */
async function applyTree(sessionGit: SessionGit, from: string, to: string, known: ReadonlySet<RawName>): Promise<readonly RawName[]> {
  const { checkout, kind } = sessionGit.repository;
  const changed = await diffTrees(sessionGit, from, to);
  const steps = changed.map(({ name }) => name);
  if (steps.length === 0) return [];
  const modules = modulesInTheWay(checkout.workTree, changed);
  if (modules.length > 0) refuseApply(sessionGit, 'apply-in-the-way', modules);
  const left = await findLeftIndexes(sessionGit);
  // Only the holder of the session's lock works here, so another process's index belongs to a dead process.
  const index = join(sessionGit.folder, `apply-${process.pid}.index`);
  const gitTarget = { ...checkout, index };
  try {
    const dirty = kind === 'git' ? await listDirty(sessionGit, steps, known) : [];
    const beyond = new Set(steps.filter(linkOnPathTest(checkout.workTree)));
    // A link on the path of a file: git would stop there, or write elsewhere. A link that the work removes is checked like any file.
    // True where no removed path is a parent folder of the name.
    const gone = changed.filter((step) => step.to === null);
    const places = new Set(gone.map(({ name }) => name));
    const odd = [...beyond].filter(
      (name) => !name.split('/').some((_, end, parts) => end > 0 && places.has(parts.slice(0, end).join('/'))),
    );
    if (odd.length > 0) refuseApply(sessionGit, 'apply-in-the-way', odd);
    await git(gitTarget, ['read-tree', from]);
    // In a sparse checkout, a missing file is not removed. Git checks folders itself, file by file.
    const skipped = kind === 'git' ? await listSkipped(checkout, steps) : [];
    const absent = new Set(skipped.filter((name) => lookAt(sessionGit, name) === 'nothing'));
    const names = steps.filter((name) => !beyond.has(name) && lookAt(sessionGit, name) !== 'folder' && !absent.has(name));
    await git(gitTarget, ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { input: namesInput(names) });
    await refuseOwnChanges(sessionGit, gitTarget, { from, to, dirty, wasKilled: left.length > 0 });
    // Starts from the files on disk, since an earlier run may have applied a part. Includes files outside a sparse checkout.
    const here = await askGit(gitTarget, ['write-tree']);
    const args = ['read-tree', '-m', '-u', '--no-sparse-checkout', here, to];
    const { code, stderr } = await tryGit(gitTarget, args);
    if (code !== 0 && !REFUSED.test(stderr)) await rollBack(sessionGit, gitTarget, { here, to, absent });
    if (code !== 0) throw gitFault(args, code, stderr);
    removeIndexes(left);
    return (await diffTrees(sessionGit, here, to)).map(({ name }) => name);
  } finally {
    removeIndexes([index]);
  }
}

/** Git checks every file before it writes the first one, so these messages mean that another process changed a file just now. */
const REFUSED = /not uptodate|would be overwritten|would be removed|would lose|Refusing to remove/;

interface InterruptedApply {
  /** The files as they were. */
  readonly here: string;
  readonly to: string;
  /** In that tree, but not on disk. */
  readonly absent: ReadonlySet<RawName>;
}

/** The disk may become full midway: removes the new files first, then restores the old ones. */
async function rollBack(sessionGit: SessionGit, gitTarget: GitTarget, { here, to, absent }: InterruptedApply): Promise<void> {
  const steps = await diffTrees(sessionGit, to, here);
  const isAdded = ({ name, to: was }: (typeof steps)[number]): boolean => was === null || absent.has(name);
  // A folder in its place is the person's.
  for (const { name } of steps.filter(isAdded))
    if (lookAt(sessionGit, name) === 'file') removeFrom(sessionGit.repository.checkout.workTree, name);
  const before = steps.filter((step) => !isAdded(step)).map(({ name }) => name);
  await tryGit(gitTarget, ['checkout-index', '--force', '--quiet', '-z', '--stdin'], { input: namesInput(before) });
}

/**
 * Files of the work that git reports as changed. Staged changes are always the person's; Umpire never stages. `known`: the base has them
 * already, so it is enough that the files are as they were.
 */
async function listDirty(sessionGit: SessionGit, steps: readonly RawName[], known: ReadonlySet<RawName>): Promise<readonly RawName[]> {
  const isWritten = new Set(steps);
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=no', '--ignore-submodules=all'];
  const entries = rawNames(await git(sessionGit.repository.checkout, args, { filters: true })).filter((entry) =>
    isWritten.has(entry.slice(3)),
  );
  const staged = entries.filter((entry) => !entry.startsWith(' ') && !known.has(entry.slice(3))).map((entry) => entry.slice(3));
  const names = entries.map((entry) => entry.slice(3));
  const own = [...staged, ...names.filter(linkOnPathTest(sessionGit.repository.checkout.workTree))];
  if (own.length > 0) refuseApply(sessionGit, 'apply-dirty', own);
  return names;
}

/** A file in neither the old nor the new state is the person's own change. */
async function refuseOwnChanges(
  sessionGit: SessionGit,
  gitTarget: GitTarget,
  { from, to, dirty, wasKilled }: { from: string; to: string; dirty: readonly RawName[]; wasKilled: boolean },
): Promise<void> {
  const [old, wanted] = await Promise.all([from, to].map((tree) => diffIndex(gitTarget, tree)));
  const own: RawName[] = [];
  for (const name of old ?? [])
    if (wanted?.has(name) === true && !(wasKilled && (await isHalfWritten(sessionGit, to, name)))) own.push(name);
  if (own.length === 0) return;
  const code = own.some((name) => dirty.includes(name)) ? 'apply-dirty' : 'apply-in-the-way';
  refuseApply(sessionGit, code, own);
}

function refuseApply({ place, repository }: SessionGit, code: 'apply-dirty' | 'apply-in-the-way', names: readonly RawName[]): never {
  throw new UmpireError(code, { session: place.session, files: listFew(projectNames(names, repository.prefix)) });
}

async function diffIndex(gitTarget: GitTarget, tree: string): Promise<ReadonlySet<RawName>> {
  return new Set(
    rawNames(await git(gitTarget, ['diff-index', '--cached', '--name-only', '--no-renames', '--ignore-submodules=all', '-z', tree])),
  );
}

function lookAt({ repository }: SessionGit, name: RawName): 'folder' | 'file' | 'nothing' {
  try {
    return lstatSync(pathIn(repository.checkout.workTree, name)).isDirectory() ? 'folder' : 'file';
  } catch {
    return 'nothing';
  }
}

const LEFT = /^apply-\d+\.index$/;

/** Indexes of killed runs. A git process of theirs may still be working and gets a moment. */
async function findLeftIndexes(sessionGit: SessionGit): Promise<readonly string[]> {
  const names = existsSync(sessionGit.folder) ? readdirSync(sessionGit.folder) : [];
  const left = names.filter((name) => LEFT.test(name)).map((name) => join(sessionGit.folder, name));
  for (const index of left) await breakLock(`${index}.lock`);
  return left;
}

function removeIndexes(indexes: readonly string[]): void {
  for (const index of indexes) for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
}

/**
 * Is the file missing, or a prefix of its content in the tree? An `apply` killed with its git leaves such files; rewriting them loses
 * nothing.
 */
async function isHalfWritten(sessionGit: SessionGit, tree: string, name: RawName): Promise<boolean> {
  const { checkout } = sessionGit.repository;
  const path = nameOf(name);
  if (rawOf(path) !== name) return false;
  const { code, stdout } = await tryGit(checkout, ['cat-file', '--filters', `${tree}:${path}`]);
  if (code !== 0) return false;
  const place = pathIn(checkout.workTree, name);
  const stat = lstatOf(place);
  if (stat === undefined) return true;
  return stat.isFile() && stat.size < stdout.length && readFileSync(place).equals(stdout.subarray(0, stat.size));
}
