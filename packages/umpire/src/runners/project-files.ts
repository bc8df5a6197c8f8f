// The files of a project that match patterns. Installed packages, git's own, Umpire's and what tools build are not looked into.

import { readdirSync } from 'node:fs';
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
    for (const entry of listed(join(project, folder))) {
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

function listed(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
