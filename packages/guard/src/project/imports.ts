// What a source file imports, by its text: the files that each import may mean, and names of packages. For JavaScript, TypeScript, Python and Go.

import { isPython } from '../syntax/nodes.js';

export interface Imports {
  /** For each import of a file, the files that it may mean, the likeliest first. */
  readonly files: readonly (readonly string[])[];
  /** Imports by another name than a file's: `lodash/get`, `@/views/page`, a module of Python as `a/b`, a package of Go. */
  readonly packages: readonly string[];
}

const EXTENSIONS = ['ts', 'tsx', 'js', 'jsx', 'mjs', 'cjs', 'mts', 'cts'];

export function listImports(path: string, text: string): Imports {
  if (isPython(path)) return readPython(path, text);
  if (path.endsWith('.go')) return { files: [], packages: readGo(text) };
  const specifiers = [...text.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"]([^'"\n]+)['"]/g)].map(([, specifier = '']) => specifier);
  const files = specifiers
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => {
      const place = joinImport(parentFolder(path), specifier);
      const stem = place.replace(/\.[cm]?jsx?$/, '');
      return [
        place,
        ...EXTENSIONS.flatMap((ending) => [`${place}.${ending}`, `${stem}.${ending}`]),
        ...EXTENSIONS.map((ending) => joinImport(place, `index.${ending}`)),
      ];
    });
  return { files, packages: specifiers.filter((specifier) => !specifier.startsWith('.')) };
}

/** `import "a/b"`, and the lines of `import ( … )`, with or without a name. */
function readGo(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^import\s*(?:\(([^)]*)\)|((?:[\w.]+\s+)?"[^"\n]+"))/gm)].map(([, block, one]) => block ?? one ?? '');
  return blocks.flatMap((block) => [...block.matchAll(/"([^"\n]+)"/g)].map(([, name = '']) => name));
}

function readPython(path: string, text: string): Imports {
  const packages: string[] = [];
  const imports = [...text.matchAll(/^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)|import[ \t]+([\w., \t]+))/gm)];
  const files = imports.flatMap(([, dots = '', module = '', names = '', plain = '']) => {
    const modules = plain === '' ? [module] : plain.split(',').map((one) => one.trim().split(/\s/)[0] ?? '');
    const inner = names
      .replace(/[()]/g, '')
      .split(',')
      .map((one) => one.trim().split(/\s/)[0] ?? '');
    const parts = modules.flatMap((one) => [
      one,
      ...inner.filter((name) => /^\w+$/.test(name)).map((name) => (one === '' ? name : `${one}.${name}`)),
    ]);
    const roots =
      dots === '' ? ['', 'src', 'lib', parentFolder(path)] : [joinImport(parentFolder(path), '../'.repeat(dots.length - 1) || '.')];
    if (dots === '') packages.push(...parts.map((part) => part.replaceAll('.', '/')));
    // `from . import x` may take it from the package itself.
    const own = dots !== '' && module === '' ? [roots.map((root) => joinImport(root, '__init__.py'))] : [];
    const named = parts
      .filter((part) => part !== '')
      .map((part) =>
        roots.flatMap((root) =>
          [`${part.replaceAll('.', '/')}.py`, `${part.replaceAll('.', '/')}/__init__.py`].map((file) => joinImport(root, file)),
        ),
      );
    return [...named, ...own];
  });
  return { files, packages };
}

function parentFolder(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

function joinImport(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}
