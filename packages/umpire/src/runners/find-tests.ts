// Finds the tests of a project: which runners its scripts, configuration and dependencies show, and which test files each runner lists.
// A file belongs to one place only, so no test counts twice.

import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import { readYaml } from '@umpire/core/formats/yaml-text.js';
import { namesIn } from '../sessions/file-system.js';
import { findScriptTests } from './package-scripts.js';
import type { ForeignCall, ScriptTests, TestKind } from './package-scripts.js';
import { pathTest, findFiles, readText } from './project-files.js';
import { ALL_RUNNERS, RUNNERS } from './registry.js';
import { manifestFault, readManifest, runTool } from './run-tool.js';
import type { ToolJob } from './run-tool.js';
import { JS_TESTS } from './runner.js';
import type { ReadyRunner, RunnerName, TestPlace } from './runner.js';
import { makeScratch } from '../sessions/session-folder.js';

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
    const prepared = await RUNNERS[place.runner].prepare(place, job, own);
    const ready = 'ready' in prepared ? prepared.ready : null;
    const answer = ready === null ? null : await askRunner(job, place, ready, own);
    if (answer !== null) uses.push(answer.use);
    const files = listedFiles(project, place, answer?.files ?? null);
    found.push({ place, ready, absent: 'absent' in prepared ? prepared.absent : null, files });
  }
  const places = shareOut(found);
  // A file is run once, also where the script runs it in two ways.
  const repeats = found.flatMap(({ place, files }, index) => {
    const isTwice = found.filter((other) => other.place.path === place.path && other.place.runner === place.runner).length > 1;
    if (place.script === null || files.length === 0 || places[index]?.files.length !== 0 || !isTwice) return [];
    const words = place.script.args.length === 0 ? 'without arguments' : place.script.args.join(' ').slice(0, 100);
    return [`The script calls ${place.runner} again on the same test files (${words}); they ran once.`];
  });
  // Packages whose package.json cannot be read, since their tests are unknown, and runners that Umpire cannot run.
  // Where such tests would lie, for whoever sorts tests into layers by their path.
  const paths: Readonly<Record<TestKind, string>> = {
    unit: 'test/unit.test.js',
    integration: 'test/integration/all.integration.test.js',
    e2e: 'test/e2e/all.e2e.test.js',
  };
  const within = (path: string, name: string): string => (path === '' ? name : `${path}/${name}`);
  const broken = ['', ...findPackages(project)].flatMap((path) => {
    const fault = manifestFault(join(project, path));
    if (fault === null) return [];
    const problem = `${within(path, 'package.json')} cannot be read: ${fault}. Fix it: its test scripts are unknown.`;
    return [{ path, runner: 'unknown', likely: within(path, paths.unit), problem }];
  });
  const foreign = findForeign(project, job.settings.testing.runner).map(({ path, name, kind, script }) => ({
    path,
    runner: name,
    likely: within(path, paths[kind]),
    problem: `The script "${script}" runs tests with ${name}, which Umpire cannot measure, so they did not run. To judge without them, set critics.testing.runner.`,
  }));
  return { project, places, unmeasured: [...broken, ...foreign], notes: repeats, uses, scratch };
}

/** The test files of each runner by their names alone. Starts nothing. */
export function guessTests(asked: string, { testing }: ToolJob['settings']): readonly Pick<FoundTestPlace, 'place' | 'files'>[] {
  const project = realpathSync.native(asked);
  return findPlaces(project, testing.runner).map((place) => ({ place, files: listedFiles(project, place, null) }));
}

export function removeScratch({ scratch }: Pick<FoundTests, 'scratch'>): void {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
}

async function askRunner(job: ToolJob, place: FoundPlace, { listing, version }: ReadyRunner, scratch: string) {
  if (listing === null) return null;
  const stdout = join(scratch, 'printed.txt');
  const { argv, env, file } = listing;
  const call = { name: place.runner, version, argv, env, workdir: place.folder, keepStdout: stdout, scratch, isQuiet: true };
  const run = await runTool(job, call);
  const text = run.outcome === 'ended' ? readText(file ?? stdout) : null;
  return { files: text === null ? null : listing.readFiles(text), use: run.use };
}

/** From the project. `files`: what the runner lists; null: nothing, so names decide. */
function listedFiles(project: string, place: FoundPlace, files: readonly string[] | null): readonly string[] {
  const own = files ?? findFiles(place.folder, RUNNERS[place.runner].testFiles(place));
  const paths = own.map((file) => relative(project, resolve(place.folder, file)).split(sep).join('/'));
  return [...new Set(paths)].filter((path) => !path.startsWith('../')).toSorted();
}

/** A place that covers packages keeps what it lists; else the innermost place does. */
function shareOut(found: readonly FoundTestPlace[]): readonly FoundTestPlace[] {
  const isInFolder = (path: string, folder: string): boolean =>
    folder === '' ? path !== '' : path === folder || path.startsWith(`${folder}/`);
  const order = found.toSorted(
    (a, b) => Number(b.place.coversPackages) - Number(a.place.coversPackages) || b.place.path.length - a.place.path.length,
  );
  const taken = new Set<string>();
  const kept = new Map<FoundTestPlace, readonly string[]>();
  for (const each of order) {
    const { runner, path: folder, coversPackages } = each.place;
    const { language } = RUNNERS[runner];
    const inner = order.filter(
      ({ place: { path, runner: other } }) =>
        path !== folder && isInFolder(path, folder) && !coversPackages && RUNNERS[other].language === language,
    );
    const files = each.files.filter((path) => !taken.has(path) && !inner.some(({ place }) => isInFolder(path, place.path)));
    for (const path of files) taken.add(path);
    kept.set(each, files);
  }
  return found.map((each) => ({ ...each, files: kept.get(each) ?? [] }));
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
  const makePlace = (path: string, { runner, script }: Sign): FoundPlace => ({
    runner,
    folder: path === '' ? project : join(project, path),
    path,
    script,
    coversPackages: false,
  });
  const scripted = wanted === 'pytest' ? [] : findScriptPlaces(project, wanted, makePlace);
  if (wanted !== null && wanted !== 'pytest') return scripted;
  // pytest in the project itself where it is asked for or shown there; else in every outermost folder that shows it.
  const sign: Sign = { runner: 'pytest', script: null, isOwn: true };
  const isAsked = wanted === 'pytest' || readTestScripts(project).calls.some(({ runner }) => runner === 'pytest');
  if (isAsked || showsPytest(project)) return [...scripted, makePlace('', sign)];
  const settings = findFiles(project, ['**/{pytest.ini,pyproject.toml,setup.cfg,tox.ini}']);
  const folders = [...new Set(settings.map((file) => dirname(file)))].filter(
    (folder) => folder !== '.' && showsPytest(join(project, folder)),
  );
  const outermost = folders.filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)));
  return [...scripted, ...outermost.map((folder) => makePlace(folder, sign))];
}

/** The runners of a folder itself, by its own files. Searches no other folders where it can be avoided. */
export function findRunners(folder: string, wanted: RunnerName | null): readonly RunnerName[] {
  const runners = findSigns(folder, wanted).map(({ runner }) => runner);
  return [...new Set([...runners, ...(wanted === null && showsPytest(folder) ? ['pytest' as const] : [])])];
}

/** Runners in scripts that Umpire cannot run. A runner in the settings excludes all others. */
export function findForeign(project: string, wanted: RunnerName | null): readonly (ForeignCall & { readonly path: string })[] {
  if (wanted !== null) return [];
  return ['', ...findPackages(project)].flatMap((path) => readTestScripts(join(project, path)).foreign.map((each) => ({ ...each, path })));
}

function findScriptPlaces(
  project: string,
  wanted: RunnerName | null,
  makePlace: (path: string, sign: Sign) => FoundPlace,
): readonly FoundPlace[] {
  const isOwnSign = ([first]: readonly Sign[]): boolean => first?.isOwn === true;
  // Without any other sign, the imports of the test files decide.
  const readImports = (folder: string): Sign | null => {
    const files = findFiles(folder, [...JS_TESTS, '**/test/**/*.{js,cjs,mjs}']).slice(0, 50);
    return files.some((file) => importsNodeTest(join(folder, file))) ? { runner: 'node', script: null, isOwn: false } : null;
  };
  const root = findSigns(project, wanted);
  const packages = findPackages(project).map((path) => ({ path, signs: findSigns(join(project, path), wanted) }));
  const own = packages.flatMap(({ path, signs }) => (isOwnSign(signs) ? signs.map((sign) => makePlace(path, sign)) : []));
  const rest = packages.filter(({ path, signs }) => !isOwnSign(signs) && findFiles(join(project, path), JS_TESTS).length > 0);
  if (root.length > 0 && (isOwnSign(root) || own.length + rest.length === 0)) {
    const covers = ({ isOwn: isMeant, runner }: Sign): boolean => isMeant && RUNNERS[runner].namesProjects?.(project) === true;
    return [...root.map((sign) => ({ ...makePlace('', sign), coversPackages: covers(sign) })), ...own];
  }
  const lent = rest.flatMap(({ path, signs }) => {
    const shown = signs[0] ?? root[0] ?? readImports(join(project, path));
    return shown === null ? [] : [makePlace(path, { ...shown, script: null })];
  });
  if (own.length + lent.length > 0) return [...own, ...lent];
  const last = root[0] ?? readImports(project);
  return last === null ? [] : [makePlace('', last)];
}

/** Folders of the workspace's packages, relative, in order. */
export function findPackages(project: string): readonly string[] {
  const said = readManifest(project)?.['workspaces'];
  const pnpm = readText(join(project, 'pnpm-workspace.yaml')) ?? '';
  const yaml = pnpm === '' ? null : readYaml(pnpm);
  const lists = [isObject(said) ? said['packages'] : said, yaml?.ok === true && isObject(yaml.value) ? yaml.value['packages'] : null];
  const patterns = lists.flatMap((list: unknown) => (Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []));
  if (patterns.length === 0) return [];
  const matches = pathTest(patterns.map((pattern) => pattern.replace(/\/+$/, '')));
  return findFiles(project, ['**/package.json'])
    .map((file) => dirname(file))
    .filter((folder) => folder !== '.' && matches(folder));
}

/** The first that tells: the scripts, which may call several runners; a file of configuration; a dependency. */
function findSigns(folder: string, wanted: RunnerName | null): readonly Sign[] {
  const manifest = readManifest(folder) ?? {};
  const scripted = readTestScripts(folder)
    .calls.filter(({ runner }) => (wanted === null ? runner !== 'pytest' : runner === wanted))
    .map((script): Sign => ({ runner: script.runner, script, isOwn: true }));
  if (scripted.length > 0) return scripted;
  if (wanted !== null) return [{ runner: wanted, script: null, isOwn: true }];
  const names = namesIn(folder);
  const runners = ALL_RUNNERS.filter(({ language }) => language === 'script');
  const set = runners.find(
    ({ settings, dependency }) =>
      names.some((name) => settings?.test(name) === true) || (dependency !== null && isObject(manifest[dependency])),
  );
  if (set !== undefined) return [{ runner: set.name, script: null, isOwn: true }];
  const lists = ['dependencies', 'devDependencies'].flatMap((key) => (isObject(manifest[key]) ? [manifest[key]] : []));
  const lent = runners.find(({ dependency }) => dependency !== null && lists.some((list) => Object.hasOwn(list, dependency)));
  return lent === undefined ? [] : [{ runner: lent.name, script: null, isOwn: false }];
}

/** What the scripts call. A file that is run by node and imports node:test is a test of node:test. */
function readTestScripts(folder: string): ScriptTests {
  const { calls, foreign } = findScriptTests(readManifest(folder) ?? {});
  const nodes = foreign.filter(({ asNode }) => asNode !== null && asNode.args.some((file) => importsNodeTest(join(folder, file))));
  return { calls: [...calls, ...nodes.flatMap(({ asNode }) => asNode ?? [])], foreign: foreign.filter((each) => !nodes.includes(each)) };
}

function importsNodeTest(path: string): boolean {
  return /['"]node:test['"]/.test(readText(path) ?? '');
}

function showsPytest(folder: string): boolean {
  const { settings, isShownIn } = RUNNERS.pytest;
  return namesIn(folder).some((name) => settings?.test(name) === true) || isShownIn?.(folder) === true;
}
