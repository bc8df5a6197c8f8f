// Names of branches, refs, folders and files of a session. Task ids are arbitrary text; names on disk and in git are not.

import { posix } from 'node:path';
import { lineOf } from '../views/safe-text.js';
import { safeName } from '../sessions/safe-name.js';
import { nameOf } from './git.js';
import type { RawName } from './git.js';

const MAX_NAME_CHARS = 100;

/** Prefix of the sessions' branches. */
export const BRANCHES = 'umpire/';

export function branchOf(session: string): string {
  return `${BRANCHES}${safeName(session)}`;
}

export function taskName(task: string, attempt: number): string {
  return `${safeName(task)}-${attempt}`;
}

export const SHORT_ID = 10;

/** Names of listed files relative to the project; `prefix` is the project's folder in the repository. */
export function projectNames(names: readonly RawName[], prefix: string): readonly string[] {
  const texts = names.map(nameOf);
  return prefix === '' ? texts : texts.map((name) => posix.relative(prefix, name));
}

const MAX_LISTED = 5;

/** The first files, and how many more there are. */
export function listFew(files: readonly string[]): string {
  const shown = files
    .slice(0, MAX_LISTED)
    .map((file) => lineOf(file, MAX_NAME_CHARS))
    .join(', ');
  return files.length > MAX_LISTED ? `${shown} and ${files.length - MAX_LISTED} more` : shown;
}
