// Finds the tests of a project: which runners its scripts, configuration and dependencies show, and which test files each runner lists.
// A file belongs to one place only, so no test counts twice.

import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import type { ToolUse } from '@umpire/core/formats/provenance.js';
import { readYaml } from '@umpire/core/formats/yaml-text.js';
import { isFolder, namesIn } from '../sessions/file-system.js';
import type { CriticSettings } from '../sessions/settings.js';
import { findScriptTests } from './package-scripts.js';
import type { ForeignCall, ScriptTests, TestKind } from './package-scripts.js';
import { pathTest, findFiles, readText, readWholeText } from './project-files.js';
import { ALL_RUNNERS, RUNNERS } from './registry.js';
import { findSetCoverage, listSetTests } from './settings-command.js';
import { manifestFault, readManifest, runTool } from './run-tool.js';
import type { ToolJob } from './run-tool.js';
import { JS_TESTS } from './runner.js';
import type { ReadyRunner, Runner, RunnerName, ScriptCall, TestPlace } from './runner.js';
import { makeScratch } from '../sessions/session-folder.js';

export interface FoundTestPlace {
  readonly place: FoundPlace;
  /** Null where the runner is not installed; `absent` says why. */
  readonly ready: ReadyRunner | null;
  readonly absent: string | null;
  /** Its test files, relative to the project, with forward slashes. */
  readonly files: readonly string[];
  /** Test files that a run of it may run too, although another place has them. */
  readonly leftOut?: readonly string[];
  /** How many tests the runner lists, where it was asked and says so when it lists its files. */
  readonly listed?: number;
  /** Where tests may lie in no file of these: a typical path of one, which decides its layer. */
  readonly likely?: string;
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

/** `isNeeded`: of places in other folders no runner is asked. */
export async function findTests(job: ToolJob, isNeeded: (folder: string) => boolean = () => true): Promise<FoundTests> {
  const project = realpathSync.native(job.project);
  const scratch = makeScratch('tests');
  const uses: ToolUse[] = [];
  const found: FoundTestPlace[] = [];
  for (const [index, place] of findPlaces(project, job.settings).entries()) {
    if (!isNeeded(place.path)) {
      found.push({ place, ready: null, absent: null, files: listedFiles(project, place, null) });
      continue;
    }
    const own = join(scratch, `ask-${index}`);
    mkdirSync(own);
    const prepared = await RUNNERS[place.runner].prepare(place, job, own);
    const set = findSetCoverage(job.settings, place.path);
    const ready = 'ready' in prepared ? { ...prepared.ready, ...(set === null ? {} : { uncovered: null }) } : null;
    const answer = ready === null ? null : await askRunner(job, place, ready, own);
    if (answer !== null) uses.push(answer.use);
    const files = listedFiles(project, place, answer?.files ?? null);
    const likely = place.runner === 'command' ? { likely: within(place.path, 'test') } : {};
    const listed = ready?.list?.call === null && answer?.whole != null ? ready.list.countTests(answer.whole) : null;
    const counted = listed === null ? {} : { listed };
    found.push({ place, ready, absent: 'absent' in prepared ? prepared.absent : null, files, ...likely, ...counted });
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
  const broken = ['', ...findPackages(project)].flatMap((path) => {
    const fault = isSet(path, job.settings) ? null : manifestFault(join(project, path));
    if (fault === null) return [];
    const problem = `${within(path, 'package.json')} cannot be read: ${fault}. Fix it: its test scripts are unknown.`;
    return [{ path, runner: 'unknown', likely: within(path, paths.unit), problem }];
  });
  const foreign = findForeign(project, job.settings).map(({ path, name, kind, script }) => ({
    path,
    runner: name,
    likely: within(path, paths[kind]),
    problem: `The script "${script}" runs tests with ${name}, which Umpire cannot measure, so they did not run. Set critics.tests to the command that runs them and its report.`,
  }));
  return {
    project,
    places,
    unmeasured: [...broken, ...foreign],
    notes: [...repeats, ...findStraySettings(project, job.settings, places)],
    uses,
    scratch,
  };
}

function within(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}

/** Settings of folders where nothing is measured: probably misspelt. */
function findStraySettings(project: string, { coverage, packages }: CriticSettings, places: readonly FoundTestPlace[]): readonly string[] {
  const has = (folder: string): boolean => places.some(({ place }) => place.path === folder);
  return [
    ...(coverage === null || has('') ? [] : ['critics.coverage has no effect: no tests run in the project itself.']),
    ...Object.entries(packages).flatMap(([path, own]) => {
      if (!isFolder(join(project, path))) return [`critics.packages.${path} has no effect: the project has no such folder.`];
      const isLost = own.coverage !== undefined && !has(path);
      return isLost ? [`critics.packages.${path}.coverage has no effect: no tests run there.`] : [];
    }),
  ];
}

/** The test files of each runner by their names alone. Starts nothing. */
export function guessTests(asked: string, settings: PlaceSettings): readonly Pick<FoundTestPlace, 'place' | 'files'>[] {
  const project = realpathSync.native(asked);
  return findPlaces(project, settings).map((place) => ({ place, files: listedFiles(project, place, null) }));
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
  return {
    files: text === null ? null : listing.readFiles(text),
    whole: text === null ? null : readWholeText(file ?? stdout),
    use: run.use,
  };
}

/** From the project. `files`: what the runner lists; null: nothing, so names decide. */
function listedFiles(project: string, place: FoundPlace, files: readonly string[] | null): readonly string[] {
  const own = files ?? findTestFiles(RUNNERS[place.runner], place);
  const paths = own.map((file) => relative(project, resolve(place.folder, file)).split(sep).join('/'));
  return [...new Set(paths)].filter((path) => !path.startsWith('../')).toSorted();
}

/** By their names, and by what they hold where names do not tell. From the folder. */
export function findTestFiles({ testFiles, testMark }: Runner, place: Pick<TestPlace, 'folder' | 'script'>): readonly string[] {
  const named = findFiles(place.folder, testFiles(place));
  return testMark === undefined ? named : named.filter((file) => testMark.test(readText(join(place.folder, file)) ?? ''));
}

/** A place that covers packages keeps what it lists; else the innermost place does. */
function shareOut(found: readonly FoundTestPlace[]): readonly FoundTestPlace[] {
  const order = found.toSorted(
    (a, b) => Number(b.place.coversPackages) - Number(a.place.coversPackages) || b.place.path.length - a.place.path.length,
  );
  const taken = new Set<string>();
  const kept = new Map<FoundTestPlace, Pick<FoundTestPlace, 'files' | 'leftOut'>>();
  for (const each of order) {
    const { runner, path: folder, coversPackages } = each.place;
    const { language } = RUNNERS[runner];
    const inner = order.filter(
      ({ place: { path, runner: other } }) =>
        path !== folder && isInFolder(path, folder) && (other === 'command' || (!coversPackages && RUNNERS[other].language === language)),
    );
    const files = each.files.filter((path) => !taken.has(path) && !inner.some(({ place }) => isInFolder(path, place.path)));
    for (const path of files) taken.add(path);
    const set = inner.filter(({ place }) => place.runner === 'command');
    const leftOut = each.files.filter((path) => set.some(({ place }) => isInFolder(path, place.path)));
    kept.set(each, leftOut.length === 0 ? { files } : { files, leftOut });
  }
  return found.map((each) => ({ ...each, files: [], ...kept.get(each) }));
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

/** What of the settings says where tests run. */
type PlaceSettings = Pick<CriticSettings, 'testing' | 'tests' | 'packages'>;

/** Where the settings say how tests run, nothing else is looked for. `project` is absolute, links resolved. */
export function findPlaces(project: string, settings: PlaceSettings): readonly FoundPlace[] {
  const shown = findShownPlaces(project, settings.testing.runner).filter(({ path }) => !isSet(path, settings));
  const commands = listSetTests(settings).filter(({ path, tests }) => tests !== 'none' && isFolder(join(project, path)));
  const set = commands.map(({ path }): FoundPlace => ({
    runner: 'command',
    folder: path === '' ? project : join(project, path),
    path,
    script: null,
    coversPackages: false,
  }));
  return [...shown, ...set];
}

/** Do the settings say how the tests of this folder run? */
function isSet(folder: string, settings: PlaceSettings): boolean {
  return listSetTests(settings).some(({ path }) => path === '' || folder === path || folder.startsWith(`${path}/`));
}

/** `wanted`: the one runner that the settings name; null: whatever is found. */
function findShownPlaces(project: string, wanted: RunnerName | null): readonly FoundPlace[] {
  const makePlace = (path: string, { runner, script }: Sign): FoundPlace => ({
    runner,
    folder: path === '' ? project : join(project, path),
    path,
    script,
    coversPackages: false,
  });
  const isScript = wanted !== null && RUNNERS[wanted].signs === undefined;
  const scripted = wanted === null || isScript ? findScriptPlaces(project, wanted, makePlace) : [];
  if (isScript) return scripted;
  const called = new Set(readTestScripts(project).calls.map(({ runner }) => runner));
  const shown = ALL_RUNNERS.filter(({ name }) => wanted === null || wanted === name).flatMap((runner) =>
    findSignedFolders(project, runner, wanted !== null || called.has(runner.name)).map((path) =>
      makePlace(path, { runner: runner.name, script: null, isOwn: true }),
    ),
  );
  return [...scripted, ...shown];
}

/** The project itself where the runner is asked for or shown there, and the folders that show it and are not covered by an outer one. */
function findSignedFolders(project: string, { signs }: Runner, isAsked: boolean): readonly string[] {
  if (signs === undefined) return [];
  const folders = [...new Set(findFiles(project, signs.files).map((file) => dirname(file)))].filter(
    (folder) => folder !== '.' && signs.isShownIn(join(project, folder)),
  );
  const all = isAsked || signs.isShownIn(project) ? ['', ...folders] : folders;
  const covers = (outer: string, inner: string): boolean =>
    isInFolder(inner, outer) && inner !== outer && signs.coversInner(join(project, outer), relative(outer, inner));
  return all.filter((folder) => !all.some((other) => covers(other, folder)));
}

function isInFolder(path: string, folder: string): boolean {
  return folder === '' ? path !== '' : path === folder || path.startsWith(`${folder}/`);
}

/** The runners of a folder itself, by its own files. Searches no other folders where it can be avoided. */
export function findRunners(folder: string, wanted: RunnerName | null): readonly RunnerName[] {
  const shown = ALL_RUNNERS.filter(({ signs }) => wanted === null && signs?.isShownIn(folder) === true);
  return [...new Set([...findSigns(folder, wanted), ...shown.map(({ name }) => ({ runner: name }))].map(({ runner }) => runner))];
}

/** Runners in scripts that Umpire cannot run. A runner in the settings excludes all others. */
export function findForeign(project: string, settings: PlaceSettings): readonly (ForeignCall & { readonly path: string })[] {
  if (settings.testing.runner !== null) return [];
  const folders = ['', ...findPackages(project)].filter((path) => !isSet(path, settings));
  return folders.flatMap((path) => readTestScripts(join(project, path)).foreign.map((each) => ({ ...each, path })));
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
    const texts = files.map((file) => readText(join(folder, file)) ?? '');
    const shown = ALL_RUNNERS.find(({ imports }) => imports !== undefined && texts.some((text) => imports.test(text)));
    return shown === undefined ? null : { runner: shown.name, script: null, isOwn: false };
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
    .calls.filter(({ runner }) => (wanted === null ? RUNNERS[runner].signs === undefined : runner === wanted))
    .map((script): Sign => ({ runner: script.runner, script, isOwn: true }));
  if (scripted.length > 0) return scripted;
  if (wanted !== null) return [{ runner: wanted, script: null, isOwn: true }];
  const names = namesIn(folder);
  const runners = ALL_RUNNERS.filter(({ signs }) => signs === undefined);
  const set = runners.find(
    ({ settings, dependency }) =>
      names.some((name) => settings?.test(name) === true) || (dependency !== null && isObject(manifest[dependency])),
  );
  if (set !== undefined) return [{ runner: set.name, script: null, isOwn: true }];
  const lists = ['dependencies', 'devDependencies'].flatMap((key) => (isObject(manifest[key]) ? [manifest[key]] : []));
  const lent = runners.find(({ dependency }) => dependency !== null && lists.some((list) => Object.hasOwn(list, dependency)));
  return lent === undefined ? [] : [{ runner: lent.name, script: null, isOwn: false }];
}

/** What the scripts call. A file that is run by node is a test of the runner that it imports. */
function readTestScripts(folder: string): ScriptTests {
  const { calls, foreign } = findScriptTests(readManifest(folder) ?? {});
  const known = foreign.flatMap((each): readonly (readonly [ForeignCall, ScriptCall])[] => {
    const texts = each.asNode?.args.map((file) => readText(join(folder, file)) ?? '') ?? [];
    const shown = ALL_RUNNERS.find(({ imports }) => imports !== undefined && texts.some((text) => imports.test(text)));
    return shown === undefined || each.asNode === null ? [] : [[each, { ...each.asNode, runner: shown.name }]];
  });
  const taken = new Set(known.map(([each]) => each));
  return { calls: [...calls, ...known.map(([, call]) => call)], foreign: foreign.filter((each) => !taken.has(each)) };
}
