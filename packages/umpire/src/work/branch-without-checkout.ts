// The branch of a session for a conductor: merges, reverts and restores in a mirror, without a checkout, and moves the branch of the remote.
// A repeated step makes the same commit, on any machine. Commits come from workers and are not trusted.

import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import type { Merge, Workspace } from '@umpire/core/model/ports.js';
import { isAncestor, signatureOf } from './commits.js';
import { projectNames } from './session-git.js';
import { listLines } from './git.js';
import type { RawName } from './git.js';
import { makeMerge, makeRestore, makeReverts } from './next-commit.js';
import type { CommitMaker, NextCommit } from './next-commit.js';
import { moveRemoteBranch } from './remote-repository.js';
import type { BranchMove, Mirror } from './remote-repository.js';
import type { SessionGit } from './session-git.js';

export interface BranchOptions {
  readonly session: string;
  readonly branch: string;
  readonly base: string;
  /** The last commit of the branch in the journal. */
  readonly head: string;
  /** The project's folder in the repository, with slashes; default: the root. */
  readonly prefix?: string;
  readonly onMove: (move: BranchMove) => void | Promise<void>;
}

export function openBranch(mirror: Mirror, options: BranchOptions): Workspace {
  const { session, branch, base, prefix = '', onMove } = options;
  const sessionGit = sessionGitOf(mirror, options);
  const maker: CommitMaker = { sessionGit, signatureFor: (commit) => signatureOf(sessionGit, commit) };
  let { head } = options;
  let last: Promise<unknown> = Promise.resolve();

  const queueMove = <T>(act: () => Promise<T>): Promise<T> => {
    const turn = last.then(act, act);
    last = turn.catch(() => undefined);
    return turn;
  };
  const showNames = (names: readonly RawName[]): readonly string[] => projectNames(names, prefix);
  const settleCommit = async (next: NextCommit): Promise<Merge> => {
    if (!next.ok) return { ok: false, files: showNames(next.files) };
    if (next.head !== head) {
      try {
        await onMove(await moveOrCreate(mirror, { branch, from: head, to: next.head }));
      } catch (error) {
        // Trying again would not help: a person has to look.
        if (!isUmpireError(error) || error.code !== 'remote-moved') throw error;
        return { ok: false, files: [], reason: `${error.message} ${error.hint}` };
      }
      head = next.head;
    }
    return { ok: true, head, files: showNames(next.steps.map(({ name }) => name)) };
  };
  const refuseFolders = (): never => {
    throw new UmpireError('internal', { detail: 'a branch without a checkout has no folders' });
  };

  return {
    kind: 'git',
    branch,
    get path(): string {
      return refuseFolders();
    },
    open: async () => {
      await mirror.fetch([base, head], session);
      return { base, head };
    },
    merge: (task, commit) =>
      queueMove(async () => {
        await mirror.fetch([base, head], session);
        const reason = (await fetchWork(mirror, commit, session)) ?? (await checkHandedIn(sessionGit, base, head, commit));
        if (reason !== null) return { ok: false, files: [], reason };
        return settleCommit(await makeMerge(maker, head, task, commit, null));
      }),
    revert: (commits, why) =>
      queueMove(async () => {
        await mirror.fetch([base, head], session);
        return settleCommit(await makeReverts(maker, head, commits, why));
      }),
    restore: (files, commit, why, existing) =>
      queueMove(async () => {
        await mirror.fetch([base, head, commit], session);
        const wanted = new Set(files);
        return settleCommit(
          await makeRestore(maker, head, commit, { isWanted: (name) => showNames([name]).every((one) => wanted.has(one)), existing, why }),
        );
      }),
    // No folder, so nobody can have left anything in it.
    sweep: () => Promise.resolve([]),
    takeEdit: () => Promise.resolve(null),
    giveBack: () => Promise.resolve(),
    visit: async () => refuseFolders(),
    lend: async () => refuseFolders(),
    placeOf: refuseFolders,
    submit: async () => refuseFolders(),
    keep: async () => refuseFolders(),
  };
}

/** The mirror in the place of a person's repository. No person's settings: the same merge must come out on every machine. */
function sessionGitOf({ gitDir }: Mirror, { session, branch, prefix = '' }: BranchOptions): SessionGit {
  const folder = `${gitDir}-merges`;
  return {
    place: { project: gitDir, session, home: folder, sessionFolder: folder },
    repository: { kind: 'git', gitDir, checkout: { gitDir, workTree: gitDir }, prefix, isPlain: true },
    gitTarget: { gitDir, ownSettingsOnly: true },
    branch,
    folder,
  };
}

/** The remote has the branch from its first move on. A deleted branch is made again: the journal knows its head. */
async function moveOrCreate(mirror: Mirror, move: BranchMove & { readonly from: string }): Promise<BranchMove> {
  try {
    await moveRemoteBranch(mirror, move);
    return move;
  } catch (error) {
    if (!isUmpireError(error) || error.code !== 'remote-moved') throw error;
    const created = { ...move, from: null };
    try {
      await moveRemoteBranch(mirror, created);
      return created;
    } catch (other) {
      // It was not missing: the first error names the expected commit.
      throw isUmpireError(other) && other.code === 'remote-moved' ? error : other;
    }
  }
}

/** Null, or why there is nothing to merge. */
async function fetchWork(mirror: Mirror, commit: string, session: string): Promise<string | null> {
  try {
    await mirror.fetch([commit], session);
    return null;
  } catch (error) {
    if (isUmpireError(error) && error.code === 'remote-lacks') return error.message;
    throw error;
  }
}

/** A worker hands in exactly one commit, on a head that the branch has or had. Null if this is one. */
async function checkHandedIn(sessionGit: SessionGit, base: string, head: string, commit: string): Promise<string | null> {
  if (await isAncestor(sessionGit, commit, base)) return `commit ${commit} has no work: it is part of the base`;
  if (await isAncestor(sessionGit, commit, head)) return null;
  const listRevisions = (...args: readonly string[]) => listLines(sessionGit.gitTarget, ['rev-list', '--first-parent', ...args]);
  const [line = ''] = await listRevisions('--parents', '-1', commit);
  const [parent, ...others] = line.split(' ').slice(1);
  if (parent === undefined || others.length > 0) return `commit ${commit} must have exactly one parent`;
  const heads = new Set([base, ...(await listRevisions(head, `^${base}`))]);
  return heads.has(parent) ? null : `commit ${commit} must be one commit on a head of the branch, but is on ${parent}`;
}
