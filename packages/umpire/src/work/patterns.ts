// Patterns as people write them in settings (`.env*`, `config/*.json`) and as git reads them in an ignore file.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Matches one name; `*` and `?` as in a shell. */
export function nameTest(pattern: string): (name: string) => boolean {
  const source = pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, (sign) => (sign === '*' ? '.*' : sign === '?' ? '.' : `\\${sign}`));
  const test = new RegExp(`^${source}$`, 'su');
  return (name) => test.test(name);
}

/** The paths under `root` that match a pattern with slashes. */
export function expandPath(root: string, pattern: string): readonly string[] {
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return [];
  return parts.reduce<readonly string[]>(
    (found, part) => found.flatMap((path) => namesIn(join(root, path), part).map((name) => (path === '' ? name : `${path}/${name}`))),
    [''],
  );
}

function namesIn(folder: string, pattern: string): readonly string[] {
  try {
    return readdirSync(folder).filter(nameTest(pattern)).toSorted();
  } catch {
    return [];
  }
}

/** A literal path as a line of an ignore file. */
export function escapePattern(path: string): string {
  return path.replaceAll(/[\\*?[\]!# ]/g, '\\$&');
}
