// Removes what a session left beside its folder: worktrees, refs, the branch, a private repository. Work that was not brought over
// stays, unless it is told to go.

import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { safeName } from '../sessions/safe-name.js';
import { listChanges } from './changes.js';
import { differences } from './commits.js';
import { findCommits, isBroughtOver } from './difference.js';
import { git, lookAround } from './git.js';
import type { RawName } from './git.js';
import { followProject } from './moving.js';
import { branchOf, projectNames } from './names.js';
import { knownProvisions } from './provisions.js';
import { removeTree } from './removal.js';
import { SNAPSHOT } from './repository.js';
import { changeRefs, readRef, refsOf } from './refs.js';
import { readSessionNote } from './session-note.js';
import { leftFolders } from './session-worktree.js';
import { findRemains, findSite, holderOfName, isOwnSite, refuseAnothers } from './site.js';
import type { SessionPlace, Site } from './site.js';
import type { Survey } from './survey.js';
import { isElsewhere, unmergedWork } from './unmerged-work.js';
import type { UnmergedWork } from './unmerged-work.js';
import { findAdmin, removeAdmin, worktreeOf } from './worktree.js';

export type Cleaned =
  /** `branch`: it is still there, since it is checked out in that folder. */
  | { readonly ok: true; readonly branch: { readonly name: string; readonly place: string } | null }
  /** Not brought over, changed in the session's worktree and never taken, or never merged into its branch. Nothing was removed. */
  | {
      readonly ok: false;
      readonly why: 'unapplied' | 'edited' | 'unmerged';
      readonly files: readonly string[];
      readonly unmerged?: readonly UnmergedWork[];
    };

interface Cleaning {
  readonly force?: boolean;
  /** Tasks that were completed: what their earlier attempts left is no work. */
  readonly finished?: readonly string[];
  /** Where many sessions are cleaned. */
  readonly survey?: Survey;
  /** Nobody asks for the files of work that was not applied. */
  readonly isBrief?: boolean;
}

export async function cleanSession(place: SessionPlace, cleaning: Cleaning = {}): Promise<Cleaned> {
  const { force = false, survey } = cleaning;
  const site = force ? findRemains(place, survey?.find) : findSite(place, survey?.find);
  refuseAnothers(site);
  await followProject(site);
  const held = force ? null : await heldBack(site, cleaning);
  return held ?? { ok: true, branch: await clearAway(site) };
}

interface Unbegun {
  readonly force: boolean;
  /** It has a list of tasks, so it may have begun after all. */
  readonly hasTasks: boolean;
}

/**
 * Clears away what a session that never began has left. What is another's under the same name stays. One whose journal somebody emptied
 * looks the same: what was committed is work, and where there were tasks so is what was changed. Null where there is nothing of its own.
 */
export async function cleanUnbegun(place: SessionPlace, { force, hasTasks }: Unbegun): Promise<Cleaned | null> {
  const site = force ? findRemains(place) : findSite(place);
  if (!isItsOwn(site)) return null;
  const held = force ? null : await heldBack(site, {});
  if (held !== null && (held.why !== 'edited' || hasTasks)) return held;
  return { ok: true, branch: await clearAway(site) };
}

/** Answers with the branch where it had to stay. */
async function clearAway(site: Site): Promise<Extract<Cleaned, { ok: true }>['branch']> {
  await removeWorktrees(site);
  const branch = await removeRefs(site);
  await removeTree(site.folder);
  return branch;
}

/**
 * A new session takes nothing over. What an attempt of its own has left that never began is cleared away; where anything else goes
 * by its name, that is another's.
 */
export async function makeRoom(site: Site): Promise<void> {
  const { place, branch } = site;
  const names = refsOf(site);
  const [made, base, head] = await Promise.all([names.branch, names.base, names.head].map((ref) => readOnce(site, ref)));
  const isFree = made === null && base === null && head === null;
  if (isOwnSite(site) === null && isFree) return;
  // A crash may have come between one ref and the next.
  const isUnbegun = [made, head].every((commit) => commit === null || commit === base);
  if (isItsOwn(site) && isUnbegun && (await unmergedWork(site, [])).length === 0) await clearAway(site);
  else throw new UmpireError('session-taken', { session: place.session, branch });
}

/** Where no folder tells whose the branch is, it may be that of a session in another worktree. A snapshot is in the session's own folder. */
function isItsOwn(site: Site): boolean {
  return isOwnSite(site) ?? site.repository.kind === 'snapshot';
}

async function readOnce(site: Site, ref: string): Promise<string | null> {
  return existsSync(site.repository.gitDir) ? readRef(site, ref) : null;
}

/** Is there anything of its own to clear away? */
export function isLeft(place: SessionPlace, survey?: Survey): boolean {
  const { project, session, home, sessionFolder } = place;
  if (existsSync(join(sessionFolder, SNAPSHOT))) return true;
  const isTaken = isNameTaken(existsSync(project) ? project : null, home, session, survey?.hasRefs);
  return isTaken && holderOfName(findRemains(place, survey?.find)) === null;
}

/** Do worktrees, a branch or refs go by this name already? `project`: null where no repository is around it. */
export function isNameTaken(project: string | null, home: string, session: string, hasRefs: Survey['hasRefs'] = findRefs): boolean {
  if (existsSync(join(resolve(home), safeName(session)))) return true;
  return project !== null && hasRefs(project, session);
}

function findRefs(project: string, session: string): boolean {
  const names = [`refs/heads/${branchOf(session)}`, `refs/umpire/${safeName(session)}`];
  const { code, stdout } = lookAround(project, ['for-each-ref', '--count=1', ...names]);
  return code === 0 && stdout.length > 0;
}

async function heldBack(site: Site, { finished = [], survey, isBrief = false }: Cleaning): Promise<Extract<Cleaned, { ok: false }> | null> {
  const { prefix } = site.repository;
  const edited = [...projectNames(await editedIn(site), prefix), ...leftFolders(site)];
  if (edited.length > 0) return { ok: false, why: 'edited', files: edited };
  if (isBrief && survey?.isUnapplied(site) === true) return { ok: false, why: 'unapplied', files: [] };
  const made = await unappliedIn(site);
  const unmerged = await unmergedWork(site, finished);
  const beside = unmerged.length === 0 ? {} : { unmerged };
  if (made.length > 0) return { ok: false, why: 'unapplied', files: projectNames(made, prefix), ...beside };
  return unmerged.length === 0
    ? null
    : { ok: false, why: 'unmerged', files: [...new Set(unmerged.flatMap(({ files }) => files))], ...beside };
}

/** What the branch holds that is nowhere else. */
async function unappliedIn(site: Site): Promise<readonly RawName[]> {
  const commits = await findCommits(site);
  if (commits === null) return [];
  const made = (await differences(site, commits.base, commits.head)).map(({ name }) => name);
  if (made.length === 0 || (await isBroughtOver(site))) return [];
  return (await isElsewhere(site, commits.head)) ? [] : made;
}

async function editedIn(site: Site): Promise<readonly string[]> {
  const read = readSessionNote(site);
  if (read.kind === 'missing') return [];
  const planned = worktreeOf(site, 'session');
  // A damaged note does not say where git has its folder about the worktree; git does.
  const worktree = { ...planned, admin: read.kind === 'note' ? read.note.admin : (findAdmin(site, planned.root) ?? planned.admin) };
  if (!existsSync(worktree.root) || !existsSync(worktree.admin) || !existsSync(worktree.index)) return [];
  const { tracked, added } = await listChanges(worktree, worktree.index, knownProvisions(site));
  return [...tracked, ...added];
}

async function removeWorktrees(site: Site): Promise<void> {
  const { repository, place, folder } = site;
  const all = join(repository.gitDir, 'worktrees');
  const own = `umpire+${safeName(place.session)}+`;
  const byName = existsSync(all) ? readdirSync(all).filter((name) => name.startsWith(own)) : [];
  const folders = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()) : [];
  for (const { name } of folders) {
    // Git has a folder about worktrees only, and with hundreds of them looking for one takes long.
    const admin = WORKTREE.test(name) ? findAdmin(site, join(folder, name)) : null;
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

/** And no repository of an agent behind one. */
const WORKTREE = /^(?:session|task-|merge-)(?!.*\.git$)/;

async function removeRefs(site: Site): Promise<{ readonly name: string; readonly place: string } | null> {
  const { repository, branch } = site;
  if (repository.kind === 'snapshot') {
    await removeTree(repository.gitDir);
    return null;
  }
  const names = refsOf(site);
  const asked = ['for-each-ref', '--format=%(refname) %(worktreepath)', names.branch, names.all];
  const found = (await git(site.seat, asked))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
  const seen = found.find((line) => line.startsWith(`${names.branch} `));
  const place = seen?.slice(names.branch.length + 1) ?? '';
  const gone = found.map((line) => line.slice(0, line.indexOf(' '))).filter((ref) => ref !== names.branch || place === '');
  await changeRefs(
    site,
    gone.map((name) => ({ ref: name, to: null })),
  );
  return place === '' ? null : { name: branch, place };
}
