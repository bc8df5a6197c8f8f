// The files of a project that match patterns, and their text. Installed packages, git's own, Umpire's and what tools build are not looked into.

import { readdirSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile, statOf } from '../sessions/file-system.js';

const ASIDE: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  '.umpire',
  '.venv',
  'venv',
  '__pycache__',
  'dist',
  'build',
  'vendor',
  '_build',
  '.next',
  '.cache',
]);
const MOST_FILES = 100_000;

/** Relative, with forward slashes, in order. Links are not followed. */
export function findFiles(project: string, patterns: readonly string[]): readonly string[] {
  if (patterns.length === 0) return [];
  const matches = pathTest(patterns);
  const found: string[] = [];
  let seen = 0;
  const walkFolder = (folder: string): void => {
    let entries: readonly Dirent[];
    try {
      entries = readdirSync(join(project, folder), { withFileTypes: true });
    } catch {
      return;
    }
    // The mark of a cache, such as Cargo's target.
    if (entries.some(({ name }) => name === 'CACHEDIR.TAG')) return;
    for (const entry of entries) {
      seen += 1;
      if (seen > MOST_FILES) return;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !ASIDE.has(entry.name)) walkFolder(path);
      else if (entry.isFile() && matches(path)) found.push(path);
    }
  };
  walkFolder('');
  return found.toSorted();
}

const MOST_CHARACTERS = 4 * 1024 * 1024;

/** The text of a file, of a very large one its start. Null where it cannot be read. */
export function readText(path: string, most = MOST_CHARACTERS): string | null {
  try {
    return readRegularFile(path).toString('utf8').slice(0, most);
  } catch {
    return null;
  }
}

/** Null also where it is too long to be read as a whole: its start alone would tell less than there is. */
export function readWholeText(path: string): string | null {
  return (statOf(path)?.size ?? Infinity) > MOST_CHARACTERS ? null : readText(path);
}

/** Does the path, relative with forward slashes, match one of the patterns, and none after it that takes it away? */
export function pathTest(patterns: readonly string[]): (path: string) => boolean {
  const rules = patterns.flatMap((pattern) => {
    const takesAway = pattern.startsWith('!');
    const plain = (takesAway ? pattern.slice(1) : pattern).replace(/^\.\//, '');
    return expandBraces(plain).map((each) => ({ takesAway, parts: each.split('/').filter((part) => part !== '') }));
  });
  return (path) => {
    const names = path.split('/');
    let matches = false;
    for (const { takesAway, parts } of rules) if (matches === takesAway && matchParts(parts, names)) matches = !takesAway;
    return matches;
  };
}

const MOST_PATTERNS = 256;

/** `a.{b,c}` → `a.b`, `a.c`. Braces that do not close, and far too many choices, stand for themselves. */
export function expandBraces(pattern: string): readonly string[] {
  let open: readonly string[] = [pattern];
  for (;;) {
    const next = open.flatMap((each) => expandOne(each) ?? [each]);
    if (next.length === open.length && next.every((each, at) => each === open[at])) return [...new Set(next)];
    if (next.length > MOST_PATTERNS) return [pattern];
    open = next;
  }
}

/** The first innermost braces. */
function expandOne(pattern: string): readonly string[] | null {
  const end = pattern.indexOf('}');
  const start = end < 0 ? -1 : pattern.lastIndexOf('{', end);
  if (start < 0) return null;
  const choices = pattern.slice(start + 1, end).split(',');
  return choices.map((choice) => pattern.slice(0, start) + choice + pattern.slice(end + 1));
}

/** Row by row: which beginnings of the path the pattern so far can have used up. */
function matchParts(parts: readonly string[], names: readonly string[]): boolean {
  let reached = names.map(() => false);
  let atStart = true;
  reached.push(false);
  reached[0] = true;
  for (const part of parts) {
    const next = reached.map(() => false);
    if (part === '**') {
      const first = reached.indexOf(true);
      if (first >= 0) next.fill(true, first);
    } else {
      for (const [at, name] of names.entries()) if (reached[at] === true && matchName(part, name)) next[at + 1] = true;
    }
    reached = next;
    atStart = false;
  }
  return !atStart && reached[names.length] === true;
}

/** One name: on a mismatch the last star takes one more letter. */
function matchName(pattern: string, name: string): boolean {
  let p = 0;
  let star = -1;
  let from = 0;
  for (let n = 0; n < name.length;) {
    if (pattern[p] === '*') {
      star = p++;
      from = n;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === name[n])) {
      p += 1;
      n += 1;
    } else if (star >= 0) {
      p = star + 1;
      n = ++from;
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
