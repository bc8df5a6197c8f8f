// Reads the refs of all sessions of a repository at once, and which sessions have work that no other branch has. The data may be outdated:
// good enough to keep something, never to remove it.

import { isUmpireError } from '@umpire/core/model/errors.js';
import { safeName } from '../sessions/safe-name.js';
import { runGitSync } from './git.js';
import type { GitResult } from './git.js';
import { findRepository } from './repository.js';
import type { SessionGit, SessionPlace } from './session-git.js';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { addToList } from '@umpire/core/formats/multimap.js';
import type { Repository } from './repository.js';
import { findSessionRemains, findNameHolder, refsOf, BRANCHES, listSessionRefs, readRef } from './session-git.js';
import { mayBeUnmerged, findUnmergedWork } from './unmerged-work.js';

export interface SessionRefsCache {
  readonly find: typeof findRepository;
  readonly hasRefs: (project: string, session: string) => boolean;
  /** Its branch has work that is nowhere else. Also false where that needs a closer look. */
  readonly isUnapplied: (sessionGit: SessionGit) => boolean;
  readonly names: (project: string) => ReadonlySet<string>;
}

interface Tip {
  readonly commit: string;
  readonly tree: string;
}

export function createSessionRefsCache(): SessionRefsCache {
  const repositoryOf = memoizeByProject((project: string) => findRepository(project, project, 'git'));
  const refsIn = memoizeByProject((project) => {
    const asked = ['for-each-ref', '--format=%(refname) %(objectname) %(tree)', 'refs/umpire', 'refs/heads/umpire'];
    const lines = readGitLines(() => runGitSync(project, asked));
    return new Map(
      lines.flatMap((line) => {
        const [ref = '', commit = '', tree = ''] = line.split(' ');
        return ref === '' ? [] : [[ref, { commit, tree }] as const];
      }),
    );
  });
  const namesIn = memoizeByProject(
    (project: string) =>
      new Set(
        [...refsIn(project).keys()].map((ref) =>
          ref.startsWith(OWN) ? ref.slice(OWN.length) : (ref.slice(BESIDE.length).split('/')[0] ?? ''),
        ),
      ),
  );
  const isElsewhere = memoizeByProject((project: string) => elsewhereIn(project, refsIn(project)));
  return {
    find: (project, sessionFolder, known) => (known === 'git' ? repositoryOf(project) : findRepository(project, sessionFolder, known)),
    hasRefs: (project, session) => namesIn(project).has(safeName(session)),
    names: namesIn,
    isUnapplied: (sessionGit) => {
      const { project } = sessionGit.place;
      if (sessionGit.repository.kind !== 'git') return false;
      const names = refsOf(sessionGit);
      const refs = refsIn(project);
      const [base, head] = [refs.get(names.base), refs.get(names.head)];
      if (base === undefined || head === undefined || base.tree === head.tree) return false;
      return refs.get(names.applied)?.commit !== head.commit && !isElsewhere(project)(head.commit, names.branch);
    },
  };
}

const OWN = `refs/heads/${BRANCHES}`;
const BESIDE = 'refs/umpire/';

/** Empty without git: the code that needs git reports it. */
function readGitLines(ask: () => GitResult): readonly string[] {
  try {
    const { code, stdout } = ask();
    return code === 0 ? stdout.toString('utf8').split('\n') : [];
  } catch (error) {
    if (isUmpireError(error)) return [];
    throw error;
  }
}

/** Is a commit on another branch, a remote branch or a tag? True where git cannot tell. */
function elsewhereIn(project: string, refs: ReadonlyMap<string, Tip>): (commit: string, own: string) => boolean {
  const persons = ['--not', `--exclude=${BRANCHES}*`, '--branches', '--remotes', '--tags'];
  const tips = [...new Set([...refs.values()].map(({ commit }) => commit))];
  const { code, stdout } = runGitSync(project, ['rev-list', '--parents', '--stdin', ...persons], `${tips.join('\n')}\n`);
  if (code !== 0) return () => true;
  const lines = stdout.toString('utf8').split('\n');
  const alone = new Map(lines.map((line) => line.split(' ')).map(([commit = '', ...parents]) => [commit, parents]));
  const holders = new Map<string, Set<string>>();
  for (const [ref, { commit }] of refs) if (ref.startsWith(OWN)) holdAll(alone, holders, ref, commit);
  return (commit, own) => !alone.has(commit) || [...(holders.get(commit) ?? [])].some((ref) => ref !== own);
}

/** Marks the commit and its ancestors that are on none of the person's branches as held by this branch. */
function holdAll(alone: ReadonlyMap<string, readonly string[]>, holders: Map<string, Set<string>>, ref: string, tip: string): void {
  const open = [tip];
  for (let commit = open.pop(); commit !== undefined; commit = open.pop()) {
    const parents = alone.get(commit);
    const by = holders.get(commit) ?? new Set();
    if (parents === undefined || by.has(ref)) continue;
    holders.set(commit, by.add(ref));
    open.push(...parents);
  }
}

// Remembers the result of a function by project.

function memoizeByProject<T>(find: (project: string) => T): (project: string) => T {
  const found = new Map<string, T>();
  return (project) => {
    const known = found.get(project);
    if (known !== undefined) return known;
    const made = find(project);
    found.set(project, made);
    return made;
  };
}

// Tells for many sessions whether their work was applied. Asks git once or twice per project, and per session only where a task's work may
// be unmerged.

type MergeStatus = 'not applied' | 'applied' | 'cleared';

interface SessionWorkFacts {
  readonly kind: Repository['kind'];
  /** The branch has more than it began with. */
  readonly isMerged: boolean;
  readonly finished: readonly string[];
}

/** Null where the status is unknown or there is no work. */
type MergeStatusReader = (place: SessionPlace, made: SessionWorkFacts) => Promise<MergeStatus | null>;

/** Remembers git's answers, so use one reader for one listing. */
export function createMergeStatusReader(): MergeStatusReader {
  const repositoryOf = memoizeByProject((project: string) => findRepository(project, project, 'git'));
  const refsIn = memoizeByProject((project: string) => new Map(listAllRefs(project, ['--format=%(refname) %(objectname)'])));
  const refsBy = memoizeByProject((project: string) => {
    const found = new Map<string, string[]>();
    for (const ref of refsIn(project).keys()) addToList(found, dirname(ref), ref);
    return found;
  });
  const mergedIn = memoizeByProject(
    (project: string) => new Set(listAllRefs(project, ['--merged=HEAD', '--format=%(refname)']).map(([ref]) => ref)),
  );
  const branchStatus = async (sessionGit: SessionGit): Promise<MergeStatus | null> => {
    const { kind } = sessionGit.repository;
    const { project } = sessionGit.place;
    const readTip = async (ref: string) => (kind === 'git' ? (refsIn(project).get(ref) ?? null) : readRef(sessionGit, ref));
    const { head, branch, applied } = refsOf(sessionGit);
    const tip = (await readTip(head)) === null ? branch : head;
    const made = await readTip(tip);
    if (made === null) return existsSync(sessionGit.folder) ? null : 'cleared';
    if ((await readTip(applied)) === made) return 'applied';
    return kind === 'git' && mergedIn(project).has(tip) ? 'applied' : 'not applied';
  };
  return async (place, { kind, isMerged, finished }) => {
    const sessionGit = findSessionRemains(place, (project, folder) =>
      kind === 'git' ? repositoryOf(project) : findRepository(project, folder, 'snapshot'),
    );
    // The project left its git repository, or the session is a copy whose work belongs to another.
    if (sessionGit.repository.kind !== kind || findNameHolder(sessionGit) !== null) return null;
    if (!existsSync(sessionGit.repository.gitDir)) return isMerged ? 'cleared' : null;
    const status = isMerged ? await branchStatus(sessionGit) : null;
    if (status === 'not applied') return status;
    const refs = kind === 'git' ? (refsBy(place.project).get(refsOf(sessionGit).all) ?? []) : await listSessionRefs(sessionGit);
    const isLeft = mayBeUnmerged(sessionGit, refs, finished) && (await findUnmergedWork(sessionGit, finished)).length > 0;
    return isLeft ? 'not applied' : status;
  };
}

/** The refs of all sessions: name first. */
function listAllRefs(project: string, asked: readonly string[]): [ref: string, commit: string][] {
  const { code, stdout } = runGitSync(project, ['for-each-ref', ...asked, 'refs/umpire', 'refs/heads/umpire']);
  if (code !== 0) return [];
  return stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [ref = '', commit = ''] = line.split(' ');
      return ref === '' ? [] : [[ref, commit]];
    });
}
