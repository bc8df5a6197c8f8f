// Removes what a session left beside its folder: worktrees, refs, the branch, a private repository. Work that was not brought over
// stays, unless it is told to go.

import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { listChanges } from './changes.js';
import { differences } from './commits.js';
import { findCommits } from './difference.js';
import { git } from './git.js';
import { projectNames, safeName } from './names.js';
import { knownProvisions } from './provisions.js';
import { removeTree } from './removal.js';
import { changeRefs, listRefs, readRef, refsOf } from './refs.js';
import { readSessionNote } from './session-note.js';
import { findSite } from './site.js';
import type { SessionPlace, Site } from './site.js';
import { findAdmin, removeAdmin, worktreeOf } from './worktree.js';

export type Cleaned =
  /** `branch`: it is still there, since it is checked out in that folder. */
  | { readonly ok: true; readonly branch: { readonly name: string; readonly place: string } | null }
  /** Not brought over, or changed in the session's worktree and never taken. Nothing was removed. */
  | { readonly ok: false; readonly why: 'unapplied' | 'edited'; readonly files: readonly string[] };

export async function cleanSession(place: SessionPlace, { force = false }: { readonly force?: boolean } = {}): Promise<Cleaned> {
  const site = findSite(place);
  const held = force ? null : await heldBack(site);
  if (held !== null) return held;
  await removeWorktrees(site);
  const branch = await removeRefs(site);
  await removeTree(site.folder);
  return { ok: true, branch };
}

async function heldBack(site: Site): Promise<Extract<Cleaned, { ok: false }> | null> {
  const { prefix } = site.repository;
  const edited = await editedIn(site);
  if (edited.length > 0) return { ok: false, why: 'edited', files: projectNames(edited, prefix) };
  const commits = await findCommits(site);
  if (commits === null) return null;
  const made = (await differences(site, commits.base, commits.head)).map(({ name }) => name);
  if (made.length === 0 || (await readRef(site, refsOf(site).applied)) === commits.head) return null;
  return (await isElsewhere(site, commits.head)) ? null : { ok: false, why: 'unapplied', files: projectNames(made, prefix) };
}

async function editedIn(site: Site): Promise<readonly string[]> {
  const note = readSessionNote(site);
  if (note === null) return [];
  const worktree = worktreeOf(site, 'session', note.admin);
  if (!existsSync(worktree.root) || !existsSync(worktree.admin) || !existsSync(worktree.index)) return [];
  const { tracked, added } = await listChanges(worktree, worktree.index, knownProvisions(site));
  return [...tracked, ...added];
}

/** Has the person merged it into a branch of their own? */
async function isElsewhere(site: Site, head: string): Promise<boolean> {
  const out = await git(site.seat, [
    'for-each-ref',
    '--format=%(refname)',
    `--contains=${head}`,
    'refs/heads',
    'refs/remotes',
    'refs/tags',
  ]);
  return out
    .toString('utf8')
    .split('\n')
    .some((ref) => ref !== '' && ref !== refsOf(site).branch);
}

async function removeWorktrees(site: Site): Promise<void> {
  const { repository, place, folder } = site;
  const all = join(repository.gitDir, 'worktrees');
  const own = `umpire+${safeName(place.session)}+`;
  const byName = existsSync(all) ? readdirSync(all).filter((name) => name.startsWith(own)) : [];
  const folders = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()) : [];
  for (const { name } of folders) {
    const admin = findAdmin(site, join(folder, name));
    if (admin !== null) await removeAdmin(admin);
    await removeTree(join(folder, name));
  }
  for (const name of byName) await removeAdmin(join(all, name));
  try {
    rmdirSync(all);
  } catch {
    // There are others in it, or it is gone.
  }
}

async function removeRefs(site: Site): Promise<{ readonly name: string; readonly place: string } | null> {
  const { repository, branch } = site;
  if (repository.kind === 'snapshot') {
    await removeTree(repository.gitDir);
    return null;
  }
  const ref = refsOf(site).branch;
  const seen = (await git(site.seat, ['for-each-ref', '--format=%(refname) %(worktreepath)', ref])).toString('utf8').trimEnd();
  const place = seen.slice(ref.length + 1);
  const gone = [...(await listRefs(site)), ...(seen === '' || place !== '' ? [] : [ref])];
  await changeRefs(
    site,
    gone.map((name) => ({ ref: name, to: null })),
  );
  return place === '' ? null : { name: branch, place };
}
