// Brings what a session made over to the person's files, as changes that are not committed: the index stays as it is. Refused
// where anything of the person's own would be lost or mixed in; then nothing is changed. May be repeated after a crash.

import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/errors.js';
import { removeFrom } from './changes.js';
import { differences, isAncestor } from './commits.js';
import type { Difference } from './commits.js';
import { commitsOf } from './difference.js';
import { askGit, copyIndex, git, gitFault, namesInput, pathIn, rawNames, tryGit } from './git.js';
import type { RawName, Seat } from './git.js';
import { applyIndex, forgetIndexes, isHalfWritten, leftIndexes } from './half-written.js';
import { unmark } from './marks.js';
import { SHORT_ID, listFew, projectNames } from './names.js';
import { linkTest } from './on-the-way.js';
import { changeRefs, refsOf } from './refs.js';
import { findSite } from './site.js';
import type { SessionPlace, Site } from './site.js';
import { modulesInTheWay, replacedModules } from './submodules.js';
import { carryOver } from './three-way.js';

export interface Applied {
  readonly base: string;
  readonly head: string;
  /** What was changed by this; none where the work was there already. */
  readonly files: readonly string[];
  /** Submodules by the index, which stays as it is, that are plain files now: git overlooks these until they are taken out of it. */
  readonly replaced: readonly string[];
}

export async function applySession(place: SessionPlace): Promise<Applied> {
  const site = findSite(place);
  const { base, head } = await commitsOf(site);
  const { kind, checkout, prefix } = site.repository;
  mkdirSync(site.folder, { recursive: true });
  const from = kind === 'snapshot' ? base : await askGit(checkout, ['rev-parse', '--verify', 'HEAD^{commit}']);
  const to = from === base ? head : await settled(site, base, head, from);
  const files = to === null ? [] : await bringOver(site, from, to);
  await record(site, head, files.length > 0);
  const replaced = kind === 'git' ? await replacedModules(checkout, files) : [];
  return { base, head, files: projectNames(files, prefix), replaced: projectNames(replaced, prefix) };
}

/** The files are there whatever becomes of it: repeated, it finds them, and records that. */
async function record(site: Site, head: string, isChanged: boolean): Promise<void> {
  try {
    await changeRefs(site, [{ ref: refsOf(site).applied, to: head }]);
  } catch (error) {
    if (!isUmpireError(error) || !isChanged) throw error;
    throw new UmpireError('apply-unrecorded', { session: site.place.session, detail: error.message });
  }
}

/** The work on top of what the person has committed since; null where that holds it already. */
async function settled(site: Site, base: string, head: string, own: string): Promise<string | null> {
  if (await isAncestor(site, head, own)) return null;
  const merge = await carryOver(site, base, head, own);
  if (merge.ok) return merge.tree;
  const files = projectNames(merge.files, site.repository.prefix);
  throw new UmpireError('apply-conflict', {
    session: site.place.session,
    branch: site.branch,
    base: base.slice(0, SHORT_ID),
    head: own.slice(0, SHORT_ID),
    files: listFew(files),
  });
}

/** Works on a copy of the index: git checks every file against it before it writes the first one. */
async function bringOver(site: Site, from: string, to: string): Promise<readonly RawName[]> {
  const { checkout, kind } = site.repository;
  const changed = await differences(site, from, to);
  const steps = changed.map(({ name }) => name);
  if (steps.length === 0) return [];
  const modules = modulesInTheWay(checkout.workTree, changed);
  if (modules.length > 0) refuse(site, 'apply-in-the-way', modules);
  const left = await leftIndexes(site);
  const index = applyIndex(site);
  const seat = { ...checkout, index };
  try {
    const dirty = kind === 'git' ? await dirtyIn(site) : [];
    const beyond = new Set(steps.filter(linkTest(checkout.workTree)));
    // A link on the way to a file: git would stop there, or write somewhere else. One that the work takes away is looked at as any file.
    const odd = [...beyond].filter(outside(changed.filter((step) => step.to === null)));
    if (odd.length > 0) refuse(site, 'apply-in-the-way', odd);
    if (kind === 'git' && existsSync(join(checkout.gitDir, 'index'))) copyIndex(join(checkout.gitDir, 'index'), index);
    else await git(seat, ['read-tree', from]);
    // Of what is left out, and not there, git knows how it is. A folder is looked at by git itself, file by file.
    const absent = new Set((await unmark(seat, steps)).filter((name) => kindOf(site, name) === 'nothing'));
    const seen = [...new Set([...dirty, ...steps])].filter((name) => !beyond.has(name));
    const names = seen.filter((name) => kindOf(site, name) !== 'folder' && !absent.has(name));
    await git(seat, ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { input: namesInput(names) });
    await refuseOwn(site, seat, { from, to, dirty, wasKilled: left.length > 0 });
    // From what is there, not from what was: an earlier run may have done a part. Also outside the folders that are checked out.
    const here = await askGit(seat, ['write-tree']);
    const args = ['read-tree', '-m', '-u', '--no-sparse-checkout', here, to];
    const { code, stderr } = await tryGit(seat, args);
    if (code !== 0 && !REFUSED.test(stderr)) await putBack(site, seat, { here, to, absent });
    if (code !== 0) throw gitFault(args, code, stderr);
    forgetIndexes(left);
    return (await differences(site, here, to)).map(({ name }) => name);
  } finally {
    forgetIndexes([index]);
  }
}

/** Does none of these stand where a folder of the path will be? */
function outside(gone: readonly Difference[]): (name: RawName) => boolean {
  const places = new Set(gone.map(({ name }) => name));
  return (name) => !name.split('/').some((_, end, parts) => end > 0 && places.has(parts.slice(0, end).join('/')));
}

/** Git looks at every file before it writes the first one. What it says so of was changed in this moment, and not by it. */
const REFUSED = /not uptodate|would be overwritten|would be removed|would lose|Refusing to remove/;

interface Halfway {
  /** The files as they were. */
  readonly here: string;
  readonly to: string;
  /** In that tree, and not on disk. */
  readonly absent: ReadonlySet<RawName>;
}

/** The disk may be full in the middle of it: what was written goes again, first, and what was there comes back. */
async function putBack(site: Site, seat: Seat, { here, to, absent }: Halfway): Promise<void> {
  const steps = await differences(site, to, here);
  const isNew = ({ name, to: was }: (typeof steps)[number]): boolean => was === null || absent.has(name);
  // A folder that stood in the way is the person's.
  for (const { name } of steps.filter(isNew)) if (kindOf(site, name) === 'file') removeFrom(site.repository.checkout.workTree, name);
  const before = steps.filter((step) => !isNew(step)).map(({ name }) => name);
  await tryGit(seat, ['checkout-index', '--force', '--quiet', '-z', '--stdin'], { input: namesInput(before) });
}

/** What git calls changed. Something staged is always the person's doing; Umpire never stages. */
async function dirtyIn(site: Site): Promise<readonly RawName[]> {
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=no', '--ignore-submodules=all'];
  const entries = rawNames(await git(site.repository.checkout, args));
  const staged = entries.filter((entry) => !entry.startsWith(' ')).map((entry) => entry.slice(3));
  const names = entries.map((entry) => entry.slice(3));
  const own = [...staged, ...names.filter(linkTest(site.repository.checkout.workTree))];
  if (own.length > 0) refuse(site, 'apply-dirty', own);
  return names;
}

/** A file that is neither as it was nor as it will be is the person's own. */
async function refuseOwn(
  site: Site,
  seat: Seat,
  { from, to, dirty, wasKilled }: { from: string; to: string; dirty: readonly RawName[]; wasKilled: boolean },
): Promise<void> {
  const [old, wanted] = await Promise.all([from, to].map((tree) => otherThan(seat, tree)));
  const own: RawName[] = [];
  for (const name of old ?? []) if (wanted?.has(name) === true && !(wasKilled && (await isHalfWritten(site, to, name)))) own.push(name);
  if (own.length === 0) return;
  const code = own.some((name) => dirty.includes(name)) ? 'apply-dirty' : 'apply-in-the-way';
  refuse(site, code, own);
}

function refuse({ place, repository }: Site, code: 'apply-dirty' | 'apply-in-the-way', names: readonly RawName[]): never {
  throw new UmpireError(code, { session: place.session, files: listFew(projectNames(names, repository.prefix)) });
}

async function otherThan(seat: Seat, tree: string): Promise<ReadonlySet<RawName>> {
  return new Set(
    rawNames(await git(seat, ['diff-index', '--cached', '--name-only', '--no-renames', '--ignore-submodules=all', '-z', tree])),
  );
}

function kindOf({ repository }: Site, name: RawName): 'folder' | 'file' | 'nothing' {
  try {
    return lstatSync(pathIn(repository.checkout.workTree, name)).isDirectory() ? 'folder' : 'file';
  } catch {
    return 'nothing';
  }
}
