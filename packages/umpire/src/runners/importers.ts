// The packages of a workspace that import the project's own package: what changes in it may break their tests. By manifests alone: names in
// package.json, paths in Cargo.toml, replace directives in go.mod.

import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { findPackages } from './find-tests.js';
import { findFiles, readText } from './project-files.js';
import { readManifest } from './run-tool.js';

/** From the project, such as `../b`, in order. None where the project is the whole repository. */
export function findImporters(project: string): readonly string[] {
  const top = repositoryAbove(project);
  if (top === null) return [];
  const found = [
    ...nodeImporters(project, top),
    ...importersBy(project, top, 'Cargo.toml', CRATE_PATHS),
    ...importersBy(project, top, 'go.mod', REPLACED),
  ];
  return [...new Set(found)]
    .map((folder) => relative(project, folder).replaceAll('\\', '/'))
    .filter((path) => path.startsWith('..'))
    .toSorted();
}

/** The root of the repository, where the project is a folder of it. */
function repositoryAbove(project: string): string | null {
  for (let folder = project; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder === project ? null : folder;
    if (folder === dirname(folder)) return null;
  }
}

const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

function nodeImporters(project: string, top: string): readonly string[] {
  const name = readManifest(project)?.['name'];
  if (typeof name !== 'string') return [];
  for (let root = dirname(project); ; root = dirname(root)) {
    const packages = findPackages(root).map((path) => join(root, path));
    if (packages.includes(project)) {
      const all = packages.map((folder) => ({ folder, manifest: readManifest(folder) ?? {} }));
      return closure(name, (wanted) =>
        all.flatMap(({ folder, manifest }) => {
          const lists = DEPENDENCIES.flatMap((key) => (isObject(manifest[key]) ? [manifest[key]] : []));
          const own = manifest['name'];
          return lists.some((list) => Object.hasOwn(list, wanted)) ? [{ folder, key: typeof own === 'string' ? own : folder }] : [];
        }),
      );
    }
    if (root === top) return [];
  }
}

const CRATE_PATHS = /\bpath\s*=\s*"([^"\n]+)"/g;
const REPLACED = /=>\s*(\.\.?\/[^\s"]+)/g;

/** Folders whose manifest names the project's by its path. */
function importersBy(project: string, top: string, manifest: string, paths: RegExp): readonly string[] {
  if (!existsSync(join(project, manifest))) return [];
  const all = findFiles(top, [`**/${manifest}`]).map((file) => {
    const folder = join(top, dirname(file));
    const named = [...(readText(join(top, file)) ?? '').matchAll(paths)].map(([, path = '']) => resolve(folder, path));
    return { folder, named };
  });
  // A workspace's own manifest names its crates for all, and has no tests; who uses them by name has a `workspace = true`.
  const shared = all
    .filter(({ folder, named }) => named.includes(project) && isWorkspace(join(folder, manifest)))
    .map(({ folder }) => folder);
  const byName = new RegExp(
    `^\\s*${basename(project).replaceAll(/[_-]/g, '[_-]')}(?:\\.workspace\\s*=|\\s*=\\s*\\{[^}\\n]*workspace)`,
    'm',
  );
  return closure(project, (wanted) =>
    all
      .filter(({ folder, named }) => {
        if (folder === wanted || shared.includes(folder)) return false;
        return named.includes(wanted) || (wanted === project && shared.length > 0 && byName.test(readText(join(folder, manifest)) ?? ''));
      })
      .map(({ folder }) => ({ folder, key: folder })),
  );
}

function isWorkspace(manifest: string): boolean {
  return /^\[workspace\b/m.test(readText(manifest) ?? '');
}

/** All that import it, and what imports those. */
function closure(
  start: string,
  importersOf: (key: string) => readonly { readonly folder: string; readonly key: string }[],
): readonly string[] {
  const found = new Map<string, string>();
  for (const open = [start]; open.length > 0;) {
    for (const { folder, key } of importersOf(open.pop() as string)) {
      if (key === start || found.has(key)) continue;
      found.set(key, folder);
      open.push(key);
    }
  }
  return [...found.values()];
}
