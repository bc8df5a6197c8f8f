// Tells for many sessions whether their work was applied. Asks git once or twice per project, and per session only where a task's work may
// be unmerged.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { addToList } from '@umpire/core/formats/multimap.js';
import { runGitSync } from './git.js';
import { memoizeByProject } from './memoize.js';
import { listRefs, readRef, refsOf } from './refs.js';
import { findRepository } from './repository.js';
import type { Repository } from './repository.js';
import { findSessionRemains, findNameHolder } from './session-git.js';
import type { SessionPlace, SessionGit } from './session-git.js';
import { mayBeUnmerged, unmergedWork } from './unmerged-work.js';

export type MergeStatus = 'not applied' | 'applied' | 'cleared';

interface SessionWorkFacts {
  readonly kind: Repository['kind'];
  /** The branch has more than it began with. */
  readonly isMerged: boolean;
  /** The completed tasks. */
  readonly finished: readonly string[];
}

/** Null where the status is unknown or there is no work. */
type MergeStatusReader = (place: SessionPlace, made: SessionWorkFacts) => Promise<MergeStatus | null>;

/** Remembers git's answers, so use one reader for one listing. */
export function createMergeStatusReader(): MergeStatusReader {
  const repositoryOf = memoizeByProject((project: string) => findRepository(project, project, 'git'));
  const refsIn = memoizeByProject((project: string) => new Map(listed(project, ['--format=%(refname) %(objectname)'])));
  const refsBy = memoizeByProject((project: string) => {
    const found = new Map<string, string[]>();
    for (const ref of refsIn(project).keys()) addToList(found, dirname(ref), ref);
    return found;
  });
  const mergedIn = memoizeByProject(
    (project: string) => new Set(listed(project, ['--merged=HEAD', '--format=%(refname)']).map(([ref]) => ref)),
  );
  const branchStatus = async (sessionGit: SessionGit): Promise<MergeStatus | null> => {
    const { kind } = sessionGit.repository;
    const { project } = sessionGit.place;
    const read = async (ref: string) => (kind === 'git' ? (refsIn(project).get(ref) ?? null) : readRef(sessionGit, ref));
    const { head, branch, applied } = refsOf(sessionGit);
    const tip = (await read(head)) === null ? branch : head;
    const made = await read(tip);
    if (made === null) return existsSync(sessionGit.folder) ? null : 'cleared';
    if ((await read(applied)) === made) return 'applied';
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
    const refs = kind === 'git' ? (refsBy(place.project).get(refsOf(sessionGit).all) ?? []) : await listRefs(sessionGit);
    const isLeft = mayBeUnmerged(sessionGit, refs, finished) && (await unmergedWork(sessionGit, finished)).length > 0;
    return isLeft ? 'not applied' : status;
  };
}

/** The refs of all sessions: name first. */
function listed(project: string, asked: readonly string[]): [ref: string, commit: string][] {
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
