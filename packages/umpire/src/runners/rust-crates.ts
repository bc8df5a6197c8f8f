// Packages of Rust, for the runners that test them: which flags of a call choose them, which of them a wanted file lies in, and where a test of a
// module path is declared.

import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import { isFile } from '../sessions/file-system.js';
import { findFiles, pathTest, readText } from './project-files.js';
import type { Selection } from './runner.js';
import { hasProgram } from './system-program.js';

/** Flags of cargo that choose what is built. */
export const BUILD_FLAGS = {
  withValue: '-p --package --exclude -F --features --target --manifest-path --config -Z'.split(' '),
  plain: '--workspace --all --all-features --no-default-features -r --release --locked --offline --frozen --all-targets'.split(' '),
};

/** Cargo's own words stay where the project's settings or variables would change them. */
export const PLAIN_CARGO = {
  CARGO_TERM_COLOR: 'never',
  CARGO_TERM_QUIET: 'false',
  CARGO_TERM_VERBOSE: 'false',
  CARGO_TERM_PROGRESS_WHEN: 'never',
};

/**
 * Has the package, or the workspace that it is a member of, settings of cargo-nextest, and is that installed? Without the program, `cargo test` runs
 * the same tests.
 */
export function usesNextest(folder: string): boolean {
  for (let outer = folder; ; outer = dirname(outer)) {
    const has = (file: string): boolean => isFile(join(outer, file));
    if (has('.config/nextest.toml') && has('Cargo.toml') && (outer === folder || isInWorkspace(outer, relative(outer, folder))))
      return hasProgram('cargo-nextest', folder);
    if (existsSync(join(outer, '.git')) || dirname(outer) === outer) return false;
  }
}

/** Does a run in this folder test all packages of its workspace, if it is told to? `flags`: those that choose packages. */
export function isWholeWorkspace(folder: string, flags: readonly string[]): boolean {
  const manifest = readText(join(folder, 'Cargo.toml')) ?? '';
  return /^\[workspace\]/m.test(manifest) && !/^default-members\s*=/m.test(manifest) && flags.length === 0;
}

/** The outer manifest is a workspace's, and does not leave the inner one out. */
export function isInWorkspace(outer: string, inner: string): boolean {
  const manifest = readText(join(outer, 'Cargo.toml')) ?? '';
  const workspace = /^\[workspace\](?:(?!^\[)[^])*/m.exec(manifest)?.[0];
  if (workspace === undefined) return false;
  const excluded = /^exclude\s*=\s*\[([^\]]*)\]/m.exec(workspace)?.[1] ?? '';
  const patterns = [...excluded.matchAll(/["']([^"']+)["']/g)].map(([, pattern = '']) => pattern.replace(/\/+$/, ''));
  return !pathTest(patterns.flatMap((pattern) => [pattern, `${pattern}/**`]))(inner);
}

export interface CratePackage {
  readonly name: string;
  /** From the place; empty for itself. */
  readonly folder: string;
}

function findCratePackages(folder: string): readonly CratePackage[] {
  return findFiles(folder, ['**/Cargo.toml']).flatMap((file) => {
    const own = /^\[package\](?:(?!^\[)[^])*/m.exec(readText(join(folder, file)) ?? '')?.[0] ?? '';
    const name = /^name\s*=\s*["']([^"']+)["']/m.exec(own)?.[1];
    return name === undefined ? [] : [{ name, folder: dirname(file) === '.' ? '' : dirname(file) }];
  });
}

/** Packages with wanted files; of them single test programs, where nothing else is wanted. */
export function selectTargets(folder: string, { files, others }: Selection, isAll: boolean): readonly string[] {
  if (others.length === 0) return isAll ? ['--workspace'] : [];
  const packages = findCratePackages(folder).toSorted((a, b) => b.folder.length - a.folder.length);
  const owned = files.map((file) => {
    const path = relative(folder, file);
    const owner = packages.find((each) => each.folder === '' || path.startsWith(`${each.folder}/`));
    const inner = owner === undefined || owner.folder === '' ? path : path.slice(owner.folder.length + 1);
    return { owner: owner?.name, program: /^tests\/([^/]+?)(?:\.rs|\/main\.rs)$/.exec(inner)?.[1] };
  });
  const names = new Set(owned.flatMap(({ owner }) => owner ?? []));
  const programs = owned.map(({ program }) => program);
  const single = programs.every((program) => program !== undefined) ? [...new Set(programs)].flatMap((name) => ['--test', name]) : [];
  return [...[...names].flatMap((name) => ['-p', name]), ...single];
}

/**
 * By the module path in an id: of `shop > money::tests::adds` within `src/lib.rs`, the test lies in src/money.rs or src/money/mod.rs, or where it
 * is declared within an outer module. A failed test's line is that of its panic. `findRoots`: the first files of a test program, as they may be.
 */
export function locateInCrates(
  folder: string,
  results: readonly TestResult[],
  findRoots: (program: string, packages: readonly CratePackage[]) => readonly string[],
): readonly TestResult[] {
  const packages = findCratePackages(folder);
  const texts = new Map<string, string>();
  const read = (file: string): string => {
    const text = texts.get(file) ?? readText(join(folder, file)) ?? '';
    texts.set(file, text);
    return text;
  };
  const rootsOf = new Map<string, readonly string[]>();
  return results.map((result) => {
    const [program = '', path = '', ...more] = result.id.split(' > ');
    const roots = rootsOf.get(program) ?? findRoots(program, packages).filter((file) => isFile(join(folder, file)));
    rootsOf.set(program, roots);
    // Two packages may have a test program of one name.
    const [root] = roots;
    if (result.file !== null || root === undefined || roots.length > 1 || path === '' || more.length > 0) return result;
    const modules = path.replace(/ \(\d+\)$/, '').split('::');
    const name = modules.pop() ?? '';
    const base = dirname(root);
    const candidates = modules.flatMap((_, at) => {
      const inner = modules.slice(0, modules.length - at).join('/');
      return [`${base}/${inner}.rs`, `${base}/${inner}/mod.rs`];
    });
    const file = candidates.find((each) => isFile(join(folder, each))) ?? root;
    const text = read(file);
    // Test programs of other makes name their tests as they like.
    const find = (word: 'mod' | 'fn', named: string, from: number): number =>
      /^\w+$/.test(named) ? text.slice(from).search(new RegExp(`\\b${word}\\s+${named}\\b`)) : -1;
    const within = Math.max(0, find('mod', modules.at(-1) ?? '', 0));
    const declared = find('fn', name, within);
    const panicked = /^(\S+\.rs):(\d+):/.exec(result.message ?? '');
    if (panicked?.[1] === file) return { ...result, file, line: Number(panicked[2]) };
    return { ...result, file, line: declared < 0 ? null : text.slice(0, within + declared).split('\n').length };
  });
}
