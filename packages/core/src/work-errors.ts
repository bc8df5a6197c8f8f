// The part of the catalogue that is about git, worktrees and what is brought over from them.

export interface ErrorEntry {
  readonly exit: 1 | 2;
  readonly message: string;
  readonly hint: string;
}

export const WORK_ERRORS = {
  'git-missing': {
    exit: 1,
    message: 'git was not found. Umpire keeps the work of agents apart with it, also in folders that are no git repository.',
    hint: 'Install git 2.30 or newer and make sure that it is on the PATH, then run the same command again.',
  },
  'git-failed': {
    exit: 1,
    message: 'git {what} did not succeed: {detail}.',
    hint: 'Your checkout is as it was. Mend what git names, then run the same command again.',
  },
  'git-damaged': {
    exit: 1,
    message: 'git does not take {place} for a repository that it can read: {detail}.',
    hint: 'Umpire does not go on as if there were no git: the work would not be in your history. `git status` and `git fsck` tell more; mend the repository, or clone it anew. Where it is none, remove or rename {place}.',
  },
  'project-bare': {
    exit: 1,
    message: 'There are no files to work on in "{path}": it is a bare git repository, or lies inside a .git folder.',
    hint: 'Clone it (or make a worktree of it) and name that folder as the project.',
  },
  'project-other': {
    exit: 1,
    message: '{folder} holds the worktrees of a session of the same name in another project: {other}.',
    hint: 'Give the session another name, or keep the worktrees of the two projects apart with `workspace: {home: ...}` in umpire.config.yaml.',
  },
  'snapshot-too-large': {
    exit: 1,
    message: 'This folder is no git repository, and too large to be copied for the agents: {size}.',
    hint: 'Make it a git repository and commit, or leave out what is not needed with a .gitignore file.',
  },
  'setup-failed': {
    exit: 1,
    message: 'The set-up command `{command}` failed in {folder}: {detail}.',
    hint: 'Try it there by hand. It is set in umpire.config.yaml (workspace: {setup: ...}) and runs in every new worktree.',
  },
  'branch-in-use': {
    exit: 1,
    message: 'The branch {branch} of this session is checked out in {place}. Umpire would move it under your feet.',
    hint: 'Switch to another branch there (`git switch -`), then run the same command again.',
  },
  'session-taken': {
    exit: 1,
    message: 'Another session is called {session}: the branch {branch} and its worktrees hold its work.',
    hint: 'Give this one another name with --session, or leave --session out. Sessions of one repository share its branches, also in other worktrees and folders of it. Where the folder of that one was deleted and its work is not wanted: `umpire clean {session} --force`.',
  },
  'session-elsewhere': {
    exit: 1,
    message: 'The branch {branch} and its worktrees are those of the session in {other}, not of the one in {session}.',
    hint: 'Where this is a copy of that one, use that one: a copy can be read and replayed, not worked on. Where this one was cleaned away before that one began, begin a new session.',
  },
  'work-lost': {
    exit: 1,
    message: 'What the session {session} has made so far is not here: there is no branch {branch}, and no commit {commit}.',
    hint: 'Where another clone has it, fetch it from there (`git fetch <place> {branch}:{branch}`) and run the same command again. Else begin a new session, or give this one up with `umpire resolve {session} abort`.',
  },
  'worktree-lost': {
    exit: 1,
    message: 'The worktree of {task} (attempt {attempt}) is gone, and with it what was changed there.',
    hint: 'Take the session on with `umpire resume`: the task is run again.',
  },
  'nothing-made': {
    exit: 1,
    message: 'The session {session} has no work in this project: there is no branch {branch} of its own.',
    hint: 'It may have been cleaned away, or was started in another project. `umpire list` shows the sessions.',
  },
  'apply-busy': {
    exit: 1,
    message: 'Another session is being brought over: {holder} is at it.',
    hint: 'Nothing was brought over. Wait until it has finished and run the same command again. A lock left by a dead process of this machine is taken over by itself; one left by another machine you remove by hand: {place}.',
  },
  'apply-dirty': {
    exit: 1,
    message: 'Your checkout has changes of its own: {files}.',
    hint: 'Nothing was brought over. Commit or stash them, then run `umpire apply {session}` again.',
  },
  'apply-in-the-way': {
    exit: 1,
    message: 'The session {session} changes files that were changed, or made, here since it began: {files}.',
    hint: 'Nothing was brought over. Move them away, then run `umpire apply {session}` again; `umpire diff {session}` shows what it would bring.',
  },
  'apply-unrecorded': {
    exit: 1,
    message: 'The work of the session {session} is in your checkout, and git could not record that. {detail}',
    hint: 'Mend what git names, then run `umpire apply {session}` again: it finds the files there, and records it.',
  },
  'apply-conflict': {
    exit: 1,
    message: 'The session {session} ({branch}) and your commits since it began ({base}..{head}) both changed {files}.',
    hint: 'Nothing was brought over. Merge it yourself and settle these files: `git merge {branch}`.',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;
