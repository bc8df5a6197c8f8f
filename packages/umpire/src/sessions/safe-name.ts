// Any text as a name on disk and in git: ids of tasks and names of sessions are whatever people and agents write.

import { sha256 } from './hash.js';

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

/** What the session folder called a task before each had a name of its own: `a/b` and `a_b` shared one. Only for reading. */
export function formerName(id: string): string {
  return id.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 80);
}
