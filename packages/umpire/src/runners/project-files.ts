// The files of a project that match patterns, and their text. Installed packages, git's own, Umpire's and what tools build are not looked into.

import { readFileSync, readdirSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { pathTest } from './path-pattern.js';

const ASIDE: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  '.umpire',
  '.venv',
  'venv',
  '__pycache__',
  'dist',
  'build',
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
  const walk = (folder: string): void => {
    let entries: readonly Dirent[];
    try {
      entries = readdirSync(join(project, folder), { withFileTypes: true });
    } catch {
      return;
    }
    for (const entry of entries) {
      seen += 1;
      if (seen > MOST_FILES) return;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !ASIDE.has(entry.name)) walk(path);
      else if (entry.isFile() && matches(path)) found.push(path);
    }
  };
  walk('');
  return found.toSorted();
}

const MOST_CHARACTERS = 4 * 1024 * 1024;

/** The text of a file, of a very large one its start. Null where it cannot be read. */
export function readText(path: string, most = MOST_CHARACTERS): string | null {
  try {
    return readFileSync(path, 'utf8').slice(0, most);
  } catch {
    return null;
  }
}
