// One worktree: its folder, git's folder about it, and an index that only Umpire writes. Made, found and removed here; what is
// in it is left to changes.ts.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { lstatOf } from '../sessions/entry.js';
import { faultOf } from '../sessions/folder.js';
import { safeName } from '../sessions/safe-name.js';
import { differences } from './commits.js';
import { copyIndex, git, namesInput } from './git.js';
import type { Seat } from './git.js';
import { unmark } from './marks.js';
import { readRef, refsOf } from './refs.js';
import { removeSmall, removeTree } from './removal.js';
import type { Site } from './site.js';

const SPARSE = 'info/sparse-checkout';

export interface Worktree {
  readonly name: string;
  readonly root: string;
  /** Git's own folder about it. */
  readonly admin: string;
  /** The files as they were handed over. Agents run git as they like; this index is not theirs. */
  readonly index: string;
  /** The repository that git commands of agents reach from here (agent-repository.ts). */
  readonly apart: string;
}

/** Where git commands about a worktree's files sit: by name, since an agent may remove or replace the .git file there. */
export function seatOf({ admin, root }: Worktree, index?: string): Seat & { readonly workTree: string } {
  return { gitDir: admin, workTree: root, ...(index === undefined ? {} : { index }) };
}

export function worktreeOf(site: Site, name: string, admin = plainAdmin(site, name)): Worktree {
  return { name, root: join(site.folder, name), admin, index: join(site.folder, `${name}.index`), apart: join(site.folder, `${name}.git`) };
}

/** No other session's, and no worktree of the person's own: `+` is in no safe name. */
function plainAdmin({ repository, place }: Site, name: string): string {
  return join(repository.gitDir, 'worktrees', `umpire+${safeName(place.session)}+${name}`);
}

/** `at`: a commit, or the branch as `refs/heads/...`. */
export async function makeWorktree(site: Site, name: string, at: string): Promise<Worktree> {
  const planned = worktreeOf(site, name);
  await removeWorktree(site, name);
  const made = site.repository.isPlain ? makeByHand(site, planned, at) : await makeByGit(site, planned, at);
  await git(seatOf(made), ['read-tree', '--reset', '-u', at]);
  if (existsSync(join(made.admin, SPARSE))) await addOwn(site, made, at);
  copyIndex(join(made.admin, 'index'), made.index);
  return made;
}

/** A checkout of some folders only: what the session itself made or changed elsewhere is in it too. */
async function addOwn(site: Site, made: Worktree, at: string): Promise<void> {
  const base = await readRef(site, refsOf(site).base);
  const own = base === null ? [] : (await differences(site, base, at)).map(({ name }) => name);
  const skipped = await unmark(seatOf(made), own);
  if (skipped.length > 0)
    await git(seatOf(made), ['checkout-index', '--force', '--index', '--quiet', '-z', '--stdin'], { input: namesInput(skipped) });
}

/** Half the time of `git worktree add`, which starts three more processes. The files are those of gitrepository-layout(5). */
function makeByHand(site: Site, made: Worktree, at: string): Worktree {
  try {
    mkdirSync(made.root, { recursive: true });
    writeAdmin(site, made, at);
  } catch (error) {
    throw new UmpireError('write-failed', { path: made.root, detail: faultOf(error) });
  }
  return made;
}

/** Git's folder about a worktree whose files are there already. */
export function writeAdmin({ repository }: Site, { admin, root }: Worktree, at: string): void {
  mkdirSync(admin, { recursive: true });
  // Until all of it is written, `git worktree prune` must not take it for a leftover.
  writeFileSync(join(admin, 'locked'), 'umpire is making it\n');
  writeFileSync(join(admin, 'commondir'), '../..\n');
  writeFileSync(join(admin, 'HEAD'), at.startsWith('refs/') ? `ref: ${at}\n` : `${at}\n`);
  // A checkout of some folders only stays one of these.
  for (const name of [SPARSE, 'config.worktree']) {
    const from = join(repository.checkout.gitDir, name);
    if (repository.kind !== 'git' || !existsSync(from)) continue;
    mkdirSync(dirname(join(admin, name)), { recursive: true });
    // Where the person's own checkout lies is not where this one lies.
    writeFileSync(join(admin, name), readFileSync(from, 'utf8').replaceAll(/^\s*(?:worktree|bare)\s*=.*\n?/gim, ''));
  }
  linkAdmin({ admin, root });
  // By this file other gits take notice of it, so all else must be there: half a worktree stops them.
  writeFileSync(join(admin, 'gitdir'), `${join(root, '.git')}\n`);
  rmSync(join(admin, 'locked'));
}

/** A link in the place of a worktree leads elsewhere, to the person's own files for one. It goes, and nothing behind it is looked at. */
export function dropLink(root: string): void {
  if (lstatOf(root)?.isSymbolicLink() === true) unlinkSync(root);
}

/** The file by which git finds its folder from inside the worktree. */
export function linkAdmin({ admin, root }: Pick<Worktree, 'admin' | 'root'>): void {
  const file = join(root, '.git');
  if (adminBy(root) === admin) return;
  rmSync(file, { recursive: true, force: true });
  writeFileSync(file, `gitdir: ${admin}\n`);
}

async function makeByGit(site: Site, made: Worktree, at: string): Promise<Worktree> {
  const what = at.startsWith('refs/heads/') ? [made.root, at.slice('refs/heads/'.length)] : ['--detach', made.root, at];
  await git(site.seat, ['worktree', 'add', '--quiet', '--force', '--no-checkout', ...what]);
  return { ...made, admin: adminBy(made.root) ?? made.admin };
}

function adminBy(root: string): string | null {
  try {
    const told = /^gitdir: (.*)\n?$/s.exec(readFileSync(join(root, '.git'), 'utf8'))?.[1];
    return told === undefined ? null : resolve(root, told.trimEnd());
  } catch {
    return null;
  }
}

/** Git's folder about a worktree, whatever it is called; null where git knows nothing of it. */
export function findAdmin(site: Site, root: string): string | null {
  const all = join(site.repository.gitDir, 'worktrees');
  const isIts = (admin: string): boolean => {
    try {
      return readFileSync(join(admin, 'gitdir'), 'utf8').trimEnd() === join(root, '.git');
    } catch {
      return false;
    }
  };
  // Mostly by the name that it was given; with hundreds of sessions, looking at all of them takes long.
  const planned = plainAdmin(site, basename(root));
  if (isIts(planned)) return planned;
  const names = existsSync(all) ? readdirSync(all) : [];
  const found = names.find((name) => isIts(join(all, name)));
  return found === undefined ? null : join(all, found);
}

/** Other gits overlook it from the first step on. */
export async function removeAdmin(admin: string): Promise<void> {
  rmSync(join(admin, 'gitdir'), { force: true });
  await removeSmall(admin);
}

/** Removes a worktree, or what a crash left of one. */
export async function removeWorktree(site: Site, name: string): Promise<void> {
  const { root, admin, index, apart } = worktreeOf(site, name);
  const byGit = site.repository.isPlain ? null : findAdmin(site, root);
  await Promise.all([removeTree(root), removeSmall(apart), removeAdmin(admin), ...(byGit === null ? [] : [removeAdmin(byGit)])]);
  for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
}
