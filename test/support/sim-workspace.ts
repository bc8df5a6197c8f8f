// The workspace of a simulation, in memory: commits are numbers, a branch is a list of them, a worktree is a set of file names. As in
// the real workspace, every operation may be repeated after a crash.

import type { Merge, Workspace } from '@umpire/core/model/ports.js';
import type { SeededRandom } from './sim-random.js';
import { Broken } from './sim-world.js';
import type { Process, World } from './sim-world.js';

interface Commit {
  readonly id: string;
  readonly task: string;
  readonly files: readonly string[];
  /** How long the branch was when the work began. */
  readonly base: number;
  /** It conflicts with whatever changed one of its files meanwhile. */
  readonly clashes: boolean;
}

/** The state on the disk, which survives every process. */
export class Repository {
  readonly commits = new Map<string, Commit>();
  /** The merged commits in order. Reverts are `revert:…`, a person's commits `person:…`. */
  readonly branch: string[] = [];
  /** By path: the files changed in it, and the length of the branch it began at. */
  readonly lent = new Map<string, { readonly base: number; readonly files: Set<string> }>();
  readonly stray = new Set<string>();
  /** A person's changes in the session's worktree. */
  readonly byHand = new Set<string>();
  made = 0;

  get head(): string {
    return `h${this.branch.length}`;
  }
}

export interface RepositoryWatch {
  /** Called before a commit is merged. */
  readonly onMerge: (task: string, commit: string) => void;
}

const PATH = '/session/tree';

export function openRepository(
  repository: Repository,
  world: World,
  process: Process,
  chance: SeededRandom,
  watch: RepositoryWatch,
): Workspace {
  const later = <T>(what: string, act: () => T): Promise<T> => world.touchLater(process, what, act);
  const pathOf = (task: string, attempt: number) => `/tasks/${task}-${attempt}`;
  const commitOf = (task: string, attempt: number) => {
    const tree = repository.lent.get(pathOf(task, attempt));
    if (tree === undefined) throw new Broken('workspace', `${task} submits what it was not lent`);
    if (tree.files.size === 0) return null;
    const id = `c${++repository.made}`;
    const files = [...tree.files].toSorted();
    repository.commits.set(id, { id, task, files, base: tree.base, clashes: chance.hits(0.3) });
    return { commit: id, files };
  };
  return {
    kind: 'git',
    branch: 'umpire/simulation',
    path: PATH,
    open: () =>
      later('opening the workspace', () => {
        repository.lent.clear();
        return { base: 'h0', head: repository.head, uncommitted: [] };
      }),
    visit: () => later('visiting', () => PATH),
    lend: (task, attempt, kept = null) =>
      later(`lending a worktree to ${task}`, () => {
        const path = pathOf(task, attempt);
        const before = kept === null ? [] : repository.commits.get(kept)?.files;
        if (before === undefined) throw new Broken('workspace', `${task} goes on from ${String(kept)}, and nobody made it`);
        repository.lent.set(path, { base: repository.branch.length, files: new Set(before) });
        return path;
      }),
    keep: (task, attempt) => later(`keeping what ${task} did`, () => commitOf(task, attempt)),
    submit: (task, attempt) => later(`submitting ${task}`, () => commitOf(task, attempt)),
    merge: (task, commit) => {
      watch.onMerge(task, commit);
      return later(`merging ${task}`, () => mergeInto(repository, commit));
    },
    placeOf: (task, attempt) => pathOf(task, attempt),
    giveBack: (task, attempt) => later(`taking the worktree of ${task} back`, () => void repository.lent.delete(pathOf(task, attempt))),
    sweep: () =>
      later('sweeping', () => {
        const files = [...repository.stray];
        repository.stray.clear();
        return files;
      }),
    takeEdit: () =>
      later("taking a person's edit", () => {
        if (repository.byHand.size === 0) return null;
        const files = [...repository.byHand];
        repository.byHand.clear();
        repository.branch.push(`person:${files.join()}`);
        return { commit: repository.head, files };
      }),
    restore: (files, commit, why) =>
      later(`restoring ${files.join()} to ${commit}`, () => {
        const entry = `restore:${why}:${files.join()}`;
        if (!repository.branch.includes(entry)) repository.branch.push(entry);
        return { ok: true, head: repository.head, files };
      }),
    revert: (commits, why) => later(`taking ${commits.join()} back`, () => revertIn(repository, commits, why)),
  };
}

function mergeInto(repository: Repository, id: string): Merge {
  const commit = repository.commits.get(id);
  if (commit === undefined) throw new Broken('workspace', `${id} is merged, and nobody made it`);
  if (repository.branch.includes(id)) return { ok: true, head: repository.head, files: commit.files };
  const since = new Set(repository.branch.slice(commit.base).flatMap((other) => repository.commits.get(other)?.files ?? []));
  const both = commit.files.filter((file) => since.has(file));
  if (commit.clashes && both.length > 0) return { ok: false, files: both };
  repository.branch.push(id);
  return { ok: true, head: repository.head, files: commit.files };
}

function revertIn(repository: Repository, commits: readonly string[], why: string): Merge {
  for (const id of commits) if (!repository.branch.includes(id)) throw new Broken('workspace', `${id} is taken back, and was never merged`);
  const entry = `revert:${commits.join()}`;
  if (!repository.branch.includes(entry)) repository.branch.push(entry);
  return why.length % 2 === 0 ? { ok: true, head: repository.head, files: [] } : { ok: false, files: ['src/a.ts'] };
}
