// Which tests of a project are measured beside those of a command: all, or those that a change may reach. Imports tell that for languages
// whose imports are read; elsewhere the package that the changed file lies in.

import { basename, dirname, join } from 'node:path';
import { addToList } from '@umpire/core/formats/multimap.js';
import type { MeasuredTest } from '@umpire/core/formats/debt-measurement.js';
import { listImports } from '@umpire/guard/project/imports.js';
import { roleOf } from '@umpire/guard/project/paths.js';
import { findPackages } from '../runners/find-tests.js';
import { readManifest } from '../runners/run-tool.js';
import { readText } from '../runners/project-files.js';
import { sha256 } from '../sessions/hash.js';
import type { CriticJob } from './critic.js';
import { filesChanged, filesNow } from './commit-copy.js';

/** Test files, by their paths from the project. */
export interface TestScope {
  /** The same for the same files. */
  readonly key: string;
  readonly has: (path: string) => boolean;
  /** May one of them lie in this folder? Empty: the project itself. */
  readonly isIn: (folder: string) => boolean;
}

/** `loop`: what the loop measures where the settings say nothing. Null: all tests. */
export function chooseScope({ settings }: Pick<CriticJob, 'settings'>, loop: 'related' | 'all'): 'related' | 'all' | 'command' {
  const { tests } = settings;
  return (tests === null || tests === 'none' ? null : tests.scope) ?? loop;
}

/** The tests that the change since `base` may reach. */
export function findRelated(project: string, base: string): TestScope {
  const changed = filesChanged(project, base);
  const reach = new Reach(project, [...new Set([...filesNow(project), ...changed])]);
  for (const path of changed) reach.add(path);
  return reach.scope();
}

/** Without the tests that a command named. */
export function without(scope: TestScope, results: readonly MeasuredTest[]): TestScope {
  const covers = coverageOf(results);
  const key = sha256(JSON.stringify([scope.key, results.map(({ id }) => id).toSorted()]));
  return { ...scope, key, has: (path) => scope.has(path) && !covers(path) };
}

export const ALL_TESTS: TestScope = { key: '', has: () => true, isIn: () => true };

/** Does a run with these results run the tests of this file? Go names packages, and cargo crates, in place of files. */
export function coverageOf(results: readonly Pick<MeasuredTest, 'id' | 'file'>[]): (path: string) => boolean {
  const files = new Set(results.map(({ file }) => file));
  const owners = [...new Set(results.flatMap(({ id, file }) => (file === null ? [id.split(' > ')[0] ?? ''] : [])))];
  return (path) => {
    if (files.has(path)) return true;
    if (path.endsWith('.go')) return owners.some((owner) => `/${owner}`.endsWith(`/${dirname(path)}`) || dirname(path) === '.');
    return path.endsWith('.rs') && owners.length > 0;
  };
}

const CODE = /\.(?:[cm]?[jt]sx?|pyi?|go)$/;
const GO = /\.go$/;
/** Loaded by every test below its folder, without an import. */
const OF_FOLDER = /(?:^|\/)(?:conftest|__init__)\.py$/;
/** Files that a folder is a package by. */
const MANIFESTS =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.py|go\.mod|Cargo\.toml|composer\.json|Gemfile|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs|CMakeLists\.txt|[^/]+\.(?:cs|fs)proj)$/;

class Reach {
  private readonly reached = new Set<string>();
  /** Folders with all that is in them; empty: the project itself. */
  private readonly folders = new Set<string>();
  private readonly importers = new Map<string, string[]>();
  private readonly byStem = new Map<string, string[]>();
  private readonly packages: readonly { readonly name: string; readonly folder: string }[];

  constructor(
    project: string,
    private readonly files: readonly string[],
  ) {
    const known = new Set(files);
    const code = files.filter((path) => CODE.test(path));
    for (const path of code) addToList(this.byStem, basename(stemOf(path)), path);
    const modules = files.filter((path) => basename(path) === 'go.mod');
    this.packages = [
      ...findPackages(project).map((folder) => ({ name: String(readManifest(join(project, folder))?.['name'] ?? ''), folder })),
      ...modules.map((path) => ({
        name: /^module\s+(\S+)/m.exec(readText(join(project, path)) ?? '')?.[1] ?? '',
        folder: dirname(path) === '.' ? '' : dirname(path),
      })),
    ].filter(({ name }) => name !== '');
    for (const path of code) {
      const imports = listImports(path, readText(join(project, path)) ?? '');
      for (const candidates of imports.files) {
        const target = candidates.find((one) => known.has(one));
        if (target !== undefined) addToList(this.importers, target, path);
      }
      for (const name of imports.packages) for (const target of this.findTargets(path, name)) addToList(this.importers, target, path);
    }
  }

  /** What else a change of this file reaches. */
  add(path: string): void {
    const role = roleOf(path);
    if (role === 'docs' || role === 'ci') return;
    const isCode = CODE.test(path) && !OF_FOLDER.test(path);
    if (isCode) this.follow(path);
    // A set-up file is named by settings, and data by its path.
    const isImported = isCode && (role === 'source' || role === 'test' || this.importers.has(path));
    if (!isImported) this.addFolder(role === 'lockfile' ? '' : OF_FOLDER.test(path) ? folderOf(path) : this.findPackage(path));
  }

  scope(): TestScope {
    const isWithin = (path: string, folder: string): boolean => folder === '' || path.startsWith(`${folder}/`);
    return {
      key: sha256(JSON.stringify([[...this.reached].toSorted(), [...this.folders].toSorted()])),
      has: (path) => this.reached.has(path) || [...this.folders].some((folder) => isWithin(path, folder)),
      isIn: (folder) =>
        [...this.reached].some((path) => isWithin(path, folder)) ||
        [...this.folders].some((one) => one === folder || isWithin(`${one}/`, folder) || isWithin(`${folder}/`, one)),
    };
  }

  private follow(start: string): void {
    const open = [start];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (this.reached.has(path)) continue;
      this.reached.add(path);
      open.push(...(this.importers.get(path) ?? []));
      // The files of a folder are one package of Go.
      if (GO.test(path)) {
        const folder = dirname(path);
        open.push(...this.files.filter((other) => GO.test(other) && dirname(other) === folder));
      }
      const owner = this.packages.findLast(({ folder }) => folder === '' || path.startsWith(`${folder}/`));
      if (owner !== undefined && !GO.test(path)) open.push(...(this.importers.get(`package ${owner.folder}`) ?? []));
    }
  }

  private addFolder(folder: string): void {
    this.folders.add(folder);
    for (const path of this.files) if (CODE.test(path) && (folder === '' || path.startsWith(`${folder}/`))) this.follow(path);
  }

  /** The nearest folder with a manifest. */
  private findPackage(path: string): string {
    const folders = this.files.filter((file) => MANIFESTS.test(file)).map(folderOf);
    return folders.filter((folder) => folder !== '' && path.startsWith(`${folder}/`)).toSorted((a, b) => b.length - a.length)[0] ?? '';
  }

  /** The files that an import by another name may mean. A package of the workspace stands for all its files. */
  private findTargets(path: string, name: string): readonly string[] {
    const owner = this.packages.find((each) => name === each.name || name.startsWith(`${each.name}/`));
    if (owner !== undefined && GO.test(path)) {
      const folder = [owner.folder, name.slice(owner.name.length + 1)].filter((part) => part !== '').join('/');
      return this.files.filter((file) => GO.test(file) && folderOf(file) === folder);
    }
    if (owner !== undefined) return [`package ${owner.folder}`];
    // `@/views/page`, `~/views/page`, `#views/page`, `src/views/page`
    const tail = stemOf(name.replace(/^(?:[@~]\/|[#~/])/, ''));
    const named = this.byStem.get(basename(tail)) ?? [];
    const isMeant = (file: string): boolean => `/${stemOf(file)}`.endsWith(`/${tail}`);
    return [...named, ...(this.byStem.get('index') ?? []), ...(this.byStem.get('__init__') ?? [])].filter(
      (file) => isMeant(file) || (/\/(?:index|__init__)$/.test(stemOf(file)) && `/${folderOf(file)}`.endsWith(`/${tail}`)),
    );
  }
}

function stemOf(path: string): string {
  return path.replace(/\.(?:[cm]?[jt]sx?|pyi?|go)$/, '');
}

function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === '.' ? '' : folder;
}
