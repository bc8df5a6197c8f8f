// What one look at a repository tells of all its sessions: the refs they have, and whose work is on nobody's branch but its own. It may be
// old by the time it is used: enough to keep something, never to remove it.

import { isUmpireError } from '@umpire/core/errors.js';
import { safeName } from '../sessions/safe-name.js';
import { lookAround } from './git.js';
import type { Answer } from './git.js';
import { once } from './memory.js';
import { BRANCHES } from './names.js';
import { refsOf } from './refs.js';
import { findRepository } from './repository.js';
import type { Site } from './site.js';

export interface Survey {
  /** As `findRepository`, each project's asked for once. */
  readonly find: typeof findRepository;
  /** Do a branch or refs go by this name? */
  readonly hasRefs: (project: string, session: string) => boolean;
  /** Its branch holds work that is nowhere else. False also where that takes a closer look. */
  readonly isUnapplied: (site: Site) => boolean;
  /** Every name that a branch or refs go by. */
  readonly names: (project: string) => ReadonlySet<string>;
}

interface Tip {
  readonly commit: string;
  readonly tree: string;
}

export function surveyor(): Survey {
  const repositoryOf = once((project: string) => findRepository(project, project, 'git'));
  const refsIn = once(readTips);
  const namesIn = once((project: string) => new Set([...refsIn(project).keys()].map(nameIn)));
  const isElsewhere = once((project: string) => elsewhereIn(project, refsIn(project)));
  return {
    find: (project, sessionFolder, known) => (known === 'git' ? repositoryOf(project) : findRepository(project, sessionFolder, known)),
    hasRefs: (project, session) => namesIn(project).has(safeName(session)),
    names: namesIn,
    isUnapplied: (site) => {
      const { project } = site.place;
      if (site.repository.kind !== 'git') return false;
      const names = refsOf(site);
      const refs = refsIn(project);
      const [base, head] = [refs.get(names.base), refs.get(names.head)];
      if (base === undefined || head === undefined || base.tree === head.tree) return false;
      return refs.get(names.applied)?.commit !== head.commit && !isElsewhere(project)(head.commit, names.branch);
    },
  };
}

const OWN = `refs/heads/${BRANCHES}`;
const BESIDE = 'refs/umpire/';

function nameIn(ref: string): string {
  return ref.startsWith(OWN) ? ref.slice(OWN.length) : (ref.slice(BESIDE.length).split('/')[0] ?? '');
}

function readTips(project: string): ReadonlyMap<string, Tip> {
  const asked = ['for-each-ref', '--format=%(refname) %(objectname) %(tree)', 'refs/umpire', 'refs/heads/umpire'];
  const lines = linesOf(() => lookAround(project, asked));
  return new Map(
    lines.flatMap((line) => {
      const [ref = '', commit = '', tree = ''] = line.split(' ');
      return ref === '' ? [] : [[ref, { commit, tree }] as const];
    }),
  );
}

/** None where there is no git: whoever needs one says so. */
function linesOf(ask: () => Answer): readonly string[] {
  try {
    const { code, stdout } = ask();
    return code === 0 ? stdout.toString('utf8').split('\n') : [];
  } catch (error) {
    if (isUmpireError(error)) return [];
    throw error;
  }
}

/** Is a commit on a branch, a remote one or a tag, other than this branch? Where git cannot tell, it may be. */
function elsewhereIn(project: string, refs: ReadonlyMap<string, Tip>): (commit: string, own: string) => boolean {
  const persons = ['--not', `--exclude=${BRANCHES}*`, '--branches', '--remotes', '--tags'];
  const tips = [...new Set([...refs.values()].map(({ commit }) => commit))];
  const { code, stdout } = lookAround(project, ['rev-list', '--parents', '--stdin', ...persons], `${tips.join('\n')}\n`);
  if (code !== 0) return () => true;
  const lines = stdout.toString('utf8').split('\n');
  const alone = new Map(lines.map((line) => line.split(' ')).map(([commit = '', ...parents]) => [commit, parents]));
  const holders = new Map<string, Set<string>>();
  for (const [ref, { commit }] of refs) if (ref.startsWith(OWN)) holdAll(alone, holders, ref, commit);
  return (commit, own) => !alone.has(commit) || [...(holders.get(commit) ?? [])].some((ref) => ref !== own);
}

/** The branch holds the commit and all before it that are on none of the person's. */
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
