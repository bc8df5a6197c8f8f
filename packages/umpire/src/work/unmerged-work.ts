// Finds work that never reached the session's branch: commits that conflicted, waited for an answer or were submitted when the session
// ended; files in worktrees that were never taken; a person's commits that the branch lost.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { safeName } from '../sessions/safe-name.js';
import { hasChanges, listChanges } from './worktree-changes.js';
import { diffTrees } from './commits.js';
import { workdirOf } from './prepare-worktree.js';
import { listLines, tryGit } from './git.js';
import { readSharedFiles } from './shared-files.js';
import { readRef, refsOf, showCommand, projectNames } from './session-git.js';
import type { SessionGit } from './session-git.js';
import { keptIn, unfetchedModules } from './submodules.js';
import { leaseOf } from './task-worktree.js';

export interface UnmergedFiles {
  /** The task; null for a person's work. */
  readonly task: string | null;
  readonly files: readonly string[];
  /** A command that shows it, or its folder. */
  readonly place: { readonly commit: string; readonly show: string } | { readonly folder: string };
}

/** `finished`: completed tasks. The remains of their earlier attempts are not work. */
export async function findUnmergedWork(sessionGit: SessionGit, finished: readonly string[]): Promise<readonly UnmergedFiles[]> {
  if (!existsSync(sessionGit.repository.gitDir)) return [];
  const done = new Set(finished.map(safeName));
  const isUnfinished = ({ task }: { readonly task: string | null }): boolean => task === null || !done.has(task);
  const found: UnmergedFiles[] = [];
  for (const one of latestAttempts((await listUnmergedCommits(sessionGit)).filter(isUnfinished))) {
    const files = await listFilesOnlyIn(sessionGit, one.commit);
    if (files.length > 0) found.push({ task: one.task, files, place: { commit: one.commit, show: showCommand(sessionGit, one.commit) } });
  }
  for (const one of listLeases(sessionGit).filter(isUnfinished)) {
    const files = await listFilesLeft(sessionGit, one.name);
    if (files.length > 0)
      found.push({ task: one.task, files, place: { folder: workdirOf(sessionGit, join(sessionGit.folder, one.name)) } });
  }
  return [...found, ...(await listUnfetchedModules(sessionGit))];
}

/** Submodule commits that the branch needs and the person's clones lack. */
async function listUnfetchedModules(sessionGit: SessionGit): Promise<readonly UnmergedFiles[]> {
  if (keptIn(sessionGit.folder).length === 0) return [];
  const [base, head] = await Promise.all([refsOf(sessionGit).base, refsOf(sessionGit).head].map((ref) => readRef(sessionGit, ref)));
  if (base === null || base === undefined || head === null || head === undefined) return [];
  return unfetchedModules(sessionGit, await diffTrees(sessionGit, base, head)).map(({ name, commit, fetch, worktree }) => ({
    task: /^task-(.*)-\d+$/.exec(worktree)?.[1] ?? worktree,
    files: projectNames([name], sessionGit.repository.prefix),
    place: { commit, show: fetch },
  }));
}

/** A quick check by the names of refs and files alone. */
export function mayBeUnmerged(sessionGit: SessionGit, refs: readonly string[], finished: readonly string[]): boolean {
  const done = new Set(finished.map(safeName));
  return (
    refs.some((ref) => {
      const name = ref.slice(refsOf(sessionGit).all.length + 1);
      const named = parseRefName(name);
      return named !== undefined && (named.isAside || !done.has(named.task));
    }) ||
    listLeases(sessionGit).some(({ task }) => !done.has(task)) ||
    keptIn(sessionGit.folder).length > 0
  );
}

interface UnmergedCommit {
  readonly task: string | null;
  readonly attempt: number;
  readonly commit: string;
}

/** `T1-2` is the second attempt of T1. Undefined: a ref of the session itself. */
function parseRefName(name: string): { readonly task: string; readonly attempt: number; readonly isAside: boolean } | undefined {
  const [, task, attempt] = /^(.*)-(\d+)$/.exec(name) ?? [];
  if (ASIDE.test(name)) return { task: name, attempt: 0, isAside: true };
  return task === undefined ? undefined : { task, attempt: Number(attempt), isAside: false };
}

/** Named by the id of a commit that the branch lost, or of a tree of discarded changes. */
const ASIDE = /^aside-([0-9a-f]{10})$/;

/** Commits that the branch does not have. */
async function listUnmergedCommits(sessionGit: SessionGit): Promise<readonly UnmergedCommit[]> {
  const { all, head, branch } = refsOf(sessionGit);
  const tip = (await readRef(sessionGit, head)) ?? (await readRef(sessionGit, branch));
  const shape = ['for-each-ref', '--format=%(objectname) %(refname)', ...(tip === null ? [] : [`--no-merged=${tip}`]), `${all}/`];
  return (await listLines(sessionGit.gitTarget, shape)).flatMap((line): readonly UnmergedCommit[] => {
    const [commit = '', ref = ''] = line.split(' ');
    const named = parseRefName(ref.slice(all.length + 1));
    if (named === undefined) return [];
    if (!named.isAside) return [{ task: named.task, attempt: named.attempt, commit }];
    return commit.startsWith(ASIDE.exec(named.task)?.[1] ?? 'x') ? [{ task: null, attempt: 0, commit }] : [];
  });
}

/** The latest attempt of each task, and all of a person's commits. */
function latestAttempts(all: readonly UnmergedCommit[]): readonly UnmergedCommit[] {
  return all.filter((one) => !all.some((other) => other.task !== null && other.task === one.task && other.attempt > one.attempt));
}

/** The changed files; empty where the session or the person already has them. */
async function listFilesOnlyIn(sessionGit: SessionGit, commit: string): Promise<readonly string[]> {
  const { kind, checkout, prefix } = sessionGit.repository;
  // The merge base with the branch: a person may have made several commits.
  const { head, branch } = refsOf(sessionGit);
  const tip = (await readRef(sessionGit, head)) ?? (await readRef(sessionGit, branch));
  const common = tip === null ? '' : (await tryGit(sessionGit.gitTarget, ['merge-base', tip, commit])).stdout.toString('utf8').trim();
  const start = await (common === '' ? readRef(sessionGit, `${commit}^`) : common);
  if (start === null || (await isElsewhere(sessionGit, commit))) return [];
  const names = (await diffTrees(sessionGit, start, commit)).map(({ name }) => name);
  const own =
    kind === 'git' ? (await tryGit(checkout, ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'])).stdout.toString('utf8').trim() : '';
  for (const other of [await readRef(sessionGit, refsOf(sessionGit).head), own === '' ? null : own]) {
    if (other === null) continue;
    const apart = new Set((await diffTrees(sessionGit, commit, other)).map(({ name }) => name));
    if (!names.some((name) => apart.has(name))) return [];
  }
  return projectNames(names, prefix);
}

/** Has the person merged it into a branch of their own? */
export async function isElsewhere(sessionGit: SessionGit, commit: string): Promise<boolean> {
  const places = ['refs/heads', 'refs/remotes', 'refs/tags'];
  const refs = await listLines(sessionGit.gitTarget, ['for-each-ref', '--format=%(refname)', `--contains=${commit}`, ...places]);
  return refs.some((ref) => ref !== refsOf(sessionGit).branch);
}

function listLeases({ folder }: SessionGit): readonly { readonly name: string; readonly task: string }[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((file) => {
    const [, name, task] = /^(task-(.*)-\d+)\.state$/.exec(file) ?? [];
    return name === undefined || task === undefined ? [] : [{ name, task }];
  });
}

async function listFilesLeft(sessionGit: SessionGit, name: string): Promise<readonly string[]> {
  const lease = leaseOf(sessionGit, name);
  if (lease === null) return [];
  const changes = await listChanges(lease.worktree, lease.index, readSharedFiles(sessionGit));
  return hasChanges(changes) ? projectNames([...changes.tracked, ...changes.added], sessionGit.repository.prefix) : [];
}
