// A node_modules folder for a worktree: a real folder with one link for each package. What is installed or cached there stays
// there, and packages of the project itself lead to the worktree's own sources, not to the person's checkout.

import { readdirSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Something that a worktree gets. Paths are relative to the root of the worktree. */
export type Provision =
  /** A link to a file or folder of the person's checkout; `inside` where the worktree may have it itself. */
  | { readonly kind: 'link'; readonly at: string; readonly to: string; readonly inside: string | null }
  | { readonly kind: 'copy'; readonly at: string; readonly from: string }
  /** `isOld`: is what is in its place of no use any more, and to be made anew? */
  | { readonly kind: 'folder'; readonly at: string; readonly isOld?: (place: string) => boolean }
  /** A file of its own; `text`: by the root of the worktree, absolute. */
  | { readonly kind: 'text'; readonly at: string; readonly text: (root: string) => string; readonly mode: number };

/** `root`: the checkout, links resolved. `at`: the node_modules folder in it. */
export function linkPackages(root: string, at: string): readonly Provision[] {
  return [{ kind: 'folder', at }, ...linkEntries(root, at, true)];
}

/** Tools make them again. A link would let a task write into the person's own. */
const CACHES: ReadonlySet<string> = new Set(['.cache', '.vite', '.vite-temp', '.vitest', '.tmp']);

function linkEntries(root: string, at: string, isTop: boolean): readonly Provision[] {
  return readdirSync(join(root, at), { withFileTypes: true }).flatMap((entry): readonly Provision[] => {
    if (isTop && CACHES.has(entry.name)) return [];
    const path = `${at}/${entry.name}`;
    const source = join(root, path);
    if (entry.isDirectory() && isTop && (entry.name.startsWith('@') || entry.name === '.bin'))
      return [{ kind: 'folder', at: path }, ...linkEntries(root, path, false)];
    if (entry.isDirectory()) return [{ kind: 'link', at: path, to: source, inside: null }];
    // Files there are notes of package managers, which write them again: never through a link.
    if (entry.isFile()) return [{ kind: 'copy', at: path, from: source }];
    return entry.isSymbolicLink() ? [{ kind: 'link', at: path, to: source, inside: insideOf(root, source) }] : [];
  });
}

/** Where in the project a link leads, if it is to the project's own sources. */
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
