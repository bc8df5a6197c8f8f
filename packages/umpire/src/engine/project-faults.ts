// What a project lacks for agents and tests to work in a worktree: submodules that are not there, files such as .env that git does not
// track, a tsconfig.json that no tool can read. Said before an agent runs. Starts no program but git.

import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isObject, parseJson } from '@umpire/core/formats/json-text.js';
import { findPackages } from '../runners/find-tests.js';
import { readText } from '../runners/project-files.js';
import { readManifest } from '../runners/run-tool.js';
import { isFile, namesIn } from '../sessions/file-system.js';
import { CONFIG } from '../sessions/project.js';
import type { Settings } from '../sessions/settings.js';
import { copySetting } from '../views/doctor-page.js';
import type { Repository } from '../work/repository.js';
import { isNamedBy, listUntrackedFiles } from '../work/untracked-files.js';
import { findProjectRepository } from './project-folders.js';

interface ProjectFault {
  /** One or two words. */
  readonly name: string;
  /** Without its full stop. */
  readonly message: string;
  readonly hint: string;
}

/** `entries`: what `workspace.link` and `workspace.copy` name. */
export async function findProjectFaults(
  repository: Repository,
  project: string,
  entries: readonly string[],
): Promise<readonly ProjectFault[]> {
  const folders = ['', ...findPackages(project)];
  return [
    ...findEmptySubmodules(project),
    ...describeLeftOut(await environmentFiles(repository, project, entries)),
    ...folders.flatMap((folder) => findMissingEnvironment(project, folder, entries)),
    ...folders.flatMap((folder) => findBrokenTsconfig(project, folder === '' ? 'tsconfig.json' : `${folder}/tsconfig.json`)),
  ];
}

/** The same as lines for people, at the start of a session. */
export async function faultNotes(project: string, { link, copy }: Settings['workspace']): Promise<readonly string[]> {
  const faults = await findProjectFaults(findProjectRepository(project), project, [...link, ...copy]);
  return faults.map(({ message, hint }) => `${message}. ${hint}`);
}

const MOST_NAMED = 3;

function listFew(paths: readonly string[]): string {
  const more = paths.length - MOST_NAMED;
  return `${paths.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function findEmptySubmodules(project: string): readonly ProjectFault[] {
  const text = readText(join(project, '.gitmodules')) ?? '';
  const paths = [...text.matchAll(/^[ \t]*path[ \t]*=[ \t]*"?([^"\n]+?)"?[ \t]*$/gm)].map(([, path = '']) => path);
  // As `git submodule status` marks those with a minus.
  const empty = paths.filter((path) => !path.split('/').includes('..') && !existsSync(join(project, path, '.git')));
  if (empty.length === 0) return [];
  const many = empty.length === 1 ? 'The submodule' : 'The submodules';
  const message = `${many} ${listFew(empty)} ${empty.length === 1 ? 'is' : 'are'} empty, so agents and tests lack ${empty.length === 1 ? 'it' : 'them'}`;
  return [{ name: 'submodules', message, hint: 'Fetch with: git submodule update --init --recursive' }];
}

const EXAMPLE = /^(\.env(?:\.[\w-]+)*)\.(?:example|sample|template|dist)$/;

/** Files such as `.env` that worktrees will not have, without those that `link` or `copy` names. */
export async function environmentFiles(repository: Repository, project: string, entries: readonly string[]): Promise<readonly string[]> {
  const files = await listUntrackedFiles(repository, '.env*');
  return files.filter((name) => !EXAMPLE.test(name) && !isNamedBy(project, entries, name));
}

function describeLeftOut(files: readonly string[]): readonly ProjectFault[] {
  if (files.length === 0) return [];
  const them = files.length === 1 ? 'it' : 'them';
  const message = `${files.join(', ')}: not tracked by git, so agents and tests do not see ${them}`;
  return [{ name: 'left out', message, hint: `If they need ${them}, add to ${CONFIG}: ${copySetting(files)}` }];
}

/** Files that an example or a script shows, and that nobody made. */
function findMissingEnvironment(project: string, folder: string, entries: readonly string[]): readonly ProjectFault[] {
  const place = join(project, folder);
  const within = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
  const shown = namesIn(place).flatMap((name) => {
    const made = EXAMPLE.exec(name)?.[1];
    return made === undefined ? [] : [{ made, by: name, how: ` (cp ${within(name)} ${within(made)})` }];
  });
  const scripts = readManifest(place)?.['scripts'];
  const texts = isObject(scripts) ? Object.values(scripts).filter((script) => typeof script === 'string') : [];
  const named = texts
    .flatMap((script) => [...script.matchAll(/--env-file[= ](["']?)([\w./-]+)\1/g)])
    .map(([, , made = '']) => ({ made: made.replace(/^\.\//, ''), by: 'a script of package.json', how: '' }));
  const missing = [...shown, ...named].filter(
    ({ made }, at, all) => !made.startsWith('..') && !isFile(join(place, made)) && all.findIndex((other) => other.made === made) === at,
  );
  return missing.map(({ made, by, how }) => {
    const copied = isNamedBy(project, entries, within(made)) ? '' : `, and add to ${CONFIG}: ${copySetting([within(made)])}`;
    return {
      name: 'environment',
      message: `${within(made)} is missing, which ${by} shows`,
      hint: `If tests need it, make it${how}${copied}`,
    };
  });
}

function findBrokenTsconfig(project: string, path: string): readonly ProjectFault[] {
  if (!isFile(join(project, path))) return [];
  const why = tsconfigFault(project, path, new Set());
  return why === null ? [] : [{ name: 'tsconfig', message: why, hint: 'Fix it: compilers and test runners stop there.' }];
}

/** `seen`: files that lead here. Null where it can be read, and all that it extends. */
function tsconfigFault(project: string, path: string, seen: ReadonlySet<string>): string | null {
  if (seen.has(path)) return null;
  const file = resolve(project, path);
  const text = readText(file) ?? '';
  if (text.trim() === '') return null;
  const json = parseJson(withoutComments(text));
  if (!json.ok) return `${path}:${json.line} cannot be read: ${json.problem}`;
  const extended = isObject(json.value) ? json.value['extends'] : undefined;
  for (const name of [extended].flat().filter((each) => typeof each === 'string')) {
    const found = findExtended(dirname(file), name);
    if (found === null) return `${path} extends ${name}, which is not there`;
    const inner = found.startsWith(`${project}/`) ? found.slice(project.length + 1) : null;
    const fault = inner === null || inner.includes('node_modules/') ? null : tsconfigFault(project, inner, new Set([...seen, path]));
    if (fault !== null) return fault;
  }
  return null;
}

/** Lines stay as they are, so that a fault has its line. */
function withoutComments(text: string): string {
  const blank = (comment: string): string => comment.replace(/[^\n]/g, ' ');
  return text
    .replace(/"(?:\\.|[^"\\\n])*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (part) => (part.startsWith('"') ? part : blank(part)))
    .replace(/"(?:\\.|[^"\\\n])*"|,(?=\s*[}\]])/g, (part) => (part === ',' ? ' ' : part));
}

/** Null where there is none. A package with its own rules of what it exports counts as there. */
function findExtended(folder: string, name: string): string | null {
  const firstFile = (at: string): string | null => [at, `${at}.json`, join(at, 'tsconfig.json')].find((each) => isFile(each)) ?? null;
  if (isAbsolute(name) || /^\.\.?(?:\/|$)/.test(name)) return firstFile(resolve(folder, name));
  const owner = name.split('/', name.startsWith('@') ? 2 : 1).join('/');
  let isInstalled = false;
  for (let at = folder; ; at = dirname(at)) {
    const modules = join(at, 'node_modules');
    const found = firstFile(join(modules, name)) ?? (existsSync(join(modules, owner)) ? join(modules, owner) : null);
    if (found !== null) return found;
    isInstalled ||= existsSync(modules);
    // Without any installed package nothing can be said of this one.
    if (dirname(at) === at) return isInstalled ? null : join(folder, 'node_modules', name);
  }
}
