// A sample project of one runner, as a file of fixtures/languages/ describes it, or a real project that a person brought: its files, the
// changes that are made to it, and what its runner must then be heard to say.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/** What is done to the product, its tests or their settings. */
export const CHANGES = ['break', 'skip', 'delete', 'filter', 'hollow', 'exit', 'unloaded', 'crash', 'nothing'] as const;
export type ChangeName = (typeof CHANGES)[number];

export interface Sample {
  /** As the registry names it. */
  readonly runner: string;
  /** Of a real project: `owner/name`. */
  readonly repository?: string;
  readonly commit?: string;
  /** Prints the version of the runner. */
  readonly version: string;
  /** What a person types. */
  readonly command: string;
  /** The same, so that it names and counts every test for people; null: the command does. */
  readonly count?: string;
  /** Prints the figure of the runner's own coverage. */
  readonly coverage?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Packages of npm with their versions. */
  readonly packages?: Readonly<Record<string, string>>;
  /** Makes a real project ready. */
  readonly prepare?: string;
  /** Null in a real project, which has its own. */
  readonly files: Readonly<Record<string, string>> | null;
  /** The last part of each name. Left out in a real project: the counts of the runner are compared alone. */
  readonly passed?: readonly string[];
  readonly skipped?: readonly string[];
  readonly changes: Readonly<Partial<Record<ChangeName, Change>>>;
}

export interface Change {
  /** By file: this text, once, becomes that text. */
  readonly edits?: Readonly<Record<string, readonly [string, string]>>;
  /** Where the command that counts changes too. */
  readonly count?: string;
  /** Last parts of the names of tests that must be seen to fail, and to be gone, skipped or not run. */
  readonly failing?: readonly string[];
  readonly lost?: readonly string[];
}

type Written = Omit<Partial<Sample>, 'files'> & { readonly like?: string; readonly files?: Readonly<Record<string, string>> };

const root = join(import.meta.dirname, '..', '..');
export const SAMPLES = join(root, 'fixtures', 'languages');

/** `folder`: where samples like it lie. */
export function readSample(file: string): Sample {
  const own = parse(readFileSync(file, 'utf8')) as Written;
  if (own.like === undefined) return { ...own, files: own.files ?? null, changes: own.changes ?? {} } as Sample;
  const { like, ...rest } = own;
  const common = parse(readFileSync(join(dirname(file), `${like}.yaml`), 'utf8')) as Written;
  const changes = Object.fromEntries(
    CHANGES.flatMap((name) => {
      const merged = { ...common.changes?.[name], ...rest.changes?.[name] };
      return Object.keys(merged).length === 0 ? [] : [[name, merged]];
    }),
  );
  return { ...common, ...rest, files: { ...common.files, ...rest.files }, changes } as Sample;
}

/** Samples of the repository, by runner. */
export function listSamples(): readonly { readonly name: string; readonly file: string }[] {
  return readdirSync(SAMPLES)
    .filter((name) => name.endsWith('.yaml') && name !== 'javascript.yaml')
    .toSorted()
    .map((name) => ({ name: name.slice(0, -'.yaml'.length), file: join(SAMPLES, name) }));
}

/** Writes the sample into an empty folder, with a first commit. `source`: the folder of a real project. */
export function makeProject(sample: Sample, folder: string, source: string | null): void {
  mkdirSync(folder, { recursive: true });
  if (source !== null) cpSync(source, folder, { recursive: true, verbatimSymlinks: true });
  for (const [path, text] of Object.entries(sample.files ?? {})) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  if (source !== null) return;
  if (sample.packages !== undefined) symlinkSync(installPackages(sample.packages), join(folder, 'node_modules'));
  const ignored = join(folder, '.gitignore');
  const before = existsSync(ignored) ? readFileSync(ignored, 'utf8') : '';
  writeFileSync(ignored, `${before}node_modules\n.umpire\n__pycache__\n`);
  commitAll(folder, 'first');
}

export function commitAll(folder: string, message: string): void {
  const git = (...args: readonly string[]): void => {
    const own = ['-c', 'user.name=Person', '-c', 'user.email=person@example.com', '-c', 'gc.auto=0'];
    execFileSync('git', [...own, ...args], { cwd: folder, stdio: 'ignore' });
  };
  if (!existsSync(join(folder, '.git'))) git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '--allow-empty', '-m', message);
}

/** The packages of this repository where it has them; else installed once, beside its caches. */
function installPackages(packages: Readonly<Record<string, string>>): string {
  const own = join(root, 'node_modules');
  if (Object.entries(packages).every(([name, version]) => readVersion(own, name) === version)) return own;
  const words = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const key = createHash('sha256').update(words.join(' ')).digest('hex').slice(0, 12);
  const folder = join(own, '.cache', 'umpire', 'languages', key);
  if (!Object.entries(packages).every(([name, version]) => readVersion(join(folder, 'node_modules'), name) === version)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...words], { cwd: folder, stdio: 'ignore' });
  }
  return join(folder, 'node_modules');
}

function readVersion(modules: string, name: string): string | null {
  const file = join(modules, name, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : null;
}

/** Throws where a text to be changed is not there: the sample is out of date then. */
export function applyChange(folder: string, { edits = {} }: Change): void {
  for (const [path, [find, put]] of Object.entries(edits)) {
    const text = readFileSync(join(folder, path), 'utf8');
    if (!text.includes(find)) throw new Error(`${path} has no ${JSON.stringify(find)}`);
    writeFileSync(
      join(folder, path),
      text.replace(find, () => put),
    );
  }
}
