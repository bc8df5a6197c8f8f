// What a project's own settings say of coverage: whether files that no test loads are counted, by each runner's rules, and which source
// files a figure leaves out. Settings that are programs are read as text, never run.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { coverageWords, keepWords } from './package-scripts.js';
import { findFiles } from './project-files.js';
import { pathTest } from './path-pattern.js';
import { JS_TESTS } from './runner.js';
import type { TestPlace } from './runner.js';
import { readManifest } from './run-tool.js';

/** Vitest 1 to 3 count them unless told otherwise; 4 counts what `coverage.include` names; 0 only when told to. `args`: of the script. */
export function vitestCountsAll(folder: string, version: string | null, args: readonly string[]): boolean {
  const major = Number(version?.split('.')[0] ?? Number.NaN);
  const settings = blocksOf(settingsText(folder, /^vite(?:st)?\.(?:config|workspace)\./, args), 'coverage');
  const says = (pattern: RegExp): boolean => settings.some((block) => pattern.test(block));
  if (major >= 4) return says(/\binclude\s*:/) || hasFlag(args, '--coverage.include');
  if (major >= 1) return !says(/\ball\s*:\s*false\b/) && !args.includes('--coverage.all=false');
  return says(/\ball\s*:\s*true\b/) || hasFlag(args, '--coverage.all');
}

export function jestCountsAll(folder: string, args: readonly string[]): boolean {
  const inManifest = readManifest(folder)?.['jest'];
  const text = settingsText(folder, /^jest\.config\./, args);
  return (
    hasFlag(args, '--collectCoverageFrom') ||
    /\bcollectCoverageFrom\b/.test(text) ||
    (isObject(inManifest) && Object.hasOwn(inManifest, 'collectCoverageFrom'))
  );
}

const WITH_VALUE = '-n --include -x --exclude --src -e --extension -c --config --nycrc-path --exclude-node-modules'.split(' ');
const PLAIN = ['-a', '--all', '--exclude-after-remap', '--allowExternal'];
const RC_FILES = {
  c8: /^(?:\.c8rc|\.nycrc)(?:\.json)?$/,
  nyc: /^(?:\.nycrc(?:\.json|\.ya?ml)?|nyc\.config\.[cm]?js)$/,
} as const;

/** `args`: what the test script gives the tool; else a script for coverage alone does. */
export function wrapperSettings(
  folder: string,
  tool: 'c8' | 'nyc',
  args: readonly string[],
): { readonly flags: readonly string[]; readonly countsAll: boolean } {
  const { flags } = keepWords(args.length > 0 ? args : coverageWords(readManifest(folder) ?? {}, tool), WITH_VALUE, PLAIN);
  const inManifest = readManifest(folder)?.[tool];
  const text = `${settingsText(folder, RC_FILES[tool], [])}\n${isObject(inManifest) ? JSON.stringify(inManifest) : ''}`;
  if (flags.includes('--all') || flags.includes('-a') || /\ball['"]?\s*:\s*true\b/.test(text)) return { flags, countsAll: true };
  const names = ['-n', '--include', '--src'].some((name) => hasFlag(flags, name)) || /\b(?:include|src)['"]?\s*:/.test(text);
  if (!names || /\ball['"]?\s*:\s*false\b/.test(text)) return { flags, countsAll: false };
  // The project says which files its figure is about.
  return { flags: [...flags, '--all'], countsAll: true };
}

/** `isAsked`: the settings give `--cov` its source. A bare `--cov` beside it would take that away. */
export function pytestCoverage(folder: string): { readonly isAsked: boolean; readonly countsAll: boolean } {
  const own = ['pytest.ini', '.pytest.ini', 'pyproject.toml', 'tox.ini', 'setup.cfg'].map((name) => textOf(join(folder, name)));
  const isAsked = own.some((text) => /^[ \t]*addopts\s*=[^[]*?--cov[= ](?!-)["']?[\w./]/m.test(text) || /["']--cov=[\w./]/.test(text));
  const sections = [
    ...[textOf(join(folder, '.coveragerc'))].flatMap((text) => sectionsOf(text, 'run')),
    ...own.flatMap((text) => [...sectionsOf(text, 'coverage:run'), ...sectionsOf(text, 'tool.coverage.run')]),
  ];
  return { isAsked, countsAll: isAsked || sections.some((section) => /^\s*source(?:_pkgs|_dirs)?\s*=/m.test(section)) };
}

function sectionsOf(text: string, name: string): readonly string[] {
  return text
    .split(/^(?=\[)/m)
    .filter((section) => section.startsWith(`[${name}]`))
    .map((section) => section.slice(name.length + 2));
}

function hasFlag(args: readonly string[], name: string): boolean {
  return args.some((word) => word === name || word.startsWith(`${name}=`));
}

/** The texts of the settings files in a folder, and of the one that the script names. */
function settingsText(folder: string, names: RegExp, args: readonly string[]): string {
  const at = args.findIndex((word) => /^(?:-c|--config)(?:=|$)/.test(word));
  const named = at < 0 ? [] : [args[at]?.includes('=') === true ? args[at].slice(args[at].indexOf('=') + 1) : (args[at + 1] ?? '')];
  return [...namesIn(folder).filter((name) => names.test(name)), ...named].map((name) => textOf(join(folder, name))).join('\n');
}

/** What stands in the braces behind `name:`. */
function blocksOf(text: string, name: string): readonly string[] {
  return [...text.matchAll(new RegExp(`\\b${name}['"]?\\s*:\\s*\\{`, 'g'))].map((match) => {
    let depth = 0;
    let at = match.index + match[0].length - 1;
    for (; at < text.length; at += 1) {
      if (text[at] === '{') depth += 1;
      else if (text[at] === '}') depth -= 1;
      if (depth === 0) break;
    }
    return text.slice(match.index, at);
  });
}

const JS_SOURCES = ['**/*.{js,cjs,mjs,jsx,ts,cts,mts,tsx}'];
/** Declarations, settings of tools, and folders that are by custom not the product. */
const NO_SOURCES = pathTest([
  ...JS_TESTS,
  '**/*.d.{ts,cts,mts}',
  '**/*.{config,stories,bench}.*',
  '**/{Gruntfile,gulpfile,Gulpfile}.*',
  '**/.*',
  '**/.*/**',
  '**/{test,tests,spec,specs,e2e,fixtures,__fixtures__,__mocks__,example,examples,bench,benchmark,benchmarks,doc,docs,script,scripts,coverage,vendor}/**',
  '**/{setup,conftest,noxfile}.py',
  '**/{test_*,*_test}.py',
]);

/** Relative to the project. `covered`: the files of the figure; `inner`: folders of other places, whose figures count their files. */
export function sourcesNotIn(
  covered: ReadonlySet<string>,
  { runner, folder, path }: Pick<TestPlace, 'runner' | 'folder' | 'path'>,
  isTest: (path: string) => boolean,
  inner: readonly string[],
): readonly string[] {
  return findFiles(folder, runner === 'pytest' ? ['**/*.py'] : JS_SOURCES)
    .filter((file) => !NO_SOURCES(file))
    .map((file) => (path === '' ? file : `${path}/${file}`))
    .filter((file) => !covered.has(file) && !isTest(file) && !inner.some((other) => file.startsWith(`${other}/`)));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const MOST_CHARACTERS = 256 * 1024;

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, MOST_CHARACTERS);
  } catch {
    return '';
  }
}
