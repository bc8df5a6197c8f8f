// Where specifiers of imports lead, as paths of the project.

import { roleOf } from '../paths.js';

const ENDINGS = ['.ts', '.tsx', '.js', '.jsx', '.mts', '.mjs', '.cts', '.cjs', '.json'];

/** Files that a specifier without or with ending may mean, first choice first. */
export function candidates(base: string): readonly string[] {
  const dot = base.lastIndexOf('.');
  const stem = dot > base.lastIndexOf('/') && ENDINGS.includes(base.slice(dot)) ? base.slice(0, dot) : null;
  const bent = stem === null ? [] : ['.ts', '.tsx', '.mts', '.cts'].map((ending) => stem + ending);
  return [
    ...(stem === null ? [] : [base]),
    ...bent,
    ...ENDINGS.map((ending) => base + ending),
    ...ENDINGS.map((ending) => `${base}/index${ending}`),
  ];
}

export function joinPath(from: string, specifier: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/** Source is what is tested: it is not looked into. */
export function isOfTests(path: string): boolean {
  return path.endsWith('.json') || roleOf(/\.[cm]?[jt]sx?$/.test(path) ? path : `${path}.ts`) !== 'source';
}
