// What became of the work of many sessions. Git is asked once or twice for each project, not for each session.

import { existsSync } from 'node:fs';
import { lookAround } from './git.js';
import { readRef, refsOf } from './refs.js';
import { findRepository } from './repository.js';
import type { Repository } from './repository.js';
import { findRemains, holderOfName } from './site.js';
import type { SessionPlace } from './site.js';

export type Fate = 'not applied' | 'applied' | 'cleared';

/** Null where nobody can tell. */
type FateReader = (place: SessionPlace, kind: Repository['kind']) => Promise<Fate | null>;

/** What git tells is remembered: one reader is for one look. */
export function fateReader(): FateReader {
  const repositoryOf = once((project: string) => findRepository(project, project, 'git'));
  const refsIn = once((project: string) => new Map(listed(project, ['--format=%(refname) %(objectname)'])));
  const mergedIn = once((project: string) => new Set(listed(project, ['--merged=HEAD', '--format=%(refname)']).map(([ref]) => ref)));
  return async (place, kind) => {
    const site = findRemains(place, (project, folder) =>
      kind === 'git' ? repositoryOf(project) : findRepository(project, folder, 'snapshot'),
    );
    // No git any more around a project that had it; and of a copy the work is another's.
    if (site.repository.kind !== kind || holderOfName(site) !== null) return null;
    if (!existsSync(site.repository.gitDir)) return 'cleared';
    const read = async (ref: string) => (kind === 'git' ? (refsIn(place.project).get(ref) ?? null) : readRef(site, ref));
    const { head, branch, applied } = refsOf(site);
    const tip = (await read(head)) === null ? branch : head;
    const made = await read(tip);
    if (made === null) return existsSync(site.folder) ? null : 'cleared';
    if ((await read(applied)) === made) return 'applied';
    return kind === 'git' && mergedIn(place.project).has(tip) ? 'applied' : 'not applied';
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

function once<T>(find: (project: string) => T): (project: string) => T {
  const found = new Map<string, T>();
  return (project) => {
    const known = found.get(project);
    if (known !== undefined) return known;
    const made = find(project);
    found.set(project, made);
    return made;
  };
}
