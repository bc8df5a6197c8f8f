// A node_modules folder for a worktree: a real folder with one link per package. What a task installs or caches stays there, and workspace
// packages lead to the worktree's sources, not to the person's checkout.

import { readdirSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Something to add to a worktree. Paths are relative to its root. */
export type SharedFile =
  /** A link into the person's checkout; `inside`: the path to prefer if the worktree has it. */
  | { readonly kind: 'link'; readonly at: string; readonly to: string; readonly inside: string | null }
  | { readonly kind: 'copy'; readonly at: string; readonly from: string }
  /** `isOld`: is the existing folder outdated, to be replaced? */
  | { readonly kind: 'folder'; readonly at: string; readonly isOld?: (place: string) => boolean }
  /** A generated file; `text` gets the absolute root of the worktree. */
  | { readonly kind: 'text'; readonly at: string; readonly text: (root: string) => string; readonly mode: number };

/** `root`: the checkout, links resolved. `at`: its node_modules folder. */
export function linkPackages(root: string, at: string): readonly SharedFile[] {
  return [{ kind: 'folder', at }, ...linkEntries(root, at, true)];
}

/** Tools recreate them. Through a link a task would write into the person's own. */
const CACHES: ReadonlySet<string> = new Set(['.cache', '.vite', '.vite-temp', '.vitest', '.tmp']);

function linkEntries(root: string, at: string, isTop: boolean): readonly SharedFile[] {
  return readdirSync(join(root, at), { withFileTypes: true }).flatMap((entry): readonly SharedFile[] => {
    if (isTop && CACHES.has(entry.name)) return [];
    const path = `${at}/${entry.name}`;
    const source = join(root, path);
    if (entry.isDirectory() && isTop && (entry.name.startsWith('@') || entry.name === '.bin'))
      return [{ kind: 'folder', at: path }, ...linkEntries(root, path, false)];
    if (entry.isDirectory()) return [{ kind: 'link', at: path, to: source, inside: null }];
    // Files there are state of package managers, which rewrite them: never through a link.
    if (entry.isFile()) return [{ kind: 'copy', at: path, from: source }];
    return entry.isSymbolicLink() ? [{ kind: 'link', at: path, to: source, inside: insideOf(root, source) }] : [];
  });
}

/** The path in the project that a link leads to; null outside. */
function insideOf(root: string, link: string): string | null {
  let target: string;
  try {
    target = realpathSync.native(link);
  } catch {
    return null;
  }
  const path = relative(root, target);
  const parts = path.split(sep);
  return path === '' || parts[0] === '..' || parts.includes('node_modules') ? null : parts.join('/');
}
