// Resolver documents (DTCG 2025.10): which files and token trees hold for light and for dark. Sets and other modifiers say nothing
// about colour modes, and their files are read like any other.

import { isObject, own } from '@umpire/core/formats/json-text.js';
import { memberOf, plainOf, type Tree } from './json-tree.js';
import { modeTheme } from './theme.js';
import type { Theme } from './token.js';

export interface Sources {
  /** Tokens written into the document itself. */
  readonly inline: readonly { readonly tree: Tree; readonly theme: Theme | null }[];
  readonly themedFiles: readonly { readonly path: string; readonly theme: Theme }[];
}

export function isResolver(document: Tree): boolean {
  return Array.isArray(memberOf(document, 'resolutionOrder')?.tree.value) && typeof memberOf(document, 'version')?.tree.value === 'string';
}

export function sourcesOf(document: Tree): Sources {
  const inline: { tree: Tree; theme: Theme | null }[] = [];
  const themedFiles: { path: string; theme: Theme }[] = [];
  const take = (list: Tree | undefined, theme: Theme | null): void => {
    const plain = list === undefined ? null : plainOf(list);
    if (!Array.isArray(plain)) return;
    for (const source of plain as readonly unknown[]) {
      const ref = isObject(source) ? own(source, '$ref') : undefined;
      if (typeof ref === 'string' && theme !== null && !ref.startsWith('#')) themedFiles.push({ path: ref.split('#')[0] ?? '', theme });
      else if (isObject(source) && ref === undefined && list !== undefined) inline.push({ tree: treeOf(source, list.line), theme });
    }
  };
  for (const { tree } of memberOf(document, 'sets')?.tree.members ?? []) take(memberOf(tree, 'sources')?.tree, null);
  for (const { tree } of memberOf(document, 'modifiers')?.tree.members ?? []) {
    for (const { name, tree: sources } of memberOf(tree, 'contexts')?.tree.members ?? []) take(sources, modeTheme(name));
  }
  return { inline, themedFiles };
}

/** Lines inside a list are not kept: what stands in one is placed at the list. */
function treeOf(value: unknown, line: number): Tree {
  if (!isObject(value)) return { line, value, members: null };
  return { line, value: undefined, members: Object.entries(value).map(([name, inner]) => ({ name, line, tree: treeOf(inner, line) })) };
}
