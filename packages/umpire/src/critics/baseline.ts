// The pinned baseline: what a commit of the project measured, once for the same tools and settings, kept outside what agents write.
// A file that is damaged counts for nothing and is measured again.

import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { readText } from '../runners/project-files.js';
import { namesIn, statOf } from '../sessions/file-system.js';
import { cacheHome, elapsedMs } from '../sessions/environment.js';
import { faultOf, makeFolders, openFolder, writeAtomically } from '../sessions/session-folder.js';
import { sha256 } from '../sessions/hash.js';
import { originsOf } from '../sessions/python-environment.js';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { copyCommit, filesRewritten, findProjectRepository } from './commit-copy.js';
import type { CommitCopy, ProjectRepository } from './commit-copy.js';
import { packageVersion } from '../sessions/package-root.js';
import type { CriticJob } from './critic.js';
import { markTools } from './check-tools.js';
import { provenanceOf } from './provenance.js';
import type { Provenance, ToolUse } from '@umpire/core/formats/provenance.js';
import { ALL_RUNNERS } from '../runners/registry.js';
import { listSetTests } from '../runners/settings-command.js';
import { findPackage, timeLeft } from '../runners/run-tool.js';

export interface Baseline<State> {
  readonly commit: string;
  readonly state: State;
  readonly provenance: Provenance;
  /** Tracked files that the measurement rewrote. */
  readonly rewritten: readonly string[];
}

/** Where baselines of a project are kept: `common` is the repository that all its worktrees share. */
export function baselineHome(common: string): string {
  return join(cacheHome(), 'umpire', `baselines-${sha256(common).slice(0, 12)}`);
}

/** What is measured, and how: changed with every change of the measurement itself. */
const MEASURED = 14;
/** The lists that package managers keep of what they installed. */
const LISTS = ['node_modules/.package-lock.json', 'node_modules/.modules.yaml', 'node_modules/.yarn-state.yml'];
const ENVIRONMENTS = ['.venv', 'venv'];

/** What is installed for the project, in its folder and those above it up to the top of the repository. */
function installedFor(project: string, prefix: string): readonly string[] {
  const above = prefix.split('/').filter((part) => part !== '').length;
  const folders = Array.from({ length: above + 1 }, (_, steps) => join(project, ...Array.from({ length: steps }, () => '..')));
  const lists = folders
    .flatMap((folder) => LISTS.map((list) => readText(join(folder, list), Infinity)))
    .map((text) => (text === null ? '-' : sha256(text)));
  const environments = folders.flatMap((folder) => ENVIRONMENTS.map((name) => join(folder, name)));
  // That of a worktree finds its packages behind itself.
  const places = environments.flatMap((place) => [place, ...originsOf(place)]);
  return [
    ...lists,
    ...places.flatMap((place) => {
      // `pytest-8.3.4.dist-info`, of each Python there.
      const library = join(place, 'lib');
      const packages = namesIn(library).flatMap((python) => namesIn(join(library, python, 'site-packages')));
      return packages.filter((name) => name.endsWith('.dist-info')).toSorted();
    }),
  ];
}

/**
 * What is measured of a commit: the person's command; its tests, all or those of some files; one layer; what the debt critic's tools find;
 * whether one tool works.
 */
export type BaselinePart = `command ${string}` | 'tests' | `tests ${string}` | 'tools' | `layer ${string}` | `tool ${string}`;

const SHOWN_PART = 60;

/** For people. */
function showPart(part: BaselinePart): string {
  const [kind = '', ...rest] = part.split(' ');
  const words = rest.join(' ').replaceAll(/\s+/g, ' ');
  if (kind === 'command') return words.length > SHOWN_PART ? `${words.slice(0, SHOWN_PART - 3)}...` : words;
  return kind === 'tests' ? 'the tests' : kind === 'tools' ? 'lint, types and quality' : part;
}

/** The same for the same commit, folder, tools, installed packages and settings. */
export function baselineKey(
  part: BaselinePart,
  { project, settings }: Pick<CriticJob, 'project' | 'settings'>,
  commit: string,
  prefix: string,
): string {
  const runners = ALL_RUNNERS.flatMap(({ packages }) => packages).map((name) => `${name} ${findPackage(project, name)?.version ?? '-'}`);
  const tools = [...runners, ...markTools(project)];
  const [kind = ''] = part.split(' ');
  const { testing, debt, coverage, packages } = settings;
  const tests = listSetTests(settings);
  const asked: Readonly<Record<string, unknown>> = {
    command: { tests },
    tests: { runner: testing.runner, tests },
    tools: debt,
    layer: { testing, tests, coverage, packages },
  };
  const { node } = process.versions;
  const installed = installedFor(project, prefix);
  return sha256(
    JSON.stringify({ MEASURED, umpire: packageVersion(), part, commit, prefix, node, tools, installed, asked: asked[kind] ?? null }),
  ).slice(0, 32);
}

/** Null where it was not measured yet, or the file is damaged. */
export function readBaseline<State>(home: string, key: string, commit: string): Baseline<State> | null {
  const text = readText(join(home, `${key}.json`), Infinity);
  if (text === null) return null;
  const json = parseJson(text);
  if (!json.ok || !isObject(json.value) || !isObject(json.value['baseline'])) return null;
  const { baseline, sha256: sum } = json.value;
  if (sum !== sha256(JSON.stringify(baseline))) return null;
  const kept = baseline as unknown as Baseline<State>;
  return kept.commit === commit ? kept : null;
}

/** Drops what was measured in a project since this time, because the packages that it was measured with are not the person's. */
export function forgetBaselines(project: string, sinceMs: number): void {
  const repository = findProjectRepository(project);
  if (repository === null) return;
  const home = baselineHome(repository.common);
  for (const name of namesIn(home).filter((name) => name.endsWith('.json')))
    if ((statOf(join(home, name))?.mtimeMs ?? 0) >= sinceMs) rmSync(join(home, name), { force: true });
  for (const place of broken.keys()) if (place.startsWith(`${home}/`)) broken.delete(place);
}

const MOST_KEPT = 40;

/** Why it could not be kept; null where it was. Of many only the latest stay. */
export function keepBaseline(home: string, key: string, baseline: Baseline<unknown>): string | null {
  try {
    makeFolders(home);
    const sum = sha256(JSON.stringify(baseline));
    writeAtomically(openFolder(home), `${key}.json`, `${JSON.stringify({ sha256: sum, baseline })}\n`, false);
    const files = readdirSync(home).filter((name) => name.endsWith('.json'));
    const byAge = files.map((name) => ({ name, time: statSync(join(home, name)).mtimeMs })).toSorted((a, b) => b.time - a.time);
    for (const { name } of byAge.slice(MOST_KEPT)) rmSync(join(home, name), { force: true });
    return null;
  } catch (error) {
    const why = isUmpireError(error) ? error.message : faultOf(error);
    return `The baseline could not be stored and will be measured again: ${why}`;
  }
}

/** What measuring one part of a commit came to. */
export interface MeasuredPart<State> {
  readonly state: State;
  readonly uses: readonly ToolUse[];
  /** A tool broke: it may not next time, so nothing is kept beyond this process. */
  readonly isBroken: boolean;
}

/** How long the parts took when they were measured last. */
const TIMES = 'times';

function readTimes(home: string): Readonly<Record<string, number>> {
  const json = parseJson(readText(join(home, TIMES)) ?? '');
  return json.ok && isObject(json.value) ? (json.value as Readonly<Record<string, number>>) : {};
}

/** `12 s last time`; null where it is not known. */
export function lastTimeOf(home: string, part: string): string | null {
  const ms = readTimes(home)[sha256(part).slice(0, 16)];
  if (typeof ms !== 'number') return null;
  return ms < 90_000 ? `${Math.max(1, Math.round(ms / 1000))} s last time` : `${Math.round(ms / 60_000)} min last time`;
}

export function keepTime(home: string, part: string, ms: number): void {
  const times = Object.entries(readTimes(home)).slice(-MOST_KEPT);
  try {
    makeFolders(home);
    const all = { ...Object.fromEntries(times), [sha256(part).slice(0, 16)]: Math.round(ms) };
    writeAtomically(openFolder(home), TIMES, `${JSON.stringify(all)}\n`, false);
  } catch (error) {
    // It is only shown.
    if (!isUmpireError(error)) throw error;
  }
}

/** The base commit of a change, checked out only where something of it is not known yet. Whoever opens it closes it. */
export interface OpenBase {
  readonly commit: string;
  /** Where what was measured is kept. */
  readonly home: string;
  /** What was measured before; null where nothing is known. */
  readonly known: <State>(part: BaselinePart) => Baseline<State> | null;
  /** `note`: why it could not be kept; null where it was. */
  readonly measured: <State>(
    part: BaselinePart,
    measure: (own: CriticJob) => Promise<MeasuredPart<State>>,
  ) => Promise<{ readonly baseline: Baseline<State>; readonly note: string | null }>;
  /** Keeps what was measured elsewhere on exactly this commit. */
  readonly keep: (part: BaselinePart, state: unknown, provenance: Provenance, rewritten?: readonly string[]) => void;
  /** Does something in a copy of the commit that tells nothing about it. */
  readonly inCopy: <T>(act: (own: CriticJob) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** Parts that broke, by place and key: measured once in a process, since a run would else wait for them in every round. */
const broken = new Map<string, Baseline<unknown>>();

interface MeasuredBaseline<State> {
  readonly baseline: Baseline<State>;
  readonly note: string | null;
  /** Its run was stopped meanwhile, so it says nothing. */
  readonly isCutOff: boolean;
}

/** Parts that are being measured, by place and key: who asks meanwhile waits for them. */
const underWay = new Map<string, Promise<MeasuredBaseline<unknown>>>();

/** `at`: how people call the commit. */
export function openBase(
  job: CriticJob,
  repository: ProjectRepository,
  commit: string,
  at = `at the base ${commit.slice(0, 10)}`,
): OpenBase {
  // In a run every session has a repository of its own; what was measured holds for all sessions of the project.
  const shared = job.origin === undefined ? null : findProjectRepository(job.origin);
  const home = baselineHome((shared ?? repository).common);
  let copy: Promise<CommitCopy> | null = null;
  const said = new Set<string>();
  const sayOnce = (line: string): void => {
    if (!said.has(line)) job.say(line);
    said.add(line);
  };
  const tell = <Known extends Baseline<unknown>>(found: Known): Known => {
    if (commit === job.base) for (const file of found.rewritten) job.rewrittenAtBase?.add(file);
    return found;
  };
  const inCopy = async <T>(act: (own: CriticJob) => Promise<T>): Promise<T> => {
    copy ??= copyCommit(repository, commit);
    const { project } = await copy;
    return act({ ...job, project, timeoutMs: timeLeft(job) });
  };
  const measurePart = async <State>(
    part: BaselinePart,
    key: string,
    measure: (own: CriticJob) => Promise<MeasuredPart<State>>,
  ): Promise<MeasuredBaseline<State>> => {
    const [started, began] = [job.now(), elapsedMs()];
    const { measured, rewritten } = await inCopy(async (own) => {
      const made = await measure(own);
      return { measured: made, rewritten: filesRewritten(own.project, commit, repository.prefix) };
    });
    const { state, uses, isBroken } = measured;
    const baseline: Baseline<State> = { commit, state, provenance: provenanceOf(job, { commit, content: null }, started, uses), rewritten };
    if (job.watch.signal.aborted) return { baseline, note: null, isCutOff: true };
    if (isBroken) broken.set(join(home, key), baseline);
    else keepTime(home, part, elapsedMs() - began);
    return { baseline, note: isBroken ? null : keepBaseline(home, key, baseline), isCutOff: false };
  };
  const known = <State>(part: BaselinePart): Baseline<State> | null => {
    const key = baselineKey(part, job, commit, repository.prefix);
    return readBaseline<State>(home, key, commit) ?? (broken.get(join(home, key)) as Baseline<State> | undefined) ?? null;
  };
  return {
    commit,
    home,
    known,
    measured: async <State>(part: BaselinePart, measure: (own: CriticJob) => Promise<MeasuredPart<State>>) => {
      const kept = known<State>(part);
      if (kept !== null) {
        sayOnce(`${showPart(part)} ${at}: measured before`);
        return { baseline: tell(kept), note: null };
      }
      const key = baselineKey(part, job, commit, repository.prefix);
      const place = join(home, key);
      const last = lastTimeOf(home, part);
      sayOnce(`measuring ${showPart(part)} ${at}${last === null ? '' : `, ${last}`}`);
      for (;;) {
        const measuring = underWay.get(place) ?? measurePart(part, key, measure);
        underWay.set(place, measuring);
        const { baseline, note, isCutOff } = (await measuring.finally(() => {
          if (underWay.get(place) === measuring) underWay.delete(place);
        })) as MeasuredBaseline<State>;
        // Another run measured it and was stopped.
        if (!isCutOff || job.watch.signal.aborted) return { baseline: tell(baseline), note };
      }
    },
    keep: (part, state, provenance, rewritten = known(part)?.rewritten ?? []) => {
      keepBaseline(home, baselineKey(part, job, commit, repository.prefix), { commit, state, provenance, rewritten });
    },
    inCopy,
    close: async () => {
      const made = await copy?.catch(() => null);
      made?.remove();
    },
  };
}
