// The workspace of a session on real git: its own branch, worktrees outside the project, and no change in the person's checkout. Changes of
// the branch run one after another.

import type { Merge, Sandbox, Workspace, Seat } from '@umpire/core/model/ports.js';
import { makeRepositoryTemplate } from './worktree-repository.js';
import type { CheckWorktree } from './task-worktree.js';
import { clearUnbegunSession } from './clean-session.js';
import type { Protect, WorkspaceContext } from './prepare-worktree.js';
import type { RawName } from './git.js';
import type { Inspector } from './inspect-work.js';
import { openInstalledPackages } from './installed-packages.js';
import { openRefs } from './open-refs.js';
import { diffCommits } from './session-diff.js';
import { planSharedFiles } from './shared-files.js';
import {
  hideRepository,
  openSessionWorktree,
  removeStrays,
  restoreRepository,
  sessionPath,
  sweepWorktree,
  takeEditIn,
  leftFolders,
  moveWorktree,
  followMovedProject,
} from './session-worktree.js';
import { claimSessionFolder, findSessionGit, recordSessionFolder, projectNames, taskName } from './session-git.js';
import type { SessionPlace, SessionGit } from './session-git.js';
import type { RevertedChange } from './task-worktree.js';
import { lendWorktree, removeHalfMade, returnWorktree, takeWork, worktreeFolderOf, makeCheckWorktree } from './task-worktree.js';
import { commitUncommitted, uncommittedIn } from './uncommitted.js';
import type { IncludedChanges } from './uncommitted.js';
import { makeMerge, makeRestore, makeReverts } from './next-commit.js';
import type { NextCommit } from './next-commit.js';

export interface WorkspaceOptions extends SessionPlace {
  /** Names (anywhere in the project) or paths to link, besides node_modules. */
  readonly link: readonly string[];
  /** The same for files to copy. */
  readonly copy: readonly string[];
  readonly setup: string | null;
  /** The sandbox of the set-up command. */
  readonly sandbox?: Sandbox | null;
  /** Added to the environment of the set-up command. */
  readonly env?: Readonly<Record<string, string>>;
  /** Stops a running set-up command. */
  readonly signal?: AbortSignal;
  /** The session begins now: nothing with its name is its own. */
  readonly isNew?: boolean;
  /** A new session begins with the person's uncommitted changes too. */
  readonly includesUncommitted?: boolean;
  /** Looks at a task's work before it is committed. */
  readonly inspect?: Inspector;
  readonly protect?: Protect;
  /** Gets notes on a task's work for the person. */
  readonly say?: (note: string) => void;
}

export interface OpenedWorkspace {
  readonly base: string;
  readonly head: string;
  /** The person's uncommitted files that are not part of the base. */
  readonly uncommitted: readonly string[];
  /** Null: the base is the person's last commit. */
  readonly included: IncludedChanges | null;
  /** Changed files in the session's worktree: by a person, or by a killed run. */
  readonly edited: readonly string[];
  /** Entries of `link` and `copy` that the project does not have. */
  readonly absent: readonly string[];
  /** Folders with files of a replaced worktree, whose base is unknown. */
  readonly aside: readonly string[];
}

export interface GitWorkspace extends Workspace {
  open(): Promise<OpenedWorkspace>;
  /** A fresh checkout for one check. Null: of the branch's head. */
  check(commit: string | null): Promise<CheckWorktree>;
  /** What the inspector reverted in work that this process took; null for nothing. */
  revertedOf(task: string, attempt: number): RevertedChange | null;
  /** The change from this commit to the branch's head. Computed once for each head. */
  changeSince(commit: string): Promise<string>;
}

export function openWorkspace(options: WorkspaceOptions): GitWorkspace {
  const sessionGit = findSessionGit(options);
  return new SessionWorkspace(sessionGit, options);
}

interface Opened {
  readonly context: WorkspaceContext;
  head: string;
  /** Reading tasks use the session's worktree. */
  isVisited: boolean;
}

class SessionWorkspace implements GitWorkspace {
  readonly kind: 'git' | 'snapshot';
  readonly branch: string;
  readonly path: string;
  private opened: Opened | null = null;
  private change: { readonly key: string; readonly diff: Promise<Buffer> } | null = null;
  private last: Promise<unknown> = Promise.resolve();
  /** Commits that this process took, with their parents: not merged until this process merges them. */
  private readonly taken = new Map<string, string>();
  private readonly reverted = new Map<string, RevertedChange>();

  constructor(
    private readonly sessionGit: SessionGit,
    private readonly options: WorkspaceOptions,
  ) {
    this.kind = sessionGit.repository.kind;
    this.branch = sessionGit.branch;
    this.path = sessionPath({ sessionGit });
  }

  open(): Promise<OpenedWorkspace> {
    return this.inTurn(async () => {
      const { sessionGit, options } = this;
      if (options.isNew === true) await clearUnbegunSession(sessionGit);
      else await followMovedProject(sessionGit);
      // First, because it may refuse.
      const isIncluding = options.includesUncommitted === true && this.kind === 'git';
      const included = isIncluding ? await commitUncommitted(sessionGit) : null;
      claimSessionFolder(sessionGit);
      const { base, head } = await openRefs(sessionGit, included?.commit ?? null);
      recordSessionFolder(sessionGit);
      const { setup, env = {}, signal = null, sandbox = null, inspect, protect, say } = options;
      const [sharedFiles, template] = await Promise.all([
        planSharedFiles(sessionGit, options.link, options.copy),
        makeRepositoryTemplate(sessionGit),
      ]);
      const context = {
        sessionGit,
        sharedFiles,
        template,
        setup,
        host: { env, signal, sandbox },
        packages: await openInstalledPackages(sessionGit, sharedFiles.packages),
        ...(inspect === undefined ? {} : { inspect }),
        ...(protect === undefined ? {} : { protect }),
        ...(say === undefined ? {} : { say }),
      };
      await removeHalfMade(sessionGit);
      const edited = await openSessionWorktree(context, head);
      this.opened = { context, head, isVisited: false };
      const uncommitted = included?.leftOut ?? (await uncommittedIn(sessionGit));
      const { absent } = sharedFiles;
      return { base, head, uncommitted, included, edited: this.names(edited), absent, aside: leftFolders(sessionGit) };
    });
  }

  visit(): Promise<string> {
    const opened = this.ready();
    return this.inTurn(async () => {
      const { context, head } = opened;
      if (opened.isVisited) await restoreRepository(context, head);
      else {
        await hideRepository(context, head);
        const strays = this.names(await removeStrays(context, head));
        if (strays.length > 0) context.say?.(describeStrays(strays));
      }
      opened.isVisited = true;
      return this.path;
    });
  }

  async check(commit: string | null): Promise<CheckWorktree> {
    const { context, head } = this.ready();
    return makeCheckWorktree(context, commit ?? head);
  }

  async changeSince(commit: string): Promise<string> {
    const { head } = this.ready();
    const key = `${commit}..${head}`;
    if (this.change?.key !== key) this.change = { key, diff: diffCommits(this.sessionGit, commit, head, true) };
    return (await this.change.diff).toString('utf8');
  }

  async lend(task: string, attempt: number, kept: string | null = null, seat: Seat | null = null): Promise<string> {
    const { context, head } = this.ready();
    return lendWorktree(context, { task, attempt }, head, kept, seat);
  }

  revertedOf(task: string, attempt: number): RevertedChange | null {
    return this.reverted.get(taskName(task, attempt)) ?? null;
  }

  async submit(
    task: string,
    attempt: number,
    title: string,
  ): Promise<{ readonly commit: string; readonly files: readonly string[] } | null> {
    const { work, reverted } = await takeWork(this.ready().context, task, attempt, title);
    if (reverted !== null) this.reverted.set(taskName(task, attempt), reverted);
    if (work === null) return null;
    this.taken.set(work.commit, work.base);
    return { commit: work.commit, files: this.names(work.files) };
  }

  async keep(
    task: string,
    attempt: number,
  ): Promise<{ readonly commit: string; readonly files: readonly string[]; readonly tree: string } | null> {
    const { inspect: _, ...context } = this.ready().context;
    const { work } = await takeWork(context, task, attempt, `${task}: work in progress`);
    return work === null ? null : { commit: work.commit, files: this.names(work.files), tree: work.tree };
  }

  merge(task: string, commit: string): Promise<Merge> {
    return this.moveBranch(async (context, head) => {
      const next = await makeMerge(context, head, task, commit, this.taken.get(commit) ?? null);
      this.taken.delete(commit);
      return next;
    });
  }

  placeOf(task: string, attempt: number): string {
    return worktreeFolderOf(this.sessionGit, { task, attempt });
  }

  giveBack(task: string, attempt: number): Promise<void> {
    return returnWorktree(this.sessionGit, task, attempt);
  }

  sweep(): Promise<readonly string[]> {
    return this.inTurn(async () => {
      const opened = this.ready();
      const files = await sweepWorktree(opened.context, opened.head);
      opened.isVisited = false;
      return this.names(files);
    });
  }

  takeEdit(message: string): Promise<{ readonly commit: string; readonly files: readonly string[] } | null> {
    return this.inTurn(async () => {
      const opened = this.ready();
      const edit = await takeEditIn(opened.context, opened.head, message);
      if (edit === null) return null;
      opened.head = edit.commit;
      return { commit: edit.commit, files: this.names(edit.files) };
    });
  }

  revert(commits: readonly string[], why: string): Promise<Merge> {
    return this.moveBranch((context, head) => makeReverts(context, head, commits, why));
  }

  restore(files: readonly string[], commit: string, why: string, existing: boolean): Promise<Merge> {
    const wanted = new Set(files);
    const isWanted = (name: RawName) => this.names([name]).every((one) => wanted.has(one));
    return this.moveBranch((context, head) => makeRestore(context, head, commit, { isWanted, existing, why }));
  }

  /** Moves branch and worktree to the next commit, which is complete before anything moves: a conflict changes nothing. */
  private moveBranch(make: (context: WorkspaceContext, head: string) => Promise<NextCommit>): Promise<Merge> {
    return this.inTurn(async () => {
      const opened = this.ready();
      const { context, head } = opened;
      const next = await make(context, head);
      if (!next.ok) return { ok: false, files: this.names(next.files) };
      if (next.head !== head) await moveWorktree(context, head, next.head, next.steps);
      opened.head = next.head;
      return { ok: true, head: next.head, files: this.names(next.steps.map(({ name }) => name)) };
    });
  }

  private ready(): Opened {
    if (this.opened === null) throw new Error('call open() first');
    return this.opened;
  }

  private names(raw: readonly RawName[]): readonly string[] {
    return projectNames(raw, this.sessionGit.repository.prefix);
  }

  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.last.then(act, act);
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

const MAX_NAMED = 3;

function describeStrays(files: readonly string[]): string {
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : '';
  const named = files.slice(0, MAX_NAMED).join(', ');
  return `The session's worktree had changes that no task submitted (${named}${more}). Umpire set them aside, so that no critic sees them.`;
}
