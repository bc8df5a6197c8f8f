// Where the file of an imported module may lie.

import type { Language } from '../syntax/nodes.js';

const ENDINGS = ['', '.ts', '.js', '.mjs', '.cjs', '.tsx', '.jsx', '.mts', '/index.ts', '/index.js'];

/** Paths in the project, likely ones first; empty for modules that are installed. */
export function candidatePaths(from: string, module: string, name: string, language: Language): readonly string[] {
  const folder = from.slice(0, Math.max(0, from.lastIndexOf('/')));
  if (language === 'javascript') {
    if (!module.startsWith('.')) return [];
    const path = resolveModulePath(folder, module);
    const bare = path.replace(/\.[cm]?js$/, '');
    return [...new Set([path, ...ENDINGS.flatMap((ending) => [path + ending, bare + ending])])].filter((one) => /\.\w+$/.test(one));
  }
  const dots = /^\.*/.exec(module)?.[0].length ?? 0;
  const parts = module.slice(dots).replaceAll('.', '/');
  const base = dots === 0 ? '' : resolveModulePath(folder, '../'.repeat(dots - 1));
  const bases = dots > 0 ? [base] : ['', folder];
  return bases.flatMap((start) => {
    const path = resolveModulePath(start, parts);
    return [`${path}.py`, `${path}/__init__.py`, `${path}/${name}.py`].map((one) => one.replace(/^\//, ''));
  });
}

function resolveModulePath(folder: string, path: string): string {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
