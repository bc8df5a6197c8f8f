// Notes at the start of a session: settings without effect, files that agents will not see, and what agents may do.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nearestWord } from '@umpire/core/formats/nearest-word.js';
import { BUILTIN_NAMES, builtinLoop } from '@umpire/core/loops/builtin.js';
import { builtinPipeline } from '@umpire/core/loops/builtin-pipelines.js';
import type { RunSettings } from '@umpire/core/decider/events.js';
import { PRESET_NAMES, describePermissions } from '../agents/known/known-agents.js';
import { distinctCommands } from '../agents/prompt.js';
import type { Settings } from '../sessions/settings.js';
import { CONFIG, readConfigText } from '../sessions/project.js';

import { rolesOfLoop } from './roles.js';

/** Roles in the settings that no loop has: probably misspelt. */
export async function strayRoles(project: string, { roles }: Settings, ofLoop: ReadonlySet<string>): Promise<readonly string[]> {
  const others = Object.keys(roles).filter((role) => !ofLoop.has(role));
  if (others.length === 0) return [];
  const shipped = new Set(
    BUILTIN_NAMES.flatMap((name) => {
      const [loop, pipeline] = [builtinLoop(name), builtinPipeline(name)];
      return loop === null ? [] : [...rolesOfLoop(pipeline ?? { modes: {} }, loop)];
    }),
  );
  const strays = others.filter((role) => !shipped.has(role) && !hasText(project, role));
  if (strays.length === 0) return [];
  const { lineOfSetting } = await import('../sessions/read-settings.js');
  const text = readConfigText(project) ?? '';
  return strays.map((role) => {
    const meant = nearestWord(role, [...ofLoop]) ?? nearestWord(role, [...shipped]);
    const instead = meant === null ? `this loop has ${[...ofLoop].join(', ')}` : `did you mean "${meant}"?`;
    return `${CONFIG}${lineOfSetting(text, ['roles', role])}: roles.${role}: no task of this loop or of a built-in loop has this role; ${instead}`;
  });
}

/** A custom loop has its roles there, or beside its file. */
function hasText(project: string, role: string): boolean {
  const place = join(project, '.umpire', 'roles');
  return existsSync(place) && readdirSync(place).some((loop) => existsSync(join(place, loop, `${role}.md`)));
}

const MOST_COMMANDS = 8;

/** What the coding agents of a session may do, a sentence or two for each. Starts nothing. */
export function permissionWords(
  settings: Pick<RunSettings, 'agents' | 'fallbacks' | 'stronger'>,
  config: Pick<Settings, 'agents'>,
  { writers, commands }: { readonly writers: readonly string[]; readonly commands: () => readonly string[] },
): readonly string[] {
  const { agents, fallbacks = {}, stronger } = settings;
  const names = new Set([
    ...Object.values(agents),
    ...Object.values(fallbacks).flat(),
    ...(stronger === undefined ? [] : [stronger.agent]),
  ]);
  const known = [...names].flatMap((name) => {
    const runs = Object.hasOwn(config.agents, name) ? config.agents[name]?.runs : undefined;
    const preset = runs === undefined || runs.kind === 'preset' ? (runs?.uses ?? name) : null;
    if (preset !== null) return PRESET_NAMES.includes(preset) ? [{ name, preset, isAcp: preset.endsWith('-acp') }] : [];
    return runs?.kind === 'acp' ? [{ name, preset: name, isAcp: true }] : [];
  });
  if (known.length === 0) return [];
  const all = writers.length === 0 ? [] : distinctCommands(commands());
  const more = all.length > MOST_COMMANDS ? [`${all.length - MOST_COMMANDS} more of the project`] : [];
  const query = { writes: writers.length > 0, commands: [...all.slice(0, MOST_COMMANDS), ...more] };
  const others = writers.length === 0 ? '' : ' In other roles it changes nothing but its reports.';
  return known.map(({ name, preset, isAcp }) => {
    const role = writers.length === 0 ? '' : ` as ${writers.join(', ')}`;
    return `${name}${role} may ${describePermissions(preset, query, isAcp)}.${others}`;
  });
}

const MOST_NAMED = 3;

/** Files that tools create and nobody commits. */
const GENERATED = new Set([
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.tox',
  '.nox',
  '.nyc_output',
  '.DS_Store',
]);

/** Files that agents will not see. A path with a slash at its end is a new folder. */
export function uncommittedWords(files: readonly string[]): string {
  const isGenerated = (path: string): boolean => GENERATED.has(path.replace(/\/$/, '').split('/').at(-1) ?? '');
  const made = files.filter(isGenerated);
  const own = files.filter((path) => !isGenerated(path));
  return [
    ...(own.length === 0 ? [] : [commitNote(own)]),
    ...(made.length === 0 ? [] : [`git does not ignore ${listFewFiles(made)}: add ${made.length === 1 ? 'it' : 'them'} to .gitignore.`]),
  ].join(' ');
}

function commitNote(files: readonly string[]): string {
  const folders = files.filter((path) => path.endsWith('/')).length;
  const [one, all] = folders === 0 ? ['file', 'files'] : folders === files.length ? ['folder', 'folders'] : ['', 'files and folders'];
  const many = files.length === 1 ? `One uncommitted ${one} is` : `${files.length} uncommitted ${all} are`;
  return `Work starts from your last commit. ${many} not part of it (${listFewFiles(files)}). Commit first if the agents should see ${files.length === 1 ? 'it' : 'them'}.`;
}

function listFewFiles(files: readonly string[]): string {
  const named = files.slice(0, MOST_NAMED).join(', ');
  return files.length > MOST_NAMED ? `${named} and ${files.length - MOST_NAMED} more` : named;
}

/** Paths in `workspace` that do not exist. */
export function absentWords(absent: readonly string[]): string {
  const named = absent.map((path) => JSON.stringify(path)).join(', ');
  return `${CONFIG}: workspace: the project has no ${named}, so worktrees will not have it.`;
}
