// The refs of a session: the branch that people see, and Umpire's own refs. An agent may move a branch; `head` moves only when Umpire
// merges, takes a person's edit or reverts work.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { safeName } from '../sessions/safe-name.js';
import { git, tryGit } from './git.js';
import { taskName } from './git-names.js';
import type { SessionGit } from './session-git.js';

export interface RefNames {
  /** The branch that people see. */
  readonly branch: string;
  /** The commit that the session began with. */
  readonly base: string;
  /** The commit that the branch should have. */
  readonly head: string;
  /** The commit that `umpire apply` applied. */
  readonly applied: string;
  /** The prefix of all refs but the branch. */
  readonly all: string;
}

/** The part of a session's git that names its refs. */
export interface SessionName {
  readonly branch: string;
  readonly place: { readonly session: string };
}

export function refsOf({ branch, place }: SessionName): RefNames {
  const all = `refs/umpire/${safeName(place.session)}`;
  return { branch: `refs/heads/${branch}`, base: `${all}/base`, head: `${all}/head`, applied: `${all}/applied`, all };
}

/** Keeps a submitted commit alive until it is merged. */
export function taskRef(sessionName: SessionName, task: string, attempt: number): string {
  return `${refsOf(sessionName).all}/${taskName(task, attempt)}`;
}

const ID = /^[0-9a-f]{40,64}$/;

/** The commit of a ref or revision; null where there is none. Mostly needs no git process. */
export async function readRef(sessionGit: SessionGit, ref: string): Promise<string | null> {
  const known = sessionGit.repository.isPlain && /^refs\/[^^~@{]*$/.test(ref) ? readPlain(sessionGit.repository.gitDir, ref) : undefined;
  if (known !== undefined) return known;
  const { code, stdout } = await tryGit(sessionGit.gitTarget, ['rev-parse', '--quiet', '--verify', `${ref}^{commit}`]);
  return code === 0 ? stdout.toString('utf8').trim() : null;
}

/** A loose ref is newer than a packed one, so it is read first. Undefined: ask git. */
function readPlain(gitDir: string, ref: string): string | null | undefined {
  const own = textAt(join(gitDir, ref))?.trim();
  // If git packed it meanwhile, it is in packed-refs: git writes that file first.
  if (own === undefined) return textAt(join(gitDir, 'packed-refs'))?.includes(` ${ref}\n`) === true ? undefined : null;
  return ID.test(own) ? own : undefined;
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}

export interface RefChange {
  readonly ref: string;
  /** Null: removed. */
  readonly to: string | null;
  /** The expected old value; default: any. */
  readonly from?: string;
}

/** All or none. */
export async function changeRefs(sessionGit: SessionGit, changes: readonly RefChange[]): Promise<void> {
  if (changes.length === 0) return;
  const lines = changes.map(({ ref, to, from }) =>
    to === null ? `delete ${ref}\n` : `update ${ref} ${to}${from === undefined ? '' : ` ${from}`}\n`,
  );
  await git(sessionGit.gitTarget, ['update-ref', '-m', 'umpire', '--stdin'], { input: lines.join('') });
}

/** Every ref of the session but the branch. */
export async function listRefs(sessionGit: SessionGit): Promise<readonly string[]> {
  const out = await git(sessionGit.gitTarget, ['for-each-ref', '--format=%(refname)', refsOf(sessionGit).all]);
  return out
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}
