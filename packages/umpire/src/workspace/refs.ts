// The refs of a session: the branch that people see, and beside it the ones that say what is true. An agent may move a branch;
// `head` moves only when Umpire merges, takes a person's edit or takes work back.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { safeName } from '../sessions/safe-name.js';
import { git, tryGit } from './git.js';
import { taskName } from './names.js';
import type { Site } from './site.js';

export interface RefNames {
  /** The branch that people see. */
  readonly branch: string;
  /** The commit that the session began with. */
  readonly base: string;
  /** What the branch holds by right. */
  readonly head: string;
  /** What was brought over by `umpire apply`. */
  readonly applied: string;
  /** All but the branch. */
  readonly all: string;
}

export function refsOf({ branch, place }: Site): RefNames {
  const all = `refs/umpire/${safeName(place.session)}`;
  return { branch: `refs/heads/${branch}`, base: `${all}/base`, head: `${all}/head`, applied: `${all}/applied`, all };
}

/** Keeps a submitted commit alive until it is merged. */
export function taskRef(site: Site, task: string, attempt: number): string {
  return `${refsOf(site).all}/${taskName(task, attempt)}`;
}

const ID = /^[0-9a-f]{40,64}$/;

/** The commit of a ref, or of what names one; null where there is none. Mostly no process is needed for it. */
export async function readRef(site: Site, ref: string): Promise<string | null> {
  const known = site.repository.isPlain && /^refs\/[^^~@{]*$/.test(ref) ? readPlain(site.repository.gitDir, ref) : undefined;
  if (known !== undefined) return known;
  const { code, stdout } = await tryGit(site.seat, ['rev-parse', '--quiet', '--verify', `${ref}^{commit}`]);
  return code === 0 ? stdout.toString('utf8').trim() : null;
}

/** A file of its own is newer than what git has packed, so it is read first. Undefined: git has to say. */
function readPlain(gitDir: string, ref: string): string | null | undefined {
  const own = textAt(join(gitDir, ref))?.trim();
  // Packed meanwhile, it is in the other file by now: git writes that one first.
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
  /** What it must be before; anything, where left out. */
  readonly from?: string;
}

/** All or none. */
export async function changeRefs(site: Site, changes: readonly RefChange[]): Promise<void> {
  if (changes.length === 0) return;
  const lines = changes.map(({ ref, to, from }) =>
    to === null ? `delete ${ref}\n` : `update ${ref} ${to}${from === undefined ? '' : ` ${from}`}\n`,
  );
  await git(site.seat, ['update-ref', '-m', 'umpire', '--stdin'], { input: lines.join('') });
}

/** Every ref of the session but the branch. */
export async function listRefs(site: Site): Promise<readonly string[]> {
  const out = await git(site.seat, ['for-each-ref', '--format=%(refname)', refsOf(site).all]);
  return out
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}
