// Work of tasks that never came into the session's branch: commits that conflicted, that were kept while a question waited, or that were
// handed in when the session was given up; what lies in worktrees that nobody could take it from; commits of a person that the branch lost.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { safeName } from '../sessions/safe-name.js';
import { hasChanges, listChanges } from './changes.js';
import { differences } from './commits.js';
import { workdirOf } from './prepare-worktree.js';
import { git, tryGit } from './git.js';
import { SHORT_ID, projectNames } from './names.js';
import { knownProvisions } from './provisions.js';
import { readRef, refsOf } from './refs.js';
import type { Site } from './site.js';
import { keptIn, unfetchedModules } from './submodules.js';
import { leaseOf } from './task-worktree.js';

export interface UnmergedWork {
  /** Whose; null where it is a person's. */
  readonly task: string | null;
  readonly files: readonly string[];
  /** A command that shows it, or the folder that it lies in. */
  readonly place: { readonly commit: string; readonly show: string } | { readonly folder: string };
}

/** `finished`: tasks that were completed. What an earlier attempt of one has left is no work any more. */
export async function unmergedWork(site: Site, finished: readonly string[]): Promise<readonly UnmergedWork[]> {
  if (!existsSync(site.repository.gitDir)) return [];
  const done = new Set(finished.map(safeName));
  const isOpen = ({ task }: { readonly task: string | null }): boolean => task === null || !done.has(task);
  const found: UnmergedWork[] = [];
  for (const one of latestOf((await commitsBeside(site)).filter(isOpen))) {
    const files = await filesOnlyIn(site, one.commit);
    if (files.length > 0) found.push({ task: one.task, files, place: { commit: one.commit, show: showing(site, one.commit) } });
  }
  for (const one of leasesIn(site).filter(isOpen)) {
    const files = await filesLeft(site, one.name);
    if (files.length > 0) found.push({ task: one.task, files, place: { folder: workdirOf(site, join(site.folder, one.name)) } });
  }
  return [...found, ...(await modulesLeft(site))];
}

/** Commits in submodules that the branch leads to, and that the person's own clones lack. */
async function modulesLeft(site: Site): Promise<readonly UnmergedWork[]> {
  if (keptIn(site.folder).length === 0) return [];
  const [base, head] = await Promise.all([refsOf(site).base, refsOf(site).head].map((ref) => readRef(site, ref)));
  if (base === null || base === undefined || head === null || head === undefined) return [];
  return unfetchedModules(site, await differences(site, base, head)).map(({ name, commit, fetch, worktree }) => ({
    task: /^task-(.*)-\d+$/.exec(worktree)?.[1] ?? worktree,
    files: projectNames([name], site.repository.prefix),
    place: { commit, show: fetch },
  }));
}

function showing({ repository: { kind, gitDir } }: Site, commit: string): string {
  return `git ${kind === 'git' ? '' : `--git-dir="${gitDir}" `}show ${commit.slice(0, SHORT_ID)}`;
}

/** Is there anything that it could be, by the names of its refs and files alone? */
export function mayBeUnmerged(site: Site, refs: readonly string[], finished: readonly string[]): boolean {
  const done = new Set(finished.map(safeName));
  const isOpen = (name: string): boolean => {
    const named = nameIn(name);
    return named !== undefined && (named.isAside || !done.has(named.task));
  };
  return (
    refs.some((ref) => isOpen(ref.slice(refsOf(site).all.length + 1))) ||
    leasesIn(site).some(({ task }) => !done.has(task)) ||
    keptIn(site.folder).length > 0
  );
}

interface Beside {
  readonly task: string | null;
  readonly attempt: number;
  readonly commit: string;
}

/** `T1-2` is the second attempt of T1. Undefined: a ref of the session itself. */
function nameIn(name: string): { readonly task: string; readonly attempt: number; readonly isAside: boolean } | undefined {
  const [, task, attempt] = /^(.*)-(\d+)$/.exec(name) ?? [];
  if (ASIDE.test(name)) return { task: name, attempt: 0, isAside: true };
  return task === undefined ? undefined : { task, attempt: Number(attempt), isAside: false };
}

/** Put aside: by the id of a commit that the branch lost, or of a tree of changes that nobody handed in, which were told as thrown away. */
const ASIDE = /^aside-([0-9a-f]{10})$/;

/** Those that the branch does not hold. */
async function commitsBeside(site: Site): Promise<readonly Beside[]> {
  const { all, head, branch } = refsOf(site);
  const tip = (await readRef(site, head)) ?? (await readRef(site, branch));
  const shape = ['for-each-ref', '--format=%(objectname) %(refname)', ...(tip === null ? [] : [`--no-merged=${tip}`]), `${all}/`];
  const lines = (await git(site.seat, shape)).toString('utf8').split('\n');
  return lines.flatMap((line): readonly Beside[] => {
    const [commit = '', ref = ''] = line.split(' ');
    const named = nameIn(ref.slice(all.length + 1));
    if (named === undefined) return [];
    if (!named.isAside) return [{ task: named.task, attempt: named.attempt, commit }];
    return commit.startsWith(ASIDE.exec(named.task)?.[1] ?? 'x') ? [{ task: null, attempt: 0, commit }] : [];
  });
}

/** Of a task the latest attempt; a person's all. */
function latestOf(all: readonly Beside[]): readonly Beside[] {
  const isLater = (one: Beside, other: Beside): boolean => other.task !== null && other.task === one.task && other.attempt > one.attempt;
  return all.filter((one) => !all.some((other) => isLater(one, other)));
}

/** What it changed; none where the session or the person has it by now. */
async function filesOnlyIn(site: Site, commit: string): Promise<readonly string[]> {
  const { kind, checkout, prefix } = site.repository;
  const start = await startOf(site, commit);
  if (start === null || (await isElsewhere(site, commit))) return [];
  const names = (await differences(site, start, commit)).map(({ name }) => name);
  const own =
    kind === 'git' ? (await tryGit(checkout, ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'])).stdout.toString('utf8').trim() : '';
  for (const other of [await readRef(site, refsOf(site).head), own === '' ? null : own]) {
    if (other === null) continue;
    const apart = new Set((await differences(site, commit, other)).map(({ name }) => name));
    if (!names.some((name) => apart.has(name))) return [];
  }
  return projectNames(names, prefix);
}

/** Where it left the branch: a person may have made several commits. */
async function startOf(site: Site, commit: string): Promise<string | null> {
  const { head, branch } = refsOf(site);
  const tip = (await readRef(site, head)) ?? (await readRef(site, branch));
  const common = tip === null ? '' : (await tryGit(site.seat, ['merge-base', tip, commit])).stdout.toString('utf8').trim();
  return common === '' ? readRef(site, `${commit}^`) : common;
}

/** Has the person merged it into a branch of their own? */
export async function isElsewhere(site: Site, commit: string): Promise<boolean> {
  const places = ['refs/heads', 'refs/remotes', 'refs/tags'];
  const out = await git(site.seat, ['for-each-ref', '--format=%(refname)', `--contains=${commit}`, ...places]);
  return out
    .toString('utf8')
    .split('\n')
    .some((ref) => ref !== '' && ref !== refsOf(site).branch);
}

/** Worktrees that were lent, and not given back. */
function leasesIn({ folder }: Site): readonly { readonly name: string; readonly task: string }[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((file) => {
    const [, name, task] = /^(task-(.*)-\d+)\.json$/.exec(file) ?? [];
    return name === undefined || task === undefined ? [] : [{ name, task }];
  });
}

async function filesLeft(site: Site, name: string): Promise<readonly string[]> {
  const lease = leaseOf(site, name);
  if (lease === null) return [];
  const changes = await listChanges(lease.worktree, lease.index, knownProvisions(site));
  return hasChanges(changes) ? projectNames([...changes.tracked, ...changes.added], site.repository.prefix) : [];
}
