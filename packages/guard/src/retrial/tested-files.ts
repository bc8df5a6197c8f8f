// Which source files a test file imports, by the customs of JavaScript and Python.

import { isPython } from '../syntax/languages.js';
import { isJudge } from './judges.js';

const EXTENSIONS = ['ts', 'tsx', 'js', 'jsx', 'mjs', 'cjs', 'mts', 'cts'];

/** So many files are read for one test. */
const MOST_FILES = 40;

/** The nearest first. `read`: null where there is no such file. Behind modules that only pass on what others have, all imports are followed. */
export function testedFiles(path: string, text: string, read: (path: string) => string | null): readonly string[] {
  const direct = importsOf(path, text, read);
  const found = new Set(direct);
  let open = direct.filter((path: string): boolean => /(?:^|\/)(?:__init__\.py|index\.\w+)$/.test(path));
  while (open.length > 0 && found.size < MOST_FILES) {
    const next = open.flatMap((file) => importsOf(file, read(file) ?? '', read)).filter((file) => !found.has(file));
    for (const file of next) found.add(file);
    open = [...new Set(next)];
  }
  return [...found].filter((file) => !isJudge(file)).slice(0, MOST_FILES);
}

function importsOf(path: string, text: string, read: (path: string) => string | null): readonly string[] {
  const candidates = isPython(path) ? pythonImports(path, text) : javaScriptImports(path, text);
  return candidates.flatMap((files) => files.find((file) => read(file) !== null) ?? []);
}

/** For each import, the files that it may mean. */
function javaScriptImports(path: string, text: string): readonly (readonly string[])[] {
  const specifiers = [...text.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"](\.[^'"]*)['"]/g)].map(([, specifier = '']) => specifier);
  return specifiers.map((specifier) => {
    const place = joinImport(parentFolder(path), specifier);
    const stem = place.replace(/\.[cm]?jsx?$/, '');
    return [
      place,
      ...EXTENSIONS.flatMap((ending) => [`${place}.${ending}`, `${stem}.${ending}`]),
      ...EXTENSIONS.map((ending) => joinImport(place, `index.${ending}`)),
    ];
  });
}

function pythonImports(path: string, text: string): readonly (readonly string[])[] {
  const imports = [...text.matchAll(/^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)|import[ \t]+([\w., \t]+))/gm)];
  return imports.flatMap(([, dots = '', module = '', names = '', plain = '']) => {
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
