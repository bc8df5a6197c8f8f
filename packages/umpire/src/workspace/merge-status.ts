// What became of the work of many sessions. Git is asked once or twice for each project; for a session by itself only where a task's work
// may never have been merged.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { addToList } from '@umpire/core/formats/multimap.js';
import { lookAround } from './git.js';
import { once } from './memory.js';
import { listRefs, readRef, refsOf } from './refs.js';
import { findRepository } from './repository.js';
import type { Repository } from './repository.js';
import { findRemains, holderOfName } from './site.js';
import type { SessionPlace, Site } from './site.js';
import { mayBeUnmerged, unmergedWork } from './unmerged-work.js';

export type Fate = 'not applied' | 'applied' | 'cleared';

interface Made {
  readonly kind: Repository['kind'];
  /** The branch holds more than it began with. */
  readonly isMerged: boolean;
  /** The tasks that were completed. */
  readonly finished: readonly string[];
}

/** Null where nobody can tell, or there is nothing. */
type FateReader = (place: SessionPlace, made: Made) => Promise<Fate | null>;

/** What git tells is remembered: one reader is for one look. */
export function fateReader(): FateReader {
  const repositoryOf = once((project: string) => findRepository(project, project, 'git'));
  const refsIn = once((project: string) => new Map(listed(project, ['--format=%(refname) %(objectname)'])));
  const refsBy = once((project: string) => {
    const found = new Map<string, string[]>();
    for (const ref of refsIn(project).keys()) addToList(found, dirname(ref), ref);
    return found;
  });
  const mergedIn = once((project: string) => new Set(listed(project, ['--merged=HEAD', '--format=%(refname)']).map(([ref]) => ref)));
  const fateOfBranch = async (site: Site): Promise<Fate | null> => {
    const { kind } = site.repository;
    const { project } = site.place;
    const read = async (ref: string) => (kind === 'git' ? (refsIn(project).get(ref) ?? null) : readRef(site, ref));
    const { head, branch, applied } = refsOf(site);
    const tip = (await read(head)) === null ? branch : head;
    const made = await read(tip);
    if (made === null) return existsSync(site.folder) ? null : 'cleared';
    if ((await read(applied)) === made) return 'applied';
    return kind === 'git' && mergedIn(project).has(tip) ? 'applied' : 'not applied';
  };
  return async (place, { kind, isMerged, finished }) => {
    const site = findRemains(place, (project, folder) =>
      kind === 'git' ? repositoryOf(project) : findRepository(project, folder, 'snapshot'),
    );
    // No git any more around a project that had it; and of a copy the work is another's.
    if (site.repository.kind !== kind || holderOfName(site) !== null) return null;
    if (!existsSync(site.repository.gitDir)) return isMerged ? 'cleared' : null;
    const fate = isMerged ? await fateOfBranch(site) : null;
    if (fate === 'not applied') return fate;
    const refs = kind === 'git' ? (refsBy(place.project).get(refsOf(site).all) ?? []) : await listRefs(site);
    const isLeft = mayBeUnmerged(site, refs, finished) && (await unmergedWork(site, finished)).length > 0;
    return isLeft ? 'not applied' : fate;
  };
}

/** The refs of all sessions: name first. */
function listed(project: string, asked: readonly string[]): [ref: string, commit: string][] {
  const { code, stdout } = lookAround(project, ['for-each-ref', ...asked, 'refs/umpire', 'refs/heads/umpire']);
  if (code !== 0) return [];
  return stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [ref = '', commit = ''] = line.split(' ');
      return ref === '' ? [] : [[ref, commit]];
    });
}
