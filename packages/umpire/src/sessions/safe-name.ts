// Turns any text into a name for files and git branches: people and agents may name tasks and sessions as they like.

import { sha256 } from './hash.js';

/** Valid in git and on every file system: no dot at the ends, no two dots in a row, nothing like a flag or a lock file. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/;
const MAX_LENGTH = 100;

/** The text itself if it is a valid name, else its valid part with a hash, so that no two names are equal. */
export function safeName(text: string): string {
  if (PLAIN.test(text) && text.length <= MAX_LENGTH && !text.endsWith('.lock')) return text;
  const left = text
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40);
  return `${left === '' ? 'x' : left}-${sha256(text).slice(0, 10)}`;
}
