// The commands with which a project checks itself: tests, lint, types, build, in the spellings that people and agents use. Found by reading
// its files; nothing is run. Agents may run exactly these.

import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '@umpire/core/formats/json-text.js';
import type { CommandLine, CriticSettings } from '../sessions/settings.js';
import { namesIn } from '../sessions/file-system.js';
import { findRunners } from '../runners/find-tests.js';
import { RUNNERS } from '../runners/registry.js';
import { listToolCommands } from './check-tools.js';
import type { RunnerName } from '../runners/runner.js';
import { readManifest } from '../runners/run-tool.js';

/** `own`: a command that the person named, such as the check of `until`. The spelling that people use comes before the others. */
export function projectCommands(folder: string, settings: CriticSettings, own: string | null = null): readonly string[] {
  const project = realpathSync.native(folder);
  const names = new Set(namesIn(project));
  const found = [
    ...(own === null ? [] : [own]),
    ...[settings.debt.types, settings.debt.lint, settings.debt.quality].flatMap((line) =>
      line === undefined || line === false ? [] : [joinCommand(line)],
    ),
    ...scriptCommands(project, names),
    ...makeCommands(project, names),
    ...BY_FILE.flatMap(([file, commands]) => (names.has(file) ? commands : [])),
    ...runnerCommands(project, settings.testing.runner, names),
    ...listToolCommands(project),
  ];
  return [...new Set(found)];
}

/** Names of scripts and make targets that check, and words in them that do more, or that never end. */
const CHECKS =
  /^(?:tests?|unit|integration|e2e|lint|types?|typecheck|type-check|tsc|check|checks|verify|build|compile|coverage|cover|ci)(?:[:_-]|$)/;
const DOES_MORE = /watch|serve|dev\b|publish|deploy|release|update|fix|push|install|clean/;
const MOST_SCRIPTS = 30;

function isCheck(name: string): boolean {
  return CHECKS.test(name) && !DOES_MORE.test(name) && /^[\w:.@/-]+$/.test(name);
}

type Spellings = (script: string) => readonly string[];

const npm: Spellings = (script) => {
  const short = script === 'test' ? ['npm test', 'npm -s test', 'npm test --silent'] : [];
  return [...short, `npm run ${script}`, `npm run -s ${script}`, `npm run --silent ${script}`, `npm -s run ${script}`];
};
const pnpm: Spellings = (script) => [`pnpm ${script}`, `pnpm run ${script}`, `pnpm -s ${script}`, `pnpm -s run ${script}`];
const yarn: Spellings = (script) => [`yarn ${script}`, `yarn run ${script}`, `yarn -s ${script}`];
const bun: Spellings = (script) => [`bun run ${script}`, `bun run --silent ${script}`, ...(script === 'test' ? ['bun test'] : [])];

const MANAGERS: readonly (readonly [lockfile: string, spellings: Spellings])[] = [
  ['pnpm-lock.yaml', pnpm],
  ['yarn.lock', yarn],
  ['bun.lock', bun],
  ['bun.lockb', bun],
];

function scriptCommands(project: string, names: ReadonlySet<string>): readonly string[] {
  const scripts = readManifest(project)?.['scripts'];
  const spellings = MANAGERS.find(([lockfile]) => names.has(lockfile))?.[1] ?? npm;
  return Object.keys(isObject(scripts) ? scripts : {})
    .filter(isCheck)
    .slice(0, MOST_SCRIPTS)
    .flatMap(spellings);
}

function makeCommands(project: string, names: ReadonlySet<string>): readonly string[] {
  const file = ['GNUmakefile', 'makefile', 'Makefile'].find((name) => names.has(name));
  const text = file === undefined ? '' : startOf(join(project, file));
  return [...text.matchAll(/^([\w.-]+)[ \t]*:(?!=)/gm)]
    .map(([, target = '']) => target)
    .filter(isCheck)
    .slice(0, MOST_SCRIPTS)
    .flatMap((target) => [`make ${target}`, `make -s ${target}`]);
}

const BY_FILE: readonly (readonly [file: string, commands: readonly string[]])[] = [
  ['Rakefile', ['bundle exec rake test', 'bundle exec rake', 'rake test']],
  ['tox.ini', ['tox']],
  ['noxfile.py', ['nox']],
];

function runnerCommands(project: string, wanted: RunnerName | null, names: ReadonlySet<string>): readonly string[] {
  const runners = findRunners(project, wanted);
  const tool = names.has('uv.lock') ? 'uv run' : names.has('poetry.lock') ? 'poetry run' : null;
  const managed = tool !== null && runners.includes('pytest') ? [`${tool} pytest`, `${tool} pytest -q`] : [];
  return [...runners.flatMap((runner) => RUNNERS[runner].commands), ...managed];
}

function joinCommand(line: CommandLine): string {
  return typeof line === 'string' ? line : line.join(' ');
}

const MOST_CHARACTERS = 256 * 1024;

function startOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, MOST_CHARACTERS);
  } catch {
    return '';
  }
}
