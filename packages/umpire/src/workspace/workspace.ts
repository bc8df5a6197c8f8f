// The workspace of a session on real git: a branch of its own, worktrees outside the project, nothing of the person's checkout
// touched. Here the parts are put together, and what moves the branch happens one after another.

import { realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Merge, Sandbox, Workspace } from '@umpire/core/ports.js';
import { modelFor } from './agent-repository.js';
import { makeRoom } from './cleaning.js';
import type { Bay } from './prepare-worktree.js';
import { git, rawNames } from './git.js';
import type { RawName } from './git.js';
import type { Inspector } from './inspector.js';
import { mergeWork, revertWork } from './merging.js';
import type { RawMerge } from './merging.js';
import { followProject } from './moving.js';
import { projectNames } from './names.js';
import { openRefs } from './opening.js';
import { planProvisions } from './provisions.js';
import { hideRepository, openWorktree, removeStrays, sessionPath, sweepWorktree, takeEditIn, leftFolders } from './session-worktree.js';
import { claimSite, findSite } from './site.js';
import type { SessionPlace, Site } from './site.js';
import { lendWorktree, removeHalfMade, returnWorktree, takeWork } from './task-worktree.js';

export interface WorkspaceOptions extends SessionPlace {
  /** Names (anywhere in the project) or paths to link, beside node_modules. */
  readonly link: readonly string[];
  /** The same for files to copy. */
  readonly copy: readonly string[];
  /** A command for the shell, run in every new worktree. */
  readonly setup: string | null;
  /** It is held in this one. */
  readonly sandbox?: Sandbox | null;
  /** For the environment of the set-up command. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends a set-up command that runs. */
  readonly signal?: AbortSignal;
  /** The session begins now: nothing that goes by its name is its own. */
  readonly isNew?: boolean;
  /** Looks at a task's work before it is committed. */
  readonly inspect?: Inspector;
  /** Hears what a person must know of a task's work. */
  readonly say?: (note: string) => void;
}

export interface Opening {
  readonly base: string;
  readonly head: string;
  /** What the person has not committed: it is not part of the base. */
  readonly uncommitted: readonly string[];
  /** What is changed in the session's worktree: by a person, or by a run that died. */
  readonly edited: readonly string[];
  /** What every worktree was to share or get a copy of, and the project does not have. */
  readonly absent: readonly string[];
  /** Folders with files of a worktree that had to be made anew: nobody can tell what they are changes of. */
  readonly aside: readonly string[];
}

export interface GitWorkspace extends Workspace {
  open(): Promise<Opening>;
}

export function openWorkspace(options: WorkspaceOptions): GitWorkspace {
  const site = findSite(options);
  return new SessionWorkspace(site, options);
}

interface Opened {
  readonly bay: Bay;
  head: string;
  /** Tasks read in the session's worktree. */
  isVisited: boolean;
}

class SessionWorkspace implements GitWorkspace {
  readonly kind: 'git' | 'snapshot';
  readonly branch: string;
  readonly path: string;
  private opened: Opened | null = null;
  private last: Promise<unknown> = Promise.resolve();
  /** Commits that this process took, with their parents: they are not merged until it merges them. */
  private readonly taken = new Map<string, string>();

  constructor(
    private readonly site: Site,
    private readonly options: WorkspaceOptions,
  ) {
    this.kind = site.repository.kind;
    this.branch = site.branch;
    this.path = sessionPath({ site });
  }

  open(): Promise<Opening> {
    return this.inTurn(async () => {
      const { site, options } = this;
      if (options.isNew === true) await makeRoom(site);
      else await followProject(site);
      claimSite(site);
      const { base, head } = await openRefs(site);
      const { setup, env = {}, signal = null, sandbox = null, inspect, say } = options;
      const [provisions, model] = await Promise.all([planProvisions(site, options.link, options.copy), modelFor(site)]);
      const bay = {
        site,
        provisions,
        model,
        setup: setup === null ? null : { command: setup, env, signal, sandbox },
        ...(inspect === undefined ? {} : { inspect }),
        ...(say === undefined ? {} : { say }),
      };
      await removeHalfMade(site);
      const edited = await openWorktree(bay, head);
      this.opened = { bay, head, isVisited: false };
      const uncommitted = await uncommittedIn(site);
      const { absent } = provisions;
      return { base, head, uncommitted, edited: this.names(edited), absent, aside: leftFolders(site) };
    });
  }

  visit(): Promise<string> {
    const opened = this.ready();
    if (opened.isVisited) return Promise.resolve(this.path);
    return this.inTurn(async () => {
      if (!opened.isVisited) {
        const { bay, head } = opened;
        await hideRepository(bay, head);
        const strays = this.names(await removeStrays(bay, head));
        if (strays.length > 0) bay.say?.(strayWords(strays));
      }
      opened.isVisited = true;
      return this.path;
    });
  }

  async lend(task: string, attempt: number, kept: string | null = null): Promise<string> {
    const { bay, head } = this.ready();
    return lendWorktree(bay, task, attempt, head, kept);
  }

  async submit(
    task: string,
    attempt: number,
    title: string,
  ): Promise<{ readonly commit: string; readonly files: readonly string[] } | null> {
    const work = await takeWork(this.ready().bay, task, attempt, title);
    if (work === null) return null;
    this.taken.set(work.commit, work.base);
    return { commit: work.commit, files: this.names(work.files) };
  }

  async keep(task: string, attempt: number): Promise<{ readonly commit: string; readonly files: readonly string[] } | null> {
    const { inspect: _, ...bay } = this.ready().bay;
    const work = await takeWork(bay, task, attempt, `${task} so far`);
    return work === null ? null : { commit: work.commit, files: this.names(work.files) };
  }

  merge(task: string, commit: string): Promise<Merge> {
    return this.inTurn(async () => {
      const { bay, head } = this.ready();
      const merge = await mergeWork(bay, head, task, commit, this.taken.get(commit) ?? null);
      this.taken.delete(commit);
      return this.settle(merge);
    });
  }

  giveBack(task: string, attempt: number): Promise<void> {
    return returnWorktree(this.site, task, attempt);
  }

  sweep(): Promise<readonly string[]> {
    return this.inTurn(async () => {
      const opened = this.ready();
      const files = await sweepWorktree(opened.bay, opened.head);
      opened.isVisited = false;
      return this.names(files);
    });
  }

  takeEdit(message: string): Promise<{ readonly commit: string; readonly files: readonly string[] } | null> {
    return this.inTurn(async () => {
      const opened = this.ready();
      const edit = await takeEditIn(opened.bay, opened.head, message);
      if (edit === null) return null;
      opened.head = edit.commit;
      return { commit: edit.commit, files: this.names(edit.files) };
    });
  }

  revert(commits: readonly string[], why: string): Promise<Merge> {
    return this.inTurn(async () => {
      const { bay, head } = this.ready();
      return this.settle(await revertWork(bay, head, commits, why));
    });
  }

  private settle(merge: RawMerge): Merge {
    if (merge.ok) this.ready().head = merge.head;
    return { ...merge, files: this.names(merge.files) };
  }

  private ready(): Opened {
    if (this.opened === null) throw new Error('open() comes first');
    return this.opened;
  }

  private names(raw: readonly RawName[]): readonly string[] {
    return projectNames(raw, this.site.repository.prefix);
  }

  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.last.then(act, act);
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

const MOST_NAMED = 3;

function strayWords(files: readonly string[]): string {
  const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : '';
  const named = files.slice(0, MOST_NAMED).join(', ');
  return `The session's worktree had changes that no task handed in (${named}${more}): they were put aside, so that nobody judges by them.`;
}

/** Looks, and writes nothing. In a folder without git everything is part of the base. */
export async function uncommittedIn({ repository, place }: Pick<Site, 'repository' | 'place'>): Promise<readonly string[]> {
  if (repository.kind === 'snapshot') return [];
  const own = ['.umpire', relative(realpathSync.native(place.project), resolve(place.sessionFolder))];
  const out = await git(repository.checkout, ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=normal']);
  return projectNames(
    rawNames(out).map((entry) => entry.slice(3)),
    repository.prefix,
  ).filter((name) => !isOwn(name, own));
}

/** A folder that is wholly untracked is listed with a slash, and not what is in it. */
function isOwn(name: string, own: readonly string[]): boolean {
  return own.some((folder) => `${name}/`.startsWith(`${folder}/`) || (name.endsWith('/') && folder.startsWith(name)));
}
