// Finds the tests of a project: which runners its scripts, configuration and dependencies show, and which test files each runner lists.
// A file belongs to one place only, so no test counts twice.

import { mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import { readYaml } from '@umpire/core/formats/yaml-text.js';
import { namesIn } from '../sessions/file-system.js';
import { makeScratch } from '../sessions/temporary-folder.js';
import { likelyPath, scriptTests } from './package-scripts.js';
import { pathTest } from './path-pattern.js';
import { findFiles } from './project-files.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import { prepareJest } from './jest.js';
import { prepareMocha } from './mocha.js';
import { prepareNode } from './node-test.js';
import { preparePytest } from './pytest.js';
import type { RunnerName, ScriptForeign, ScriptTests } from './package-scripts.js';
import { prepareVitest } from './vitest.js';
import { JS_TESTS } from './runner.js';
import type { Prepare, ReadyRunner, TestPlace } from './runner.js';
import { manifestFault, readManifest, runTool } from './run-tool.js';
import type { ToolJob } from './run-tool.js';

const RUNNERS: Readonly<Record<RunnerName, Prepare>> = {
  vitest: prepareVitest,
  jest: prepareJest,
  mocha: prepareMocha,
  node: prepareNode,
  pytest: preparePytest,
};

export interface FoundTestPlace {
  readonly place: FoundPlace;
  /** Null where the runner is not installed; `absent` says why. */
  readonly ready: ReadyRunner | null;
  readonly absent: string | null;
  /** Its test files, relative to the project, with forward slashes. */
  readonly files: readonly string[];
}

export interface FoundTests {
  /** The project with links resolved: reports name files by it. */
  readonly project: string;
  readonly places: readonly FoundTestPlace[];
  /** Parts of scripts that cannot be run here. */
  readonly unmeasured: readonly UnmeasuredPart[];
  /** What is odd about how the tests were found, for people. */
  readonly notes: readonly string[];
  /** Questions to runners, for the provenance. */
  readonly uses: readonly ToolUse[];
  /** A folder outside the project for reports; the caller removes it with `removeScratch`. */
  readonly scratch: string;
}

/** Tests that a script runs with something that is not known here. */
export interface UnmeasuredPart {
  /** Of the package, from the project; empty for the project itself. */
  readonly path: string;
  readonly runner: string;
  /** A typical path of such a test, which decides its layer. */
  readonly likely: string;
  readonly problem: string;
}

export async function findTests(job: ToolJob): Promise<FoundTests> {
  const project = realpathSync.native(job.project);
  const scratch = makeScratch('tests');
  const uses: ToolUse[] = [];
  const found: FoundTestPlace[] = [];
  for (const [index, place] of findPlaces(project, job.settings.testing.runner).entries()) {
    const own = join(scratch, `ask-${index}`);
    mkdirSync(own);
    const prepared = await RUNNERS[place.runner](place, job, own);
    const ready = 'ready' in prepared ? prepared.ready : null;
    const answer = ready === null ? null : await askRunner(job, place, ready, own);
    if (answer?.use !== undefined) uses.push(answer.use);
    const files = answer?.files ?? byPattern(place, ready);
    found.push({ place, ready, absent: 'absent' in prepared ? prepared.absent : null, files: withinProject(project, place, files) });
  }
  const places = shareOut(found);
  const unmeasured = [...brokenManifests(project), ...findForeign(project, job.settings.testing.runner).map(unmeasuredPart)];
  return { project, places, unmeasured, notes: repeats(found, places), uses, scratch };
}

/** The test files of each runner by their names alone. Starts nothing. */
export function guessTests(asked: string, { testing }: ToolJob['settings']): readonly Pick<FoundTestPlace, 'place' | 'files'>[] {
  const project = realpathSync.native(asked);
  return findPlaces(project, testing.runner).map((place) => ({ place, files: withinProject(project, place, byPattern(place, null)) }));
}

function unmeasuredPart({ path, name, kind, script }: ReturnType<typeof findForeign>[number]): UnmeasuredPart {
  const problem = `The script "${script}" runs tests with ${name}, which Umpire cannot measure, so they did not run. To judge without them, set critics.testing.runner.`;
  return { path, runner: name, likely: likelyPath(path, kind), problem };
}

/** The tests of a package are unknown where its package.json cannot be read. */
function brokenManifests(project: string): readonly UnmeasuredPart[] {
  return ['', ...packagesOf(project)].flatMap((path) => {
    const fault = manifestFault(join(project, path));
    if (fault === null) return [];
    const file = path === '' ? 'package.json' : `${path}/package.json`;
    return [
      {
        path,
        runner: 'unknown',
        likely: likelyPath(path, 'unit'),
        problem: `${file} cannot be read: ${fault}. Fix it: its test scripts are unknown.`,
      },
    ];
  });
}

/** A file is run once, also where the script runs it in two ways. */
function repeats(found: readonly FoundTestPlace[], kept: readonly FoundTestPlace[]): readonly string[] {
  return found.flatMap(({ place, files }, index) => {
    const isRepeat = place.script !== null && files.length > 0 && kept[index]?.files.length === 0 && isScriptedTwice(found, place);
    return isRepeat ? [`The script calls ${place.runner} again on the same test files (${words(place.script?.args)}); they ran once.`] : [];
  });
}

function isScriptedTwice(found: readonly FoundTestPlace[], { path, runner }: FoundPlace): boolean {
  return found.filter(({ place }) => place.path === path && place.runner === runner).length > 1;
}

function words(args: readonly string[] = []): string {
  return args.length === 0 ? 'without arguments' : args.join(' ').slice(0, 100);
}

export function removeScratch({ scratch }: Pick<FoundTests, 'scratch'>): void {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
}

async function askRunner(job: ToolJob, place: FoundPlace, ready: ReadyRunner, scratch: string) {
  const { listing } = ready;
  if (listing === null) return null;
  const stdout = join(scratch, 'printed.txt');
  const { argv, env, file } = listing;
  const name = place.runner;
  const call = { name, version: ready.version, argv, env, workdir: place.folder, keepStdout: stdout, scratch, isQuiet: true };
  const run = await runTool(job, call);
  const text = run.outcome === 'ended' ? textOf(file ?? stdout) : null;
  return { files: text === null ? null : listing.filesIn(text), use: run.use };
}

function byPattern(place: FoundPlace, ready: ReadyRunner | null): readonly string[] {
  const patterns = ready?.patterns ?? (place.runner === 'pytest' ? ['**/test_*.py', '**/*_test.py'] : JS_TESTS);
  return findFiles(place.folder, patterns);
}

function withinProject(project: string, place: FoundPlace, files: readonly string[]): readonly string[] {
  const paths = files.map((file) => relative(project, resolve(place.folder, file)).split(sep).join('/'));
  return [...new Set(paths)].filter((path) => !path.startsWith('../')).toSorted();
}

/** A place that covers packages keeps what it lists; else the innermost place does. */
function shareOut(found: readonly FoundTestPlace[]): readonly FoundTestPlace[] {
  const order = found.toSorted(
    (a, b) => Number(b.place.coversPackages) - Number(a.place.coversPackages) || b.place.path.length - a.place.path.length,
  );
  const taken = new Set<string>();
  const kept = new Map<FoundTestPlace, readonly string[]>();
  for (const each of order) {
    const inner = order.filter(
      ({ place: { path } }) => path !== each.place.path && isWithin(path, each.place.path) && !each.place.coversPackages,
    );
    const isOthers = (path: string): boolean => inner.some(({ place }) => sameLanguage(place, each.place) && isWithin(path, place.path));
    const files = each.files.filter((path) => !taken.has(path) && !isOthers(path));
    for (const path of files) taken.add(path);
    kept.set(each, files);
  }
  return found.map((each) => ({ ...each, files: kept.get(each) ?? [] }));
}

function sameLanguage(one: FoundPlace, other: FoundPlace): boolean {
  return (one.runner === 'pytest') === (other.runner === 'pytest');
}

function isWithin(path: string, folder: string): boolean {
  return folder === '' ? path !== '' : path === folder || path.startsWith(`${folder}/`);
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

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

/** The runners of a folder itself, by its own files. Searches no other folders where it can be avoided. */
export function runnersIn(folder: string, wanted: RunnerName | null): readonly RunnerName[] {
  const runners = signsOf(folder, wanted).map(({ runner }) => runner);
  return [...new Set([...runners, ...(wanted === null && showsPytest(folder) ? ['pytest' as const] : [])])];
}

/** Runners in scripts that Umpire cannot run. A runner in the settings excludes all others. */
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
  const text = startOf(join(project, 'pnpm-workspace.yaml'));
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
  return /['"]node:test['"]/.test(startOf(path));
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
    (runner === 'vitest' || runner === 'jest') && configs.some((name) => /\b(?:projects|workspace)\b/.test(startOf(join(project, name))))
  );
}

/** Without any other sign, the imports of the test files decide. */
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
  if (settings.some((name) => /\bpytest\b/.test(startOf(join(folder, name))))) return true;
  const isPython = names.some((name) => name === 'pyproject.toml' || name === 'setup.py' || name === 'setup.cfg');
  return isPython && findFiles(folder, ['**/test_*.py', '**/*_test.py']).length > 0;
}

const MOST_CHARACTERS = 256 * 1024;

/** The start of a text file; empty where it cannot be read. */
function startOf(path: string): string {
  return textOf(path)?.slice(0, MOST_CHARACTERS) ?? '';
}
