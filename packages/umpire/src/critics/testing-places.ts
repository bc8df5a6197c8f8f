// Where a project has tests, and which runners run them: from its own files alone (scripts, configuration, dependencies). Nothing
// is run here. A package of a workspace that shows a runner of its own is a place of its own; the project takes the rest.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { readYaml } from '@umpire/core/formats/yaml-text.js';
import { namesIn } from '../sessions/file-system.js';
import { pathTest } from './path-pattern.js';
import { findFiles } from './project-files.js';
import { scriptTests } from './runner-script.js';
import type { RunnerName, ScriptForeign, ScriptTests } from './runner-script.js';
import { JS_TESTS } from './test-runner.js';
import type { TestPlace } from './test-runner.js';
import { readManifest } from './tool.js';

export interface FoundPlace extends TestPlace {
  /** Its configuration names projects: it runs the tests of packages too, and measures their coverage together. */
  readonly coversPackages: boolean;
}

interface Sign {
  readonly runner: RunnerName;
  readonly script: TestPlace['script'];
  /** Scripts and configuration are meant for this folder; a dependency may be there for the packages alone. */
  readonly isOwn: boolean;
}

/** `wanted`: the one runner that the settings name; null: whatever is found. `project` is absolute, links resolved. */
export function findPlaces(project: string, wanted: RunnerName | null): readonly FoundPlace[] {
  const scripted = wanted === 'pytest' ? [] : scriptPlaces(project, wanted);
  const isAsked = wanted === 'pytest' || testsOf(project).calls.some(({ runner }) => runner === 'pytest');
  const python = wanted === null || wanted === 'pytest' ? pythonPlaces(project, isAsked) : [];
  return [...scripted, ...python];
}

/** Runners that scripts call and that cannot be measured with. Who names a runner in the settings wants that one alone. */
export function findForeign(project: string, wanted: RunnerName | null): readonly (ScriptForeign & { readonly path: string })[] {
  if (wanted !== null) return [];
  return ['', ...packagesOf(project)].flatMap((path) => testsOf(join(project, path)).foreign.map((each) => ({ ...each, path })));
}

function scriptPlaces(project: string, wanted: RunnerName | null): readonly FoundPlace[] {
  const root = signsOf(project, wanted);
  const packages = packagesOf(project).map((path) => ({ path, signs: signsOf(join(project, path), wanted) }));
  const own = packages.flatMap(({ path, signs }) => (isOwn(signs) ? signs.map((sign) => placeOf(project, path, sign)) : []));
  const rest = packages.filter(({ path, signs }) => !isOwn(signs) && hasTests(project, path));
  if (root.length > 0 && (isOwn(root) || own.length + rest.length === 0))
    return [
      ...root.map((sign) => ({ ...placeOf(project, '', sign), coversPackages: sign.isOwn && namesProjects(project, sign.runner) })),
      ...own,
    ];
  const lent = rest.flatMap(({ path, signs }) => {
    const [shown = root[0] ?? byFiles(join(project, path))] = signs;
    return shown === null ? [] : [placeOf(project, path, { ...shown, script: null })];
  });
  if (own.length + lent.length > 0) return [...own, ...lent];
  const last = root[0] ?? byFiles(project);
  return last === null ? [] : [placeOf(project, '', last)];
}

function isOwn([first]: readonly Sign[]): boolean {
  return first?.isOwn === true;
}

function placeOf(project: string, path: string, { runner, script }: Sign): FoundPlace {
  return { runner, folder: path === '' ? project : join(project, path), path, script, coversPackages: false };
}

/** Folders of the workspace's packages, relative, in order. */
export function packagesOf(project: string): readonly string[] {
  const patterns = [...workspacesIn(readManifest(project)), ...pnpmPackages(project)].map((pattern) => pattern.replace(/\/+$/, ''));
  if (patterns.length === 0) return [];
  const matches = pathTest(patterns);
  return findFiles(project, ['**/package.json'])
    .map((file) => dirname(file))
    .filter((folder) => folder !== '.' && matches(folder));
}

function workspacesIn(manifest: Readonly<Record<string, unknown>> | null): readonly string[] {
  const said = manifest?.['workspaces'];
  return textsIn(isObject(said) ? said['packages'] : said);
}

function pnpmPackages(project: string): readonly string[] {
  const text = textOf(join(project, 'pnpm-workspace.yaml'));
  const yaml = text === '' ? null : readYaml(text);
  return yaml !== null && yaml.ok && isObject(yaml.value) ? textsIn(yaml.value['packages']) : [];
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** The first that tells: the scripts, which may call several runners; a file of configuration; a dependency. */
function signsOf(folder: string, wanted: RunnerName | null): readonly Sign[] {
  const manifest = readManifest(folder) ?? {};
  const scripted = testsOf(folder)
    .calls.filter(({ runner }) => (wanted === null ? runner !== 'pytest' : runner === wanted))
    .map((script): Sign => ({ runner: script.runner, script, isOwn: true }));
  if (scripted.length > 0) return scripted;
  if (wanted !== null) return [{ runner: wanted, script: null, isOwn: true }];
  const names = namesIn(folder);
  const config = CONFIGS.find(({ file, key }) => names.some((name) => file.test(name)) || (key !== null && isObject(manifest[key])));
  if (config !== undefined) return [{ runner: config.runner, script: null, isOwn: true }];
  const packages = new Set(
    ['dependencies', 'devDependencies'].flatMap((key) => (isObject(manifest[key]) ? Object.keys(manifest[key]) : [])),
  );
  const runner = (['vitest', 'jest', 'mocha'] as const).find((name) => packages.has(name));
  return runner === undefined ? [] : [{ runner, script: null, isOwn: false }];
}

/** What the scripts call. A file that is run by node and imports node:test is a test of node:test. */
function testsOf(folder: string): ScriptTests {
  const { calls, foreign } = scriptTests(readManifest(folder) ?? {});
  const isNode = ({ file, asNode }: ScriptForeign): boolean => asNode !== null && file !== null && importsNodeTest(join(folder, file));
  const nodes = foreign.filter(isNode).flatMap(({ asNode }) => asNode ?? []);
  return { calls: [...calls, ...nodes], foreign: foreign.filter((each) => !isNode(each)) };
}

function importsNodeTest(path: string): boolean {
  return /['"]node:test['"]/.test(textOf(path));
}

const CONFIGS: readonly { readonly runner: RunnerName; readonly file: RegExp; readonly key: string | null }[] = [
  { runner: 'vitest', file: /^vitest\.(?:config|workspace)\.[cm]?[jt]s(?:on)?$/, key: null },
  { runner: 'jest', file: /^jest\.config\.(?:[cm]?[jt]s|json)$/, key: 'jest' },
  { runner: 'mocha', file: /^\.mocharc\.(?:[cm]?js|jsonc?|ya?ml)$/, key: 'mocha' },
];

function namesProjects(project: string, runner: RunnerName): boolean {
  const jest = runner === 'jest' ? readManifest(project)?.['jest'] : undefined;
  if (isObject(jest) && Object.hasOwn(jest, 'projects')) return true;
  const names = namesIn(project);
  if (runner === 'vitest' && names.some((name) => name.startsWith('vitest.workspace.'))) return true;
  const configs = names.filter((name) => (runner === 'vitest' ? /^vite(?:st)?\.config\./ : /^jest\.config\./).test(name));
  return (
    (runner === 'vitest' || runner === 'jest') && configs.some((name) => /\b(?:projects|workspace)\b/.test(textOf(join(project, name))))
  );
}

/** Nothing else tells, but its tests say themselves whose they are. */
function byFiles(folder: string): Sign | null {
  const files = findFiles(folder, [...JS_TESTS, '**/test/**/*.{js,cjs,mjs}']).slice(0, 50);
  const isNode = files.some((file) => importsNodeTest(join(folder, file)));
  return isNode ? { runner: 'node', script: null, isOwn: false } : null;
}

function hasTests(project: string, path: string): boolean {
  return findFiles(join(project, path), JS_TESTS).length > 0;
}

/** The project itself where it shows pytest; else every folder that has its settings. */
function pythonPlaces(project: string, isWanted: boolean): readonly FoundPlace[] {
  const sign: Sign = { runner: 'pytest', script: null, isOwn: true };
  if (isWanted || showsPytest(project)) return [placeOf(project, '', sign)];
  const settings = findFiles(project, ['**/{pytest.ini,pyproject.toml,setup.cfg,tox.ini}']);
  const folders = [...new Set(settings.map((file) => dirname(file)))].filter(
    (folder) => folder !== '.' && showsPytest(join(project, folder)),
  );
  return folders
    .filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)))
    .map((folder) => placeOf(project, folder, sign));
}

function showsPytest(folder: string): boolean {
  const names = namesIn(folder);
  if (names.some((name) => name === 'pytest.ini' || name === '.pytest.ini' || name === 'conftest.py')) return true;
  const settings = names.filter((name) => /^(?:pyproject\.toml|setup\.cfg|tox\.ini|requirements[\w.-]*\.txt)$/.test(name));
  if (settings.some((name) => /\bpytest\b/.test(textOf(join(folder, name))))) return true;
  const isPython = names.some((name) => name === 'pyproject.toml' || name === 'setup.py' || name === 'setup.cfg');
  return isPython && findFiles(folder, ['**/test_*.py', '**/*_test.py']).length > 0;
}

const MOST_CHARACTERS = 256 * 1024;

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, MOST_CHARACTERS);
  } catch {
    return '';
  }
}
