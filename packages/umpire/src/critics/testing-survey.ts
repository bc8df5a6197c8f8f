// Which test files a project has, and whose they are: every runner is asked for its own. A file belongs to one place only, so
// that no test counts twice.

import { mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { makeScratch } from '../sessions/temporary-folder.js';
import type { CriticJob } from './critic.js';
import { likelyPath } from './foreign-runners.js';
import { findFiles } from './project-files.js';
import type { ToolUse } from './provenance.js';
import { prepareJest } from './runner-jest.js';
import { prepareMocha } from './runner-mocha.js';
import { prepareNode } from './runner-node.js';
import { preparePytest } from './runner-pytest.js';
import type { RunnerName } from './runner-script.js';
import { prepareVitest } from './runner-vitest.js';
import { JS_TESTS } from './test-runner.js';
import type { Prepare, ReadyRunner } from './test-runner.js';
import { findForeign, findPlaces, packagesOf } from './testing-places.js';
import type { FoundPlace } from './testing-places.js';
import { manifestFault, runTool } from './tool.js';

const RUNNERS: Readonly<Record<RunnerName, Prepare>> = {
  vitest: prepareVitest,
  jest: prepareJest,
  mocha: prepareMocha,
  node: prepareNode,
  pytest: preparePytest,
};

export interface SurveyedPlace {
  readonly place: FoundPlace;
  /** Null where the runner is not to be had; `absent` says why. */
  readonly ready: ReadyRunner | null;
  readonly absent: string | null;
  /** Its test files, relative to the project, with forward slashes. */
  readonly files: readonly string[];
}

export interface Survey {
  /** The project with links resolved: reports name files by it. */
  readonly project: string;
  readonly places: readonly SurveyedPlace[];
  /** Parts of scripts that cannot be run here. */
  readonly unmeasured: readonly UnmeasuredPart[];
  /** What is odd about how the tests were found, for people. */
  readonly notes: readonly string[];
  /** Questions to runners, for the provenance. */
  readonly uses: readonly ToolUse[];
  /** A folder outside the project for reports; whoever asked for the survey removes it with `removeScratch`. */
  readonly scratch: string;
}

/** Tests that a script runs with something that is not known here. */
export interface UnmeasuredPart {
  /** Of the package, from the project; empty for the project itself. */
  readonly path: string;
  readonly runner: string;
  /** Where a test of this kind would lie: says of which layer it is. */
  readonly likely: string;
  readonly problem: string;
}

export async function surveyTests(job: CriticJob): Promise<Survey> {
  const project = realpathSync.native(job.project);
  const scratch = makeScratch('tests');
  const uses: ToolUse[] = [];
  const found: SurveyedPlace[] = [];
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

function unmeasuredPart({ path, name, kind, script }: ReturnType<typeof findForeign>[number]): UnmeasuredPart {
  const problem = `The script "${script}" runs tests with ${name}, which cannot be measured here, so they were not run. To judge without them, name the runner in critics.testing.runner.`;
  return { path, runner: name, likely: likelyPath(path, kind), problem };
}

/** What a package says of its tests is not known where nobody can read it. */
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
        problem: `${file} cannot be read: ${fault}. Mend it; what it says of tests is not known.`,
      },
    ];
  });
}

/** A file is run once, also where the script runs it in two ways. */
function repeats(found: readonly SurveyedPlace[], kept: readonly SurveyedPlace[]): readonly string[] {
  return found.flatMap(({ place, files }, index) => {
    const isRepeat = place.script !== null && files.length > 0 && kept[index]?.files.length === 0 && isScriptedTwice(found, place);
    return isRepeat
      ? [`The script calls ${place.runner} again on the same test files (${words(place.script?.args)}); they were run once.`]
      : [];
  });
}

function isScriptedTwice(found: readonly SurveyedPlace[], { path, runner }: FoundPlace): boolean {
  return found.filter(({ place }) => place.path === path && place.runner === runner).length > 1;
}

function words(args: readonly string[] = []): string {
  return args.length === 0 ? 'without further words' : args.join(' ').slice(0, 100);
}

export function removeScratch({ scratch }: Pick<Survey, 'scratch'>): void {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
}

async function askRunner(job: CriticJob, place: FoundPlace, ready: ReadyRunner, scratch: string) {
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
function shareOut(found: readonly SurveyedPlace[]): readonly SurveyedPlace[] {
  const order = found.toSorted(
    (a, b) => Number(b.place.coversPackages) - Number(a.place.coversPackages) || b.place.path.length - a.place.path.length,
  );
  const taken = new Set<string>();
  const kept = new Map<SurveyedPlace, readonly string[]>();
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
