// What branches, refs, folders and files of a session's work are called. Task ids are any text; names on disk and in git are not.

import { posix } from 'node:path';
import { lineOf } from '../report/foreign-text.js';
import { sha256 } from '../runtime/hash.js';
import { nameOf } from './git.js';
import type { RawName } from './git.js';

/** Git and every file system take it as it is; no dot at an end, no two in a row, nothing that looks like a flag or a lock. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/;
const LONGEST = 100;

/** The text itself where it can be a name; else what is left of it, with a mark of its own so that no two are the same. */
export function safeName(text: string): string {
  if (PLAIN.test(text) && text.length <= LONGEST && !text.endsWith('.lock')) return text;
  const left = text
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40);
  return `${left === '' ? 'x' : left}-${sha256(text).slice(0, 10)}`;
}

export function branchOf(session: string): string {
  return `umpire/${safeName(session)}`;
}

export function taskName(task: string, attempt: number): string {
  return `${safeName(task)}-${attempt}`;
}

export const SHORT_ID = 10;

/** What files git lists are called in the project: `prefix` is the project's folder in the repository. */
export function projectNames(names: readonly RawName[], prefix: string): readonly string[] {
  const texts = names.map(nameOf);
  return prefix === '' ? texts : texts.map((name) => posix.relative(prefix, name));
}

const SHOWN = 5;

/** A few of the files, and how many more there are. */
export function listFew(files: readonly string[]): string {
  const shown = files
    .slice(0, SHOWN)
    .map((file) => lineOf(file, LONGEST))
    .join(', ');
  return files.length > SHOWN ? `${shown} and ${files.length - SHOWN} more` : shown;
}
